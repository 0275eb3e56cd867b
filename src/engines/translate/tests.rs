//! The worked scenario, to the digits of the reference: a card of 95 GiB, 93.999 free before the weights and 21.697 after,
//! 70,272 bytes a token, SGLang at 0.88.

use crate::decimal;
use crate::engines::back::{back, vllm_strip};
use crate::engines::evaluate;
use crate::engines::facts::{Base, Engine};
use crate::engines::shape::{Attention, Shape, Stored, Terms};
use crate::engines::translate::{self, Assumptions, Fate, Reach, Server, Translation, translate};
use crate::engines::ways::Way;
use crate::issue::IssueKind;
use crate::units::{BytesPerToken, Fraction, Gib};

fn server(fraction: f64) -> Server {
    Server {
        fraction: Fraction::new(fraction).unwrap(),
        total: Gib(93.999),
        available: Gib(21.697),
        cell: BytesPerToken::new(70_272.0).unwrap(),
        max_total_tokens: None,
    }
}

fn assumed() -> Assumptions {
    Assumptions {
        physical: Some(Gib(95.0)),
        activations: Gib(2.0),
        graphs: Gib(0.0),
        weights: Some(Gib(72.3)),
        workspaces: Some(Gib(2.0)),
        vocab: 129_280,
        prefill: 8_192,
        batch: 128,
        shape: Some(Shape {
            attention: Attention::Mla,
            layers: 61,
            kv_heads: 1,
            head_dim: 576,
            head_dim_v: 576,
            stored: Stored::PerValue(Terms::whole(2)),
            tp: 8,
            pp: 1,
        }),
    }
}

fn worked() -> Translation {
    translate(&server(0.88), &assumed())
}

fn by_id(table: &Translation, id: &str) -> translate::Row {
    table.rows.iter().find(|row| row.id == id).unwrap().clone()
}

#[test]
fn the_same_pool_in_every_engine() {
    let table = worked();
    assert_eq!(table.issues, []);
    assert_eq!(decimal::write(table.pool_gib, 5), "10.41712");
    for (id, value, reach, step, blocks, tokens) in [
        ("sglang", "0.88", Reach::Reachable, Some("0.940"), Some(159_171), Some(159_171)),
        ("vllm", "0.89178", Reach::Reachable, Some("0.950"), Some(2_487), Some(159_168)),
        ("vllm-bytes", "11185297429", Reach::Reachable, None, Some(2_487), Some(159_168)),
        ("tensorrt-llm", "0.52887", Reach::Reachable, Some("0.197"), Some(4_974), Some(159_168)),
        ("tensorrt-llm-cpp", "0.48012", Reach::Reachable, Some("0.217"), Some(4_975), Some(159_200)),
        ("tensorrt-llm-tokens", "159168", Reach::Reachable, None, Some(4_974), Some(159_168)),
        ("lmdeploy-pytorch", "0.52979", Reach::Reachable, Some("0.197"), Some(2_487), Some(159_168)),
        ("lmdeploy-pytorch-0.9", "0.70421", Reach::Reachable, Some("0.148"), Some(2_487), Some(159_168)),
        ("lmdeploy-turbomind", "0.48012", Reach::Reachable, Some("0.217"), Some(2_487), Some(159_168)),
        ("lmdeploy-turbomind-0.2", "0.10965", Reach::Reachable, Some("0.950"), Some(2_487), Some(159_168)),
        ("tgi", "1.00257", Reach::AboveRange, Some("0.855"), None, None),
        ("tgi-0.95", "0.94981", Reach::Reachable, Some("0.902"), None, None),
        ("mlc-llm", "0.89176", Reach::Reachable, Some("0.950"), None, None),
        ("llama.cpp", "158976", Reach::Reachable, None, Some(621), Some(158_976)),
        ("ollama", "158976", Reach::Reachable, None, Some(621), Some(158_976)),
    ] {
        let row = by_id(&table, id);
        assert_eq!(row.value_text, value, "{id}");
        assert_eq!(row.reach, reach, "{id}");
        assert_eq!(row.step_gib.map(|step| decimal::write(step, 3)).as_deref(), step, "{id}");
        assert_eq!((row.blocks, row.tokens), (blocks, tokens), "{id}");
    }
    // The reference writes 0.903 for 0.9025 GiB, an exact tie that rounds to even here.
    assert_eq!(by_id(&table, "tgi-0.95").step_gib.map(|step| decimal::write(step, 4)).as_deref(), Some("0.9025"));
}

#[test]
fn the_same_digits_elsewhere() {
    let table = worked();
    for (id, copied, fate, default, default_fate) in [
        ("vllm", "9.298", Fate::Starts, "13.098", Fate::Starts),
        ("tensorrt-llm", "17.333", Fate::Starts, "17.727", Fate::Starts),
        ("tensorrt-llm-cpp", "19.093", Fate::Starts, "19.527", Fate::Starts),
        ("lmdeploy-pytorch", "17.303", Fate::Starts, "15.730", Fate::Starts),
        ("lmdeploy-turbomind", "19.093", Fate::Starts, "17.358", Fate::Starts),
        ("lmdeploy-turbomind-0.2", "83.600", Fate::OutOfMemory, "47.500", Fate::OutOfMemory),
        ("tgi", "0.000", Fate::Collapses, "10.197", Fate::Starts),
        ("tgi-0.95", "4.117", Fate::Starts, "14.947", Fate::Starts),
        ("mlc-llm", "9.300", Fate::Starts, "6.450", Fate::Starts),
    ] {
        let row = by_id(&table, id);
        let (there, usual) = (row.copied.unwrap(), row.default.unwrap());
        assert_eq!((decimal::write(there.pool_gib, 3).as_str(), there.fate), (copied, fate), "{id} copied");
        assert_eq!((decimal::write(usual.pool_gib, 3).as_str(), usual.fate), (default, default_fate), "{id} default");
    }
    let old = by_id(&table, "lmdeploy-pytorch-0.9");
    assert_eq!(decimal::write(old.copied.unwrap().pool_gib, 2), "13.02");
    assert_eq!(decimal::write(old.default.unwrap().pool_gib, 2), "11.83");
    assert_eq!(decimal::write(back(Way::Vllm, 0.9, &server(0.5), &assumed()).there.unwrap().pool_gib, 3), "11.198");
    assert_eq!(translate::ollama_default(&server(0.88), &assumed()), 262_144);
    assert_eq!(decimal::write(translate::llama_cpp_fit(&server(0.88), &assumed()).0, 3), "18.697");
}

#[test]
fn usable_ranges() {
    let table = worked();
    for (id, lower, upper) in [
        ("sglang", "0.76918", "1.00000"),
        ("vllm", "0.78213", "0.98946"),
        ("tensorrt-llm", "0.00000", "1.00000"),
        ("lmdeploy-turbomind-0.2", "0.00000", "0.22839"),
        ("tgi", "0.88074", "1.00000"),
        ("tgi-0.95", "0.83438", "1.00000"),
        ("mlc-llm", "0.78211", "1.00000"),
    ] {
        let row = by_id(&table, id);
        assert_eq!(decimal::write(row.lower.unwrap(), 5), lower, "{id}");
        assert_eq!(decimal::write(row.upper.unwrap(), 5), upper, "{id}");
    }
}

#[test]
fn flags_to_copy() {
    let table = worked();
    for (id, flag) in [
        ("sglang", "--mem-fraction-static 0.88"),
        ("vllm", "--gpu-memory-utilization 0.89178"),
        ("vllm-bytes", "--kv-cache-memory-bytes 11185297429"),
        ("tensorrt-llm", "--kv_cache_free_gpu_memory_fraction 0.52887"),
        ("tensorrt-llm-tokens", "kv_cache_config: {max_tokens: 159168}"),
        ("lmdeploy-turbomind", "--cache-max-entry-count 0.48012"),
        ("tgi", ""),
        ("tgi-0.95", "--cuda-memory-fraction 0.94981"),
        ("mlc-llm", "--mode server --overrides gpu_memory_utilization=0.89176"),
        ("llama.cpp", "-c 158976 -ctk f16 -ngl all"),
        ("ollama", "OLLAMA_CONTEXT_LENGTH=158976 OLLAMA_NUM_PARALLEL=1"),
    ] {
        assert_eq!(by_id(&table, id).flag, flag, "{id}");
    }
}

/// The translated value, typed into the engine's own model, gives the pool that the table promises.
#[test]
fn the_models_agree_with_the_table() {
    let vllm = "engine=vllm&version=0.33.0&value=0.89178&total_bytes=102005473280&free_init_bytes=100930657714\
        &consumed_bytes=77633681359&act_peak_bytes=2147483648&cudagraph_bytes=0&attn=mla&layers=61&kv_heads=1\
        &head_dim=576&kv_bytes_per_elem=2&block_size=64&max_model_len=131072";
    assert_eq!(evaluate(vllm).blocks, by_id(&worked(), "vllm").blocks);
}

#[test]
fn half_a_gib_of_graphs_moves_vllm_by_0_00526() {
    let with = translate(&server(0.88), &Assumptions { graphs: Gib(0.5), ..assumed() });
    let moved = by_id(&with, "vllm").value.unwrap() - by_id(&worked(), "vllm").value.unwrap();
    assert_eq!(decimal::write(moved, 5), "0.00526");
}

#[test]
fn the_way_back() {
    // 95 × 0.9 − 74.302 = 11.198; 1 − (21.697 − 11.198) / 93.999 = 0.888307…
    let back_from = |way, value| back(way, value, &server(0.5), &assumed());
    let vllm = back_from(Way::Vllm, 0.9);
    assert_eq!(decimal::write(vllm.fraction.unwrap(), 5), "0.88831");
    assert_eq!(vllm.flag, "--mem-fraction-static 0.88831");
    for way in Way::ALL {
        let row = by_id(&worked(), way.id());
        let (Some(value), Reach::Reachable) = (row.value, row.reach) else { continue };
        let fraction = back_from(way, value).fraction.unwrap();
        assert!((fraction - 0.88).abs() < 5e-4, "{}: {fraction}", way.id());
    }
    for (value, fate) in [(0.78, Fate::RefusesTooLow), (0.99, Fate::RefusesTooHigh)] {
        let refused = back_from(Way::Vllm, value);
        assert_eq!((refused.there.unwrap().fate, refused.fraction), (fate, None));
        assert_eq!(refused.issues.len(), 1);
    }
}

#[test]
fn vllm_refuses_in_two_directions() {
    let strip = vllm_strip(&server(0.88), &assumed(), Some(131_072));
    assert_eq!(decimal::write(strip.lower, 5), "0.78213");
    assert_eq!(decimal::write(strip.upper, 5), "0.98946");
    // 2,049 blocks of 4,497,408 bytes are 8.582 GiB: (74.302 + 8.582) / 95.
    assert_eq!(decimal::write(strip.one_request.unwrap(), 5), "0.87247");
    assert!(!strip.empty);
    assert!(strip.below.iter().any(|refusal| refusal.text.contains("No available memory for the cache blocks")));
    assert!(strip.above.iter().all(|refusal| refusal.text.contains("Decrease GPU memory utilization")));
    assert_eq!((strip.below.len(), strip.above.len()), (2, 1));
    let tight = vllm_strip(&server(0.88), &Assumptions { activations: Gib(21.0), ..assumed() }, Some(131_072));
    assert!(tight.empty);
}

#[test]
fn a_server_without_a_pool_is_said_so() {
    let table = translate(&server(0.55), &assumed());
    for row in &table.rows {
        assert_eq!((row.reach, row.value, row.flag.as_str()), (Reach::NoPool, None, ""), "{}", row.id);
    }
    let vllm = by_id(&table, "vllm");
    assert_eq!(vllm.copied.unwrap().fate, Fate::RefusesTooLow);
}

#[test]
fn impossible_numbers_are_named() {
    for (changed, field, kind, rows) in [
        (Assumptions { physical: Some(Gib(f64::NAN)), ..assumed() }, "physical", IssueKind::OutOfRange, 0),
        (Assumptions { activations: Gib(-1.0), ..assumed() }, "act", IssueKind::OutOfRange, 0),
        (Assumptions { vocab: 0, ..assumed() }, "vocab", IssueKind::OutOfRange, 0),
        (Assumptions { physical: Some(Gib(80.0)), ..assumed() }, "physical", IssueKind::Conflict, Way::ALL.len()),
        (Assumptions { physical: None, ..assumed() }, "physical", IssueKind::NotMeasured, Way::ALL.len()),
    ] {
        let table = translate(&server(0.88), &changed);
        let found: Vec<_> = table.issues.iter().map(|issue| (issue.field.as_str(), issue.kind)).collect();
        assert_eq!(found, [(field, kind)]);
        assert_eq!(table.rows.len(), rows, "{field}");
    }
    let more = Assumptions { activations: Gib(30.0), ..assumed() };
    assert_eq!(by_id(&translate(&server(0.88), &more), "tensorrt-llm").reach, Reach::NothingLeft);
}

#[test]
fn the_engines_own_format_counts() {
    let shape = |stored| Shape {
        attention: Attention::Full,
        layers: 32,
        kv_heads: 8,
        head_dim: 128,
        head_dim_v: 128,
        stored,
        tp: 1,
        pp: 1,
    };
    let server = Server { cell: BytesPerToken::new(65_536.0).unwrap(), ..server(0.88) };
    let fp8 = Assumptions { shape: Some(shape(Stored::PerValue(Terms::whole(1)))), ..assumed() };
    let table = translate(&server, &fp8);
    // 11,185,297,429 / 65,536 = 170,673; / 69,632 = 160,634, down to 160,512; / 67,584 = 165,502, down to 165,440.
    assert_eq!(by_id(&table, "vllm").tokens, Some(170_672), "blocks of 16");
    assert_eq!(by_id(&table, "llama.cpp").flag, "-c 160512 -ctk q8_0 -ctv q8_0 -ngl all");
    assert_eq!(by_id(&table, "lmdeploy-turbomind").tokens, Some(165_440));
    let cells: Vec<_> =
        table.rows.iter().filter(|row| row.engine == Engine::MlcLlm).filter_map(|row| row.cell).collect();
    assert_eq!(cells.first().and_then(|cell| cell.bytes), Some(131_073.25));
}

/// What is copied gives every block that the table promises, in the engine's own arithmetic; with the nearest five
/// decimals alone the old TurboMind would have one block fewer.
#[test]
fn what_is_copied_has_all_of_the_blocks() {
    let row = by_id(&worked(), "lmdeploy-turbomind-0.2");
    assert_eq!((row.value_text.as_str(), row.flag.as_str()), ("0.10965", "--cache-max-entry-count 0.109654"));
    let blocks = |value: &str| {
        let query = "engine=lmdeploy-turbomind&version=0.2.1&total_bytes=102005473280&attn=mla&layers=61&head_dim=576\
            &kv_bytes_per_elem=2&block_size=64&value=";
        evaluate(&[query, value].concat()).blocks
    };
    assert_eq!((blocks("0.10965"), blocks("0.109654"), row.blocks), (Some(2_486), Some(2_487), Some(2_487)));
}

/// 8 GPUs and 2 KV heads: TensorRT-LLM counts a quarter of a head's bytes, so its second cap decides, on what is free
/// with activations still in it.
#[test]
fn fewer_heads_than_gpus_leave_tensorrt_llm_the_cap_on_free_memory() {
    let shape = Shape {
        attention: Attention::Full,
        layers: 40,
        kv_heads: 2,
        head_dim: 128,
        head_dim_v: 128,
        stored: Stored::PerValue(Terms::whole(2)),
        tp: 8,
        pp: 1,
    };
    // 40 layers × 1 head × 256 values × 2 bytes.
    let server = Server { cell: BytesPerToken::new(20_480.0).unwrap(), ..server(0.88) };
    let table = translate(&server, &Assumptions { shape: Some(shape), ..assumed() });
    let row = by_id(&table, "tensorrt-llm");
    // 10.41712 / 21.697.
    assert_eq!((row.value_text.as_str(), row.base_gib), ("0.48012", Some(21.697)));
    assert_eq!(
        (row.base, by_id(&worked(), "tensorrt-llm").base),
        (Base::FreeAfterWeights, Base::FreeAfterWeightsAndActivations)
    );
    let query = "engine=tensorrt-llm&version=1.3-1.4&value=0.48012&total_bytes=102005473280\
        &free_after_load_bytes=23296976355&act_peak_bytes=2147483648&attn=full&layers=40&kv_heads=2&head_dim=128\
        &kv_bytes_per_elem=2&tp=8&block_size=32&extra=backend=pytorch-v1";
    assert_eq!(evaluate(query).blocks, row.blocks);
}

#[test]
fn a_pool_of_less_than_an_engine_needs_is_said_so() {
    let reach = |megabytes: f64| {
        let server = Server { available: Gib(93.999 * 0.12 + megabytes / 1024.0), ..server(0.88) };
        translate(&server, &assumed())
    };
    // 4 MiB are 59 tokens: not one block of 64, and a length of 0 would mean the engine's own choice.
    let tiny = reach(4.0);
    for id in ["vllm", "vllm-bytes", "lmdeploy-pytorch", "lmdeploy-turbomind", "llama.cpp", "ollama"] {
        let row = by_id(&tiny, id);
        assert_eq!((row.reach, row.flag.as_str()), (Reach::TooSmall, ""), "{id}");
    }
    assert_eq!(by_id(&tiny, "tensorrt-llm").reach, Reach::Reachable, "one block of 32");
    // 20 MiB are 4 blocks of 64.
    assert_eq!(by_id(&reach(20.0), "vllm").reach, Reach::Reachable);
    assert_eq!(by_id(&reach(20.0), "lmdeploy-pytorch").reach, Reach::TooSmall);
}

#[test]
fn tokens_of_unknown_size_are_not_known() {
    let shape = assumed().shape.map(|shape| Shape { attention: Attention::HybridSwa, ..shape });
    let table = translate(&server(0.88), &Assumptions { shape, ..assumed() });
    assert_eq!(by_id(&table, "tensorrt-llm-tokens").reach, Reach::NotKnown);
}

//! Layouts that no golden row holds.

use super::*;
use crate::catalog::config;

fn sized(text: &str, query: &CellQuery) -> Cell {
    let reading = config::read(text.as_bytes());
    cell(&reading.config.unwrap_or_else(|| panic!("{:?}", reading.issues)), query)
}

fn bytes(text: &str, query: &CellQuery) -> Option<f64> {
    sized(text, query).bytes.map(BytesPerToken::get)
}

const SPARSE: &str = r#""num_hidden_layers": 8, "num_attention_heads": 64, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
                        "index_topk": 2048, "index_head_dim": 128"#;

#[test]
fn layers_that_share_an_indexer_keep_no_key_of_it() {
    let every = format!("{{{SPARSE}}}");
    let shared = format!(r#"{{{SPARSE}, "index_topk_freq": 4}}"#);
    let named = format!(
        r#"{{{SPARSE}, "indexer_types": ["full", "shared", "full", "shared", "full", "shared", "full", "shared"]}}"#
    );
    let newest = CellQuery { kv_dtype: KvDtype::Bfloat16, ..CellQuery::default() };
    assert_eq!(bytes(&every, &newest), Some(8.0 * 1152.0 + 8.0 * 132.0));
    assert_eq!(bytes(&shared, &newest), Some(8.0 * 1152.0 + 2.0 * 132.0));
    assert_eq!(bytes(&named, &newest), Some(8.0 * 1152.0 + 4.0 * 132.0));
    let older = |patch| CellQuery { version: Version::new(0, 5, patch), ..newest };
    assert_eq!(bytes(&shared, &older(18)), Some(8.0 * 1152.0 + 2.0 * 132.0));
    let said = |text: &str, patch| sized(text, &older(patch)).issues.len();
    assert_eq!([17, 18, 19, 20].map(|patch| said(&named, patch)), [0, 1, 1, 0], "not read by name before 0.5.20");
    assert_eq!(said(&every, 18), 0);
    assert_eq!(bytes(&shared, &older(17)), Some(8.0 * 1152.0 + 8.0 * 132.0), "counted for every layer before");
    assert_eq!(bytes(&shared, &older(3)), Some(8.0 * 1152.0), "not counted at all");
    // `dsa_layer_skips_topk`: layers 0, 3 and 6; layers 0, 1 and 4.
    let factor = format!(r#"{{{SPARSE}, "cli_factor": 3, "index_topk_freq": 4}}"#);
    let pattern = format!(r#"{{{SPARSE}, "index_topk_pattern": "FFSSFSSS"}}"#);
    assert_eq!(bytes(&factor, &newest), Some(8.0 * 1152.0 + 3.0 * 132.0));
    assert_eq!(bytes(&pattern, &newest), Some(8.0 * 1152.0 + 3.0 * 132.0));
}

#[test]
fn automatic_fp8_of_sparse_attention_depends_on_the_card() {
    let auto = sized(&format!("{{{SPARSE}}}"), &CellQuery::default());
    assert_eq!(auto.issues.iter().map(|issue| issue.kind).collect::<Vec<_>>(), [IssueKind::NotMeasured]);
}

const WINDOWS: &str = r#""num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
    "sliding_window": 128, "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"]"#;

#[test]
fn a_list_of_classes_decides_over_windows() {
    let of = |class: &str| sized(&format!(r#"{{{WINDOWS}, "architectures": ["{class}"]}}"#), &CellQuery::default());
    let split = of("GptOssForCausalLM");
    assert_eq!((split.kind, split.issues.len()), (CellKind::SwaHybrid, 0));
    assert_eq!(split.bytes.map(BytesPerToken::get), Some(1024.0 + 0.8 * 1024.0));
    let uniform = of("Gemma3ForCausalLM");
    assert_eq!((uniform.kind, uniform.issues.len()), (CellKind::Gqa, 0));
    assert_eq!(uniform.bytes.map(BytesPerToken::get), Some(2048.0));
    for class in ["Olmo3ForCausalLM", "SomethingForCausalLM"] {
        assert_eq!((of(class).kind, of(class).issues.len()), (CellKind::Gqa, 0), "{class}");
    }
    let split_in = |class: &str, patch| {
        let query = CellQuery { version: Version::new(0, 5, patch), ..CellQuery::default() };
        sized(&format!(r#"{{{WINDOWS}, "architectures": ["{class}"]}}"#), &query).kind == CellKind::SwaHybrid
    };
    for (class, since) in [("MiMoV2ForCausalLM", 11), ("LagunaForCausalLM", 12), ("GraniteSWAForCausalLM", 19)] {
        assert!(!split_in(class, since - 1) && split_in(class, since), "{class}");
    }
    assert!(split_in("GptOssForCausalLM", 9) && !split_in("GptOssForCausalLM", 3));
}

#[test]
fn windows_alone_are_no_share_of_another_pool() {
    // Llama-4's third rank of three: layers 4 of 4; its first two hold windows only.
    let text = r#"{"num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
        "attention_chunk_size": 128, "architectures": ["Llama4ForConditionalGeneration"]}"#;
    assert_eq!(bytes(text, &CellQuery::default()), Some(2.0 * 512.0));
    let draft = CellQuery { draft_layers: 1, ..CellQuery::default() };
    assert_eq!(bytes(text, &draft), Some(3.0 * 512.0));
}

#[test]
fn pipeline_ranks_take_whole_blocks() {
    let longcat = r#"{"num_layers": 28, "num_attention_heads": 64, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
        "attention_method": "MLA", "zero_expert_num": 256}"#;
    let over = |pp| bytes(longcat, &CellQuery { pp, ..CellQuery::default() });
    assert_eq!(over(1), Some(56.0 * 1152.0));
    // 9 + 9 + 10 blocks of two layers each.
    assert_eq!(over(3), Some(20.0 * 1152.0));
}

#[test]
fn of_pipeline_ranks_that_need_the_same_the_first_decides() {
    // Sliding, full, sliding and full, sliding, full: with a ratio of 1 both ranks take 3 × 2 × 2 × 64 × 2 bytes.
    let text = r#"{"num_hidden_layers": 6, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
        "sliding_window": 128, "architectures": ["GptOssForCausalLM"],
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
                        "full_attention", "sliding_attention", "full_attention"]}"#;
    let over = |swa_ratio| sized(text, &CellQuery { pp: 2, swa_ratio, ..CellQuery::default() });
    let widths = |cell: Cell| cell.swa.map(|swa| (swa.full_bytes, swa.sliding_bytes));
    assert_eq!(over(1.0).bytes.map(BytesPerToken::get), Some(1536.0));
    assert_eq!(widths(over(1.0)), Some((512.0, 1024.0)));
    // Below 1 full layers weigh more, and the second rank has two of them.
    assert_eq!(widths(over(0.5)), Some((1024.0, 512.0)));
}

#[test]
fn stages_are_cut_by_other_rules_in_other_releases() {
    let at = |text: &str, patch, pp| {
        let cell = sized(text, &CellQuery { version: Version::new(0, 5, patch), pp, ..CellQuery::default() });
        (cell.bytes.map(BytesPerToken::get), cell.state_bytes_per_request)
    };
    // 11 layers on 4 stages: 2, 2, 2, 5 up to 0.5.3, 2, 3, 3, 3 later.
    let plain = r#"{"num_hidden_layers": 11, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64}"#;
    assert_eq!((at(plain, 3, 4).0, at(plain, 9, 4).0), (Some(5.0 * 512.0), Some(3.0 * 512.0)));
    // Qwen3-Next's kind: 4 layers, the last keeps every token; the states of all three are charged up to 0.5.16.
    let linear = r#"{"num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
        "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
        "linear_conv_kernel_dim": 4, "full_attention_interval": 4}"#;
    // (2 × 2 × 16 + 4 × 16) channels × 3 × 2 bytes + 4 × 16 × 16 × 4 bytes.
    let layer = 128 * 3 * 2 + 1024 * 4;
    assert_eq!(at(linear, 16, 2), (Some(512.0), Some(3 * layer)));
    assert_eq!(at(linear, 17, 2), (Some(512.0), Some(2 * layer)));
}

#[test]
fn every_layer_of_falcon_h1_keeps_both() {
    let text = r#"{"num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
        "mamba_n_heads": 4, "mamba_d_head": 32, "mamba_d_state": 16, "mamba_n_groups": 1, "mamba_d_conv": 4,
        "mamba_expand": 2, "mamba_rms_norm": false}"#;
    let whole = sized(text, &CellQuery::default());
    assert_eq!(whole.bytes.map(BytesPerToken::get), Some(2.0 * 2.0 * 128.0 * 2.0));
    // (4 × 32 + 2 × 16) channels × 3 × 2 bytes + 4 × 32 × 16 × 4 bytes, in two layers.
    assert_eq!(whole.state_bytes_per_request, Some(2 * (160 * 3 * 2 + 2048 * 4)));
    // Two GPUs: the one group becomes two.
    let halved = sized(text, &CellQuery { tp: 2, ..CellQuery::default() });
    assert_eq!(halved.state_bytes_per_request, Some(2 * (192 / 2 * 3 * 2 + 1024 * 4)));
}

#[test]
fn what_cannot_be_known_is_null_with_a_reason() {
    let plain = r#"{"num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 512}"#;
    let sparse = format!("{{{SPARSE}}}");
    let old = CellQuery { version: Version::new(0, 5, 9), kv_dtype: KvDtype::Mxfp8, ..CellQuery::default() };
    let fp4 = CellQuery { kv_dtype: KvDtype::Fp4, ..CellQuery::default() };
    let windows = format!(r#"{{{WINDOWS}, "architectures": ["GptOssForCausalLM"]}}"#);
    for (text, query) in [(plain, &old), (windows.as_str(), &fp4), (sparse.as_str(), &old)] {
        let cell = sized(text, query);
        assert_eq!(cell.bytes, None);
        assert!(!cell.issues.is_empty());
    }
}

#[test]
fn a_model_without_a_cache_that_grows_has_a_reason_too() {
    let text = r#"{"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64, "mamba_num_heads": 4,
                   "mamba_head_dim": 4, "ssm_state_size": 4, "n_groups": 1, "conv_kernel": 4, "hybrid_override_pattern": "MM"}"#;
    let cell = sized(text, &CellQuery::default());
    assert_eq!((cell.bytes, cell.kind), (None, CellKind::LinearHybrid));
    assert_eq!(cell.issues.iter().map(|issue| issue.field.as_str()).collect::<Vec<_>>(), ["layers"]);
}

#[test]
fn up_to_0_5_20_a_rank_of_a_split_pool_counts_one_layer_too_many() {
    let text = format!(r#"{{{WINDOWS}, "architectures": ["GptOssForCausalLM"]}}"#);
    let at = |patch| bytes(&text, &CellQuery { version: Version::new(0, 5, patch), pp: 2, ..CellQuery::default() });
    // Each layer keeps 2 × 2 × 64 × 2 bytes: sliding, full and one more; then sliding, at 0.8, and full.
    assert_eq!(at(10), Some(3.0 * 512.0));
    assert_eq!(at(11), Some(512.0 + 0.8 * 1024.0));
    assert_eq!((at(20), at(21)), (at(11), Some(512.0 + 0.8 * 512.0)));
}

#[test]
fn what_eight_and_four_bits_cost_was_executed() {
    let of = |text: &str, patch, kv_dtype| {
        bytes(text, &CellQuery { version: Version::new(0, 5, patch), kv_dtype, ..CellQuery::default() })
    };
    let sparse = format!("{{{SPARSE}}}");
    // Rows of 576 numbers in four bits with 36 scales; in eight as fp8, with no other scales.
    assert_eq!(of(&sparse, 23, KvDtype::Fp4), Some(8.0 * 324.0 + 8.0 * 132.0));
    assert_eq!(of(&sparse, 16, KvDtype::Mxfp8), Some(8.0 * 576.0 + 8.0 * 132.0));
    assert_eq!(of(&sparse, 23, KvDtype::Mxfp8), of(&sparse, 23, KvDtype::Fp8E4m3));
    // A key of 128 and a value of 96: one scale for 16 of twice the key. A row to read from, 0.5.16 to 0.5.20.
    let uneven = r#"{"num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 128,
        "v_head_dim": 96}"#;
    assert_eq!(of(uneven, 15, KvDtype::Fp4), Some(4.0 * 112.0 + 4.0 * 16.0));
    assert_eq!(of(uneven, 16, KvDtype::Fp4), Some(4.0 * 128.0 + 256.0));
    assert_eq!(of(uneven, 23, KvDtype::Fp4), Some(4.0 * 128.0 + 4.0 * 16.0));
    assert_eq!(of(uneven, 23, KvDtype::Mxfp8), Some(4.0 * 224.0 + 28.0));
    let windows = format!(r#"{{{WINDOWS}, "architectures": ["GptOssForCausalLM"]}}"#);
    assert_eq!(of(&windows, 15, KvDtype::Mxfp8), None);
    assert_eq!(of(&windows, 16, KvDtype::Mxfp8), Some(2.0 * 264.0 + 0.8 * 2.0 * 264.0));
}

const PLAIN: &str = r#""num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64"#;

#[test]
fn a_checkpoint_that_asks_for_fp8_has_it_where_nobody_says_otherwise() {
    let text = format!(r#"{{{PLAIN}, "quantization_config": {{"kv_cache_quant_algo": "FP8"}}}}"#);
    assert_eq!(bytes(&text, &CellQuery::default()), Some(1024.0));
    assert_eq!(bytes(&text, &CellQuery { kv_dtype: KvDtype::Bfloat16, ..CellQuery::default() }), Some(2048.0));
}

#[test]
fn the_other_fp4_is_mentioned_where_it_exists() {
    let latent = r#"{"num_hidden_layers": 4, "num_attention_heads": 8, "kv_lora_rank": 512, "qk_rope_head_dim": 64}"#;
    let plain = format!("{{{PLAIN}}}");
    let fields = |text: &str, version| {
        let query = CellQuery { version, kv_dtype: KvDtype::Fp4, ..CellQuery::default() };
        sized(text, &query).issues.into_iter().map(|issue| issue.field).collect::<Vec<_>>()
    };
    assert_eq!(fields(&plain, Version::new(0, 5, 23)), ["kv_dtype"]);
    assert_eq!(fields(&plain, Version::new(0, 5, 21)), ["kv_dtype"]);
    assert!(fields(&plain, Version::new(0, 5, 20)).is_empty());
    assert!(fields(latent, Version::new(0, 5, 23)).is_empty());
}

#[test]
fn drafts_count_from_0_5_14_on() {
    let text = format!("{{{PLAIN}}}");
    let at = |patch| {
        sized(&text, &CellQuery { version: Version::new(0, 5, patch), draft_layers: 1, ..CellQuery::default() })
    };
    let fields = |cell: &Cell| cell.issues.iter().map(|issue| issue.field.clone()).collect::<Vec<_>>();
    assert_eq!(
        (at(13).bytes.map(BytesPerToken::get), fields(&at(13))),
        (Some(2048.0), vec!["draft_layers".to_owned()])
    );
    assert_eq!((at(14).bytes.map(BytesPerToken::get), fields(&at(14))), (Some(2048.0 + 512.0), vec![]));
}

#[test]
fn a_draft_is_rounded_with_the_whole_cell_before_0_5_22() {
    // GLM-4.7-Flash: 47 × 576 × 2 = 54,144; times the float 1 + 1 / 47 it is just below 55,296.
    let text = r#"{"num_hidden_layers": 47, "num_attention_heads": 20, "kv_lora_rank": 512, "qk_rope_head_dim": 64}"#;
    let at = |patch| {
        let version = Version::new(0, 5, patch);
        let query = CellQuery { version, draft_layers: 1, ..CellQuery::default() };
        let cell = sized(text, &query);
        (cell.bytes.map(BytesPerToken::get), cell.terms.iter().map(|term| term.bytes).sum::<f64>())
    };
    assert_eq!(at(13), (Some(54144.0), 54144.0));
    for patch in [14, 15, 19, 21] {
        assert_eq!(at(patch), (Some(55295.0), 55295.0), "0.5.{patch}");
    }
    for patch in [22, 23] {
        assert_eq!(at(patch), (Some(55296.0), 55296.0), "0.5.{patch}");
    }
}

#[test]
fn tokens_share_an_indexer_key_since_0_5_22() {
    let pooled = |pool: u64| format!(r#"{{{SPARSE}, "index_kpool": {pool}}}"#);
    let at = |patch, pool| {
        let version = Version::new(0, 5, patch);
        bytes(&pooled(pool), &CellQuery { version, kv_dtype: KvDtype::Bfloat16, ..CellQuery::default() })
    };
    for patch in [9, 15, 21] {
        assert_eq!(at(patch, 4), Some(8.0 * 1152.0 + 8.0 * 132.0), "0.5.{patch}");
    }
    assert_eq!((at(22, 4), at(23, 4)), (Some(8.0 * 1152.0 + 8.0 * 33.0), at(22, 4)));
    // 132 ÷ 8 is rounded up.
    assert_eq!(at(23, 8), Some(8.0 * 1152.0 + 8.0 * 17.0));
}

#[test]
fn a_draft_of_sparse_attention_scales_the_whole_cell_in_0_5_14() {
    let shared = format!(r#"{{{SPARSE}, "index_topk_freq": 4}}"#);
    let at = |patch| {
        let version = Version::new(0, 5, patch);
        bytes(&shared, &CellQuery { version, kv_dtype: KvDtype::Bfloat16, draft_layers: 2, ..CellQuery::default() })
    };
    assert_eq!((at(14), at(17)), (Some(10.0 * 1152.0 + 10.0 * 132.0), at(14)));
    assert_eq!(at(18), Some(10.0 * 1152.0 + 4.0 * 132.0));
}

#[test]
fn a_draft_keeps_an_indexer_in_every_layer() {
    let shared = format!(r#"{{{SPARSE}, "index_topk_freq": 4}}"#);
    let query = CellQuery { kv_dtype: KvDtype::Bfloat16, draft_layers: 2, ..CellQuery::default() };
    assert_eq!(bytes(&shared, &query), Some(8.0 * 1152.0 + 2.0 * 132.0 + 2.0 * 1152.0 + 2.0 * 132.0));
}

#[test]
fn a_draft_beside_windows_is_a_full_layer_where_the_pool_is_split() {
    let query = CellQuery { draft_layers: 1, ..CellQuery::default() };
    let of = |class: &str| {
        let cell = sized(&format!(r#"{{{WINDOWS}, "architectures": ["{class}"]}}"#), &query);
        (cell.bytes.map(BytesPerToken::get), cell.terms.last().map(|term| term.label.clone()).unwrap_or_default())
    };
    let (split, label) = of("GptOssForCausalLM");
    assert_eq!(split, Some(1024.0 + 0.8 * 1024.0 + 512.0));
    assert!(label.starts_with("draft: 1 layer ×"), "{label}");
    let old = |patch| {
        let query = CellQuery { version: Version::new(0, 5, patch), ..query };
        let cell = sized(&format!(r#"{{{WINDOWS}, "architectures": ["GptOssForCausalLM"]}}"#), &query);
        (cell.bytes.map(BytesPerToken::get), cell.issues.len())
    };
    assert_eq!((old(14), old(15)), ((Some(1024.0 + 0.8 * 1024.0), 1), (split, 0)));
    let (uniform, label) = of("Gemma3ForCausalLM");
    assert_eq!(uniform, Some(2048.0 + 512.0));
    assert_eq!(label, "draft: 1 layer as wide as one of the 4");
}

#[test]
fn layouts_that_do_not_divide_are_named() {
    let text = r#"{"num_hidden_layers": 4, "num_attention_heads": 40, "num_key_value_heads": 10, "hidden_size": 5120}"#;
    let fields = |query: CellQuery| sized(text, &query).issues.into_iter().map(|issue| issue.field).collect::<Vec<_>>();
    assert_eq!(fields(CellQuery { tp: 4, ..CellQuery::default() }), ["tp"]);
    assert_eq!(fields(CellQuery { tp: 3, ..CellQuery::default() }), ["tp"]);
    assert_eq!(fields(CellQuery { tp: 8, dp: 3, ..CellQuery::default() }), ["dp"]);
    assert_eq!(fields(CellQuery { pp: 5, ..CellQuery::default() }), ["pp"]);
    assert!(fields(CellQuery { pp: 4, ..CellQuery::default() }).is_empty(), "a layer each");
    assert!(fields(CellQuery { tp: 2, ..CellQuery::default() }).is_empty());
    assert!(fields(CellQuery { tp: 4, dp: 2, ..CellQuery::default() }).is_empty());
    assert_eq!(fields(CellQuery { tp: 1, pp: u64::MAX, ..CellQuery::default() }), ["pp"]);
}

#[test]
fn a_type_is_called_as_its_flag_is() {
    for (name, dtype) in [("auto", KvDtype::Auto), ("fp8_e4m3", KvDtype::Fp8E4m3), ("fp4_e2m1", KvDtype::Fp4)] {
        assert_eq!((dtype.name(), KvDtype::parse(name)), (name, Some(dtype)));
    }
}

#[test]
fn terms_say_what_is_multiplied() {
    let text = r#"{"num_hidden_layers": 4, "num_attention_heads": 16, "num_key_value_heads": 8, "hidden_size": 2048}"#;
    let label = |text: &str, tp| {
        let terms = sized(text, &CellQuery { tp, kv_dtype: KvDtype::Bfloat16, ..CellQuery::default() }).terms;
        terms.last().map(|term| term.label.clone()).unwrap_or_default()
    };
    assert_eq!(label(text, 1), "4 layers × 8 KV heads × (128 + 128) × 2 bytes");
    assert_eq!(label(text, 2), "4 layers × 4 KV heads (8 ÷ 2) × (128 + 128) × 2 bytes");
    assert_eq!(label(text, 16), "4 layers × 1 KV head (8 copied over 16 GPUs) × (128 + 128) × 2 bytes");
    assert_eq!(label(&format!("{{{SPARSE}}}"), 1), "8 indexers × (128 + 4) bytes");
    assert_eq!(label(&format!(r#"{{{SPARSE}, "index_kpool": 4}}"#), 1), "8 indexers × (128 + 4) bytes ÷ 4");
}

#[test]
fn a_pipeline_has_no_more_ranks_than_blocks_of_layers() {
    let fields = |text: &str, pp| {
        let query = CellQuery { pp, ..CellQuery::default() };
        sized(text, &query).issues.into_iter().map(|issue| issue.field).collect::<Vec<_>>()
    };
    let dense = r#"{"num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64}"#;
    assert_eq!((fields(dense, 4), fields(dense, 5)), (vec![], vec!["pp".to_owned()]));
    // Blocks of two.
    let mut paired = config::read(dense.as_bytes()).config.expect("a dense model");
    paired.block = 2;
    let paired = |pp| cell(&paired, &CellQuery { pp, ..CellQuery::default() }).issues.len();
    assert_eq!((paired(2), paired(3)), (0, 1));
}

#[test]
fn a_release_older_than_the_class_says_so() {
    let said = |class: &str, version| {
        let text = format!(
            r#"{{"architectures": ["{class}"], "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2,
                "head_dim": 64}}"#
        );
        let issues = sized(&text, &CellQuery { version, ..CellQuery::default() }).issues;
        issues.into_iter().map(|issue| (issue.field, issue.message)).collect::<Vec<_>>()
    };
    let older =
        ("version".to_owned(), "SGLang 0.5.4 does not know MiniMaxM2ForCausalLM, which came with 0.5.5".to_owned());
    assert_eq!(said("MiniMaxM2ForCausalLM", Version::new(0, 5, 4)), [older]);
    assert_eq!(said("MiniMaxM2ForCausalLM", Version::new(0, 5, 5)), []);
    assert_eq!(said("Qwen3ForCausalLM", Version::new(0, 4, 6)), []);
}

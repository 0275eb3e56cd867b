//! The worked case, and rules that no golden row holds.

use super::*;

fn kimi(gpu_mib: Option<f64>) -> Auto {
    let vision = Some(Vision { layers: 27, hidden: 1152 });
    let version = Version::new(0, 5, 9);
    auto_fraction(&AutoQuery { version, gpu_mib, tp: 8, mla: true, vision, ..AutoQuery::default() })
}

#[test]
fn the_worked_case() {
    let auto = kimi(Some(97887.0));
    assert!((auto.fraction - 0.7714564).abs() < 5e-8, "{}", auto.fraction);
    assert_eq!(auto.reserve_mib, 14848.0);
    let terms: Vec<_> = auto.terms.iter().map(|term| term.mib).collect();
    assert_eq!(terms, [512.0, 12288.0, 1024.0, 1024.0]);
}

#[test]
fn an_unknown_gpu_has_a_constant() {
    let text = AutoQuery { version: Version::new(0, 5, 9), ..AutoQuery::default() };
    assert_eq!(auto_fraction(&text).fraction, 0.88);
    assert_eq!(auto_fraction(&AutoQuery::default()).fraction, 0.95);
    assert_eq!(kimi(Some(0.0)).fraction, kimi(None).fraction, "of nothing there is no share");
    assert_eq!(kimi(None).fraction, 0.88 * kimi(None).multimodal_factor.expect("multimodal"));
}

#[test]
fn every_release_since_0_4_6_is_known() {
    let auto = |patch| auto_fraction(&AutoQuery { version: Version::new(0, 5, patch), ..AutoQuery::default() });
    // 0.95 since 0.5.20.
    assert_eq!((auto(19).fraction, auto(20).fraction, auto(21).fraction), (0.88, 0.95, 0.95));
    for patch in 0..=23 {
        assert_eq!(auto(patch).issues, [], "0.5.{patch}");
    }
    let rules = |minor, patch| {
        let (rules, issue) = Rules::of(Version::new(0, minor, patch));
        (rules, issue.map(|issue| issue.message))
    };
    let of = |text: &str| {
        Some(["The automatic fraction of this release is not known; that of ", text, " is used."].concat())
    };
    assert_eq!(rules(4, 5), (Rules::V0_4_6, of("0.4.6")));
    assert_eq!(rules(4, 6), (Rules::V0_4_6, None));
    assert_eq!(rules(4, 8), (Rules::V0_4_7, None));
    for (minor, patch) in [(4, 9), (4, 10), (5, 0), (5, 2)] {
        assert_eq!(rules(minor, patch), (Rules::V0_4_9, None), "0.{minor}.{patch}");
    }
    assert_eq!(rules(5, 24), (Rules::V0_5_23, of("0.5.23")));
}

fn old(minor: u16, patch: u16, gpu_mib: f64, tp: u64) -> AutoQuery {
    AutoQuery { version: Version::new(0, minor, patch), gpu_mib: Some(gpu_mib), tp, ..AutoQuery::default() }
}

#[test]
fn in_0_4_6_the_number_of_gpus_decides() {
    let of = |gpu_mib, tp| auto_fraction(&old(4, 6, gpu_mib, tp));
    // An H100.
    for (tp, share) in [(1, 0.88), (2, 0.87), (3, 0.87), (4, 0.85), (8, 0.81), (16, 0.79), (32, 0.79)] {
        let auto = of(81559.0, tp);
        assert_eq!(auto.fraction, share, "{tp}");
        assert!((auto.reserve_mib - 81559.0 * (1.0 - share)).abs() < 1e-6, "{tp}");
    }
    let pipeline = AutoQuery { pp: 2, ..old(4, 6, 81559.0, 8) };
    assert_eq!(auto_fraction(&pipeline).fraction, 0.79);
    // RTX PRO 6000: above 81920 MiB, below 98304.
    assert_eq!(of(97887.0, 8).fraction, 0.88);
    // An H200: 1 − 18432 / 143771 is less than 0.88 + 49152 × 0.12 / 143771.
    assert_eq!(of(143771.0, 8).fraction, (143771.0 - 18432.0) / 143771.0);
    // 96 GiB are not above 96 GiB; of 256 GiB it is 0.88 + 49152 × 0.12 / 262144, less than 1 − 18432 / 262144.
    assert_eq!(of(98304.0, 8).fraction, 0.88);
    assert!((of(262144.0, 8).fraction - 0.9025).abs() < 1e-12);
    let vision = Some(Vision { layers: 27, hidden: 1152 });
    let seeing = auto_fraction(&AutoQuery { vision, ..old(4, 6, 97887.0, 8) });
    assert_eq!((seeing.multimodal_factor, seeing.fraction), (Some(0.9), 0.88 * 0.9));
    assert_eq!(seeing.issues, []);
}

#[test]
fn from_0_4_7_to_0_5_2_the_size_of_the_card_decides() {
    let of = |query: AutoQuery| {
        let auto = auto_fraction(&query);
        assert_eq!(auto.issues, []);
        (auto.reserve_mib, auto.fraction)
    };
    assert_eq!(of(old(5, 1, 183359.0, 8)), (32768.0, 0.821));
    assert_eq!(of(old(5, 1, 23034.0, 1)), (2969.6, 0.871));
    // 35 GiB is the next size: (9.5 + 1 ÷ 2) GiB.
    assert_eq!(of(old(5, 1, 35840.0, 1)).0, 10240.0);
    // An H100: (9.5 + 8 ÷ 2) GiB; an RTX PRO 6000: (12 + 8 ÷ 2) GiB.
    assert_eq!(of(old(4, 9, 81559.0, 8)), (13824.0, 0.831));
    assert_eq!(of(old(5, 0, 97887.0, 8)), (16384.0, 0.833));
    let draft = AutoQuery { speculation: Some(Speculation::Draft), ..old(4, 9, 81559.0, 8) };
    assert_eq!(of(draft), (15872.0, 0.805));
    // 0.5.2 reserves 6 GiB for a draft model of its own.
    let own = |patch| AutoQuery { speculation: Some(Speculation::Standalone), ..old(5, patch, 81559.0, 8) };
    assert_eq!((of(own(1)), of(own(2))), ((15872.0, 0.805), (19968.0, 0.755)));
    // The same cards in 0.4.7; images cost a tenth.
    assert_eq!(of(old(4, 7, 81559.0, 8)), (13824.0, 0.831));
    let vision = Some(Vision { layers: 27, hidden: 1152 });
    assert_eq!(of(AutoQuery { vision, ..old(4, 8, 81559.0, 8) }), (13824.0, 0.831 * 0.9));
    let groups = AutoQuery { dp: 8, dp_attention: true, ..old(4, 9, 81559.0, 8) };
    assert_eq!(of(groups), (17920.0, 0.78));
}

#[test]
fn hybrids_of_kda_and_amd_cards_capture_no_prefill_graphs() {
    let of = |patch, query: AutoQuery| {
        let version = Version::new(0, 5, patch);
        let auto = auto_fraction(&AutoQuery { version, gpu_mib: Some(81559.0), tp: 8, ..query });
        (auto.reserve_mib, auto.fraction, auto.resolved.prefill_graphs)
    };
    let mla = AutoQuery { mla: true, ..AutoQuery::default() };
    for patch in [15, 21, 23] {
        assert_eq!(of(patch, AutoQuery { kda: true, ..mla }), (14848.0, 0.818, false), "0.5.{patch}");
    }
    // 0.5.14 has no such exception.
    assert_eq!(of(14, AutoQuery { kda: true, ..mla }), (16384.0, 0.799, true));
    for patch in [10, 14, 15, 21, 23] {
        let amd = AutoQuery { amd: true, ..AutoQuery::default() };
        assert_eq!(of(patch, amd), (14848.0, 0.818, false), "0.5.{patch}");
    }
}

#[test]
fn what_aiter_does_to_the_fraction_is_said() {
    let issues = |query: AutoQuery| {
        auto_fraction(&AutoQuery { gpu_mib: Some(196592.0), ..query }).issues.into_iter().map(|issue| issue.field)
    };
    let amd = AutoQuery { amd: true, ..AutoQuery::default() };
    assert!(issues(amd).eq(["gpu"]), "a context that is not known may be long");
    assert!(issues(AutoQuery { context: Some(8193), ..amd }).eq(["gpu"]));
    assert!(issues(AutoQuery { context: Some(8192), ..amd }).eq([""; 0]));
    assert!(issues(AutoQuery { context: Some(131072), ..AutoQuery::default() }).eq([""; 0]));
    let old = AutoQuery { version: Version::new(0, 4, 6), ..amd };
    assert!(issues(old).eq([""; 0]), "not in 0.4.6");
}

#[test]
fn small_cards_have_larger_defaults_since_0_5_20() {
    // An L4: 512 + 1.5 × 2048 + 2 × 24 + 128 + 8 × 42 before, 512 + 1.5 × 4096 + 2 × 48 + 128 + 8 × 50 since.
    let auto = |patch, tp| {
        let version = Version::new(0, 5, patch);
        auto_fraction(&AutoQuery { version, gpu_mib: Some(23034.0), tp, ..AutoQuery::default() })
    };
    let of = |patch| (auto(patch, 1).reserve_mib, auto(patch, 1).fraction);
    assert_eq!(of(19), (4096.0, 0.822));
    for patch in [20, 21, 22, 23] {
        assert_eq!(of(patch), (7280.0, 0.684), "0.5.{patch}");
        assert_eq!(auto(patch, 4).resolved.max_bs, 160, "0.5.{patch}");
    }
}

#[test]
fn since_0_5_22_no_more_are_captured_than_may_run() {
    let max_bs = |patch| {
        let version = Version::new(0, 5, patch);
        auto_fraction(&AutoQuery { version, gpu_mib: Some(81559.0), max_running: Some(32), ..AutoQuery::default() })
            .resolved
            .max_bs
    };
    assert_eq!((max_bs(21), max_bs(22), max_bs(23)), (256, 32, 32));
}

#[test]
fn speculation_is_reserved_for_up_to_0_5_13() {
    // 8 RTX PRO 6000: 512 + 12288 + 1024 + 1024 + 8 × 58 sizes; 0.5.10 drops the sizes unless it is told not to.
    let auto = |patch, speculation, enforced| {
        let (version, gpu_mib) = (Version::new(0, 5, patch), Some(97887.0));
        auto_fraction(&AutoQuery { version, gpu_mib, tp: 8, speculation, enforced, ..AutoQuery::default() })
    };
    for (speculation, until, dropped) in [
        (Speculation::Draft, (15312.0 + 4096.0, 0.802), (14848.0 + 4096.0, 0.806)),
        (Speculation::Standalone, (15312.0 + 6144.0, 0.781), (14848.0 + 6144.0, 0.786)),
        (Speculation::Ngram, (15312.0, 0.844), (14848.0, 0.848)),
    ] {
        let of = |patch, enforced| {
            let auto = auto(patch, Some(speculation), enforced);
            (auto.reserve_mib, auto.fraction)
        };
        assert_eq!((of(10, false), of(10, true)), (dropped, until));
        assert_eq!((of(11, false), of(13, false)), (until, until));
        for patch in [14, 15, 21, 23] {
            assert_eq!(of(patch, false), (15312.0, 0.844), "0.5.{patch}");
        }
    }
}

#[test]
fn lists_of_classes_go_by_release() {
    let of = |name, patch| Class::of(name, Version::new(0, 5, patch));
    let kimi = "KimiK25ForConditionalGeneration";
    assert_eq!(
        [15, 16, 17, 18, 23].map(|patch| of(kimi, patch)),
        [Class::Unlisted, Class::Piecewise, Class::Piecewise, Class::Seeing, Class::Seeing]
    );
    assert_eq!((of("Qwen3NextForCausalLM", 14), of("Qwen3NextForCausalLM", 15)), (Class::Never, Class::Unlisted));
    let (gemma, inkling) = ("Gemma3ForConditionalGeneration", "InklingForConditionalGeneration");
    assert!(!Class::sees(gemma, Version::new(0, 4, 6)) && Class::sees(kimi, Version::NEWEST));
    assert!(Class::sees(inkling, Version::new(0, 5, 16)) && !Class::sees(inkling, Version::new(0, 5, 17)));
    // MLA with images on 8 H100: 0.5.16 by the older kind of graphs, so not with data-parallel attention.
    let graphs = |patch, dp_attention| {
        let version = Version::new(0, 5, patch);
        let vision = Some(Vision { layers: 27, hidden: 1152 });
        let class = Class::of(kimi, version);
        let query = AutoQuery {
            version,
            gpu_mib: Some(81559.0),
            tp: 8,
            mla: true,
            vision,
            class,
            dp_attention,
            ..Default::default()
        };
        auto_fraction(&query).resolved.prefill_graphs
    };
    assert_eq!([15, 16, 18, 23].map(|patch| graphs(patch, false)), [false, true, true, true]);
    assert_eq!([15, 16, 18, 23].map(|patch| graphs(patch, true)), [false, false, true, true]);
}

#[test]
fn no_prefill_graph_is_larger_than_the_pool() {
    let sizes = |most_tokens| {
        let query = AutoQuery { gpu_mib: Some(81559.0), most_tokens, ..AutoQuery::default() };
        (auto_fraction(&query).resolved.prefill_sizes, auto_fraction(&query).resolved.prefill_most)
    };
    assert_eq!((sizes(None), sizes(Some(4096))), ((Some(58), 8192), (Some(50), 4096)));
}

#[test]
fn what_the_function_alone_does_not_say_is_said() {
    let said = |line: &str| {
        let answer = AutoAnswer::of(line);
        let messages: Vec<_> = answer.issues.into_iter().map(|issue| issue.message).collect();
        (answer.fraction, messages)
    };
    let message = "as with --enforce-piecewise-cuda-graph: without it 0.5.10 captures no prefill graphs with speculation or \
                   data-parallel attention, and picks 0.806";
    let line = "gpu_mem_mib=97887&tp=8&speculative_algorithm=EAGLE&version=";
    assert_eq!(said(&[line, "0.5.10.post1"].concat()), (Some(0.802), vec![message.to_owned()]));
    assert_eq!(said(&[line, "0.5.13"].concat()), (Some(0.802), vec![]));
    let early = "the first builds of 0.4.9 take 0.90 for any image model; the rule of 0.4.9.post6 is shown";
    assert_eq!(said("version=0.4.9&vit=24x1024").1, [early]);
}

#[test]
fn prefill_graphs_are_a_term_of_their_own() {
    let term = |mla| {
        let query = AutoQuery { gpu_mib: Some(97887.0), tp: 8, mla, ..AutoQuery::default() };
        auto_fraction(&query).terms.pop().map(|term| (term.label, term.mib))
    };
    assert_eq!(term(true), Some(("prefill graphs of MLA".to_owned(), 1536.0)));
    assert_eq!(term(false), Some(("prefill graphs: 8 MiB × 58 sizes".to_owned(), 464.0)));
}

#[test]
fn the_floor_is_for_more_than_61440_mib_and_less_than_10240() {
    // `if gpu_mem > 61440: R = max(R, 10240)`.
    let of = |gpu_mib, chunk, max_bs, tp| {
        let version = Version::new(0, 5, 9);
        let gpu_mib = Some(gpu_mib);
        let query =
            AutoQuery { version, gpu_mib, tp, chunk: Some(chunk), max_bs: Some(max_bs), ..AutoQuery::default() };
        let auto = auto_fraction(&query);
        (auto.reserve_mib, auto.terms.len())
    };
    assert_eq!(of(61440.0, 2048, 8, 1), (512.0 + 3072.0 + 16.0 + 128.0, 4));
    assert_eq!(of(61441.0, 2048, 8, 1), (10240.0, 5));
    // 512 + 6144 + 2560 + 1024 are 10240 by themselves.
    assert_eq!(of(97887.0, 4096, 1280, 8), (10240.0, 4));
    assert_eq!(of(97887.0, 4096, 1279, 8), (10240.0, 5));
    assert_eq!(of(97887.0, 4096, 1281, 8), (10242.0, 4));
}

#[test]
fn a_server_that_only_decodes_sees_nothing() {
    let factor = |patch, disaggregation| {
        // ViT-L/14, the tower that the correction is measured from.
        let vision = Some(Vision { layers: 24, hidden: 1024 });
        let version = Version::new(0, 5, patch);
        auto_fraction(&AutoQuery { version, vision, disaggregation, ..AutoQuery::default() }).multimodal_factor
    };
    for patch in [17, 23] {
        assert_eq!(factor(patch, Some(Disaggregation::Decode)), None, "0.5.{patch}");
        assert_eq!(factor(patch, Some(Disaggregation::Prefill)), Some(0.95), "0.5.{patch}");
        assert_eq!(factor(patch, None), Some(0.95), "0.5.{patch}");
    }
    assert_eq!(factor(16, Some(Disaggregation::Decode)), Some(0.95));
    assert_eq!(factor(9, Some(Disaggregation::Decode)), Some(0.95));
}

#[test]
fn rounding_is_pythons() {
    for (value, rounded) in [(0.8625, 0.863), (0.0005, 0.001), (0.0015, 0.002), (-0.0277, -0.028), (0.7245, 0.725)] {
        assert_eq!(round3(value), rounded, "{value}");
    }
    assert_eq!(round3(0.5625), 0.562, "an exact tie goes to even");
}

#[test]
fn up_to_0_4_8_a_fraction_that_is_given_shrinks_too() {
    let vision = Some(Vision { layers: 27, hidden: 1152 });
    let of = |patch| factor_of_given(&AutoQuery { vision, ..old(4, patch, 81559.0, 8) });
    assert_eq!((of(8), of(9)), (Some(0.9), None));
    assert_eq!(factor_of_given(&old(4, 8, 81559.0, 8)), None, "no images");
}

#[test]
fn before_0_5_3_cards_have_defaults_of_their_own() {
    let of = |minor, patch, gpu_mib, tp| {
        let resolved = auto_fraction(&old(minor, patch, gpu_mib, tp)).resolved;
        (resolved.chunk, resolved.max_bs)
    };
    // An L4, an A100 of 40 GiB, an RTX PRO 6000.
    assert_eq!([of(4, 6, 23034.0, 1), of(4, 6, 23034.0, 4)], [(2048, 8), (2048, 80)]);
    assert_eq!([of(4, 6, 40960.0, 1), of(4, 6, 97887.0, 8)], [(8192, 160), (8192, 160)]);
    assert_eq!([of(4, 9, 23034.0, 1), of(4, 9, 40960.0, 1)], [(2048, 8), (8192, 160)]);
    assert_eq!([of(4, 9, 97887.0, 8), of(5, 1, 183359.0, 8)], [(8192, 256), (16384, 512)]);
    // Of nothing nothing is known.
    assert_eq!(of(5, 9, 0.0, 1), (4096, 160));
}

#[test]
fn in_0_4_6_a_split_server_takes_larger_chunks_but_on_small_cards() {
    let of = |gpu_mib| {
        let disaggregation = Some(Disaggregation::Prefill);
        auto_fraction(&AutoQuery { disaggregation, ..old(4, 6, gpu_mib, 1) }).resolved.chunk
    };
    assert_eq!((of(23034.0), of(81559.0)), (2048, 16384));
}

#[test]
fn without_a_chunk_activations_are_reserved_for_a_whole_prefill() {
    let of = |chunk| {
        let query = AutoQuery { chunk, version: Version::new(0, 5, 9), gpu_mib: Some(81559.0), ..AutoQuery::default() };
        auto_fraction(&query).resolved.activation_tokens
    };
    assert_eq!([of(Some(-1)), of(Some(0)), of(Some(4096))], [16384, 16384, 4096]);
}

#[test]
fn decode_graphs_are_captured_at_the_sizes_of_each_release() {
    let of = |minor, patch, max_bs, speculation| {
        let query = AutoQuery { max_bs: Some(max_bs), speculation, ..old(minor, patch, 81559.0, 1) };
        auto_fraction(&query).resolved.decode_sizes
    };
    // 1, 2, 4, 8, then by 8; since 0.5.3 also 12.
    assert_eq!((of(4, 9, 12, None), of(5, 3, 12, None)), (4, 5));
    assert_eq!(of(4, 9, 160, None), 4 + 19);
    // With speculation 1 to 8, 10 to 32 by 2, 40 to 64 by 4; since 0.5.10 the largest is always there.
    let draft = Some(Speculation::Draft);
    assert_eq!((of(5, 9, 36, draft), of(5, 10, 36, draft)), (20, 21));
    assert_eq!(of(5, 10, 40, draft), 21);
    assert_eq!(of(5, 10, 0, None), 0);
}

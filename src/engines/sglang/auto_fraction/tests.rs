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
fn between_known_releases_the_older_rule_counts() {
    let auto = |patch| auto_fraction(&AutoQuery { version: Version::new(0, 5, patch), ..AutoQuery::default() });
    assert_eq!(auto(19).fraction, 0.88);
    assert_eq!(auto(19).issues.len(), 1);
    assert_eq!(auto(15).issues, []);
    // 0.95 since 0.5.21.
    assert_eq!((auto(20).fraction, auto(21).fraction, auto(22).fraction), (0.88, 0.95, 0.95));
    assert_eq!(auto(21).issues, []);
    let said: Vec<_> = auto(22).issues.into_iter().map(|issue| issue.message).collect();
    assert_eq!(said, ["The automatic fraction of this release is not known; that of 0.5.21 is used."]);
    let rules = |minor, patch| {
        let (rules, issue) = Rules::of(Version::new(0, minor, patch));
        (rules, issue.map(|issue| issue.message))
    };
    let of = |text: &str| {
        Some(["The automatic fraction of this release is not known; that of ", text, " is used."].concat())
    };
    assert_eq!(rules(4, 6), (Rules::V0_4_6, None));
    assert_eq!(rules(4, 5), (Rules::V0_4_6, of("0.4.6")));
    assert_eq!(rules(4, 8), (Rules::V0_4_6, of("0.4.6")));
    for (minor, patch) in [(4, 9), (4, 10), (5, 0), (5, 1)] {
        assert_eq!(rules(minor, patch), (Rules::V0_4_9, None), "0.{minor}.{patch}");
    }
    assert_eq!(rules(5, 2), (Rules::V0_4_9, of("0.5.1")));
}

fn old(minor: u16, patch: u16, gpu_mib: f64, tp: u64) -> AutoQuery {
    AutoQuery { version: Version::new(0, minor, patch), gpu_mib: Some(gpu_mib), tp, ..AutoQuery::default() }
}

#[test]
fn up_to_0_4_8_the_number_of_gpus_decides() {
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
    let vision = Some(Vision { layers: 27, hidden: 1152 });
    let seeing = auto_fraction(&AutoQuery { vision, ..old(4, 6, 97887.0, 8) });
    assert_eq!((seeing.multimodal_factor, seeing.fraction), (Some(0.9), 0.88 * 0.9));
    assert_eq!(seeing.issues, []);
}

#[test]
fn from_0_4_9_to_0_5_1_the_size_of_the_card_decides() {
    let of = |query: AutoQuery| {
        let auto = auto_fraction(&query);
        assert_eq!(auto.issues, []);
        (auto.reserve_mib, auto.fraction)
    };
    assert_eq!(of(old(5, 1, 183359.0, 8)), (32768.0, 0.821));
    assert_eq!(of(old(5, 1, 23034.0, 1)), (2969.6, 0.871));
    // An H100: (9.5 + 8 ÷ 2) GiB; an RTX PRO 6000: (12 + 8 ÷ 2) GiB.
    assert_eq!(of(old(4, 9, 81559.0, 8)), (13824.0, 0.831));
    assert_eq!(of(old(5, 0, 97887.0, 8)), (16384.0, 0.833));
    let draft = AutoQuery { speculation: Some(Speculation::Draft), ..old(4, 9, 81559.0, 8) };
    assert_eq!(of(draft), (15872.0, 0.805));
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
fn small_cards_have_larger_defaults_since_0_5_21() {
    // An L4: 512 + 1.5 × 2048 + 2 × 24 + 128 + 8 × 42 before, 512 + 1.5 × 4096 + 2 × 48 + 128 + 8 × 50 since.
    let auto = |patch, tp| {
        let version = Version::new(0, 5, patch);
        auto_fraction(&AutoQuery { version, gpu_mib: Some(23034.0), tp, ..AutoQuery::default() })
    };
    let of = |patch| (auto(patch, 1).reserve_mib, auto(patch, 1).fraction);
    assert_eq!(of(19), (4096.0, 0.822));
    for patch in [21, 22, 23] {
        assert_eq!(of(patch), (7280.0, 0.684), "0.5.{patch}");
        assert_eq!(auto(patch, 4).resolved.max_bs, 160, "0.5.{patch}");
    }
}

#[test]
fn only_0_5_23_captures_no_more_than_may_run() {
    let max_bs = |patch| {
        let version = Version::new(0, 5, patch);
        auto_fraction(&AutoQuery { version, gpu_mib: Some(81559.0), max_running: Some(32), ..AutoQuery::default() })
            .resolved
            .max_bs
    };
    assert_eq!((max_bs(21), max_bs(23)), (256, 32));
}

#[test]
fn speculation_is_reserved_for_up_to_0_5_13() {
    // 8 RTX PRO 6000: 512 + 12288 + 1024 + 1024 + 8 × 58 sizes.
    let auto = |patch, speculation| {
        let (version, gpu_mib) = (Version::new(0, 5, patch), Some(97887.0));
        auto_fraction(&AutoQuery { version, gpu_mib, tp: 8, speculation, ..AutoQuery::default() })
    };
    for (speculation, until) in [
        (Speculation::Draft, (15312.0 + 4096.0, 0.802)),
        (Speculation::Standalone, (15312.0 + 6144.0, 0.781)),
        (Speculation::Ngram, (15312.0, 0.844)),
    ] {
        for patch in [10, 13] {
            let auto = auto(patch, Some(speculation));
            assert_eq!((auto.reserve_mib, auto.fraction), until, "0.5.{patch}");
        }
        for patch in [14, 15, 21, 23] {
            let auto = auto(patch, Some(speculation));
            assert_eq!((auto.reserve_mib, auto.fraction), (15312.0, 0.844), "0.5.{patch}");
        }
    }
    assert_eq!(auto(14, None).issues.len(), 1, "what of 0.5.14 is open is said");
}

#[test]
fn what_was_read_for_other_releases_only_is_said() {
    let old = "split prefill and decode and DeepEP were read for 0.5.23 only; they change nothing here";
    let vit = "prefill graphs of multimodal models in 0.5.10 were not executed; nothing is reserved for them";
    let vision = Some(Vision { layers: 24, hidden: 1024 });
    let plain = AutoQuery::default();
    let decode = AutoQuery { disaggregation: Some(Disaggregation::Decode), ..plain };
    let deepep = AutoQuery { deepep: true, ..plain };
    let seeing = AutoQuery { vision, ..plain };
    for (query, patch, expected) in [
        (plain, 9, None),
        (decode, 9, Some(("other_args", old))),
        (deepep, 9, Some(("other_args", old))),
        (decode, 10, Some(("other_args", old))),
        (decode, 15, None),
        (deepep, 15, None),
        (deepep, 23, None),
        (plain, 10, None),
        (seeing, 9, None),
        (seeing, 10, Some(("vit", vit))),
        (seeing, 15, None),
    ] {
        let issues = auto_fraction(&AutoQuery { version: Version::new(0, 5, patch), ..query }).issues;
        let said: Vec<_> = issues.iter().map(|issue| (issue.field.as_str(), issue.message.as_str())).collect();
        assert_eq!(said, expected.into_iter().collect::<Vec<_>>(), "0.5.{patch} {query:?}");
    }
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
    for patch in [15, 23] {
        assert_eq!(factor(patch, Some(Disaggregation::Decode)), None, "0.5.{patch}");
        assert_eq!(factor(patch, Some(Disaggregation::Prefill)), Some(0.95), "0.5.{patch}");
        assert_eq!(factor(patch, None), Some(0.95), "0.5.{patch}");
    }
    assert_eq!(factor(9, Some(Disaggregation::Decode)), Some(0.95));
}

#[test]
fn rounding_is_pythons() {
    for (value, rounded) in [(0.8625, 0.863), (0.0005, 0.001), (0.0015, 0.002), (-0.0277, -0.028), (0.7245, 0.725)] {
        assert_eq!(round3(value), rounded, "{value}");
    }
    assert_eq!(round3(0.5625), 0.562, "an exact tie goes to even");
}

//! What a change of the plan would do.

use super::*;
use crate::catalog::{gpus, models};
use crate::engines::sglang::Version;
use crate::engines::sglang::auto_fraction::Speculation;
use crate::units::Bytes;

fn kimi(version: Version, known: bool, check: impl Fn(&PlanQuery, &Plan)) {
    let model = models::find("kimi-k2.5").expect("in the table").config();
    let query = PlanQuery {
        version,
        tp: 8,
        total: known.then_some(Gib(93.999)),
        available: known.then_some(Gib(21.697)),
        ..PlanQuery::new(&model, gpus::find("rtx-pro-6000"))
    };
    check(&query, &plan(&query).expect("all is known"));
}

#[test]
fn the_worked_case_is_planned() {
    kimi(Version::new(0, 5, 9), true, |_, plan| {
        assert_eq!(plan.server.bytes.get(), 70272.0);
        assert!((plan.auto.fraction - 0.7714564).abs() < 5e-8);
        assert!(!plan.auto_cannot_start, "a hair above the weights");
        assert_eq!(plan.report.band.suggested.map(Fraction::get), Some(0.77));
        assert!((3000..3500).contains(&plan.pool.pool_tokens.0), "{:?}", plan.pool);
    });
    kimi(Version::NEWEST, true, |_, plan| {
        assert!((plan.auto.fraction - 0.75781).abs() < 5e-6);
        assert!(plan.auto_cannot_start, "auto picks 0.758, the weights need 0.770");
        assert_eq!(plan.report.verdict, Verdict::CannotStart);
    });
}

#[test]
fn the_worked_case_is_estimated() {
    kimi(Version::new(0, 5, 9), false, |_, plan| {
        assert!((plan.total.value.0 - 93.999).abs() < 0.1, "{:?}", plan.total);
        assert!((plan.available.value.0 - 21.697).abs() < 0.8, "{:?}", plan.available);
        assert!(!plan.edge.measured);
        assert!(plan.issues.iter().any(|issue| issue.field == "dyn"));
    });
}

/// SGLang rounds its pick to thousandths, and a link rounds what it carries: neither is a want of memory.
#[test]
fn the_automatic_fraction_leaves_its_own_reserve() {
    let mut planned = 0;
    for model in models::models() {
        let config = model.config();
        for (gpu, tp) in ["h100", "h200", "rtx-4090", "rtx-pro-6000"].into_iter().flat_map(|gpu| [(gpu, 1), (gpu, 8)]) {
            let query = PlanQuery { tp, ..PlanQuery::new(&config, gpus::find(gpu)) };
            let Ok(plan) = plan(&query) else { continue };
            if plan.edge.measured {
                continue;
            }
            assert_ne!(plan.report.verdict, Verdict::TooHigh, "{} on {tp} {gpu}", model.id);
            let page = crate::scenario::query::decode(&numbers(&plan)).scenario;
            assert_ne!(crate::scenario::evaluate(&page).report.verdict, Verdict::TooHigh, "{} on {tp} {gpu}", model.id);
            planned += 1;
        }
    }
    assert!(planned > 50, "{planned} plans");
}

#[test]
fn the_table_says_what_moves_the_band() {
    kimi(Version::new(0, 5, 9), true, |query, own| {
        let table = outlook(query, own);
        assert_eq!(table.fractions.len(), 10);
        let verdict = |change: &str| table.fractions.iter().find(|row| row.change == change).map(|row| row.verdict);
        assert_eq!(verdict("f=0.55"), Some(Verdict::CannotStart));
        assert_eq!(verdict("f=0.80"), Some(Verdict::Starts));
        let change = |label: &str| table.changes.iter().find(|row| row.label == label).expect("a row");
        let fp8 = change("an fp8 KV cache");
        assert_eq!(fp8.lower, Some(0.77), "an fp8 KV cache does not move the lower edge");
        assert!(change("twice the tensor parallelism").lower < Some(0.5));
        assert!(change("decode graphs up to 8 requests").upper > own.edge.fraction);
    });
}

#[test]
fn the_way_back() {
    let model = models::find("llama-3.1-8b").expect("in the table").config();
    let query = PlanQuery {
        version: Version::new(0, 5, 15),
        context: Some(8192),
        ..PlanQuery::new(&model, gpus::find("h200"))
    };
    let own = plan(&query).expect("all is known");
    let fits = back(&query, &own, 64);
    assert_eq!(fits.tokens, Tokens(64 * 8192));
    let fraction = fits.fraction.expect("holds");
    assert!(fits.works && own.server.pool(fraction).pool_tokens >= fits.tokens);
    let below = Fraction::new(fraction.get() - 0.001).expect("a share");
    assert!(own.server.pool(below).pool_tokens < fits.tokens);
    let many = back(&query, &own, 200);
    assert!(!many.works);
    assert!(many.helps.contains(&"an fp8 KV cache".to_owned()), "{many:?}");
    let never = back(&query, &own, u64::MAX);
    assert_eq!((never.fraction, never.works, never.helps.len()), (None, false, 0));
}

/// By hand: 50 − 139 × 0.114 = 34.154 GiB are 521,866 tokens of 70,272 bytes, 15 requests of 32,768. Of 64 requests
/// each of 8 ranks takes 8: 17.15625 GiB, which f = 1 − (50 − 17.15625) / 139 = 0.7637 leaves.
#[test]
fn each_dp_rank_takes_its_share_of_the_requests() {
    let model = models::find("deepseek-v3").expect("in the table").config();
    let query = PlanQuery {
        tp: 8,
        dp: 8,
        context: Some(32768),
        fraction: Fraction::new(0.886),
        total: Some(Gib(139.0)),
        available: Some(Gib(50.0)),
        ..PlanQuery::new(&model, gpus::find("h200"))
    };
    let own = plan(&query).expect("all is known");
    assert_eq!((own.server.bytes.get(), own.pool.pool_tokens, own.requests), (70272.0, Tokens(521_866), 15));
    let back = back(&query, &own, 64);
    assert_eq!((back.tokens, back.fraction.map(Fraction::get)), (Tokens(64 * 32768), Some(0.764)));
    // A ninth for one rank: (50 − 9 × 2.14453125) / 139, and the fraction of 57 requests is that of 64.
    assert_eq!(super::back(&query, &own, 65).fraction.map(Fraction::get), Some(0.78));
    assert_eq!(super::back(&query, &own, 57).fraction, back.fraction);
}

/// `Max running requests is reset to 48 for speculative decoding`, whatever the algorithm.
#[test]
fn every_kind_of_speculation_runs_48_requests() {
    let model = models::find("llama-3.1-8b").expect("in the table").config();
    let with = |speculation| {
        let version = Version::new(0, 5, 15);
        let query = PlanQuery { version, speculation, ..PlanQuery::new(&model, gpus::find("h200")) };
        let own = plan(&query).expect("all is known");
        let unknown = own.issues.iter().any(|issue| issue.message.contains("a draft's own weights"));
        (own.pool.requests.running, own.edge.measured, unknown)
    };
    assert_eq!(with(Some(Speculation::Ngram)), (48, false, false));
    assert_eq!(with(Some(Speculation::Standalone)), (48, false, true));
    assert_eq!(with(Some(Speculation::Draft)), (48, false, true));
    let plain = with(None);
    assert!(plain.0 >= 2048 && plain.1 && !plain.2, "{plain:?}");
}

/// By hand, 19,316,736 bytes of state a request, of which 9/19 of the rest are for states, and 5 for one that runs:
/// 97 − 137 × 0.706 = 0.278 GiB hold 7, one of them for padding, 0.141 GiB at 0.293 only 3. Of 298,500,227 bytes 7 are
/// charged: 163,283,075 are 13,288 tokens of 12,288 bytes.
#[test]
fn a_linear_hybrid_without_room_for_the_states_of_one_request_cannot_start() {
    let model = models::find("qwen3-next-80b-a3b").expect("in the table").config();
    let with = |fraction: f64, check: &dyn Fn(&PlanQuery, &Plan)| {
        let query = PlanQuery {
            tp: 4,
            fraction: Fraction::new(fraction),
            total: Some(Gib(137.0)),
            available: Some(Gib(97.0)),
            version: Version::new(0, 5, 23),
            ..PlanQuery::new(&model, gpus::find("h200"))
        };
        let own = plan(&query).expect("all is known");
        assert_eq!(own.server.cell.state_bytes_per_request, Some(19_316_736));
        assert_eq!(own.report.band.suggested.map(Fraction::get), Some(0.294));
        check(&query, &own);
    };
    for (fraction, slots) in [(0.292, 0), (0.293, 2)] {
        with(fraction, &|_, own| {
            assert_eq!((own.pool.state_slots, own.pool.pool_tokens), (Some(slots), Tokens(0)), "{fraction}");
            assert_eq!((own.report.verdict, own.requests), (Verdict::CannotStart, 0), "{fraction}");
        });
    }
    with(0.294, &|query, own| {
        assert_eq!((own.pool.state_slots, own.pool.requests.running), (Some(6), 1));
        assert_eq!((own.pool.pool_tokens, own.report.verdict), (Tokens(13_288), Verdict::Starts));
        assert!(outlook(query, own).fractions.iter().all(|row| row.lower == Some(0.294)));
    });
}

/// `init_memory_pool`: 48 × (5 × 4 + 8) + 100 or 48 × (3 × 1 + 4) + 100, and 64 for 48 with the flag.
#[test]
fn up_to_0_5_6_speculation_adds_tokens_that_no_memory_is_for() {
    let tokens = |id: &str, version, speculation, max_running| {
        let model = models::find(id).expect("in the table").config();
        let known = (Fraction::new(0.9), Some(Gib(137.0)), Some(Gib(97.0)));
        let (fraction, total, available) = known;
        let gpu = gpus::find("h200");
        let query =
            PlanQuery { fraction, total, available, version, speculation, max_running, ..PlanQuery::new(&model, gpu) };
        plan(&query).expect("all is known").pool.tokens.0
    };
    let more = |id, version, speculation, max_running| {
        tokens(id, version, Some(speculation), max_running) - tokens(id, version, None, max_running)
    };
    let (old, last, first) = (Version::new(0, 4, 6), Version::new(0, 5, 6), Version::new(0, 5, 7));
    assert_eq!(more("llama-3.1-8b", last, Speculation::Draft, None), 1444);
    assert_eq!(more("llama-3.1-8b", last, Speculation::Standalone, None), 436);
    assert_eq!(more("deepseek-v3", last, Speculation::Draft, Some(64)), 548);
    assert_eq!(more("deepseek-v3", old, Speculation::Draft, None), 1444);
    assert_eq!(more("llama-3.1-8b", last, Speculation::Ngram, None), 0);
    assert_eq!(more("llama-3.1-8b", first, Speculation::Draft, None), 0);
}

/// `validate_swa_pool_size`: more tokens than a window of 128 and a page, since 0.5.16.
#[test]
fn a_pool_of_windows_that_admits_no_request_is_refused() {
    let model = models::find("gpt-oss-120b").expect("in the table").config();
    let with = |available: f64, patch, page| {
        let query = PlanQuery {
            tp: 8,
            fraction: Fraction::new(1.0),
            total: Some(Gib(80.0)),
            available: Some(Gib(available)),
            version: Version::new(0, 5, patch),
            page,
            ..PlanQuery::new(&model, gpus::find("h100"))
        };
        let own = plan(&query).expect("all is known");
        (own.pool.sliding, own.pool.pool_tokens)
    };
    // 8,294.4 bytes a token: 163 tokens leave 130 for windows, 161 leave 128.
    let gib = |tokens: f64| (tokens + 0.5) * 8294.4 / 1_073_741_824.0;
    assert_eq!(with(gib(163.0), 16, 1), (Some(Tokens(130)), Tokens(163)));
    assert_eq!(with(gib(161.0), 16, 1), (Some(Tokens(128)), Tokens(0)));
    assert_eq!(with(gib(161.0), 15, 1), (Some(Tokens(128)), Tokens(161)));
}

/// By hand, 9,216 bytes in one pool of which 4,608 are windows, 4,608 + 0.8 × 4,608 = 8,294.4 in two: up to 0.5.10
/// int(100,000 × 9,216 / 8,294.4) = 111,111 and int(111,111 × 0.8) = 88,888; with pages of 64 99,968 are cut to
/// 111,040 and 88,832. Later the full pool is what is capped.
#[test]
fn a_cap_comes_before_the_split_of_windows() {
    let model = models::find("gpt-oss-120b").expect("in the table").config();
    for (version, page, full, sliding) in [
        (Version::new(0, 5, 9), 1, 111_111, 88_888),
        (Version::new(0, 5, 10), 64, 111_040, 88_832),
        (Version::new(0, 5, 15), 1, 100_000, 80_000),
        (Version::NEWEST, 64, 99_968, 79_936),
    ] {
        let max_total_tokens = Some(100_000);
        let query = PlanQuery { version, page, tp: 8, max_total_tokens, ..PlanQuery::new(&model, gpus::find("h100")) };
        let pool = plan(&query).expect("all is known").pool;
        assert_eq!((pool.pool_tokens, pool.sliding), (Tokens(full), Some(Tokens(sliding))), "{version:?} {page}");
    }
}

/// Up to 0.5.13 a draft is loaded after what is free was measured, later before; an estimate is of the target.
#[test]
fn weights_of_a_draft_are_in_no_estimate() {
    let model = models::find("deepseek-v3").expect("in the table").config();
    let said = |version, speculation, available: Option<f64>| {
        let available = available.map(Gib);
        let query = PlanQuery { tp: 8, version, speculation, available, ..PlanQuery::new(&model, gpus::find("h200")) };
        let own = plan(&query).expect("all is known");
        own.issues.iter().any(|issue| issue.message.starts_with("a draft's own weights"))
    };
    let (draft, old) = (Some(Speculation::Draft), Version::new(0, 5, 9));
    assert!(said(Version::NEWEST, draft, None) && said(old, draft, None) && said(old, draft, Some(50.0)));
    assert!(!said(Version::NEWEST, draft, Some(50.0)) && !said(old, None, None));
    assert!(!said(Version::NEWEST, Some(Speculation::Ngram), None));
}

/// DeepSeek-V3.2 in fp8: 61 × (656 + 132) = 48,068 bytes are allocated for 61 × (576 + 132) = 43,188 that are counted.
#[test]
fn sparse_rows_in_fp8_overshoot_the_budget_until_they_are_counted() {
    let model = models::find("deepseek-v3.2").expect("in the table").config();
    let more = |version, kv_dtype| {
        let max_total_tokens = Some(100_000);
        let query =
            PlanQuery { tp: 8, version, kv_dtype, max_total_tokens, ..PlanQuery::new(&model, gpus::find("h200")) };
        let own = plan(&query).expect("all is known");
        assert_eq!(own.pool.pool_tokens, Tokens(99_968));
        (own.server.bytes.get(), own.issues.iter().any(|issue| issue.message.contains("11 % more")))
    };
    assert_eq!(more(Version::new(0, 5, 9), KvDtype::Fp8E4m3), (43188.0, true));
    assert_eq!(more(Version::new(0, 5, 15), KvDtype::Fp8E4m3), (43188.0, true));
    assert_eq!(more(Version::new(0, 5, 17), KvDtype::Fp8E4m3), (48068.0, false));
    assert_eq!(more(Version::new(0, 5, 9), KvDtype::Auto), (78324.0, false));
}

#[test]
fn what_is_missing_is_named() {
    let model = models::find("llama-3.1-8b").expect("in the table").config();
    let issues = plan(&PlanQuery::new(&model, None)).expect_err("no card");
    assert_eq!(issues.last().map(|issue| issue.field.as_str()), Some("gpu"));
    let unknown = ModelConfig { encoding: None, ..model };
    let query = PlanQuery::new(&unknown, gpus::find("h100"));
    assert_eq!(plan(&query).expect_err("no weights").last().map(|issue| issue.field.as_str()), Some("avail"));
    let sized = PlanQuery { checkpoint: Some(Bytes(16_060_522_496)), ..query };
    let weights = plan(&sized).expect("sized");
    assert!((weights.total.value.0 - weights.available.value.0 - 15.02).abs() < 0.01);
}

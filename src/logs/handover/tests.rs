//! Which scenario a log opens on the page.

use super::*;
use crate::logs::by_hand::Log;
use crate::logs::diagnose::verdict;
use FactName::{Available, Cell, Fraction as Share, Total};

/// What the log opens on the page, and the fields that are in doubt.
fn opened(log: &Log) -> (Option<String>, Vec<String>) {
    let mut issues = Vec::new();
    let healthy = verdict(Cause::Healthy, Direction::None, None);
    let query = scenario(&log.attempt, healthy, &log.facts, &[], &mut issues);
    (query, issues.into_iter().map(|issue| issue.field).collect())
}

#[test]
fn a_log_opens_its_own_numbers() {
    let log = || Log::of(Engine::Sglang).fact(Total, 78.0).fact(Available, 60.0).fact(Share, 0.88);
    let whole = || log().fact(Cell, 131_072.0);
    let plain = "f=0.88&total=78&avail=60&cell=131072";
    assert_eq!(opened(&whole()), (Some(plain.to_owned()), vec![]));
    let with = |name: &str, value: &str| opened(&whole().argument(name, value)).0;
    for (name, value, more) in [
        ("page_size", "64", "&page=64"),
        ("page_size", "1", ""),
        ("page_size", "1.5", ""),
        ("max_total_tokens", "5000", "&cap=5000"),
        ("max_total_tokens", "1", "&cap=1"),
        ("max_total_tokens", "0", ""),
        ("max_total_tokens", "1.5", ""),
    ] {
        assert_eq!(with(name, value), Some([plain, more].concat()), "{name}={value}");
    }
    // A cell that was computed from rounded sizes knows no fraction; one that was printed does.
    let computed = opened(&log().fact(Cell, 8294.4)).0;
    assert_eq!(computed.as_deref(), Some("f=0.88&total=78&avail=60&cell=8294"));
    let printed = opened(&log().fact(Cell, 8294.4).datum(Datum::Cell, 8294.4)).0;
    assert_eq!(printed.as_deref(), Some("f=0.88&total=78&avail=60&cell=8294.4"));
    let without = (Some("f=0.88&total=78&avail=60".to_owned()), vec!["cell".to_owned()]);
    assert_eq!(opened(&log()), without);
    assert_eq!(opened(&log().fact(Cell, 0.0)), without);
    assert_eq!(opened(&whole().fact(Share, 0.88)).1, Vec::<String>::new());
}

#[test]
fn numbers_that_no_server_has_open_nothing() {
    let log = |share, total, available| {
        opened(&Log::of(Engine::Sglang).fact(Share, share).fact(Total, total).fact(Available, available)).0
    };
    assert!(log(1.0, 78.0, 0.0).is_some());
    for (share, total, available) in [(1.2, 78.0, 60.0), (0.88, 0.0, 60.0), (0.88, 78.0, -1.0)] {
        assert_eq!(log(share, total, available), None);
    }
    let vllm = Log::of(Engine::Vllm).fact(Share, 0.9).fact(Total, 78.0).fact(Available, 60.0);
    assert_eq!(opened(&vllm).0, None);
}

#[test]
fn without_a_fraction_the_pool_tells_it() {
    let log =
        |size| Log::of(Engine::Sglang).fact(Total, 78.0).fact(Available, 60.0).fact(Cell, 131_072.0).pool(size, None);
    let said = |log: &Log| {
        let (query, issues) = opened(log);
        (query.map(|query| query.split('&').next().unwrap_or_default().to_owned()), issues)
    };
    let doubt = || vec!["fraction".to_owned()];
    // 1 − (60 − 20) / 78; with 10 GiB of states 1 − (60 − 20 − 10) / 78.
    assert_eq!(said(&log(20.0)), (Some("f=0.487".to_owned()), doubt()));
    assert_eq!(said(&log(20.0).datum(Datum::StateSize, 10.0)), (Some("f=0.615".to_owned()), doubt()));
    // A tenth of what is free is a pool; less was capped, and tells nothing.
    assert_eq!(said(&log(6.0)), (Some("f=0.308".to_owned()), doubt()));
    assert_eq!(said(&log(5.9)), (None, doubt()));
    assert_eq!(said(&log(0.0)), (None, vec![]));
    // States count with the pool, 3 + 3 of 60: 1 − (60 − 6) / 78. A cell that is missing is a second doubt only where the
    // fraction is known.
    let without = Log::of(Engine::Sglang).fact(Total, 78.0).fact(Available, 60.0).pool(3.0, None);
    assert_eq!(said(&without.datum(Datum::StateSize, 3.0)), (Some("f=0.308".to_owned()), doubt()));
}

/// What the log opens where it ended so.
fn after(log: &Log, cause: Cause, direction: Direction, advice: &[Advice]) -> (Option<String>, Vec<String>) {
    let mut issues = Vec::new();
    let query = scenario(&log.attempt, verdict(cause, direction, None), &log.facts, advice, &mut issues);
    (query, issues.into_iter().map(|issue| issue.field).collect())
}

fn fraction(to: f64) -> Vec<Advice> {
    vec![Advice { flag: "--mem-fraction-static".to_owned(), from: None, to: Some(to), why: String::new() }]
}

/// 100 GiB, of which the weights take 40.
fn hundred(share: f64) -> Log {
    Log::of(Engine::Sglang).fact(Total, 100.0).fact(Available, 60.0).fact(Share, share).fact(Cell, 131_072.0)
}

fn oom(log: Log) -> Log {
    log.signal(Signal::Oom)
}

fn fields(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_printed_minimum_tells_what_is_free() {
    let refused = |log: Log| after(&log, Cause::NoRoomAtStart, Direction::Raise, &[]);
    let printed = |floor| hundred(0.3).rounded(Datum::MinFraction, floor, 0.00005);
    let opened = |available: &str, names: &[&str]| {
        (Some(format!("f=0.3&total=100&avail={available}&cell=131072")), fields(names))
    };
    assert_eq!(refused(printed(0.4)), opened("60", &[]));
    assert_eq!(refused(printed(0.40004)), opened("60", &[]), "that is within its rounding");
    assert_eq!(refused(printed(0.4123)), opened("58.77", &["available"]));
    assert_eq!(refused(printed(0.3877)), opened("61.23", &["available"]));
    // The same to four decimals, and the other side of a thousandth: 0.4 as a float is not below it.
    let near = Log::of(Engine::Sglang).fact(Total, 100.0).fact(Available, 60.002).fact(Share, 0.3);
    let near = near.fact(Cell, 131_072.0).rounded(Datum::MinFraction, 0.4, 0.00005);
    assert_eq!(refused(near), opened("60", &["available"]));
    // Rounded up to a thousandth by the message.
    let advised = |floor| hundred(0.3).datum(Datum::AdvisedFraction, floor);
    assert_eq!(refused(advised(0.401)), opened("60", &[]));
    assert_eq!(refused(advised(0.4)), opened("60", &[]));
    assert_eq!(refused(advised(0.403)), opened("59.7", &["available"]));
    assert_eq!(refused(advised(0.399)), opened("60.1", &["available"]));
    // The load line may be cut away.
    let bare = Log::of(Engine::Sglang).fact(Total, 100.0).fact(Share, 0.3).datum(Datum::MinFraction, 0.4123);
    assert_eq!(refused(bare).0.as_deref(), Some("f=0.3&total=100&avail=58.77"));
}

#[test]
fn what_is_missing_outside_the_pool_is_a_need() {
    let short = |log: Log| oom(log).datum(Datum::Tried, 1.25).datum(Datum::Free, 0.5);
    let opened = |log: &Log, advice: &[Advice]| {
        let (query, names) = after(log, Cause::GraphCaptureOom, Direction::Lower, advice);
        assert_eq!(names, ["dyn"]);
        query.map(|query| query.split("&dyn=").nth(1).unwrap_or_default().to_owned())
    };
    let dynamic = |text: &str| Some(text.to_owned());
    // 5 GiB were set aside and 0.75 were missing.
    assert_eq!(opened(&short(hundred(0.95)), &[]), dynamic("5.75"));
    assert_eq!(opened(&oom(hundred(0.95)), &[]), dynamic("5.01"));
    assert_eq!(opened(&oom(hundred(0.9512)), &[]), dynamic("4.89"));
    // The largest fraction of the page is the advised one.
    assert_eq!(opened(&short(hundred(0.95)), &fraction(0.92)), dynamic("8"));
    assert_eq!(opened(&short(hundred(0.95)), &fraction(0.97)), dynamic("5.75"), "that is no cure");
    // Refused and out of memory elsewhere: still a bound. Without a word of where, nothing is promised.
    let unknown = |cause| after(&short(hundred(0.95)), cause, Direction::Unknown, &[]);
    assert!(unknown(Cause::GraphCaptureOom).0.is_some_and(|query| query.ends_with("&dyn=5.75")));
    assert_eq!(unknown(Cause::RuntimeOom), (None, fields(&["scenario"])));
    assert_eq!(unknown(Cause::DraftMemory), (None, fields(&["scenario"])));
    let shared = after(&short(hundred(0.95)), Cause::GpuShared, Direction::None, &[]);
    assert_eq!(shared, (None, fields(&["scenario"])));
}

#[test]
fn an_empty_band_is_empty_on_the_page() {
    let verdict_of = |log: &Log| {
        let (query, names) = after(log, Cause::EmptyBand, Direction::None, &[]);
        assert_eq!(names, ["dyn"]);
        let query = query.unwrap_or_default();
        crate::scenario::json::Evaluated::from_query(&query).verdict
    };
    assert_eq!(verdict_of(&oom(hundred(0.42))), "no_fraction_works");
    assert_eq!(verdict_of(&hundred(0.39)), "no_fraction_works", "the attempt that was refused");
    let all = oom(hundred(0.42)).datum(Datum::Tried, 70.0).datum(Datum::Free, 1.0);
    assert_eq!(verdict_of(&all), "no_fraction_works");
}

#[test]
fn a_refusal_that_the_numbers_do_not_show_opens_nothing() {
    let none = (None, fields(&["scenario"]));
    for (cause, direction) in [
        (Cause::NoRoomAtStart, Direction::Raise),
        (Cause::FlagNotInForce, Direction::Raise),
        (Cause::HybridState, Direction::None),
        (Cause::WeightsTooLarge, Direction::None),
        (Cause::GpusUnequal, Direction::None),
    ] {
        assert_eq!(after(&hundred(0.5), cause, direction, &[]), none, "{cause:?}");
    }
    // Slots of state are used up while it serves.
    let full = after(&hundred(0.5).signal(Signal::StateSlotsFull), Cause::HybridState, Direction::None, &[]);
    assert!(full.0.is_some());
    // The factor is known from the two values; without them a suggestion would be of the value in force.
    let reduced = |log: &Log| after(log, Cause::FlagNotInForce, Direction::Raise, &[]);
    assert_eq!(reduced(&hundred(0.3)), none);
    assert!(reduced(&hundred(0.3).datum(Datum::TypedFraction, 0.35)).0.is_some());
}

#[test]
fn states_take_their_share_or_a_fixed_amount() {
    // 10 GiB are left. 131,072 × 4.7368 / 5.2632 = 117,963.
    let log = |pool: f64, states| {
        let tokens = (pool * GIB / 131_072.0).floor();
        hundred(0.5).fact(FactName::Tokens, tokens).pool(pool, Some(tokens)).datum(Datum::StateSize, states)
    };
    let shared = opened(&log(5.2632, 4.7368));
    assert_eq!(shared, (Some("f=0.5&total=100&avail=60&cell=249035".to_owned()), fields(&["cell"])));
    let equal = opened(&log(5.0, 5.0).argument("mamba_full_memory_ratio", "1.0"));
    assert_eq!(equal, (Some("f=0.5&total=100&avail=60&cell=262144".to_owned()), fields(&["cell"])));
    let fixed = opened(&log(7.0, 3.0));
    assert_eq!(fixed, (Some("f=0.5&total=100&avail=57&cell=131072".to_owned()), fields(&["cell"])));
}

#[test]
fn the_pool_of_the_log_is_the_pool_of_the_page() {
    // 10 GiB are 81,920 tokens.
    let log = |tokens| hundred(0.5).fact(FactName::Tokens, tokens);
    let plain = "f=0.5&total=100&avail=60&cell=131072";
    assert_eq!(opened(&log(81_000.0)), (Some(plain.to_owned()), vec![]));
    // 73,728 tokens are 9 GiB.
    let smaller = "f=0.5&total=100&avail=59&cell=131072";
    assert_eq!(opened(&log(73_728.0)), (Some(smaller.to_owned()), fields(&["available"])));
    let larger = "f=0.5&total=100&avail=61&cell=131072";
    assert_eq!(opened(&log(90_112.0)), (Some(larger.to_owned()), fields(&["available"])));
    // A cap, the length of a prompt, and a pool that is told to be too small are no such thing.
    let capped = opened(&log(1000.0).argument("max_total_tokens", "1000"));
    assert_eq!(capped, (Some([plain, "&cap=1000"].concat()), vec![]));
    let starved = after(&log(8192.0), Cause::PoolSmallerThanExpected, Direction::None, &[]);
    assert_eq!(starved, (Some(plain.to_owned()), vec![]));
}

//! Which scenario a log opens on the page.

use super::*;

/// What the log opens on the page, and the fields that are in doubt.
fn opened(log: &Log) -> (Option<String>, Vec<String>) {
    let mut issues = Vec::new();
    let query = scenario(&log.attempt, &log.facts, &mut issues);
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

//! Any bytes are a log: the doctor always gives a diagnosis, the same one in any portions, that can be written down and
//! compared, the lines that it shows are the log's own, and the numbers that it hands over do not say that what failed starts.

#![no_main]

use kv_budget::budget::Verdict;
use kv_budget::logs::{Cause, Doctor, compare, diagnose};
use kv_budget::scenario::{evaluate, query::decode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = diagnose(bytes);
    let (first, rest) = bytes.split_at(bytes.len() / 3);
    let mut doctor = Doctor::keeping_text();
    doctor.push(first);
    doctor.push(rest);
    let (parted, excerpt) = doctor.finish_with_text();
    assert_eq!(parted, whole);
    assert!(excerpt.lines.iter().all(|line| line.number >= 1 && line.number <= excerpt.total));
    assert!(whole.facts.0.iter().all(|fact| fact.value.is_finite() && fact.half_width.is_finite()));
    assert!(whole.advice.iter().all(|advice| advice.to.is_none_or(f64::is_finite)));
    assert!(serde_json::to_string(&whole).is_ok());
    if let Some(query) = &whole.scenario {
        let page = decode(query);
        assert!(page.issues.is_empty());
        let starts = evaluate(&page.scenario).report.verdict == Verdict::Starts;
        assert!(!(starts && matches!(whole.cause, Cause::NoRoomAtStart | Cause::GraphCaptureOom | Cause::PoolAllocOom)));
    }
    let two = diagnose(rest);
    let _ = compare(&whole, &two);
});

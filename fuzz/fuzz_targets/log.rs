//! Any bytes are a log: the doctor always gives a diagnosis, the same one in any portions, that can be written down.

#![no_main]

use kv_budget::logs::{Doctor, diagnose};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = diagnose(bytes);
    let (first, rest) = bytes.split_at(bytes.len() / 3);
    let mut doctor = Doctor::default();
    doctor.push(first);
    doctor.push(rest);
    assert_eq!(doctor.finish(), whole);
    assert!(whole.facts.0.iter().all(|fact| fact.value.is_finite()));
});

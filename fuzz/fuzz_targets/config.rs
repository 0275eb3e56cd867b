//! Any bytes are a `config.json`: it is read or refused with a reason, the same way each time, and the size of a token follows
//! from it without fail for any number of GPUs.

#![no_main]

use kv_budget::catalog::config::read;
use kv_budget::engines::sglang::cell::CellAnswer;
use libfuzzer_sys::fuzz_target;

/// Flags of a server.
const FLAGS: &[&[(&str, &str)]] = &[
    &[],
    &[("tp", "8"), ("sglang", "0.5.9")],
    &[("tp", "64"), ("pp", "3"), ("sglang", "0.5.23"), ("kv-dtype", "fp8_e4m3")],
    &[("tp", "3"), ("kv-dtype", "fp4_e2m1"), ("draft-layers", "1")],
];

fuzz_target!(|bytes: &[u8]| {
    let reading = read(bytes);
    assert_eq!(read(bytes), reading);
    assert!(reading.config.is_some() || !reading.issues.is_empty());
    for flags in FLAGS {
        assert!(serde_json::to_string(&CellAnswer::of(flags.to_vec(), bytes)).is_ok());
    }
});

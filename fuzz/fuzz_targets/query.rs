//! Any text is an address: every reader of queries answers, and what the page writes into an address is what it reads from it.

#![no_main]

use kv_budget::engines::sglang::auto_fraction::AutoAnswer;
use kv_budget::scenario::json::Evaluated;
use kv_budget::scenario::query::{decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let written = encode(&decode(&text).scenario);
    let again = decode(&written);
    assert_eq!(encode(&again.scenario), written);
    assert!(written.is_ascii());
    let evaluated = Evaluated::from_query(&text);
    assert!(evaluated.rest_gib.is_finite() && evaluated.reserved_gib.is_finite());
    assert!(serde_json::to_string(&evaluated).is_ok());
    assert!(serde_json::to_string(&AutoAnswer::of(&text)).is_ok());
    assert!(serde_json::to_string(&kv_budget::engines::evaluate(&text)).is_ok());
});

//! The log doctor on arbitrary bytes: it never fails, never loops, and never grows with the log.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "logs/support.rs"]
#[allow(dead_code)]
mod support;

use kv_budget::logs::{Cause, Doctor, compare, diagnose};
use proptest::prelude::*;

/// Pieces that real logs are made of, so that random texts reach the readers behind the keys.
const PIECES: &[&str] = &[
    "[2026-02-27 12:40:05 TP5] ",
    "Load weight begin. avail mem=",
    "Load weight end. type=X, avail mem=",
    ", mem usage=",
    " GB\n",
    "KV Cache is allocated. #tokens: ",
    ", K size: ",
    " GB, V size: ",
    "Not enough memory. Please try to increase --mem-fraction-static.",
    "Loaded weights leave no GPU memory under --mem-fraction-static=",
    "(minimum viable = 1 - available/pre = ",
    "CUDA out of memory. Tried to allocate ",
    " MiB. GPU 0 has a total capacity of ",
    " of which ",
    "Process 12 has ",
    " GiB memory in use.",
    "server_args=ServerArgs(mem_fraction_static=",
    "server_args={'a': [",
    "GPU KV cache size: ",
    " tokens",
    "Free memory on device (",
    "on startup is less than desired GPU memory utilization (",
    "To serve at least one request with the model's max seq len (",
    "), (",
    "total_rest_memory=-",
    "==> a.log <==\n",
    "{\"log\":\"",
    "\u{1b}[0;36m",
    "\r",
    "\n",
    "0.",
    "12345678901234567890123456789",
    "-3.5",
    "1,234,567",
    "é€\u{202e}",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_give_a_diagnosis(bytes in prop::collection::vec(any::<u8>(), 0..4096)) {
        let found = diagnose(&bytes);
        prop_assert!(serde_json::to_string(&found).is_ok());
    }

    #[test]
    fn any_pieces_give_a_diagnosis_that_portions_do_not_change(text in text(), portion in 1_usize..200) {
        let whole = diagnose(text.as_bytes());
        let mut doctor = Doctor::default();
        for bytes in text.as_bytes().chunks(portion) {
            doctor.push(bytes);
        }
        prop_assert_eq!(&doctor.finish(), &whole);
        let json = serde_json::to_value(&whole).unwrap();
        prop_assert!(json["cause"].is_string() && json["direction"].is_string());
        let _ = compare(&whole, &whole);
    }

    #[test]
    fn every_number_is_finite(text in text()) {
        for fact in diagnose(text.as_bytes()).facts.0 {
            prop_assert!(fact.value.is_finite() && fact.half_width.is_finite());
        }
    }
}

#[test]
fn what_is_no_log_has_no_reason_in_it() {
    for bytes in [&b""[..], b"\n\n", b"hello", &[0; 1000], "{\"a\": 1}".as_bytes()] {
        assert_eq!(diagnose(bytes).cause, Cause::ReasonMissing);
    }
}

#[test]
fn gzip_is_refused_in_a_sentence() {
    let found = diagnose(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
    assert!(found.issues.iter().any(|issue| issue.message.contains("gunzip")));
}

#[test]
fn utf_16_reads_as_utf_8_does() {
    let text = "Not enough memory. Please try to increase --mem-fraction-static.\n";
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(diagnose(&wide).cause, Cause::NoRoomAtStart);
}

#[test]
fn a_line_without_end_is_read_in_constant_memory() {
    let mut doctor = Doctor::default();
    for _ in 0..200 {
        doctor.push(&[b'a'; 1 << 18]);
    }
    doctor.push(b"\nNot enough memory. Please try to increase --mem-fraction-static.\n");
    assert_eq!(doctor.finish().cause, Cause::NoRoomAtStart);
}

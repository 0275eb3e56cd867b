//! The workshop: a second binary, fetched when a reader opens "My log", "Plan" or "Other engines", and run in a worker.
//!
//! It says `{ready: true}` once, then answers each message `{id, kind, payload, files}` by `{id, ok, payload}`. Payloads are
//! JSON both ways; what comes back is a sentence that says what was wrong where `ok` is false, and `more` is set where
//! another answer will follow. `files` are handles on what the reader chose or pasted.

// Natively only the tests call it.
#![cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]

#[cfg(target_arch = "wasm32")]
mod reading;
#[cfg(target_arch = "wasm32")]
mod worker;

use kv_budget::sections::{self, Ask, Source};
use serde::Serialize;

/// What the workshop is, for whoever asks.
#[derive(Serialize)]
struct Hello {
    name: &'static str,
    version: &'static str,
}

/// The answer to one request: the kinds are a closed set, and an unknown one is refused by name.
fn answer(kind: &str, payload: &str, file: Option<&dyn Source>) -> Result<String, String> {
    if kind == "hello" {
        return hello();
    }
    match sections::answer(kind, &asked(payload)?, file) {
        Some(answer) => json(&answer),
        None => Err(["the workshop knows no request of kind \"", kind, "\""].concat()),
    }
}

fn asked(payload: &str) -> Result<Ask, String> {
    if payload.is_empty() {
        return Ok(Ask::default());
    }
    serde_json::from_str(payload).map_err(|error| error.to_string())
}

fn hello() -> Result<String, String> {
    json(&Hello { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") })
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("The workshop runs in a worker of the page: `cargo xtask serve`.");
}

#[cfg(target_arch = "wasm32")]
fn main() {
    worker::start();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hello_names_the_program() {
        let said = answer("hello", "", None).unwrap();
        assert!(said.contains("\"name\":\"kv-budget\""), "{said}");
    }

    #[test]
    fn an_unknown_kind_is_refused_by_name() {
        for kind in ["nonsense", "nonsense/open", "plan/nonsense"] {
            assert!(answer(kind, "", None).unwrap_err().contains(kind));
        }
    }

    #[test]
    fn a_section_is_asked_with_json() {
        let said = answer("plan/open", r#"{"scenario": "tp=8", "unknown": 1}"#, None).unwrap();
        assert!(said.starts_with(r#"{"replace":[{"into":"plan-body","view":[{"#), "{said}");
        assert!(answer("plan/open", "{", None).unwrap_err().contains("line 1"));
    }
}

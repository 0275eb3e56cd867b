//! A workshop: a program of its own for one section, fetched when a reader opens it, and run in a worker.
//!
//! It says `{ready: true}` once, then answers each message `{id, kind, payload, files}` by `{id, ok, payload}`. Payloads are
//! JSON both ways; what comes back is a sentence that says what was wrong where `ok` is false, and `more` is set where
//! another answer will follow. `files` are handles on what the reader chose or pasted.
//!
//! One program a section: together they would be a quarter of a megabyte, of which a reader of logs wants a part.

#[cfg(target_arch = "wasm32")]
mod reading;
#[cfg(target_arch = "wasm32")]
mod wiring;

#[cfg(target_arch = "wasm32")]
pub use reading::Reader;
#[cfg(target_arch = "wasm32")]
pub use wiring::start;

use crate::sections::{Ask, Section, Source};
use serde::Serialize;

/// What the workshop is, for whoever asks.
#[derive(Serialize)]
struct Hello {
    name: &'static str,
    version: &'static str,
}

/// The answer to one request of the kind `section/verb`: an unknown one is refused by name.
///
/// # Errors
/// A sentence that says what was wrong.
pub fn answer(section: &Section, kind: &str, payload: &str, file: Option<&dyn Source>) -> Result<String, String> {
    if kind == "hello" {
        return hello();
    }
    let ask = asked(payload)?;
    let verb = kind.split_once('/').filter(|(name, _)| *name == section.name).map(|(_, verb)| verb);
    match verb.and_then(|verb| (section.answer)(verb, &ask, file)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::PLAN;

    #[test]
    fn hello_names_the_program() {
        let said = answer(&PLAN, "hello", "", None).unwrap();
        assert!(said.contains("\"name\":\"kv-budget\""), "{said}");
    }

    #[test]
    fn an_unknown_kind_is_refused_by_name() {
        for kind in ["nonsense", "nonsense/open", "plan/nonsense"] {
            assert!(answer(&PLAN, kind, "", None).unwrap_err().contains(kind));
        }
    }

    #[test]
    fn a_section_is_asked_with_json() {
        let said = answer(&PLAN, "plan/open", r#"{"scenario": "tp=8", "unknown": 1}"#, None).unwrap();
        assert!(said.starts_with(r#"{"replace":[{"into":"plan-body","view":[{"#), "{said}");
        assert!(answer(&PLAN, "plan/open", "{", None).unwrap_err().contains("line 1"));
    }
}

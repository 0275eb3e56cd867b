//! A workshop: a program of its own for one section, fetched when a reader opens it, and run in a worker.
//!
//! It says `{ready: true}` once, then answers each message `{id, kind, ask, files}` by `{id, ok, payload, more}`. The ask has
//! the fields of [`Ask`], and `files` are handles on what the reader chose or pasted. The payload is the JSON of an
//! [`Answer`](crate::sections::Answer), or where `ok` is false a sentence that says what was wrong; `more` is true where
//! another answer to the same message will follow.
//!
//! One program a section: together they would be a quarter of a megabyte, of which a reader of logs wants a part. Only the
//! single file has one for all, since they share more than half of what they are.

#[cfg(target_arch = "wasm32")]
mod reading;
#[cfg(target_arch = "wasm32")]
mod wiring;

#[cfg(target_arch = "wasm32")]
pub use reading::Reader;
#[cfg(target_arch = "wasm32")]
pub use wiring::{is_asked, start};

use crate::sections::{Ask, FileBytes, Section};
use serde::Serialize;

/// The answer to one request of the kind `section/verb`: an unknown one is refused by name.
///
/// # Errors
/// A sentence that says what was wrong.
pub fn answer(sections: &[Section], kind: &str, ask: &Ask, file: Option<FileBytes>) -> Result<String, String> {
    let (name, verb) = kind.split_once('/').unwrap_or_default();
    let section = sections.iter().find(|section| section.name == name);
    match section.and_then(|section| (section.answer)(verb, ask, file)) {
        Some(answer) => json(&answer),
        None => Err(["the workshop knows no request of kind \"", kind, "\""].concat()),
    }
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::PLAN;

    #[test]
    fn an_unknown_kind_is_refused_by_name() {
        for kind in ["nonsense", "nonsense/open", "plan/nonsense"] {
            assert!(answer(&[PLAN], kind, &Ask::default(), None).unwrap_err().contains(kind));
        }
    }

    #[test]
    fn a_section_answers_in_json() {
        let ask = Ask { scenario: "tp=8".to_owned(), ..Ask::default() };
        let said = answer(&[PLAN], "plan/open", &ask, None).unwrap();
        assert!(said.starts_with(r#"{"replace":[{"into":"plan-body","view":[{"#), "{said}");
    }
}

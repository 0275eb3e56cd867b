//! "Plan": from a model, GPUs and flags to the four numbers.

use super::{Answer, Ask, Source};
use crate::view::p;

/// Answers `open`, `change` and `follow`.
pub fn answer(verb: &str, _ask: &Ask, _file: Option<&dyn Source>) -> Option<Answer> {
    match verb {
        "open" | "change" | "follow" => {}
        _ => return None,
    }
    Some(Answer::default().replace("plan-body", [p().text("Choose a model and a GPU.")]))
}

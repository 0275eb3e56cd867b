//! Every sentence that a person reads.
//!
//! Sentences are built here from a report and come out as [`Rich`] text: words, some of which stand for a term of the
//! formula. The page, the delivered HTML and the screen reader's text are three ways of printing the same value.

// First, for its macro.
#[macro_use]
pub mod table;

mod captions;
mod labels;
pub mod reference;
pub mod story;
pub mod template;
mod verdict;

pub use captions::{capacity, caption, change, outcome, point, preset_name, read_out};
pub use labels::{FIELDS, FieldText, field_text, refused, sensitivity, summary, zones};
pub use verdict::{headline, headline_of, highest, lead, lead_of, spoken};

use crate::budget::Term;

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The words.
    pub text: String,
    /// The term that they name or measure.
    pub term: Option<Term>,
    /// Set in the typeface of code.
    pub code: bool,
}

/// A sentence or more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rich(pub Vec<Span>);

impl Rich {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Plain words.
    pub fn say(self, text: &str) -> Self {
        self.push(text, None, false)
    }

    /// Words that stand for a term.
    pub fn term(self, term: Term, text: &str) -> Self {
        self.push(text, Some(term), false)
    }

    /// Something to type.
    pub fn code(self, text: &str) -> Self {
        self.push(text, None, true)
    }

    /// Another sentence behind this one.
    pub fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    fn push(mut self, text: &str, term: Option<Term>, code: bool) -> Self {
        self.0.push(Span { text: text.to_owned(), term, code });
        self
    }

    /// The words alone.
    pub fn plain(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }
}

//! The sections that a reader opens on demand: what the page asks, and what it shows of the answer.
//!
//! The page sends an [`Ask`] of some kind (`plan/open`) with the scenario and the controls of a form; what comes back says
//! which parts of the section are replaced by which trees, and what scenario the page goes to. Each section is a function
//! from the one to the other; the workshop runs it, and nothing here knows a browser.

pub mod engines;
pub mod log;
pub mod plan;
pub mod share;
pub mod story;
mod strip;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::view::{Attribute, Element, Node};

/// What a reader did.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The scenario's query.
    pub scenario: String,
    /// The named controls of the form: text, or the value of what is ticked.
    pub fields: BTreeMap<String, String>,
    /// The name of the control that was used; empty for none.
    pub by: String,
    /// The controls that each of the files came from that go along.
    pub files: Vec<String>,
    /// The language that the browser prefers.
    pub language: String,
    /// The address that the workshop itself was fetched from.
    pub home: String,
}

impl Ask {
    /// The trimmed text of a control; empty where it is absent.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", |text| text.trim())
    }
}

/// The bytes of a file that a reader chose or dropped, or why it cannot be read. Of one that is longer than
/// [`MOST_BYTES`](crate::catalog::json::MOST_BYTES) these are one byte more, which is enough to refuse it.
pub type FileBytes<'file> = Result<&'file [u8], &'file str>;

/// What the page does about it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Answer {
    /// Parts of the section and what replaces their children.
    pub replace: Vec<Replacement>,
    /// Attributes of elements of the section; nothing removes one. `value` is the control's value.
    pub set: Vec<(String, Attribute, Option<String>)>,
    /// The scenario that the page goes to.
    pub scenario: Option<Destination>,
    /// The id of the element that gets the focus.
    pub focus: Option<String>,
    /// A sentence for screen readers.
    pub announce: Option<String>,
}

/// New children for an element.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replacement {
    /// The id of the element, within the section.
    pub into: String,
    /// Its children.
    pub view: Vec<Node>,
}

/// Where the page goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Destination {
    /// The scenario's query.
    pub query: String,
    /// As a new entry of the history, so that Back returns.
    pub push: bool,
}

impl Answer {
    /// Also replaces the children of an element.
    pub fn replace(mut self, into: &str, view: impl IntoIterator<Item = Element>) -> Self {
        self.replace.push(Replacement { into: into.to_owned(), view: view.into_iter().map(Node::Element).collect() });
        self
    }

    /// Also sets an attribute, or removes it.
    pub fn set(mut self, id: &str, attribute: Attribute, value: Option<&str>) -> Self {
        self.set.push((id.to_owned(), attribute, value.map(str::to_owned)));
        self
    }

    /// The tree that replaces the children of this element, as one.
    pub fn view(&self, into: &str) -> Option<Vec<&Element>> {
        let found = self.replace.iter().find(|replacement| replacement.into == into)?;
        Some(found.view.iter().filter_map(Node::element).collect())
    }
}

/// A section that opens on demand.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// The first part of what it is asked, and its `data-section`.
    pub name: &'static str,
    /// Answers a verb; `None` where it knows none of that name.
    pub answer: fn(&str, &Ask, Option<FileBytes>) -> Option<Answer>,
}

/// "My log".
pub const LOG: Section = Section { name: "log", answer: log::answer };
/// "Plan".
pub const PLAN: Section = Section { name: "plan", answer: plan::answer };
/// "The story" and "What happens at start-up".
pub const STORY: Section = Section { name: "story", answer: story::answer };
/// "Other engines".
pub const ENGINES: Section = Section { name: "engines", answer: engines::answer };
/// "Send this state".
pub const SHARE: Section = Section { name: "share", answer: share::answer };
/// All of them, which the single file's program answers for.
pub const EVERY: [Section; 5] = [STORY, LOG, PLAN, ENGINES, SHARE];

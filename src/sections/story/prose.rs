//! From a text with places to a tree: values of the week as they are, values of the scenario in elements that can be
//! replaced one by one, and numbers to type.

use std::cell::Cell;

use super::values;
use crate::budget::Report;
use crate::decimal;
use crate::scenario::Scenario;
use crate::text::story::Words;
use crate::text::template::{Piece, pieces};
use crate::view::{Attribute, Element, Node, a, b, code, input, p, span};

/// Writes texts for one scenario in one language.
pub struct Prose<'a> {
    /// What the ids of its elements begin with.
    pub prefix: &'static str,
    /// What it is asked as.
    pub kind: &'static str,
    /// What the reader chose.
    pub scenario: &'a Scenario,
    /// What follows.
    pub report: &'a Report,
    /// The texts.
    pub words: &'static Words,
    /// On a page without a program: nothing to press or to type.
    pub still: bool,
    /// Elements that follow the scenario, so far.
    pub live: Cell<u32>,
}

/// Ids of elements whose children follow the scenario have this in them.
pub const LIVE: &str = "-now-";
/// Ids of numbers to type.
pub const TYPED: &str = "-type-";

impl Prose<'_> {
    /// Fills an element with a text.
    pub fn fill(&self, element: Element, text: &'static str) -> Element {
        self.nodes(pieces(text), &[], false).into_iter().fold(element, Element::node)
    }

    /// The same with values of its own: `{name}` is looked up there first.
    pub fn fill_with(&self, element: Element, text: &'static str, own: &[(&str, String)]) -> Element {
        self.nodes(pieces(text), own, false).into_iter().fold(element, Element::node)
    }

    /// A paragraph; one that is a single piece of code is a quotation.
    pub fn paragraph(&self, text: &'static str) -> Element {
        let quoted = text.starts_with('`') && text.ends_with('`') && text.matches('`').count() == 2;
        self.fill(if quoted { p().class("story__quote") } else { p() }, text)
    }

    /// A text as words alone.
    pub fn plain(&self, text: &'static str, own: &[(&str, String)]) -> String {
        self.nodes(pieces(text), own, true).iter().map(Node::plain).collect()
    }

    /// An element that follows the scenario; what it holds is replaced when that moves.
    pub fn follows(&self, element: Element) -> Element {
        if self.still {
            return element;
        }
        let number = self.live.get();
        self.live.set(number + 1);
        element.id(&[self.prefix, LIVE, &decimal::digits(u128::from(number))].concat())
    }

    /// What happens to the KV cache, with the scenario's numbers.
    pub fn outcome(&self) -> Vec<Node> {
        let words = &self.words.outcome;
        let parts = &self.report.breakdown;
        let text = match () {
            () if parts.rest.0 <= -0.0005 => words.short,
            () if parts.pool_tokens.0 == 0 => words.nothing,
            () if self.report.is_too_high() => words.too_high,
            () => words.starts,
        };
        self.nodes(pieces(text), &[], true)
    }

    /// `within`: an element around it follows the scenario already.
    fn nodes(&self, pieces: Vec<Piece>, own: &[(&str, String)], within: bool) -> Vec<Node> {
        pieces.into_iter().map(|piece| self.node(piece, own, within)).collect()
    }

    fn node(&self, piece: Piece, own: &[(&str, String)], within: bool) -> Node {
        let around = |element: Element, inner: Vec<Piece>| {
            Node::Element(self.nodes(inner, own, within).into_iter().fold(element, Element::node))
        };
        match piece {
            Piece::Text(text) => Node::Text(text.to_owned()),
            Piece::Code(inner) => around(code(), inner),
            Piece::Strong(inner) => around(b(), inner),
            Piece::Link(to, inner) => around(a().set(Attribute::Href, to), inner),
            Piece::Term(term, inner) => around(span().class("term").set(Attribute::DataTerm, term.slug()), inner),
            Piece::Slot(name) => self.slot(name, own, within),
        }
    }

    fn slot(&self, name: &'static str, own: &[(&str, String)], within: bool) -> Node {
        if let Some(key) = name.strip_prefix('#') {
            return Node::Element(self.typed(key));
        }
        let Some(name) = name.strip_prefix('=') else {
            let given = own.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
            return Node::Text(given.or_else(|| values::week(name)).unwrap_or_default());
        };
        let filled = |element: Element| {
            if name == "outcome" {
                self.outcome().into_iter().fold(element, Element::node)
            } else {
                element.text(values::now(name, self.report).unwrap_or_default())
            }
        };
        if within {
            return Node::Text(filled(span()).plain());
        }
        Node::Element(filled(self.follows(span().class("story__live"))))
    }

    /// A number of the scenario, in place.
    fn typed(&self, key: &'static str) -> Element {
        let (label, step, value) = match key {
            "f" => ("--mem-fraction-static", "0.005", decimal::write_trimmed(self.scenario.fraction.get(), 9, 2)),
            "total" => ("total, GiB", "0.1", decimal::write_trimmed(self.scenario.total.0, 9, 3)),
            "avail" => ("available, GiB", "0.1", decimal::write_trimmed(self.scenario.available().0, 9, 3)),
            _ => ("cell, bytes per token", "576", decimal::write_trimmed(self.scenario.cell.get(), 9, 0)),
        };
        if self.still {
            return b().text(value);
        }
        input()
            .id(&[self.prefix, TYPED, key].concat())
            .class("story__number")
            .set(Attribute::Type, "number")
            .set(Attribute::Inputmode, "decimal")
            .set(Attribute::Autocomplete, "off")
            .set(Attribute::Name, key)
            // Without `min`, steps count from the value itself: no value is off the grid.
            .set(Attribute::Step, step)
            .set(Attribute::AriaLabel, label)
            .set(Attribute::Value, value)
            .asks(&[self.kind, "/type"].concat(), "input")
    }
}

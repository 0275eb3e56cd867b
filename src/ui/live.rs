//! Keeps every element true that names what it shows.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};

use super::dom;
use super::state::State;
use super::turns::{Ticket, Turns};
use crate::browser::page::set_attribute;
use crate::decimal;
use crate::live::{Here, Item, LISTS, MARKS, Row, SENTENCES, SHARES, TURNS, VALUES, WORDS};
use crate::text::{Rich, Span};

/// An element, what it shows, and what it last showed: only what changed touches the page.
struct Binding<E, T> {
    element: E,
    of: fn(&Here) -> T,
    last: Option<T>,
}

/// A share of a bar, as a custom property.
struct Share {
    element: HtmlElement,
    property: &'static str,
    of: fn(&Here) -> f64,
    last: f64,
}

struct Mark {
    binding: Binding<Element, Option<String>>,
    attribute: &'static str,
}

/// The elements that are brought up to date together.
struct Page {
    words: Vec<Binding<Element, String>>,
    sentences: Vec<Binding<Element, Rich>>,
    lists: Vec<Binding<Element, Vec<Item>>>,
    values: Vec<Binding<HtmlInputElement, String>>,
    marks: Vec<Mark>,
    shares: Vec<Share>,
}

/// Finds all such elements and keeps them true from now on.
pub fn bind(state: State, turns: &Turns) {
    let mut under_the_finger = Page::find(None);
    let mut later: Vec<Page> = TURNS.iter().map(|turn| Page::find(Some(turn))).collect();
    for page in &mut later {
        page.follow(state);
    }
    let tickets: Vec<Ticket> =
        later.into_iter().map(|mut page| turns.add(Box::new(move || page.follow(state)))).collect();
    let turns = turns.clone();
    State::watch(Box::new(move |first| {
        state.scenario.track();
        under_the_finger.follow(state);
        if !first {
            tickets.iter().for_each(|ticket| turns.ask(*ticket));
        }
    }));
}

impl Page {
    /// All elements of one turn.
    fn find(turn: Option<&str>) -> Self {
        let shares = [("from", "--from"), ("size", "--size"), ("until", "--until")];
        let share =
            |(name, property): (&'static str, &'static str)| {
                found(&["data-", name].concat(), &SHARES, turn)
                    .into_iter()
                    .map(move |Binding { element, of, .. }| Share { element, property, of, last: f64::NAN })
            };
        let marks = MARKS.iter().flat_map(|(name, attribute, of)| {
            elements(&["[data-mark=", name, "]"].concat(), turn)
                .into_iter()
                .map(move |element| Mark { binding: Binding { element, of: *of, last: None }, attribute })
        });
        Self {
            words: found("data-words", &WORDS, turn),
            sentences: found("data-sentence", &SENTENCES, turn),
            lists: found("data-list", &LISTS, turn),
            values: found("data-value", &VALUES, turn),
            marks: marks.collect(),
            shares: shares.into_iter().flat_map(share).collect(),
        }
    }

    /// Shows what is true now.
    fn follow(&mut self, state: State) {
        let evaluation = state.evaluation.read_untracked();
        let scenario = state.scenario.read_untracked();
        self.show(&Here::new(&scenario, &evaluation.report));
    }

    fn show(&mut self, here: &Here) {
        for binding in &mut self.words {
            binding.show(here, |element, text| dom::set_text(element, text));
        }
        for binding in &mut self.sentences {
            let sentence = (binding.of)(here);
            if binding.last.as_ref() != Some(&sentence) {
                set_rich(&binding.element, binding.last.as_ref(), &sentence);
                binding.last = Some(sentence);
            }
        }
        for binding in &mut self.lists {
            binding.show(here, |element, items| set_list(element, items));
        }
        for binding in &mut self.values {
            binding.show(here, |input, value| input.set_value(value));
        }
        for Mark { binding, attribute } in &mut self.marks {
            binding.show(here, |element, value| set_attribute(element, attribute, value.as_deref()));
        }
        for share in &mut self.shares {
            let value = (share.of)(here);
            if value != share.last {
                share.last = value;
                set_property(&share.element, share.property, value);
            }
        }
    }
}

impl<E, T: PartialEq> Binding<E, T> {
    fn show(&mut self, here: &Here, set: impl FnOnce(&E, &T)) {
        let value = (self.of)(here);
        if self.last.as_ref() != Some(&value) {
            set(&self.element, &value);
            self.last = Some(value);
        }
    }
}

/// The elements of a turn that match.
fn elements(selector: &str, turn: Option<&str>) -> Vec<Element> {
    let mut found = dom::all(selector);
    found.retain(|element| {
        let part = element.closest("[data-turn]").ok().flatten();
        part.and_then(|part| part.get_attribute("data-turn")).as_deref() == turn
    });
    found
}

fn found<E: JsCast, T>(attribute: &str, rows: &[Row<T>], turn: Option<&str>) -> Vec<Binding<E, T>> {
    elements(&["[", attribute, "]"].concat(), turn)
        .into_iter()
        .filter_map(|element| {
            let of = crate::live::row(rows, &element.get_attribute(attribute)?)?;
            Some(Binding { element: element.dyn_into().ok()?, of, last: None })
        })
        .collect()
}

fn set_property(element: &HtmlElement, property: &str, value: f64) {
    element.style().set_property(property, &decimal::write_trimmed(value, 5, 0)).ok();
}

/// A sentence with its terms, as elements and text; never as markup. One that differs from the last by its words only
/// keeps its elements.
fn set_rich(element: &Element, last: Option<&Rich>, text: &Rich) {
    let alike = |(old, new): (&Span, &Span)| old.term == new.term && old.code == new.code;
    if let Some(last) = last
        && last.0.len() == text.0.len()
        && last.0.iter().zip(&text.0).all(alike)
    {
        let mut next = element.first_child();
        for (old, new) in last.0.iter().zip(&text.0) {
            let Some(node) = next else { return };
            next = node.next_sibling();
            if old.text != new.text {
                // Of an element the text is its only child.
                node.first_child().unwrap_or(node).set_node_value(Some(&new.text));
            }
        }
        return;
    }
    element.set_text_content(None);
    for span in &text.0 {
        element.append_child(&node(span)).ok();
    }
}

fn node(span: &Span) -> web_sys::Node {
    let tag = match span {
        Span { term: Some(_), .. } => "span",
        Span { code: true, .. } => "code",
        _ => return document().create_text_node(&span.text).into(),
    };
    let Ok(element) = document().create_element(tag) else { return document().create_text_node(&span.text).into() };
    if let Some(term) = span.term {
        element.set_class_name("term");
        element.set_attribute("data-term", term.slug()).ok();
    }
    element.set_text_content(Some(&span.text));
    element.into()
}

/// As many children as there are items; those that stay keep their element, so that nothing flickers.
fn set_list(list: &Element, items: &[Item]) {
    let children = list.children();
    for index in (items.len() as u32..children.length()).rev() {
        if let Some(child) = children.item(index) {
            child.remove();
        }
    }
    for (index, item) in items.iter().enumerate() {
        let child = children.item(index as u32).or_else(|| appended(list, item));
        let Some(Ok(child)) = child.map(JsCast::dyn_into::<HtmlElement>) else { continue };
        set_property(&child, "--from", item.share);
        if item.words.is_empty() {
            child.set_attribute("data-zone", item.kind).ok();
        } else if let Some(words) = child.last_element_child() {
            dom::set_text(&words, &item.words);
        }
    }
}

fn appended(list: &Element, item: &Item) -> Option<Element> {
    let child = document().create_element(if item.words.is_empty() { "i" } else { "span" }).ok()?;
    if !item.words.is_empty() {
        child.set_class_name("tick");
        for tag in ["i", "span"] {
            let part = document().create_element(tag).ok()?;
            child.append_child(&part).ok()?;
        }
    }
    list.append_child(&child).ok()?;
    Some(child)
}

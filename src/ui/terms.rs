//! One meaning, one outline: pointing at a word, a formula term, a bar segment or a slider outlines all that mean the
//! same.
//!
//! One listener for the whole page finds the nearest `data-term` and writes it on the root element; the style sheet does
//! the rest.

use leptos::prelude::document;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event};

use super::dom;
use crate::browser::page;

/// Starts listening.
pub fn link() {
    for kind in ["pointerover", "focusin"] {
        dom::on(&document(), kind, |event| page::set_root("data-pointed", term_of(event).as_deref()));
    }
}

fn term_of(event: &Event) -> Option<String> {
    let element: Element = event.target()?.dyn_into().ok()?;
    element.closest("[data-term]").ok()??.get_attribute("data-term")
}

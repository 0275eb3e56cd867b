//! One meaning, one outline: pointing at a word, a formula term, a bar segment or a slider outlines all that mean the
//! same.
//!
//! One listener for the whole page finds the nearest `data-term` and writes it on the root element; the style sheet does
//! the rest.

use gloo::events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event};

use crate::browser::page;

/// Starts listening; ends with the current owner.
pub fn link_terms() {
    let document = document();
    let listeners: Vec<EventListener> = ["pointerover", "focusin"]
        .into_iter()
        .map(|kind| {
            EventListener::new(&document, kind, |event| page::set_root("data-pointed", term_of(event).as_deref()))
        })
        .collect();
    let listeners = StoredValue::new_local(listeners);
    on_cleanup(move || listeners.dispose());
}

fn term_of(event: &Event) -> Option<String> {
    let element: Element = event.target()?.dyn_into().ok()?;
    element.closest("[data-term]").ok()??.get_attribute("data-term")
}

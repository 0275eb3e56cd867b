//! Finding what the markup promises, and listening to it.

use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventTarget, HtmlInputElement, MouseEvent};

/// All elements that match; none for a selector that is not ours.
pub fn all(selector: &str) -> Vec<Element> {
    let Ok(list) = document().query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|index| list.item(index)?.dyn_into().ok()).collect()
}

/// The element with this id as what it is, if the page has it.
pub fn by_id<T: JsCast>(id: &str) -> Option<T> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Listens for as long as the page is open.
pub fn on(target: &EventTarget, kind: &'static str, callback: impl FnMut(&Event) + 'static) {
    listen(target, kind, Box::new(callback));
}

/// Boxed, so that all listeners share one copy of the machinery.
fn listen(target: &EventTarget, kind: &'static str, callback: Box<dyn FnMut(&Event)>) {
    EventListener::new_with_options(target, kind, EventListenerOptions::enable_prevent_default(), callback).forget();
}

/// The delivered controls do nothing until now.
pub fn enable(element: &Element) {
    element.remove_attribute("disabled").ok();
}

/// The input that an event came from.
pub fn input_of(event: &Event) -> Option<HtmlInputElement> {
    event.target()?.dyn_into().ok()
}

/// Sets text only where it changed, and in the node that is there: a new one would be styled and boxed anew.
pub fn set_text(element: &Element, text: &str) {
    let only = element.first_child().filter(|child| child.next_sibling().is_none());
    match only.and_then(|child| Some((child.node_value()?, child))) {
        Some((old, child)) if old != text => child.set_node_value(Some(text)),
        None if element.text_content().as_deref() != Some(text) => element.set_text_content(Some(text)),
        _ => {}
    }
}

/// Whether a click asks the browser for a new tab or window: then it is none of the page's business.
pub fn wants_new_tab(event: &Event) -> bool {
    event.dyn_ref::<MouseEvent>().is_some_and(|event| event.ctrl_key() || event.meta_key() || event.shift_key())
}

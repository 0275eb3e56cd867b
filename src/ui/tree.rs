//! The trees that a workshop composes, as nodes of the page: of listed tags and attributes only.

use js_sys::Reflect;
use leptos::prelude::document;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Element, HtmlElement, Node};

use super::dom;
use crate::browser::page::set_attribute;
use crate::js::{item, list, text};
use crate::view::{Attribute, Tag, is_own_link};

/// The node of a tree, of listed tags and attributes only.
pub fn built(node: &JsValue) -> Option<Node> {
    if let Some(words) = node.as_string() {
        return Some(document().create_text_node(&words).into());
    }
    let tag = Some(text(node, "tag")).filter(|tag| Tag::ALL.contains(&tag.as_str()))?;
    let element = document().create_element(&tag).ok()?;
    for pair in list(node, "attributes") {
        set(&element, &item(&pair, 0)?, item(&pair, 1).as_deref());
    }
    // What a reader opened stays open.
    if tag == "details" && dom::by_id::<Element>(&element.id()).is_some_and(|old| old.has_attribute("open")) {
        element.set_attribute("open", "").ok();
    }
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        for pair in list(node, "vars") {
            element.style().set_property(&item(&pair, 0)?, &item(&pair, 1)?).ok();
        }
    }
    for child in list(node, "children") {
        element.append_child(&built(&child)?).ok();
    }
    Some(element.into())
}

/// Sets or removes an attribute, if it is one of the list; a link only where it stays on the page.
pub fn set(element: &Element, name: &str, value: Option<&str>) {
    if !Attribute::ALL.contains(&name) || name == "href" && !value.is_some_and(is_own_link) {
        return;
    }
    set_attribute(element, name, value);
    // The attribute is only what a control begins with.
    if name == "value" {
        Reflect::set(element, &name.into(), &value.unwrap_or_default().into()).ok();
    }
}

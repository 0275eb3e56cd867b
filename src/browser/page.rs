//! The document around the program: root attributes, colours, media queries.

use gloo::events::EventListener;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, EventTarget};

use crate::units::within;

/// The `<html>` element.
pub fn root() -> Option<Element> {
    web_sys::window()?.document()?.document_element()
}

/// Sets or removes an attribute of the `<html>` element.
pub fn set_root(name: &str, value: Option<&str>) {
    if let Some(root) = root() {
        set_attribute(&root, name, value);
    }
}

/// Sets or removes an attribute.
pub fn set_attribute(element: &Element, name: &str, value: Option<&str>) {
    // Names are ours and valid, so neither call has a way to fail.
    match value {
        Some(value) => element.set_attribute(name, value).ok(),
        None => element.remove_attribute(name).ok(),
    };
}

/// The computed text colour of an element as red, green, blue; the way from a design token to the canvas, which
/// understands no custom properties.
pub fn color(element: &Element) -> Option<(u8, u8, u8)> {
    let style = web_sys::window()?.get_computed_style(element).ok()??;
    let text = style.get_property_value("color").ok()?;
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut next = || {
        let digits = numbers.next()?;
        digits.bytes().try_fold(0_u8, |sum, digit| sum.checked_mul(10)?.checked_add(digit - b'0'))
    };
    Some((next()?, next()?, next()?))
}

/// Device pixels for a CSS pixel.
pub fn pixel_ratio() -> f64 {
    within(web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()), 0.5, 8.0)
}

/// Calls back whenever the colour scheme or the contrast mode changes, and when the window's size or zoom does.
pub fn on_appearance(callback: impl Fn() + Clone + 'static) -> Vec<EventListener> {
    let Some(window) = web_sys::window() else { return Vec::new() };
    let queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)", "print"];
    let media = queries.into_iter().filter_map(|query| window.match_media(query).ok().flatten());
    let mut listeners: Vec<EventListener> = media
        .map(|query| {
            let callback = callback.clone();
            EventListener::new(query.unchecked_ref::<EventTarget>(), "change", move |_| callback())
        })
        .collect();
    listeners.push(EventListener::new(&window, "resize", move |_| callback()));
    listeners
}

/// From now on a panic shows the page's plain sentence in place of a frozen page, and the details in the console.
pub fn on_panic() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let crash =
            web_sys::window().and_then(|window| window.document()).and_then(|page| page.get_element_by_id("crash"));
        if let Some(crash) = crash {
            crash.remove_attribute("hidden").ok();
        }
    }));
}

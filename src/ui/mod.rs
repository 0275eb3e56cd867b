//! The page: a thin skin over the model. One file a section; nothing here computes a number.

mod app;
mod bars;
mod controls;
mod curve;
mod formula;
mod number_field;
mod presets;
mod rich;
mod share;
mod state;
mod terms;
mod verdict;

use leptos::prelude::*;

/// Replaces the delivered HTML of `#app` by the living page.
pub fn start() {
    let Some(app) = document().get_element_by_id("app") else { return };
    let Ok(app) = wasm_bindgen::JsCast::dyn_into(app) else { return };
    let _: &web_sys::HtmlElement = &app;
    app.replace_children_with_node_0();
    leptos::mount::mount_to(app, app::App).forget();
}

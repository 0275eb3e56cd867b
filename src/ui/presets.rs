//! Presets are links; the page answers them itself.

use leptos::prelude::*;
use web_sys::Element;

use super::dom;
use super::state::State;
use crate::browser::page::set_attribute;
use crate::catalog::presets::{Preset, by_id};
use crate::scenario::Scenario;

/// Binds the links and the reset button.
pub fn bind(state: State) {
    let chips: Vec<(Element, &'static Preset)> = dom::all("[data-preset]")
        .into_iter()
        .filter_map(|chip| {
            let preset = by_id(&chip.get_attribute("data-preset")?)?;
            Some((chip, preset))
        })
        .collect();
    for (chip, preset) in &chips {
        let preset = *preset;
        dom::on(chip, "click", move |event| {
            // With a modifier key the browser opens it as any link.
            if dom::wants_new_tab(event) {
                return;
            }
            event.prevent_default();
            go(state, preset);
        });
    }
    let mut last = None;
    State::watch(Box::new(move |_| {
        let current = state.scenario.with(Scenario::matching_preset);
        if last.replace(current) == Some(current) {
            return;
        }
        for (chip, preset) in &chips {
            set_attribute(chip, "aria-current", (current == Some(*preset)).then_some("true"));
        }
    }));
    if let Some(reset) = dom::by_id::<Element>("reset") {
        dom::on(&reset, "click", move |_| go(state, state.scenario.with_untracked(Scenario::base)));
        dom::enable(&reset);
    }
}

/// The numbers change; how the page shows them stays.
fn go(state: State, preset: &'static Preset) {
    let view = state.scenario.with_untracked(|scenario| scenario.view.clone());
    state.go(Scenario { view, ..Scenario::from_preset(preset) });
}

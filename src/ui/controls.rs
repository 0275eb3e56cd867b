//! Sliders and number fields.
//!
//! Sliders are native range inputs. A number field lets people type: it commits on change and Enter, reverts on Escape,
//! and never eats a minus or a point on the way.

use leptos::prelude::*;
use web_sys::{Element, Event, HtmlInputElement, KeyboardEvent};

use super::dom;
use super::state::State;
use crate::browser::page;
use crate::decimal;
use crate::live::{Here, VALUES, row};
use crate::scenario::slider::{self, SLIDERS, Slider};
use crate::scenario::typed::understand;
use crate::text::{field_text, refused};
use wasm_bindgen::JsCast as _;

/// Brings all of them to life.
pub fn bind(state: State) {
    for element in dom::all("[data-slider]") {
        let key = element.get_attribute("data-slider").unwrap_or_default();
        if let Some(slider) = SLIDERS.iter().find(|slider| slider.key == key) {
            bind_slider(state, &element, slider);
        }
    }
    // The boundary of the fraction can be dragged on the bar itself; the slider below is the same for keyboards.
    if let (Some(handle), [fraction, ..]) = (dom::all(".bars__handle").first(), &SLIDERS) {
        slide_on_input(state, handle, fraction);
        dom::enable(handle);
    }
    for element in dom::all("[data-field]") {
        bind_field(state, &element);
    }
    forget_notes(state);
}

fn slide_on_input(state: State, element: &Element, slider: &'static Slider) {
    dom::on(element, "input", move |event| {
        let step = dom::input_of(event).and_then(|input| decimal::read(&input.value()).ok());
        if let Some(step) = step {
            // While a thumb is held, the bars are under it and do not run after it.
            page::set_root("data-held", Some(""));
            state.edit(|scenario| slider::slide(slider, scenario, step));
        }
    });
    dom::on(element, "change", |_| page::set_root("data-held", None));
}

fn bind_slider(state: State, element: &Element, slider: &'static Slider) {
    slide_on_input(state, element, slider);
    // Browsers page by a tenth of the range; ten steps are what the arrow keys suggest.
    dom::on(element, "keydown", move |event| {
        let by = match event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key).as_deref() {
            Some("PageUp") => 10.0,
            Some("PageDown") => -10.0,
            _ => return,
        };
        event.prevent_default();
        state.edit(|scenario| {
            let to = slider::step(slider, scenario) + by;
            slider::slide(slider, scenario, to);
        });
    });
    // The reach must be there before the value, or the browser would clamp the value to the old one.
    let reached = element.clone();
    let mut last = slider.last;
    State::watch(Box::new(move |_| {
        let reach = state.scenario.with(|scenario| slider::reach(slider, scenario));
        if reach != last {
            last = reach;
            let value = state.scenario.with_untracked(|scenario| slider::step(slider, scenario));
            reached.set_attribute("max", &decimal::write(reach, 0)).ok();
            if let Some(input) = reached.dyn_ref::<HtmlInputElement>() {
                input.set_value(&decimal::write(value, 0));
            }
        }
    }));
    dom::enable(element);
}

fn bind_field(state: State, element: &Element) {
    let Some(input) = element.dyn_ref::<HtmlInputElement>().cloned() else { return };
    let key = element.get_attribute("data-field").unwrap_or_default();
    let field = field_text(&key);
    let committed = input.clone();
    let commit = move |_: &Event| commit(state, &committed, field.key);
    dom::on(element, "change", commit);
    dom::on(element, "keydown", move |event| {
        match event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key).as_deref() {
            Some("Enter") => self::commit(state, &input, field.key),
            Some("Escape") => revert(state, &input, field.key),
            _ => {}
        }
    });
    dom::enable(element);
}

/// A note is about the number that stood there when it was made, and goes with it: a slider, a preset or Back may have
/// changed the number since.
fn forget_notes(state: State) {
    State::watch(Box::new(move |_| {
        state.scenario.track();
        for element in dom::all("[data-noted]") {
            let key = element.get_attribute("data-field").unwrap_or_default();
            if element.get_attribute("data-noted") != Some(shown(state, &key))
                && let Some(input) = element.dyn_ref::<HtmlInputElement>()
            {
                note(state, input, &key, "", false);
            }
        }
    }));
}

/// The text that the field shows when nobody types.
fn shown(state: State, key: &str) -> String {
    let scenario = state.scenario.read_untracked();
    let evaluation = state.evaluation.read_untracked();
    row(&VALUES, key).map(|of| of(&Here::new(&scenario, &evaluation.report))).unwrap_or_default()
}

fn revert(state: State, input: &HtmlInputElement, key: &str) {
    input.set_value(&shown(state, key));
    note(state, input, key, "", false);
}

fn commit(state: State, input: &HtmlInputElement, key: &str) {
    let typed = input.value();
    if typed.trim() == shown(state, key) {
        // Enter ends in a change event as well: what was understood stays said, only a refusal is over.
        if input.has_attribute("aria-invalid") {
            note(state, input, key, "", false);
        }
        return;
    }
    if typed.trim().is_empty() && !SLIDERS.iter().any(|slider| slider.key == key) {
        state.edit(|scenario| slider::clear(key, scenario));
        return revert(state, input, key);
    }
    match understand(key, &typed) {
        Ok(understood) => {
            state.edit(|scenario| slider::set(key, scenario, understood.value));
            revert(state, input, key);
            if understood.remarkable {
                let words = ["understood as ", &decimal::write_trimmed(understood.value, 9, 0)].concat();
                note(state, input, key, &words, false);
            }
        }
        Err(refusal) => note(state, input, key, &refused(key, refusal), true),
    }
}

/// What the field understood or refused, tied to it by `aria-describedby`.
fn note(state: State, input: &HtmlInputElement, key: &str, words: &str, refused: bool) {
    let Some(note) = dom::by_id::<Element>(&["note-", key].concat()) else { return };
    dom::set_text(&note, words);
    if words.is_empty() {
        input.remove_attribute("data-noted").ok();
    } else {
        input.set_attribute("data-noted", &shown(state, key)).ok();
    }
    if refused {
        input.set_attribute("aria-invalid", "true").ok();
        note.set_attribute("data-refused", "").ok();
    } else {
        input.remove_attribute("aria-invalid").ok();
        note.remove_attribute("data-refused").ok();
    }
}

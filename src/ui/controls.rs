//! Four sliders with a number field each, and the numbers that most readers never need.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::number_field::NumberField;
use super::state::State;
use crate::decimal;
use crate::plot::scene::{ZoneKind, zones};
use crate::scenario::Scenario;
use crate::scenario::fields::{Slot, field};
use crate::text::{self, FieldText, field_text};

/// How a slider's whole steps and the field's value are related.
#[derive(Clone, Copy)]
enum Scale {
    /// This many steps for 1.
    Linear(f64),
    /// value = step², which spreads small cells and still reaches large ones.
    Square,
}

/// One slider: which field, its scale, its last step, decimals of the number field.
struct Slider {
    key: &'static str,
    scale: Scale,
    last: f64,
    decimals: u32,
}

const SLIDERS: [Slider; 4] = [
    Slider { key: "f", scale: Scale::Linear(1000.0), last: 1000.0, decimals: 3 },
    Slider { key: "total", scale: Scale::Linear(10.0), last: 3200.0, decimals: 3 },
    Slider { key: "avail", scale: Scale::Linear(10.0), last: 3200.0, decimals: 3 },
    Slider { key: "cell", scale: Scale::Square, last: 1024.0, decimals: 0 },
];

impl Scale {
    fn step(self, value: f64) -> f64 {
        match self {
            Self::Linear(steps) => (value * steps).round(),
            Self::Square => value.sqrt().round(),
        }
    }

    fn value(self, step: f64) -> f64 {
        match self {
            Self::Linear(steps) => step / steps,
            Self::Square => (step * step).max(1.0),
        }
    }
}

/// The section.
#[component]
pub fn Controls() -> impl IntoView {
    view! {
        <section class="controls" aria-label="The four numbers">
            {SLIDERS.iter().map(slider).collect_view()}
            <Notices />
        </section>
        <details class="more">
            <summary>"More: what graphs need, context length, pages, cap"</summary>
            <div class="more__fields">{["dyn", "ctx", "page", "cap"].map(extra).collect_view()}</div>
            <Capacity />
        </details>
    }
}

fn get(key: &'static str) -> impl Fn(&Scenario) -> Option<f64> + Copy {
    move |scenario| match field(key).map(|field| &field.slot) {
        Some(Slot::Number { get, .. }) => get(scenario),
        _ => None,
    }
}

fn set(state: State, key: &'static str, value: f64) {
    if let Some(Slot::Number { set, .. }) = field(key).map(|field| &field.slot) {
        state.edit(|scenario| set(scenario, value));
    }
}

fn slider(slider: &'static Slider) -> AnyView {
    let Slider { key, scale, last, decimals } = slider;
    let (key, scale, last, decimals) = (*key, *scale, *last, *decimals);
    let state = State::here();
    let words = field_text(key);
    let value =
        if key == "avail" { state.choice(|scenario| Some(scenario.available().0)) } else { state.choice(get(key)) };
    let step = Memo::new(move |_| scale.step(value.get().unwrap_or_default()));
    // A larger value than the slider usually spans stretches it, so that the thumb never lies.
    let reach = Memo::new(move |_| last.max(step.get()));
    let go = move |step: f64| {
        set(state, key, scale.value(step.clamp(if key == "cell" { 1.0 } else { 0.0 }, reach.get_untracked())))
    };
    let on_input = move |event| {
        if let Ok(step) = decimal::read(&event_target_value(&event)) {
            go(step);
        }
    };
    // Browsers page by a tenth of the range; ten steps are what the other keys suggest.
    let on_keydown = move |event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "PageUp" => 10.0,
            "PageDown" => -10.0,
            _ => return,
        };
        event.prevent_default();
        go(step.get_untracked() + by);
    };
    let spoken = move || match key {
        "f" => state.evaluation.with(|evaluation| text::spoken(&evaluation.report)),
        _ => [&decimal::write_trimmed(value.get().unwrap_or_default(), 3, 0), " ", words.unit].concat(),
    };
    let id = ["slider-", key].concat();
    let hint_id = ["hint-", key].concat();
    view! {
        <div class="control" data-term=words.term.slug() data-key=key>
            <label for=id.clone()>{label(words)}</label>
            <NumberField
                field=words
                value=value.into()
                on_commit=Callback::new(move |value: Option<f64>| {
                    if let Some(value) = value {
                        set(state, key, value);
                    }
                })
                decimals=decimals
                unlabelled=true
            />
            <input
                id=id
                type="range"
                min="0"
                max=move || decimal::write(reach.get(), 0)
                step="1"
                prop:value=move || step.get()
                aria-valuetext=spoken
                aria-describedby=hint_id.clone()
                on:input=on_input
                on:keydown=on_keydown
            />
            {(key == "f").then(zone_track)}
            <small id=hint_id>
                {if key == "f" { state.report(text::field_hint).into_any() } else { words.hint.into_any() }}
            </small>
        </div>
    }
    .into_any()
}

fn label(words: FieldText) -> AnyView {
    if words.label.starts_with("--") { view! { <code>{words.label}</code> }.into_any() } else { words.label.into_any() }
}

/// The fraction's outcomes under its slider: solid, hatched, dotted; the break-even has a tick.
fn zone_track() -> impl IntoView {
    let state = State::here();
    let zones = state.report(zones);
    view! {
        <div class="zones" aria-hidden="true">
            {move || {
                zones
                    .get()
                    .into_iter()
                    .map(|zone| {
                        let kind = match zone.kind {
                            ZoneKind::CannotStart => "short",
                            ZoneKind::Starts => "room",
                            ZoneKind::TooHigh => "high",
                        };
                        let share = decimal::write(zone.to - zone.from, 4);
                        view! { <i data-zone=kind style:flex-grow=share></i> }
                    })
                    .collect_view()
            }}
        </div>
    }
}

fn extra(key: &'static str) -> AnyView {
    let state = State::here();
    let words = field_text(key);
    let optional = key != "page";
    let clear = move |scenario: &mut Scenario| match key {
        "dyn" => scenario.dynamic_need = None,
        "ctx" => scenario.context = None,
        _ => scenario.max_total_tokens = None,
    };
    view! {
        <div class="control" data-term=words.term.slug()>
            <label for=["field-", key].concat()>{label(words)}</label>
            <NumberField
                field=words
                value=state.choice(get(key)).into()
                on_commit=Callback::new(move |value: Option<f64>| match value {
                    Some(value) => set(state, key, value),
                    None => state.edit(clear),
                })
                decimals=0
                optional=optional
            />
            <small>{words.hint}</small>
        </div>
    }
    .into_any()
}

/// How many full-length requests fit.
#[component]
fn Capacity() -> impl IntoView {
    let state = State::here();
    let words = move || {
        let context = state.scenario.with(|scenario| scenario.context)?;
        Some(state.evaluation.with(|evaluation| text::capacity(&evaluation.report, context)))
    };
    view! { <p class="capacity">{words}</p> }
}

/// What contradicts itself in the scenario, and what could not be read in the address.
#[component]
fn Notices() -> impl IntoView {
    let state = State::here();
    let issues = Memo::new(move |_| {
        let mut issues = state.address_issues.get();
        issues.extend(state.evaluation.with(|evaluation| evaluation.issues.clone()));
        issues
    });
    let list = move || {
        issues
            .get()
            .into_iter()
            .map(|issue| view! { <li><code>{issue.field}</code> ": " {issue.message}</li> })
            .collect_view()
    };
    view! {
        <div class="notices" role="status" hidden=move || issues.with(Vec::is_empty)>
            <p>"Not everything could be taken as it stands:"</p>
            <ul>{list}</ul>
        </div>
    }
}

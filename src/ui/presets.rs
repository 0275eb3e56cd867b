//! The week as presets: real runs, beliefs and suspects, each a link.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::rich::Rich;
use super::state::State;
use crate::budget::{Verdict, evaluate};
use crate::catalog::presets::{PRESETS, Preset};
use crate::format;
use crate::scenario::Scenario;
use crate::scenario::query::encode;
use crate::text::{Rich as Text, caption, change, preset_name};

/// The section.
#[component]
pub fn Presets() -> impl IntoView {
    let state = State::here();
    let matching = state.choice(|scenario| scenario.matching_preset().map(|preset| preset.id));
    let base = state.choice(Scenario::base);
    let since = Memo::new(move |_| {
        state.scenario.with(|scenario| {
            let against = scenario.versus_inputs();
            let from = against.unwrap_or_else(|| Scenario::from_preset(scenario.base()).inputs());
            let to = scenario.inputs();
            // A comparison reads from the other run to this one.
            change(&from, &to).unwrap_or_else(Text::new)
        })
    });
    let changed = move || matching.get() != Some(base.get().id);
    view! {
        <section class="presets" aria-labelledby="presets-title">
            <h2 id="presets-title">"The week, run by run"</h2>
            <ul class="chips">
                {PRESETS.iter().map(|preset| chip(state, preset, matching)).collect_view()}
            </ul>
            <p class="caption"><Rich text=Signal::derive(move || caption(base.get())) /></p>
            <p class="since">
                <span hidden=move || !changed()>
                    <b>"Since “" {move || preset_name(base.get())} "”: "</b>
                    <Rich text=since.into() />
                    " "
                    <button type="button" on:click=move |_| state.go(Scenario::from_preset(base.get_untracked()))>
                        "Reset"
                    </button>
                </span>
            </p>
        </section>
    }
}

fn chip(state: State, preset: &'static Preset, matching: Memo<Option<&'static str>>) -> impl IntoView {
    let scenario = Scenario::from_preset(preset);
    let report = evaluate(&scenario.inputs());
    let mark = if report.verdict == Verdict::Starts { "✓" } else { "✗" };
    let rest = format::gib_number(report.breakdown.rest);
    let href = ["?", &encode(&scenario)].concat();
    // A link that the page answers itself; with a modifier key the browser opens it as any link.
    let on_click = move |event: MouseEvent| {
        if event.ctrl_key() || event.meta_key() || event.shift_key() {
            return;
        }
        event.prevent_default();
        let view = state.scenario.with_untracked(|scenario| scenario.view.clone());
        state.go(Scenario { view, ..Scenario::from_preset(preset) });
    };
    view! {
        <li>
            <a href=href aria-current=move || (matching.get() == Some(preset.id)).then_some("true") on:click=on_click>
                {preset_name(preset)} " " <span class="chip__rest" data-starts=(mark == "✓").to_string()>{mark} " " {rest}</span>
            </a>
        </li>
    }
}

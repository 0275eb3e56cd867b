//! The page from top to bottom.

use std::time::Duration;

use gloo::events::EventListener;
use leptos::prelude::*;

use super::bars::Bars;
use super::controls::Controls;
use super::curve::CurveSection;
use super::formula::Formula;
use super::presets::Presets;
use super::share::Share;
use super::state::State;
use super::terms::link_terms;
use super::verdict::Verdict;
use crate::browser::{history, page};
use crate::scenario::query::encode;

/// Edits within this time make one change of the address bar; Safari allows 100 in 30 s.
const SETTLE: Duration = Duration::from_millis(300);

/// Everything inside `#app`.
#[component]
pub fn App() -> impl IntoView {
    let state = State::from_address();
    provide_context(state);
    link_terms();
    keep_address(state);
    let theme = state.choice(|scenario| scenario.view.theme);
    Effect::new(move |_| page::set_root("data-theme", theme.get()));
    view! {
        <Verdict />
        <div class="bench">
            <Bars />
            <Formula />
            <Controls />
        </div>
        <Presets />
        <CurveSection />
        <Share />
    }
}

/// The address bar follows the scenario, and the scenario follows Back and Forward.
fn keep_address(state: State) {
    let address = state.choice(encode);
    let written = StoredValue::new(address.get_untracked());
    let pending = StoredValue::new(None::<TimeoutHandle>);
    Effect::watch(
        move || address.get(),
        move |query, _, _| {
            if let Some(Some(timer)) = pending.try_get_value() {
                timer.clear();
            }
            let query = query.clone();
            let write = move || {
                // Already there after a preset, or after Back.
                if query != written.get_value()
                    && query != encode(&crate::scenario::query::decode(&history::query()).scenario)
                {
                    // Refused means that the address is stale; the share field still has it.
                    history::replace(&query).ok();
                }
                written.set_value(query);
            };
            pending.set_value(set_timeout_with_handle(write, SETTLE).ok());
        },
        false,
    );
    let back = EventListener::new(&window(), "popstate", move |_| state.follow_address());
    let back = StoredValue::new_local(back);
    on_cleanup(move || back.dispose());
}

//! The headline for screen readers, spoken when it has settled: a drag passes through many.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use web_sys::Element;

use super::dom;
use super::state::State;
use crate::text;

/// Milliseconds that the verdict must stand.
const QUIET: u32 = 600;

/// Announces every later verdict; the first one is on the page already.
pub fn bind(state: State) {
    let Some(place) = dom::by_id::<Element>("announcement") else { return };
    // Dropping the older timer cancels it.
    let mut timer: Option<Timeout> = None;
    State::watch(Box::new(move |first| {
        let words = state.scenario.with(|scenario| {
            state.evaluation.with(|evaluation| text::headline_of(scenario, &evaluation.report).plain())
        });
        let place = place.clone();
        timer.take();
        if !first {
            timer = Some(Timeout::new(QUIET, move || dom::set_text(&place, &words)));
        }
    }));
}

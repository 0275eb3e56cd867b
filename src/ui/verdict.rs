//! The verdict: SGLang's own words, one headline, one paragraph.

use std::time::Duration;

use leptos::prelude::*;

use super::rich::Rich;
use super::state::State;
use crate::budget::{Report, Verdict as Outcome};
use crate::engines::sglang::{Version, messages};
use crate::text;

/// How long the verdict must stand before it is read aloud; a drag passes through many.
const QUIET: Duration = Duration::from_millis(600);

/// The first section.
#[component]
pub fn Verdict() -> impl IntoView {
    let state = State::here();
    let outcome = state.report(|report| report.verdict.id());
    let printed = state.report(printed);
    view! {
        <section class="verdict" data-verdict=outcome aria-labelledby="headline">
            <p class="printed">{move || lines(printed.get())}</p>
            <h1 id="headline"><Rich text=state.report(text::headline).into() /></h1>
            <p class="lead"><Rich text=state.report(text::lead).into() /></p>
            <Announcement />
        </section>
    }
}

/// What SGLang prints in this situation: two lines, so that nothing moves between failing and starting.
fn printed(report: &Report) -> [(&'static str, String); 2] {
    match report.verdict {
        Outcome::Starts | Outcome::TooHigh => {
            [("the log says", messages::pool_allocated(report)), ("the log says", messages::pool_end(report))]
        }
        _ if report.breakdown.pool_tokens.0 > 0 => {
            [("the log says", messages::pool_allocated(report)), ("the log says", messages::pool_end(report))]
        }
        _ => [
            ("SGLang 0.5.9", messages::refusal(Version::new(0, 5, 9), report)),
            ("SGLang 0.5.23", messages::refusal(Version::NEWEST, report)),
        ],
    }
}

fn lines(lines: [(&'static str, String); 2]) -> impl IntoView {
    lines
        .into_iter()
        .map(|(who, words)| view! { <span class="printed__line"><span class="printed__who">{who}</span> <code>{words}</code></span> })
        .collect_view()
}

/// The headline for screen readers, spoken when it has settled.
#[component]
fn Announcement() -> impl IntoView {
    let state = State::here();
    let spoken = RwSignal::new(String::new());
    let pending = StoredValue::new(None::<TimeoutHandle>);
    let words = state.report(|report| text::headline(report).plain());
    Effect::watch(
        move || words.get(),
        move |words, _, _| {
            if let Some(Some(timer)) = pending.try_get_value() {
                timer.clear();
            }
            let words = words.clone();
            pending.set_value(set_timeout_with_handle(move || spoken.set(words), QUIET).ok());
        },
        false,
    );
    view! { <p class="unseen" role="status">{spoken}</p> }
}

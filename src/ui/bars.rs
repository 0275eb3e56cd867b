//! The bars. Everything moves by transform, so a drag causes no layout; the numbers stand above the bars, so that no
//! label ever has to fit into a segment.

use leptos::prelude::*;

use super::state::State;
use crate::budget::{Report, Term, evaluate};
use crate::format;
use crate::plot::bars::{Bars as Layout, Segment};
use crate::scenario::Scenario;
use crate::text::{Words, field_text};
use crate::units::Fraction;

/// The picture of the budget.
#[component]
pub fn Bars() -> impl IntoView {
    let state = State::here();
    let layout = state.report(Layout::of);
    // The preset that the reader started from stays visible as an outline.
    let ghost = state.choice(|scenario| Layout::of(&evaluate(&Scenario::from_preset(scenario.base()).inputs())));
    let row = move |name: &'static str, value: Memo<String>, term: Term, parts: AnyView| {
        view! {
            <div class="bars__row">
                <p class="bars__name"><span data-term=term.slug()>{name}</span> <b>{value}</b></p>
                {parts}
            </div>
        }
    };
    let pair =
        move |pick: fn(&Layout) -> [Segment; 2], names: [&'static str; 2], ghosts: [Memo<f64>; 1], extra: AnyView| {
            let first = Memo::new(move |_| layout.with(|layout| pick(layout)[0]));
            let second = Memo::new(move |_| layout.with(|layout| pick(layout)[1]));
            view! {
                <div class="bars__plot">
                    <div class="bars__labels">{label(first, names[0])}{label(second, names[1])}</div>
                    <div class="bars__bar">
                        {segment(first)}{segment(second)}
                        {ghosts.into_iter().map(outline).collect_view()}
                        {extra}
                    </div>
                </div>
            }
            .into_any()
        };
    let ghost_weights = Memo::new(move |_| ghost.with(|ghost| ghost.free[0].end));
    let ghost_budget = Memo::new(move |_| ghost.with(|ghost| ghost.budget[0].end));
    view! {
        <figure class="bars" data-overdraft=move || layout.with(|layout| layout.overdraft).to_string()>
            {row(
                Words::FREE_AT_START,
                state.report(|report| format::gib(report.inputs.total)),
                Term::Total,
                pair(|layout| layout.free, [Words::WEIGHTS, Words::AVAILABLE], [ghost_weights], ().into_any()),
            )}
            {row(
                Words::FRACTION,
                state.report(|report| format::fraction(report.inputs.fraction)),
                Term::Fraction,
                pair(|layout| layout.budget, [Words::STATIC_BUDGET, Words::RESERVED], [ghost_budget], handle(state)),
            )}
            <div class="bars__row bars__row--rest">
                <p class="bars__name"><span data-term="rest">{Words::LEFT}</span></p>
                <div class="bars__plot">{rest(state, layout)}</div>
            </div>
            <div class="bars__row bars__axis" aria-hidden="true">
                <div></div>
                <div class="bars__plot">{move || layout.with(ticks)}</div>
            </div>
            <figcaption class="unseen">{state.report(summary)}</figcaption>
        </figure>
    }
}

fn label(segment: Memo<Segment>, name: &'static str) -> impl IntoView {
    let slug = segment.with_untracked(|segment| segment.term.slug());
    view! { <span data-term=slug>{name} " " <b>{move || format::gib_number(segment.get().amount)}</b></span> }
}

fn segment(segment: Memo<Segment>) -> impl IntoView {
    let slug = segment.with_untracked(|segment| segment.term.slug());
    view! {
        <div
            class="segment"
            data-term=slug
            style:--from=move || share(segment.get().start)
            style:--size=move || share(segment.get().end - segment.get().start)
        ></div>
        <div class="edge" style:--from=move || share(segment.get().end)></div>
    }
}

fn outline(at: Memo<f64>) -> impl IntoView {
    view! { <div class="ghost" style:--from=move || share(at.get())></div> }
}

/// The boundary of the fraction, to be dragged on the bar itself. The slider below is the same for keyboards.
fn handle(state: State) -> AnyView {
    let value = state.choice(|scenario| (scenario.fraction.get() * 1000.0).round());
    let on_input = move |event| {
        let Ok(thousandths) = crate::decimal::read(&event_target_value(&event)) else { return };
        if let Some(fraction) = Fraction::new(thousandths / 1000.0) {
            state.edit(|scenario| scenario.fraction = fraction);
        }
    };
    // The handle spans the scale, which is longer than total only where the inputs contradict each other.
    view! {
        <input
            class="bars__handle"
            type="range"
            min="0"
            max="1000"
            tabindex="-1"
            aria-hidden="true"
            title=field_text("f").label
            prop:value=move || value.get()
            on:input=on_input
        />
    }
    .into_any()
}

/// The room for the KV cache, or the hatched overdraft, between the end of the static budget and the end of the weights.
fn rest(state: State, layout: Memo<Layout>) -> impl IntoView {
    let piece = Memo::new(move |_| layout.with(|layout| layout.rest));
    let words = state.report(|report| {
        let amount = format::gib(report.breakdown.rest);
        if report.breakdown.pool_tokens.0 > 0 {
            [&amount, " · ", &format::tokens(report.breakdown.pool_tokens)].concat()
        } else {
            amount
        }
    });
    let side = Memo::new(move |_| match piece.get() {
        Segment { start, end, .. } if start + end < 0.6 => "start",
        Segment { start, end, .. } if start + end > 1.4 => "end",
        _ => "middle",
    });
    let anchor = move || {
        let Segment { start, end, .. } = piece.get();
        share(match side.get() {
            "start" => start,
            "end" => end,
            _ => (start + end) / 2.0,
        })
    };
    view! {
        <div class="rest" data-term="rest">
            <div class="rest__clip" style:--until=move || share(piece.get().end)>
                <div
                    class="rest__fill"
                    style:--from=move || share(piece.get().start)
                    style:--until=move || share(piece.get().end)
                ></div>
            </div>
            <div class="edge edge--rest" style:--from=move || share(piece.get().start)></div>
            <div class="edge edge--rest" style:--from=move || share(piece.get().end)></div>
            <div class="rest__at" style:--from=anchor>
                <b class="rest__words" data-side=side>{words}</b>
            </div>
        </div>
    }
}

fn ticks(layout: &Layout) -> impl IntoView + use<> {
    let end = format::gib(layout.scale);
    let ticks = layout.ticks.iter().map(|tick| {
        let (at, label) = (share(tick.at), tick.label.clone());
        // The last tick would touch the label of the full scale.
        let near = if tick.at > 0.86 { "true" } else { "false" };
        view! { <span class="tick" data-near=near style:--from=at><i></i><span>{label}</span></span> }
    });
    view! { {ticks.collect_view()} <span class="tick tick--end"><i></i><span>{end}</span></span> }
}

/// The picture in words.
fn summary(report: &Report) -> String {
    let parts = &report.breakdown;
    [
        "Of ",
        &format::gib(report.inputs.total),
        " free at the start the weights take ",
        &format::gib(parts.weights),
        " and ",
        &format::gib(parts.reserved),
        " are reserved; ",
        &format::gib(parts.rest),
        " are left for the KV cache.",
    ]
    .concat()
}

fn share(value: f64) -> String {
    crate::decimal::write_trimmed(value, 5, 0)
}

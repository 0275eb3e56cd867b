//! The curve on its canvas, with a read-out for pointer and keyboard and a table of the same points.

use gloo::render::{AnimationFrame, request_animation_frame};
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, ResizeObserver};

use super::state::State;
use crate::browser::page;
use crate::budget::{Inputs, Report, Verdict, evaluate, sweep};
use crate::format;
use crate::plot::draw::{Frame, Palette, draw};
use crate::plot::scene::{Axis, Curve};
use crate::units::Fraction;

/// The section.
#[component]
pub fn CurveSection() -> impl IntoView {
    let state = State::here();
    let axis = RwSignal::new(Axis::Tokens);
    let inputs = state.choice(|scenario| scenario.inputs());
    let pointed = RwSignal::new(None::<f64>);
    let read_out = move || {
        let here = inputs.get();
        let fraction = pointed.get().and_then(Fraction::new).unwrap_or(here.fraction);
        at(&Inputs { fraction, ..here })
    };
    let choose = move |wanted: Axis, words: &'static str| {
        view! {
            <button type="button" aria-pressed=move || (axis.get() == wanted).to_string() on:click=move |_| axis.set(wanted)>
                {words}
            </button>
        }
    };
    view! {
        <section class="curve" id="curve" aria-labelledby="curve-title">
            <h2 id="curve-title">"Every fraction at once"</h2>
            <div class="curve__head">
                <p class="curve__read" role="status">{read_out}</p>
                <div class="curve__axis" role="group" aria-label="What the curve counts">
                    {choose(Axis::Tokens, "tokens")}{choose(Axis::Gib, "GiB")}
                </div>
            </div>
            <Plot axis=axis.into() pointed=pointed />
            <p class="legend">
                <span><i data-zone="short"></i>"cannot start"</span>
                <span><i data-zone="room"></i>"starts"</span>
                <span><i data-zone="high"></i>"starts, then runs out of memory"</span>
            </p>
            <PointsTable inputs=inputs />
        </section>
    }
}

/// One fraction in words.
fn at(inputs: &Inputs) -> String {
    let report = evaluate(inputs);
    ["at ", &format::fraction(inputs.fraction), ": ", &format::gib(report.breakdown.rest), ", ", &outcome(&report)]
        .concat()
}

fn outcome(report: &Report) -> String {
    match report.verdict {
        Verdict::Starts => format::tokens(report.breakdown.pool_tokens),
        Verdict::TooHigh => "starts, then runs out of memory".to_owned(),
        Verdict::CannotStart => "cannot start".to_owned(),
        Verdict::NoFractionWorks if report.breakdown.pool_tokens.0 > 0 => "starts, then runs out of memory".to_owned(),
        Verdict::NoFractionWorks => "cannot start".to_owned(),
    }
}

/// The canvas, its cursor, and what makes it be drawn again.
#[component]
fn Plot(
    /// What the vertical axis counts.
    axis: Signal<Axis>,
    /// The fraction under the pointer or the keyboard's cursor.
    pointed: RwSignal<Option<f64>>,
) -> impl IntoView {
    let state = State::here();
    let canvas = NodeRef::<html::Canvas>::new();
    let swatches = NodeRef::<html::Div>::new();
    let redraw = RwSignal::new(());
    let curve = Memo::new(move |_| state.scenario.with(|scenario| Curve::of(scenario, axis.get())));
    let frame = StoredValue::new_local(None::<AnimationFrame>);
    Effect::new(move |_| {
        redraw.track();
        let curve = curve.get();
        let (Some(canvas), Some(swatches)) = (canvas.get(), swatches.get()) else { return };
        // One drawing a frame, however many edits; a newer one drops the older handle and so cancels it.
        let draw = move |_| paint(&canvas, &swatches, &curve);
        frame.set_value(Some(request_animation_frame(draw)));
    });
    watch_size(canvas, redraw);
    let appearance = StoredValue::new_local(page::on_appearance(move || redraw.notify()));
    on_cleanup(move || {
        appearance.dispose();
        frame.dispose();
    });
    let fraction_at = move |event: &PointerEvent| {
        let canvas = canvas.get_untracked()?;
        let ratio = page::pixel_ratio();
        let frame = Frame::new(canvas.width(), canvas.height(), ratio);
        let x = f64::from(event.offset_x()) * ratio;
        Some((frame.fraction_at(x) * 1000.0).round() / 1000.0)
    };
    let take = move |fraction: f64| {
        if let Some(fraction) = Fraction::new(fraction) {
            state.edit(|scenario| scenario.fraction = fraction);
        }
    };
    let here = state.choice(|scenario| scenario.fraction.get());
    let cursor = move || pointed.get().unwrap_or(here.get());
    let on_keydown = move |event: KeyboardEvent| {
        let now = untrack(cursor);
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => now - 0.005,
            "ArrowRight" | "ArrowUp" => now + 0.005,
            "PageDown" => now - 0.05,
            "PageUp" => now + 0.05,
            "Home" => 0.0,
            "End" => 1.0,
            "Enter" => return take(now),
            "Escape" => return pointed.set(None),
            _ => return,
        };
        event.prevent_default();
        pointed.set(Some((to.clamp(0.0, 1.0) * 1000.0).round() / 1000.0));
    };
    let spoken = move || {
        let inputs = state.scenario.with(|scenario| scenario.inputs());
        Fraction::new(cursor()).map(|fraction| at(&Inputs { fraction, ..inputs }))
    };
    view! {
        <div
            class="plot"
            role="slider"
            tabindex="0"
            aria-label="Read the curve at a fraction; Enter takes it over"
            aria-valuemin="0"
            aria-valuemax="1"
            aria-valuenow=move || crate::decimal::write_trimmed(cursor(), 3, 0)
            aria-valuetext=spoken
            on:keydown=on_keydown
            on:pointermove=move |event| pointed.set(fraction_at(&event))
            on:pointerleave=move |_| pointed.set(None)
            on:click=move |_| {
                if let Some(fraction) = pointed.get_untracked() {
                    take(fraction);
                }
            }
            on:blur=move |_| pointed.set(None)
        >
            <canvas node_ref=canvas></canvas>
            <div class="plot__cursor" hidden=move || pointed.get().is_none() style:--from=move || {
                crate::decimal::write_trimmed(cursor(), 4, 0)
            }></div>
            // Colours of the style sheet for the canvas, which understands no custom properties.
            <div node_ref=swatches hidden>
                {["ink", "soft", "line", "paper", "short", "room", "reserve"]
                    .map(|name| view! { <i data-color=name></i> })
                    .collect_view()}
            </div>
        </div>
    }
}

/// Observes the canvas's box, which the style sheet sizes and nothing in it can change.
fn watch_size(canvas: NodeRef<html::Canvas>, redraw: RwSignal<()>) {
    let watching = StoredValue::new_local(None);
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        let callback = Closure::<dyn Fn()>::new(move || redraw.notify());
        if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
            observer.observe(&canvas);
            watching.set_value(Some((observer, callback)));
        }
    });
    on_cleanup(move || {
        if let Some(Some((observer, _))) = watching.try_update_value(Option::take) {
            observer.disconnect();
        }
    });
}

fn paint(canvas: &HtmlCanvasElement, swatches: &Element, curve: &Curve) {
    let ratio = page::pixel_ratio();
    let size = |css_pixels: i32| (f64::from(css_pixels) * ratio).round() as u32;
    let (width, height) = (size(canvas.client_width()), size(canvas.client_height()));
    // A closed or hidden section has no size.
    if width == 0 || height == 0 {
        return;
    }
    if canvas.width() != width || canvas.height() != height {
        canvas.set_width(width);
        canvas.set_height(height);
    } else if let Ok(Some(context)) = canvas.get_context("2d")
        && let Ok(context) = context.dyn_into::<CanvasRenderingContext2d>()
    {
        context.clear_rect(0.0, 0.0, f64::from(width), f64::from(height));
    }
    let color = |name: &str| {
        let selector = ["[data-color=", name, "]"].concat();
        swatches.query_selector(&selector).ok().flatten().and_then(|swatch| page::color(&swatch)).unwrap_or_default()
    };
    let palette = Palette {
        ink: color("ink"),
        soft: color("soft"),
        line: color("line"),
        paper: color("paper"),
        short: color("short"),
        room: color("room"),
        reserve: color("reserve"),
    };
    if let Some(mut backend) = CanvasBackend::with_canvas_object(canvas.clone()) {
        // A canvas that cannot be drawn on leaves the table, which says the same.
        draw(&mut backend, curve, &palette, ratio).ok();
    }
}

/// The same points as numbers: every 0.05, closed until somebody wants it.
#[component]
fn PointsTable(
    /// The numbers of the scenario.
    inputs: Memo<Inputs>,
) -> impl IntoView {
    let open = RwSignal::new(false);
    // Closed, it keeps what it last showed: nobody sees it, and a drag stays cheap.
    let points = Memo::new(move |last: Option<&Vec<[String; 4]>>| match last {
        Some(last) if !open.get() => last.clone(),
        _ => inputs.with(rows),
    });
    view! {
        <details class="points" on:toggle=move |_| open.update(|open| *open = !*open)>
            <summary>"The same as a table"</summary>
            <div class="points__scroll" tabindex="0" role="region" aria-label="Table of the curve">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"fraction"</th>
                            <th scope="col">"reserved, GiB"</th>
                            <th scope="col">"left for the KV cache, GiB"</th>
                            <th scope="col">"outcome"</th>
                        </tr>
                    </thead>
                    <tbody>
                        {move || {
                            points
                                .get()
                                .into_iter()
                                .map(|[fraction, reserved, rest, outcome]| {
                                    view! { <tr><th scope="row">{fraction}</th><td>{reserved}</td><td>{rest}</td><td>{outcome}</td></tr> }
                                })
                                .collect_view()
                        }}
                    </tbody>
                </table>
            </div>
        </details>
    }
}

fn rows(inputs: &Inputs) -> Vec<[String; 4]> {
    sweep(inputs, 20)
        .into_iter()
        .map(|point| {
            let report = evaluate(&Inputs { fraction: point.fraction, ..*inputs });
            [
                format::fraction(point.fraction),
                format::gib_number(report.breakdown.reserved),
                format::gib_number(report.breakdown.rest),
                outcome(&report),
            ]
        })
        .collect()
}

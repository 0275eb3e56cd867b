//! The curve on its canvas, with a read-out for pointer and keyboard and a table of the same points.

use std::rc::Rc;

use leptos::prelude::*;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{
    CanvasRenderingContext2d, Element, Event, HtmlCanvasElement, HtmlElement, KeyboardEvent, MouseEvent, ResizeObserver,
};

use super::dom;
use super::state::State;
use super::turns::Turns;
use crate::browser::page;
use crate::budget::{Inputs, sweep};
use crate::decimal;
use crate::plot::draw::{Frame, Palette, draw};
use crate::plot::scene::{Axis, Curve, TABLE_STEPS};
use crate::text;
use crate::units::{Fraction, within};

/// Names of the colours that the style sheet lends to the canvas, which understands no custom properties.
const COLORS: [&str; 7] = ["ink", "soft", "line", "paper", "short", "room", "reserve"];

/// What the section is made of.
#[derive(Clone, Copy)]
struct Section {
    state: State,
    look: RwSignal<Look>,
}

/// What only this section knows.
#[derive(Clone, Copy, Default)]
struct Look {
    axis: Axis,
    /// The fraction under the pointer or the keyboard's cursor.
    pointed: Option<f64>,
    /// Counts what makes the same curve look different: size, zoom, colours.
    appearance: u32,
}

impl Section {
    fn point(self, fraction: Option<f64>) {
        self.look.update(|look| look.pointed = fraction);
    }

    fn redraw(self) {
        self.look.update(|look| look.appearance = look.appearance.wrapping_add(1));
    }
}

/// Puts a canvas into the place of the delivered picture and binds everything around it.
pub fn bind(state: State, turns: &Turns) {
    let Some(plot) = dom::by_id::<HtmlElement>("plot") else { return };
    let Some(canvas) = replace_picture(&plot) else { return };
    let section = Section { state, look: RwSignal::new(Look::default()) };
    paint_on_change(section, &canvas, turns);
    bind_pointer(section, &plot, &canvas);
    bind_keys(section, &plot);
    bind_axis(section);
    bind_read_out(section, &plot, turns);
    bind_table(section);
}

/// The canvas, and hidden swatches beside it.
fn replace_picture(plot: &HtmlElement) -> Option<HtmlCanvasElement> {
    let create = |tag: &str| document().create_element(tag).ok();
    let canvas: HtmlCanvasElement = create("canvas")?.dyn_into().ok()?;
    plot.replace_children_with_node_1(&canvas);
    for color in COLORS {
        let swatch = create("i")?;
        swatch.set_attribute("data-color", color).ok()?;
        swatch.set_attribute("hidden", "").ok()?;
        plot.append_child(&swatch).ok()?;
    }
    let cursor = create("div")?;
    cursor.set_class_name("plot__cursor");
    cursor.set_attribute("hidden", "").ok()?;
    plot.append_child(&cursor).ok()?;
    for (name, value) in [
        ("role", "slider"),
        ("tabindex", "0"),
        ("aria-label", "Read the curve at a fraction; Enter takes it over"),
        ("aria-valuemin", "0"),
        ("aria-valuemax", "1"),
    ] {
        plot.set_attribute(name, value).ok()?;
    }
    Some(canvas)
}

fn paint_on_change(section: Section, canvas: &HtmlCanvasElement, turns: &Turns) {
    let painted = canvas.clone();
    let mut drawn: Option<Curve> = None;
    let mut surface: Option<Surface> = None;
    let mut seen = None;
    let work = move || {
        let Look { axis, appearance, .. } = section.look.get_untracked();
        let (curve, theme) =
            section.state.scenario.with_untracked(|scenario| (Curve::of(scenario, axis), scenario.view.theme));
        // Size and colours are asked for only where they may be others: the answer would lay out the whole page.
        if seen != Some((appearance, theme)) || surface.is_none() {
            seen = Some((appearance, theme));
            surface = Surface::of(&painted);
            drawn = None;
        }
        // Pointing moves the cursor above the canvas, not what is on it.
        if let Some(surface) = &surface
            && drawn.as_ref() != Some(&curve)
        {
            paint(&painted, &curve, surface);
            drawn = Some(curve);
        }
    };
    let (ticket, turns) = (turns.add(Box::new(work)), turns.clone());
    State::watch(Box::new(move |_| {
        section.look.track();
        section.state.scenario.track();
        turns.ask(ticket);
    }));
    // The canvas's box is sized by the style sheet, and nothing in it can change it.
    let callback = Closure::<dyn Fn()>::new(move || section.redraw());
    if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
        observer.observe(canvas);
        callback.forget();
    }
    for listener in page::on_appearance(move || section.redraw()) {
        listener.forget();
    }
}

fn bind_pointer(section: Section, plot: &HtmlElement, canvas: &HtmlCanvasElement) {
    let canvas = canvas.clone();
    let at = move |event: &Event| {
        // By its box: its own pixels are only set when it is first drawn.
        let place = canvas.get_bounding_client_rect();
        let x = f64::from(event.dyn_ref::<MouseEvent>()?.client_x()) - place.left();
        let fraction = Frame::new(place.width().round() as u32, 0, 1.0).fraction_at(x);
        (0.0..=place.width()).contains(&x).then_some(decimal::thousandths(fraction))
    };
    let at = Rc::new(at);
    let pointed = Rc::clone(&at);
    dom::on(plot, "pointermove", move |event| section.point(pointed(event)));
    for kind in ["pointerleave", "blur"] {
        dom::on(plot, kind, move |_| section.point(None));
    }
    // A finger does not move before its tap, and has left when that is told.
    dom::on(plot, "click", move |event| take(section, section.look.get_untracked().pointed.or_else(|| at(event))));
}

/// The pointed fraction becomes the scenario's.
fn take(section: Section, fraction: Option<f64>) {
    if let Some(fraction) = fraction.and_then(Fraction::new) {
        section.state.edit(|scenario| scenario.fraction = fraction);
    }
}

fn bind_keys(section: Section, plot: &HtmlElement) {
    dom::on(plot, "keydown", move |event: &Event| {
        let Some(key) = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key) else { return };
        let here = section.state.scenario.with_untracked(|scenario| scenario.fraction.get());
        let now = section.look.get_untracked().pointed.unwrap_or(here);
        let to = match key.as_str() {
            "ArrowLeft" | "ArrowDown" => now - 0.005,
            "ArrowRight" | "ArrowUp" => now + 0.005,
            "PageDown" => now - 0.05,
            "PageUp" => now + 0.05,
            "Home" => 0.0,
            "End" => 1.0,
            "Enter" => return take(section, Some(now)),
            "Escape" => return section.point(None),
            _ => return,
        };
        event.prevent_default();
        section.point(Some(decimal::thousandths(within(to, 0.0, 1.0))));
    });
}

fn bind_axis(section: Section) {
    for (id, axis) in [("axis-tokens", Axis::Tokens), ("axis-gib", Axis::Gib)] {
        let Some(button) = dom::by_id::<Element>(id) else { continue };
        dom::on(&button, "click", move |_| section.look.update(|look| look.axis = axis));
        dom::enable(&button);
        State::watch(Box::new(move |_| {
            let pressed = if section.look.get().axis == axis { "true" } else { "false" };
            button.set_attribute("aria-pressed", pressed).ok();
        }));
    }
}

fn bind_read_out(section: Section, plot: &HtmlElement, turns: &Turns) {
    let words = dom::by_id::<Element>("read-out");
    let cursor = plot.query_selector(".plot__cursor").ok().flatten();
    let cursor: Option<HtmlElement> = cursor.and_then(|cursor| cursor.dyn_into().ok());
    let plot = plot.clone();
    let read_out: Rc<dyn Fn()> = Rc::new(move || {
        let pointed = section.look.get_untracked().pointed;
        let inputs = section.state.scenario.with_untracked(|scenario| scenario.inputs());
        let fraction = pointed.and_then(Fraction::new).unwrap_or(inputs.fraction);
        let text = text::read_out(&inputs, fraction);
        let share = decimal::write_trimmed(fraction.get(), 4, 0);
        plot.set_attribute("aria-valuenow", &share).ok();
        plot.set_attribute("aria-valuetext", &text).ok();
        if let Some(words) = &words {
            dom::set_text(words, &text);
        }
        if let Some(cursor) = &cursor {
            cursor.set_hidden(pointed.is_none());
            if pointed.is_some() {
                cursor.style().set_property("--from", &share).ok();
            }
        }
    });
    let later = Rc::clone(&read_out);
    let (ticket, turns) = (turns.add(Box::new(move || later())), turns.clone());
    // What is pointed at is read at once.
    State::watch(Box::new(move |_| {
        section.look.track();
        read_out();
    }));
    State::watch(Box::new(move |_| {
        section.state.scenario.track();
        turns.ask(ticket);
    }));
}

/// The table is brought up to date when somebody opens it: closed, nobody sees it and a drag stays cheap.
fn bind_table(section: Section) {
    let (Some(details), Some(body)) = (dom::by_id::<Element>("points"), dom::by_id::<Element>("points-body")) else {
        return;
    };
    let table = body.clone();
    let inputs = move || section.state.scenario.with_untracked(|scenario| scenario.inputs());
    dom::on(&details, "toggle", move |_| fill_table(&table, &inputs()));
    let (printed, table) = (details.clone(), body.clone());
    dom::on(&window(), "beforeprint", move |_| {
        if !printed.has_attribute("open") {
            printed.set_attribute("open", "print").ok();
        }
        fill_table(&table, &inputs());
    });
    let printed = details.clone();
    dom::on(&window(), "afterprint", move |_| {
        if printed.get_attribute("open").as_deref() == Some("print") {
            printed.remove_attribute("open").ok();
        }
    });
    State::watch(Box::new(move |_| {
        let inputs = section.state.scenario.with(|scenario| scenario.inputs());
        if details.has_attribute("open") {
            fill_table(&body, &inputs);
        }
    }));
}

fn fill_table(body: &Element, inputs: &Inputs) {
    let rows = body.children();
    for (index, point) in sweep(inputs, TABLE_STEPS).iter().enumerate() {
        let Some(row) = rows.item(index as u32) else { continue };
        let cells = row.children();
        for (column, words) in text::point(inputs, point.fraction).iter().enumerate() {
            if let Some(cell) = cells.item(column as u32) {
                dom::set_text(&cell, words);
            }
        }
    }
}

/// What the canvas is to be drawn on with: device pixels and colours.
struct Surface {
    width: u32,
    height: u32,
    ratio: f64,
    palette: Palette,
}

impl Surface {
    /// As the style sheet has it now; a hidden canvas has none.
    fn of(canvas: &HtmlCanvasElement) -> Option<Self> {
        let ratio = page::pixel_ratio();
        let size = |css_pixels: i32| (f64::from(css_pixels) * ratio).round() as u32;
        let (width, height) = (size(canvas.client_width()), size(canvas.client_height()));
        if width == 0 || height == 0 {
            return None;
        }
        let plot = canvas.parent_element()?;
        let color = |name: &str| {
            let swatch = plot.query_selector(&["[data-color=", name, "]"].concat()).ok().flatten();
            swatch.and_then(|swatch| page::color(&swatch)).unwrap_or_default()
        };
        let [ink, soft, line, paper, short, room, reserve] = COLORS.map(color);
        Some(Self { width, height, ratio, palette: Palette { ink, soft, line, paper, short, room, reserve } })
    }
}

fn paint(canvas: &HtmlCanvasElement, curve: &Curve, surface: &Surface) {
    let Surface { width, height, ratio, palette } = surface;
    if canvas.width() != *width || canvas.height() != *height {
        canvas.set_width(*width);
        canvas.set_height(*height);
    } else if let Ok(Some(context)) = canvas.get_context("2d")
        && let Ok(context) = context.dyn_into::<CanvasRenderingContext2d>()
    {
        context.clear_rect(0.0, 0.0, f64::from(*width), f64::from(*height));
    }
    if let Some(mut backend) = CanvasBackend::with_canvas_object(canvas.clone()) {
        // A canvas that cannot be drawn on leaves the table, which says the same.
        draw(&mut backend, curve, palette, *ratio).ok();
    }
}

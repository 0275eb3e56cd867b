//! The curve drawn natively as SVG: the same scene that the page draws on its canvas.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kv_budget::plot::draw::{Frame, Palette, draw};
use kv_budget::plot::scene::{Axis, Curve};
use kv_budget::scenario::query::decode;
use plotters_svg::SVGBackend;

const PALETTE: Palette = Palette {
    ink: (1, 1, 1),
    soft: (2, 2, 2),
    line: (3, 3, 3),
    paper: (4, 4, 4),
    short: (200, 0, 0),
    room: (0, 200, 0),
    reserve: (0, 0, 200),
};

fn svg(query: &str, axis: Axis, ratio: f64) -> String {
    let size = ((600.0 * ratio) as u32, (300.0 * ratio) as u32);
    let mut text = String::new();
    draw(&mut SVGBackend::with_string(&mut text, size), &Curve::of(&decode(query).scenario, axis), &PALETTE, ratio)
        .expect("a string takes any drawing");
    text
}

#[test]
fn zones_line_and_labels_are_there() {
    let picture = svg("dyn=9.5", Axis::Tokens, 1.0);
    for part in ["#C80000", "#00C800", "#0000C8", "<polyline", "100k", "300k", "0.55 ✗", "0.88 ✓", "0.0", "1.0"] {
        assert!(picture.contains(part), "{part} is missing");
    }
}

#[test]
fn the_zone_that_cannot_start_ends_at_the_break_even() {
    let picture = svg("", Axis::Tokens, 1.0);
    let frame = Frame::new(600, 300, 1.0);
    let edge = frame.x(0.77) as i32;
    let left = frame.x(0.0) as i32;
    let zone = format!("<rect x=\"{left}\" y=\"22\" width=\"{}\"", edge - left);
    assert!(picture.contains(&zone), "{zone}");
}

#[test]
fn the_strip_of_the_outcomes_is_below_the_axis() {
    let picture = svg("", Axis::Tokens, 1.0);
    let frame = Frame::new(600, 300, 1.0);
    // The axis is at 300 − 26 pixels, and the curve runs along it.
    let strip = format!("<rect x=\"{}\" y=\"278\" ", frame.x(0.0) as i32);
    assert!(picture.contains(&strip), "{picture}");
    assert!(picture.contains(",274 "), "the curve lies on the axis");
}

#[test]
fn constants_grow_with_the_pixel_ratio() {
    let (one, two) = (svg("", Axis::Tokens, 1.0), svg("", Axis::Tokens, 2.0));
    assert!(one.contains("stroke-width=\"3\"") && two.contains("stroke-width=\"5\""));
    assert!(two.contains("width=\"1200\" height=\"600\""));
}

#[test]
fn pixels_lead_back_to_fractions() {
    for ratio in [1.0, 1.25, 2.0, 3.0] {
        let frame = Frame::new((600.0 * ratio) as u32, (300.0 * ratio) as u32, ratio);
        for fraction in [0.0, 0.25, 0.55, 0.77, 1.0] {
            assert!((frame.fraction_at(frame.x(fraction)) - fraction).abs() < 1e-12);
        }
        assert_eq!(frame.fraction_at(-5.0), 0.0);
        assert_eq!(frame.fraction_at(1e6), 1.0);
    }
}

#[test]
fn gib_reach_below_zero() {
    assert!(svg("", Axis::Gib, 1.0).contains("−50"));
}

#[test]
fn nothing_is_drawn_wrong_on_hopeless_inputs() {
    for query in ["total=0", "total=0&avail=0", "avail=4096&total=1", "cell=0.000000001", "cap=1", "page=65536"] {
        for axis in [Axis::Tokens, Axis::Gib] {
            let picture = svg(query, axis, 1.0);
            assert!(!picture.contains("NaN") && !picture.contains("inf"), "{query}");
        }
    }
}

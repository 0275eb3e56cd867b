//! A strip of a knob from 0 to 1: its stretches as boxes, a mark where it stands, and the same in words below.

use crate::view::{Attribute, Element, b, div, i, ol, span};

/// A stretch of the knob.
pub struct Stretch {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// What it is, as `data-zone`.
    pub zone: &'static str,
    /// What to do there, under the box; empty where its neighbour says it.
    pub says: &'static str,
}

/// The boxes with a mark, and the stretches in words.
pub fn strip<'a>(
    stretches: impl Iterator<Item = &'a Stretch> + Clone,
    mark: Option<(f64, String)>,
    words: impl Iterator<Item = Element>,
) -> [Element; 2] {
    let size = |stretch: &Stretch| stretch.to - stretch.from;
    let boxes =
        stretches.clone().map(|stretch| i().set(Attribute::DataZone, stretch.zone).var("--from", size(stretch)));
    let says = stretches.map(|stretch| span().var("--from", size(stretch)).text(stretch.says));
    let mark = mark.filter(|(at, _)| (0.0..=1.0).contains(at)).map(|(at, words)| {
        let side = if at < 0.5 { "early" } else { "late" };
        span().class("strip__mark").set(Attribute::DataHow, side).var("--from", at).with(b().text(words))
    });
    let strip = div()
        .class("strip")
        .set(Attribute::AriaHidden, "true")
        .with(div().class("zones").all(boxes))
        .with(div().class("strip__says").all(says))
        .all(mark);
    [strip, ol().class("strip__words").all(words)]
}

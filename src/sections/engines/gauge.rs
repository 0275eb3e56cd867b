//! One knob as a small bar: all of them on the scale of the card, so that the different bases are seen.

use crate::engines::translate::{Fate, Row};
use crate::view::{Attribute, Element, div, i};

/// The bar of a row: what the knob shares out lies at the end of the card; within it what comes off, and the pool.
///
/// The words beside it say the same.
pub fn gauge(row: &Row, pool: f64, physical: f64, available: f64) -> Element {
    let bar = div().class("gauge").set(Attribute::AriaHidden, "true");
    let (Some(base), Some(less), Some(step)) = (row.base_gib, row.less_gib, row.step_gib) else {
        return bar.all(piece("rest", physical - available, pool, physical));
    };
    // An engine may share out only a part of its base.
    let start = physical - base;
    let bar = bar
        .all(piece("reserved", start, step * 100.0, physical))
        .all(piece("weights", start, less, physical))
        .all(piece("rest", start + less, pool, physical));
    let copied = row.copied.filter(|tried| matches!(tried.fate, Fate::Starts));
    let end = copied.map(|tried| (start + less + tried.pool_gib) / physical);
    bar.all(end.filter(|end| (0.0..=1.0).contains(end)).map(|end| i().class("gauge__copied").var("--from", end)))
}

/// A piece of the bar, cut off at its ends; none where nothing is left of it.
fn piece(term: &str, start: f64, size: f64, physical: f64) -> Option<Element> {
    if physical <= 0.0 {
        return None;
    }
    let (from, until) = ((start / physical).clamp(0.0, 1.0), ((start + size) / physical).clamp(0.0, 1.0));
    let piece = i().set(Attribute::DataTerm, term).var("--from", from).var("--size", until - from);
    (until > from).then_some(piece)
}

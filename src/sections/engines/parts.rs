//! Building blocks and short phrases.

use crate::decimal;
use crate::engines::translate::{Fate, Row, Try};
use crate::engines::{Base, Edge};
use crate::format;
use crate::units::Gib;
use crate::view::{Attribute, Element, h3, section};

/// A part with its heading.
pub fn part(id: &str, title: &str) -> Element {
    let heading = ["engines-title-", id].concat();
    section().class("engines__part").set(Attribute::AriaLabelledby, heading.clone()).with(h3().id(&heading).text(title))
}

/// Five decimals, as the values have them.
pub fn five(value: f64) -> String {
    decimal::write_trimmed(value, 5, 0)
}

/// What a knob refers to.
pub fn base(row: &Row) -> String {
    let of = match row.base {
        Base::FreeAtInit => "of what was free before the weights",
        Base::PhysicalTotal => "of the whole card",
        Base::FreeAfterWeights => "of what the weights leave free",
        Base::FreeAfterWeightsLessRuntime => "of what weights and its own reserve leave free",
        Base::FreeAfterWeightsAndActivations => "of what weights and activations leave free",
        Base::Bytes => return "a number of bytes, no fraction".to_owned(),
        Base::Tokens => return "a number of tokens, no fraction".to_owned(),
        Base::Blocks => return "a number of blocks, no fraction".to_owned(),
    };
    // An engine may share out only a part of its base.
    let shared = row.step_gib.map(|step| step * 100.0);
    let part = row.base_gib.zip(shared).map(|(base, shared)| shared / base).filter(|part| *part < 0.9999);
    let of = match part {
        Some(part) => ["of ", &format::percent(part), " ", of].concat(),
        None => of.to_owned(),
    };
    let size = shared.map(|shared| [", ", &format::gib(Gib(shared))].concat()).unwrap_or_default();
    let less = match row.less_gib {
        Some(less) if less > 0.0 => ["; ", &format::gib(Gib(less)), " come off"].concat(),
        _ => "; nothing comes off".to_owned(),
    };
    [of, size, less].concat()
}

/// The values that can be used, and what a step of them is worth.
pub fn range(row: &Row) -> Option<String> {
    let (lower, upper) = (row.lower?, row.upper?);
    if lower >= upper {
        return Some("no value is usable".to_owned());
    }
    // A share of what is free must leave something; a share of more may take all there is.
    let most = if row.less_gib == Some(0.0) && upper == 1.0 { ", below " } else { ", up to " };
    let step = row.step_gib.map(|step| ["; 0.01 more is ", &format::gib(Gib(step))].concat());
    Some(["usable above ", &five(lower), most, &five(upper), &step.unwrap_or_default()].concat())
}

/// What becomes of a value, in an engine with this much free.
pub fn fate(tried: Try) -> Option<String> {
    Some(match tried.fate {
        Fate::Starts => return None,
        Fate::RefusesTooLow => "too low: it refuses to start".to_owned(),
        Fate::RefusesTooHigh => "too high: it refuses to start".to_owned(),
        Fate::Collapses => "too low: it starts with its warm-up blocks only, without an error".to_owned(),
        Fate::OutOfMemory => {
            ["it asks for ", &format::gib(Gib(tried.pool_gib)), ", more than is free: out of memory"].concat()
        }
        Fate::NothingLeft => "nothing is left that it could be a share of".to_owned(),
    })
}

/// What happens beyond the usable range.
pub fn edge(edge: Edge) -> &'static str {
    match edge {
        Edge::Refuses => "it refuses to start",
        Edge::ShortensContext => "the context gets shorter, without an error",
        Edge::Collapses => "it starts with next to nothing, without an error",
        Edge::OutOfMemory => "it runs out of memory, at once or later",
        Edge::SpillsToHost => "layers go to the host and it becomes slow, or the allocation fails",
    }
}

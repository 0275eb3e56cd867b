//! vLLM's own strip: two refusals that ask for opposite moves.

use super::parts::{five, part};
use super::setup::Setup;
use crate::engines::translate::Translation;
use crate::engines::{Refusal, Remedy, Way, vllm_strip};
use crate::view::{Attribute, Element, b, code, div, i, li, ol, p, span};

/// A stretch of the knob.
struct Stretch {
    from: f64,
    to: f64,
    zone: &'static str,
    refusal: Option<Refusal>,
}

/// The strip and its stretches in words.
pub fn strip(setup: &Setup, all: &Translation) -> Element {
    let longest = setup.scenario.context.and_then(|tokens| i64::try_from(tokens).ok());
    let strip = vllm_strip(&setup.server, &setup.assumed, longest);
    let refusal = |remedy: Remedy, at: usize| {
        let list = if remedy == Remedy::Lower { &strip.above } else { &strip.below };
        list.get(at).copied()
    };
    let mut stretches = Vec::new();
    let mut start = 0.0_f64;
    let upper = strip.upper.clamp(0.0, 1.0);
    let mut add = |to: f64, zone: &'static str, refusal: Option<Refusal>| {
        let to = to.clamp(0.0, 1.0);
        if to > start {
            stretches.push(Stretch { from: start, to, zone, refusal });
            start = to;
        }
    };
    add(strip.lower.min(upper), "short", refusal(Remedy::Raise, 0));
    if let Some(one) = strip.one_request {
        add(one.min(upper), "short", refusal(Remedy::Raise, 1));
    }
    add(upper, "room", None);
    add(1.0, "short", refusal(Remedy::Lower, 0));
    let zones = stretches
        .iter()
        .map(|stretch| i().set(Attribute::DataZone, stretch.zone).var("--from", stretch.to - stretch.from));
    part("strip", "vLLM refuses in two directions")
        .with(p().text(
            "Below its range vLLM wants a larger value, above it a smaller one, and the two refusals look alike. \
             Lowering gpu_memory_utilization cures only the second.",
        ))
        .with(
            div()
                .class("engines__strip")
                .set(Attribute::AriaHidden, "true")
                .with(div().class("zones").all(zones))
                .all(mark(all)),
        )
        .with(ol().class("engines__stretches").all(stretches.iter().map(in_words)))
        .all(nowhere(strip.empty))
}

/// Where the same pool is.
fn mark(all: &Translation) -> Option<Element> {
    let row = all.rows.iter().find(|row| row.id == Way::Vllm.id())?;
    let value = row.value.filter(|value| (0.0..=1.0).contains(value))?;
    Some(span().class("engines__mark").var("--from", value).with(b().text(row.value_text.clone())))
}

fn in_words(stretch: &Stretch) -> Element {
    let range = [&five(stretch.from), " to ", &five(stretch.to)].concat();
    let item = li().with(b().text(range)).text(": ");
    match stretch.refusal {
        None => item.with(span().text("starts")),
        Some(refusal) => {
            let cure = match refusal.remedy {
                Remedy::Raise => "raise it",
                Remedy::Lower => "lower it",
                Remedy::Other => "the cure is another one",
            };
            item.with(b().text(cure))
                .text(". ")
                .text(refusal.when)
                .text(" It says: ")
                .with(code().text(first_sentence(refusal.text)))
        }
    }
}

/// The first sentence of a message, its figures left out.
fn first_sentence(text: &str) -> String {
    let first = text.split_once(". ").map_or(text, |(first, _)| first);
    let first = first.strip_prefix("ValueError: ").unwrap_or(first);
    [&first.replace("{}", "…"), "."].concat()
}

fn nowhere(empty: bool) -> Option<Element> {
    let words = "The two ranges overlap: with these numbers no value starts. A shorter context, less memory for \
                 activations or fewer weights on a GPU help.";
    empty.then(|| p().class("engines__trouble").text(words))
}

//! vLLM's own strip: two refusals that ask for opposite moves.

use super::parts::{five, part};
use super::setup::Setup;
use crate::engines::translate::Translation;
use crate::engines::{Refusal, Remedy, Way, vllm_strip};
use crate::sections::strip::{self, Stretch};
use crate::view::{Element, b, code, li, p, span};

/// The strip and its stretches in words.
pub fn strip(setup: &Setup, all: &Translation) -> Element {
    let longest = setup.scenario.context.and_then(|tokens| i64::try_from(tokens).ok());
    let strip = vllm_strip(&setup.server, &setup.assumed, longest);
    let refusal = |remedy: Remedy, at: usize| {
        let list = if remedy == Remedy::Lower { &strip.above } else { &strip.below };
        list.get(at).copied()
    };
    let mut stretches: Vec<(Stretch, Option<Refusal>)> = Vec::new();
    let mut start = 0.0_f64;
    let upper = strip.upper.clamp(0.0, 1.0);
    let mut add = |to: f64, zone: &'static str, says: &'static str, refusal: Option<Refusal>| {
        let to = to.clamp(0.0, 1.0);
        if to > start {
            stretches.push((Stretch { from: start, to, zone, says }, refusal));
            start = to;
        }
    };
    add(strip.lower.min(upper), "short", "raise it →", refusal(Remedy::Raise, 0));
    if let Some(one) = strip.one_request {
        add(one.min(upper), "short", "", refusal(Remedy::Raise, 1));
    }
    add(upper, "room", "", None);
    add(1.0, "high", "← lower it", refusal(Remedy::Lower, 0));
    let row = all.rows.iter().find(|row| row.id == Way::Vllm.id());
    let mark = row.and_then(|row| Some((row.value?, row.value_text.clone())));
    let words = stretches.iter().map(|(stretch, refusal)| in_words(stretch, *refusal));
    part("strip", "vLLM refuses in two directions")
        .with(p().text(
            "Below its range vLLM wants a larger value, above it a smaller one, and the two refusals look alike. \
             Lowering gpu_memory_utilization cures only the second.",
        ))
        .all(strip::strip(stretches.iter().map(|(stretch, _)| stretch), mark, words))
        .all(nowhere(strip.empty))
}

fn in_words(stretch: &Stretch, refusal: Option<Refusal>) -> Element {
    let range = [&five(stretch.from), " to ", &five(stretch.to)].concat();
    let item = li().with(b().text(range)).text(": ");
    match refusal {
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

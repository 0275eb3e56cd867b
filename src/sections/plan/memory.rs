//! What must stay free, the band that it leaves, and unequal GPUs.

use super::choices::Choices;
use super::parts::{from_mib, how, part, row, scrolling, share, signed, thousands};
use crate::decimal;
use crate::engines::sglang::reserve::When;
use crate::format;
use crate::plan::answer::{Part, Planned, RankAnswer, Row};
use crate::sections::strip::{Stretch, strip};
use crate::units::Gib;
use crate::view::{Attribute, Element, a, b, code, div, h4, li, p, span, ul};

/// SGLang's heuristic and the parts, side by side.
pub fn need(plan: &Planned) -> Element {
    let heuristic = plan.reserve_terms.iter().map(|term| row(&term.label, [from_mib(term.mib)]));
    let heuristic = heuristic.chain([row("in all", [from_mib(plan.reserve_mib)])]);
    let parts =
        plan.need_terms.iter().map(|term| row(&term.label, [from_mib(term.mib.value), when(term), how(&term.mib)]));
    let sums = [
        ("at the lowest point of the start", plan.need_start_mib),
        ("after the start", plan.need_kept_mib),
        ("under ordinary requests", plan.need_load_mib),
    ];
    let sums = sums.map(|(name, mib)| row(name, [from_mib(mib), String::new(), String::new()]));
    let honesty = if plan.measured {
        "Servers of this kind were measured: 57 starts on one H200. These parts decide the upper edge."
    } else {
        "No server of this kind was measured; what was measured is one Hopper GPU, without a draft model or images. Part by part \
         it is a guess here, so the upper edge is what SGLang’s own reserve keeps."
    };
    part("need", "What must stay free for activations and graphs")
        .with(p().text(honesty))
        .with(
            div()
                .class("plan__sides")
                .with(div().with(h4().text("SGLang’s own reserve")).with(scrolling(
                    "SGLang’s own reserve",
                    &["for", "memory"],
                    heuristic,
                )))
                .with(div().with(h4().text("Part by part")).with(scrolling(
                    "The need part by part",
                    &["for", "memory", "when", "how it is known"],
                    parts.chain(sums),
                ))),
        )
        .with(p().id("plan-long").text(long_prompts(plan)))
        .all(plan.logprob_mib_per_token.map(|mib| {
            let each = format::number(mib, 2) + " MiB";
            p().text(
                [
                    "A request that asks for input logprobs takes about ",
                    &each,
                    " more for each token of its prompt, from the same room; chunks do not bound it. For 8,000 tokens keep ",
                    &about(8000.0 * mib),
                    " free besides. It was measured on one H200 and is scaled by the vocabulary.",
                ]
                .concat(),
            )
        }))
}

/// A rough amount of MiB.
fn about(mib: f64) -> String {
    ["about ", &format::number(mib / 1024.0, 1), " GiB"].concat()
}

/// What long prompts need.
fn long_prompts(plan: &Planned) -> String {
    let more = about(plan.need_load_mib - plan.need_kept_mib);
    let kept = [&more, " more than after the start"].concat();
    if plan.chunk > 0 {
        let chunk = format::whole(plan.chunk);
        ["A long prompt goes through in chunks of ", &chunk, " tokens, so requests of any length need ", &kept, "."]
            .concat()
    } else {
        ["With chunking off a prompt goes through whole, up to 16,384 tokens at once; such requests need ", &kept, "."]
            .concat()
    }
}

fn when(part: &Part) -> String {
    match part.when {
        When::Kept => "always",
        When::Capture => "while graphs are captured",
        When::Load => "under requests",
    }
    .to_owned()
}

/// Lower edge, upper edge, what lies between, and what moves them.
pub fn band(plan: &Planned) -> Element {
    let why = if plan.measured {
        "above it too little stays free, by parts that were measured"
    } else {
        "there SGLang’s own reserve begins, and what is possible above was not measured"
    };
    let upper = [&format::number(plan.max_fraction, 3), ": ", why].concat();
    let words = match plan.suggested_fraction {
        Some(lower) if lower <= plan.max_fraction => {
            ["From ", &format::fraction_to_type(lower), ", where the weights fit, to ", &upper, "."].concat()
        }
        Some(lower) => {
            let lower = format::fraction_to_type(lower);
            let opens: Vec<&str> =
                plan.changes.iter().filter(|row| has_band(row)).map(|row| row.label.as_str()).collect();
            let cure = if opens.is_empty() {
                "None of the changes below opens it alone.".to_owned()
            } else {
                ["These open it: ", &opens.join(", "), "."].concat()
            };
            ["Empty. The weights need ", &lower, ", and the upper edge is ", &upper, ". ", &cure].concat()
        }
        None => "Empty: the weights do not fit at any fraction.".to_owned(),
    };
    let idle = match (plan.idle_gib, plan.idle_tokens) {
        (Some(gib), Some(tokens)) if gib > 0.0 => {
            let (own, gib) = (share(plan.fraction.value), about(gib * 1024.0));
            Some(["At ", &own, " ", &gib, " stay idle: about ", &thousands(tokens as f64), " tokens more."].concat())
        }
        _ => None,
    };
    let edges = |row: &Row| {
        let lower = row.min_fraction.map_or_else(|| "none".to_owned(), format::fraction_to_type);
        let wider = row.wider.map_or_else(|| "not comparable".to_owned(), signed);
        super::capacity::linked(row, [lower, format::number(row.max_fraction, 3), wider])
    };
    let moves = (!plan.changes.is_empty()).then(|| {
        let words = "What moves an edge, one change at a time. An fp8 KV cache makes a token smaller, not the weights: it \
                     leaves the lower edge where it is.";
        let columns = ["change", "from", "to", "band wider by"];
        [p().text(words), scrolling("What moves an edge of the band", &columns, plan.changes.iter().map(edges))]
    });
    let own = share(plan.fraction.value);
    let stretches = stretches(plan);
    let items = stretches.iter().map(|(stretch, words)| {
        let edge = |share| decimal::write_trimmed(share, 3, 0);
        let range = [&edge(stretch.from), " to ", &edge(stretch.to)].concat();
        li().with(b().text(range)).text([": ", words].concat())
    });
    part("band", "The fractions that work")
        .with(p().id("plan-band").text(words))
        .all(strip(stretches.iter().map(|(stretch, _)| stretch), Some((plan.fraction.value, own)), items))
        .all(idle.map(|words| p().text(words)))
        .all(moves.into_iter().flatten())
}

fn has_band(row: &Row) -> bool {
    row.min_fraction.is_some_and(|lower| lower <= row.max_fraction)
}

/// The strip from 0 to 1, each stretch with what happens there.
fn stretches(plan: &Planned) -> Vec<(Stretch, &'static str)> {
    let lower = plan.suggested_fraction.unwrap_or(1.0);
    let upper = plan.max_fraction.max(lower);
    let mut start = 0.0;
    let mut all = Vec::new();
    let mut add = |to: f64, zone, says, words| {
        if to > start {
            all.push((Stretch { from: start, to, zone, says }, words));
            start = to;
        }
    };
    let raise = if plan.suggested_fraction.is_some() { "raise it →" } else { "" };
    add(lower, "short", raise, "cannot start, the weights need more");
    add(upper, "room", "", "works");
    if plan.measured {
        add(plan.start_fraction, "high", "", "starts, and runs out of memory under requests");
        add(1.0, "high", "← lower it", "runs out of memory while graphs are captured");
    } else {
        add(
            1.0,
            "high",
            "not measured",
            "less stays free than SGLang’s own reserve; not measured, so it may work or run out of memory",
        );
    }
    all
}

/// The GPUs, where each was given.
pub fn ranks(choices: &Choices, plan: &Planned) -> Option<Element> {
    let ranks = plan.ranks.as_ref()?;
    let most = choices.free().iter().copied().fold(0.0, f64::max);
    let bars = choices.free().iter().zip(0_u64..).map(|(gib, index)| {
        let decides = index == ranks.deciding;
        let name = ["GPU ", &index.to_string()].concat();
        li().with(span().text(name))
            .with(
                div()
                    .class("rank")
                    .set(Attribute::AriaHidden, "true")
                    .set(Attribute::DataHow, if decides { "decides" } else { "" })
                    .var("--size", share_of(*gib, most)),
            )
            .with(b().text(format::gib(Gib(*gib))))
            .with(span().text(if decides { "decides" } else { "" }))
    });
    let words = [
        "The fullest GPU decides for all: GPU ",
        &ranks.deciding.to_string(),
        " with ",
        &format::gib(Gib(ranks.least_gib)),
        ".",
    ]
    .concat();
    Some(
        part("ranks", "GPU by GPU, free at the start")
            .with(p().text(words))
            .with(ul().class("ranks").all(bars))
            .with(imbalance(ranks)),
    )
}

fn share_of(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn imbalance(ranks: &RankAnswer) -> Element {
    if !ranks.compared {
        return p().text("SGLang compares them only under tensor parallelism: here it does not refuse for imbalance.");
    }
    if !ranks.refused {
        return p().text("They are within ten percent of each other, so SGLang does not refuse for imbalance.");
    }
    p().class("plan__trouble")
        .text("One has less than nine tenths of another: SGLang refuses with ")
        .with(code().text(ranks.message.clone().unwrap_or_default()))
        .text(" Find what occupies that GPU, or start with ")
        .with(code().text(ranks.variable.unwrap_or_default()))
        .text(" to get only a warning.")
}

/// A link to a scenario.
pub fn link(words: &str, scenario: &str) -> Element {
    a().to_scenario(scenario).text(words)
}

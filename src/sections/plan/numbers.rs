//! The four numbers, the cell's arithmetic and the automatic fraction.

use super::choices::{Choices, NUMBERS, written};
use super::parts::{apart, from_mib, part, rank, row, scrolling, share, thousands, with_spread};
use crate::catalog::gpus::{self, Gpu};
use crate::decimal;
use crate::engines::sglang::cell::CellKind;
use crate::format;
use crate::plan::answer::Planned;
use crate::scenario::Scenario;
use crate::text::field_text;
use crate::units::{Bytes, BytesPerToken, GIB, Gib, within};
use crate::view::{Attribute, Element, b, code, div, input, label, p, span, table, tbody, td, th, thead, tr};

/// The four numbers, each with where it comes from.
pub fn numbers(choices: &Choices, plan: &Planned, filled: &Scenario) -> Element {
    let rows = NUMBERS.map(|name| number(name, choices, plan, filled));
    let head = ["number", "value", "where it comes from", "by hand"];
    let head = head.map(|column| th().set(Attribute::Scope, "col").text(column));
    part("numbers", "Where the four numbers come from")
        .with(verdict(plan))
        .all(spread(plan))
        .with(
            table()
                .class("plan__numbers")
                .with(thead().with(tr().all(head)))
                .with(tbody().all(rows)),
        )
        .with(p().class("aside").text(
            "They are in the sliders above now. One that you move there, or tick here, stays as it is while the rest is \
             planned anew.",
        ))
        .with(div().all(NUMBERS.map(|name| was(name, filled))))
}

/// A number that is kept while nothing can be planned.
pub fn kept(name: &str, scenario: &Scenario) -> Element {
    let pin = input().set(Attribute::Type, "hidden").set(Attribute::Name, ["pin-", name].concat());
    div().with(was(name, scenario)).with(pin.set(Attribute::Value, "1"))
}

/// What the control had when it was filled; what differs from it later was moved by hand.
fn was(name: &str, filled: &Scenario) -> Element {
    input()
        .set(Attribute::Type, "hidden")
        .set(Attribute::Name, ["was-", name].concat())
        .set(Attribute::Value, written(filled, name))
}

fn number(name: &'static str, choices: &Choices, plan: &Planned, filled: &Scenario) -> Element {
    let words = field_text(name);
    let kept = choices.pinned.contains(&name);
    let shown = match name {
        "f" => share(plan.fraction.value),
        "total" => with_spread(&plan.total),
        "avail" => with_spread(&plan.available),
        _ => bytes(plan.charged),
    };
    let id = ["plan-pin-", name].concat();
    let tick = input()
        .id(&id)
        .set(Attribute::Type, "checkbox")
        .set(Attribute::Name, ["pin-", name].concat())
        .set(Attribute::Value, "1")
        .flag(Attribute::Checked, kept);
    let name_of = if words.label.starts_with("--") { code().text(words.label) } else { span().text(words.label) };
    tr().set(Attribute::DataTerm, words.term.slug())
        .with(th().set(Attribute::Scope, "row").with(name_of))
        .with(td().with(b().text(shown)))
        .with(td().text(if kept { "given by hand".to_owned() } else { source(name, choices, plan, filled) }))
        .with(
            td().with(
                label()
                    .set(Attribute::For, id)
                    .class("plan__tick")
                    .with(tick)
                    .with(span().class("unseen").text(["keep ", words.label].concat())),
            ),
        )
}

fn card(filled: &Scenario) -> Option<&'static Gpu> {
    filled.plan.gpu.as_deref().and_then(gpus::find)
}

fn source(name: &str, choices: &Choices, plan: &Planned, filled: &Scenario) -> String {
    match name {
        "f" if plan.auto_exact => {
            ["exact: what SGLang ", &filled.sglang.text(), " picks when the flag is absent"].concat()
        }
        "f" => [NOT_KNOWN, &filled.sglang.text(), " picks when the flag is absent"].concat(),
        "total" if !choices.free().is_empty() => "the least of what was given for each GPU".to_owned(),
        "total" => {
            let card = card(filled).map(|gpu| from_mib(gpu.mib as f64)).unwrap_or_default();
            ["estimated: the card’s ", &card, " less driver, CUDA context and communicators"].concat()
        }
        "avail" => {
            let weights = format::gib(Gib(plan.total.value - plan.available.value));
            ["estimated: total less ", &weights, " of weights on each GPU"].concat()
        }
        _ if plan.charged > plan.cell.value => {
            [&bytes(plan.cell.value), " of KV cache, by the model’s config, and the share of the states of requests"]
                .concat()
        }
        _ => "exact: layers and heads of the model’s config".to_owned(),
    }
}

/// Where the automatic fraction depends on something that is not known; the issues say on what.
const NOT_KNOWN: &str = "not certain (see the notes): what the nearest known rules say that SGLang ";

/// Where the upper edge is only SGLang's own reserve.
const UNMEASURED: &str = "less stays free than SGLang’s own reserve; whether it works was not measured.";

/// Whether the weights, as far as their estimate is off, decide between a pool and none.
fn is_open(plan: &Planned) -> bool {
    let rest = plan.available.value - plan.total.value * (1.0 - plan.fraction.value);
    plan.available.half_width.is_some_and(|width| rest.abs() < width)
}

/// What follows, in a sentence.
fn verdict(plan: &Planned) -> Element {
    let short = plan.suggested_fraction.is_some_and(|least| plan.fraction.value < least);
    let open = is_open(plan) && (short || plan.verdict == "starts");
    let (cannot, decides) =
        if open { ("May not start at ", " Their estimate decides.") } else { ("Cannot start at ", "") };
    let tokens = format::tokens(crate::units::Tokens(plan.tokens)) + rank(plan);
    let fraction = share(plan.fraction.value);
    let words = match plan.verdict {
        "starts" if open => {
            ["May start at ", &fraction, ", with room for ", &tokens, ": the estimate of the weights decides."].concat()
        }
        "starts" => ["Starts at ", &fraction, " with room for ", &tokens, "."].concat(),
        "too_high" => {
            let free = if plan.measured { "too little stays free for the rest." } else { UNMEASURED };
            ["At ", &fraction, " the pool has ", &tokens, ", but ", free].concat()
        }
        "no_fraction_works" if plan.suggested_fraction.is_none() => no_room(plan),
        "no_fraction_works" if plan.measured => {
            "No fraction works: what the weights need and what must stay free overlap.".to_owned()
        }
        "no_fraction_works" => {
            let start = if short {
                [cannot, &fraction, ": ", &least(plan), decides, " There "].concat()
            } else {
                ["At ", &fraction, " "].concat()
            };
            [&start, UNMEASURED].concat()
        }
        _ => [cannot, &fraction, ": ", &least(plan), decides].concat(),
    };
    p().set(Attribute::DataVerdict, if open { "open" } else { plan.verdict }).class("plan__verdict").text(words)
}

/// No fraction gives a pool: by how much the weights are too large, and what would make them fit.
fn no_room(plan: &Planned) -> String {
    let amount = |gib: f64| format::number(gib, 1) + " GiB";
    let (total, available) = (plan.total.value, plan.available.value);
    let weights = amount(total - available);
    let why =
        ["No fraction starts it: the weights take ", &weights, " on each GPU, and ", &amount(total), " are free."];
    let fits = plan.changes.iter().filter(|row| row.min_fraction.is_some()).map(|row| row.label.as_str());
    let fits: Vec<&str> = fits.collect();
    let help =
        if fits.is_empty() { String::new() } else { [" It starts with ", &fits.join(", or with "), "."].concat() };
    why.concat() + &help
}

/// How far the estimates leave the lower edge open: a verdict is worth no more than they are.
fn spread(plan: &Planned) -> Option<Element> {
    // Where the weights do not fit even with it there is no edge.
    let width =
        plan.available.half_width.filter(|width| plan.total.value > 0.0 && plan.available.value + width > 0.0)?;
    let middle = 1.0 - plan.available.value / plan.total.value;
    let edge = |share: f64| format::number(within(middle + share, 0.0, 1.0), 3);
    let share = width / plan.total.value;
    // What is free at the start counts with the fraction of it that the pool may use.
    let moved = width + plan.total.half_width.unwrap_or_default() * plan.fraction.value;
    let parts = [
        "The weights are estimated: with their spread they need a fraction between ",
        &edge(-share),
        " and ",
        &edge(share),
        ", and the pool may be larger or smaller by about ",
        &thousands(moved * GIB / plan.charged),
        " tokens. A log of a start, or the checkpoint’s size, tells it better.",
    ];
    Some(p().id("plan-spread").text(parts.concat()))
}

fn least(plan: &Planned) -> String {
    match plan.suggested_fraction {
        Some(least) => ["the weights need ", &format::fraction_to_type(least), "."].concat(),
        None => "the weights do not fit.".to_owned(),
    }
}

/// The cell with every summand.
pub fn cell(plan: &Planned) -> Element {
    let title = ["Cell size: ", &bytes(plan.cell.value), " for one token on one GPU"].concat();
    let rows = plan.cell_terms.iter().map(|term| row(&term.label, [bytes(term.bytes)]));
    let state = plan.state_bytes_per_request.map(|bytes| {
        let bytes = format::bytes(Bytes(i64::try_from(bytes).unwrap_or(i64::MAX)));
        p().text(["Besides, the linear layers keep ", &bytes, " for each request, whatever its length."].concat())
    });
    part("cell", &title)
        .with(p().text(kind(plan.kind)))
        .with(scrolling("Terms of the cell size", &["term", "value"], rows))
        .all(state)
}

fn bytes(each: f64) -> String {
    BytesPerToken::new(each).map(format::cell).unwrap_or_default() + " bytes"
}

fn kind(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Mha => "Multi-head attention: keys and values of every head, divided by the tensor-parallel size.",
        CellKind::Gqa => {
            "Grouped-query attention: keys and values of the KV heads, divided by the tensor-parallel size down to one \
             head a GPU."
        }
        CellKind::Mla => {
            "Latent attention: one compressed row for all heads. Every GPU keeps all of it, so more tensor parallelism \
             does not make it smaller."
        }
        CellKind::Dsa => "Latent attention with an indexer: one compressed row and its index, whole on every GPU.",
        CellKind::SwaHybrid => "Two pools: layers with full attention, and layers that only see a window.",
        CellKind::LinearHybrid => "Only the layers with softmax attention keep tokens; the linear ones keep a state.",
    }
}

/// The automatic fraction as a sum.
pub fn automatic(plan: &Planned, filled: &Scenario) -> Element {
    let value = share(plan.auto_fraction);
    let title = ["The automatic fraction: ", &value].concat();
    let body = part("auto", &title).with(p().text(
        [
            if plan.auto_exact { "What SGLang " } else { "What the nearest known rules say that SGLang " },
            &filled.sglang.text(),
            " takes when --mem-fraction-static is absent. It starts from the card and the flags and does not know how large \
             the model is.",
        ]
        .concat(),
    ));
    let Some(gpu) = card(filled) else { return body };
    let mib = gpu.mib as f64;
    let rows = plan.reserve_terms.iter().map(|term| row(&term.label, [from_mib(term.mib)]));
    let sum = row("set aside in all", [from_mib(plan.reserve_mib)]);
    let before = (mib - plan.reserve_mib) / mib;
    let ratio = ["(", &from_mib(mib), " − ", &from_mib(plan.reserve_mib), ") ÷ ", &from_mib(mib)].concat();
    let before = row(&ratio, [format::number(before, 3)]);
    let vision = plan.multimodal_factor.map(|factor| {
        row(
            &["× ", &share(factor), ", for the vision tower"].concat(),
            [decimal::write_trimmed(plan.auto_fraction, 7, 3)],
        )
    });
    let rows = rows.chain([sum, before]).chain(vision);
    body.with(scrolling("Terms of the automatic fraction", &["term", "value"], rows))
        .all(cannot_start(plan))
        .with(p().text(unknown_card(plan)))
        .all(worked_case(plan, filled))
}

fn cannot_start(plan: &Planned) -> Option<Element> {
    let least = plan.suggested_fraction.filter(|_| plan.auto_cannot_start);
    let words = match least {
        Some(least) => {
            let (picked, needed) = apart(plan.auto_fraction, least);
            ["It cannot start: auto picks ", &picked, ", the weights need ", &needed, "."].concat()
        }
        None if plan.auto_cannot_start => "It cannot start: the weights alone are too large.".to_owned(),
        None => return None,
    };
    Some(p().class("plan__trouble").id("plan-auto-trouble").text(words))
}

fn unknown_card(plan: &Planned) -> String {
    let constant = share(plan.auto_unknown_gpu);
    ["Where SGLang cannot read the size of the GPU there is no sum: it takes ", &constant, " instead."].concat()
}

/// Why the real run had another value.
fn worked_case(plan: &Planned, filled: &Scenario) -> Option<Element> {
    let (model, gpu) = (filled.plan.model.as_deref()?, filled.plan.gpu.as_deref()?);
    if (model, gpu) != ("kimi-k2.5", "rtx-pro-6000") {
        return None;
    }
    let by_source = share(0.88 * plan.multimodal_factor?);
    let value = share(plan.auto_fraction);
    Some(p().id("plan-worked-case").text(
        [
            "In the week told above the run that worked had no fraction on its command line, and its log shows 0.88, not ",
            &value,
            ". 0.88 is what SGLang takes where it cannot read the GPU’s memory size. By the source the vision tower’s \
             factor would have made it ",
            &by_source,
            "; the record shows 0.88, and why the factor was left out it does not say.",
        ]
        .concat(),
    ))
}

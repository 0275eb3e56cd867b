//! Pictures and tables of single steps.

use super::prose::Prose;
use super::steps;
use super::values::{self, BUFFERS, FAILING, MAPPINGS, MISREAD, ONE_SHORT, WORKING};
use crate::budget::compare;
use crate::catalog::case::{ARGUMENTS, Argument};
use crate::format;
use crate::text::table::Text;
use crate::units::Gib;
use crate::view::{
    Attribute, Element, b, button, caption, code, div, i, small, span, table, tbody, td, tfoot, th, thead, tr,
};

/// Buttons that move the bars, in the steps that have some: runs or beliefs by their ids.
pub fn takes(prose: &Prose, step: u64) -> Option<Element> {
    let words = &prose.words.takes;
    let choices: &[(&str, Text)] = match step {
        4 => &[(MISREAD, words.card), (FAILING, words.measured), (ONE_SHORT, words.one_short)],
        5 => &[(FAILING, words.none), (BUFFERS, words.buffers), (MAPPINGS, words.mappings)],
        8 => &[(FAILING, words.typed), (WORKING, words.picked)],
        _ => return None,
    };
    Some(
        div()
            .class("story__takes")
            .set(Attribute::Role, "group")
            .set(Attribute::AriaLabel, words.label)
            .all(choices.iter().map(|(id, text)| take(prose, id, text))),
    )
}

/// A button that moves the bars to a run.
pub fn take(prose: &Prose, id: &'static str, text: Text) -> Element {
    let pressed = steps::numbers_equal(prose.scenario, &values::run(id));
    prose
        .fill(button(), text)
        .id(&[prose.prefix, "-take-", id].concat())
        .set(Attribute::Type, "button")
        .set(Attribute::Name, ["take=", id].concat())
        .set(Attribute::AriaPressed, if pressed { "true" } else { "false" })
        .asks(&[prose.kind, "/take"].concat(), "click")
}

/// The gap and the suspects on one scale.
pub fn sizes(prose: &Prose) -> Element {
    let words = &prose.words.sizes;
    let gap = values::gap();
    let row = |text: Text, kind: &str, amount: Gib| {
        div()
            .class("story__size")
            .with(prose.fill(span(), text))
            .with(div().class("story__scale").with(i().set(Attribute::DataHow, kind).var("--size", amount.0 / gap.0)))
            .with(b().text(if kind == "gap" { format::gib(amount) } else { format::mib(amount) }))
    };
    div()
        .class("story__sizes")
        .set(Attribute::Role, "group")
        .set(Attribute::AriaLabel, words.label)
        .with(row(words.gap, "gap", gap))
        .with(row(words.mappings, "suspect", -values::moved(MAPPINGS)))
        .with(row(words.buffers, "suspect", -values::moved(BUFFERS)))
}

/// The arguments of the two starts, and the exact split of the difference.
pub fn logs(prose: &Prose) -> Element {
    let words = &prose.words.logs;
    let split = compare(&values::run(WORKING).inputs(), &values::run(FAILING).inputs());
    let effect = |amount: Gib| if amount.0 == 0.0 { words.none.to_owned() } else { format::difference(amount) };
    let head = |text: Text| prose.fill(th().set(Attribute::Scope, "col"), text);
    let line = |name: Element, worked: Vec<Element>, failed: Vec<Element>, effect: String| {
        tr().with(th().set(Attribute::Scope, "row").with(name))
            .with(td().all(worked))
            .with(td().all(failed))
            .with(td().class("story__effect").text(effect))
    };
    let argument = |argument: &Argument| {
        let is_fraction = argument.name == "mem_fraction_static";
        let value = |text: &str, how: Text| {
            let mut shown = vec![code().text(text)];
            if is_fraction {
                shown.push(prose.fill(small(), how));
            }
            shown
        };
        let moved = if is_fraction { effect(split.fraction) } else { words.none.to_owned() };
        let name = code().text(argument.name);
        line(name, value(argument.worked, words.automatic), value(argument.failed, words.typed), moved)
            .set(Attribute::DataHow, if is_fraction { "cause" } else { "other" })
    };
    let term = |slug: &str, [worked, failed]: [Gib; 2], moved: Gib| {
        let value = |amount: Gib| vec![span().text(format::gib(amount))];
        let name = span().class("term").set(Attribute::DataTerm, slug).text(slug);
        line(name, value(worked), value(failed), effect(moved)).set(Attribute::DataHow, "other")
    };
    let (worked, failed) = (values::run(WORKING), values::run(FAILING));
    div()
        .class("story__scroll")
        .set(Attribute::Tabindex, "0")
        .set(Attribute::Role, "region")
        .set(Attribute::AriaLabelledby, "story-logs")
        .with(
            table()
                .class("story__logs")
                .with(prose.fill(caption().id("story-logs"), words.caption))
                .with(thead().with(tr().with(td()).all([head(words.worked), head(words.failed), head(words.effect)])))
                .with(
                    tbody()
                        .all(ARGUMENTS.iter().map(argument))
                        .with(term("total", [worked.total, failed.total], split.total))
                        .with(term("available", [worked.available(), failed.available()], split.available)),
                )
                .with(tfoot().with(line(
                    prose.fill(span(), words.sum),
                    Vec::new(),
                    Vec::new(),
                    format::difference(split.rest),
                ))),
        )
}

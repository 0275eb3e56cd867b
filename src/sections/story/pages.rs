//! The story as one page that needs no program: all steps one below the other, each with its own picture, for paper and
//! for whoever has no WebAssembly.

use std::cell::Cell;

use super::frame::{beliefs, told};
use super::prose::Prose;
use super::{frame, steps, walk};
use crate::budget::Report;
use crate::format;
use crate::plot::bars::{Bars, Segment};
use crate::scenario::query::encode;
use crate::scenario::{Scenario, evaluate};
use crate::text::story::Language;
use crate::view::{Attribute, Element, a, b, div, h2, p, section, span};

fn still<T>(language: Language, scenario: &Scenario, write: impl FnOnce(&Prose) -> T) -> T {
    let report: Report = evaluate(scenario).report;
    let words = language.words();
    write(&Prose { prefix: "story", kind: "story", scenario, report: &report, words, still: true, live: Cell::new(0) })
}

/// All steps of the story.
pub fn story(language: Language) -> Vec<Element> {
    let steps = language.words().steps.len() as u64;
    (1..=steps).map(|step| still(language, &steps::scenario(step), |prose| one(prose, step))).collect()
}

fn one(prose: &Prose, step: u64) -> Element {
    let Some(own) = usize::try_from(step - 1).ok().and_then(|index| prose.words.steps.get(index)) else {
        return div();
    };
    let mut there = prose.scenario.clone();
    there.view.step = Some(step);
    section()
        .class("story article__step")
        .with(frame::title(prose, step, prose.words.steps.len() as u64, own.title))
        .with(picture(prose))
        .with(div().class("story__columns").with(told(prose, step, own)).with(beliefs(prose, step)))
        .with(p().class("story__aside").with(prose.fill(a().to_scenario(&encode(&there)), prose.words.frame.page)))
}

/// The start-up walk of the run that worked.
pub fn walk(language: Language) -> Vec<Element> {
    let words = &language.words().walk;
    let working = steps::scenario(8);
    let mut found =
        vec![still(language, &working, |prose| prose.fill(h2().class("article__part").id("walk"), words.title))];
    found
        .extend((1..=words.steps.len() as u64).map(|step| still(language, &working, |prose| walk::still(prose, step))));
    found
}

/// The page's own bars, at rest.
pub fn picture(prose: &Prose) -> Element {
    let (report, bars) = (prose.report, Bars::of(prose.report));
    let parts = &report.breakdown;
    let segment = |Segment { term, start, end, .. }: Segment| {
        div().class("segment").set(Attribute::DataTerm, term.slug()).var("--from", start).var("--size", end - start)
    };
    let edge = |class: &str, at: f64| div().class(class).var("--from", at);
    let row = |name: String, value: String, plot: Element| {
        div().class("bars__row").with(p().class("bars__name").text(name).text(" ").with(b().text(value))).with(plot)
    };
    let labelled = |words: [String; 2], pieces: [Segment; 2]| {
        let [first, second] = pieces;
        let [left, right] = words;
        div()
            .class("bars__plot")
            .with(div().class("bars__labels").with(span().text(left)).with(span().text(right)))
            .with(div().class("bars__bar").with(segment(first)).with(segment(second)).with(edge("edge", first.end)))
    };
    let words = &prose.words.walk;
    let amount = |name: &str, amount| [name, " ", &format::gib_number(amount)].concat();
    let rest = div()
        .class("rest")
        .set(Attribute::DataTerm, "rest")
        .with(
            div()
                .class("rest__clip")
                .var("--until", bars.rest.end)
                .with(div().class("rest__fill").var("--from", bars.rest.start).var("--until", bars.rest.end)),
        )
        .with(edge("edge edge--rest", bars.rest.start))
        .with(edge("edge edge--rest", bars.rest.end));
    let own = |words: &'static str| prose.plain(words, &[]);
    div()
        .class(if bars.overdraft { "bars bars--over" } else { "bars" })
        .with(row(
            own(words.free),
            format::gib(report.inputs.total),
            labelled([amount(words.weights, parts.weights), amount("available", report.inputs.available)], bars.free),
        ))
        .with(row(
            "fraction".to_owned(),
            format::fraction(report.inputs.fraction),
            labelled([String::new(), amount(words.reserved, parts.reserved)], bars.budget),
        ))
        .with(row(
            if bars.overdraft { words.missing } else { words.pool }.to_owned(),
            format::gib(parts.rest),
            div().class("bars__plot").with(rest),
        ))
}

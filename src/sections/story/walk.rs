//! "What happens at start-up": five steps on one picture of one GPU, with the scenario's numbers.

use super::figures::take;
use super::frame::{kept, languages, row, title, ways};
use super::prose::Prose;
use super::values::{FAILING, WORKING};
use crate::format;
use crate::plot::bars::{Bars, Segment};
use crate::text::story::Language;
use crate::text::table::Text;
use crate::units::Gib;
use crate::view::{Attribute, Element, b, div, h3, i, li, p, section, small, span, ul};

/// A piece of the picture: what it is, its name, where it lies, what it amounts to.
type Piece = (&'static str, Text, f64, f64, Gib);

/// The walk at one step.
pub fn tree(prose: &Prose, step: u64, language: Language) -> Element {
    let words = &prose.words.walk;
    let index = usize::try_from(step.saturating_sub(1)).unwrap_or(0);
    let Some(own) = words.steps.get(index) else { return div() };
    let names: Vec<Text> = words.steps.iter().map(|step| step.short).collect();
    let next = names.get(index + 1).copied();
    let ended = step > 3 && prose.report.breakdown.pool_tokens.0 == 0;
    let text = div().class("story__text").all(own.told.iter().map(|text| prose.paragraph(text)));
    let ends = prose.follows(div().class("walk__ends"));
    let ends = if ended { ends.with(prose.fill(p(), words.ends)) } else { ends };
    let verdict = if prose.report.breakdown.pool_tokens.0 > 0 { "starts" } else { "cannot_start" };
    let marked = prose.follows(span().class("story__verdict")).set(Attribute::DataVerdict, verdict);
    let log = prose.follows(div());
    let log =
        if ended { log } else { log.with(p().class("story__quote").with(prose.fill(crate::view::code(), own.log))) };
    div()
        .class("story walk")
        .set(Attribute::Lang, language.tag())
        .set(Attribute::DataForm, "walk")
        .with(kept(step, language))
        .with(
            div()
                .class("story__head")
                .with(row(prose, step, &names, words.steps_label))
                .with(languages(prose, language)),
        )
        .with(prose.follows(div().class("walk__picture")).with(picture(prose, step)))
        .with(
            section()
                .class("story__step")
                .set(Attribute::AriaLabelledby, "walk-title")
                .with(title(prose, step, words.steps.len() as u64, own.title))
                .with(ends)
                .with(text)
                .with(log)
                .with(marked),
        )
        .with(
            div()
                .class("story__takes")
                .set(Attribute::Role, "group")
                .set(Attribute::AriaLabel, words.whose)
                .with(take(prose, FAILING, prose.words.takes.typed))
                .with(take(prose, WORKING, prose.words.takes.picked)),
        )
        .with(ways(prose, step, next))
}

/// A step of it on a page without a program.
pub fn still(prose: &Prose, step: u64) -> Element {
    let words = &prose.words.walk;
    let Some(own) = usize::try_from(step - 1).ok().and_then(|index| words.steps.get(index)) else { return div() };
    section()
        .class("story walk article__step")
        .with(prose.fill(h3(), own.title))
        .with(div().class("walk__picture").with(picture(prose, step)))
        .with(div().class("story__text").all(own.told.iter().map(|text| prose.paragraph(text))))
        .with(p().class("story__quote").with(prose.fill(crate::view::code(), own.log)))
}

/// The memory of one GPU after each step.
fn pieces(prose: &Prose, step: u64) -> Vec<Piece> {
    let words = &prose.words.walk;
    let (bars, parts, inputs) = (Bars::of(prose.report), &prose.report.breakdown, &prose.report.inputs);
    let piece = |kind, name, Segment { start, end, .. }: Segment, amount| (kind, name, start, end, amount);
    let [weights, available] = bars.free;
    let [_, reserved] = bars.budget;
    let mut found = Vec::new();
    if step == 1 {
        return vec![("free", words.free, 0.0, 1.0, inputs.total)];
    }
    found.push(piece("weights", words.weights, weights, parts.weights));
    match step {
        2 => found.push(piece("free", words.free, available, inputs.available)),
        _ if bars.overdraft => {
            // Set aside reaches into the weights: what is missing lies over them.
            found.push(("reserved", words.reserved, weights.end, reserved.end, parts.reserved));
            found.push(piece("missing", words.missing, bars.rest, parts.rest));
        }
        _ => {
            let kind = if step == 3 { "free" } else { "pool" };
            let name = if step == 3 { words.free } else { words.pool };
            found.push(piece(kind, name, bars.rest, parts.rest));
            found.push(piece("reserved", words.reserved, reserved, parts.reserved));
        }
    }
    found
}

fn picture(prose: &Prose, step: u64) -> Element {
    let pieces = pieces(prose, step);
    let bar = pieces.iter().map(|(kind, _, start, end, _)| {
        i().set(Attribute::DataHow, *kind).var("--from", *start).var("--size", end - start)
    });
    let entry = |(kind, name, _, _, amount): &Piece| {
        li().with(i().set(Attribute::DataHow, *kind))
            .with(span().text(*name))
            .text(" ")
            .with(b().text(format::gib(*amount)))
    };
    div()
        .class("walk__gpu")
        .with(div().class("walk__bar").set(Attribute::AriaHidden, "true").all(bar))
        .with(ul().class("walk__legend").all(pieces.iter().map(entry)))
        .with(small().text(format::gib(prose.report.inputs.total)))
}

//! One step of the story: the row of steps, the text beside what was believed, and the way on.

use super::prose::Prose;
use super::{bet, figures, puzzles, shown, steps};
use crate::decimal;
use crate::text::story::{Language, Step};
use crate::text::table::Text;
use crate::view::{Attribute, Element, b, button, div, h2, h3, h4, input, label, li, p, section, small, span, ul};

/// Which beliefs arise at which step, and at which they fall.
const BELIEFS: [(u64, u64); 6] = [(1, 5), (2, 3), (4, 4), (5, 5), (6, 8), (7, 8)];

/// The whole story at one step.
pub fn story(prose: &Prose, step: u64, language: Language) -> Element {
    let words = prose.words;
    let Some(own) = at(&words.steps, step) else { return div() };
    let next = at(&words.steps, step + 1);
    div()
        .class("story")
        .id("story-told")
        .set(Attribute::Lang, language.tag())
        .set(Attribute::DataForm, "story")
        .with(kept(step, language))
        .with(
            div()
                .class("story__head")
                .with(row(prose, step, &shorts(&words.steps), words.frame.steps))
                .with(languages(prose, language)),
        )
        .with(
            section()
                .class("story__step")
                .set(Attribute::AriaLabelledby, "story-title")
                .with(title(prose, step, words.steps.len() as u64, own.title))
                .with(div().class("story__columns").with(told(prose, step, own)).with(beliefs(prose, step))),
        )
        .with(ways(prose, step, next.map(|next| next.short)))
}

/// The step's short names.
pub fn shorts(steps: &[Step]) -> Vec<Text> {
    steps.iter().map(|step| step.short).collect()
}

fn at<T>(steps: &[T], step: u64) -> Option<&T> {
    steps.get(usize::try_from(step.checked_sub(1)?).ok()?)
}

fn digits(number: u64) -> String {
    decimal::digits(u128::from(number))
}

/// What is shown, for the next question.
pub fn kept(step: u64, language: Language) -> Element {
    input().set(Attribute::Type, "hidden").set(Attribute::Name, "shown").set(Attribute::Value, shown(step, language))
}

/// All steps as radio buttons: arrow keys move between them by themselves.
pub fn row(prose: &Prose, step: u64, names: &[Text], heard: Text) -> Element {
    let one = |(number, name): (u64, &Text)| {
        let radio = input()
            .id(&[prose.prefix, "-at-", &digits(number)].concat())
            .set(Attribute::Type, "radio")
            // A name of its own: radio buttons of one name are one group, wherever they stand.
            .set(Attribute::Name, [prose.prefix, "-step"].concat())
            .set(Attribute::Value, digits(number))
            .set(Attribute::AriaLabel, [&digits(number), " ", prose.plain(name, &[]).as_str()].concat())
            .flag(Attribute::Checked, number == step)
            .asks(&[prose.kind, "/step"].concat(), "change");
        let how = match number {
            _ if number == step => "now",
            _ if number < step => "past",
            _ => "ahead",
        };
        label().set(Attribute::DataHow, how).with(radio).with(b().text(digits(number))).with(prose.fill(span(), name))
    };
    div()
        .class("story__row")
        .set(Attribute::Role, "radiogroup")
        .set(Attribute::AriaLabel, heard)
        .all((1..).zip(names).map(one))
}

/// The switch of languages.
pub fn languages(prose: &Prose, language: Language) -> Element {
    let one = |other: Language| {
        button()
            .id(&[prose.prefix, "-in-", other.key()].concat())
            .set(Attribute::Type, "button")
            .set(Attribute::Lang, other.tag())
            .set(Attribute::Name, ["in-", other.key()].concat())
            .set(Attribute::AriaPressed, if other == language { "true" } else { "false" })
            .asks(&[prose.kind, "/language"].concat(), "click")
            .text(other.words().name)
    };
    div()
        .class("story__languages")
        .set(Attribute::Role, "group")
        .set(Attribute::AriaLabel, prose.words.frame.languages)
        .all(Language::ALL.map(one))
}

/// The heading, with its place in the whole.
pub fn title(prose: &Prose, step: u64, steps: u64, text: Text) -> Element {
    let own = [("step", digits(step)), ("steps", digits(steps))];
    let count = prose.fill_with(small(), prose.words.frame.step_of, &own);
    let heading = if prose.still { h2() } else { h3() }.with(count).text(" ");
    let heading = if prose.still {
        heading.id(&["step-", &digits(step)].concat())
    } else {
        heading.id(&[prose.prefix, "-title"].concat()).set(Attribute::Tabindex, "-1")
    };
    prose.fill(heading, text)
}

/// What a step tells.
pub fn told(prose: &Prose, step: u64, own: &Step) -> Element {
    let words = prose.words;
    let mut text = div().class("story__text").all(own.told.iter().map(|text| prose.paragraph(text)));
    match step {
        2 => text = text.with(bet::place(prose)),
        5 => text = text.with(figures::sizes(prose)),
        8 => text = text.with(figures::logs(prose)),
        9 => text = text.with(ul().class("story__list").all(words.checklist.iter().map(|text| prose.fill(li(), text)))),
        _ => {}
    }
    if let Some(takes) = figures::takes(prose, step).filter(|_| !prose.still) {
        text = text.with(takes);
    }
    let verdict = if prose.report.breakdown.pool_tokens.0 > 0 { "starts" } else { "cannot_start" };
    let now = prose.fill(p(), own.now);
    let live = div().class("story__now").with(prose.fill(small(), words.frame.now)).with(now).with(away(prose, step));
    let marked = prose.follows(span().class("story__verdict")).set(Attribute::DataVerdict, verdict);
    text = text.with(live.with(marked)).all(own.then.iter().map(|text| prose.paragraph(text)));
    if step == 9 { text.with(puzzles::list(prose)) } else { text }
}

/// Where the reader's numbers are not the step's: the way back.
fn away(prose: &Prose, step: u64) -> Element {
    let place = prose.follows(div().class("story__away"));
    if prose.still || steps::numbers_equal(prose.scenario, &steps::scenario(step)) {
        return place;
    }
    let words = &prose.words.frame;
    place.with(prose.fill(span(), words.away)).text(" ").with(
        prose
            .fill(button(), words.returns)
            .id("story-return")
            .set(Attribute::Type, "button")
            .set(Attribute::Name, "return")
            .asks("story/return", "click"),
    )
}

/// What was believed up to this step; what fell is struck, and says why.
pub fn beliefs(prose: &Prose, step: u64) -> Element {
    let words = prose.words;
    // What fell long ago is gone from the margin; the last step counts them all.
    let in_mind =
        |(arises, falls): (u64, u64)| arises <= step && (falls + 1 >= step || step == words.steps.len() as u64);
    let known = words.beliefs.iter().zip(BELIEFS).filter(|(_, span)| in_mind(*span));
    let one = |(belief, (_, falls)): (&crate::text::story::Belief, (u64, u64))| {
        let fallen = falls <= step;
        let held = prose.fill(p().class("story__held"), belief.held);
        let mark = prose.fill(b(), if fallen { words.frame.fell } else { words.frame.stands });
        let how = match () {
            () if falls == step => "falls",
            () if fallen => "fallen",
            () => "stands",
        };
        let mark = p().class("story__mark").with(mark);
        let mark = if fallen { prose.fill(mark.text(" "), belief.fell) } else { mark };
        li().set(Attribute::DataHow, how).with(held).with(mark)
    };
    div()
        .class("story__beliefs")
        .with(prose.fill(if prose.still { h3() } else { h4() }, words.frame.believed))
        .with(ul().all(known.map(one)))
}

/// Back and on.
pub fn ways(prose: &Prose, step: u64, next: Option<Text>) -> Element {
    let words = &prose.words.frame;
    let way = |to: u64, id: &str| {
        button()
            .id(&[prose.prefix, id].concat())
            .set(Attribute::Type, "button")
            .set(Attribute::Name, ["to-", &digits(to)].concat())
            .asks(&[prose.kind, "/go"].concat(), "click")
    };
    let mut ways = div().class("story__ways");
    if step > 1 {
        ways = ways.with(prose.fill(way(step - 1, "-back"), words.back));
    }
    if let Some(next) = next {
        let button = way(step + 1, "-next").class("story__next");
        ways = ways.with(prose.fill_with(button, words.next, &[("next", prose.plain(next, &[]))]));
    }
    ways
}

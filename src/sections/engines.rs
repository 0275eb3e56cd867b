//! "Other engines": the pool of the scenario in every engine, the value of each knob that gives it, and the way back.
//!
//! What is assumed besides, activation peak, graph estimate, size of the card and vocabulary, are keys of the scenario.

mod gauge;
mod know;
mod parts;
mod returning;
mod setup;
mod strip;
mod table;

use super::{Answer, Ask, Destination, FileBytes};
use crate::engines::translate::{Translation, translate};
use crate::format;
use crate::issue::IssueKind;
use crate::scenario::query::{decode, encode};
use crate::scenario::{Scenario, evaluate};
use crate::units::{Fraction, Gib, Tokens};
use crate::view::{Attribute, Element, a, b, code, div, p, span};
use setup::{ASSUMED, Setup};

/// Answers `open`, `follow`, `change` and `back`.
pub fn answer(verb: &str, ask: &Ask, _file: Option<FileBytes>) -> Option<Answer> {
    let now = decode(&ask.scenario).scenario;
    Some(match verb {
        "open" => opened(&Setup::of(&now, ask), ask),
        "follow" => followed(&now, ask),
        "change" => changed(now, ask),
        "back" => returning::answer(&Setup::of(&now, ask), ask),
        _ => return None,
    })
}

fn opened(setup: &Setup, ask: &Ask) -> Answer {
    let body = div()
        .class("engines")
        .set(Attribute::DataForm, "engines")
        .with(div().id("engines-intro"))
        .with(setup::form(setup))
        .with(div().id("engines-result").class("engines__result"));
    shown(Answer::default().replace("engines-body", [body]), setup, ask)
}

/// The scenario changed elsewhere on the page.
fn followed(now: &Scenario, ask: &Ask) -> Answer {
    let setup = Setup::of(now, ask);
    let (mut answer, mut ask) = (Answer::default(), ask.clone());
    for field in &ASSUMED {
        if let Some(text) = setup.text_to_show(field, &ask) {
            answer = answer.set(&setup::control_id(field.name), Attribute::Value, Some(&text));
            ask.fields.insert(field.name.to_owned(), text);
        }
    }
    shown(answer, &Setup::of(now, &ask), &ask)
}

/// An assumption was typed.
fn changed(mut now: Scenario, ask: &Ask) -> Answer {
    let before = encode(&now);
    setup::take_assumptions(&mut now, ask);
    let query = encode(&now);
    let answer = shown(Answer::default(), &Setup::of(&now, ask), ask);
    let scenario = (query != before).then_some(Destination { query, push: false });
    Answer { scenario, ..answer }
}

/// Everything but the assumptions themselves, which keep focus and caret.
fn shown(answer: Answer, setup: &Setup, ask: &Ask) -> Answer {
    let table = translate(&setup.server, &setup.assumed);
    let answer = ASSUMED.iter().fold(answer, |answer, field| {
        let words = setup.trouble_with(field.name).unwrap_or_default();
        let said = (!words.is_empty()).then(|| span().text(words));
        let invalid = (!words.is_empty()).then_some("true");
        answer.replace(&setup::note_id(field.name), said).set(
            &setup::control_id(field.name),
            Attribute::AriaInvalid,
            invalid,
        )
    });
    answer.replace("engines-intro", intro(setup, &table)).replace("engines-result", result(setup, &table, ask))
}

/// The pool in words.
fn intro(setup: &Setup, table: &Translation) -> [Element; 1] {
    let fraction = format::fraction(setup.server.fraction);
    if table.pool_gib > 0.0 {
        let tokens = Gib(table.pool_gib).truncate_to_bytes().floor_div(setup.server.cell);
        return [p()
            .text("SGLang’s ")
            .with(code().text(fraction))
            .text(" leaves ")
            .with(b().set(Attribute::DataTerm, "rest").text(format::gib(Gib(table.pool_gib))))
            .text([" for the KV cache, ", &format::tokens(tokens), ". "].concat())
            .text(
                "Every engine has a number for this, and each takes a share of something else. In all of them a larger \
                 value gives more cache.",
            )];
    }
    let short = format::gib(Gib(table.pool_gib.abs()));
    let words = p().text(["With these numbers SGLang has no pool: it is short by ", &short].concat());
    [match evaluate(&setup.scenario).report.band.suggested {
        Some(least) => words
            .text(", so there is nothing to translate. ")
            .with(
                a().to_scenario(&with_fraction(&setup.scenario, least))
                    .text(["Take ", &format::fraction(least), ", the smallest that starts"].concat()),
            )
            .text("."),
        None => words.text(", and no fraction changes that, so there is nothing to translate."),
    }]
}

/// The scenario with another fraction, as a query.
fn with_fraction(scenario: &Scenario, fraction: Fraction) -> String {
    encode(&Scenario { fraction, ..scenario.clone() })
}

fn result(setup: &Setup, table: &Translation, ask: &Ask) -> Vec<Element> {
    let told = table.issues.iter().filter(|issue| issue.kind != IssueKind::NotMeasured);
    let issues: Vec<Element> = told.map(|issue| p().class("engines__trouble").text(issue.message.clone())).collect();
    if table.rows.is_empty() {
        return issues;
    }
    let mut parts = issues;
    parts.extend([
        table::table(setup, table, ask),
        strip::strip(setup, table),
        know::cells(setup, table),
        know::engines(setup),
    ]);
    parts
}

/// Tokens of a row.
fn tokens(count: i64) -> String {
    format::tokens(Tokens(count))
}

#[cfg(test)]
mod tests;

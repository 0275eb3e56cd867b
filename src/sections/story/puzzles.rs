//! The puzzles of the last step: the model checks them, and says so where no fraction solves one.

use super::all;
use super::prose::Prose;
use crate::budget::Goal;
use crate::decimal;
use crate::format;
use crate::scenario::Scenario;
use crate::units::{Gib, Tokens};
use crate::view::{Attribute, Element, button, div, h3, h4, li, ol, p, span};

/// Start at all; a goal within the band; a goal that no fraction of the failing run reaches.
pub const GOALS: [Goal; 3] = [
    Goal { requests: 0, context: 1, kept: Gib(0.0) },
    Goal { requests: 4, context: 32_768, kept: Gib(9.0) },
    Goal { requests: 8, context: 32_768, kept: Gib(6.0) },
];

/// All of them.
pub fn list(prose: &Prose) -> Element {
    let words = &prose.words.puzzles;
    div()
        .class("story__puzzles")
        .with(prose.fill(if prose.still { h3() } else { h4() }, words.title))
        .all((!prose.still).then(|| prose.fill(p().class("story__aside"), words.how)))
        .with(ol().all((0..).zip(&GOALS).map(|(number, goal)| puzzle(prose, number, goal))))
}

/// Where the answer to a claim stands.
pub fn place(number: usize) -> String {
    ["story-claimed-", &digits(number)].concat()
}

fn puzzle(prose: &Prose, number: usize, goal: &Goal) -> Element {
    let words = &prose.words.puzzles;
    let text = if goal.requests == 0 { words.start } else { words.both };
    if prose.still {
        return li().with(prose.fill_with(p(), text, &own(goal))).all(said(prose, number));
    }
    let done = goal.check(&prose.scenario.inputs()).done();
    let state = prose.follows(span().class("story__state")).set(Attribute::DataVerdict, verdict(done));
    li().with(prose.fill_with(p(), text, &own(goal)))
        .with(
            p().class("story__check").with(all(state, [crate::view::Node::Text(status(prose, goal))])).with(
                prose
                    .fill(button(), words.claim)
                    .id(&["story-claim-", &digits(number)].concat())
                    .set(Attribute::Type, "button")
                    .set(Attribute::Name, ["claim-", &digits(number)].concat())
                    .asks("story/claim", "click"),
            ),
        )
        .with(div().id(&place(number)).set(Attribute::Role, "status"))
}

fn verdict(good: bool) -> &'static str {
    if good { "starts" } else { "cannot_start" }
}

fn digits(number: usize) -> String {
    decimal::digits(number as u128)
}

fn own(goal: &Goal) -> Vec<(&'static str, String)> {
    vec![
        ("requests", format::whole(i64::try_from(goal.requests).unwrap_or(i64::MAX))),
        ("context", format::whole(Tokens(i64::try_from(goal.context).unwrap_or(i64::MAX)).0)),
        ("kept", format::gib(goal.kept)),
    ]
}

/// How far the scenario gets, in words.
fn status(prose: &Prose, goal: &Goal) -> String {
    let words = &prose.words.puzzles;
    let inputs = prose.scenario.inputs();
    let progress = goal.check(&inputs);
    if progress.done() {
        let alone = goal.reach(&failing_with(prose.scenario)).exists();
        return ["✓ ", prose.plain(if alone { words.solved } else { words.otherwise }, &[]).as_str()].concat();
    }
    let mut own = own(goal);
    own.push(("fit", format::whole(progress.requests)));
    let mut missing = Vec::new();
    if !progress.room {
        missing.push(prose.plain(if goal.requests == 0 { words.not_started } else { words.room }, &own));
    }
    if !progress.kept {
        missing.push(prose.plain(words.kept, &own));
    }
    ["✗ ", missing.join(words.and).as_str()].concat()
}

/// The run that the puzzles begin with.
fn failing_with(scenario: &Scenario) -> crate::budget::Inputs {
    crate::budget::Inputs { dynamic_need: scenario.dynamic_need, ..Scenario::default().inputs() }
}

/// The answer to "no fraction can do this", for the numbers as they are now.
pub fn said(prose: &Prose, number: usize) -> Option<Element> {
    let goal = GOALS.get(number)?;
    let words = &prose.words.puzzles;
    let reach = goal.reach(&prose.scenario.inputs());
    let own = [("least", format::fraction_to_type(reach.least)), ("most", format::fraction_to_type(reach.most))];
    let text = if reach.exists() { words.wrong } else { words.right };
    Some(prose.fill_with(p().set(Attribute::DataVerdict, verdict(!reach.exists())), text, &own))
}

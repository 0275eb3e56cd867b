//! The bet of the second step: two buttons, and the bars answer.

use super::prose::Prose;
use super::values::{self, LOWERED};
use crate::text::story::Bet;
use crate::units::Fraction;
use crate::view::{Attribute, Element, b, button, div, p, span};

/// The fraction that a bet leads to.
pub fn fraction(raised: bool) -> Fraction {
    if raised { values::raised().fraction } else { values::run(LOWERED).fraction }
}

/// The buttons, and a place for the answer.
pub fn place(prose: &Prose) -> Element {
    let words = &prose.words.bet;
    if prose.still {
        // Without a program both answers stand there.
        let answer = |choice, raised| div().with(p().with(prose.fill(b(), choice))).with(said(prose, raised));
        return div().with(answer(words.lower, false)).with(answer(words.raise, true));
    }
    let choice = |name: &str, text| {
        prose
            .fill(button(), text)
            .id(&["story-bet-", name].concat())
            .set(Attribute::Type, "button")
            .set(Attribute::Name, name)
            .asks("story/bet", "click")
    };
    div()
        .class("story__bet")
        .with(choice("lower", words.lower))
        .with(choice("raise", words.raise))
        .with(prose.fill(span().class("story__aside"), words.skip))
        .with(div().id("story-said").class("story__said").set(Attribute::Role, "status"))
}

/// What the bars say to it.
pub fn said(prose: &Prose, raised: bool) -> Element {
    let Bet { lowered, raised: up, .. } = prose.words.bet;
    let verdict = if raised { "starts" } else { "cannot_start" };
    prose.fill(p().set(Attribute::DataVerdict, verdict), if raised { up } else { lowered })
}

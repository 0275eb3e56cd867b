//! The way back: a value that somebody has in another engine, as SGLang's fraction.

use super::parts::fate;
use super::setup::Setup;
use super::with_fraction;
use crate::decimal;
use crate::engines::translate::Row;
use crate::engines::{Base, Way, back};
use crate::format;
use crate::scenario::typed::understand;
use crate::sections::{Answer, Ask};
use crate::text::refused;
use crate::units::{Fraction, Gib};
use crate::view::{Attribute, Element, a, button, code, div, input, label, output, small, span};

const START: &str = "back-";

/// Says what the typed value is in SGLang.
pub fn answer(setup: &Setup, ask: &Ask) -> Answer {
    let Some(way) = ask.by.strip_prefix(START).and_then(Way::from_id) else { return Answer::default() };
    let (said, understood) = outcome(way, setup, ask.field(&ask.by));
    let invalid = (!understood).then_some("true");
    Answer::default().replace(&said_id(way), said).set(&control_id(way), Attribute::AriaInvalid, invalid)
}

fn control_id(way: Way) -> String {
    ["engines-back-", way.id()].concat()
}

fn said_id(way: Way) -> String {
    ["engines-said-", way.id()].concat()
}

/// The field of a row, with what was typed before.
pub fn field(way: Way, row: &Row, setup: &Setup, ask: &Ask) -> Element {
    let name = [START, way.id()].concat();
    let text = ask.field(&name).to_owned();
    let (said, understood) = outcome(way, setup, &text);
    let label = label().set(Attribute::For, control_id(way)).with(small().text("I have ").with(code().text(row.knob)));
    let control = input()
        .id(&control_id(way))
        .set(Attribute::Name, name)
        .set(Attribute::Type, "text")
        .set(Attribute::Inputmode, "decimal")
        .set(Attribute::Autocomplete, "off")
        .set(Attribute::AriaDescribedby, said_id(way))
        .set(Attribute::Value, text)
        .asks("engines/back", "input change");
    let control = if understood { control } else { control.set(Attribute::AriaInvalid, "true") };
    div().class("engines__back").with(label).with(control).with(output().id(&said_id(way)).all(said))
}

/// What is said about a text, and whether it was understood.
fn outcome(way: Way, setup: &Setup, text: &str) -> (Vec<Element>, bool) {
    if text.is_empty() {
        return (Vec::new(), true);
    }
    let value = match read(way, text) {
        Ok(value) => value,
        Err(words) => return (vec![span().text(words)], false),
    };
    let found = back(way, value, &setup.server, &setup.assumed);
    let Some(fraction) = found.fraction else {
        let own = found.there.and_then(fate);
        let words = own.or_else(|| found.issues.last().map(|issue| issue.message.clone())).unwrap_or_default();
        return (vec![span().text(words)], true);
    };
    // As it is typed: with five decimals.
    let short = decimal::write_trimmed(fraction, 5, 2);
    let typed = decimal::read(&short).ok().and_then(Fraction::new).unwrap_or(setup.server.fraction);
    let pool = Gib(setup.server.available.0 - (1.0 - fraction) * setup.server.total.0);
    let link = a()
        .id(&["engines-use-", way.id()].concat())
        .class("engines__use")
        .to_scenario(&with_fraction(&setup.scenario, typed))
        .set(Attribute::AriaLabel, ["use it: ", &found.flag].concat())
        .text("use it");
    let copy = button().set(Attribute::Type, "button").set(Attribute::DataCopy, found.flag.clone()).text("Copy");
    let said = vec![code().text(found.flag.clone()), span().text([": ", &format::gib(pool), " "].concat()), link, copy];
    (said, true)
}

fn read(way: Way, text: &str) -> Result<f64, String> {
    let number =
        |key| understand(key, text).map(|understood| understood.value).map_err(|refusal| refused(key, refusal));
    match way.base() {
        Base::Bytes | Base::Tokens | Base::Blocks => number("cap"),
        _ => {
            // No field of the address: one would move a value above 1 to its end.
            let value = number("").map_err(|_| "not a number; from 0 to 1".to_owned())?;
            if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("a fraction is from 0 to 1".to_owned()) }
        }
    }
}

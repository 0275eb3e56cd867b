//! A scenario as a query string and back: lenient to the reader, canonical from us.
//!
//! Any text decodes. A bad value costs only its own field; what was wrong comes back as issues. Encoding what was
//! decoded gives the one canonical text, and decoding that changes nothing any more.

use super::fields::{FIELDS, Field};
use super::{Scenario, number_bit};
use crate::format;
use crate::issue::{Issue, IssueKind, shorten};
use crate::percent::{self, Plus};
use crate::units::Gib;

/// What came out of a query string.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// Everything that could be read; defaults elsewhere.
    pub scenario: Scenario,
    /// What could not.
    pub issues: Vec<Issue>,
}

/// A longer value is not one of ours.
const LONGEST_VALUE: usize = 2048;

/// More issues than a reader would read; the rest is counted.
const MOST_ISSUES: usize = 20;

/// Reads a query string, with or without a leading `?` or `#`.
pub fn decode(query: &str) -> Decoded {
    let mut issues = Vec::new();
    let mut given: [Option<&str>; FIELDS.len()] = [None; FIELDS.len()];
    for pair in query.strip_prefix(['?', '#']).unwrap_or(query).split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if pair.is_empty() {
            continue;
        }
        let slot = percent::decode(key, Plus::Blank).and_then(|key| {
            let position = FIELDS.iter().position(|field| field.key == key)?;
            given.get_mut(position)
        });
        match slot {
            Some(slot) => {
                if slot.replace(value).is_some() {
                    issues.push(Issue::new(
                        &typed(key),
                        IssueKind::Repeated,
                        "Given more than once; the last one counts.",
                    ));
                }
            }
            None => {
                issues.push(Issue::new(&typed(key), IssueKind::UnknownKey, "Not a key of this page; it was left out."))
            }
        }
    }
    let mut scenario = Scenario::default();
    let available_given = apply(&mut scenario, &given, &mut issues);
    if let Some(available) = available_given.filter(|_| !scenario.ranks.is_empty())
        && available != scenario.available()
    {
        let mut message = String::from("`ranks` counts, and its smallest GPU has ");
        message.push_str(&format::gib(scenario.available()));
        message.push('.');
        issues.push(Issue::new("avail", IssueKind::Conflict, message));
    }
    if issues.len() > MOST_ISSUES {
        let left = issues.len() - MOST_ISSUES;
        issues.truncate(MOST_ISSUES);
        let message = format::whole(left as i64) + " more things in this address were left out.";
        issues.push(Issue::new("…", IssueKind::TooLong, message));
    }
    Decoded { scenario, issues }
}

/// Applies the given values in the table's order; returns the `avail` that stood beside the others.
fn apply(scenario: &mut Scenario, given: &[Option<&str>; FIELDS.len()], issues: &mut Vec<Issue>) -> Option<Gib> {
    let mut available = None;
    for (field, raw) in FIELDS.iter().zip(given) {
        let Some(raw) = raw else { continue };
        let outcome = if raw.len() > LONGEST_VALUE {
            Err(IssueKind::TooLong)
        } else {
            percent::decode(raw, Plus::Blank)
                .ok_or(IssueKind::BadEncoding)
                .and_then(|text| field.read(scenario, text.trim()))
        };
        if matches!(outcome, Ok(()) | Err(IssueKind::OutOfRange)) {
            scenario.given |= number_bit(field.key);
            if field.key == "avail" {
                available = Some(scenario.available_typed);
            }
        }
        if let Err(kind) = outcome {
            issues.push(Issue::new(field.key, kind, explain(field, kind, raw, scenario)));
        }
    }
    // Without a plan nothing is filled in, and a preset gives all: a default then says the same as its absence.
    if !scenario.is_planned() || scenario.preset.is_some() {
        scenario.given = 0;
    }
    available
}

/// A text as it was typed, where browsers and forms encoded it; one that cannot be decoded as it stands.
fn typed(raw: &str) -> String {
    percent::decode(raw, Plus::Blank).unwrap_or_else(|| raw.to_owned())
}

fn explain(field: &Field, kind: IssueKind, raw: &str, scenario: &Scenario) -> String {
    let given = shorten(&typed(raw), 40);
    let reason = match kind {
        IssueKind::NotANumber => "is not a plain number with a decimal point",
        IssueKind::OutOfRange => "is outside the range",
        IssueKind::BadEncoding => "is not valid percent-encoding",
        IssueKind::TooLong => "is too long",
        _ => "is not known",
    };
    let used = field.text(scenario);
    let outcome = match &used {
        Some(used) => [used, " is used."],
        None => ["it", " was left out."],
    };
    ["“", &given, "” ", reason, "; ", outcome[0], outcome[1]].concat()
}

/// Writes the canonical query string, without a leading `?`; empty for the default scenario. Beside a plan a number that
/// was chosen is written although it is the default: its absence would leave it to the plan.
pub fn encode(scenario: &Scenario) -> String {
    let base = Scenario { preset: None, ..Scenario::from_preset(scenario.base()) };
    let mut query = String::new();
    for field in &FIELDS {
        let text = field.text(scenario);
        let kept = scenario.is_planned() && scenario.preset.is_none() && scenario.gives(field.key);
        let Some(text) = text.filter(|text| kept || field.text(&base).as_ref() != Some(text)) else { continue };
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(field.key);
        query.push('=');
        query.push_str(&text);
    }
    query
}

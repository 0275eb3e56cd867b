//! Logs of the worked case that are one click away.

use super::form::Slot;
use super::{Answer, Ask, Given, Reading};
use crate::view::Attribute;

/// A sample: one log, or two to compare.
pub struct Sample {
    /// Name of its button.
    pub name: &'static str,
    /// What the button says.
    pub title: &'static str,
    logs: &'static [(&'static str, &'static str)],
}

const FAILED: (&str, &str) = ("debug-0.55.log", include_str!("samples/debug-0.55.log"));
const LOWERED: (&str, &str) = ("lowered-0.50.log", include_str!("samples/lowered-0.50.log"));
const WORKED: (&str, &str) = ("baseline-0.88.log", include_str!("samples/baseline-0.88.log"));
const SANITY: (&str, &str) = ("sanity-0.55.log", include_str!("samples/sanity-0.55.log"));

/// All samples.
pub const SAMPLES: [Sample; 5] = [
    Sample { name: "sample-debug", title: "fails at 0.55", logs: &[FAILED] },
    Sample { name: "sample-lowered", title: "lowered to 0.50", logs: &[LOWERED] },
    Sample { name: "sample-baseline", title: "works at 0.88", logs: &[WORKED] },
    Sample { name: "sample-sanity", title: "sanity check at 0.55", logs: &[SANITY] },
    Sample { name: "sample-both", title: "0.88 against 0.55", logs: &[WORKED, SANITY] },
];

/// Puts a sample where the reader's own log would stand, and reads it.
pub fn shown(ask: &Ask) -> Answer {
    let Some(sample) = SAMPLES.iter().find(|sample| sample.name == ask.by) else { return Answer::default() };
    let given = |(name, text): &(&str, &str)| Given {
        control: String::new(),
        name: (*name).to_owned(),
        size: text.len() as u64,
    };
    let mut reading = Reading::new(ask, sample.logs.iter().map(given).collect());
    for (_, text) in sample.logs {
        reading.push(text.as_bytes());
        reading.end(None);
    }
    let mut answer = reading.finish();
    let text = |index: usize| sample.logs.get(index).map_or("", |(_, text)| *text);
    for (control, text) in [("log", text(0)), ("log-files", ""), ("other", text(1)), ("other-files", "")] {
        answer = answer.set(&Slot::id(control), Attribute::Value, Some(text));
    }
    answer.set("log-second", Attribute::Open, (sample.logs.len() > 1).then_some(""))
}

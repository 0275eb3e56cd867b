//! "My log": from what a server wrote to what happened, the reader's own budget and the flag to type.
//!
//! Logs come as files, pasted ones too, and are read portion by portion by whoever runs the workshop: [`Reading`] takes
//! the portions, says how far it is, and gives the answer at the end. Nothing of a log's text is kept beyond the answer.

mod facts;
mod form;
mod report;
mod samples;
mod text;
mod versus;

use super::{Answer, Ask, Destination, FileBytes};
use crate::decimal;
use crate::format;
use crate::logs::{Cause, Diagnosis, Doctor, Excerpt, compare};
use crate::scenario::query::{decode, encode};
use crate::view::{Attribute, Element, button, div, p, progress, span};
use form::{SLOTS, Slot};

/// Logs that are read at a time.
const MOST_LOGS: usize = 8;

/// Answers `open`, `sample`, `cancel` and `read`; the last one at once only where there is nothing to read.
pub fn answer(verb: &str, ask: &Ask, _: Option<FileBytes>) -> Option<Answer> {
    Some(match verb {
        "open" => Answer::default().replace("log-body", form::body()),
        "sample" => samples::shown(ask),
        "cancel" => cancelled(),
        "read" => Reading::new(ask, Vec::new()).finish(),
        _ => return None,
    })
}

/// One log that was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// The control that it came from.
    pub control: String,
    /// A file's name; empty for what was pasted. Untrusted text.
    pub name: String,
    /// In bytes; what it unpacks to is not known before.
    pub size: u64,
}

/// One log that was read.
struct Log {
    name: String,
    bytes: u64,
    diagnosis: Diagnosis,
    excerpt: Excerpt,
    /// Why less of it was read than there is, or why it could hardly be a log.
    trouble: Option<String>,
}

/// Logs that are being read, one after the other.
pub struct Reading {
    ask: Ask,
    /// Those that count, with their places among all that were given.
    given: Vec<(usize, Given)>,
    read: Vec<Log>,
    doctor: Doctor,
    /// Bytes of the current log.
    bytes: u64,
    /// The first bytes of the current log.
    head: Vec<u8>,
    /// Only its advance is told, not its whole.
    began: bool,
}

impl Reading {
    /// What was used last in a place for a log counts: its text, or the files chosen there.
    pub fn new(ask: &Ask, given: Vec<Given>) -> Self {
        let other = SLOTS.iter().find_map(|slot| slot.other_than(&ask.by));
        let given = given.into_iter().enumerate().filter(|(_, given)| Some(given.control.as_str()) != other);
        Self {
            ask: ask.clone(),
            given: given.take(MOST_LOGS).collect(),
            read: Vec::new(),
            doctor: Doctor::keeping_text(),
            bytes: 0,
            head: Vec::new(),
            began: false,
        }
    }

    /// The place, among all that were given, of the log to read now.
    pub fn current(&self) -> Option<usize> {
        self.given.get(self.read.len()).map(|(place, _)| *place)
    }

    /// Takes the next bytes of the current log.
    pub fn push(&mut self, bytes: &[u8]) {
        let wanted = text::HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(bytes.get(..wanted).unwrap_or(bytes));
        self.bytes += bytes.len() as u64;
        self.doctor.push(bytes);
    }

    /// The current log is over; `trouble` says why before its end.
    pub fn end(&mut self, trouble: Option<String>) {
        let Some((_, given)) = self.given.get(self.read.len()) else { return };
        let doctor = std::mem::replace(&mut self.doctor, Doctor::keeping_text());
        let (diagnosis, excerpt) = doctor.finish_with_text();
        let trouble = trouble.or_else(|| text::trouble(&self.head, &diagnosis));
        self.read.push(Log { name: given.name.clone(), bytes: self.bytes, diagnosis, excerpt, trouble });
        self.bytes = 0;
        self.head.clear();
    }

    /// How much of the current log was read.
    pub fn so_far(&self) -> String {
        mib(self.bytes) + " MiB"
    }

    /// How far it is.
    pub fn progress(&mut self) -> Answer {
        let whole: u64 = self.given.iter().map(|(_, given)| given.size).sum();
        let before: u64 = self.given.iter().take(self.read.len()).map(|(_, given)| given.size).sum();
        let current = self.given.get(self.read.len()).map(|(_, given)| given);
        let size = current.map_or(0, |given| given.size);
        // What is unpacked is longer than its file.
        let packed = self.head.starts_with(text::GZIP) || self.bytes > size;
        let name = current.map(|given| report::called(&given.name)).unwrap_or_default();
        let words = if packed {
            [&*name, ": ", &mib(self.bytes), " MiB unpacked and read"].concat()
        } else {
            [&*name, ": ", &mib(self.bytes), " of ", &mib(size), " MiB read"].concat()
        };
        let share = (before + self.bytes.min(size)) as f64 / whole.max(1) as f64;
        let share = decimal::write_trimmed(share, 4, 0);
        if std::mem::replace(&mut self.began, true) {
            let value = (!packed).then_some(share.as_str());
            return Answer::default().replace("log-said", [span().text(words)]).set("log-bar", Attribute::Value, value);
        }
        let bar = progress().id("log-bar").set(Attribute::Max, "1").set(Attribute::AriaLabelledby, "log-said");
        let bar = if packed { bar } else { bar.set(Attribute::Value, share) };
        let stop = button().set(Attribute::Type, "button").asks("log/cancel", "click").text("Cancel");
        let line = p().class("log__progress").with(span().id("log-said").with(span().text(words))).with(bar).with(stop);
        Answer { announce: Some("Reading the log.".to_owned()), ..Answer::default().replace("log-progress", [line]) }
    }

    /// What the logs say, and the scenario that the page goes to.
    pub fn finish(self) -> Answer {
        let Self { ask, read, .. } = self;
        let mut answer = Answer::default().replace("log-progress", []);
        // A place shows one thing: the text in it, or the file chosen there.
        if let Some(left) = SLOTS.iter().find_map(|slot| slot.other_than(&ask.by)) {
            answer = answer.set(&Slot::id(left), Attribute::Value, Some(""));
        }
        result(answer, &ask, &read)
    }
}

/// MiB with one decimal.
fn mib(bytes: u64) -> String {
    format::number(bytes as f64 / f64::from(1 << 20), 1)
}

fn cancelled() -> Answer {
    let words = "Cancelled: what was read so far is forgotten.";
    let line = p().class("aside").text(words);
    Answer { announce: Some(words.to_owned()), ..Answer::default().replace("log-progress", [line]) }
}

/// Shows what the logs say.
fn result(answer: Answer, ask: &Ask, logs: &[Log]) -> Answer {
    let mut answer = answer;
    let mut parts = Vec::new();
    // Of two logs the one that worked is what the other is measured from.
    let mut order: Vec<&Log> = logs.iter().collect();
    if let [first, second] = order.as_slice()
        && soundness(second.diagnosis.cause) < soundness(first.diagnosis.cause)
    {
        order.reverse();
    }
    let mut query = match order.as_slice() {
        [.., last] => last.diagnosis.scenario.clone(),
        [] => None,
    };
    if let [first, second] = order.as_slice() {
        let comparison = compare(&first.diagnosis, &second.diagnosis);
        if let (Some(query), Some(from)) = (&mut query, first.diagnosis.scenario.as_deref()) {
            query.push_str(&versus::of_scenario(from));
            if !query.contains("&cell=") && versus::same_model(&first.diagnosis, &second.diagnosis) {
                query.push_str(&versus::cell_of(from));
            }
        }
        answer.announce = Some(comparison.result.clone());
        parts.push(versus::shown(&comparison, &report::called(&first.name), &report::called(&second.name)));
    }
    let now = encode(&decode(&ask.scenario).scenario);
    let goes = query.map(|query| encode(&decode(&query).scenario));
    let back = goes.as_ref().filter(|goes| **goes != now).map(|_| now.clone());
    for (index, log) in order.iter().enumerate().rev() {
        let goes = goes.as_deref().filter(|_| index + 1 == order.len());
        let opened = goes.map(|goes| report::opened(goes, back.as_deref()));
        parts.push(report::shown(index + 1, log, opened));
    }
    if answer.announce.is_none() {
        answer.announce = order.first().map(|log| log.diagnosis.result.clone());
    }
    answer.scenario = goes.filter(|_| back.is_some()).map(|query| Destination { query, push: true });
    answer.replace("log-result", parts)
}

/// Which of two logs comes first.
fn soundness(cause: Cause) -> u8 {
    match cause {
        Cause::Healthy => 0,
        Cause::PoolSmallerThanExpected | Cause::PoolFull => 1,
        Cause::ReasonMissing => 2,
        _ => 3,
    }
}

/// What scrolls by itself, and by keys.
fn region(class: &'static str, label: &str) -> Element {
    let region = div().class(class).set(Attribute::Tabindex, "0").set(Attribute::Role, "region");
    region.set(Attribute::AriaLabel, label)
}

/// A part of a result with its heading.
fn part(title: &str) -> Element {
    div().class("log__part").with(crate::view::h4().text(title))
}

#[cfg(test)]
mod tests;

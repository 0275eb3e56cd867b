//! The lines of a log, with the numbers marked that were read from them; and what a file is that is no log.

use super::facts;
use crate::decimal;
use crate::format;
use crate::issue::shorten;
use crate::logs::{Cause, Diagnosis, Engine, Excerpt, Fact, FactName};
use crate::view::{Attribute, Element, Node, a, mark, p, span};

/// Bytes of a file that tell what it is.
pub const HEAD: usize = 4096;

/// How gzip begins.
pub const GZIP: &[u8] = &[0x1f, 0x8b];

/// Beginnings of files that hold no text as they are, and what helps.
const OTHERS: &[(&[u8], &str)] = &[
    (&[0x28, 0xb5, 0x2f, 0xfd], "This is zstd: unpack it first (unzstd)."),
    (&[0xfd, b'7', b'z', b'X', b'Z'], "This is xz: unpack it first (unxz)."),
    (b"BZh", "This is bzip2: unpack it first (bunzip2)."),
    (b"PK\x03\x04", "This is a zip archive: unpack it first (unzip)."),
    (b"\x7fELF", "This is a program, not a log."),
    (b"%PDF", "This is a PDF: copy its text and paste it."),
    (b"\x89PNG", "This is a picture: only text can be read."),
    (b"\xff\xd8\xff", "This is a picture: only text can be read."),
];

/// Longest stretch without a number in it that is shown whole.
const STRETCH: usize = 240;

/// What is shown of a longer one at each end that matters.
const END: usize = 90;

/// Why nothing could be read, where the beginning of the file tells.
pub fn trouble(head: &[u8], diagnosis: &Diagnosis) -> Option<String> {
    if head.is_empty() {
        return Some("There is nothing in it.".to_owned());
    }
    if let Some((_, words)) = OTHERS.iter().find(|(start, _)| head.starts_with(start)) {
        return Some((*words).to_owned());
    }
    if says_nothing(diagnosis)
        && let Some(other) = other_text(head, diagnosis)
    {
        return Some(other.to_owned());
    }
    let understood = diagnosis.cause != Cause::ReasonMissing || !diagnosis.facts.0.is_empty();
    let wide = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    if understood || wide || zeros * 50 < head.len() {
        return None;
    }
    let halves = zeros * 5 > head.len() * 2 && zeros * 5 < head.len() * 3;
    Some(if halves {
        "This looks like UTF-16 without its byte order mark: save it as UTF-8.".to_owned()
    } else {
        "This is not text: it is full of zero bytes.".to_owned()
    })
}

/// Nothing that a server measured or met is in it.
pub fn says_nothing(diagnosis: &Diagnosis) -> bool {
    let chosen =
        |fact: &Fact| matches!(fact.name, FactName::Fraction | FactName::Context | FactName::MaxRunningRequests);
    diagnosis.cause == Cause::ReasonMissing && diagnosis.facts.0.iter().all(chosen)
}

/// What is pasted beside a log, or in its place.
fn other_text(head: &[u8], diagnosis: &Diagnosis) -> Option<&'static str> {
    let has =
        |words: &[&str]| words.iter().any(|word| head.windows(word.len()).any(|window| window == word.as_bytes()));
    if head.trim_ascii_start().starts_with(b"{") && has(&["\"architectures\"", "\"model_type\""]) {
        return Some("This is a config.json, not a log: Plan reads it.");
    }
    // What a server prints of its arguments has a head, or their name.
    let is_command = !diagnosis.arguments.is_empty() && !has(&["] ", "_args", "args:", "Error"]);
    is_command
        .then_some("This is a command, not a log: paste what the server printed. What such a start needs is in Plan.")
}

/// The lines that were used, and the numbers in them.
pub fn shown(log: usize, name: &str, diagnosis: &Diagnosis, excerpt: &Excerpt) -> Element {
    let mut rows = Vec::new();
    let mut next = 1;
    for line in &excerpt.lines {
        rows.extend(fold(next, line.number));
        let facts: Vec<&Fact> = diagnosis.facts.0.iter().filter(|fact| fact.line == line.number).collect();
        let used = diagnosis.lines.contains(&line.number);
        rows.push(row(log, line.number, &line.text, &facts, diagnosis.engine, used));
        next = line.number + 1;
    }
    rows.extend(fold(next, excerpt.total + 1));
    super::region("log__text", &["The lines that were used: ", name].concat()).all(rows)
}

/// `… 12 lines …`, where lines are left out.
fn fold(from: u64, to: u64) -> Option<Element> {
    let count = to.saturating_sub(from);
    let words = if count == 1 { " line …" } else { " lines …" };
    (count > 0).then(|| p().class("log__fold").text(["… ", &format::whole(count as i64), words].concat()))
}

/// The id of a line.
pub fn line_id(log: usize, number: u64) -> String {
    ["log-", &plain(log as u64), "-line-", &plain(number)].concat()
}

/// The id of a number's row.
pub fn fact_id(log: usize, fact: &Fact) -> String {
    ["log-", &plain(log as u64), "-", facts::slug(fact.name)].concat()
}

/// Digits without commas.
pub fn plain(number: u64) -> String {
    decimal::write_trimmed(number as f64, 0, 0)
}

fn row(log: usize, number: u64, text: &str, facts: &[&Fact], engine: Option<Engine>, used: bool) -> Element {
    let visible = shorten(&text.replace('\t', " "), usize::MAX);
    let found = places(&visible, facts);
    let mut words = span().class("log__words");
    let mut from = 0;
    for (start, end, fact) in &found {
        words = words.text(stretch(visible.get(from..*start).unwrap_or_default(), from > 0, true));
        let number = mark().text(visible.get(*start..*end).unwrap_or_default());
        words = words.with(match facts::term(fact.name) {
            Some(term) => number.set(Attribute::DataTerm, term.slug()),
            None => number,
        });
        from = *end;
    }
    words = words.text(stretch(visible.get(from..).unwrap_or_default(), true, false));
    let gives = facts.iter().map(|fact| {
        a().set(Attribute::Href, ["#", &fact_id(log, fact)].concat()).text(facts::called(fact.name, engine)).into()
    });
    let gives: Vec<Node> = gives.collect();
    let row = p()
        .class(if used { "log__line log__line--used" } else { "log__line" })
        .id(&line_id(log, number))
        .set(Attribute::Tabindex, "-1")
        .with(span().class("log__number").text(plain(number)))
        .with(words);
    if gives.is_empty() {
        return row;
    }
    let links = gives.into_iter().filter_map(|node| node.element().cloned());
    row.with(span().class("log__gives").text("→ ").all(links))
}

/// Where each number stands in the text; none twice.
fn places<'a>(text: &str, facts: &[&'a Fact]) -> Vec<(usize, usize, &'a Fact)> {
    let mut found: Vec<(usize, usize, &Fact)> = Vec::new();
    for fact in facts {
        let spellings = (0..=6_u32).rev().map(|decimals| decimal::write(fact.value, decimals));
        let place = spellings
            .filter(|spelling| decimal::read(spelling).is_ok_and(|read| (read - fact.value).abs() < 1e-9))
            .find_map(|spelling| whole_number(text, &spelling, &found));
        if let Some((start, end)) = place {
            let at = found.partition_point(|known| known.0 < start);
            found.insert(at, (start, end, fact));
        }
    }
    found
}

/// Where `number` stands by itself, not as part of a longer one or of one already found.
fn whole_number(text: &str, number: &str, taken: &[(usize, usize, &Fact)]) -> Option<(usize, usize)> {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
    text.match_indices(number).map(|(start, _)| (start, start + number.len())).find(|(start, end)| {
        let (before, after) = (text.get(..*start).unwrap_or_default(), text.get(*end..).unwrap_or_default());
        let ends_sentence = after.starts_with('.') && !joins(after.chars().nth(1));
        !joins(before.chars().next_back())
            && (!joins(after.chars().next()) || ends_sentence)
            && taken.iter().all(|(from, to, _)| end <= from || start >= to)
    })
}

/// A stretch between numbers, its middle left out where it is long; `before` and `after`: a number stands there.
fn stretch(text: &str, before: bool, after: bool) -> String {
    let length = text.chars().count();
    if length <= STRETCH {
        return text.to_owned();
    }
    let (first, last) = match (before, after) {
        (true, false) | (false, false) => (STRETCH, 0),
        _ => (END, END),
    };
    let start: String = text.chars().take(first).collect();
    let end: String = text.chars().skip(length - last).collect();
    [&*start, " … ", &*end].concat()
}

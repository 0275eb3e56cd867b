//! What one log says: the result, why, what to try, the check of the arithmetic, the numbers, the lines.

use super::text::{fact_id, line_id, plain};
use super::{Log, facts, mib, part, text};
use crate::decimal;
use crate::format;
use crate::issue::shorten;
use crate::logs::{Advice, Cause, Diagnosis, Direction, Engine, Fact, FactName, fraction_flag};
use crate::view::{
    Attribute, Element, a, button, code, details, div, h3, li, ol, p, section, small, span, summary, table, tbody, td,
    th, thead, tr, ul,
};

/// Characters of a file's name that are shown.
const LONGEST_NAME: usize = 60;

/// What a log is called: by its file, or as what was pasted.
pub fn called(name: &str) -> String {
    if name.is_empty() { "The pasted text".to_owned() } else { shorten(name, LONGEST_NAME) }
}

/// The scenario was taken over; `back` is what was there before, if that was something else.
pub fn opened(goes: &str, back: Option<&str>) -> Element {
    let line = p()
        .class("log__opened")
        .text("The bars, sliders and curve above were set to these numbers: ")
        .with(a().set(Attribute::Href, "#headline").text("look at them"))
        .text(", ")
        .with(a().to_scenario(goes).text("set them again"));
    match back {
        Some(query) => line
            .text(" or go ")
            .with(a().to_scenario(query).text("back to before"))
            .text(" (as the browser’s Back does)."),
        None => line.text("."),
    }
}

/// The whole result of a log.
pub fn shown(number: usize, log: &Log, opened: Option<Element>) -> Element {
    let Log { diagnosis, excerpt, trouble, .. } = log;
    let title = ["log-", &plain(number as u64), "-title"].concat();
    let mut part = section()
        .class("log__report")
        .set(Attribute::AriaLabelledby, &*title)
        .with(p().class("log__name").text(about(log)));
    let silent = diagnosis.facts.0.is_empty() || text::says_nothing(diagnosis);
    if let Some(trouble) = trouble.as_ref().filter(|_| silent) {
        return part.with(h3().id(&title).text(&**trouble));
    }
    part = part
        .with(h3().id(&title).set(Attribute::DataVerdict, verdict(diagnosis.cause)).text(joined(&diagnosis.result)));
    part = part.with(p().text(joined(&shorten(&diagnosis.why, 600))));
    part = part.all(trouble.iter().map(|trouble| p().class("log__trouble").text(&**trouble)));
    part = part.all(cures(diagnosis));
    part = part.all(diagnosis.proof.iter().map(|proof| p().class("log__proof").text(typeset(proof))));
    part = match opened {
        Some(line) => part.with(line),
        None => part.all(unopened(diagnosis).map(|words| p().class("aside").text(words))),
    };
    part = part.all(issues(diagnosis));
    let name = called(&log.name);
    part = part.all(numbers(number, &name, &diagnosis.facts.0, diagnosis.engine));
    if !excerpt.lines.is_empty() {
        part = part.with(super::part("The lines these came from").with(text::shown(number, &name, diagnosis, excerpt)));
    }
    part.all(unread(diagnosis)).all(attempts(diagnosis))
}

/// Amounts stay in one piece where a line ends.
fn joined(words: &str) -> String {
    words.replace(" GiB", "\u{a0}GiB")
}

/// With a minus before numbers, and the dashes of flags as they are typed.
pub fn typeset(words: &str) -> String {
    words.replace(" -", " −").replace("−-", "--")
}

/// Name, engine, size.
fn about(log: &Log) -> String {
    let engine = match log.diagnosis.engine {
        Some(engine) => called_engine(engine),
        None => "engine unknown",
    };
    let version = log.diagnosis.version.as_deref().map(|version| [" ", &*shorten(version, 24)].concat());
    let lines = format::whole(log.excerpt.total as i64);
    let size = if log.bytes < 1 << 20 {
        [&*format::whole(log.bytes.div_ceil(1024) as i64), " KiB"].concat()
    } else {
        [&*mib(log.bytes), " MiB"].concat()
    };
    let lines = if log.excerpt.total == 1 { "1 line".to_owned() } else { lines + " lines" };
    [&*called(&log.name), " · ", engine, &version.unwrap_or_default(), " · ", &lines, ", ", &size].concat()
}

fn called_engine(engine: Engine) -> &'static str {
    match engine {
        Engine::Sglang => "SGLang",
        Engine::Vllm => "vLLM",
        Engine::TensorrtLlm => "TensorRT-LLM",
        Engine::LmdeployPytorch => "LMDeploy (PyTorch)",
        Engine::LmdeployTurbomind => "LMDeploy (TurboMind)",
        Engine::LlamaCpp => "llama.cpp",
    }
}

fn verdict(cause: Cause) -> &'static str {
    match cause {
        Cause::Healthy => "starts",
        Cause::ReasonMissing | Cause::NotMemory | Cause::PoolFull | Cause::PoolSmallerThanExpected => "unknown",
        _ => "cannot_start",
    }
}

/// Why the sliders show something else.
fn unopened(diagnosis: &Diagnosis) -> Option<&'static str> {
    let gives = |name| diagnosis.facts.get(name).is_some();
    match diagnosis.engine {
        // One log is shown above; another has its numbers too.
        _ if diagnosis.scenario.is_some() => None,
        // An issue says it.
        _ if diagnosis.issues.iter().any(|issue| issue.field == "scenario") => None,
        Some(Engine::Sglang) if gives(FactName::Total) && gives(FactName::Available) => Some(
            "The sliders above stay as they were: this paste does not give the fraction. Set it as you typed it, with the two numbers below.",
        ),
        Some(Engine::Sglang) => Some(
            "The sliders above stay as they were: this paste does not give what is free before and after the weights.",
        ),
        Some(_) => Some("The bars above are SGLang’s budget and stay as they were."),
        None => None,
    }
}

/// What to type, best first.
fn cures(diagnosis: &Diagnosis) -> Option<Element> {
    if diagnosis.advice.is_empty() {
        return without_value(diagnosis).map(|line| part("Try").with(line));
    }
    let items = diagnosis.advice.iter().map(|advice| {
        let from = advice.from.map(|from| small().text([" now ", &*value(advice, from, 2), " "].concat()));
        li().with(typed(&spelled(advice))).all(from).with(p().text(&*advice.why))
    });
    let all = diagnosis.advice.len() > 1 && diagnosis.direction != Direction::Raise;
    let flags: Vec<String> = diagnosis.advice.iter().map(spelled).filter(|flag| flag.starts_with('-')).collect();
    let together = (all && flags.len() > 1)
        .then(|| p().class("log__all").text("All of them in one line: ").with(typed(&flags.join(" "))));
    let title = if diagnosis.advice.len() == 1 { "Try" } else { "Try, in this order" };
    let flag = fraction_flag(diagnosis.engine);
    let turned = diagnosis.advice.iter().any(|advice| Some(advice.flag.as_str()) == flag);
    let way = if turned { None } else { without_value(diagnosis) };
    Some(part(title).all(way).with(ol().class("log__cures").all(items)).all(together))
}

/// Which way to go where the log does not say how far.
fn without_value(diagnosis: &Diagnosis) -> Option<Element> {
    let flag = fraction_flag(diagnosis.engine)?;
    let way = match diagnosis.direction {
        Direction::Raise => "A larger ",
        Direction::Lower => "A smaller ",
        Direction::None | Direction::Unknown => return None,
    };
    let words = ". How far does not follow from this paste, so no value is given.";
    Some(p().text(way).with(code().text(flag)).text(words))
}

/// Something to type, with its button.
fn typed(words: &str) -> Element {
    let copy = button()
        .set(Attribute::Type, "button")
        .set(Attribute::DataCopy, words)
        .set(Attribute::AriaLabel, ["Copy ", words].concat())
        .text("Copy");
    span().class("log__typed").with(code().text(words)).with(copy)
}

/// As it is typed: `--flag 0.770`, or `NAME=0` for a variable of the environment.
pub fn spelled(advice: &Advice) -> String {
    match advice.to {
        Some(to) if advice.flag.starts_with('-') => [&*advice.flag, " ", &value(advice, to, 3)].concat(),
        Some(to) => [&*advice.flag, "=", &value(advice, to, 3)].concat(),
        None => advice.flag.clone(),
    }
}

/// A share with at least these decimals, anything else as short as it is.
fn value(advice: &Advice, value: f64, decimals: u32) -> String {
    let share = ["fraction", "utilization", "cache-max-entry-count"].iter().any(|word| advice.flag.contains(word));
    decimal::write_trimmed(value, 6, if share { decimals } else { 0 })
}

fn issues(diagnosis: &Diagnosis) -> Option<Element> {
    let items = diagnosis.issues.iter().map(|issue| li().text(shorten(&issue.message, 400)));
    (!diagnosis.issues.is_empty()).then(|| ul().class("log__issues").all(items))
}

/// The numbers that were read.
fn numbers(log: usize, name: &str, facts: &[Fact], engine: Option<Engine>) -> Option<Element> {
    if facts.is_empty() {
        return None;
    }
    let rows = facts.iter().map(|fact| {
        let line = a().set(Attribute::Href, ["#", &line_id(log, fact.line)].concat());
        let row = tr().id(&fact_id(log, fact)).set(Attribute::Tabindex, "-1");
        let row = match facts::term(fact.name) {
            Some(term) => row.set(Attribute::DataTerm, term.slug()),
            None => row,
        };
        row.with(th().set(Attribute::Scope, "row").text(facts::called(fact.name, engine)))
            .with(td().class("log__value").text(facts::value(fact)))
            .with(td().text(fact.unit))
            .with(td().class("log__spread").text(facts::spread(fact)))
            .with(td().text(shorten(&fact.rank, 24)))
            .with(td().with(line.text(["line ", &format::whole(fact.line as i64)].concat())))
    });
    let columns = ["number", "value", "unit", "rounding", "rank", "from"];
    let head = columns.into_iter().map(|column| th().set(Attribute::Scope, "col").text(column));
    let table = table().with(thead().with(tr().all(head))).with(tbody().all(rows));
    let scroll = super::region("log__scroll log__numbers", &["The numbers: ", name].concat()).with(table);
    Some(part("The numbers in it").with(scroll))
}

/// Lines that looked as if they spoke of memory.
fn unread(diagnosis: &Diagnosis) -> Option<Element> {
    let unknown = &diagnosis.unknown;
    if unknown.is_empty() {
        return None;
    }
    let items = unknown.iter().map(|unread| {
        let number = span().class("log__number").text(plain(unread.line));
        p().class("log__line").with(number).with(span().class("log__words").text(shorten(&unread.text, 200)))
    });
    let title = counted(
        unknown.len(),
        "line that speaks of memory was not understood",
        "lines that speak of memory were not understood",
    );
    Some(details().class("log__more").with(summary().text(title)).with(div().class("log__text").all(items)))
}

/// Earlier starts in the same log.
fn attempts(diagnosis: &Diagnosis) -> Option<Element> {
    let earlier = &diagnosis.attempts;
    if earlier.is_empty() {
        return None;
    }
    let items = earlier.iter().map(|attempt| {
        let facts = attempt.facts.0.iter().filter(|fact| facts::term(fact.name).is_some());
        let called = |fact: &Fact| facts::called(fact.name, attempt.engine);
        let words = facts.map(|fact| [called(fact), " ", &*facts::value(fact), " ", fact.unit].concat());
        let words: Vec<String> = words.map(|words| words.trim_end().to_owned()).collect();
        li().text(&*attempt.result).with(p().class("aside").text(words.join(" · ")))
    });
    let title = counted(earlier.len(), "other attempt in the same log", "other attempts in the same log");
    Some(details().class("log__more").with(summary().text(title)).with(ol().all(items)))
}

fn counted(count: usize, one: &str, many: &str) -> String {
    [&*plain(count as u64), " ", if count == 1 { one } else { many }].concat()
}

//! Records into attempts: applies the table of patterns, and tells where one attempt ends and the next begins.

use super::attempt::Attempt;
use super::excerpt;
use super::lines::{self, Joiner, Record};
use super::matcher::Matcher;
use super::numbers::{find, number};
use super::readers;
use super::report::{Engine, Unread};
use super::rules::{Datum, Form, Rule, Signal};
use super::scan::Line;
use crate::issue::shorten;

/// Attempts that are kept; the oldest go.
const MOST_ATTEMPTS: usize = 32;

/// Unread lines that are kept of one attempt.
const MOST_UNREAD: usize = 12;

/// How a line of SGLang's scheduler begins.
const BATCHES: &[&str] = &["Decode batch", "Prefill batch"];

/// Collects attempts.
#[derive(Default)]
pub struct Intake {
    joiner: Joiner,
    matcher: Matcher,
    attempts: Vec<Attempt>,
}

impl Intake {
    /// Takes one line of the scan.
    pub fn line(&mut self, line: Line<'_>) {
        let Self { joiner, matcher, attempts } = self;
        joiner.line(line, &mut |record| take(attempts, &matcher.of(record), record));
    }

    /// The lines that something was read from so far.
    pub fn used(&self) -> Vec<u64> {
        self.attempts.iter().flat_map(excerpt::used).collect()
    }

    /// The attempts, oldest first.
    pub fn finish(mut self) -> Vec<Attempt> {
        let Self { joiner, matcher, attempts } = &mut self;
        joiner.finish(&mut |record| take(attempts, &matcher.of(record), record));
        self.attempts
    }
}

/// Commands that look into a log: the words they look for say nothing of the server.
const LOOKS: &[&str] = &[
    "grep ",
    "egrep ",
    "zgrep ",
    "rg ",
    "tail ",
    "cat ",
    "less ",
    "awk ",
    "sed ",
    "dmesg ",
    "docker logs",
    "docker container logs",
    "docker service logs",
    "docker compose",
    "docker inspect",
    "docker ps",
    "docker exec",
    "kubectl ",
    "journalctl ",
];

/// Whether the record is such a command, with or without a shell's prompt, or a request with its text.
fn is_look(text: &str) -> bool {
    let typed =
        ["$ ", "# "].iter().find_map(|prompt| text.split_once(prompt).filter(|(before, _)| !before.contains(' ')));
    let command = typed.map_or(text, |(_, command)| command);
    let quotes = text.contains(['\'', '"']);
    LOOKS.iter().any(|look| command.starts_with(look)) && (typed.is_some() || quotes || text.contains('|'))
        || quotes && text.contains("grep -")
        // With `--log-requests`: a user's words.
        || text.contains("obj=GenerateReqInput(")
}

fn take(attempts: &mut Vec<Attempt>, rules: &[&'static Rule], record: &Record) {
    let starts = |rule: &&Rule| rule.tells(Signal::Launch);
    if !rules.is_empty() && is_look(&record.text) && !rules.iter().any(starts) {
        return;
    }
    if lines::is_kill(&record.text) {
        let place = place_of(attempts, &record.source);
        if let Some(attempt) = place.and_then(|place| attempts.get_mut(place)) {
            readers::killed(record, attempt);
        }
        return;
    }
    let exception = lines::exception(&record.text);
    // Both at once, and no message by itself: a list of errors, not a log.
    let names = |signal: Signal| rules.iter().any(|rule| rule.tells(signal));
    if names(Signal::NoRoom) && names(Signal::OutOfMemory) && exception.is_none() && record.rank.is_empty() {
        return;
    }
    if rules.is_empty() && exception.is_none() {
        // Lines of batches are far too many to be looked for; one beside a line that matters says that the server was up.
        if BATCHES.iter().any(|batch| record.text.starts_with(batch)) {
            // A server that was refused serves nothing: this is another.
            let place = place_of(attempts, &record.source);
            let place = place.filter(|place| !attempts.get(*place).is_none_or(Attempt::was_refused));
            let place = place.unwrap_or_else(|| begin(attempts, &record.source));
            if let Some(attempt) = attempts.get_mut(place) {
                attempt.engine = attempt.engine.or(Some(Engine::Sglang));
                attempt.signal(Signal::Serving, record);
            }
            return;
        }
        if looks_like_memory(&record.flat) {
            unread(attempts, record);
        }
        return;
    }
    let mut place = place_of(attempts, &record.source);
    if place.and_then(|place| attempts.get(place)).is_none_or(|last| begins_another(last, record, rules)) {
        place = Some(begin(attempts, &record.source));
    }
    let Some(attempt) = place.and_then(|place| attempts.get_mut(place)) else { return };
    // What was read before a command line, without anything that happened, is the end of another attempt.
    if rules.iter().any(starts) && !attempt.has_substance() && !attempt.readings.is_empty() {
        *attempt = Attempt::new(&record.source);
    }
    if attempt.source.is_empty() {
        record.source.clone_into(&mut attempt.source);
    }
    let mut understood = false;
    // A warning names a file without being a frame of a traceback.
    let warns = find(&record.flat, "Warning:", 0).is_some();
    for rule in rules {
        if attempt.engine.is_none() {
            attempt.engine = rule.engine.or(record.engine);
        }
        // The name of a function may go on where the input is cut.
        let unsure = warns || record.cut && find(&record.flat, rule.key, 0) == Some(record.flat.len());
        for signal in rule.signals() {
            if unsure && matches!(signal, Signal::Frame(_) | Signal::Consumer(_)) {
                continue;
            }
            attempt.signal(signal, record);
            understood = true;
        }
        for field in rule.fields {
            if let Some(read) = find(&record.flat, field.after, 0).and_then(|at| number(record, at, field.form)) {
                attempt.add(field.gives, read, record);
                understood = true;
            }
        }
        if let Some(read) = rule.read {
            read(record, attempt);
            understood = true;
        }
    }
    let refused = rules.iter().any(|rule| rule.tells(Signal::NoRoom));
    let told = exception.is_some() || !record.rank.is_empty() || find(&record.flat, "Error: Not enough", 0).is_some();
    if refused && !told && !record.text.starts_with("Not enough") {
        attempt.signal(Signal::Mentioned, record);
    }
    if let Some(class) = exception.filter(|class| is_a_reason(class, record, rules)) {
        let text = shorten(&record.text, 120);
        attempt.exception = Some((text, record.line));
        understood |= !class.is_empty();
    }
    if !understood && looks_like_memory(&record.flat) {
        unread(attempts, record);
    }
}

/// Another attempt, in the place of the oldest where there are enough; says where it is.
fn begin(attempts: &mut Vec<Attempt>, source: &str) -> usize {
    if attempts.len() >= MOST_ATTEMPTS {
        attempts.remove(0);
    }
    attempts.push(Attempt::new(source));
    attempts.len() - 1
}

/// The attempt that a record of this source goes on with: several servers write in turn.
fn place_of(attempts: &[Attempt], source: &str) -> Option<usize> {
    let newest = attempts.len().checked_sub(1)?;
    let same = || attempts.iter().rposition(|attempt| attempt.source == source);
    if source.is_empty() { Some(newest) } else { same().or(Some(newest)) }
}

/// Whether this record belongs to another server or another start than the last attempt.
fn begins_another(last: &Attempt, record: &Record, rules: &[&Rule]) -> bool {
    if !last.has_substance() {
        return false;
    }
    if last.source != record.source && !record.source.is_empty() {
        return true;
    }
    let says = |signal: Signal| rules.iter().any(|rule| rule.tells(signal));
    // A node of the same server prints its arguments too, before anything is over.
    if says(Signal::Launch) || says(Signal::Arguments) || says(Signal::EngineStart) {
        return true;
    }
    let other_engine = |rule: &&Rule| {
        let telling = !rule.fields.is_empty() || rule.signals().any(|signal| !matches!(signal, Signal::Frame(_)));
        telling && rule.engine.is_some_and(|engine| last.engine.is_some_and(|known| family(known) != family(engine)))
    };
    if rules.iter().any(other_engine) && !rules.iter().any(|rule| rule.engine == last.engine) {
        return true;
    }
    let begins = says(Signal::LoadBegin) || find(&record.flat, "Init torch distributed begin", 0).is_some();
    if begins && last.is_over_for(&record.rank) && last.engine != Some(Engine::LlamaCpp) {
        return true;
    }
    let refused = rules.iter().any(|rule| rule.signals().any(is_refusal));
    let ran_out = says(Signal::Oom) || says(Signal::OutOfMemory) && readers::is_gpu_memory(record);
    if refused && last.ran_out() && !last.was_refused() || ran_out && last.was_refused() {
        return last.engine != Some(Engine::LlamaCpp);
    }
    // vLLM measured again after it refused: a person's next try.
    let measures =
        |rule: &&Rule| rule.tells(Signal::PoolMade) || rule.fields.iter().any(|field| field.gives == Datum::Rest);
    if last.engine == Some(Engine::Vllm) && last.saw(Signal::NoRoom) && !refused && rules.iter().any(measures) {
        return true;
    }
    // The same refusal at another value of the flag.
    let stated = rules
        .iter()
        .flat_map(|rule| rule.fields)
        .filter(|field| field.gives == Datum::Fraction && field.form == Form::Exact)
        .find_map(|field| find(&record.flat, field.after, 0).and_then(|at| number(record, at, field.form)));
    let known = last.least(Datum::Fraction).filter(|known| known.half_width == 0.0);
    match (stated, known) {
        (Some(stated), Some(known)) => {
            (stated.value - known.value).abs() > 1e-9 && last.was_refused() && (refused || says(Signal::NoRoom))
        }
        _ => false,
    }
}

fn is_refusal(signal: Signal) -> bool {
    matches!(signal, Signal::NoRoom | Signal::NoRoomForState | Signal::ContextOverPool | Signal::FractionOverFree)
}

fn family(engine: Engine) -> Engine {
    if engine == Engine::LmdeployPytorch { Engine::LmdeployTurbomind } else { engine }
}

/// Classes that never come from a want of memory, even where their text is cut off.
const NEVER_MEMORY: &[&str] = &[
    "ModuleNotFoundError",
    "FileNotFoundError",
    "ImportError",
    "KeyError",
    "IndexError",
    "TypeError",
    "AttributeError",
    "NameError",
    "NotImplementedError",
    "AssertionError",
    "PermissionError",
    "SyntaxError",
    "ValidationError",
    "JSONDecodeError",
    "OutOfResources",
    "CompilationError",
];

/// Classes and texts that follow from a failure elsewhere.
const FOLLOWS: &[&str] = &[
    "EOFError",
    "BrokenPipeError",
    "ConnectionResetError",
    "ConnectionRefusedError",
    "KeyboardInterrupt",
    "SystemExit",
    "CancelledError",
    "TimeoutError",
    "ProcessExitedException",
    "ProcessRaisedException",
    "AsyncEngineDeadError",
    "EngineDeadError",
    "MQEngineDeadError",
    "cannot be performed in the present state",
    "initialization failed",
    "Engine process failed to start",
    "failed to start",
    "Rank 0 scheduler",
    "scheduler died",
    "Initialization failed",
    "cancelled",
    "NCCL error",
    "unhandled cuda error",
    "STATUS_NOT_INITIALIZED",
    "STATUS_INTERNAL_ERROR",
    "unspecified launch failure",
    "unhashable type: 'slice'",
    "HTTPConnectionPool",
    "Call to CUDA function failed",
    "See stack trace",
    "Timeout waiting for workers",
    "other ranks that didn't finish loading",
];

/// Texts of an exception about memory that no rule knows.
const WORDED: &[&str] = &[
    "enough memory",
    "ufficient memory",
    "ufficient GPU memory",
    "ufficient VRAM",
    "llocation Failure",
    "ut of Memory",
    "budget too small",
];

/// A shorter text of an exception, its colon included, is what a cut left of it.
const SHORTEST: usize = 6;

/// Whether an exception can be the reason, and the reason is not memory.
fn is_a_reason(class: &str, record: &Record, rules: &[&Rule]) -> bool {
    let about_memory = rules.iter().any(|rule| {
        rule.signals().any(|signal| {
            is_refusal(signal)
                || matches!(
                    signal,
                    Signal::Oom
                        | Signal::OutOfMemory
                        | Signal::WarmupOom
                        | Signal::OthersMoved
                        | Signal::StateSlotsFull
                        | Signal::PromptTooLong
                        | Signal::PoolFull
                        | Signal::NoRoomForRuntime
                )
        })
    });
    let other = |rule: &&Rule| rule.signals().any(|signal| matches!(signal, Signal::NotMemory | Signal::HostMemory));
    let worded = WORDED.iter().any(|text| find(&record.flat, text, 0).is_some()) && !rules.iter().any(other);
    let follows = FOLLOWS.iter().any(|text| class == *text || find(&record.flat, text, 0).is_some());
    // Either kind of exception may have its text cut away.
    let text = find(&record.flat, "graph failed:", 0).or_else(|| find(&record.flat, "graph failed", 0));
    let bare = record.flat.len() <= text.unwrap_or_else(|| find(&record.flat, class, 0).unwrap_or(0)) + SHORTEST;
    // The record may be of one line with the rest of a message still to come in the next.
    !about_memory && !worded && !follows && (NEVER_MEMORY.contains(&class) || !bare && !record.cut)
}

/// A number with a unit of memory beside a word of memory.
fn looks_like_memory(flat: &str) -> bool {
    let lower = |word: &str| flat.contains(word);
    let named = ["mem", "Mem", "KV", "cache", "Cache"].iter().any(|word| lower(word));
    let measured = ["GB", "GiB", "MiB", "MB"].iter().any(|unit| {
        flat.match_indices(unit).any(|(at, _)| {
            flat.get(..at).and_then(|before| before.bytes().last()).is_some_and(|byte| byte.is_ascii_digit())
        })
    });
    named && measured
}

fn unread(attempts: &mut Vec<Attempt>, record: &Record) {
    if attempts.is_empty() {
        begin(attempts, &record.source);
    }
    if let Some(attempt) = attempts.last_mut()
        && attempt.unread.len() < MOST_UNREAD
    {
        attempt.unread.push(Unread { line: record.line, text: shorten(&record.text, 160) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_as_few_however_they_begin() {
        let mut intake = Intake::default();
        let lines = [
            "[2026-02-26 18:21:30 TP0] RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
            "[2026-02-26 18:21:31 TP0] Decode batch, #running-req: 1, #token: 100, token usage: 0.01",
        ];
        for (number, text) in (1..).zip(lines.repeat(100)) {
            intake.line(Line { number, text: text.as_bytes(), ended: true, hit: true });
        }
        // Each batch begins another, since a server that was refused serves nothing; the newest stay.
        let attempts = intake.finish();
        assert_eq!(attempts.len(), 32);
        assert!(attempts.iter().all(|attempt| attempt.saw(Signal::Serving)));
    }
}

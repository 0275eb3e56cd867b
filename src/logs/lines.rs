//! Lines to records: prefixes and colours off, rank and source noted, wrapped lines joined again.
//!
//! A record is what one call of a logger wrote, however many lines it takes on the screen. Its text is kept twice: as it
//! stands, and with all white space taken out. Comparing without white space makes a break inside a message, a missing
//! blank before "GB" and a doubled one the same thing.

use super::plain::plain;
use super::prefix::{self, Head};
use super::report::Engine;
use super::scan::Line;

/// Lines that one record may take.
const MOST_LINES: u32 = 12;

/// Bytes that one record may take.
const MOST_BYTES: usize = 1 << 17;

/// One message of the log.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The first of its lines that the scan found a key in, else that of its beginning; from 1.
    pub line: u64,
    /// The text without prefixes, lines joined by a blank.
    pub text: String,
    /// The text without any white space.
    pub flat: String,
    /// The rank's tag, `DP0 PP1 TP3`; empty without one.
    pub rank: String,
    /// File name that a header or a grep prefix named; empty without one.
    pub source: String,
    /// The scan found a key in one of its lines.
    pub hit: bool,
    /// The engine that the head named.
    pub engine: Option<Engine>,
    /// The input ends inside this record: a number at its very end may be cut.
    pub cut: bool,
    /// Lines that it took so far.
    pub lines: u32,
    /// Number of the last of them.
    pub last: u64,
}

/// Builds records out of lines.
#[derive(Debug, Default)]
pub struct Joiner {
    open: Option<Record>,
    /// Name in the last `==> name <==` header.
    source: String,
    /// A prefix of this paste that is none of the known ones.
    foreign: String,
}

impl Joiner {
    /// Takes one line.
    pub fn line(&mut self, line: Line<'_>, out: &mut dyn FnMut(&Record)) {
        let text = plain(line.text);
        let mut pieces = prefix::pieces(&text).into_iter().peekable();
        // What stands before the first piece holds for all of the line.
        let mut service = "";
        while let Some(piece) = pieces.next() {
            let cut = !line.ended && pieces.peek().is_none();
            let mut head = self.peel(piece, pieces.peek().is_some());
            if head.service.is_empty() {
                head.service = service;
            }
            service = head.service;
            self.piece(Line { ended: !cut, ..line }, piece, head, out);
        }
    }

    /// Closes the last record.
    pub fn finish(&mut self, out: &mut dyn FnMut(&Record)) {
        if let Some(record) = self.open.take() {
            out(&record);
        }
    }

    /// Takes prefixes off, the paste's own too.
    fn peel<'a>(&mut self, piece: &'a str, goes_on: bool) -> Head<'a> {
        let outer = prefix::peel(piece);
        // What follows a logger's own head is a message, not a prefix.
        let found = match goes_on {
            true => prefix::learnt(outer.rest).filter(|_| !outer.headed),
            false => prefix::foreign(outer.rest),
        };
        if let Some(found) = found.filter(|found| *found != self.foreign) {
            found.clone_into(&mut self.foreign);
        }
        let Some(rest) = prefix::without(outer.rest, &self.foreign) else { return outer };
        let inner = prefix::peel(rest);
        let first = |a: &'a str, b: &'a str| if a.is_empty() { b } else { a };
        Head {
            rest: inner.rest,
            rank: if inner.rank.is_empty() { outer.rank } else { inner.rank },
            source: first(inner.source, outer.source),
            service: first(inner.service, outer.service),
            headed: inner.headed || outer.headed,
            engine: inner.engine.or(outer.engine),
        }
    }

    fn piece(&mut self, line: Line<'_>, piece: &str, head: Head<'_>, out: &mut dyn FnMut(&Record)) {
        let number = line.number;
        let Head { rest, rank, source, service, headed, engine } = head;
        if let Some(name) = rest.strip_prefix("==>").and_then(|rest| rest.trim().strip_suffix("<==")) {
            self.finish(out);
            name.trim().clone_into(&mut self.source);
            return;
        }
        if rest.is_empty() {
            // Blank lines end a message, except the one that a progress bar leaves behind.
            if !headed && piece.trim().is_empty() {
                self.finish(out);
            }
            return;
        }
        let goes_on = !headed
            && !starts_anew(rest)
            && self.open.as_ref().is_some_and(|open| {
                // A command of any length goes on behind a backslash.
                let room = open.lines < MOST_LINES || open.text.ends_with('\\');
                number <= open.last + 1 && room && open.flat.len() + rest.len() < MOST_BYTES
            });
        if !goes_on {
            self.finish(out);
            let names = [source, self.source.as_str(), service];
            let source = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
            self.open = Some(Record { line: number, rank, source, engine, ..Record::default() });
        }
        if let Some(open) = &mut self.open {
            if !open.text.is_empty() {
                open.text.push(' ');
            }
            open.text.push_str(rest);
            open.flat.extend(rest.chars().filter(|c| !c.is_whitespace()));
            open.cut = !line.ended;
            if line.hit && !open.hit {
                (open.line, open.hit) = (number, true);
            }
            open.lines += 1;
            open.last = number;
        }
    }
}

/// Beginnings that no wrapped line has.
const FRESH: &[&str] = &[
    "Traceback ",
    "File \"",
    "During handling",
    "The above exception",
    "Possible s",
    "raise ",
    "self.",
    "return ",
    "$ ",
    "# ",
    "python -m",
    "python3 -m",
    "sglang serve",
    "vllm serve",
    "GPU ",
    "Process ",
    "Of the allocated",
    "Capturing ",
    "Capture ",
    "Loading ",
    "Load weight",
    "Memory pool",
    "Memory profiling",
    "Mamba Cache",
    "KV Cache",
    "Using ",
    "Use ",
    "max_total_num_tokens",
    "Available KV",
    "GPU KV",
    "llama_",
    "llm_load",
    "load_",
    "ggml_",
    "alloc_tensor",
    "graph_reserve",
    "common_init",
    "srv ",
    "slot ",
    "main:",
    "print_info",
    "cudaError",
    "CUDA error",
    "ROCm error",
    "Allocat",
    " Allocat",
    "Loaded engine",
    "TensorRT-managed",
    "Exception",
    "Open an issue",
    "DSV4 ",
    "DSv4 ",
    "^^^",
    "~~~",
];

fn starts_anew(rest: &str) -> bool {
    FRESH.iter().any(|fresh| rest.starts_with(fresh))
        || numbered(rest)
        || progress(rest)
        || listed(rest)
        || is_kill(rest)
        || exception(rest).is_some()
        || rest.starts_with(['[', '{', '+', '|'])
}

/// `1. set …`: an item of a list.
fn numbered(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && digits < 3 && rest.get(digits..digits + 2) == Some(". ")
}

/// `100%|███`: a progress bar.
fn progress(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && digits < 4 && rest.get(digits..digits + 2) == Some("%|")
}

/// An item of a list with words or code in it; arguments in a list are one command.
fn listed(rest: &str) -> bool {
    let first = rest.strip_prefix("- ").and_then(|item| item.bytes().next());
    first.is_some_and(|first| first == b'`' || first.is_ascii_uppercase())
}

/// What a shell says of a command that signal 9 ended: `Killed`, perhaps behind a progress bar or the number of the process
/// and before the command.
pub fn is_kill(text: &str) -> bool {
    let before = text.split_once("Killed   ").map(|(before, _)| before).or_else(|| text.strip_suffix("Killed"));
    before.is_some_and(|before| {
        let last = before.bytes().rfind(|byte| *byte != b' ');
        last.is_none_or(|last| last == b']' || last.is_ascii_digit())
    })
}

/// The class of an exception whose line this is: `torch.OutOfMemoryError: …` gives `OutOfMemoryError`.
pub fn exception(text: &str) -> Option<&str> {
    // As people quote it.
    let text = text.strip_prefix('`').unwrap_or(text);
    let name = text.split([':', ' ']).next().unwrap_or_default();
    let rest = text.get(name.len()..).unwrap_or_default();
    let class = name.rsplit('.').next().unwrap_or_default();
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.');
    let known = ["Error", "Exception", "OutOfResources", "Interrupt", "SystemExit", "AssertionError"];
    let ends = known.iter().any(|known| class.ends_with(known));
    (plain && ends && (rest.is_empty() || rest.starts_with(':'))).then_some(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<(u64, String, String)> {
        let mut found = Vec::new();
        let mut joiner = Joiner::default();
        let mut out = |record: &Record| found.push((record.line, record.rank.clone(), record.text.clone()));
        for (index, line) in text.lines().enumerate() {
            joiner.line(Line { number: index as u64 + 1, text: line.as_bytes(), ended: true, hit: true }, &mut out);
        }
        joiner.finish(&mut out);
        found
    }

    #[test]
    fn joins_what_a_terminal_wrapped() {
        let text = "ValueError: Loaded weights leave no GPU memory under\n--mem-fraction-static=0.3. Raise it above 0.320\n(minimum viable = 0.3198).\n";
        assert_eq!(records(text).len(), 1);
    }

    #[test]
    fn parts_what_a_progress_bar_ran_together() {
        let found = records("  0%|  | 0/13 [00:00<?, ?it/s][2025-03-08 12:29:21 TP1] Capture cuda graph begin.");
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].1, "TP1");
        assert_eq!(found[1].2, "Capture cuda graph begin.");
    }

    #[test]
    fn knows_what_a_shell_says_of_a_kill() {
        for text in ["Killed", "3/4 [00:08<00:02,  2.83s/it]Killed", "run.sh: line 31:  2467 Killed     python3 -m x"] {
            assert!(is_kill(text), "{text}");
        }
        for text in ["", "OOM Killed", "Killed process 50624 (python3)", "tasks have been OOM Killed.", "2467 Killed x"]
        {
            assert!(!is_kill(text), "{text}");
        }
        assert_eq!(records("Load weight begin. avail mem=108.41 GB\nKilled\n").len(), 2);
    }

    #[test]
    fn knows_exceptions_by_their_class() {
        assert_eq!(exception("torch.OutOfMemoryError: CUDA out of memory."), Some("OutOfMemoryError"));
        assert_eq!(exception("KeyError"), Some("KeyError"));
        for text in ["", "an Error: x", "Errors: x", "Error", ": x"] {
            assert_eq!(exception(text), if text == "Error" { Some("Error") } else { None }, "{text}");
        }
    }
}

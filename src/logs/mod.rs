//! The log doctor: a server's log in, the numbers, the cause and the cure out.
//!
//! Reading is total: any bytes give a diagnosis, and what is not understood is listed or named as missing. Bytes become
//! lines (`scan`), lines become records (`plain`, `prefix`, `lines`), records give readings and signals by one table of
//! patterns (`rules` and a file an engine), an attempt to start collects them (`attempt`), and `diagnose` tells the cause.
//! Of the text only the lines are kept that something was read from: memory does not grow with the log.

mod advice;
mod arguments;
mod attempt;
#[cfg(test)]
mod by_hand;
mod common;
mod compare;
mod diagnose;
mod excerpt;
mod exhausted;
mod facts;
mod intake;
mod lines;
mod llama_cpp;
mod lmdeploy;
mod matcher;
mod numbers;
mod plain;
mod prefix;
mod proof;
mod readers;
mod report;
mod rules;
mod scan;
mod search;
mod sglang;
mod sorted;
mod tensorrt_llm;
mod vllm;
mod words;

pub use advice::fraction_flag;
pub use compare::{Comparison, Difference, compare};
pub use excerpt::{Excerpt, TextLine};
pub use report::{Advice, Argument, Cause, Diagnosis, Direction, Engine, Fact, FactList, FactName, Stage, Unread};

use crate::issue::{Issue, IssueKind};
use excerpt::Keeper;
use intake::Intake;
use scan::{Line, Scanner};

/// Reads a log in any portions.
pub struct Doctor {
    scanner: Scanner,
    intake: Intake,
    /// Only for whoever shows the text.
    keeper: Option<Keeper>,
}

impl Default for Doctor {
    fn default() -> Self {
        Self { scanner: Scanner::new(matcher::search()), intake: Intake::default(), keeper: None }
    }
}

impl Doctor {
    /// A doctor that also keeps the lines that it reads something from: for [`Doctor::finish_with_text`].
    pub fn keeping_text() -> Self {
        Self { keeper: Some(Keeper::default()), ..Self::default() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { scanner, intake, keeper } = self;
        scanner.push(bytes, &mut |line| take(intake, keeper, line));
    }

    /// What the log says of its last attempt that came to an end; earlier attempts are inside.
    pub fn finish(self) -> Diagnosis {
        self.finish_with_text().0
    }

    /// The same, and the lines that it rests on; none from a doctor that kept none.
    pub fn finish_with_text(mut self) -> (Diagnosis, Excerpt) {
        let Self { scanner, intake, keeper } = &mut self;
        scanner.finish(&mut |line| take(intake, keeper, line));
        let (compressed, lines) = (scanner.is_compressed(), scanner.lines());
        let mut diagnosis = diagnose::last(&self.intake.finish());
        if compressed {
            let message = "This is gzip; unpack it first (gunzip), nothing of it was read.";
            diagnosis.issues.push(Issue::new("log", IssueKind::BadEncoding, message));
        }
        let unread = diagnosis.unknown.iter().map(|unread| unread.line);
        let used: Vec<u64> = diagnosis.lines.iter().copied().chain(unread).collect();
        let excerpt = self.keeper.unwrap_or_default().finish(&used, lines);
        (diagnosis, excerpt)
    }
}

fn take(intake: &mut Intake, keeper: &mut Option<Keeper>, line: Line<'_>) {
    if let Some(keeper) = keeper {
        keeper.keep(line, || intake.used());
    }
    intake.line(line);
}

/// Reads a whole log.
///
/// ```
/// use kv_budget::logs::{Cause, Direction, diagnose};
/// let log = b"RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n";
/// let diagnosis = diagnose(log);
/// assert_eq!((diagnosis.cause, diagnosis.direction), (Cause::NoRoomAtStart, Direction::Raise));
/// ```
pub fn diagnose(log: &[u8]) -> Diagnosis {
    let mut doctor = Doctor::default();
    doctor.push(log);
    doctor.finish()
}

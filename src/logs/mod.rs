//! The log doctor: a server's log in, the numbers, the cause and the cure out.
//!
//! Reading is total: any bytes give a diagnosis, and what is not understood is listed or named as missing. Bytes become
//! lines (`scan`), lines become records (`lines`, `prefix`), records give readings and signals by one table of patterns
//! (`rules` and a file an engine), an attempt to start collects them (`attempt`), and `diagnose` tells the cause.
//! Nothing here keeps the text: memory does not grow with the log.

mod advice;
mod arguments;
mod attempt;
mod common;
mod compare;
mod diagnose;
mod exhausted;
mod facts;
mod intake;
mod lines;
mod llama_cpp;
mod lmdeploy;
mod matcher;
mod numbers;
mod prefix;
mod proof;
mod report;
mod rules;
mod scan;
mod search;
mod sglang;
mod tensorrt_llm;
mod vllm;
mod words;

pub use compare::{Comparison, Difference, compare};
pub use report::{Advice, Argument, Cause, Diagnosis, Direction, Engine, Fact, FactList, FactName, Stage, Unread};

use crate::issue::{Issue, IssueKind};
use intake::Intake;
use scan::Scanner;

/// Reads a log in any portions.
pub struct Doctor {
    scanner: Scanner,
    intake: Intake,
}

impl Default for Doctor {
    fn default() -> Self {
        Self { scanner: Scanner::new(matcher::keys()), intake: Intake::default() }
    }
}

impl Doctor {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { scanner, intake } = self;
        scanner.push(bytes, &mut |line| intake.line(line));
    }

    /// What the log says of its last attempt that came to an end; earlier attempts are inside.
    pub fn finish(mut self) -> Diagnosis {
        let Self { scanner, intake } = &mut self;
        scanner.finish(&mut |line| intake.line(line));
        let compressed = scanner.is_compressed();
        let mut diagnosis = diagnose::last(&self.intake.finish());
        if compressed {
            let message = "This is gzip; unpack it first (gunzip), nothing of it was read.";
            diagnosis.issues.push(Issue::new("log", IssueKind::BadEncoding, message));
        }
        diagnosis
    }
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

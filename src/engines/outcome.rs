//! What an engine does with its memory knob, as numbers.

use serde::Serialize;

use crate::issue::{Issue, IssueKind};

/// The answer for one engine. What cannot be known is `None`, and `issues` says why. Names are those of the
/// command-line contract.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Outcome {
    /// Bytes that the engine gives to the KV cache before rounding to blocks, on the rank that has least; may be
    /// negative where the engine then refuses.
    pub avail_bytes: Option<i64>,
    /// Bytes of one block on one rank.
    pub bytes_per_block: Option<i64>,
    /// Blocks of the pool; cells for llama.cpp.
    pub blocks: Option<i64>,
    /// Bytes of the pool on one rank.
    pub kv_bytes: Option<i64>,
    /// Tokens, as the engine counts them.
    pub tokens: Option<i64>,
    /// Requests of the longest length that fit at once, where the engine prints it.
    pub max_concurrency: Option<f64>,
    /// The engine's own refusal.
    pub error: Option<String>,
    /// Trouble with the question, and limits of the answer.
    pub issues: Vec<Issue>,
}

impl Outcome {
    /// Adds an issue.
    pub fn note(&mut self, field: &str, kind: IssueKind, message: impl Into<String>) {
        self.issues.push(Issue::new(field, kind, message));
    }

    /// `value`, or an issue that `field` is needed.
    pub fn need<T>(&mut self, value: Option<T>, field: &str) -> Option<T> {
        if value.is_none() {
            self.note(field, IssueKind::NotMeasured, "This is needed for the answer and was not given.");
        }
        value
    }

    /// `value`, or an issue that what follows from `field` cannot be counted.
    pub fn count<T>(&mut self, value: Option<T>, field: &str) -> Option<T> {
        if value.is_none() {
            self.note(field, IssueKind::OutOfRange, "Nothing that can be counted follows from this.");
        }
        value
    }

    /// The engine refuses with `text`.
    pub fn refuse(&mut self, text: impl Into<String>) {
        self.error = Some(text.into());
    }

    /// Sets blocks, bytes and tokens of a pool of `blocks` blocks of `block_size` tokens.
    pub fn pool(&mut self, blocks: i64, bytes_per_block: i64, block_size: i64) -> Option<()> {
        let bytes = self.count(blocks.checked_mul(bytes_per_block), "value")?;
        let tokens = self.count(blocks.checked_mul(block_size), "value")?;
        self.blocks = Some(blocks);
        self.kv_bytes = Some(bytes);
        self.tokens = Some(tokens);
        Some(())
    }
}

//! A plan as an answer: a scenario and a config as text in, and out what a section tells, as plain data.

mod told;

use super::Valued;
use crate::engines::sglang::auto_fraction::ReserveTerm;
use crate::engines::sglang::cell::{CellKind, Term};
use crate::engines::sglang::reserve::Provenance;
use crate::issue::Issue;
use crate::units::Gib;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    /// A scenario's query string: `model`, `gpu`, `tp`, `pp`, `dp`, `kv`, `chunk`, `graph`, `spec`, `sglang`, `ctx`, `need`,
    /// `running`, `page`, `cap`, and the numbers that are pinned.
    pub scenario: String,
    /// The text of a `config.json`; it counts instead of `model`.
    pub config: Option<String>,
    /// Which of `total`, `avail`, `cell` and `f` are pinned by hand and so not estimated.
    pub pinned: Vec<String>,
    /// Free at init of each GPU in GiB, where known.
    pub free: Vec<f64>,
    /// `metadata.total_size` of the checkpoint's index, bytes.
    pub total_size: Option<f64>,
}

/// A number and how it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The number.
    pub value: f64,
    /// `exact`, `table`, `estimated` or `not_measured`.
    pub how: &'static str,
    /// Half-width of an estimate, in the unit of the number.
    pub half_width: Option<f64>,
}

impl Known {
    fn new(value: f64, provenance: Provenance) -> Self {
        let (how, half_width) = match provenance {
            Provenance::Exact => ("exact", None),
            Provenance::Table => ("table", None),
            Provenance::Estimated(half_width) => ("estimated", Some(half_width)),
            Provenance::NotMeasured => ("not_measured", None),
        };
        Self { value, how, half_width }
    }

    fn gib(valued: Valued<Gib>) -> Self {
        Self::new(valued.value.0, valued.provenance)
    }
}

/// One part of the need.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it is for.
    pub label: String,
    /// `kept`, `capture` or `load`.
    pub when: crate::engines::sglang::reserve::When,
    /// MiB.
    pub mib: Known,
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What is different.
    pub label: String,
    /// The scenario of the row, as a query string.
    pub scenario: String,
    /// The verdict's id.
    pub verdict: &'static str,
    /// Tokens of the pool; with DP attention of that of one rank.
    pub tokens: i64,
    /// GiB left beside the need.
    pub headroom_gib: f64,
    /// The smallest fraction that starts.
    pub min_fraction: Option<f64>,
    /// The largest that survives.
    pub max_fraction: f64,
    /// How much wider than the plan's own the band between them is; negative where it is narrower. `None` where only one
    /// of the upper edges was measured.
    pub wider: Option<f64>,
}

/// The GPUs at init.
#[derive(Debug, Clone, PartialEq)]
pub struct RankAnswer {
    /// The one that decides, from 0.
    pub deciding: u64,
    /// Its free memory, GiB.
    pub least_gib: f64,
    /// SGLang compares them.
    pub compared: bool,
    /// SGLang refuses to start.
    pub refused: bool,
    /// The exception and the text that it begins with, where it refuses.
    pub message: Option<String>,
    /// What turns the refusal into a warning.
    pub variable: Option<&'static str>,
}

/// The way back.
#[derive(Debug, Clone, PartialEq)]
pub struct BackAnswer {
    /// Requests that must fit on the server.
    pub requests: u64,
    /// Tokens that they take together.
    pub tokens: i64,
    /// The smallest fraction that holds them.
    pub fraction: Option<f64>,
    /// It is within the upper edge.
    pub works: bool,
    /// What would help otherwise.
    pub helps: Vec<String>,
}

/// What can be said once the four numbers are there.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// Free at init, GiB.
    pub total: Known,
    /// Free after the weights, GiB.
    pub available: Known,
    /// Bytes of one token on one GPU.
    pub cell: Known,
    /// The same with what states take beside it: what the scenario carries.
    pub charged: f64,
    /// The fraction in force.
    pub fraction: Known,
    /// The attention kind.
    pub kind: CellKind,
    /// The summands of the cell.
    pub cell_terms: Vec<Term>,
    /// Bytes of state of one request.
    pub state_bytes_per_request: Option<u64>,
    /// The automatic fraction.
    pub auto_fraction: f64,
    /// It is what this release picks: nothing that it depends on is unknown.
    pub auto_exact: bool,
    /// What stands in its place where SGLang cannot read the size of the GPU, before a vision tower's factor.
    pub auto_unknown_gpu: f64,
    /// Tokens per page.
    pub page: u64,
    /// Why no flag decides them; empty where one does.
    pub page_why: &'static str,
    /// Tokens of a prefill chunk that SGLang goes by; −1 is off.
    pub chunk: i64,
    /// The largest decode graph that it captures; 0 without graphs.
    pub max_bs: u64,
    /// The context, tokens.
    pub context: u64,
    /// SGLang's own reserve, MiB.
    pub reserve_terms: Vec<ReserveTerm>,
    /// Its sum.
    pub reserve_mib: f64,
    /// What a vision tower multiplies by.
    pub multimodal_factor: Option<f64>,
    /// The automatic fraction is below what the weights need.
    pub auto_cannot_start: bool,
    /// The need by parts, MiB.
    pub need_terms: Vec<Part>,
    /// At the lowest point of the start.
    pub need_start_mib: f64,
    /// After it.
    pub need_kept_mib: f64,
    /// Under ordinary requests.
    pub need_load_mib: f64,
    /// MiB for each prompt token of a request with input logprobs.
    pub logprob_mib_per_token: Option<f64>,
    /// Servers of this kind were measured.
    pub measured: bool,
    /// `1 − available / total`.
    pub min_fraction: Option<f64>,
    /// The smallest k/1000 that starts.
    pub suggested_fraction: Option<f64>,
    /// The upper edge.
    pub max_fraction: f64,
    /// The start alone would allow this.
    pub start_fraction: f64,
    /// The verdict's id.
    pub verdict: &'static str,
    /// Ranks of DP attention, else 1: each has tokens and requests of its own, and the server so many times as many.
    pub dp: u64,
    /// Tokens of one pool.
    pub tokens: i64,
    /// Whole requests of the full context in one pool.
    pub requests: u64,
    /// Requests at once on one pool.
    pub max_running_requests: u64,
    /// GiB that stay idle after start.
    pub idle_gib: Option<f64>,
    /// Tokens that these are worth.
    pub idle_tokens: Option<i64>,
    /// The GPUs, where each was given.
    pub ranks: Option<RankAnswer>,
    /// Fractions from 0.50 to 0.95.
    pub fractions: Vec<Row>,
    /// Other layouts.
    pub changes: Vec<Row>,
    /// From requests to a fraction, where asked.
    pub back: Option<BackAnswer>,
    /// The scenario with the four numbers and the need filled in, as a query string.
    pub scenario: String,
}

/// The answer: a plan, or only the reasons why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanAnswer {
    /// The plan.
    pub plan: Option<Planned>,
    /// What was wrong or uncertain.
    pub issues: Vec<Issue>,
}

#[cfg(test)]
mod tests;

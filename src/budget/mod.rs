//! The subtraction that decides whether a server starts: inputs in, a report out.
//!
//! This folder knows the formula, the band of fractions that work, the curve over all fractions and the exact split of
//! the difference between two runs. It knows nothing of how a reader chose the numbers (`scenario`) nor of where a
//! deployment's numbers come from (`engines`, `plan`).

mod band;
mod compare;
mod formula;
mod goal;
mod sweep;
mod term;

pub use band::{Band, Verdict};
pub use compare::{Difference, compare};
pub use formula::{Breakdown, Inputs, Rounding, Sensitivity};
pub use goal::{Goal, Progress, Reach};
pub use sweep::{Point, sweep};
pub use term::Term;

/// All that follows from one set of inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// What it was computed from.
    pub inputs: Inputs,
    /// The terms of the formula.
    pub breakdown: Breakdown,
    /// The fractions between which the server starts and survives.
    pub band: Band,
    /// What happens at this fraction.
    pub verdict: Verdict,
}

/// Evaluates the budget. Total: every input gives a report.
pub fn evaluate(inputs: &Inputs) -> Report {
    let breakdown = Breakdown::of(inputs);
    let band = Band::of(inputs);
    Report { inputs: *inputs, breakdown, band, verdict: Verdict::of(inputs, &breakdown, &band) }
}

impl Report {
    /// The share of the memory free at init that the weights take, `1 − available / total`; zero for an empty GPU.
    pub fn weights_share(&self) -> f64 {
        self.band.min_fraction.unwrap_or(0.0)
    }
}

//! The subtraction that decides whether a server starts: inputs in, a report out.
//!
//! This folder knows the formula ([`Breakdown`]), the band of fractions that work ([`Band`], [`Verdict`]), the curve over
//! all fractions ([`sweep`](fn@sweep)) and the exact split of the difference between two runs ([`compare`](fn@compare)). It
//! knows nothing of how a reader chose the numbers ([`crate::scenario`]) nor of where a deployment's numbers come from
//! ([`crate::engines`], [`crate::plan`]).
//!
//! ```
//! use kv_budget::budget::{Inputs, compare, evaluate};
//! use kv_budget::units::{BytesPerToken, Fraction, Gib};
//!
//! let failing = Inputs {
//!     fraction: Fraction::clamped(0.55),
//!     total: Gib(93.999),
//!     available: Gib(21.697),
//!     cell: BytesPerToken::new(70272.0).expect("above zero"),
//!     page_size: 1,
//!     max_total_tokens: None,
//!     dynamic_need: None,
//! };
//! assert_eq!(evaluate(&failing).verdict.id(), "cannot_start");
//!
//! let working = Inputs { fraction: Fraction::clamped(0.88), ..failing };
//! assert_eq!(evaluate(&working).breakdown.pool_tokens.0, 159_171);
//! // The fraction explains all of the 31 GiB between them.
//! let difference = compare(&failing, &working);
//! assert!((difference.fraction - difference.rest).0.abs() < 1e-9);
//! ```

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

use crate::units::{Fraction, Tokens};

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
    /// The report of a server whose pool is not the formula's, since its model has states or windows: `pool_tokens` are its
    /// tokens, `suggested` is the smallest k/1000 that gives it a page.
    pub fn with_pool(inputs: &Inputs, pool_tokens: Tokens, suggested: Option<Fraction>) -> Self {
        let breakdown = Breakdown { pool_tokens, ..Breakdown::of(inputs) };
        let band = Band::with(inputs, suggested);
        Self { inputs: *inputs, breakdown, band, verdict: Verdict::of(inputs, &breakdown, &band) }
    }

    /// The fraction leaves less than activations and graphs need. Not yet the verdict: an empty band, or a pool that does not
    /// start, comes before it.
    pub fn is_too_high(&self) -> bool {
        self.band.is_below(self.inputs.fraction)
    }

    /// The share of the memory free at init that the weights take, `1 − available / total`; zero for an empty GPU.
    pub fn weights_share(&self) -> f64 {
        self.band.min_fraction.unwrap_or(0.0)
    }
}

//! The JSON form of an evaluation: what the command line prints and what the page lets a reader take away.

use serde::Serialize;

use super::query::{Decoded, decode};
use super::{Scenario, evaluate};
use crate::issue::Issue;
use crate::units::Fraction;

/// One evaluated scenario. Field names are a contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluated {
    /// `total × (1 − fraction)`, GiB.
    pub reserved_gib: f64,
    /// `available − reserved`, GiB; may be negative.
    pub rest_gib: f64,
    /// `int(rest × 2^30)`.
    pub rest_bytes: i64,
    /// What the formula gives, before cap and page; may be negative.
    pub tokens: i64,
    /// Tokens of the pool; 0 where the server cannot start.
    pub pool_tokens: i64,
    /// `no_fraction_works`, `cannot_start`, `too_high` or `starts`.
    pub verdict: &'static str,
    /// `1 − available / total`; null without any memory.
    pub min_fraction: Option<f64>,
    /// The smallest k/1000 whose pool holds one page; null if none does.
    pub suggested_fraction: Option<f64>,
    /// `1 − dyn / total`; null where the need is unknown.
    pub max_fraction: Option<f64>,
    /// What was wrong with the query or within the scenario.
    pub issues: Vec<Issue>,
}

impl Evaluated {
    /// Evaluates a query string.
    pub fn from_query(query: &str) -> Self {
        let Decoded { scenario, issues } = decode(query);
        Self::of(&scenario, issues)
    }

    /// Evaluates a scenario that was decoded with these issues.
    pub fn of(scenario: &Scenario, mut issues: Vec<Issue>) -> Self {
        let evaluation = evaluate(scenario);
        issues.extend(evaluation.issues);
        let report = evaluation.report;
        Self {
            reserved_gib: without_noise(report.breakdown.reserved.0),
            rest_gib: without_noise(report.breakdown.rest.0),
            rest_bytes: report.breakdown.rest_bytes.0,
            tokens: report.breakdown.tokens.0,
            pool_tokens: report.breakdown.pool_tokens.0,
            verdict: report.verdict.id(),
            min_fraction: report.band.min_fraction,
            suggested_fraction: report.band.suggested.map(Fraction::get),
            max_fraction: report.band.max_fraction,
            issues,
        }
    }
}

/// Twelve decimals of a GiB are a thousandth of a byte: far below what the inputs carry, and without the noise of
/// binary fractions (−20.60255, not −20.602549999999997). `rest_bytes` carries the exact result.
fn without_noise(gib: f64) -> f64 {
    const PRECISION: f64 = 1e12;
    let rounded = (gib * PRECISION).round() / PRECISION;
    if rounded == 0.0 { 0.0 } else { rounded }
}

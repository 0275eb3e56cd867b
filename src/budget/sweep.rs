//! The same deployment at every fraction: the curve.

use super::formula::{Breakdown, Inputs};
use crate::units::{Fraction, Gib, Tokens};

/// One point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where.
    pub fraction: Fraction,
    /// What is left for the KV cache there, GiB.
    pub rest: Gib,
    /// Tokens of the pool there; 0 where the server cannot start.
    pub pool_tokens: Tokens,
}

/// Evaluates at 0, 1/steps, … 1.
pub fn sweep(inputs: &Inputs, steps: u32) -> Vec<Point> {
    let steps = steps.max(1);
    (0..=steps)
        .filter_map(|step| Fraction::new(f64::from(step) / f64::from(steps)))
        .map(|fraction| {
            let breakdown = Breakdown::of(&Inputs { fraction, ..*inputs });
            Point { fraction, rest: breakdown.rest, pool_tokens: breakdown.pool_tokens }
        })
        .collect()
}

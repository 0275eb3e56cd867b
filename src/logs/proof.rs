//! The proof line: our arithmetic on the log's inputs against the log's own result.

use super::attempt::Attempt;
use super::diagnose::budget;
use super::facts;
use super::report::{Engine, FactList, FactName};
use super::rules::Datum;
use super::sentence::fill;
use crate::decimal::thousandths;

/// Factors that some version applied to the fraction without saying so, and who does.
const FACTORS: &[(f64, &str)] = &[
    (0.95, "0.95 for a multimodal model"),
    (0.90, "0.90 for a multimodal model (0.4.x)"),
    (0.85, "0.85 for the aiter attention backend"),
];

/// `None` where the log lacks an input or a result of its own.
pub fn of(attempt: &Attempt, facts: &FactList) -> Option<String> {
    if attempt.engine != Some(Engine::Sglang) {
        return None;
    }
    let (computed, inputs) = budget(facts)?;
    let (printed, rounding, what) = match facts.get(FactName::Rest) {
        Some(rest) => (rest.value, rest.half_width, "a rest"),
        None => {
            let pools = facts::pools(attempt).filter(|pools| pools.size > 0.0)?;
            let (state, open) =
                attempt.least(Datum::StateSize).map_or((0.0, 0.0), |state| (state.value, state.half_width));
            (pools.size + state, pools.half_width + open, "pools")
        }
    };
    let half_width = inputs + rounding;
    let difference = (printed - computed).abs();
    let digits = if facts.get(FactName::Total).is_some_and(|total| total.half_width < 0.001) { 3 } else { 2 };
    // Whole pages of the cap are the pool.
    let caps = |cap: &f64| {
        let tokens = facts.value(FactName::Tokens).unwrap_or(0.0);
        tokens <= *cap && tokens >= cap * 0.99 && printed < computed - half_width
    };
    let said = if digits == 3 { "{d}" } else { "{g}" };
    let start = ["Your log says ", what, " of ", said, ", we compute {d}"].concat();
    if let Some(cap) = attempt.number("max_total_tokens").filter(caps) {
        let end = " without a cap: --max-total-tokens {c} caps the pool, and explains the difference of {d}.";
        return Some(fill(&[&start, end].concat(), &[printed, computed, cap, difference]));
    }
    let start = [&start, "; the difference of {d} is "].concat();
    // Where the inputs' rounding is not needed to explain it, it is not counted.
    if difference <= half_width {
        let enough = if difference <= rounding { rounding } else { half_width };
        return Some(fill(
            &[&start, "within the rounding (± {r})."].concat(),
            &[printed, computed, difference, enough],
        ));
    }
    let text =
        fill(&[&start, "more than rounding explains (± {r})"].concat(), &[printed, computed, difference, half_width]);
    Some(text + &explanation(facts, printed, half_width))
}

fn explanation(facts: &FactList, printed: f64, half_width: f64) -> String {
    let inputs = (facts.value(FactName::Total), facts.value(FactName::Available), facts.value(FactName::Fraction));
    let (Some(total), Some(available), Some(fraction)) = inputs else { return ".".to_owned() };
    for (factor, who) in FACTORS {
        let rest = available - total * (1.0 - fraction * factor);
        if (rest - printed).abs() <= half_width {
            return [": the fraction times ", who, " fits."].concat();
        }
    }
    let implied = thousandths(1.0 - (available - printed) / total);
    fill(": a fraction of {f} would fit, or a line that takes memory before the pool is missing.", &[implied])
}

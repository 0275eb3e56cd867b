//! The curve as CSV: a row a hundredth of the fraction, and one at each edge of the band.

use crate::budget::{Inputs, evaluate, sweep};
use crate::decimal;
use crate::scenario::Scenario;
use crate::units::Fraction;

/// Rows of the sweep without its edges.
const STEPS: u32 = 100;

/// Comma-separated values with a header, numbers with a decimal point, lines ended by `\n`.
pub fn csv(scenario: &Scenario) -> String {
    let inputs = scenario.inputs();
    let band = evaluate(&inputs).band;
    let edges = [band.suggested, band.max_fraction.and_then(Fraction::new), Some(inputs.fraction)];
    let mut fractions: Vec<Fraction> = sweep(&inputs, STEPS).iter().map(|point| point.fraction).collect();
    for edge in edges.into_iter().flatten() {
        // Kept in order; few at any time.
        let at = fractions.iter().position(|fraction| fraction.get() >= edge.get()).unwrap_or(fractions.len());
        if fractions.get(at).is_none_or(|fraction| fraction.get() != edge.get()) {
            fractions.insert(at, edge);
        }
    }
    let mut text = String::from("fraction,reserved_gib,rest_gib,rest_bytes,tokens,pool_tokens,verdict\n");
    for fraction in fractions {
        let report = evaluate(&Inputs { fraction, ..inputs });
        let parts = &report.breakdown;
        let whole = |number: i64| decimal::canonical(number as f64);
        let cells = [
            decimal::canonical(fraction.get()),
            decimal::write_trimmed(parts.reserved.0, 6, 0),
            decimal::write_trimmed(parts.rest.0, 6, 0),
            whole(parts.rest_bytes.0),
            whole(parts.tokens.0),
            whole(parts.pool_tokens.0),
            report.verdict.id().to_owned(),
        ];
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::query::decode;

    #[test]
    fn rows_of_the_worked_case() {
        let text = csv(&decode("f=0.555").scenario);
        assert!(text.contains("\n0.55,42.29955,-20.60255,-22121819616,-314803,0,cannot_start\n"), "{text}");
        assert!(text.contains("\n0.555,"), "the scenario's own fraction");
        assert!(text.contains("\n0.88,11.27988,10.41712,11185297429,159171,159171,starts\n"), "{text}");
        assert_eq!(text.lines().count(), 1 + 101 + 1);
        assert!(text.lines().all(|line| line.split(',').count() == 7));
    }

    #[test]
    fn edges_have_rows_of_their_own() {
        let text = csv(&decode("dyn=9.5").scenario);
        assert!(text.contains("\n0.77,") && text.contains(",no_fraction_works\n") | text.contains(",starts\n"));
        assert!(text.lines().any(|line| line.starts_with("0.8989")), "{text}");
        let fractions: Vec<f64> =
            text.lines().skip(1).filter_map(|line| line.split(',').next()?.parse().ok()).collect();
        assert!(fractions.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

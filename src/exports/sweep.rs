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
        let rows: Vec<(f64, &str)> = text
            .lines()
            .skip(1)
            .map(|line| (line.split(',').next().unwrap().parse().unwrap(), line.rsplit(',').next().unwrap()))
            .collect();
        // Hundredths, among them 0.77 and the scenario's own 0.55; and 1 − 9.5 / 93.999 = 0.89893…
        assert_eq!(rows.len(), 101 + 1);
        assert!(rows.windows(2).all(|pair| pair[0].0 < pair[1].0), "{text}");
        for (fraction, verdict) in &rows {
            let expected = match *fraction {
                low if low < 0.77 => "cannot_start",
                high if high > 1.0 - 9.5 / 93.999 + 1e-9 => "too_high",
                _ => "starts",
            };
            assert_eq!(*verdict, expected, "{fraction}");
        }
        assert!(rows.iter().any(|(fraction, _)| (fraction - 0.898935).abs() < 1e-5), "{text}");
    }
}

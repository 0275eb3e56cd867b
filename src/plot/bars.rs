//! The bars: what was free at the start, what the fraction allows, and what is left or missing, on one scale.

use super::scale::ticks;
use crate::budget::{Report, Term};
use crate::decimal;
use crate::units::{Gib, within};

/// A piece of a bar, in shares of the scale from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// What it stands for.
    pub term: Term,
    /// Left edge.
    pub start: f64,
    /// Right edge, never left of the left one.
    pub end: f64,
}

/// A tick on the common scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where, as a share of the scale.
    pub at: f64,
    /// GiB.
    pub label: String,
}

/// Three rows on one scale.
///
/// The rest stands exactly between the end of the static budget and the end of the weights, so that the eye sees why it
/// is short: `rest = static budget − weights`.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// What the full width stands for.
    pub scale: Gib,
    /// Weights, then available.
    pub free: [Segment; 2],
    /// Static budget, then reserved.
    pub budget: [Segment; 2],
    /// Between the two boundaries.
    pub rest: Segment,
    /// The rest is negative.
    pub overdraft: bool,
    /// Round GiB on the scale.
    pub ticks: Vec<Tick>,
}

impl Bars {
    /// Lays out a report. Inputs that contradict each other (more available than total) are drawn within the scale.
    pub fn of(report: &Report) -> Self {
        let (inputs, parts) = (&report.inputs, &report.breakdown);
        let scale = inputs.total.0.max(inputs.available.0);
        let share = |amount: Gib| if scale > 0.0 { within(amount.0 / scale, 0.0, 1.0) } else { 0.0 };
        let (weights, budget, total) = (share(parts.weights), share(parts.static_budget), share(inputs.total));
        let segment = |term, start, end| Segment { term, start, end };
        Self {
            scale: Gib(scale),
            free: [
                segment(Term::Weights, 0.0, weights),
                segment(Term::Available, weights, share(parts.weights + inputs.available)),
            ],
            budget: [segment(Term::StaticBudget, 0.0, budget), segment(Term::Reserved, budget, total)],
            rest: segment(Term::Rest, weights.min(budget), weights.max(budget)),
            overdraft: parts.rest.0 < 0.0,
            ticks: ticks(0.0, scale, 5)
                .into_iter()
                .map(|at| Tick { at: share(Gib(at)), label: decimal::write_trimmed(at, 3, 0) })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{evaluate, query::decode};

    fn bars(query: &str) -> Bars {
        Bars::of(&evaluate(&decode(query).scenario).report)
    }

    #[test]
    fn the_overdraft_spans_from_the_budget_to_the_weights() {
        let failing = bars("");
        assert!(failing.overdraft);
        assert_eq!(failing.rest.start, failing.budget[0].end);
        assert_eq!(failing.rest.end, failing.free[0].end);
        assert!((failing.rest.end - failing.rest.start - 20.60255 / 93.999).abs() < 1e-12);
        let labels: Vec<_> = failing.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0", "20", "40", "60", "80"]);
    }

    #[test]
    fn room_spans_from_the_weights_to_the_budget() {
        let working = bars("f=0.88");
        assert!(!working.overdraft);
        assert_eq!(working.rest.start, working.free[0].end);
        assert_eq!(working.rest.end, working.budget[0].end);
    }

    #[test]
    fn contradictions_stay_within_the_scale() {
        for query in ["avail=200", "total=0", "total=0&avail=0", "f=0&avail=0", "f=1"] {
            let bars = bars(query);
            let [a, b] = bars.free;
            let [c, d] = bars.budget;
            for segment in [a, b, c, d, bars.rest] {
                assert!(0.0 <= segment.start && segment.start <= segment.end && segment.end <= 1.0, "{query}");
            }
        }
    }
}

//! The band: below it the server cannot start, above it it starts and dies. Sometimes there is no band.

use super::formula::{Breakdown, Inputs};
use crate::units::{Fraction, Tokens};

/// The fractions that matter, whatever the current one is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// `1 − available / total`: at and below it nothing is left for the KV cache. `None` without any memory.
    pub min_fraction: Option<f64>,
    /// The smallest k/1000 ≤ 1 whose pool holds at least one page, ignoring cap and dynamic need.
    pub suggested: Option<Fraction>,
    /// `1 − dynamic_need / total`: above it activations and graphs lack memory. `None` where the need is unknown.
    pub max_fraction: Option<f64>,
}

/// Steps of the suggestion: fractions are typed with three decimals.
const STEPS: i64 = 1000;

impl Band {
    /// For these inputs, whatever their fraction.
    pub fn of(inputs: &Inputs) -> Self {
        Self::with(inputs, suggest(inputs))
    }

    /// The same with another suggestion, where the pool is not the formula's.
    pub(super) fn with(inputs: &Inputs, suggested: Option<Fraction>) -> Self {
        let total = inputs.total.0;
        let share = |amount: f64| (total > 0.0).then(|| 1.0 - amount / total);
        Self {
            min_fraction: share(inputs.available.0),
            suggested,
            max_fraction: inputs.dynamic_need.and_then(|need| share(need.0)),
        }
    }

    /// The largest k/1000 that leaves activations and graphs what they need; `None` where the need is unknown or more
    /// than there is. Cutting digits off the edge is not enough: 0.9359999999999999 times a thousand is 936.
    pub fn largest(&self) -> Option<Fraction> {
        let most = self.max_fraction?;
        let mut step = ((most * STEPS as f64).ceil() as i64).min(STEPS);
        while at(step).is_some_and(|fraction| fraction.get() > most) {
            step -= 1;
        }
        at(step)
    }

    /// The need is known, and this fraction does not leave it.
    pub fn is_below(&self, fraction: Fraction) -> bool {
        self.max_fraction.is_some_and(|most| fraction.get() > most)
    }

    /// The need is known and no fraction satisfies both ends.
    pub fn is_empty(&self, inputs: &Inputs) -> bool {
        inputs.dynamic_need.is_some() && self.suggested.is_none_or(|least| self.is_below(least))
    }
}

/// `step` thousandths.
fn at(step: i64) -> Option<Fraction> {
    Fraction::new(step as f64 / STEPS as f64)
}

fn suggest(inputs: &Inputs) -> Option<Fraction> {
    let page = Tokens(i64::try_from(inputs.page_size.max(1)).unwrap_or(i64::MAX));
    let starts = |step: i64| {
        at(step).is_some_and(|fraction| {
            // `tokens` are those before a cap.
            Breakdown::of(&Inputs { fraction, ..*inputs }).tokens >= page
        })
    };
    // A larger fraction never leaves less, so the edge is found by halving.
    let (mut least, mut beyond) = (0, STEPS + 1);
    while least < beyond {
        let middle = i64::midpoint(least, beyond);
        if starts(middle) {
            beyond = middle;
        } else {
            least = middle + 1;
        }
    }
    at(least)
}

/// What happens at the current fraction; the first that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Whatever the fraction is: what starts the pool does not leave enough for activations and graphs.
    NoFractionWorks,
    /// SGLang refuses: the pool would hold no page.
    CannotStart,
    /// The pool starts, then activations or graphs run out of memory.
    TooHigh,
    /// The server starts.
    Starts,
}

impl Verdict {
    pub(super) fn of(inputs: &Inputs, breakdown: &Breakdown, band: &Band) -> Self {
        if band.is_empty(inputs) {
            Self::NoFractionWorks
        } else if breakdown.pool_tokens <= Tokens(0) {
            Self::CannotStart
        } else if band.is_below(inputs.fraction) {
            Self::TooHigh
        } else {
            Self::Starts
        }
    }

    /// The name in JSON, in CSV and in `data-verdict`.
    pub fn id(self) -> &'static str {
        match self {
            Self::NoFractionWorks => "no_fraction_works",
            Self::CannotStart => "cannot_start",
            Self::TooHigh => "too_high",
            Self::Starts => "starts",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::evaluate;
    use crate::units::{BytesPerToken, Gib};

    fn inputs(fraction: f64, dynamic_need: Option<f64>) -> Inputs {
        Inputs {
            fraction: Fraction::new(fraction).expect("a share"),
            total: Gib(93.999),
            available: Gib(21.697),
            cell: BytesPerToken::new(70272.0).expect("positive"),
            page_size: 1,
            max_total_tokens: None,
            dynamic_need: dynamic_need.map(Gib),
        }
    }

    #[test]
    fn the_worked_case() {
        let report = evaluate(&inputs(0.55, None));
        assert_eq!(report.verdict, Verdict::CannotStart);
        assert_eq!(report.band.min_fraction, Some(0.7691783955148459));
        assert_eq!(report.band.suggested.map(Fraction::get), Some(0.77));
        assert_eq!(report.band.max_fraction, None);
        assert_eq!(evaluate(&inputs(0.88, None)).verdict, Verdict::Starts);
    }

    #[test]
    fn the_need_bounds_from_above() {
        assert_eq!(evaluate(&inputs(0.88, Some(9.5))).verdict, Verdict::Starts);
        assert_eq!(evaluate(&inputs(0.92, Some(9.5))).verdict, Verdict::TooHigh);
        assert!(evaluate(&inputs(0.92, Some(9.5))).is_too_high() && !evaluate(&inputs(0.88, Some(9.5))).is_too_high());
        assert_eq!(evaluate(&inputs(0.55, Some(9.5))).verdict, Verdict::CannotStart);
    }

    #[test]
    fn the_largest_step_is_not_above_the_edge() {
        for (total, need, edge, largest) in [
            (80.0, 5.12, 0.9359999999999999, Some(0.935)),
            (93.999, 9.5, 0.8989350950542027, Some(0.898)),
            (100.0, 23.0, 0.77, Some(0.77)),
            (80.0, 0.0, 1.0, Some(1.0)),
            (80.0, 80.0, 0.0, Some(0.0)),
            (80.0, 81.0, -0.012499999999999956, None),
        ] {
            let inputs = Inputs { total: Gib(total), ..inputs(0.95, Some(need)) };
            let band = Band::of(&inputs);
            assert_eq!((band.max_fraction, band.largest().map(Fraction::get)), (Some(edge), largest), "{total} {need}");
        }
        assert_eq!(Band::of(&inputs(0.95, None)).largest(), None);
    }

    #[test]
    fn an_empty_band_is_its_own_verdict() {
        for fraction in [0.0, 0.55, 0.77, 0.88, 1.0] {
            assert_eq!(evaluate(&inputs(fraction, Some(21.7))).verdict, Verdict::NoFractionWorks);
        }
    }

    #[test]
    fn the_suggestion_holds_one_page_and_the_step_below_does_not() {
        for page_size in [1, 64, 4096, 65536] {
            for available in [0.5, 21.697, 40.0, 93.0, 93.999] {
                let inputs = Inputs { page_size, available: Gib(available), ..inputs(0.5, None) };
                let tokens = |fraction| Breakdown::of(&Inputs { fraction, ..inputs }).tokens.0;
                match Band::of(&inputs).suggested {
                    Some(fraction) => {
                        assert!(tokens(fraction) >= page_size as i64);
                        if let Some(below) = Fraction::new((fraction.get() * 1000.0 - 1.0) / 1000.0) {
                            assert!(tokens(below) < page_size as i64, "{page_size} {available}");
                        }
                    }
                    None => assert!(tokens(Fraction::new(1.0).expect("a share")) < page_size as i64),
                }
            }
        }
    }

    #[test]
    fn the_suggestion_is_the_first_of_all_steps_that_starts() {
        for (page_size, cell) in [(1, 1.0), (1, 70_272.0), (64, 70_272.0), (4096, 1_000_000.0)] {
            for tenths in 0..=1000 {
                // The edge of a small cell lies on a step, where floats decide.
                let available = Gib(f64::from(tenths) / 10.0);
                let cell = BytesPerToken::new(cell).expect("positive");
                let inputs = Inputs { total: Gib(100.0), available, cell, page_size, ..inputs(0.5, None) };
                let starts = |fraction: &Fraction| {
                    Breakdown::of(&Inputs { fraction: *fraction, ..inputs }).tokens.0 >= page_size as i64
                };
                let first = (0..=1000).filter_map(|step| Fraction::new(f64::from(step) / 1000.0)).find(starts);
                assert_eq!(Band::of(&inputs).suggested, first, "{page_size} {cell:?} {available:?}");
            }
        }
    }

    #[test]
    fn a_band_of_one_fraction_is_not_empty() {
        let inputs = Inputs { total: Gib(100.0), available: Gib(23.08), ..inputs(0.77, Some(23.0)) };
        let band = Band::of(&inputs);
        assert_eq!((band.suggested.map(Fraction::get), band.max_fraction), (Some(0.77), Some(0.77)));
        assert!(!band.is_empty(&inputs));
        assert_eq!(evaluate(&inputs).verdict, Verdict::Starts);
    }

    #[test]
    fn a_cap_does_not_move_the_band() {
        // Fewer tokens than a page: SGLang refuses, and no fraction is the cure.
        let capped = Inputs { max_total_tokens: Some(10), page_size: 64, ..inputs(0.88, None) };
        let free = Inputs { max_total_tokens: None, ..capped };
        assert_eq!(Band::of(&capped), Band::of(&free));
        assert_eq!(evaluate(&capped).verdict, Verdict::CannotStart);
    }

    #[test]
    fn no_memory_at_all() {
        let nothing = Inputs { total: Gib(0.0), available: Gib(0.0), ..inputs(0.5, Some(1.0)) };
        let report = evaluate(&nothing);
        assert_eq!(report.band, Band { min_fraction: None, suggested: None, max_fraction: None });
        assert_eq!(report.verdict, Verdict::NoFractionWorks);
    }
}

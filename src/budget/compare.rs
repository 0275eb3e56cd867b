//! Two runs: how much of the difference in rest each input explains, exactly.

use super::formula::{Breakdown, Inputs};
use crate::units::Gib;

/// The difference of rest between two runs, split over the inputs. The parts sum to the whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// `rest(b) − rest(a)`.
    pub rest: Gib,
    /// What the change of the fraction did.
    pub fraction: Gib,
    /// What the change of the memory free at init did.
    pub total: Gib,
    /// What the change of the memory free after the weights did.
    pub available: Gib,
}

/// Splits `rest(b) − rest(a)` by the midpoint rule: each factor of `total × (1 − fraction)` is charged its own change
/// times the mean of the other, which leaves no mixed term and favours no order.
pub fn compare(a: &Inputs, b: &Inputs) -> Difference {
    let (share_a, share_b) = (1.0 - a.fraction.get(), 1.0 - b.fraction.get());
    let mean_total = (a.total.0 + b.total.0) / 2.0;
    let mean_share = (share_a + share_b) / 2.0;
    Difference {
        rest: Breakdown::of(b).rest - Breakdown::of(a).rest,
        fraction: Gib(-mean_total * (share_b - share_a)),
        total: Gib(-mean_share * (b.total.0 - a.total.0)),
        available: b.available - a.available,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::formula::worked_case;

    #[test]
    fn the_fraction_explains_the_whole_week() {
        let difference = compare(&worked_case(0.55), &worked_case(0.88));
        assert!((difference.fraction.0 - 31.01967).abs() < 1e-9);
        assert!((difference.rest.0 - 31.01967).abs() < 1e-9);
        assert_eq!((difference.total, difference.available), (Gib(0.0), Gib(0.0)));
    }
}

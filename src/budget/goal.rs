//! A goal that a budget can be held against: so many requests, so much kept for graphs. And whether a fraction alone
//! reaches it.

use super::formula::{Breakdown, Inputs};
use crate::units::{Fraction, Gib, Tokens};

/// What a server shall be able to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Requests at once.
    pub requests: u64,
    /// Tokens of each.
    pub context: u64,
    /// What must stay for graphs and activations.
    pub kept: Gib,
}

/// How far a budget gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Requests of that length that the pool holds.
    pub requests: i64,
    /// There is room for all of them.
    pub room: bool,
    /// Enough is set aside.
    pub kept: bool,
}

/// The fractions that reach a goal: none where `least` lies above `most`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The smallest k/1000 that has the room; above 1 where none has.
    pub least: f64,
    /// The largest k/1000 that keeps enough.
    pub most: f64,
}

impl Goal {
    /// Tokens of all requests.
    pub fn tokens(&self) -> Tokens {
        Tokens(i64::try_from(self.requests.saturating_mul(self.context)).unwrap_or(i64::MAX))
    }

    /// Holds a budget against it.
    pub fn check(&self, inputs: &Inputs) -> Progress {
        let parts = Breakdown::of(inputs);
        let context = i64::try_from(self.context.max(1)).unwrap_or(i64::MAX);
        Progress {
            requests: parts.pool_tokens.0 / context,
            room: parts.pool_tokens.0 >= self.tokens().0.max(1),
            kept: parts.reserved >= self.kept,
        }
    }

    /// Which fractions reach it, everything else being as it is.
    pub fn reach(&self, inputs: &Inputs) -> Reach {
        let at = |step: i64| Inputs { fraction: Fraction::clamped(step as f64 / 1000.0), ..*inputs };
        let first = (0..=1000).find(|step| self.check(&at(*step)).room).unwrap_or(1001);
        let last = (0..=1000).rev().find(|step| self.check(&at(*step)).kept).unwrap_or(-1);
        Reach { least: first as f64 / 1000.0, most: last as f64 / 1000.0 }
    }
}

impl Progress {
    /// Both.
    pub fn done(&self) -> bool {
        self.room && self.kept
    }
}

impl Reach {
    /// Some fraction does it.
    pub fn exists(&self) -> bool {
        self.least <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::formula::worked_case as case;
    use crate::units::BytesPerToken;

    #[test]
    fn a_goal_within_the_band() {
        // 4 × 32,768 × 70,272 bytes = 8.578125 GiB; 1 − (21.697 − 8.578125) / 93.999 = 0.86043; 1 − 9 / 93.999 = 0.90425.
        let goal = Goal { requests: 4, context: 32768, kept: Gib(9.0) };
        assert_eq!(goal.reach(&case(0.55)), Reach { least: 0.861, most: 0.904 });
        assert_eq!(goal.check(&case(0.88)), Progress { requests: 4, room: true, kept: true });
        // 21.697 − 93.999 × 0.09 = 13.237 GiB: 202,260 tokens, 6.17 requests.
        assert_eq!(goal.check(&case(0.91)), Progress { requests: 6, room: true, kept: false });
        assert!(!goal.check(&case(0.55)).done());
    }

    #[test]
    fn a_goal_that_no_fraction_reaches() {
        // 17.15625 GiB: 0.95169 at least; 6 GiB: 0.93616 at most. With half the cell 0.86043 is enough.
        let goal = Goal { requests: 8, context: 32768, kept: Gib(6.0) };
        let reach = goal.reach(&case(0.55));
        assert_eq!(reach, Reach { least: 0.952, most: 0.936 });
        assert!(!reach.exists());
        let halved = Inputs { cell: BytesPerToken::new(35136.0).expect("positive"), ..case(0.9) };
        assert!(goal.check(&halved).done() && goal.reach(&halved).exists());
        // More than there is cannot be kept by any fraction: the largest that does lies below zero.
        let all = Goal { kept: Gib(94.0), ..goal };
        assert_eq!(all.reach(&case(0.55)), Reach { least: 0.952, most: -0.001 });
        let nothing = Inputs { available: Gib(0.0), ..case(0.9) };
        assert!(!goal.reach(&nothing).exists());
    }
}

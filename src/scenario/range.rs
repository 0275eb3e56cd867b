//! What a number of a URL may be, and what it counts.

use crate::issue::IssueKind;
use crate::units::within;

/// What a number may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The least value; below it is clamped.
    pub least: f64,
    /// The most; above it is clamped.
    pub most: f64,
    /// What lies below the least has nothing to be clamped to: the value is refused.
    pub open: bool,
    /// Only whole numbers.
    pub whole: bool,
    /// What it counts, which decides what a person may type behind it.
    pub unit: Unit,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A share of something.
    Share,
    /// GiB of memory.
    Gib,
    /// Bytes.
    Bytes,
    /// Things that are whole.
    Count(Thing),
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// Tokens.
    Token,
    /// Requests.
    Request,
    /// Cards.
    Gpu,
    /// Steps of a page.
    Step,
}

impl Thing {
    /// In small letters; it takes an `s` where they are many.
    pub fn name(self) -> &'static str {
        ["token", "request", "gpu", "step"].get(self as usize).copied().unwrap_or_default()
    }
}

pub(super) const fn reals(least: f64, most: f64, unit: Unit) -> Range {
    Range { least, most, open: false, whole: false, unit }
}

pub(super) const fn wholes(least: f64, most: f64, thing: Thing) -> Range {
    Range { least, most, open: false, whole: true, unit: Unit::Count(thing) }
}

impl Range {
    /// The value or the nearest one allowed, and whether it had to move.
    ///
    /// # Errors
    /// [`IssueKind::NotANumber`] where a whole number is needed, [`IssueKind::OutOfRange`] where nothing is nearest.
    pub fn admit(&self, value: f64) -> Result<(f64, bool), IssueKind> {
        if self.whole && value.is_finite() && value.trunc() != value {
            return Err(IssueKind::NotANumber);
        }
        if self.open && value < self.least {
            return Err(IssueKind::OutOfRange);
        }
        // Adding zero turns −0 into 0, which would otherwise be another text for the same number.
        let admitted = within(value, self.least, self.most) + 0.0;
        Ok((admitted, admitted != value))
    }
}

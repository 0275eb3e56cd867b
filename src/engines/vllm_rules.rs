//! Which of vLLM's rules hold in which release.

use super::outcome::Outcome;
use super::release::Release;
use crate::issue::IssueKind;

/// The releases that were read, oldest first.
pub(super) const KNOWN: [Release; 13] = [
    Release(0, 8, 5),
    Release(0, 11, 0),
    Release(0, 12, 0),
    Release(0, 19, 0),
    Release(0, 20, 0),
    Release(0, 21, 0),
    Release(0, 23, 0),
    Release(0, 25, 0),
    Release(0, 27, 0),
    Release(0, 29, 0),
    Release(0, 31, 0),
    Release(0, 32, 0),
    Release(0, 33, 0),
];

/// The default of `gpu_memory_utilization`.
pub(super) const FRACTION: f64 = 0.92;

/// The same before 0.20.0.
pub(super) const OLD_FRACTION: f64 = 0.9;

/// What differs between releases. Where the facts bracket a change between two releases, the older rule holds until the
/// newer of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// The release whose rules these are.
    pub release: Release,
    /// The fraction is rounded up to bytes; a plain product through 0.12.0.
    pub ceil: bool,
    /// Everything else on the card is charged, other processes included, and free memory is not checked first.
    pub whole_card: bool,
    /// The graph estimate is subtracted unless switched off.
    pub graphs: bool,
    /// The fit checks keep one block back.
    pub null_block: bool,
    /// Tokens and concurrency follow from the blocks of one request, over all groups.
    pub by_request: bool,
    /// Default of the fraction.
    pub fraction: f64,
}

impl Rules {
    pub(super) fn of(release: Release) -> Self {
        Self {
            release,
            ceil: release >= Release(0, 19, 0),
            whole_card: release < Release(0, 9, 0),
            graphs: release >= Release(0, 20, 0),
            null_block: release >= Release(0, 29, 0),
            by_request: release >= Release(0, 21, 0),
            fraction: if release >= Release(0, 20, 0) { FRACTION } else { OLD_FRACTION },
        }
    }

    /// `gpu_memory_utilization` in bytes.
    pub(super) fn requested(self, total: i64, fraction: f64) -> f64 {
        let product = total as f64 * fraction;
        if self.ceil { product.ceil() } else { product }
    }
}

/// The rules of `version`; an issue where they are those of another release.
pub(super) fn of_version(version: &str, out: &mut Outcome) -> Rules {
    let [.., newest] = KNOWN;
    let release = Release::parse(version);
    let known = release.and_then(|release| release.rule_among(&KNOWN)).unwrap_or(newest);
    if release != Some(known) {
        let message = [
            "Not a release that was read; the rules of vLLM ",
            &known.text(),
            " are used, with the changes dated since.",
        ];
        out.note("version", IssueKind::UnknownValue, message.concat());
    }
    // Changes that the facts date exactly count from that release even between two that were read.
    Rules::of(release.map_or(newest, |release| release.max(known).min(newest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_was_not_read_is_named() {
        for (version, fraction) in [("0.40.0", 0.92), ("", 0.92), ("nightly", 0.92), ("0.15.0", 0.9)] {
            let mut out = Outcome::default();
            let rules = of_version(version, &mut out);
            assert_eq!(rules.fraction, fraction, "{version}");
            assert_eq!(out.issues.len(), 1, "{version}");
        }
        let mut out = Outcome::default();
        assert!(of_version("0.19.0", &mut out).ceil && !of_version("0.12.0", &mut out).ceil && out.issues.is_empty());
    }
}

//! Which of vLLM's rules hold in which release.
//!
//! From `vllm/v1/core/kv_cache_utils.py` (`kv_cache_planning.py` in 0.33.0), `vllm/v1/worker/gpu_worker.py` and
//! `vllm/envs.py` of each release in [`KNOWN`].

use crate::engines::outcome::Outcome;
use crate::engines::release::Release;
use crate::issue::IssueKind;

/// The releases whose planning functions were executed, oldest first.
pub(super) const KNOWN: [Release; 31] = [
    Release(0, 8, 5),
    Release(0, 9, 0),
    Release(0, 9, 1),
    Release(0, 9, 2),
    Release(0, 10, 0),
    Release(0, 10, 1),
    Release(0, 10, 2),
    Release(0, 11, 0),
    Release(0, 12, 0),
    Release(0, 13, 0),
    Release(0, 14, 0),
    Release(0, 15, 0),
    Release(0, 16, 0),
    Release(0, 17, 0),
    Release(0, 18, 0),
    Release(0, 19, 0),
    Release(0, 19, 1),
    Release(0, 20, 0),
    Release(0, 21, 0),
    Release(0, 22, 0),
    Release(0, 23, 0),
    Release(0, 24, 0),
    Release(0, 25, 0),
    Release(0, 26, 0),
    Release(0, 27, 0),
    Release(0, 28, 0),
    Release(0, 29, 0),
    Release(0, 30, 0),
    Release(0, 31, 0),
    Release(0, 32, 0),
    Release(0, 33, 0),
];

/// The default of `gpu_memory_utilization`.
pub(super) const FRACTION: f64 = 0.92;

/// The same before 0.20.0.
pub(super) const OLD_FRACTION: f64 = 0.9;

/// What the fit check counts as one request of the longest length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// Each layer's own blocks, before layers are grouped or turned into full ones; through 0.13.0.
    Layers,
    /// One group, the one of the first layer, as if every other held the same blocks; through 0.18.0. Until 0.16.0
    /// with the layers of all pipeline stages, against the rank that has least.
    FirstGroup,
    /// The blocks of all groups; since 0.19.0.
    Groups,
}

/// What differs between releases.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// The release whose rules these are.
    pub release: Release,
    /// The fraction is rounded up to bytes; a plain product through 0.13.0.
    pub ceil: bool,
    /// Everything else on the card is charged, other processes included, and free memory is not checked first; through
    /// 0.9.0.
    pub whole_card: bool,
    /// Layers are grouped by kind; through 0.9.0 every layer of a hybrid model counts as full.
    pub groups: bool,
    /// Groups take the size of the larger kind of layers if it is less than this many quarters of the smaller one.
    pub padding_quarters: i64,
    /// What the fit check counts.
    pub demand: Demand,
    /// The fit check counts the layers of all pipeline stages.
    pub all_stages: bool,
    /// `num_gpu_blocks_override` replaces the memory that the checks see, not only the number of blocks.
    pub override_checked: bool,
    /// `num_gpu_blocks_override` is heard at all: 0.9.1 logs it and goes on without it.
    pub override_heard: bool,
    /// `max_model_len=-1` shortens the length to what fits.
    pub auto_fit: bool,
    /// The bytes knob exists.
    pub bytes_knob: bool,
    /// A graph estimate can be subtracted at all.
    pub graphs_known: bool,
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
        let since = |minor, patch| release >= Release(0, minor, patch);
        Self {
            release,
            ceil: since(14, 0),
            whole_card: !since(9, 1),
            groups: since(9, 1),
            padding_quarters: if since(18, 0) {
                6
            } else if since(12, 0) {
                5
            } else {
                4
            },
            demand: if since(19, 0) {
                Demand::Groups
            } else if since(14, 0) {
                Demand::FirstGroup
            } else {
                Demand::Layers
            },
            all_stages: since(14, 0) && !since(17, 0),
            override_checked: since(21, 0),
            override_heard: release != Release(0, 9, 1),
            auto_fit: since(14, 0),
            bytes_knob: since(10, 2),
            graphs_known: since(18, 0),
            graphs: since(20, 0),
            null_block: since(29, 0),
            by_request: since(21, 0),
            fraction: if since(20, 0) { FRACTION } else { OLD_FRACTION },
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
        let message = ["Not a release that was read; the rules of vLLM ", &known.text(), " are used."];
        out.note("version", IssueKind::UnknownValue, message.concat());
    }
    Rules::of(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_was_not_read_is_named() {
        for (version, fraction) in [("0.40.0", 0.92), ("", 0.92), ("nightly", 0.92), ("0.15.1", 0.9)] {
            let mut out = Outcome::default();
            let rules = of_version(version, &mut out);
            assert_eq!(rules.fraction, fraction, "{version}");
            assert_eq!(out.issues.len(), 1, "{version}");
        }
        let mut out = Outcome::default();
        assert!(of_version("0.14.0", &mut out).ceil && !of_version("0.13.0", &mut out).ceil && out.issues.is_empty());
    }
}

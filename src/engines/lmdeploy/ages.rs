//! How the PyTorch engine of LMDeploy sized its cache in each age of it.
//!
//! From `lmdeploy/pytorch/engine/model_agent.py` (through 0.7.1), `engine/executor/base.py`, `engine/cache_engine` and
//! `configurations/deepseek_v2.py` at the tags of each release from 0.2.4 on, and the packages of 0.17.0 and 0.18.0.

use crate::engines::outcome::Outcome;
use crate::engines::release::Release;
use crate::issue::IssueKind;

/// What is taken off for logits and prefill buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engines) enum Reserve {
    /// Nothing; through 0.2.5.
    None,
    /// Prefill × vocabulary × 7 bytes; through 0.9.1.
    Sevenfold,
    /// (Prefill + 2 × batch) × vocabulary × 2 bytes; since 0.9.2.
    Twofold,
}

/// What differs between releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engines) struct Age {
    /// Its reserve.
    pub reserve: Reserve,
    /// Two blocks or fewer are refused as soon as they are seen, and division is whole; since 0.13.0. Before, no block
    /// at all was refused, and only after the prefill budget was halved.
    pub stops_early: bool,
    /// A reserve that leaves too little is made smaller, and too few blocks are refused; since 0.3.0.
    pub halves: bool,
    /// The ratio is asserted to be between 0 and 1; since 0.4.1.
    pub asserted: bool,
    /// Rows of a block are aligned; since 0.11.1.
    pub aligned: bool,
    /// A workspace for the scores of sparse MLA is reserved; since 0.17.0.
    pub sparse_workspace: bool,
    /// Heads of 512 values or more get blocks of 32; since 0.5.0.
    pub large_heads: bool,
    /// FlashMLA is used where it is installed; since 0.7.2.
    pub flash_mla: bool,
    /// int4 and int8 caches; since 0.6.2.
    whole_numbers: bool,
    /// TurboQuant caches; since 0.13.0.
    turbo: bool,
    /// fp8 caches; since 0.14.0.
    floats: bool,
}

/// The oldest release with the knob, and the newest that was read.
const OLDEST: Release = Release(0, 2, 4);
const NEWEST: Release = Release(0, 18, 0);

impl Age {
    /// The age of the newest release that was read.
    pub const NEWEST: Self = Self::of(NEWEST);

    const fn of(release: Release) -> Self {
        // `Ord` is no constant function.
        let Release(_, minor, patch) = release;
        let step = minor as u32 * 100 + patch as u32;
        Self {
            reserve: if step >= 902 {
                Reserve::Twofold
            } else if step >= 206 {
                Reserve::Sevenfold
            } else {
                Reserve::None
            },
            stops_early: step >= 1300,
            halves: step >= 300,
            asserted: step >= 401,
            aligned: step >= 1101,
            sparse_workspace: step >= 1700,
            large_heads: step >= 500,
            flash_mla: step >= 702,
            whole_numbers: step >= 602,
            turbo: step >= 1300,
            floats: step >= 1400,
        }
    }

    /// The age of `version`; an issue where it was not read.
    pub fn of_version(version: &str, out: &mut Outcome) -> Self {
        let release = Release::parse(version);
        let known = release.map_or(NEWEST, |release| release.clamp(OLDEST, NEWEST));
        if release != Some(known) {
            let message = ["Not read; the rule of ", &known.text(), " is used."].concat();
            out.note("version", IssueKind::UnknownValue, message);
        }
        Self::of(known)
    }

    /// So many blocks, or fewer, are refused.
    pub fn too_few(self) -> i64 {
        if self.stops_early { 2 } else { 0 }
    }

    /// Whether it has a cache of a quantization policy.
    pub fn stores(self, policy: &str) -> bool {
        match policy {
            "4" | "8" => self.whole_numbers,
            "16" | "17" => self.floats,
            "42" => self.turbo,
            _ => true,
        }
    }
}

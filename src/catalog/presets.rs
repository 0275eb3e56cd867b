//! The worked case: eight RTX PRO 6000 Blackwell cards, Kimi-K2.5 at tensor parallel 8, one week of debugging.
//!
//! The numbers are those that the runs printed, or what a suspect would have made of them. Ids are part of the URL
//! contract: they never change and never go away.

use crate::units::{BytesPerToken, Fraction, Gib};

/// One run, or one belief about it, as the four numbers of the formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Name in URLs.
    pub id: &'static str,
    /// `--mem-fraction-static`.
    pub fraction: Fraction,
    /// Free at init on the fullest GPU.
    pub total: Gib,
    /// Free after the weights on the fullest GPU.
    pub available: Gib,
    /// Bytes of KV cache for one token on one GPU.
    pub cell: BytesPerToken,
    /// What stands behind it.
    pub kind: Kind,
}

/// What stands behind a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A start that really happened.
    Run,
    /// A calculation somebody made with other numbers.
    Belief,
    /// A suspect: what it would have changed.
    Suspect,
}

/// 61 layers × (512 + 64) × 2 bytes.
const CELL: BytesPerToken = match BytesPerToken::new(70272.0) {
    Some(cell) => cell,
    None => BytesPerToken::ONE,
};

/// A row: the fraction, then GiB free at init and after the weights.
const fn preset(id: &'static str, fraction: f64, total: f64, available: f64, kind: Kind) -> Preset {
    let fraction = Fraction::clamped(fraction);
    Preset { id, fraction, total: Gib(total), available: Gib(available), cell: CELL, kind }
}

/// In the order in which the week went. The first is the default scenario.
pub const PRESETS: [Preset; 9] = [
    preset("custom-allreduce-0.55", 0.55, 93.999, 21.697, Kind::Run),
    preset("lowered-0.50", 0.5, 93.999, 21.697, Kind::Run),
    preset("misread-physical-96", 0.55, 96.0, 21.7, Kind::Belief),
    preset("by-hand-0.55", 0.55, 94.0, 21.71, Kind::Belief),
    preset("by-hand-0.88", 0.88, 94.0, 21.71, Kind::Belief),
    // 24 MiB = 0.0234375 GiB less before and after the weights.
    preset("ipc-buffers-24mb", 0.55, 93.9755625, 21.6735625, Kind::Suspect),
    // 224 MiB = 0.21875 GiB less before and after the weights.
    preset("bar-mappings-224mb", 0.55, 93.78025, 21.47825, Kind::Suspect),
    // 100 MiB = 0.09765625 GiB less at init only.
    preset("one-gpu-100mb-short", 0.55, 93.90134375, 21.697, Kind::Suspect),
    preset("baseline-0.88", 0.88, 93.999, 21.697, Kind::Run),
];

/// The preset with this id.
pub fn by_id(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

/// What the page opens on: the failing run.
pub const fn default() -> &'static Preset {
    let [first, ..] = &PRESETS;
    first
}

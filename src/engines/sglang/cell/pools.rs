//! How the rest is divided where a model has two kinds of memory: window pools and state pools.

use super::{Swa, Version};
use crate::units::{BytesPerToken, GIB, Gib, Tokens};

/// Tokens of the two pools of a sliding-window hybrid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwaSplit {
    /// Tokens of the full layers: `max_total_num_tokens`.
    pub full: Tokens,
    /// Tokens of the sliding layers.
    pub sliding: Tokens,
}

/// Divides the pool that `tokens` of `cell` are, after cap and page, between the pools. `cell` is the cell of
/// [`super::cell`] under the same version.
///
/// Up to 0.5.10 the tokens of one common pool are redistributed (`set_num_tokens_hybrid_swa`), so the full pool may be larger
/// than the cap; later the cell already holds the ratio, and windows follow the capped full pool
/// (`HybridSWAPoolConfigurator`, `calculate_pool_sizes_from_max_tokens`).
pub fn swa_split(tokens: Tokens, cell: BytesPerToken, swa: &Swa, page: u64, version: Version) -> SwaSplit {
    let full = if version.rules() >= Version::new(0, 5, 11) {
        tokens
    } else {
        let both = swa.full_bytes + swa.ratio * swa.sliding_bytes;
        Tokens((tokens.0 as f64 * cell.get() / both) as i64).floor_to_page(page)
    };
    SwaSplit { full, sliding: Tokens((full.0 as f64 * swa.ratio) as i64).floor_to_page(page) }
}

/// The pool of request states, taken before the tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatePool {
    /// Requests whose state fits (`max_mamba_cache_size`).
    pub slots: i64,
    /// What is left for tokens.
    pub rest: Gib,
}

/// `--mamba-full-memory-ratio` where it is not given (`server_args.py`): bytes of states for each byte of the KV cache.
pub const STATE_RATIO: f64 = 0.9;

/// Divides `rest` by `--mamba-full-memory-ratio`: `int(rest × r / (1 + r) × 2^30 // per_request)` slots. Since
/// 0.5.17 one of them is for padding (`_handle_max_mamba_cache`); before, that one is allocated without being charged.
pub fn state_pool(rest: Gib, ratio: f64, bytes_per_request: u64, version: Version) -> StatePool {
    if bytes_per_request == 0 {
        return StatePool { slots: 0, rest };
    }
    let share = rest.0 * ratio / (1.0 + ratio) * GIB;
    let charged = (share / bytes_per_request as f64).floor();
    let padding = f64::from(u8::from(version.rules() >= Version::new(0, 5, 17)));
    StatePool {
        slots: (charged - padding).max(charged.min(0.0)) as i64,
        rest: Gib(rest.0 - charged * bytes_per_request as f64 / GIB),
    }
}

//! The pool at one fraction: rest, states, tokens, windows, requests, and what the server needs besides.

use crate::budget::{Breakdown, Inputs, Report};
use crate::catalog::config::ModelConfig;
use crate::engines::sglang::Version;
use crate::engines::sglang::auto_fraction::Class;
use crate::engines::sglang::cell::{self, Cell, CellQuery};
use crate::engines::sglang::requests::{RequestQuery, Requests, SPECULATIVE, requests};
use crate::engines::sglang::reserve::{Need, NeedQuery, need};
use crate::units::{Bytes, BytesPerToken, Fraction, Gib, Tokens};

/// A server, except for its fraction.
#[derive(Debug, Clone)]
pub struct Server<'a> {
    /// The model.
    pub model: &'a ModelConfig,
    /// Layout, KV type, draft, release.
    pub layout: CellQuery,
    /// The cell of both, with its terms.
    pub cell: Cell,
    /// Its bytes.
    pub bytes: BytesPerToken,
    /// Free at init.
    pub total: Gib,
    /// Free after the weights.
    pub available: Gib,
    /// Tokens per page.
    pub page: u64,
    /// `--max-total-tokens`.
    pub max_total_tokens: Option<u64>,
    /// Context length.
    pub context: u64,
    /// `--max-running-requests`.
    pub max_running: Option<u64>,
    /// Speculative decoding is on, with a draft model or without.
    pub speculative: bool,
    /// Tokens of the pool for each request that speculates, which no memory is set aside for; up to 0.5.6.
    pub headroom: Option<u64>,
    /// `--mamba-full-memory-ratio`.
    pub state_ratio: f64,
    /// Tokens of a prefill chunk; −1 is off.
    pub chunk: i64,
    /// The largest decode graph; 0 without graphs.
    pub max_bs: u64,
    /// Prefill graphs are captured.
    pub prefill_graphs: bool,
    /// A card of the generation that was measured.
    pub hopper: bool,
}

/// The pool of a server at one fraction; with DP attention every rank has such a pool and such limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pool {
    /// What the formula leaves, before states.
    pub rest: Gib,
    /// Tokens before cap, page and the split of windows; negative or 0 where too few states fit for one request.
    pub tokens: Tokens,
    /// Tokens of the pool; 0 where SGLang refuses.
    pub pool_tokens: Tokens,
    /// Tokens of the window pool.
    pub sliding: Option<Tokens>,
    /// Requests whose state fits.
    pub state_slots: Option<i64>,
    /// Requests at once, and their table.
    pub requests: Requests,
}

/// What the budget gives for a byte of the cache (`MambaPool`: `rest × ratio / (1 + ratio)` goes to states).
pub(super) fn charge(cell: &Cell, state_ratio: f64) -> f64 {
    if cell.state_bytes_per_request.is_some() { 1.0 + state_ratio } else { 1.0 }
}

/// Kept back for images since 0.5.18 (`kv_cache_configurator.py: mm_runtime_reservation_gb`, `SGLANG_VLM_CACHE_SIZE_MB`).
const VISION_CACHE: Gib = Gib(100.0 / 1024.0);

impl Server<'_> {
    /// Bytes of the budget that go for one token: its cell and, in a linear hybrid, the share that states take beside it.
    /// The formula of the page, which knows no states, is right with it.
    pub fn charged(&self) -> BytesPerToken {
        BytesPerToken::new(self.bytes.get() * charge(&self.cell, self.state_ratio)).unwrap_or(self.bytes)
    }

    /// What the formula takes, at this fraction.
    pub fn inputs(&self, fraction: Fraction, dynamic_need: Option<Gib>) -> Inputs {
        let (version, class) = (self.layout.version, &self.model.architecture);
        let charged =
            self.model.vision.is_some() && Class::sees(class, version) && version.rules() >= Version::new(0, 5, 18);
        Inputs {
            fraction,
            total: self.total,
            available: if charged { self.available - VISION_CACHE } else { self.available },
            cell: self.bytes,
            page_size: self.page,
            max_total_tokens: self.max_total_tokens,
            dynamic_need,
        }
    }

    /// The pool at this fraction.
    pub fn pool(&self, fraction: Fraction) -> Pool {
        let inputs = self.inputs(fraction, None);
        let breakdown = Breakdown::of(&inputs);
        let version = self.layout.version;
        let states = self
            .cell
            .state_bytes_per_request
            .map(|bytes| cell::state_pool(breakdown.rest, self.state_ratio, bytes, version));
        let rest = states.map_or(breakdown.rest, |pool| pool.rest);
        let profiled = rest.truncate_to_bytes().floor_div(self.bytes);
        let asked = self.max_running.unwrap_or(SPECULATIVE);
        let more = self.headroom.map_or(0, |each| asked.saturating_mul(each).saturating_add(100));
        let mut tokens = Tokens(profiled.0.saturating_add_unsigned(more));
        let mut pool_tokens = inputs.pool_of(tokens);
        let mut sliding = None;
        if let Some(swa) = &self.cell.swa {
            let split = cell::swa_split(pool_tokens, self.bytes, swa, self.page, version);
            pool_tokens = split.full;
            sliding = Some(split.sliding);
            // "SWA pool cannot hold even one request" (`pool_configurator.py: validate_swa_pool_size`).
            let floor = swa.window.saturating_add(self.page);
            let admitted = u64::try_from(split.sliding.0).is_ok_and(|tokens| tokens > floor);
            if version.rules() >= Version::new(0, 5, 16) && swa.window > 0 && !admitted {
                tokens = tokens.min(Tokens(0));
                pool_tokens = Tokens(0);
            }
        }
        let state_slots = states.map(|pool| pool.slots);
        let requests = requests(&RequestQuery {
            version,
            tokens: pool_tokens,
            profiled,
            context: self.context,
            flag: self.max_running,
            dp: self.layout.dp,
            speculative: self.speculative,
            state_slots,
        });
        // "Hybrid (mamba/linear-attention) state cache is too small to serve any requests" (0.5.13 to 0.5.23; before,
        // the assertion `max_running_request is zero` in `tp_worker.py`).
        if state_slots.is_some() && requests.running == 0 {
            tokens = tokens.min(Tokens(0));
            pool_tokens = Tokens(0);
        }
        Pool { rest: breakdown.rest, tokens, pool_tokens, sliding, state_slots, requests }
    }

    /// The budget at this fraction with the server's own pool, which the formula knows without states and windows.
    pub fn report(&self, fraction: Fraction, kept_back: Gib) -> Report {
        let page = Tokens(i64::try_from(self.page.max(1)).unwrap_or(i64::MAX));
        // As in the formula's band a cap does not count.
        let suggested = self.smallest(&|pool| pool.tokens >= page);
        Report::with_pool(&self.inputs(fraction, Some(kept_back)), self.pool(fraction).pool_tokens, suggested)
    }

    /// The smallest k/1000 whose pool will do.
    pub fn smallest(&self, does: &dyn Fn(&Pool) -> bool) -> Option<Fraction> {
        let at = |step: u32| Fraction::new(f64::from(step) / 1000.0).filter(|fraction| does(&self.pool(*fraction)));
        let (mut low, mut high) = (0, 1000);
        at(high)?;
        while low < high {
            let middle = (low + high) / 2;
            if at(middle).is_some() { high = middle } else { low = middle + 1 }
        }
        at(low)
    }

    /// What the server needs outside weights and pools, at this fraction.
    pub fn need(&self, fraction: Fraction) -> Need {
        let pool = self.pool(fraction);
        need(
            self.model,
            &NeedQuery {
                cell: self.layout,
                tokens: pool.pool_tokens,
                sliding_tokens: pool.sliding.unwrap_or_default(),
                page: self.page,
                context: self.context,
                requests: pool.requests,
                speculative: self.speculative,
                chunk: self.chunk,
                max_bs: self.max_bs,
                prefill_graphs: self.prefill_graphs,
                hopper: self.hopper,
            },
        )
    }

    /// The largest fraction at which `what` of the need still fits into what is kept back, to four decimals.
    pub fn edge(&self, what: fn(&Need) -> f64) -> f64 {
        const STEPS: i64 = 10_000;
        let fits = |step: i64| {
            let share = step as f64 / STEPS as f64;
            Fraction::new(share).is_some_and(|fraction| {
                let kept_back = self.total.0 * (1.0 - share) * 1024.0;
                what(&self.need(fraction)) <= kept_back
            })
        };
        let (mut low, mut high) = (0, STEPS);
        while low < high {
            let middle = (low + high + 1) / 2;
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        low as f64 / STEPS as f64
    }

    /// Memory of one token with all that comes with it, for what idle memory is worth.
    pub fn tokens_in(&self, idle: Gib) -> Tokens {
        Bytes(idle.truncate_to_bytes().0.max(0)).floor_div(self.bytes)
    }
}

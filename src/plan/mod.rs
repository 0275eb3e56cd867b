//! Model, GPUs and flags → the four numbers, each with how it is known, and what follows from them before a GPU is rented.
//!
//! [`plan()`] takes a [`PlanQuery`]; what is given there is not estimated. [`total`] and [`weights`] are the two estimates,
//! fitted to start-up logs (`tests/estimates.rs`); cell and automatic fraction are SGLang's own arithmetic
//! ([`crate::engines::sglang`]); [`outlook()`] and [`back()`] say what would happen otherwise.
//!
//! ```
//! use kv_budget::catalog::{gpus, models};
//! use kv_budget::engines::sglang::Version;
//! use kv_budget::engines::sglang::reserve::Provenance;
//! use kv_budget::plan::{PlanQuery, plan};
//!
//! let model = models::find("kimi-k2.5").expect("in the catalog").config();
//! let gpu = gpus::find("rtx-pro-6000");
//! let version = Version::new(0, 5, 9);
//! let plan = plan(&PlanQuery { tp: 8, version, ..PlanQuery::new(&model, gpu) }).expect("all is known");
//! assert_eq!(plan.server.bytes.get(), 70_272.0);
//! assert!(matches!(plan.total.provenance, Provenance::Estimated(_)));
//! ```

pub mod answer;
mod memory;
mod outlook;
mod page;
mod pool;
mod query;

pub use memory::{Estimate, total, weights};
pub use outlook::{Back, Outlook, Variation, back, outlook};
pub use page::Page;
pub use pool::{Pool, Server};
pub use query::PlanQuery;

use crate::budget::Report;
use crate::catalog::gpus::{Architecture, Gpu};
use crate::decimal::thousandths;
use crate::engines::sglang::auto_fraction::{Auto, AutoQuery, auto_fraction};
use crate::engines::sglang::cell::{STATE_RATIO, cell};
use crate::engines::sglang::ranks::{Ranks, ranks};
use crate::engines::sglang::reserve::{Need, Provenance, logprob_mib_per_token};
use crate::issue::{Issue, IssueKind};
use crate::units::{BytesPerToken, Fraction, Gib, Tokens};

/// A value and how it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Valued<T> {
    /// The value.
    pub value: T,
    /// How it is known.
    pub provenance: Provenance,
}

/// The largest fraction that leaves enough for everything else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Above it graphs or requests run out of memory. Without measurements: what the heuristic keeps, the safe value.
    pub fraction: f64,
    /// The start alone would allow this.
    pub start: f64,
    /// Servers of this kind were measured.
    pub measured: bool,
}

/// All that follows.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// Free at init.
    pub total: Valued<Gib>,
    /// Free after the weights.
    pub available: Valued<Gib>,
    /// The fraction in force and whether SGLang picked it.
    pub fraction: Valued<Fraction>,
    /// The automatic fraction with its terms.
    pub auto: Auto,
    /// What SGLang takes in place of that sum where it cannot read the size of the GPU.
    pub auto_unknown_gpu: f64,
    /// Tokens per page, and what decides them.
    pub page: Page,
    /// The server that the rest is computed for.
    pub server: Server<'a>,
    /// The pool at the fraction in force.
    pub pool: Pool,
    /// What it needs besides.
    pub need: Need,
    /// The upper edge.
    pub edge: Edge,
    /// The budget with that edge: verdict and band.
    pub report: Report,
    /// Whole requests of the full context that the pool holds: with DP attention that of one rank, of `--dp-size`.
    pub requests: u64,
    /// What the fraction in force leaves idle after start, and the tokens that it is worth; none where not measured.
    pub idle: Option<(Gib, Tokens)>,
    /// Whether the automatic fraction is below what the weights need: it ignores the model's size.
    pub auto_cannot_start: bool,
    /// The GPUs at init, where each was given.
    pub ranks: Option<Ranks>,
    /// What was uncertain.
    pub issues: Vec<Issue>,
}

impl Plan<'_> {
    /// What the upper edge leaves free, as the need of a scenario. Rounded down to a KiB: what a link rounds up would not
    /// fit at its own edge, and the page would contradict the plan.
    pub fn kept_back(&self) -> Gib {
        Gib((self.total.value.0 * (1.0 - self.edge.fraction) * 1e6).floor() / 1e6)
    }

    /// MiB that must stay free for each prompt token of a request with input logprobs, beyond [`Need`]: two rows of
    /// 32-bit logits. `None` without a vocabulary.
    pub fn logprob_mib_per_token(&self) -> Option<f64> {
        self.server.model.shape.map(|shape| logprob_mib_per_token(shape.vocab))
    }
}

/// Plans a server.
///
/// # Errors
/// The issues that say what is missing: a cell that cannot be known, a card that is not in the table, weights that the
/// config does not tell.
pub fn plan<'a>(query: &PlanQuery<'a>) -> Result<Plan<'a>, Vec<Issue>> {
    let mut issues = Vec::new();
    let asked = query.auto();
    let auto = auto_fraction(&asked);
    issues.extend(query.left_out(&asked));
    issues.extend(auto.issues.iter().cloned());
    let layout = query.layout();
    let cell = cell(query.model, &layout);
    issues.extend(cell.issues.iter().cloned());
    if let Some(words) = query.uncounted() {
        issues.push(Issue::new("draft_layers", IssueKind::NotMeasured, words));
    }
    let ranks = ranks(query.free, query.tp);
    let total = total_of(query, ranks.as_ref());
    let available = total.and_then(|total| available_of(query, total.value));
    let given = query.cell.and_then(|given| BytesPerToken::new(given.get() / pool::charge(&cell, STATE_RATIO)));
    let bytes = given.or(cell.bytes);
    let (Some(bytes), Some(total), Some(available)) = (bytes, total, available) else {
        let missing = if bytes.is_none() {
            "cell"
        } else if total.is_none() {
            "gpu"
        } else {
            "avail"
        };
        issues.push(Issue::new(missing, IssueKind::NotMeasured, "cannot be estimated: give it by hand"));
        return Err(issues);
    };
    let resolved = &auto.resolved;
    let page = page::page(query);
    let server = Server {
        model: query.model,
        layout,
        cell,
        bytes,
        total: total.value,
        available: available.value,
        page: page.tokens,
        max_total_tokens: query.max_total_tokens,
        context: query.context.or(query.model.context).unwrap_or(2048),
        max_running: query.max_running,
        speculative: query.speculation.is_some() || query.drafts() > 0,
        headroom: query.headroom(),
        state_ratio: STATE_RATIO,
        chunk: resolved.chunk_per_group,
        max_bs: if query.graphs_off { 0 } else { resolved.max_bs },
        prefill_graphs: resolved.prefill_graphs,
        hopper: query.gpu.is_some_and(|gpu| gpu.architecture == Architecture::Hopper),
    };
    let fraction = match query.fraction {
        Some(fraction) => Valued { value: fraction, provenance: Provenance::Exact },
        None => {
            let provenance = if auto.is_exact() { Provenance::Exact } else { Provenance::NotMeasured };
            Valued { value: Fraction::clamped(auto.fraction), provenance }
        }
    };
    let pool = server.pool(fraction.value);
    let need = server.need(fraction.value);
    let edge = edge_of(&server, &auto, query.gpu, &need);
    if !edge.measured {
        let message = "no server of this kind was measured: the upper edge is what SGLang's own reserve keeps";
        issues.push(Issue::new("dyn", IssueKind::NotMeasured, message));
    }
    let kept_back = Gib(server.total.0 * (1.0 - edge.fraction));
    let report = server.report(fraction.value, kept_back);
    let suggested = report.band.suggested.map_or(f64::INFINITY, Fraction::get);
    let idle = need.measured.then(|| {
        let idle = Gib(fraction.value.reserve_of(server.total).0 - need.mib() / 1024.0);
        (idle, server.tokens_in(idle))
    });
    Ok(Plan {
        requests: requests_in(pool.pool_tokens, &server),
        total,
        available,
        fraction,
        auto_cannot_start: auto.fraction < suggested,
        auto,
        auto_unknown_gpu: auto_fraction(&AutoQuery { version: query.version, ..AutoQuery::default() }).fraction,
        page,
        pool,
        need,
        edge,
        report,
        idle,
        ranks,
        server,
        issues,
    })
}

fn requests_in(tokens: Tokens, server: &Server) -> u64 {
    u64::try_from(tokens.0).unwrap_or_default() / server.context.max(1)
}

fn total_of(query: &PlanQuery, ranks: Option<&Ranks>) -> Option<Valued<Gib>> {
    if let Some(given) = query.total.or(ranks.map(|ranks| ranks.least)) {
        return Some(Valued { value: given, provenance: Provenance::Exact });
    }
    let estimate = memory::total(query.gpu?, query.tp.saturating_mul(query.pp));
    Some(Valued { value: rounded(estimate.gib), provenance: Provenance::Estimated(estimate.half_width.0) })
}

fn available_of(query: &PlanQuery, total: Gib) -> Option<Valued<Gib>> {
    if let Some(given) = query.available {
        return Some(Valued { value: given, provenance: Provenance::Exact });
    }
    let weights = memory::weights(query.model, query.checkpoint, query.tp, query.pp, query.dp)?;
    Some(Valued { value: rounded(total - weights.gib), provenance: Provenance::Estimated(weights.half_width.0) })
}

/// To three decimals, as a log's debug print has them: an estimate knows no more.
fn rounded(estimate: Gib) -> Gib {
    Gib(thousandths(estimate.0))
}

fn edge_of(server: &Server, auto: &Auto, gpu: Option<&Gpu>, need: &Need) -> Edge {
    let start = server.edge(|need| need.start_mib);
    if need.measured {
        return Edge { fraction: server.edge(Need::mib), start, measured: true };
    }
    // An unknown card has no reserve: the constant that SGLang falls back to is the safe value. The reserve becomes a
    // fraction as SGLang rounds it, or its own pick would seem to leave a few MiB less than its own reserve.
    let fraction = gpu.map_or(auto.fraction, |gpu| thousandths(1.0 - auto.reserve_mib / gpu.mib as f64));
    Edge { fraction: fraction.clamp(0.0, 1.0), start, measured: false }
}

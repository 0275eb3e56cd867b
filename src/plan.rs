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

pub use memory::{Estimate, total, weights};
pub use outlook::{Back, Outlook, Variation, back, outlook};
pub use page::Page;
pub use pool::{Pool, Server};

use crate::budget::Report;
use crate::catalog::attention::{Attention, Softmax};
use crate::catalog::config::ModelConfig;
use crate::catalog::gpus::{Architecture, Gpu};
use crate::decimal;
use crate::engines::sglang::Version;
use crate::engines::sglang::auto_fraction::{Auto, AutoQuery, Class, Speculation, auto_fraction, factor_of_given};
use crate::engines::sglang::cell::{CellQuery, KvDtype, SWA_RATIO, cell};
use crate::engines::sglang::ranks::{Ranks, ranks};
use crate::engines::sglang::reserve::{Need, Provenance, logprob_mib_per_token};
use crate::issue::{Issue, IssueKind};
use crate::units::{Bytes, BytesPerToken, Fraction, Gib, Tokens};

/// What a reader chose. Values that are given are not estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanQuery<'a> {
    /// The model.
    pub model: &'a ModelConfig,
    /// The card; `None` for one that is not in the table.
    pub gpu: Option<&'a Gpu>,
    /// Whose rules.
    pub version: Version,
    /// `--tp-size`.
    pub tp: u64,
    /// `--pp-size`.
    pub pp: u64,
    /// `--dp-size` with data-parallel attention, else 1.
    pub dp: u64,
    /// `--kv-cache-dtype`.
    pub kv_dtype: KvDtype,
    /// `--speculative-algorithm`.
    pub speculation: Option<Speculation>,
    /// Layers of the draft model; `None` takes those of the checkpoint when speculation is on.
    pub draft_layers: Option<u64>,
    /// `--chunked-prefill-size`.
    pub chunk: Option<i64>,
    /// `--cuda-graph-max-bs`.
    pub max_bs: Option<u64>,
    /// `--disable-cuda-graph`.
    pub graphs_off: bool,
    /// `--max-running-requests`.
    pub max_running: Option<u64>,
    /// `--context-length`; the model's own where absent.
    pub context: Option<u64>,
    /// `--page-size`.
    pub page: u64,
    /// `--max-total-tokens`.
    pub max_total_tokens: Option<u64>,
    /// `--mem-fraction-static`; the automatic one where absent.
    pub fraction: Option<Fraction>,
    /// `metadata.total_size` of the checkpoint's index.
    pub checkpoint: Option<Bytes>,
    /// Free at init, where known.
    pub total: Option<Gib>,
    /// Free after the weights, where known.
    pub available: Option<Gib>,
    /// Bytes of one token on one GPU, where they are known better.
    pub cell: Option<BytesPerToken>,
    /// Free at init of each GPU, where known: the smallest counts.
    pub free: &'a [Gib],
    /// Requests of the full context that must fit.
    pub needed: Option<u64>,
}

impl<'a> PlanQuery<'a> {
    /// The defaults of a server with one GPU.
    pub fn new(model: &'a ModelConfig, gpu: Option<&'a Gpu>) -> Self {
        Self {
            model,
            gpu,
            version: Version::NEWEST,
            tp: 1,
            pp: 1,
            dp: 1,
            kv_dtype: KvDtype::Auto,
            speculation: None,
            draft_layers: None,
            chunk: None,
            max_bs: None,
            graphs_off: false,
            max_running: None,
            context: None,
            page: 1,
            max_total_tokens: None,
            fraction: None,
            checkpoint: None,
            total: None,
            available: None,
            cell: None,
            free: &[],
            needed: None,
        }
    }

    /// Draft layers in force.
    fn drafts(&self) -> u64 {
        match (self.draft_layers, self.speculation) {
            (Some(layers), _) => layers,
            (None, Some(Speculation::Draft)) => self.model.draft_layers.max(1),
            (None, Some(Speculation::Standalone | Speculation::Ngram) | None) => 0,
        }
    }

    /// Tokens that a request may draft and verify at once: `steps × topk + draft tokens`, by default (`model_runner.py:
    /// init_memory_pool`, `server_args.py: auto_choose_speculative_params`; 0.4.6 to 0.5.6).
    fn headroom(&self) -> Option<u64> {
        const NARROW: [&str; 6] = [
            "BailingMoeForCausalLM",
            "BailingMoeV2ForCausalLM",
            "DeepseekV2ForCausalLM",
            "DeepseekV32ForCausalLM",
            "DeepseekV3ForCausalLM",
            "GptOssForCausalLM",
        ];
        let speculation = self.speculation.filter(|kind| *kind != Speculation::Ngram)?;
        let narrow = speculation == Speculation::Standalone || NARROW.contains(&self.model.architecture.as_str());
        let each = if narrow && self.version >= Version::new(0, 5, 3) { 3 + 4 } else { 5 * 4 + 8 };
        (self.version < Version::new(0, 5, 7)).then_some(each)
    }

    /// What of a draft model no number holds. Since 0.5.14 what is free after the weights is measured after the draft's
    /// (`distributed/bootstrap.py`); before, the draft is loaded when the pool exists.
    fn uncounted(&self) -> Option<&'static str> {
        let measured = self.available.is_some() && self.version.rules() >= Version::new(0, 5, 14);
        let standalone = self.speculation == Some(Speculation::Standalone);
        (standalone || self.drafts() > 0 && !measured)
            .then_some("a draft's own weights are not counted, nor the layers of a STANDALONE one")
    }

    /// Layout and KV type; the automatic type of sparse attention is fp8 on data-center Blackwell and later.
    fn layout(&self) -> CellQuery {
        let sparse = matches!(self.model.attention, Attention::Sparse { .. });
        let capability = self.gpu.and_then(|gpu| gpu.architecture.compute_capability());
        let kv_dtype = match (self.kv_dtype, capability) {
            (KvDtype::Auto, Some((major, _))) if sparse && major >= 10 => KvDtype::Fp8E4m3,
            (KvDtype::Auto, Some(_)) if sparse => KvDtype::Bfloat16,
            (given, _) => given,
        };
        CellQuery {
            version: self.version,
            tp: self.tp,
            pp: self.pp,
            dp: self.dp,
            kv_dtype,
            draft_layers: self.drafts(),
            swa_ratio: SWA_RATIO,
        }
    }

    fn auto(&self) -> AutoQuery {
        // `_handle_gpu_memory_settings`, 0.5.14 to 0.5.16.
        let clamped = (Version::new(0, 5, 14)..Version::new(0, 5, 17)).contains(&self.version);
        AutoQuery {
            version: self.version,
            gpu_mib: self.gpu.map(|gpu| gpu.mib as f64),
            tp: self.tp,
            pp: self.pp,
            dp: self.dp,
            dp_attention: self.dp > 1,
            chunk: self.chunk,
            max_bs: self.max_bs,
            max_running: self.max_running,
            speculation: self.speculation,
            mla: matches!(
                self.model.attention,
                Attention::Latent(_) | Attention::Sparse { .. } | Attention::Linear { full: Softmax::Latent(_), .. }
            ),
            kda: matches!(self.model.attention, Attention::Linear { state, .. } if state.kind.is_kda()),
            amd: self.gpu.is_some_and(|gpu| gpu.architecture.compute_capability().is_none()),
            context: self.context.or(self.model.context),
            sparse: matches!(self.model.attention, Attention::Sparse { .. }),
            vision: self.model.vision.filter(|_| Class::sees(&self.model.architecture, self.version)),
            class: Class::of(&self.model.architecture, self.version),
            most_tokens: [self.max_total_tokens, self.context.filter(|_| clamped)].into_iter().flatten().min(),
            graphs_off: self.graphs_off,
            ..AutoQuery::default()
        }
    }

    /// What this plan leaves out.
    fn left_out(&self, auto: &AutoQuery) -> Vec<Issue> {
        let mut issues = Vec::new();
        if let (Some(_), Some(factor)) = (self.fraction, factor_of_given(auto)) {
            let factor = decimal::write(factor, 2);
            let message =
                ["this release takes a given fraction × ", &factor, " for a multimodal model, which is not applied"];
            issues.push(Issue::new("f", IssueKind::NotMeasured, message.concat()));
        }
        if self.model.vision.is_some() && !Class::sees(&self.model.architecture, self.version) {
            issues.push(Issue::new("model", IssueKind::Conflict, BLIND));
        }
        if let (Some(_), Attention::Linear { .. }) = (self.speculation, self.model.attention) {
            issues.push(Issue::new("spec", IssueKind::NotMeasured, PROPOSED));
        }
        issues
    }
}

/// Classes whose images are off by default.
const BLIND: &str = "SGLang reads no images of this model unless --enable-multimodal is given; with it the automatic fraction is \
                     smaller";

/// Speculation of a linear hybrid (`handle_max_mamba_cache`, `_handle_mamba_radix_cache`, 0.5.9 and 0.5.10).
const PROPOSED: &str = "the states of proposed tokens come out of the budget too and are not counted; up to 0.5.13 nor are those \
                        of running requests";

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
    let (Some(bytes), Some(total), Some(available)) = (query.cell.or(cell.bytes), total, available) else {
        let missing = if query.cell.or(cell.bytes).is_none() {
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
        state_ratio: 0.9,
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
    Some(Valued { value: estimate.gib, provenance: Provenance::Estimated(estimate.half_width.0) })
}

fn available_of(query: &PlanQuery, total: Gib) -> Option<Valued<Gib>> {
    if let Some(given) = query.available {
        return Some(Valued { value: given, provenance: Provenance::Exact });
    }
    let weights = memory::weights(query.model, query.checkpoint, query.tp, query.pp, query.dp)?;
    Some(Valued { value: total - weights.gib, provenance: Provenance::Estimated(weights.half_width.0) })
}

fn edge_of(server: &Server, auto: &Auto, gpu: Option<&Gpu>, need: &Need) -> Edge {
    let start = server.edge(|need| need.start_mib);
    if need.measured {
        return Edge { fraction: server.edge(Need::mib), start, measured: true };
    }
    // An unknown card has no reserve: the constant that SGLang falls back to is the safe value. The reserve becomes a
    // fraction as SGLang rounds it, or its own pick would seem to leave a few MiB less than its own reserve.
    let fraction =
        gpu.map_or(auto.fraction, |gpu| ((1.0 - auto.reserve_mib / gpu.mib as f64) * 1000.0).round() / 1000.0);
    Edge { fraction: fraction.clamp(0.0, 1.0), start, measured: false }
}

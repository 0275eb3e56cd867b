//! What would happen otherwise, and the way back from requests to a fraction.

use super::{Plan, PlanQuery, Server, plan};
use crate::budget::{Verdict, evaluate};
use crate::catalog::config::ModelConfig;
use crate::catalog::weights::Encoding;
use crate::decimal;
use crate::engines::sglang::cell::KvDtype;
use crate::units::{Fraction, Gib, Tokens};

/// One row of the what-if table.
#[derive(Debug, Clone, PartialEq)]
pub struct Variation {
    /// What is different, in words.
    pub label: String,
    /// The same as `key=value` of a scenario; empty where no key says it.
    pub change: String,
    /// What happens.
    pub verdict: Verdict,
    /// Tokens of the pool.
    pub tokens: Tokens,
    /// Memory left beside what the server needs; negative where it lacks.
    pub headroom: Gib,
    /// The smallest fraction that starts; `None` if none does.
    pub lower: Option<f64>,
    /// The largest that survives.
    pub upper: f64,
}

/// What-if rows: fractions, and changes that move an edge of the band.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// The plan at fractions from 0.50 to 0.95.
    pub fractions: Vec<Variation>,
    /// Other layouts at the fraction in force: what widens an empty band, and that an fp8 KV cache does not move its
    /// lower edge.
    pub changes: Vec<Variation>,
}

/// Computes the table for a plan.
pub fn outlook(query: &PlanQuery, own: &Plan) -> Outlook {
    let fractions = (10..=19).filter_map(|step| {
        let fraction = Fraction::new(f64::from(step) * 5.0 / 100.0)?;
        let text = decimal::write(fraction.get(), 2);
        Some(at(own, fraction, ["fraction ", &text].concat(), ["f=", &text].concat()))
    });
    Outlook { fractions: fractions.collect(), changes: changes(query, own) }
}

/// The row of a plan at another fraction.
fn at(own: &Plan, fraction: Fraction, label: String, change: String) -> Variation {
    let server = &own.server;
    let kept_back = Gib(server.total.0 * (1.0 - own.edge.fraction));
    let report = evaluate(&server.inputs(fraction, Some(kept_back)));
    let tokens = server.pool(fraction).pool_tokens;
    let verdict =
        if tokens.0 <= 0 && report.verdict == Verdict::Starts { Verdict::CannotStart } else { report.verdict };
    let need = if own.edge.measured { Gib(server.need(fraction).mib() / 1024.0) } else { kept_back };
    Variation {
        label,
        change,
        verdict,
        tokens,
        headroom: fraction.reserve_of(server.total) - need,
        lower: report.band.suggested.map(Fraction::get),
        upper: own.edge.fraction,
    }
}

/// The same with something else changed, at the same fraction where one was given.
fn changes(query: &PlanQuery, own: &Plan) -> Vec<Variation> {
    let mut rows = Vec::new();
    let mut add = |label: &str, change: &str, changed: &PlanQuery| {
        if let Ok(other) = plan(changed) {
            rows.push(at(&other, other.fraction.value, label.to_owned(), change.to_owned()));
        }
    };
    if own.server.max_bs > 8 {
        add("decode graphs up to 8 requests", "graph=8", &PlanQuery { max_bs: Some(8), ..query.clone() });
    }
    if own.server.chunk > 2048 {
        add("prefill chunks of 2048 tokens", "chunk=2048", &PlanQuery { chunk: Some(2048), ..query.clone() });
    }
    if own.server.context > 8192 {
        add("a context of 8192 tokens", "", &PlanQuery { context: Some(8192), ..query.clone() });
    }
    if own.pool.requests.rows > 64 {
        add("at most 64 requests at once", "", &PlanQuery { max_running: Some(64), ..query.clone() });
    }
    if query.speculation.is_some() {
        let plain = PlanQuery { speculation: None, draft_layers: Some(0), ..query.clone() };
        add("no draft model", "spec=none", &plain);
    }
    let tp = query.tp * 2;
    add("twice the tensor parallelism", &["tp=", &tp.to_string()].concat(), &doubled(query, own));
    if let Some(smaller) = quantised(query.model) {
        let available =
            query.available.map(|available| Gib(own.server.total.0 - (own.server.total.0 - available.0) / 2.0));
        add("weights of 8 bits", "", &PlanQuery { model: &smaller, checkpoint: None, available, ..query.clone() });
    }
    if query.kv_dtype == KvDtype::Auto {
        add("an fp8 KV cache", "kv=fp8_e4m3", &PlanQuery { kv_dtype: KvDtype::Fp8E4m3, ..query.clone() });
    }
    rows
}

/// Twice the GPUs; weights that were given are halved, others are divided by their own rule.
fn doubled<'a>(query: &PlanQuery<'a>, own: &Plan) -> PlanQuery<'a> {
    let total = own.server.total.0;
    let available = query.available.map(|available| Gib(total - (total - available.0) / 2.0));
    PlanQuery { tp: query.tp * 2, available, ..query.clone() }
}

/// The model with 8-bit matrices, where it has 16-bit ones.
fn quantised(model: &ModelConfig) -> Option<ModelConfig> {
    (model.encoding == Some(Encoding::Half)).then(|| ModelConfig { encoding: Some(Encoding::Fp8), ..model.clone() })
}

/// From requests to a fraction.
#[derive(Debug, Clone, PartialEq)]
pub struct Back {
    /// Requests of the full context that are wanted.
    pub requests: u64,
    /// Tokens that they take, in whole pages.
    pub tokens: Tokens,
    /// The smallest fraction in thousandths that holds them; `None` if none does.
    pub fraction: Option<Fraction>,
    /// That fraction is within the upper edge.
    pub works: bool,
    /// Changes under which some fraction works, as in [`Outlook::changes`].
    pub helps: Vec<String>,
}

/// "I need 64 requests of 32k": the fraction that holds them, or what would.
pub fn back(query: &PlanQuery, own: &Plan, wanted: u64) -> Back {
    let tokens = wanted_tokens(&own.server, wanted);
    let fraction = smallest(&own.server, wanted);
    let works = fraction.is_some_and(|fraction| fraction.get() <= own.edge.fraction);
    let helps = if works { Vec::new() } else { helpers(query, own, wanted) };
    Back { requests: wanted, tokens, fraction, works, helps }
}

fn wanted_tokens(server: &Server, wanted: u64) -> Tokens {
    let pages = wanted.saturating_mul(server.context).div_ceil(server.page.max(1));
    Tokens(i64::try_from(pages.saturating_mul(server.page.max(1))).unwrap_or(i64::MAX))
}

/// The smallest k/1000 whose pool holds the tokens and whose limits let as many requests run.
fn smallest(server: &Server, wanted: u64) -> Option<Fraction> {
    let tokens = wanted_tokens(server, wanted);
    let holds = |step: u32| {
        Fraction::new(f64::from(step) / 1000.0).filter(|fraction| {
            let pool = server.pool(*fraction);
            pool.pool_tokens >= tokens && pool.requests.running >= wanted
        })
    };
    let (mut low, mut high) = (0, 1000);
    holds(high)?;
    while low < high {
        let middle = (low + high) / 2;
        if holds(middle).is_some() { high = middle } else { low = middle + 1 }
    }
    holds(low)
}

fn helpers(query: &PlanQuery, own: &Plan, wanted: u64) -> Vec<String> {
    let fp8 = PlanQuery { kv_dtype: KvDtype::Fp8E4m3, ..query.clone() };
    let smaller = quantised(query.model);
    let mut candidates = vec![("an fp8 KV cache", fp8), ("twice the tensor parallelism", doubled(query, own))];
    if let Some(model) = &smaller {
        let available =
            query.available.map(|available| Gib(own.server.total.0 - (own.server.total.0 - available.0) / 2.0));
        candidates.push(("weights of 8 bits", PlanQuery { model, checkpoint: None, available, ..query.clone() }));
    }
    let reaches = |query: &PlanQuery| {
        plan(query).is_ok_and(|other| {
            smallest(&other.server, wanted).is_some_and(|fraction| fraction.get() <= other.edge.fraction)
        })
    };
    candidates.iter().filter(|(_, query)| reaches(query)).map(|(label, _)| (*label).to_owned()).collect()
}

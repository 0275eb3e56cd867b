//! What would happen otherwise, and the way back from requests to a fraction.

use super::{Plan, PlanQuery, Server, plan};
use crate::budget::Verdict;
use crate::catalog::config::ModelConfig;
use crate::catalog::weights::Encoding;
use crate::decimal;
use crate::engines::sglang::cell::KvDtype;
use crate::issue::IssueKind;
use crate::units::{Fraction, Gib, Tokens};

/// One row of the what-if table.
#[derive(Debug, Clone, PartialEq)]
pub struct Variation {
    /// What is different, in words.
    pub label: String,
    /// The same as `key=value` pairs of a scenario.
    pub change: String,
    /// What happens.
    pub verdict: Verdict,
    /// Tokens of the pool; with DP attention of that of one rank.
    pub tokens: Tokens,
    /// Memory left beside what the server needs; negative where it lacks.
    pub headroom: Gib,
    /// The smallest fraction that starts; `None` if none does.
    pub lower: Option<f64>,
    /// The largest that survives.
    pub upper: f64,
    /// It comes from measured parts.
    pub measured: bool,
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
    let report = server.report(fraction, kept_back);
    let need = if own.edge.measured { Gib(server.need(fraction).mib() / 1024.0) } else { kept_back };
    Variation {
        label,
        change,
        verdict: report.verdict,
        tokens: report.breakdown.pool_tokens,
        headroom: fraction.reserve_of(server.total) - need,
        lower: report.band.suggested.map(Fraction::get),
        upper: own.edge.fraction,
        measured: own.edge.measured,
    }
}

/// The same with something else changed, at the same fraction where one was given.
fn changes(query: &PlanQuery, own: &Plan) -> Vec<Variation> {
    let mut rows = Vec::new();
    let mut add = |label: &str, change: &str, changed: &PlanQuery| {
        if let Ok(other) = plan(changed)
            && loads(&other)
        {
            // The other layout has other numbers, and a link to it must carry them.
            let change = [change, &numbers(&other)].concat();
            rows.push(at(&other, other.fraction.value, label.to_owned(), change));
        }
    };
    if own.server.max_bs > 8 {
        add("decode graphs up to 8 requests", "graph=8", &PlanQuery { max_bs: Some(8), ..query.clone() });
    }
    if own.server.chunk > 2048 {
        add("prefill chunks of 2048 tokens", "chunk=2048", &PlanQuery { chunk: Some(2048), ..query.clone() });
    }
    if own.server.context > 8192 {
        add("a context of 8192 tokens", "ctx=8192", &PlanQuery { context: Some(8192), ..query.clone() });
    }
    if own.pool.requests.rows > 64 {
        add("at most 64 requests at once", "running=64", &PlanQuery { max_running: Some(64), ..query.clone() });
    }
    if query.speculation.is_some() {
        let plain = PlanQuery { speculation: None, draft_layers: Some(0), ..query.clone() };
        add("no speculative decoding", "spec=none", &plain);
    }
    let tp = query.tp.saturating_mul(2);
    add(TWICE, &["tp=", &tp.to_string()].concat(), &spread_over(query, own, 2));
    if let Some(smaller) = quantised(query.model) {
        add(EIGHT_BITS, "", &with_weights_of(query, own, &smaller));
    }
    if query.kv_dtype == KvDtype::Auto {
        add(FP8, "kv=fp8_e4m3", &PlanQuery { kv_dtype: KvDtype::Fp8E4m3, ..query.clone() });
    }
    rows
}

/// What a plan fills in, as further pairs of a scenario.
fn numbers(plan: &Plan) -> String {
    let pairs = [
        ("f", plan.fraction.value.get()),
        ("total", plan.total.value.0),
        ("avail", plan.available.value.0),
        ("cell", plan.server.charged().get()),
        ("dyn", plan.kept_back().0),
    ];
    pairs.map(|(key, value)| ["&", key, "=", &decimal::canonical(value)].concat()).concat()
}

/// More GPUs; weights that were given are divided, others by their own rule.
fn spread_over<'a>(query: &PlanQuery<'a>, own: &Plan, times: u64) -> PlanQuery<'a> {
    PlanQuery { tp: query.tp.saturating_mul(times), available: divided(query, own, times), ..query.clone() }
}

/// The same with the model at half the bits; weights that were given are halved with it.
fn with_weights_of<'a>(query: &PlanQuery<'a>, own: &Plan, smaller: &'a ModelConfig) -> PlanQuery<'a> {
    PlanQuery { model: smaller, checkpoint: None, available: divided(query, own, 2), ..query.clone() }
}

/// What would be free on a GPU that has one of so many parts of the weights, where it was given how much they leave.
fn divided(query: &PlanQuery, own: &Plan, parts: u64) -> Option<Gib> {
    let total = own.server.total;
    query.available.map(|available| Gib(total.0 - (total - available).0 / parts as f64))
}

/// Whether the heads can be split over the GPUs.
fn loads(plan: &Plan) -> bool {
    plan.issues.iter().all(|issue| issue.kind != IssueKind::Conflict || issue.field != "tp")
}

/// The model with 8-bit matrices, where it has 16-bit ones.
fn quantised(model: &ModelConfig) -> Option<ModelConfig> {
    (model.encoding == Some(Encoding::Half)).then(|| ModelConfig { encoding: Some(Encoding::Fp8), ..model.clone() })
}

/// From requests to a fraction.
#[derive(Debug, Clone, PartialEq)]
pub struct Back {
    /// Requests of the full context that are wanted of the server.
    pub requests: u64,
    /// Tokens that they take together, in whole pages.
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

/// The smallest k/1000 whose pools hold the tokens and whose limits let as many requests run. With DP attention each rank
/// has a pool and limits of its own, and takes its share of the requests.
fn smallest(server: &Server, wanted: u64) -> Option<Fraction> {
    let wanted = wanted.div_ceil(server.layout.dp.max(1));
    let tokens = wanted_tokens(server, wanted);
    server.smallest(&|pool| pool.pool_tokens >= tokens && pool.requests.running >= wanted)
}

fn helpers(query: &PlanQuery, own: &Plan, wanted: u64) -> Vec<String> {
    let reaches = |query: &PlanQuery| {
        plan(query).is_ok_and(|other| {
            let fraction = smallest(&other.server, wanted);
            loads(&other) && fraction.is_some_and(|fraction| fraction.get() <= other.edge.fraction)
        })
    };
    let mut helps = Vec::new();
    let mut tried = |label: &str, query: &PlanQuery| {
        let helped = reaches(query);
        if helped {
            helps.push(label.to_owned());
        }
        helped
    };
    let fp8 = PlanQuery { kv_dtype: KvDtype::Fp8E4m3, ..query.clone() };
    let small = tried(FP8, &fp8);
    // The smallest number of GPUs that is enough.
    let more = [(2, TWICE), (4, "4 times the tensor parallelism"), (8, "8 times the tensor parallelism")];
    let enough = more.into_iter().find(|(times, label)| tried(label, &spread_over(query, own, *times)));
    if !small && enough.is_none_or(|(times, _)| times > 2) {
        tried("both, an fp8 KV cache and twice the tensor parallelism", &spread_over(&fp8, own, 2));
    }
    if let Some(smaller) = quantised(query.model) {
        tried(EIGHT_BITS, &with_weights_of(query, own, &smaller));
    }
    helps
}

const FP8: &str = "an fp8 KV cache";
const TWICE: &str = "twice the tensor parallelism";
const EIGHT_BITS: &str = "weights of 8 bits";

#[cfg(test)]
mod tests;

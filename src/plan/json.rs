//! A plan as an answer: a scenario and a config as text in, one JSON object out.

use serde::{Deserialize, Serialize};

use super::{Plan, PlanQuery, Valued, Variation, back, outlook, plan};
use crate::catalog::config::{self, ModelConfig};
use crate::catalog::{gpus, models};
use crate::decimal;
use crate::engines::sglang::auto_fraction::{ReserveTerm, Speculation};
use crate::engines::sglang::cell::{CellKind, KvDtype, Term};
use crate::engines::sglang::ranks::{Ranks, imbalance_message};
use crate::engines::sglang::reserve::{NeedTerm, Provenance};
use crate::issue::{Issue, IssueKind, shorten};
use crate::scenario::query::{decode, encode};
use crate::scenario::{PlanChoices, Scenario};
use crate::units::{Bytes, Gib};

/// What is asked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PlanRequest {
    /// A scenario's query string: `model`, `gpu`, `tp`, `pp`, `dp`, `kv`, `chunk`, `graph`, `spec`, `sglang`, `ctx`, `need`,
    /// `running`, `page`, `cap`, and the numbers that are pinned.
    pub scenario: String,
    /// The text of a `config.json`; it counts instead of `model`.
    pub config: Option<String>,
    /// Which of `total`, `avail`, `cell` and `f` are pinned by hand and so not estimated.
    pub pinned: Vec<String>,
    /// Free at init of each GPU in GiB, where known.
    pub free: Vec<f64>,
    /// `metadata.total_size` of the checkpoint's index, bytes.
    pub total_size: Option<f64>,
}

/// A number and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Known {
    /// The number.
    pub value: f64,
    /// `exact`, `table`, `estimated` or `not_measured`.
    pub how: &'static str,
    /// Half-width of an estimate, in the unit of the number.
    pub half_width: Option<f64>,
}

impl Known {
    fn new(value: f64, provenance: Provenance) -> Self {
        let (how, half_width) = match provenance {
            Provenance::Exact => ("exact", None),
            Provenance::Table => ("table", None),
            Provenance::Estimated(half_width) => ("estimated", Some(half_width)),
            Provenance::NotMeasured => ("not_measured", None),
        };
        Self { value, how, half_width }
    }

    fn gib(valued: Valued<Gib>) -> Self {
        Self::new(valued.value.0, valued.provenance)
    }
}

/// One part of the need.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// What it is for.
    pub label: String,
    /// `kept`, `capture` or `load`.
    pub when: crate::engines::sglang::reserve::When,
    /// MiB.
    pub mib: Known,
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// What is different.
    pub label: String,
    /// The scenario of the row, as a query string.
    pub scenario: String,
    /// The verdict's id.
    pub verdict: &'static str,
    /// Tokens of the pool.
    pub tokens: i64,
    /// GiB left beside the need.
    pub headroom_gib: f64,
    /// The smallest fraction that starts.
    pub min_fraction: Option<f64>,
    /// The largest that survives.
    pub max_fraction: f64,
    /// How much wider than the plan's own the band between them is; negative where it is narrower. `None` where only one
    /// of the upper edges was measured.
    pub wider: Option<f64>,
}

/// The GPUs at init.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankAnswer {
    /// The one that decides, from 0.
    pub deciding: u64,
    /// Its free memory, GiB.
    pub least_gib: f64,
    /// SGLang refuses to start.
    pub refused: bool,
    /// The exception and the text that it begins with, where it refuses.
    pub message: Option<String>,
    /// What turns the refusal into a warning.
    pub variable: Option<&'static str>,
}

/// The way back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BackAnswer {
    /// Requests that must fit.
    pub requests: u64,
    /// Tokens that they take.
    pub tokens: i64,
    /// The smallest fraction that holds them.
    pub fraction: Option<f64>,
    /// It is within the upper edge.
    pub works: bool,
    /// What would help otherwise.
    pub helps: Vec<String>,
}

/// What can be said once the four numbers are there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Planned {
    /// Free at init, GiB.
    pub total: Known,
    /// Free after the weights, GiB.
    pub available: Known,
    /// Bytes of one token on one GPU.
    pub cell: Known,
    /// The fraction in force.
    pub fraction: Known,
    /// The attention kind.
    pub kind: CellKind,
    /// The summands of the cell.
    pub cell_terms: Vec<Term>,
    /// Bytes of state of one request.
    pub state_bytes_per_request: Option<u64>,
    /// The automatic fraction.
    pub auto_fraction: f64,
    /// What stands in its place where SGLang cannot read the size of the GPU, before a vision tower's factor.
    pub auto_unknown_gpu: f64,
    /// Tokens per page.
    pub page: u64,
    /// Why no flag decides them; empty where one does.
    pub page_why: &'static str,
    /// Tokens of a prefill chunk that SGLang goes by; −1 is off.
    pub chunk: i64,
    /// The largest decode graph that it captures; 0 without graphs.
    pub max_bs: u64,
    /// The context, tokens.
    pub context: u64,
    /// SGLang's own reserve, MiB.
    pub reserve_terms: Vec<ReserveTerm>,
    /// Its sum.
    pub reserve_mib: f64,
    /// What a vision tower multiplies by.
    pub multimodal_factor: Option<f64>,
    /// The automatic fraction is below what the weights need.
    pub auto_cannot_start: bool,
    /// The need by parts, MiB.
    pub need_terms: Vec<Part>,
    /// At the lowest point of the start.
    pub need_start_mib: f64,
    /// After it.
    pub need_kept_mib: f64,
    /// Under ordinary requests.
    pub need_load_mib: f64,
    /// MiB for each prompt token of a request with input logprobs.
    pub logprob_mib_per_token: Option<f64>,
    /// Servers of this kind were measured.
    pub measured: bool,
    /// `1 − available / total`.
    pub min_fraction: Option<f64>,
    /// The smallest k/1000 that starts.
    pub suggested_fraction: Option<f64>,
    /// The upper edge.
    pub max_fraction: f64,
    /// The start alone would allow this.
    pub start_fraction: f64,
    /// The verdict's id.
    pub verdict: &'static str,
    /// Tokens of the pool.
    pub tokens: i64,
    /// Whole requests of the full context.
    pub requests: u64,
    /// Requests at once.
    pub max_running_requests: u64,
    /// GiB that stay idle after start.
    pub idle_gib: Option<f64>,
    /// Tokens that these are worth.
    pub idle_tokens: Option<i64>,
    /// The GPUs, where each was given.
    pub ranks: Option<RankAnswer>,
    /// Fractions from 0.50 to 0.95.
    pub fractions: Vec<Row>,
    /// Other layouts.
    pub changes: Vec<Row>,
    /// From requests to a fraction, where asked.
    pub back: Option<BackAnswer>,
    /// The scenario with the four numbers and the need filled in, as a query string.
    pub scenario: String,
}

/// The answer: a plan, or only the reasons why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanAnswer {
    /// The plan.
    pub plan: Option<Planned>,
    /// What was wrong or uncertain.
    pub issues: Vec<Issue>,
}

impl PlanAnswer {
    /// Answers a request.
    pub fn of(request: &PlanRequest) -> Self {
        let decoded = decode(&request.scenario);
        let (scenario, mut issues) = (decoded.scenario, decoded.issues);
        let model = model(request, &scenario.plan, &mut issues);
        let gpu = scenario.plan.gpu.as_deref().and_then(|id| {
            let found = gpus::find(id);
            if found.is_none() {
                issues.push(unknown("gpu", id));
            }
            found
        });
        let Some(model) = model else { return Self { plan: None, issues } };
        let free: Vec<Gib> = request.free.iter().filter(|gib| gib.is_finite()).map(|gib| Gib(*gib)).collect();
        let query = PlanQuery { free: &free, ..query(request, &scenario, &model, gpu) };
        match plan(&query) {
            Ok(plan) => {
                issues.extend(plan.issues.iter().cloned());
                Self { plan: Some(planned(&query, &plan, &scenario)), issues }
            }
            Err(reasons) => {
                issues.extend(reasons);
                Self { plan: None, issues }
            }
        }
    }
}

fn unknown(field: &str, id: &str) -> Issue {
    Issue::new(field, IssueKind::UnknownValue, [&shorten(id, 40), " is not in the table"].concat())
}

fn model(request: &PlanRequest, choices: &PlanChoices, issues: &mut Vec<Issue>) -> Option<ModelConfig> {
    if let Some(text) = &request.config {
        let reading = config::read(text.as_bytes());
        issues.extend(reading.issues);
        return reading.config;
    }
    let Some(id) = choices.model.as_deref() else {
        issues.push(Issue::new("model", IssueKind::UnknownValue, "no model was chosen and no config was given"));
        return None;
    };
    let found = models::find(id).map(models::Model::config);
    if found.is_none() {
        issues.push(unknown("model", id));
    }
    found
}

fn query<'a>(
    request: &PlanRequest,
    scenario: &Scenario,
    model: &'a ModelConfig,
    gpu: Option<&'a gpus::Gpu>,
) -> PlanQuery<'a> {
    let choices = &scenario.plan;
    let pinned = |name: &str| request.pinned.iter().any(|pinned| pinned == name);
    let size = request.total_size.filter(|size| *size > 0.0 && *size < 1e15);
    PlanQuery {
        version: scenario.sglang,
        tp: choices.tp.unwrap_or(1),
        pp: choices.pp.unwrap_or(1),
        dp: choices.dp.unwrap_or(1),
        kv_dtype: choices.kv_dtype.and_then(KvDtype::parse).unwrap_or(KvDtype::Auto),
        speculation: match choices.speculative {
            Some("standalone") => Some(Speculation::Standalone),
            Some("ngram") => Some(Speculation::Ngram),
            None | Some("none") => None,
            Some(_) => Some(Speculation::Draft),
        },
        chunk: choices.chunked_prefill_size.map(|size| if size == 0 { -1 } else { size }),
        max_bs: choices.cuda_graph_max_bs.filter(|size| *size > 0),
        graphs_off: choices.cuda_graph_max_bs == Some(0),
        max_running: choices.max_running,
        context: scenario.context,
        page: scenario.page_size,
        max_total_tokens: scenario.max_total_tokens,
        fraction: pinned("f").then_some(scenario.fraction),
        checkpoint: size.map(|size| Bytes(size as i64)),
        total: pinned("total").then_some(scenario.total),
        available: pinned("avail").then(|| scenario.available()),
        cell: pinned("cell").then_some(scenario.cell),
        needed: scenario.need,
        ..PlanQuery::new(model, gpu)
    }
}

fn planned(query: &PlanQuery, plan: &Plan, scenario: &Scenario) -> Planned {
    let table = outlook(query, plan);
    let filled = filled(scenario, query, plan);
    let own = plan.report.band.suggested.map(|lower| plan.edge.fraction - lower.get());
    let rows = |rows: Vec<Variation>| {
        let own = |row: &Variation| own.filter(|_| row.measured == plan.edge.measured);
        rows.into_iter().map(|row| (own(&row), row)).map(|(own, row)| self::row(row, &filled, own)).collect()
    };
    let part = |term: &NeedTerm| Part {
        label: term.label.clone(),
        when: term.when,
        mib: Known::new(term.mib, term.provenance),
    };
    Planned {
        total: Known::gib(plan.total),
        available: Known::gib(plan.available),
        cell: Known::new(plan.server.bytes.get(), Provenance::Exact),
        fraction: Known::new(plan.fraction.value.get(), plan.fraction.provenance),
        kind: plan.server.cell.kind,
        cell_terms: plan.server.cell.terms.clone(),
        state_bytes_per_request: plan.server.cell.state_bytes_per_request,
        auto_fraction: plan.auto.fraction,
        auto_unknown_gpu: plan.auto_unknown_gpu,
        page: plan.page.tokens,
        page_why: plan.page.why,
        chunk: plan.server.chunk,
        max_bs: plan.server.max_bs,
        context: plan.server.context,
        reserve_terms: plan.auto.terms.clone(),
        reserve_mib: plan.auto.reserve_mib,
        multimodal_factor: plan.auto.multimodal_factor,
        auto_cannot_start: plan.auto_cannot_start,
        need_terms: plan.need.terms.iter().map(part).collect(),
        need_start_mib: plan.need.start_mib,
        need_kept_mib: plan.need.kept_mib,
        need_load_mib: plan.need.load_mib,
        logprob_mib_per_token: plan.logprob_mib_per_token(),
        measured: plan.edge.measured,
        min_fraction: plan.report.band.min_fraction,
        suggested_fraction: plan.report.band.suggested.map(|fraction| fraction.get()),
        max_fraction: plan.edge.fraction,
        start_fraction: plan.edge.start,
        verdict: plan.report.verdict.id(),
        tokens: plan.pool.pool_tokens.0,
        requests: plan.requests,
        max_running_requests: plan.pool.requests.running,
        idle_gib: plan.idle.map(|(gib, _)| gib.0),
        idle_tokens: plan.idle.map(|(_, tokens)| tokens.0),
        ranks: plan.ranks.map(|ranks| self::ranks(ranks, query)),
        fractions: rows(table.fractions),
        changes: rows(table.changes),
        back: query.needed.map(|wanted| {
            let back = back(query, plan, wanted);
            BackAnswer {
                requests: back.requests,
                tokens: back.tokens.0,
                fraction: back.fraction.map(|fraction| fraction.get()),
                works: back.works,
                helps: back.helps,
            }
        }),
        scenario: encode(&filled),
    }
}

fn ranks(ranks: Ranks, query: &PlanQuery) -> RankAnswer {
    let message = imbalance_message(query.version);
    let gib = |value: f64| decimal::write_trimmed(value, 6, 1);
    let (least, most) = (gib(ranks.least.0), gib(ranks.most.0));
    let nine_tenths = gib(ranks.most.0 * 0.9);
    let parts = [
        message.exception,
        ": ",
        message.text,
        &least,
        ", local_gpu_memory=",
        &most,
        ", local_gpu_memory * 0.9=",
        &nine_tenths,
    ];
    RankAnswer {
        deciding: ranks.deciding,
        least_gib: ranks.least.0,
        refused: ranks.refused,
        message: ranks.refused.then(|| parts.concat()),
        variable: ranks.refused.then_some(message.variable),
    }
}

/// The reader's scenario with what the plan found.
fn filled(scenario: &Scenario, query: &PlanQuery, plan: &Plan) -> Scenario {
    let mut filled = scenario.clone();
    filled.preset = None;
    filled.give_numbers();
    filled.fraction = plan.fraction.value;
    filled.total = plan.total.value;
    filled.set_available(plan.available.value);
    if query.free.len() > 1 {
        // The address carries what is free after the weights, which are alike on each GPU.
        let weights = plan.total.value - plan.available.value;
        filled.ranks = query.free.iter().map(|free| *free - weights).collect();
    }
    filled.cell = plan.server.bytes;
    filled.page_size = plan.page.tokens;
    filled.context = Some(plan.server.context);
    filled.dynamic_need = Some(Gib(plan.total.value.0 * (1.0 - plan.edge.fraction)));
    filled
}

fn row(row: Variation, filled: &Scenario, own: Option<f64>) -> Row {
    let mut start = filled.clone();
    if row.change.contains("avail=") {
        // Other numbers than those of these GPUs.
        start.ranks.clear();
    }
    Row {
        label: row.label,
        scenario: encode(&decode(&[&encode(&start), "&", &row.change].concat()).scenario),
        verdict: row.verdict.id(),
        tokens: row.tokens.0,
        headroom_gib: row.headroom.0,
        min_fraction: row.lower,
        max_fraction: row.upper,
        wider: row.lower.zip(own).map(|(lower, own)| row.upper - lower - own),
    }
}

#[cfg(test)]
mod tests;

//! From a request to the plan as it is told.

use super::{BackAnswer, Known, Part, PlanAnswer, PlanRequest, Planned, RankAnswer, Row};
use crate::catalog::config::{self, ModelConfig};
use crate::catalog::{gpus, models};
use crate::decimal;
use crate::engines::sglang::auto_fraction::Speculation;
use crate::engines::sglang::cell::KvDtype;
use crate::engines::sglang::ranks::{Ranks, imbalance_message};
use crate::engines::sglang::reserve::{NeedTerm, Provenance};
use crate::issue::{Issue, IssueKind, shorten};
use crate::plan::{Plan, PlanQuery, Variation, back, outlook, plan};
use crate::scenario::query::{decode, encode};
use crate::scenario::{PlanChoices, Scenario};
use crate::units::{Bytes, Gib};

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
        kv_dtype: choices.kv_dtype.unwrap_or(KvDtype::Auto),
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
        charged: plan.server.charged().get(),
        fraction: Known::new(plan.fraction.value.get(), plan.fraction.provenance),
        kind: plan.server.cell.kind,
        cell_terms: plan.server.cell.terms.clone(),
        state_bytes_per_request: plan.server.cell.state_bytes_per_request,
        auto_fraction: plan.auto.fraction,
        auto_exact: plan.auto.is_exact(),
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
        dp: query.dp.max(1),
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
        compared: ranks.compared,
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
    filled.cell = plan.server.charged();
    filled.page_size = plan.page.tokens;
    filled.context = Some(plan.server.context);
    filled.dynamic_need = Some(plan.kept_back());
    filled
}

fn row(row: Variation, filled: &Scenario, own: Option<f64>) -> Row {
    let mut start = filled.clone();
    if row.change.split('&').any(|pair| pair.starts_with("avail=")) {
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

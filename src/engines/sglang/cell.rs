//! Bytes of KV cache per token per GPU, as SGLang computes them, with every term.
//!
//! Sources: `model_runner.py: profile_max_num_token` (0.4.6, 0.5.3), `model_runner_kv_cache_mixin.py: get_cell_size_per_token` (0.5.9,
//! 0.5.10), `pool_configurator.py` (0.5.11 and later), `model_config.py: get_num_kv_heads`; executed in each of these releases.

mod answer;
mod classes;
mod pools;
mod query;
mod sizes;

pub use answer::CellAnswer;
pub use pools::{STATE_RATIO, StatePool, SwaSplit, state_pool, swa_split};
pub use query::{CellQuery, KvDtype, SWA_RATIO};

use super::Version;
use crate::catalog::attention::{Attention, Layer, Softmax};
use crate::catalog::config::{Dtype, ModelConfig};
use crate::issue::{Issue, IssueKind};
use crate::units::BytesPerToken;
use classes::{comes_with, splits};
use serde::Serialize;
use sizes::{Element, full_term, indexer_term, latent_term, state_bytes, window_term};

/// What the cell is called on the page and in the examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    /// One KV head per query head.
    Mha,
    /// Fewer KV heads than query heads.
    Gqa,
    /// Multi-head latent attention.
    Mla,
    /// MLA with an indexer.
    Dsa,
    /// Two pools: full and sliding-window layers.
    SwaHybrid,
    /// Softmax layers among linear ones with a state per request.
    LinearHybrid,
}

/// One summand of the cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Term {
    /// The arithmetic: `61 layers × (512 + 64) × 2 bytes`.
    pub label: String,
    /// Its value in bytes per token per GPU.
    #[serde(serialize_with = "answer::plain_number")]
    pub bytes: f64,
}

/// Sizes of the two pools of a sliding-window hybrid, for [`swa_split`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swa {
    /// Tokens of the sliding pool per token of the full pool.
    pub ratio: f64,
    /// Bytes of one token in all full layers of the deciding rank.
    pub full_bytes: f64,
    /// Bytes of one token in all sliding layers of the deciding rank.
    pub sliding_bytes: f64,
    /// Window in tokens; 0 where the config does not say.
    pub window: u64,
}

/// The cell with its terms. `bytes` is `None` where it cannot be known; `issues` says why.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Bytes per token per GPU, on the pipeline rank that needs most.
    pub bytes: Option<BytesPerToken>,
    /// The attention kind as the rules of this version size it.
    pub kind: CellKind,
    /// The summands.
    pub terms: Vec<Term>,
    /// Bytes of state for one request on one GPU, in a linear hybrid.
    pub state_bytes_per_request: Option<u64>,
    /// The two pools, in a sliding-window hybrid.
    pub swa: Option<Swa>,
    /// What was uncertain.
    pub issues: Vec<Issue>,
}

/// The cell of `model` under `query`.
pub fn cell(model: &ModelConfig, query: &CellQuery) -> Cell {
    let rules = query.version.rules();
    let mut issues = Vec::new();
    note_layout(model, query, &mut issues);
    let element = element(model, query, &mut issues);
    let split = splits(model, rules);
    let kind = kind(&model.attention, split);
    let mut best: Option<(f64, Vec<Term>, Option<Swa>)> = None;
    let mut state = 0;
    for layers in rank_layers(model, query, split) {
        state = state.max(state_bytes(model, layers, query));
        let Some(element) = element else { continue };
        let rank = rank_cell(model, layers, query, element, split, &mut issues);
        let Some((terms, swa)) = rank else { continue };
        let bytes = total(&terms, kind);
        if best.as_ref().is_none_or(|(most, ..)| bytes > *most) {
            best = Some((bytes, terms, swa));
        }
    }
    if best.as_ref().is_some_and(|(bytes, ..)| *bytes <= 0.0) {
        let message = "no layer keeps keys and values of each token, so there is no cell";
        issues.push(Issue::new("layers", IssueKind::OutOfRange, message));
    }
    issues.dedup();
    let state_bytes_per_request = (kind == CellKind::LinearHybrid).then_some(state);
    let (bytes, terms, swa) = best.map_or((None, Vec::new(), None), |(bytes, terms, swa)| (Some(bytes), terms, swa));
    Cell { bytes: bytes.and_then(BytesPerToken::new), kind, terms, state_bytes_per_request, swa, issues }
}

/// Whole bytes, except in a split pool, whose ratio makes fractions.
fn total(terms: &[Term], kind: CellKind) -> f64 {
    let sum = terms.iter().map(|term| term.bytes).sum::<f64>();
    if kind == CellKind::SwaHybrid { sum } else { sum.trunc() }
}

fn kind(attention: &Attention, split: bool) -> CellKind {
    match attention {
        Attention::Sliding { .. } if split => CellKind::SwaHybrid,
        Attention::Heads(heads) | Attention::Sliding { full: heads, .. } => {
            if heads.kv_heads == heads.query_heads {
                CellKind::Mha
            } else {
                CellKind::Gqa
            }
        }
        Attention::Latent(_) => CellKind::Mla,
        Attention::Sparse { .. } => CellKind::Dsa,
        Attention::Linear { .. } => CellKind::LinearHybrid,
    }
}

/// The layers of each pipeline rank: an even share each, the remainder to the last ranks; up to 0.5.3 to the very last, and in
/// a linear hybrid the whole stack counted (`get_pp_indices`).
fn rank_layers<'a>(model: &'a ModelConfig, query: &CellQuery, split: bool) -> Vec<&'a [Layer]> {
    let block = model.block.max(1) as usize;
    let count = model.layers.len() / block;
    let ranks = query.pp.clamp(1, (count as u64).max(1)) as usize;
    let (share, remainder) = (count / ranks, count % ranks);
    // Up to 0.5.20 a split pool slices one layer too many on every rank but the last (`model_runner.py`, `layer_setup.py`).
    let extra = usize::from(split && query.version.rules() < Version::new(0, 5, 21));
    let old = query.version.rules() < Version::new(0, 5, 9);
    if old && matches!(model.attention, Attention::Linear { .. }) {
        return vec![&model.layers];
    }
    let mut start = 0;
    (0..ranks)
        .map(|rank| {
            let more =
                if old { remainder * usize::from(rank + 1 == ranks) } else { usize::from(rank >= ranks - remainder) };
            let end = start + share + more;
            let slice = model.layers.get(start * block..(end + extra).min(count) * block).unwrap_or_default();
            start = end;
            slice
        })
        .collect()
}

/// The element that `--kv-cache-dtype` means here.
fn element(model: &ModelConfig, query: &CellQuery, issues: &mut Vec<Issue>) -> Option<Element> {
    let rules = query.version.rules();
    match query.kv_dtype {
        // Not yet in 0.4.6 (`model_runner.py: init_memory_pool`).
        KvDtype::Auto if model.fp8_kv && rules >= Version::new(0, 5, 3) => Some(Element::Fp8),
        KvDtype::Auto => {
            if matches!(model.attention, Attention::Sparse { .. }) {
                let message =
                    "auto is bfloat16 up to compute capability 9 and fp8 from 10 (Blackwell) on; bfloat16 is shown";
                issues.push(Issue::new("kv_dtype", IssueKind::NotMeasured, message));
            }
            // SGLang runs a float32 checkpoint in 16 bits.
            match model.dtype {
                Dtype::Bfloat16 | Dtype::Float16 | Dtype::Float32 => Some(Element::Half),
            }
        }
        KvDtype::Bfloat16 | KvDtype::Float16 => Some(Element::Half),
        KvDtype::Fp8E4m3 | KvDtype::Fp8E5m2 => Some(Element::Fp8),
        KvDtype::Fp4 | KvDtype::Mxfp8 if rules < since(query.kv_dtype) => {
            let message = [query.kv_dtype.name(), " is known from ", &since(query.kv_dtype).text(), " on"].concat();
            issues.push(Issue::new("kv_dtype", IssueKind::NotMeasured, message));
            None
        }
        KvDtype::Fp4 => {
            if rules >= Version::new(0, 5, 21) && !matches!(model.attention, Attention::Latent(_)) {
                let message = "since 0.5.21 NVFP4 may be chosen, with more scales; the sizes with one scale for 16 elements are taken";
                issues.push(Issue::new("kv_dtype", IssueKind::NotMeasured, message));
            }
            Some(Element::Fp4)
        }
        KvDtype::Mxfp8 => Some(Element::Mxfp8),
    }
}

/// The first release whose sizes of these types were executed.
fn since(dtype: KvDtype) -> Version {
    if dtype == KvDtype::Mxfp8 { Version::new(0, 5, 16) } else { Version::new(0, 5, 9) }
}

/// The terms of one pipeline rank.
fn rank_cell(
    model: &ModelConfig,
    layers: &[Layer],
    query: &CellQuery,
    element: Element,
    split: bool,
    issues: &mut Vec<Issue>,
) -> Option<(Vec<Term>, Option<Swa>)> {
    let rules = query.version.rules();
    let count = |kept: fn(Layer) -> bool| layers.iter().filter(|layer| kept(**layer)).count() as u64;
    let growing = count(Layer::grows);
    let mut swa = None;
    let mut terms = match model.attention {
        Attention::Heads(heads) | Attention::Linear { full: Softmax::Heads(heads), .. } => {
            vec![full_term(Softmax::Heads(heads), growing, query, element)]
        }
        Attention::Latent(latent) | Attention::Linear { full: Softmax::Latent(latent), .. } => {
            vec![full_term(Softmax::Latent(latent), growing, query, element)]
        }
        Attention::Sparse { latent, indexer } => {
            if rules < Version::new(0, 5, 9) {
                let message = "up to 0.5.3 the indexer is not counted: the pool takes more than its budget";
                issues.push(Issue::new("sglang", IssueKind::Conflict, message));
                return Some((vec![latent_term(latent, growing, element)], None));
            }
            // 512, four 32-bit scales and 64 positions of 16 bits. Since 0.5.17 the cell counts them.
            let missing = rules < Version::new(0, 5, 17);
            if missing && matches!(element, Element::Fp8) {
                let message = "on flashmla a row takes 656 bytes, not 576: the pool takes 11 % more than its budget";
                issues.push(Issue::new("kv_dtype", IssueKind::Conflict, message));
            }
            if kept_by_name(rules) && growing > count(|layer| layer == Layer::Full) {
                let message = "0.5.18 and 0.5.19 do not read indexer_types: a config that names layers so has every indexer there";
                issues.push(Issue::new("indexer_types", IssueKind::Conflict, message));
            }
            let kept = if rules >= Version::new(0, 5, 18) { count(|layer| layer == Layer::Full) } else { growing };
            vec![sizes::sparse_term(latent, growing, rules, element), indexer_term(indexer, kept, rules)]
        }
        Attention::Sliding { full, sliding, window } => {
            if !split {
                vec![full_term(Softmax::Heads(full), growing, query, element)]
            } else if element == Element::Fp4 {
                issues.push(not_measured("sliding-window hybrids", query.kv_dtype));
                return None;
            } else {
                let layers = count(|layer| layer == Layer::Full);
                let wide = window_term(full, layers, query, element);
                let mut narrow = window_term(sliding, count(|layer| layer == Layer::Sliding), query, element);
                let (full_bytes, sliding_bytes) = (wide.bytes, narrow.bytes);
                swa = Some(Swa { ratio: query.swa_ratio, full_bytes, sliding_bytes, window });
                // Windows alone have no other pool to be a share of.
                if rules >= Version::new(0, 5, 11) && layers > 0 {
                    narrow = sizes::shared_pool(&narrow, query.swa_ratio);
                }
                vec![wide, narrow]
            }
        }
    };
    draft(model, &mut terms, growing, query, element, split, issues);
    Some((terms, swa))
}

/// Draft layers: in the cell since 0.5.14, in the target's geometry. Before, they have a pool outside the budget.
fn draft(
    model: &ModelConfig,
    terms: &mut Vec<Term>,
    growing: u64,
    query: &CellQuery,
    element: Element,
    split: bool,
    issues: &mut Vec<Issue>,
) {
    let drafts = query.draft_layers;
    if drafts == 0 || growing == 0 {
        return;
    }
    let rules = query.version.rules();
    if rules < Version::new(0, 5, 14) {
        let message =
            "up to 0.5.13 the draft's pool has as many tokens as the target's and is taken from outside the budget";
        issues.push(Issue::new("draft_layers", IssueKind::Conflict, message));
        return;
    }
    match model.attention {
        Attention::Sliding { .. } if split && rules < Version::new(0, 5, 15) => {
            issues.push(Issue::new(
                "draft_layers",
                IssueKind::Conflict,
                "0.5.14 counts no draft of a sliding-window hybrid",
            ));
        }
        Attention::Sliding { full, .. } if split => {
            let mut term = window_term(full, drafts, query, element);
            term.label.insert_str(0, "draft: ");
            terms.push(term);
        }
        // The draft has an indexer in every layer, also where the target shares its own; up to 0.5.17 the whole cell is scaled.
        Attention::Sparse { indexer, .. } if rules >= Version::new(0, 5, 18) => {
            let kept = terms.first().map_or(0.0, |term| term.bytes);
            terms.push(sizes::draft_share(kept, drafts, growing, true));
            let mut term = indexer_term(indexer, drafts, rules);
            term.label.insert_str(0, "draft: ");
            terms.push(term);
        }
        _ => {
            let kept = terms.iter().map(|term| term.bytes).sum();
            terms.push(sizes::draft_share(kept, drafts, growing, rules >= Version::new(0, 5, 22)));
        }
    }
}

/// Releases that count shared indexers once, but not those that `indexer_types` names (`dsa_layer_skips_topk`).
fn kept_by_name(rules: Version) -> bool {
    (Version::new(0, 5, 18)..Version::new(0, 5, 20)).contains(&rules)
}

fn not_measured(what: &str, dtype: KvDtype) -> Issue {
    let message = format!("the layout of {} for {what} was not measured", dtype.name());
    Issue::new("kv_dtype", IssueKind::NotMeasured, message)
}

/// Layouts that the formula accepts and the model's own code does not, and models that the release has no code for.
fn note_layout(model: &ModelConfig, query: &CellQuery, issues: &mut Vec<Issue>) {
    if let Some(first) = comes_with(model, query.version) {
        let (own, first) = (query.version.text(), first.text());
        let message = ["SGLang ", &own, " does not know ", &model.architecture, ", which came with ", &first].concat();
        issues.push(Issue::new("version", IssueKind::Conflict, message));
    }
    if query.dp > 1 && !query.tp.is_multiple_of(query.dp) {
        let message = format!("tp {} cannot be split into {} attention groups", query.tp, query.dp);
        issues.push(Issue::new("dp", IssueKind::Conflict, message));
    }
    if query.pp > model.layers.len() as u64 / model.block.max(1) {
        issues.push(Issue::new("pp", IssueKind::OutOfRange, "more pipeline ranks than layers"));
    }
    let heads = match model.attention {
        Attention::Heads(heads)
        | Attention::Sliding { full: heads, .. }
        | Attention::Linear { full: Softmax::Heads(heads), .. } => heads,
        Attention::Latent(_) | Attention::Sparse { .. } | Attention::Linear { .. } => return,
    };
    let tp = query.attention_tp();
    if !heads.query_heads.is_multiple_of(tp) {
        let message =
            format!("{} query heads cannot be split over {tp} GPUs: the model will not load", heads.query_heads);
        issues.push(Issue::new("tp", IssueKind::Conflict, message));
    } else if heads.kv_heads >= tp && !heads.kv_heads.is_multiple_of(tp) {
        let message = format!("{} KV heads cannot be split over {tp} GPUs: the model will not load", heads.kv_heads);
        issues.push(Issue::new("tp", IssueKind::Conflict, message));
    }
}

#[cfg(test)]
mod tests;

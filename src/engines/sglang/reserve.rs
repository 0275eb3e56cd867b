//! What activations, graphs and workspaces really need outside weights and KV cache, part by part.
//!
//! SGLang's own reserve is a heuristic ([`super::auto_fraction`]); this is what 57 starts of 0.5.15 on one H200 used
//! (2026-11, tp 1, FlashAttention 3 or Triton). Where nothing of the kind was measured, [`Need::measured`] is false and
//! the heuristic stays the safe value.

mod graphs;

use super::Version;
use super::cell::CellQuery;
use super::requests::{Requests, table_bytes};
use crate::catalog::attention::{Attention, Layer, Softmax};
use crate::catalog::config::ModelConfig;
use crate::units::Tokens;
use graphs::Graphs;

/// MiB of one byte.
const MIB: f64 = 1_048_576.0;

/// How a number came about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Provenance {
    /// From SGLang's own arithmetic, to the byte.
    Exact,
    /// Looked up in a table.
    Table,
    /// Estimated; the half-width is in the unit of the value.
    Estimated(f64),
    /// Nothing of the kind was measured.
    NotMeasured,
}

/// When a part is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// From start on.
    Kept,
    /// For a moment while graphs are captured.
    Capture,
    /// Under requests.
    Load,
}

/// One part of the need.
#[derive(Debug, Clone, PartialEq)]
pub struct NeedTerm {
    /// What it is for.
    pub label: String,
    /// MiB on each GPU.
    pub mib: f64,
    /// When.
    pub when: When,
    /// How it is known.
    pub provenance: Provenance,
}

/// The need of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// The parts.
    pub terms: Vec<NeedTerm>,
    /// MiB at the lowest point of the start: what decides whether it comes up.
    pub start_mib: f64,
    /// MiB that are in use after the start.
    pub kept_mib: f64,
    /// MiB under ordinary requests.
    pub load_mib: f64,
    /// Servers of this kind were measured.
    pub measured: bool,
}

impl Need {
    /// What must stay free for both: start and ordinary load.
    pub fn mib(&self) -> f64 {
        self.start_mib.max(self.load_mib)
    }
}

/// What decides the need besides the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeedQuery {
    /// Layout and KV type.
    pub cell: CellQuery,
    /// Tokens of the pool.
    pub tokens: Tokens,
    /// Tokens of the window pool of a sliding-window hybrid.
    pub sliding_tokens: Tokens,
    /// Tokens per page.
    pub page: u64,
    /// Context length.
    pub context: u64,
    /// The table of requests.
    pub requests: Requests,
    /// Speculative decoding is on, with a draft model or without.
    pub speculative: bool,
    /// Tokens of a prefill chunk; −1 is off.
    pub chunk: i64,
    /// The largest decode graph; 0 without graphs.
    pub max_bs: u64,
    /// Prefill graphs are captured.
    pub prefill_graphs: bool,
    /// A card of the generation that was measured.
    pub hopper: bool,
}

/// The parts of the need and their sums.
pub fn need(model: &ModelConfig, query: &NeedQuery) -> Need {
    let mut terms = vec![
        NeedTerm {
            label: "table of request tokens (req_to_token)".to_owned(),
            mib: table_bytes(query.requests.rows, query.context) as f64 / MIB,
            when: When::Kept,
            provenance: Provenance::Exact,
        },
        NeedTerm {
            label: "allocator rounding of the pools and their index arrays".to_owned(),
            mib: rounding_mib(model, query),
            when: When::Kept,
            provenance: Provenance::Estimated(30.0),
        },
        NeedTerm {
            label: "attention backend, cuBLAS and warm-up".to_owned(),
            mib: backend_mib(&model.attention),
            when: When::Kept,
            provenance: Provenance::Estimated(50.0),
        },
    ];
    let graphs = Graphs::of(model, query);
    terms.extend(graphs.terms());
    if let Some(term) = draft_pool(model, query) {
        terms.push(term);
    }
    let sum = |when: When| terms.iter().filter(|term| term.when == when).map(|term| term.mib).sum::<f64>();
    let kept = sum(When::Kept);
    let start = kept - graphs.kept_mib() + graphs.lowest_mib();
    let load = kept + sum(When::Load);
    let measured = measured(model, query);
    Need { terms, start_mib: start, kept_mib: kept, load_mib: load, measured }
}

/// One GPU, one generation, no speculation, no pictures: the servers that were measured.
fn measured(model: &ModelConfig, query: &NeedQuery) -> bool {
    let known = matches!(
        model.attention,
        Attention::Heads(_) | Attention::Latent(_) | Attention::Sliding { .. } | Attention::Linear { .. }
    );
    let alone = query.cell.tp == 1 && query.cell.pp == 1 && !query.speculative;
    let release = query.cell.version.rules();
    let near = release >= Version::new(0, 5, 14) && release <= Version::new(0, 5, 17);
    known && alone && near && query.hopper && model.vision.is_none() && model.shape.is_some()
}

/// Large tensors come in steps of 2 MiB, one tensor for keys and one for values of each layer.
fn rounding_mib(model: &ModelConfig, query: &NeedQuery) -> f64 {
    const INDEX_ARRAYS: f64 = 22.0;
    let tp = query.cell.attention_tp();
    let mut tensors: Vec<(u64, u64, Tokens)> = Vec::new();
    let count = |kept: fn(Layer) -> bool| model.layers.iter().filter(|layer| kept(**layer)).count() as u64;
    let mut add = |layers: u64, row: u64, tokens: Tokens| tensors.push((layers, row, tokens));
    match model.attention {
        Attention::Heads(heads) | Attention::Linear { full: Softmax::Heads(heads), .. } => {
            let kept = (heads.kv_heads / tp).max(1);
            add(count(Layer::grows), kept * heads.key_dim * 2, query.tokens);
            add(count(Layer::grows), kept * heads.value_dim * 2, query.tokens);
        }
        Attention::Latent(latent)
        | Attention::Sparse { latent, .. }
        | Attention::Linear { full: Softmax::Latent(latent), .. } => {
            add(count(Layer::grows), (latent.rank + latent.rope) * 2, query.tokens);
        }
        Attention::Sliding { full, sliding, .. } => {
            add(2 * count(|layer| layer == Layer::Full), (full.kv_heads / tp).max(1) * full.key_dim * 2, query.tokens);
            let row = (sliding.kv_heads / tp).max(1) * sliding.key_dim * 2;
            add(2 * count(|layer| layer == Layer::Sliding), row, query.sliding_tokens);
        }
    }
    let pages = i64::try_from(query.page.max(1)).unwrap_or(i64::MAX);
    let waste = |(layers, row, tokens): &(u64, u64, Tokens)| {
        let rows = u64::try_from(tokens.0.saturating_add(pages)).unwrap_or_default();
        let bytes = rows.saturating_mul(*row);
        *layers as f64 * (bytes.next_multiple_of(2 << 20) - bytes) as f64 / MIB
    };
    INDEX_ARRAYS + tensors.iter().map(waste).sum::<f64>()
}

/// MiB between the end of the pools and the first capture, as measured: 98 to 142 (Llama, Qwen3), 254 (DeepSeek-V2-Lite),
/// 202 (gpt-oss-20b), 470 (Qwen3-Next).
fn backend_mib(attention: &Attention) -> f64 {
    match attention {
        Attention::Heads(_) => 140.0,
        Attention::Latent(_) => 260.0,
        Attention::Sliding { .. } => 202.0,
        Attention::Sparse { .. } | Attention::Linear { .. } => 470.0,
    }
}

/// Up to 0.5.13 the draft model has a pool of the target's token count, outside the budget.
fn draft_pool(model: &ModelConfig, query: &NeedQuery) -> Option<NeedTerm> {
    let drafts = query.cell.draft_layers;
    if drafts == 0 || query.cell.version.rules() >= Version::new(0, 5, 14) {
        return None;
    }
    let alone = CellQuery { draft_layers: 0, pp: 1, ..query.cell };
    let bytes = super::cell::cell(model, &alone).bytes?.get();
    let growing = model.layers.iter().filter(|layer| layer.grows()).count().max(1);
    let layer = bytes / growing as f64;
    let label = ["pool of ", &drafts.to_string(), " draft layers, outside the budget"].concat();
    let mib = layer * drafts as f64 * query.tokens.0.max(0) as f64 / MIB;
    Some(NeedTerm { label, mib, when: When::Kept, provenance: Provenance::Estimated(0.0) })
}

/// MiB that one request with input logprobs takes for each token of its prompt: two rows of 32-bit logits. One such
/// request of 8,000 tokens took 7,954 MiB and ended a server that ordinary load had not.
pub fn logprob_mib_per_token(vocabulary: u64) -> f64 {
    2.0 * 4.0 * vocabulary as f64 / MIB
}

#[cfg(test)]
mod tests;

//! CUDA graphs and activations: fitted to the measured servers, with the spread that the fit leaves.
//!
//! Prefill graphs are captured first. While they are, memory dips; a part of it is kept. Per token of the chunk the dip
//! of the dense models is 0.96 × layers × hidden + 11 × intermediate bytes (Llama-3.1-8B and Qwen3-32B, three chunk
//! sizes) and the kept part 0.54 × layers × hidden + 5.6 × intermediate, both on top of about 320 MiB.

use super::{NeedQuery, NeedTerm, Provenance, When};
use crate::catalog::attention::Attention;
use crate::catalog::config::ModelConfig;

/// MiB of the parts.
pub(super) struct Graphs {
    prefill_kept: f64,
    prefill_low: f64,
    decode: f64,
    decode_low: f64,
    load: f64,
    spread: f64,
}

const BASE: f64 = 320.0;
const MIB: f64 = 1_048_576.0;

impl Graphs {
    pub(super) fn of(model: &ModelConfig, query: &NeedQuery) -> Self {
        let tokens = if query.chunk > 0 { query.chunk as f64 } else { 16384.0 };
        let rates = Rates::of(model, query.cell.tp);
        let (prefill_kept, prefill_low) = if query.prefill_graphs {
            (BASE + rates.kept * tokens / MIB, BASE + rates.low * tokens / MIB)
        } else {
            (0.0, 0.0)
        };
        let requests = query.max_bs as f64;
        let (per_request, decode_low) = match model.attention {
            Attention::Latent(_) | Attention::Sparse { .. } => (5.0, 300.0),
            Attention::Linear { .. } => (2.8, 0.0),
            Attention::Sliding { .. } => (1.95, 0.0),
            Attention::Heads(_) => (1.4, 0.0),
        };
        let decode = if query.max_bs > 0 { 60.0 + per_request * requests } else { 0.0 };
        // Prefill runs inside the captured pool; without it a chunk needs memory of its own.
        let load = if query.prefill_graphs { 110.0 + 0.0065 * tokens } else { 0.155 * tokens + 60.0 };
        Self { prefill_kept, prefill_low, decode, decode_low, load, spread: rates.spread }
    }

    /// What is kept after the start.
    pub(super) fn kept_mib(&self) -> f64 {
        self.prefill_kept + self.decode
    }

    /// The lowest point of the two captures.
    pub(super) fn lowest_mib(&self) -> f64 {
        self.prefill_low.max(self.prefill_kept + self.decode + if self.decode > 0.0 { self.decode_low } else { 0.0 })
    }

    pub(super) fn terms(&self) -> Vec<NeedTerm> {
        let term = |label: &str, mib: f64, when, spread| NeedTerm {
            label: label.to_owned(),
            mib,
            when,
            provenance: Provenance::Estimated(spread),
        };
        let dip = self.lowest_mib() - self.kept_mib();
        let all = [
            term("prefill graphs", self.prefill_kept, When::Kept, self.prefill_kept * self.spread),
            term("decode graphs", self.decode, When::Kept, self.decode * 0.2),
            term("low point while graphs are captured", dip, When::Capture, self.prefill_low * self.spread),
            term("ordinary requests", self.load, When::Load, self.load * 0.2),
        ];
        all.into_iter().filter(|term| term.mib > 0.0).collect()
    }
}

/// Bytes per token of the chunk.
struct Rates {
    kept: f64,
    low: f64,
    spread: f64,
}

impl Rates {
    fn of(model: &ModelConfig, tp: u64) -> Self {
        let Some(shape) = model.shape else { return Self { kept: 150e3, low: 280e3, spread: 1.0 } };
        let stack = model.layers.len() as f64 * shape.hidden as f64;
        let experts = shape.experts;
        let width = if experts.layers > 0 {
            experts.per_token * experts.intermediate + experts.shared
        } else {
            shape.intermediate
        };
        // The feed-forward part is divided over the GPUs; that was not measured.
        let width = width as f64 / tp.max(1) as f64;
        match model.attention {
            // One hybrid was measured: Qwen3-Next cut to 12 layers, 4.3 times and 2.0 times what the fit gives.
            Attention::Linear { .. } => {
                Self { kept: 86.0 * shape.hidden as f64, low: 209.0 * shape.hidden as f64, spread: 0.5 }
            }
            // Experts gather and scatter: half as much again (gpt-oss-20b).
            _ if experts.layers > 0 => {
                Self { kept: 0.54 * stack + 9.6 * width, low: 0.96 * stack + 16.5 * width, spread: 0.3 }
            }
            _ => Self { kept: 0.54 * stack + 5.6 * width, low: 0.96 * stack + 11.0 * width, spread: 0.1 },
        }
    }
}

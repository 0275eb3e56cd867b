//! Text Generation Inference: a fraction of the physical total that is kept back, after the largest prefill has run.
//!
//! Read at 3.3.7 (`launcher/src/main.rs`, `server/text_generation_server/models/flash_causal_lm.py`, `globals.py`).

use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::release::Release;
use super::shape::Attention;
use crate::issue::IssueKind;

/// The share of the fraction that the Python server uses, unless `TGI_WIGGLE_ROOM` says otherwise.
pub const WIGGLE_ROOM: f64 = 0.9;

/// TGI in the shared vocabulary.
pub const FACTS: EngineFacts = EngineFacts {
    name: "tgi",
    title: "Text Generation Inference",
    checked: "3.3.7",
    trust: Trust::Read,
    sources: "launcher/src/main.rs, server/text_generation_server/models/flash_causal_lm.py, models/globals.py",
    knobs: &[Knob {
        name: "cuda_memory_fraction",
        flag: "--cuda-memory-fraction ",
        base: Base::PhysicalTotal,
        less: &[Charge::Weights, Charge::NonTorch, Charge::ActivationPeak, Charge::OtherProcesses],
        rounding: Rounding::BlocksDown(1),
        defaults: &[KnobDefault { since: "", value: Some(1.0) }],
        accepts: Accepts::AboveZeroToOne,
    }],
    refusals: &[Refusal {
        text: "Not enough memory to handle {} prefill tokens. You need to decrease `--max-batch-prefill-tokens`",
        remedy: Remedy::Other,
        when: "The largest prefill batch itself does not fit.",
    }],
    too_low: Edge::Collapses,
    too_high: Edge::OutOfMemory,
};

/// Sizes TGI's pool.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    if Release::parse(&inputs.version) != Some(Release(3, 3, 7)) {
        out.note("version", IssueKind::UnknownValue, "Not read; the rule of 3.3.7 is used.");
    }
    let shape = inputs.shape(out)?;
    if shape.attention != Attention::Full {
        out.note("attn", IssueKind::NotMeasured, "TGI's cache classes for this kind of attention were not read.");
        return None;
    }
    let block_size = out.need(inputs.block_size, "block_size")?;
    let per_token = shape.bytes_of_layers(shape.layers_of_stage(), shape.heads_floor());
    let per_block = out.count(per_token.and_then(|bytes| bytes.checked_mul(block_size)), "kv_bytes_per_elem")?;
    out.bytes_per_block = Some(per_block);
    let value = inputs.accepted_value(Some(1.0), out)?;
    let wiggle = inputs.extra.number(Key::WiggleRoom).unwrap_or(WIGGLE_ROOM);
    let total = out.need(inputs.total.min(), "total_bytes")?;
    let free = out.need(inputs.free_after_load.min(), "free_after_load_bytes")?;
    // A deficit is hidden: the server starts with the blocks of the warm-up batch alone.
    let budget = (free as f64 - (1.0 - value * wiggle) * total as f64).max(0.0) as i64;
    out.avail_bytes = Some(budget);
    let warmup = out.need(inputs.extra.whole(Key::WarmupBlocks), "extra.batch_blocks")?;
    let blocks = out.count((budget / per_block).checked_add(warmup), "extra.batch_blocks")?;
    out.pool(blocks, per_block, block_size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_attention_is_refused_by_name() {
        let query = "engine=tgi&version=3.3.7&attn=mla&layers=61&head_dim=576&kv_bytes_per_elem=2&block_size=1&value=1";
        let out = size(&Inputs::read(query).0.unwrap());
        assert_eq!(out.blocks, None);
        assert_eq!(out.issues.iter().map(|issue| issue.kind).collect::<Vec<_>>(), [IssueKind::NotMeasured]);
    }
}

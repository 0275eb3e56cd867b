//! Text Generation Inference: a fraction of the physical total that is kept back, after the largest prefill has run.
//!
//! Read from 3.0.0 to 3.3.7 (`launcher/src/main.rs`, `server/text_generation_server/models/flash_causal_lm.py`,
//! `globals.py`, `utils/import_utils.py`); only the default of `TGI_WIGGLE_ROOM` changed between them.

use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::release::Release;
use super::shape::{Attention, Shape};
use crate::issue::IssueKind;

/// The share of the fraction that the Python server uses since 3.3.0, unless `TGI_WIGGLE_ROOM` says otherwise.
pub const WIGGLE_ROOM: f64 = 0.9;

const OLDEST: Release = Release(3, 0, 0);
const NEWEST: Release = Release(3, 3, 7);

/// `TGI_WIGGLE_ROOM` where the environment does not set it (`models/globals.py`).
fn wiggle_room(release: Release) -> f64 {
    match release {
        Release(3, 0, _) => 0.95,
        Release(3, 1 | 2, _) => 0.93,
        _ => WIGGLE_ROOM,
    }
}

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

/// Bytes of one token: K and V of one head size, heads of the rank rounded down (`FlashCausalLM.warmup`).
pub(super) fn bytes_per_token(shape: &Shape) -> Option<i64> {
    let shape = Shape { head_dim_v: shape.head_dim, ..*shape };
    shape.bytes_of_layers(shape.layers_of_stage(), shape.heads_floor())
}

/// Sizes TGI's pool.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    let release = Release::parse(&inputs.version);
    let known = release.map_or(NEWEST, |release| release.clamp(OLDEST, NEWEST));
    if release != Some(known) {
        out.note("version", IssueKind::UnknownValue, ["Not read; the rule of ", &known.text(), " is used."].concat());
    }
    let shape = inputs.shape(out)?;
    if shape.attention != Attention::Full {
        out.note("attn", IssueKind::NotMeasured, "TGI's cache classes for this kind of attention were not read.");
        return None;
    }
    if shape.pp > 1 {
        out.note("pp", IssueKind::Conflict, "TGI has no pipeline parallelism.");
        return None;
    }
    if shape.kv_heads > 1 && shape.kv_heads < shape.tp {
        out.note("tp", IssueKind::Conflict, "More GPUs than KV heads; the engine refuses this.");
        return None;
    }
    let block_size = out.need(inputs.block_size, "block_size")?;
    let per_token = bytes_per_token(&shape);
    let per_block = out.count(per_token.and_then(|bytes| bytes.checked_mul(block_size)), "kv_bytes_per_elem")?;
    out.bytes_per_block = Some(per_block);
    let value = inputs.accepted_value(Some(1.0), out)?;
    let wiggle = inputs.extra.number(Key::WiggleRoom).unwrap_or_else(|| wiggle_room(known));
    if !Accepts::BetweenZeroAndOne.admits(wiggle) {
        out.note("extra.TGI_WIGGLE_ROOM", IssueKind::OutOfRange, Accepts::BetweenZeroAndOne.text());
        return None;
    }
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

    #[test]
    fn the_wiggle_room_followed_the_release() {
        let query = "engine=tgi&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=2&block_size=1&value=1\
            &total_bytes=100000000000&free_after_load_bytes=80000000000&extra=batch_blocks=0&version=";
        let budget = |version: &str| {
            let out = size(&Inputs::read(&[query, version].concat()).0.unwrap());
            (out.avail_bytes, out.issues.len())
        };
        assert_eq!(budget("3.0.2"), (Some(75_000_000_000), 0));
        assert_eq!(budget("3.2.3"), (Some(73_000_000_000), 0));
        assert_eq!(budget("3.3.0"), (Some(70_000_000_000), 0));
        assert_eq!(budget("2.4.1"), (Some(75_000_000_000), 1));
    }

    #[test]
    fn what_the_server_asserts_is_named() {
        let query = "engine=tgi&version=3.3.7&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=2&block_size=1\
            &value=1&total_bytes=100000000000&free_after_load_bytes=80000000000&extra=batch_blocks=0";
        for (rest, field) in [(";TGI_WIGGLE_ROOM=1", "extra.TGI_WIGGLE_ROOM"), ("&tp=16", "tp"), ("&pp=2", "pp")] {
            let out = size(&Inputs::read(&[query, rest].concat()).0.unwrap());
            assert_eq!(out.blocks, None);
            assert_eq!(out.issues.iter().map(|issue| issue.field.as_str()).collect::<Vec<_>>(), [field]);
        }
    }
}

//! LMDeploy's TurboMind: `cache_max_entry_count`, with meanings that changed.
//!
//! `BlockManager.cc`, `SequenceManager.cc` and the object cache, read from 0.2.0 to 0.16.0.

use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::lmdeploy::{INVALID_RATIO, heads, one_stage};
use super::outcome::Outcome;
use super::release::Release;
use super::shape::Attention;
use crate::issue::IssueKind;

const NO_BLOCK_COUNT: &str = "Check failed: object-cache path no longer accepts cache_max_block_count as a block count";

/// TurboMind in the shared vocabulary.
pub const FACTS: EngineFacts = EngineFacts {
    name: "lmdeploy-turbomind",
    title: "LMDeploy, TurboMind",
    checked: "0.16.0",
    trust: Trust::Read,
    sources: "src/turbomind/models/llama/BlockManager.cc, object cache (PR #4717), switch of meaning in PR #973",
    knobs: &[Knob {
        name: "cache_max_entry_count",
        flag: "--cache-max-entry-count ",
        base: Base::FreeAfterWeights,
        less: &[Charge::Weights, Charge::NonTorch, Charge::OtherProcesses],
        rounding: Rounding::BlocksDown(64),
        defaults: &[KnobDefault { since: "0.2.0", value: Some(0.5) }, KnobDefault { since: "0.2.2", value: Some(0.8) }],
        accepts: Accepts::AboveZeroToOne,
    }],
    refusals: &[
        Refusal {
            text: NO_BLOCK_COUNT,
            remedy: Remedy::Lower,
            when: "1 or more was a block count through 0.4.0 and from 0.10.0 to 0.14.0; it is refused since 0.15.0.",
        },
        Refusal {
            text: INVALID_RATIO,
            remedy: Remedy::Lower,
            when: "From 0.4.1 to 0.9.2 the Python side refuses 1 and more.",
        },
    ],
    too_low: Edge::ShortensContext,
    too_high: Edge::OutOfMemory,
};

/// Values of the one head size whose K and V TurboMind keeps as one row (`SequenceManager.cc`, `head_dim == 576`).
const SHARED_KV: i64 = 576;

/// Sizes TurboMind's pool.
///
/// The engine keeps the ratio as a 32-bit float, which can move the budget by up to 6e-8 of the memory; that is left out.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    let shape = inputs.shape(out)?;
    one_stage(&shape, out)?;
    if shape.attention == Attention::Mla && shape.head_dim != SHARED_KV {
        out.note(
            "head_dim",
            IssueKind::NotMeasured,
            "TurboMind keeps one row for K and V only where it has 576 values.",
        );
        return None;
    }
    let block_size = inputs.block_size.unwrap_or(64);
    let heads = heads(&shape, out)?;
    let per_token = shape.bytes_of_layers(shape.layers_of_stage(), heads);
    let per_block = out.count(per_token.and_then(|bytes| bytes.checked_mul(block_size)), "kv_bytes_per_elem")?;
    out.bytes_per_block = Some(per_block);
    let release = rule_of(&inputs.version, out);
    let of_total = of_total(inputs, release, out);
    let value = out.need(inputs.value.or(Some(if of_total { 0.5 } else { 0.8 })), "value")?;
    if value <= 0.0 {
        out.note("value", IssueKind::OutOfRange, "It must be above 0; the engine refuses this.");
        return None;
    }
    if value >= 1.0 && release >= Release(0, 4, 1) && release < Release(0, 10, 0) {
        out.refuse(INVALID_RATIO);
        return None;
    }
    let object_cache = release >= Release(0, 15, 0);
    if value >= 1.0 {
        if object_cache {
            out.refuse(NO_BLOCK_COUNT);
            return None;
        }
        if value.fract() != 0.0 {
            out.note("value", IssueKind::OutOfRange, "From 1 on it is a block count and must be whole.");
            return None;
        }
        return out.pool(value as i64, per_block, block_size);
    }
    let memory = if of_total {
        out.need(inputs.total.min(), "total_bytes")?
    } else {
        out.need(inputs.free_after_load.min(), "free_after_load_bytes")?
    };
    let budget = (memory as f64 * value) as i64;
    out.avail_bytes = Some(budget);
    if object_cache {
        let message = "The block rule of 0.14.0: what the slab allocator of 0.15.0 and later wastes was not computed.";
        out.note("version", IssueKind::NotMeasured, message);
    }
    out.pool(budget / per_block, per_block, block_size)
}

fn rule_of(version: &str, out: &mut Outcome) -> Release {
    let newest = Release(0, 16, 0);
    match Release::parse(version) {
        Some(release) if release >= Release(0, 2, 0) && release <= newest => release,
        Some(release) if release < Release(0, 2, 0) => {
            out.note("version", IssueKind::UnknownValue, "Not read; the rule of 0.2.0 is used.");
            Release(0, 2, 0)
        }
        _ => {
            out.note("version", IssueKind::UnknownValue, "Not read; the rule of 0.16.0 is used.");
            newest
        }
    }
}

/// Whether the fraction is of the total: in 0.2.0 and 0.2.1.
fn of_total(inputs: &Inputs, release: Release, out: &mut Outcome) -> bool {
    let total = release < Release(0, 2, 2);
    let said = inputs.extra.word(Key::Of);
    if said.is_some_and(|word| (word == "total") != total) {
        out.note("extra.of", IssueKind::Conflict, "Not what the fraction means in this version; the version counts.");
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turbomind_values_from_one_on() {
        let query = "engine=lmdeploy-turbomind&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=2\
            &free_after_load_bytes=67108864000&value=";
        let answer = |rest: &str| size(&Inputs::read(&[query, rest].concat()).0.unwrap());
        assert_eq!(answer("1000&version=0.14.0").blocks, Some(1000));
        assert_eq!(answer("1000&version=0.7.0").error.as_deref(), Some(INVALID_RATIO));
        assert_eq!(answer("1000&version=0.4.0").blocks, Some(1000));
        assert_eq!(answer("1000&version=0.18.0").error.as_deref(), Some(NO_BLOCK_COUNT));
        assert_eq!(answer("1.5&version=0.14.0").blocks, None);
        assert_eq!(answer("0&version=0.14.0").blocks, None);
    }
}

//! LMDeploy's PyTorch engine: `cache_max_entry_count`, a share of what the weights and a computed reserve leave.
//!
//! `lmdeploy/pytorch/engine/executor/base.py` and `cache_engine` (`model_agent.py` before 0.7.2), executed from 0.2.4 to
//! 0.18.0; its ages are in `lmdeploy::ages`.

pub(super) mod ages;

use self::ages::{Age, Reserve};
use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::shape::{Attention, Shape, Stored, Terms, ceil_div};
use crate::issue::IssueKind;

const NO_KV_MEMORY: &str = "RuntimeError: No enough gpu memory for kv cache.";
const NO_RUNTIME_MEMORY: &str = "RuntimeError: No enough gpu memory for runtime.";
const NO_STATE_MEMORY: &str = "AssertionError: No enough gpu memory for state cache. Please reduce max_batch_size.";
pub(super) const INVALID_RATIO: &str = "AssertionError: invalid cache_max_entry_count";

/// The PyTorch engine in the shared vocabulary.
pub const PYTORCH: EngineFacts = EngineFacts {
    name: "lmdeploy-pytorch",
    title: "LMDeploy, PyTorch engine",
    checked: "0.18.0",
    trust: Trust::Executed,
    sources: "lmdeploy/pytorch/engine/executor/base.py, lmdeploy/pytorch/engine/cache_engine/schema.py",
    knobs: &[
        Knob {
            name: "cache_max_entry_count",
            flag: "--cache-max-entry-count ",
            base: Base::FreeAfterWeightsLessRuntime,
            less: &[
                Charge::Weights,
                Charge::NonTorch,
                Charge::OtherProcesses,
                Charge::StateCaches,
                Charge::RuntimeReserve,
            ],
            rounding: Rounding::BlocksDown(64),
            defaults: &[KnobDefault { since: "0.2.4", value: Some(0.8) }],
            accepts: Accepts::BetweenZeroAndOne,
        },
        Knob {
            name: "num_gpu_blocks",
            flag: "--num-gpu-blocks ",
            base: Base::Blocks,
            less: &[],
            rounding: Rounding::BlocksDown(64),
            defaults: &[KnobDefault { since: "", value: None }],
            accepts: Accepts::Whole,
        },
    ],
    refusals: &[
        Refusal {
            text: NO_KV_MEMORY,
            remedy: Remedy::Raise,
            when: "Two blocks or fewer are left after the runtime reserve.",
        },
        Refusal { text: NO_RUNTIME_MEMORY, remedy: Remedy::Other, when: "No prefill budget leaves room for blocks." },
        Refusal { text: INVALID_RATIO, remedy: Remedy::Other, when: "The ratio is not above 0 and below 1." },
        Refusal { text: NO_STATE_MEMORY, remedy: Remedy::Other, when: "State caches take all free memory." },
    ],
    too_low: Edge::Refuses,
    too_high: Edge::OutOfMemory,
};

/// Every cache row of a block starts at a multiple of this many bytes (PyTorch engine).
const ALIGNMENT: i64 = 256;

/// Workspace of the sparse-MLA indexer, bytes.
const DSA_WORKSPACE: i64 = 512 << 20;

/// Bytes that the PyTorch engine reserves for logits and prefill buffers.
///
/// Since 0.9.2 `(prefill + 2 × batch) × vocabulary × 2`; from 0.2.6 `prefill × vocabulary × 7`; before, nothing.
pub(super) fn runtime_reserve(prefill: i64, batch: i64, vocab: i64, reserve: Reserve) -> Option<i64> {
    match reserve {
        Reserve::None => Some(0),
        Reserve::Sevenfold => prefill.checked_mul(vocab)?.checked_mul(7),
        Reserve::Twofold => prefill.checked_add(batch.checked_mul(2)?)?.checked_mul(vocab)?.checked_mul(2),
    }
}

/// What the newest PyTorch engine reserves.
pub fn newest_reserve(prefill: i64, batch: i64, vocab: i64) -> Option<i64> {
    runtime_reserve(prefill, batch, vocab, Reserve::Twofold)
}

/// Sizes the PyTorch engine's pool.
pub fn size_pytorch(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill_pytorch(inputs, &mut out);
    out
}

fn fill_pytorch(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    let age = Age::of_version(&inputs.version, out);
    let shape = inputs.shape(out)?;
    one_stage(&shape, out)?;
    let block_size = block_size(inputs, &shape, age, out);
    let per_block = pytorch_block(inputs.extra.word(Key::QuantPolicy), &shape, block_size, age, out)?;
    out.bytes_per_block = Some(per_block);
    let value = inputs.accepted_value(Some(0.8), out);
    if value.is_none() && inputs.value.is_some() && inputs.knob.base != Base::Blocks && age.asserted {
        out.refuse(INVALID_RATIO);
    }
    let value = value?;
    let state = inputs.extra.whole(Key::StateCache).unwrap_or(0);
    let free = out.need(inputs.free_after_load.min(), "free_after_load_bytes")? - state;
    if free <= 0 && state > 0 {
        out.refuse(NO_STATE_MEMORY);
        return None;
    }
    let ratio = if inputs.knob.base == Base::Blocks { 0.8 } else { value };
    let budget = after_runtime(inputs, free, ratio, per_block, age, out)?;
    let blocks = if inputs.knob.base == Base::Blocks {
        value as i64
    } else {
        // The older division is one of floats.
        let blocks =
            if age.stops_early { (budget as i64).div_euclid(per_block) } else { (budget / per_block as f64) as i64 };
        if blocks <= age.too_few() {
            if age.halves {
                out.refuse(NO_KV_MEMORY);
            } else {
                out.note("value", IssueKind::OutOfRange, "No block fits; this version does not check that itself.");
            }
            return None;
        }
        out.avail_bytes = Some(budget as i64);
        blocks
    };
    out.pool(blocks, per_block, block_size)
}

/// `(free - runtime) × ratio` with the prefill budget halved until 16 blocks fit; refuses as the engine does.
fn after_runtime(inputs: &Inputs, free: i64, ratio: f64, per_block: i64, age: Age, out: &mut Outcome) -> Option<f64> {
    if age.reserve == Reserve::None {
        return Some(free as f64 * ratio);
    }
    let vocab = out.need(inputs.extra.whole(Key::Vocab), "extra.vocab")?;
    let batch = inputs.extra.whole(Key::MaxBatch).unwrap_or(128);
    let asked = inputs.extra.whole(Key::MaxPrefill).unwrap_or(8192);
    let sparse = age.sparse_workspace && inputs.extra.flag(Key::Dsa).unwrap_or(false);
    let workspace = if sparse { DSA_WORKSPACE } else { 0 };
    let mut prefill = asked;
    while prefill > 0 {
        let reserve =
            runtime_reserve(prefill, batch, vocab, age.reserve).and_then(|bytes| bytes.checked_add(workspace));
        let reserve = out.count(reserve, "extra.vocab")?;
        let budget = free.saturating_sub(reserve) as f64 * ratio;
        let blocks = (budget as i64).div_euclid(per_block);
        if !age.halves {
            return Some(budget);
        }
        // Since 0.13.0 two blocks or fewer stop at once, so a reserve above all free memory is never rescued.
        if age.stops_early && blocks <= age.too_few() {
            out.refuse(NO_KV_MEMORY);
            return None;
        }
        if blocks >= 16 {
            if prefill != asked {
                let figure = crate::decimal::digits(u128::from(prefill.unsigned_abs()));
                let message = ["No enough memory. Update max_prefill_token_num=", &figure].concat();
                out.note("extra.max_prefill_token_num", IssueKind::Conflict, message);
            }
            return Some(budget);
        }
        prefill /= 2;
    }
    out.refuse(NO_RUNTIME_MEMORY);
    None
}

/// Neither engine has pipeline stages.
pub(super) fn one_stage(shape: &Shape, out: &mut Outcome) -> Option<()> {
    if shape.pp > 1 {
        out.note("pp", IssueKind::Conflict, "LMDeploy has no pipeline parallelism.");
        return None;
    }
    Some(())
}

/// Tokens of a block; the PyTorch engine makes large heads smaller blocks (`_adjust_block_size`).
fn block_size(inputs: &Inputs, shape: &Shape, age: Age, out: &mut Outcome) -> i64 {
    let asked = inputs.block_size.unwrap_or(64);
    // FlashMLA, which is tried since 0.7.2, takes blocks of 64 whatever the row.
    let large = shape.head_dim >= 512 && (shape.attention != Attention::Mla || !age.flash_mla);
    if age.large_heads && large && asked > LARGE_HEAD_BLOCK {
        out.note("block_size", IssueKind::Conflict, "Update `block_size=32` for large `head_dim`.");
        return LARGE_HEAD_BLOCK;
    }
    asked
}

/// Tokens of a block where a head has 512 values or more.
const LARGE_HEAD_BLOCK: i64 = 32;

/// Bytes of one block of the PyTorch engine: data and scales of K and V are rows of their own, aligned since 0.11.1.
pub(super) fn pytorch_block(
    policy: Option<&str>,
    shape: &Shape,
    block_size: i64,
    age: Age,
    out: &mut Outcome,
) -> Option<i64> {
    let heads = heads(shape, out)?;
    if policy.is_some_and(|policy| !age.stores(policy)) {
        let message = "This version has no cache of this quantization policy.";
        out.note("extra.quant_policy", IssueKind::UnknownValue, message);
        return None;
    }
    let alignment = if age.aligned { ALIGNMENT } else { 1 };
    let Some(rows) = pytorch_rows(policy, shape, out) else {
        out.note("kv_bytes_per_elem", IssueKind::UnknownValue, "Not a format of this engine.");
        return None;
    };
    let mut layer = 0_i64;
    for bytes in rows {
        let row = bytes.bytes(block_size.checked_mul(heads)?)?;
        layer = layer.checked_add(ceil_div(row, alignment).checked_mul(alignment)?)?;
    }
    out.count(layer.checked_mul(shape.layers_of_stage()), "layers")
}

/// Bytes per head and token of each row.
fn pytorch_rows(policy: Option<&str>, shape: &Shape, out: &mut Outcome) -> Option<Vec<Terms>> {
    let (k, v) = (shape.head_dim, shape.head_dim_v);
    let whole = |bytes: Option<i64>| bytes.map(Terms::whole);
    if shape.attention == Attention::Mla {
        // One latent and no V.
        return match shape.stored {
            Stored::PerToken(bytes) => Some(vec![Terms::whole(bytes)]),
            Stored::PerValue(terms) => whole(terms.bytes(k)).map(|row| vec![row]),
            _ => None,
        };
    }
    let scales = Terms::whole(4);
    match (policy, shape.stored) {
        (Some("42"), _) => {
            // 4-bit K with two 16-bit norms, 2-bit V with one.
            Some(vec![Terms([(k, 2), (0, 1)]), Terms([(v, 4), (0, 1)]), Terms::whole(4), Terms::whole(2)])
        }
        (Some("8" | "4"), Stored::PerValue(given)) => {
            let of = if policy == Some("4") { 2 } else { 1 };
            let expected = 1.0 / of as f64 + 4.0 / k as f64;
            if (given.per_value() - expected).abs() > 1e-6 {
                let message =
                    "Not what the quantization policy stores (data and two 16-bit scales per head); the policy counts.";
                out.note("kv_bytes_per_elem", IssueKind::Conflict, message);
            }
            Some(vec![Terms([(k, of), (0, 1)]), Terms([(v, of), (0, 1)]), scales, scales])
        }
        (_, Stored::PerValue(terms)) => Some(vec![Terms::whole(terms.bytes(k)?), Terms::whole(terms.bytes(v)?)]),
        _ => None,
    }
}

/// Heads per rank; past `tp` they are replicated, and then `tp` must be a multiple of them.
pub(super) fn heads(shape: &Shape, out: &mut Outcome) -> Option<i64> {
    if shape.attention == Attention::Mla {
        return Some(1);
    }
    if shape.kv_heads % shape.tp != 0 && shape.tp % shape.kv_heads != 0 {
        out.note("tp", IssueKind::Conflict, "Neither a divisor nor a multiple of the KV heads; the engine refuses it.");
        return None;
    }
    Some(shape.heads_floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pytorch(rest: &str) -> Outcome {
        let query =
            "engine=lmdeploy-pytorch&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=2&block_size=64&";
        let (inputs, issues) = Inputs::read(&[query, rest].concat());
        assert_eq!(issues, []);
        size_pytorch(&inputs.unwrap())
    }

    #[test]
    fn the_reserve_was_larger_in_0_9() {
        assert_eq!(newest_reserve(8192, 128, 129_280), Some(2_184_314_880));
        // 8192 × 129,280 × 7 = 7,413,432,320: 6.904 GiB.
        assert_eq!(runtime_reserve(8192, 128, 129_280, Reserve::Sevenfold), Some(7_413_432_320));
    }

    #[test]
    fn the_old_loop_rescued_a_reserve_above_free_memory() {
        let query = "value=0.8&free_after_load_bytes=2147483648&extra=vocab=128256&version=";
        let new = pytorch(&[query, "0.18.0"].concat());
        assert_eq!(new.error.as_deref(), Some(NO_KV_MEMORY));
        // prefill 2048: reserve 1,838,678,016, rest 308,805,632 × 0.8 = 247,044,505: 29 blocks.
        let old = pytorch(&[query, "0.9.0"].concat());
        assert_eq!((old.avail_bytes, old.blocks), (Some(247_044_505), Some(29)));
    }

    #[test]
    fn a_ratio_of_one_is_refused() {
        let out = pytorch("value=1&free_after_load_bytes=67108864000&version=0.4.0&extra=vocab=128256");
        assert_eq!((out.error, out.blocks), (None, None), "not asserted yet; there is no such pool all the same");
        let out = pytorch("value=1&free_after_load_bytes=67108864000&version=0.18.0&extra=vocab=128256");
        assert_eq!((out.error.as_deref(), out.blocks), (Some(INVALID_RATIO), None));
        assert_eq!(out.issues.len(), 1);
    }
}

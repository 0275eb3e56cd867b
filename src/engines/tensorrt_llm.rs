//! TensorRT-LLM: a fraction of what weights, activations and everything else leave free.
//!
//! Read, not executed: `tensorrt_llm/_torch/pyexecutor/_util.py` at 0004396720 and two ages of `resource_manager.py`;
//! for the C++ backend `kvCacheManager.cpp`. A hash is not a release, so a release number never matches exactly. The C++
//! side computes with 32-bit floats, which can move its budget by a few kilobytes; that is left out.

use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::release::Release;
use super::shape::{Attention, Shape, Stored, Terms, ceil_div};
use crate::issue::IssueKind;

const FRACTION_V1: &str = "Invalid freeMemFraction, freeMemFraction 1.0 must be smaller than 1.0";
const FRACTION_CPP: &str = "Invalid freeMemFraction, freeMemFraction (1.000000) must be smaller than 1.0f";
const NO_SEQUENCE: &str = "Impossible to fit in any sequence in kvCache";

/// TensorRT-LLM in the shared vocabulary.
pub const FACTS: EngineFacts = EngineFacts {
    name: "tensorrt-llm",
    title: "TensorRT-LLM",
    checked: "1.4.0rc4",
    trust: Trust::Read,
    sources: "tensorrt_llm/_torch/pyexecutor/_util.py, resource_manager.py, kvCacheManager.cpp, docs/source/features/kvcache.md",
    knobs: &[
        Knob {
            name: "free_gpu_memory_fraction",
            flag: "--kv_cache_free_gpu_memory_fraction ",
            base: Base::FreeAfterWeightsAndActivations,
            less: &[Charge::Weights, Charge::NonTorch, Charge::ActivationPeak, Charge::OtherProcesses],
            rounding: Rounding::BlocksDown(32),
            defaults: &[KnobDefault { since: "", value: Some(FRACTION) }],
            accepts: Accepts::ZeroToOne,
        },
        Knob {
            name: "max_tokens",
            flag: "kv_cache_config.max_tokens: ",
            base: Base::Tokens,
            less: &[],
            rounding: Rounding::BlocksDown(32),
            defaults: &[KnobDefault { since: "", value: None }],
            accepts: Accepts::Whole,
        },
    ],
    refusals: &[
        Refusal {
            text: FRACTION_V1,
            remedy: Remedy::Lower,
            when: "1.0 passes the schema but not the first cache manager.",
        },
        Refusal { text: NO_SEQUENCE, remedy: Remedy::Raise, when: "Not even one block fits." },
    ],
    too_low: Edge::ShortensContext,
    too_high: Edge::OutOfMemory,
};

/// The default of `free_gpu_memory_fraction`.
const FRACTION: f64 = 0.9;

/// The share of a V2 quota at which suspended requests resume: user limits in tokens are divided by it.
const MAX_UTIL_FOR_RESUME: f64 = 0.95;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backend {
    PytorchV1,
    PytorchV2,
    Cpp,
}

/// Sizes TensorRT-LLM's pool.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    let backend = match inputs.extra.word(Key::Backend) {
        Some("cpp") => Backend::Cpp,
        Some("pytorch-v2") => Backend::PytorchV2,
        Some(_) => Backend::PytorchV1,
        None => {
            out.note("extra.backend", IssueKind::NotMeasured, "Not given; pytorch-v1 is assumed.");
            Backend::PytorchV1
        }
    };
    let round_up = rounds_up(&inputs.version, backend, out);
    let shape = inputs.shape(out)?;
    if matches!(shape.attention, Attention::HybridSwa | Attention::HybridSwaDisabled) {
        out.note("attn", IssueKind::NotMeasured, "One pool per window, with shares fixed at start: not modelled.");
        return None;
    }
    let shape = one_head_size(shape, out);
    if !stores(shape.stored) {
        let message = "Cannot support this KV cache: the engine has 8, 16 and 32-bit floats and nvfp4.";
        out.note("kv_bytes_per_elem", IssueKind::UnknownValue, message);
        return None;
    }
    let block_size = inputs.block_size.unwrap_or(32);
    let per_token = out.count(pool_bytes_per_token(&shape), "kv_bytes_per_elem")?;
    let cost = out.count(cost_per_token(&shape, round_up), "kv_bytes_per_elem")?;
    let per_block = out.count(per_token.checked_mul(block_size), "block_size")?;
    out.bytes_per_block = Some(per_block);

    let (fraction, user_tokens) = knobs(inputs, out)?;
    if fraction >= 1.0 && backend != Backend::PytorchV2 {
        out.refuse(if backend == Backend::Cpp { FRACTION_CPP } else { FRACTION_V1 });
        return None;
    }
    let free = inputs.free_after_load.min();
    let blocks = match backend {
        Backend::Cpp => {
            let budget = (out.need(free, "free_after_load_bytes")? as f64 * fraction) as i64;
            let tokens = (budget / per_token).min(user_tokens.unwrap_or(i64::MAX));
            out.avail_bytes = Some(user_tokens.map_or(budget, |user| budget.min(user.saturating_mul(per_token))));
            ceil_div(tokens, block_size)
        }
        Backend::PytorchV1 => {
            let mut budget = budget(inputs, fraction, out)?;
            if let Some(user) = user_tokens {
                budget = budget.min(user.saturating_mul(cost));
            }
            if inputs.extra.whole(Key::MaxGpuBytes).is_some_and(|bytes| bytes > 0) {
                let message =
                    "As read, this cap has no effect on the first cache manager: it comes after the token limit.";
                out.note("extra.max_gpu_total_bytes", IssueKind::NotMeasured, message);
            }
            out.avail_bytes = Some(budget);
            let mut tokens = budget.div_euclid(cost).max(0) as f64;
            if let Some(free) = free {
                // The cost model can be too small (fewer heads than ranks); this second cap then decides.
                tokens = tokens.min(free as f64 * fraction / per_token as f64);
            }
            if round_up { (tokens / block_size as f64).ceil() as i64 } else { (tokens as i64).div_euclid(block_size) }
        }
        Backend::PytorchV2 => {
            let mut quota = budget(inputs, fraction, out)?;
            if let Some(user) = user_tokens {
                quota = quota.min((user.saturating_mul(per_token) as f64 / MAX_UTIL_FOR_RESUME).ceil() as i64);
            }
            if let Some(bytes) = inputs.extra.whole(Key::MaxGpuBytes).filter(|bytes| *bytes > 0) {
                quota = quota.min(bytes);
            }
            let message = "An upper bound: the second cache manager splits its quota over pools of whole pages.";
            out.note("extra.backend", IssueKind::NotMeasured, message);
            out.avail_bytes = Some(quota);
            quota.div_euclid(per_block).max(0)
        }
    };
    if blocks <= 0 {
        out.refuse(NO_SEQUENCE);
        return None;
    }
    out.pool(blocks, per_block, block_size)
}

/// The fraction, and the user's limit in tokens.
fn knobs(inputs: &Inputs, out: &mut Outcome) -> Option<(f64, Option<i64>)> {
    if inputs.knob.base == Base::Tokens {
        let tokens = inputs.accepted_value(None, out)?;
        return Some((FRACTION, Some(tokens as i64)));
    }
    let fraction = inputs.accepted_value(Some(FRACTION), out)?;
    Some((fraction, inputs.extra.whole(Key::MaxTokens)))
}

/// `int((T - peak + temporary pool) × f)`; bytes.
fn budget(inputs: &Inputs, fraction: f64, out: &mut Outcome) -> Option<i64> {
    if inputs.total.0.is_empty() && inputs.free_after_load.0.is_empty() && !inputs.avail.0.is_empty() {
        return inputs.avail.min();
    }
    let total = out.need(inputs.total.min(), "total_bytes")?;
    let peak = match inputs.extra.whole(Key::PeakUsed) {
        Some(peak) => peak,
        None => {
            let used = total - out.need(inputs.free_after_load.min(), "free_after_load_bytes")?;
            let skipped = inputs.extra.flag(Key::SkipEstimation).unwrap_or(false);
            let activations = if skipped { 0 } else { out.need(inputs.act_peak.at(0), "act_peak_bytes")? };
            used + activations
        }
    };
    let temporary = inputs.extra.whole(Key::TemporaryKv).unwrap_or(0);
    Some(((total - peak + temporary) as f64 * fraction) as i64)
}

/// Whether tokens are rounded up to blocks: in the older trees. The C++ backend always does.
fn rounds_up(version: &str, backend: Backend, out: &mut Outcome) -> bool {
    if backend == Backend::Cpp {
        return true;
    }
    if ["77926604", "1.0-1.1"].iter().any(|known| version.contains(known)) {
        return true;
    }
    if ["0004396720", "56108752801", "1.3-1.4"].iter().any(|known| version.contains(known)) {
        return false;
    }
    match Release::parse(version) {
        Some(release) if release >= Release(1, 3, 0) && release < Release(1, 5, 0) => false,
        Some(release) if release >= Release(1, 0, 0) && release < Release(1, 2, 0) => true,
        Some(release) if release < Release(1, 3, 0) => {
            out.note(
                "version",
                IssueKind::UnknownValue,
                "Not read; the older rule is used, which rounds up to blocks.",
            );
            true
        }
        _ => {
            out.note("version", IssueKind::UnknownValue, "Not read; the newest known rule is used (1.3 to 1.4).");
            false
        }
    }
}

/// Bytes per token that the pool really takes: whole heads on every rank, K and V alike.
pub(super) fn pool_bytes_per_token(shape: &Shape) -> Option<i64> {
    let shape = Shape { head_dim_v: shape.head_dim, ..*shape };
    shape.bytes_of_layers(shape.layers_of_stage(), shape.heads_ceil())
}

/// Bytes per token of the cost model: `d × heads // tp`, which is too small where there are fewer heads than ranks.
///
/// `KVCacheManager.get_cache_size_per_token`: everything but fp8 and nvfp4 counts 2 bytes a value; the older tree knows
/// no nvfp4 there, and counts 2 bytes for it as well.
fn cost_per_token(shape: &Shape, older: bool) -> Option<i64> {
    let values = match shape.attention {
        Attention::Mla => shape.head_dim,
        _ => (shape.head_dim.checked_mul(shape.kv_heads)? / shape.tp).checked_mul(2)?,
    };
    let terms = match shape.stored {
        Stored::PerValue(terms) if terms == Terms::whole(1) => terms,
        Stored::PerValue(terms) if is_fp4(terms) && !older => FP4,
        _ => Terms::whole(2),
    };
    terms.bytes(shape.layers_of_stage().checked_mul(values)?).filter(|bytes| *bytes > 0)
}

/// By how much the newer cost model falls short of what the pool takes: 1 unless heads are replicated or divide unevenly.
pub(super) fn shortfall(shape: &Shape) -> f64 {
    let sizes = pool_bytes_per_token(shape).zip(cost_per_token(shape, false));
    sizes.map_or(1.0, |(pool, cost)| pool as f64 / cost as f64)
}

/// Half a byte, and one byte of scale for 16 values.
const FP4: Terms = Terms([(1, 2), (1, 16)]);

fn is_fp4(terms: Terms) -> bool {
    (terms.per_value() - FP4.per_value()).abs() < 1e-9
}

/// The formats of `get_cache_bytes_per_token`.
fn stores(stored: Stored) -> bool {
    match stored {
        Stored::PerValue(terms) => is_fp4(terms) || [1, 2, 4].iter().any(|bytes| terms == Terms::whole(*bytes)),
        Stored::PerToken(_) | Stored::Mixed | Stored::Rows(..) => false,
    }
}

/// K and V have one head size here.
fn one_head_size(shape: Shape, out: &mut Outcome) -> Shape {
    if shape.attention != Attention::Mla && shape.head_dim_v != shape.head_dim {
        out.note("extra.head_dim_v", IssueKind::Conflict, "The engine gives V the size of K; so does this answer.");
    }
    Shape { head_dim_v: shape.head_dim, ..shape }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rest: &str) -> Outcome {
        let query = "engine=tensorrt-llm&attn=mla&layers=61&kv_heads=1&head_dim=576&kv_bytes_per_elem=2&block_size=32\
            &total_bytes=102005473280&free_after_load_bytes=23296976355&";
        let (inputs, issues) = Inputs::read(&[query, rest].concat());
        assert_eq!(issues, []);
        size(&inputs.unwrap())
    }

    #[test]
    fn one_passes_the_schema_but_not_the_first_manager() {
        let out = answer("value=1.0&version=1.3-1.4&extra=backend=pytorch-v1;peak_used_bytes=80855980573");
        assert_eq!(out.error.as_deref(), Some(FRACTION_V1));
        assert_eq!(out.blocks, None);
        let out = answer("value=1.0&version=1.3-1.4&extra=backend=cpp");
        assert_eq!(out.error.as_deref(), Some(FRACTION_CPP));
    }

    #[test]
    fn tokens_of_the_second_manager_are_divided_by_its_resume_share() {
        let out =
            answer("value=0.9&version=1.3-1.4&extra=backend=pytorch-v2;peak_used_bytes=80855980573;max_tokens=100000");
        // ceil(7,027,200,000 / 0.95) = 7,397,052,632; // 2,248,704 = 3,289.
        assert_eq!((out.avail_bytes, out.blocks), (Some(7_397_052_632), Some(3_289)));
    }

    #[test]
    fn activations_count_unless_the_estimate_is_skipped() {
        let asked = answer("value=0.9&version=1.3-1.4&act_peak_bytes=2147483648&extra=backend=pytorch-v1");
        assert_eq!(asked.avail_bytes, Some(19_034_543_436));
        let skipped = answer("value=0.9&version=1.3-1.4&extra=backend=pytorch-v1;TRTLLM_SKIP_KV_CACHE_ESTIMATION=1");
        assert_eq!(skipped.avail_bytes, Some(20_967_278_719));
    }

    #[test]
    fn the_older_cost_model_knows_no_nvfp4() {
        let query = "engine=tensorrt-llm&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=0.5+1/16&block_size=32\
            &total_bytes=84986665370&free_after_load_bytes=67914170368&value=0.9\
            &extra=backend=pytorch-v1;peak_used_bytes=18468359373&version=";
        let blocks = |version: &str| size(&Inputs::read(&[query, version].concat()).0.unwrap()).blocks;
        assert_eq!(blocks("1.3-1.4"), Some(50_749));
        // 59,866,475,397 // (65,536 × 2) = 456,744 tokens: 14,273.25 blocks, rounded up.
        assert_eq!(blocks("1.0-1.1"), Some(14_274));
    }

    #[test]
    fn formats_that_the_engine_lacks_are_named() {
        for (stored, field) in [("3", "kv_bytes_per_elem"), ("656/token", "kv_bytes_per_elem")] {
            let query = ["value=0.9&version=1.3-1.4&extra=backend=cpp&kv_bytes_per_elem=", stored].concat();
            let base = "engine=tensorrt-llm&attn=mla&layers=61&head_dim=576&free_after_load_bytes=23296976355&";
            let out = size(&Inputs::read(&[base, &query].concat()).0.unwrap());
            assert_eq!((out.blocks, out.issues.first().map(|issue| issue.field.as_str())), (None, Some(field)));
        }
    }

    #[test]
    fn versions_that_were_not_read_are_named() {
        for (version, up, issues) in
            [("1.0.0", true, 0), ("1.2.1", true, 1), ("1.3.0rc27", false, 0), ("2.0.0", false, 1), ("main", false, 1)]
        {
            let mut out = Outcome::default();
            assert_eq!(rounds_up(version, Backend::PytorchV1, &mut out), up, "{version}");
            assert_eq!(out.issues.len(), issues, "{version}");
        }
    }
}

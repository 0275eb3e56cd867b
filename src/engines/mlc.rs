//! MLC-LLM: a fraction of the physical total, less what the compiled model's metadata says; nothing is measured.
//!
//! Read at 79d603f0 (`cpp/serve/config.cc`).

use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::shape::{Attention, Shape, Stored, Terms};
use crate::issue::IssueKind;

/// The constant part of the refusal. The figures behind it depend on a number format that was not read.
const INSUFFICIENT: &str = "Insufficient GPU memory error: The available single GPU memory is ...";

/// MLC-LLM in the shared vocabulary.
pub const FACTS: EngineFacts = EngineFacts {
    name: "mlc-llm",
    title: "MLC-LLM",
    checked: "0.26.dev0",
    trust: Trust::Read,
    sources: "cpp/serve/config.cc at 79d603f0",
    knobs: &[Knob {
        name: "gpu_memory_utilization",
        flag: "--mode server --overrides gpu_memory_utilization=",
        base: Base::PhysicalTotal,
        less: &[Charge::Weights, Charge::Workspaces],
        rounding: Rounding::TokensDown,
        defaults: &[KnobDefault { since: "", value: Some(0.85) }],
        accepts: Accepts::AboveZeroToOne,
    }],
    refusals: &[Refusal { text: INSUFFICIENT, remedy: Remedy::Raise, when: "Not even one token fits." }],
    too_low: Edge::Refuses,
    too_high: Edge::OutOfMemory,
};

/// Bytes per token: K and V of one head size as fp16, and 1.25 bytes of bookkeeping for the whole model. Layers are
/// divided down to a stage. `None` where the heads cannot be divided: the models assert that.
pub(super) fn bytes_per_token(shape: &Shape) -> Option<f64> {
    if shape.kv_heads % shape.tp != 0 {
        return None;
    }
    let values = shape.head_dim.checked_mul(shape.kv_heads / shape.tp)?.checked_mul(shape.layers / shape.pp)?;
    Some(values.checked_mul(4)? as f64 + 1.25)
}

/// Sequences that a model is compiled for where nothing else is said (`mlc_llm gen_config --max-batch-size`).
const BATCH: i64 = 128;

/// Sizes MLC-LLM's pool. `consumed_bytes` are the weights and `act_peak_bytes` all workspaces.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    if !inputs.version.contains("79d603f0") {
        out.note("version", IssueKind::UnknownValue, "Not read; the rule of 79d603f0 (0.26.dev0) is used.");
    }
    let shape = inputs.shape(out)?;
    if shape.attention != Attention::Full {
        out.note("attn", IssueKind::NotMeasured, "MLC-LLM's rule for this kind of attention was not read.");
        return None;
    }
    if !matches!(shape.stored, Stored::PerValue(terms) if terms == Terms::whole(2)) {
        out.note(
            "kv_bytes_per_elem",
            IssueKind::Conflict,
            "MLC-LLM always counts 2 bytes per value; so does this answer.",
        );
    }
    if shape.kv_heads % shape.tp != 0 {
        out.note("tp", IssueKind::Conflict, "KV heads must divide evenly; the engine refuses this.");
        return None;
    }
    let per_token = out.count(bytes_per_token(&shape), "layers")?;
    let page = inputs.block_size.unwrap_or(16);
    out.bytes_per_block = Some((per_token * page as f64) as i64);
    let value = inputs.accepted_value(Some(0.85), out)?;
    let total = out.need(inputs.total.min(), "total_bytes")?;
    let weights = out.need(inputs.consumed.at(0), "consumed_bytes")?;
    let workspaces = out.need(inputs.act_peak.at(0), "act_peak_bytes")?;
    let rest = total as f64 * value - weights as f64 - workspaces as f64;
    let mut tokens = (rest / per_token) as i64;
    if tokens <= 0 {
        out.refuse(INSUFFICIENT);
        return None;
    }
    // `EstimateMemoryUsageOnMode`: each mode has a limit of its own besides the memory.
    let length = inputs.max_model_len.filter(|length| *length > 0);
    match inputs.extra.word(Key::Mode) {
        Some("local") => {
            if length.is_none() {
                out.note("max_model_len", IssueKind::NotMeasured, "Not given; the pool is at most this long.");
            }
            tokens = tokens.min(8_192).min(length.unwrap_or(i64::MAX));
        }
        Some("interactive") => tokens = tokens.min(out.need(length, "max_model_len")?),
        _ => {
            let most = length.and_then(|length| length.checked_mul(BATCH)).unwrap_or(i64::MAX);
            if most < tokens {
                let message = "The pool is at most the longest request times the batch; 128, the default, is assumed.";
                out.note("max_model_len", IssueKind::NotMeasured, message);
                tokens = most;
            }
        }
    }
    out.tokens = Some(tokens);
    out.kv_bytes = Some((tokens as f64 * per_token) as i64);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_server_mode_uses_the_knob_fully() {
        let query = "engine=mlc-llm&version=79d603f0&value=0.85&total_bytes=25769803776&consumed_bytes=4617089843\
            &act_peak_bytes=1610612736&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=2";
        let tokens = |rest: &str| size(&Inputs::read(&[query, rest].concat()).0.unwrap()).tokens;
        assert_eq!(tokens("&max_model_len=4096"), Some(119_602));
        assert_eq!(tokens("&max_model_len=32768&extra=mode=local"), Some(8_192));
        // A pool longer than its one sequence would be of no use.
        assert_eq!(tokens("&max_model_len=4096&extra=mode=local"), Some(4_096));
        assert_eq!(tokens("&max_model_len=4096&extra=mode=interactive"), Some(4_096));
        assert_eq!(tokens("&max_model_len=512"), Some(65_536), "128 sequences");
    }

    #[test]
    fn layers_are_divided_down_and_heads_evenly() {
        let shape = Shape {
            attention: Attention::Full,
            layers: 61,
            kv_heads: 8,
            head_dim: 128,
            head_dim_v: 64,
            stored: Stored::PerValue(Terms::whole(2)),
            tp: 2,
            pp: 2,
        };
        // 30 layers × 4 heads × 128 values × 4 bytes.
        assert_eq!(bytes_per_token(&shape), Some(61_441.25));
        assert_eq!(bytes_per_token(&Shape { tp: 3, ..shape }), None);
    }
}

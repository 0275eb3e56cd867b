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

/// Bytes per token: K and V as fp16, and 1.25 bytes of bookkeeping for the whole model.
pub(super) fn bytes_per_token(shape: &Shape) -> Option<f64> {
    let values = shape.values_per_layer(shape.heads_ceil())?.checked_mul(shape.layers_of_stage())?;
    Some(values.checked_mul(2)? as f64 + 1.25)
}

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
    match inputs.extra.word(Key::Mode) {
        Some("local") => tokens = tokens.min(8_192),
        Some("interactive") => {
            tokens = tokens.min(out.need(inputs.max_model_len.filter(|length| *length > 0), "max_model_len")?);
        }
        _ => {}
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
            &act_peak_bytes=1610612736&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=2&max_model_len=4096";
        let tokens = |rest: &str| size(&Inputs::read(&[query, rest].concat()).0.unwrap()).tokens;
        assert_eq!(tokens(""), Some(119_602));
        assert_eq!(tokens("&extra=mode=local"), Some(8_192));
        assert_eq!(tokens("&extra=mode=interactive"), Some(4_096));
    }
}

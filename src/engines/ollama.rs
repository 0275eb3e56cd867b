//! Ollama: a context length times parallel requests, handed to llama.cpp's server.
//!
//! Read at fb307609 (v0.33.0-rc2 era). The bytes here are Ollama's own estimate, which takes a whole byte for q8_0 and
//! half a byte for q4_0; llama.cpp really allocates 34/32 and 18/32 bytes per value.

use super::extra::Key;
use super::facts::{Accepts, Base, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::shape::{Attention, Stored};
use crate::issue::IssueKind;

/// Ollama in the shared vocabulary.
pub const FACTS: EngineFacts = EngineFacts {
    name: "ollama",
    title: "Ollama",
    checked: "0.33.0-rc2",
    trust: Trust::Read,
    sources: "fs/ggml (GraphSize), envconfig, llama-server launch at fb307609",
    knobs: &[Knob {
        name: "OLLAMA_CONTEXT_LENGTH",
        flag: "OLLAMA_CONTEXT_LENGTH=",
        base: Base::Tokens,
        less: &[],
        rounding: Rounding::TokensUp(256),
        defaults: &[KnobDefault { since: "", value: Some(0.0) }],
        accepts: Accepts::WholeOrAuto,
    }],
    refusals: &[Refusal {
        text: "failed to allocate buffer for kv cache",
        remedy: Remedy::Lower,
        when: "The cache that llama.cpp is asked for does not fit.",
    }],
    too_low: Edge::ShortensContext,
    too_high: Edge::SpillsToHost,
};

/// The context length that Ollama chooses by the memory of all cards, bytes less overhead.
pub fn default_context(memory: i64) -> i64 {
    match memory >> 30 {
        gib if gib < 23 => 4_096,
        gib if gib < 47 => 32_768,
        _ => 262_144,
    }
}

/// Sizes Ollama's cache, by its own estimate.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    if !inputs.version.contains("fb307609") && !inputs.version.contains("0.33.0-rc2") {
        out.note("version", IssueKind::UnknownValue, "Not read; the rule of fb307609 (0.33.0-rc2) is used.");
    }
    let asked = inputs.accepted_value(Some(0.0), out)? as i64;
    let context = if asked == 0 {
        let total = out.need(inputs.total.min(), "total_bytes")?;
        default_context(total - inputs.extra.whole(Key::GpuOverhead).unwrap_or(0))
    } else {
        asked
    };
    let parallel = inputs.extra.whole(Key::NumParallel).unwrap_or(1);
    let tokens = out.count(context.checked_mul(parallel), "value")?;
    out.tokens = Some(tokens);
    let shape = inputs.shape(out)?;
    if shape.attention != Attention::Full {
        out.note("attn", IssueKind::NotMeasured, "Ollama's estimate for this kind of attention was not read.");
        return None;
    }
    let halves_of_byte = match shape.stored {
        Stored::Rows(k, v) if k == v => match k.name {
            "f16" => Some(4),
            "q8_0" => Some(2),
            "q4_0" => Some(1),
            _ => None,
        },
        _ => None,
    };
    let Some(halves) = halves_of_byte else {
        out.note(
            "kv_bytes_per_elem",
            IssueKind::UnknownValue,
            "Ollama's cache types are f16, q8_0 and q4_0, for K and V alike.",
        );
        return None;
    };
    let values = shape.values_per_layer(shape.kv_heads).and_then(|values| values.checked_mul(shape.layers));
    let bytes = values.and_then(|values| values.checked_mul(tokens)?.checked_mul(halves));
    out.kv_bytes = Some(out.count(bytes, "layers")? / 2);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_follows_the_memory() {
        let gib = 1_i64 << 30;
        assert_eq!(default_context(22 * gib), 4_096);
        assert_eq!(default_context(23 * gib), 32_768);
        assert_eq!(default_context(46 * gib), 32_768);
        assert_eq!(default_context(47 * gib), 262_144);
    }

    #[test]
    fn half_a_byte_for_q4_0() {
        let query = "engine=ollama&version=fb30760996&value=8192&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=q4_0";
        assert_eq!(size(&Inputs::read(query).0.unwrap()).kv_bytes, Some(268_435_456));
    }
}

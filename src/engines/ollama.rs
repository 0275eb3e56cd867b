//! Ollama: a context length times parallel requests, handed to llama.cpp's server.
//!
//! Read at fb307609 (v0.33.0-rc2 era). The bytes here are Ollama's own estimate, which takes a whole byte for q8_0 and
//! half a byte for q4_0; llama.cpp really allocates 34/32 and 18/32 bytes per value. Nothing in that tree calls the
//! estimate (`GraphSize`) any longer: the server itself decides what fits.

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
        out.need(inputs.total.min(), "total_bytes")?;
        // `Serve` adds up all cards, each less the overhead.
        let overhead = inputs.extra.whole(Key::GpuOverhead).unwrap_or(0);
        let memory = inputs.total.0.iter().try_fold(0_i64, |sum, total| sum.checked_add(total - overhead));
        default_context(out.count(memory, "total_bytes")?)
    } else {
        asked
    };
    // `NewLlamaServer` cuts what is longer than the model was trained for.
    let context = match inputs.max_model_len {
        Some(most) if most > 0 && context > most => {
            let message = "Requested context size too large for model; the model's own is used.";
            out.note("value", IssueKind::Conflict, message);
            most
        }
        _ => context,
    };
    let parallel = inputs.extra.whole(Key::NumParallel).unwrap_or(1);
    let tokens = out.count(context.checked_mul(parallel), "value")?;
    out.tokens = Some(tokens);
    let shape = inputs.shape(out)?;
    if shape.attention != Attention::Full {
        out.note("attn", IssueKind::NotMeasured, "Ollama's estimate for this kind of attention was not read.");
        return None;
    }
    let Stored::Rows(k, v) = shape.stored else {
        out.note("kv_bytes_per_elem", IssueKind::UnknownValue, "Cache types are named here: f16, q8_0, q4_0 …");
        return None;
    };
    if k != v {
        out.note("kv_bytes_per_elem", IssueKind::UnknownValue, "OLLAMA_KV_CACHE_TYPE is one type for K and V alike.");
        return None;
    }
    // `kvCacheBytesPerElement`: whatever it does not know counts as f16.
    let halves = match k.name {
        "f32" => 8,
        "q8_0" => 2,
        "q4_0" => 1,
        _ => 4,
    };
    if !["f16", "q8_0", "q4_0"].contains(&k.name) {
        let message = "Not one of the types that Ollama names; it hands it on to llama.cpp all the same.";
        out.note("kv_bytes_per_elem", IssueKind::NotMeasured, message);
    }
    // Each layer is cut to whole bytes.
    let layer =
        shape.values_per_layer(shape.kv_heads).and_then(|values| values.checked_mul(tokens)?.checked_mul(halves));
    let layer = out.count(layer, "layers")? / 2;
    out.kv_bytes = Some(out.count(layer.checked_mul(shape.layers), "layers")?);
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

    #[test]
    fn the_default_adds_up_the_cards_and_ends_at_the_model() {
        let query = "engine=ollama&version=fb307609&attn=full&layers=3&kv_heads=1&head_dim=1&kv_bytes_per_elem=q4_0";
        let tokens = |rest: &str| size(&Inputs::read(&[query, rest].concat()).0.unwrap());
        // Two cards of 24 GiB are 48.
        assert_eq!(tokens("&total_bytes=25769803776|25769803776").tokens, Some(262_144));
        assert_eq!(
            tokens("&total_bytes=25769803776|25769803776&extra=OLLAMA_GPU_OVERHEAD=1073741824").tokens,
            Some(32_768)
        );
        let cut = tokens("&value=262144&max_model_len=131072");
        assert_eq!((cut.tokens, cut.issues.len()), (Some(131_072), 1));
        // 7 × 2 values are 7 bytes a layer; 7 × 1 and half a byte are cut to 3.
        assert_eq!(tokens("&value=7").kv_bytes, Some(21));
        assert_eq!(tokens("&value=7&extra=head_dim_v=2").kv_bytes, Some(30), "10.5 a layer");
    }
}

//! Stacks whose layers differ: sliding windows, linear attention and Mamba, shared indexers.

use serde_json::Value;

use super::attention::{Attention, Heads, Layer, Softmax, State, StateKind};
use super::config::{Refusal, heads, latent, only_known, refuse, required};
use super::json::Keys;
use crate::issue::{Issue, IssueKind};

type Stack = (Attention, Vec<Layer>);

/// Linear-attention and Mamba hybrids, told apart by the keys of their states. `None`: no such key.
pub(super) fn linear(keys: &mut Keys, count: u64) -> Result<Option<Stack>, Refusal> {
    if let Some(inner) = keys.inner("linear_attn_config") {
        return kimi_delta(keys, inner, count).map(Some);
    }
    if keys.says("linear_num_value_heads") {
        return gated_delta(keys, count).map(Some);
    }
    if keys.says("mamba_num_heads") {
        return nemotron(keys, count).map(Some);
    }
    if keys.says("mamba_n_heads") {
        return mamba2(keys, count).map(Some);
    }
    Ok(None)
}

/// Kimi-Linear: MLA layers by a 1-based list, delta-attention layers for the rest.
fn kimi_delta(keys: &mut Keys, mut inner: Keys, count: u64) -> Result<Stack, Refusal> {
    only_known(keys, &["linear_attn_config", "kv_lora", "mamba_ssm_dtype"])?;
    let heads = required(&mut inner, &["num_heads"])?;
    let dim = required(&mut inner, &["head_dim"])?;
    let conv_kernel = required(&mut inner, &["short_conv_kernel_size"])?;
    let full: Vec<_> = inner.list("full_attn_layers").unwrap_or_default().iter().filter_map(Value::as_u64).collect();
    let linear: Vec<_> = inner.list("kda_layers").unwrap_or_default().iter().filter_map(Value::as_u64).collect();
    let layers = (1..=count)
        .map(|layer| match (full.contains(&layer), linear.contains(&layer)) {
            (true, false) => Ok(Layer::Full),
            (false, true) => Ok(Layer::Linear),
            _ => {
                let message = format!("layer {layer} must be in exactly one of full_attn_layers and kda_layers");
                Err(Issue::new("linear_attn_config", IssueKind::Conflict, message))
            }
        })
        .collect::<Result<Vec<_>, _>>()?;
    let kda = !linear.is_empty();
    let kind = StateKind::Delta { key_heads: heads, key_dim: dim, value_heads: heads, value_dim: dim, kda };
    let state = State { kind, conv_kernel, element_bytes: 4 };
    Ok((Attention::Linear { full: softmax(keys)?, state }, layers))
}

/// Qwen3-Next and its heirs: every `full_attention_interval`-th layer is a softmax layer, unless `layer_types` says which.
fn gated_delta(keys: &mut Keys, count: u64) -> Result<Stack, Refusal> {
    only_known(keys, &["linear_", "kv_lora", "layer_types", "mamba_ssm_dtype"])?;
    let kind = StateKind::Delta {
        key_heads: required(keys, &["linear_num_key_heads"])?,
        key_dim: required(keys, &["linear_key_head_dim"])?,
        value_heads: required(keys, &["linear_num_value_heads"])?,
        value_dim: required(keys, &["linear_value_head_dim"])?,
        kda: false,
    };
    let conv_kernel = required(keys, &["linear_conv_kernel_dim"])?;
    let layers = match stateful(keys, count)? {
        Some(layers) => layers,
        None => {
            let interval = required(keys, &["full_attention_interval"])?;
            (1..=count).map(|n| if n % interval == 0 { Layer::Full } else { Layer::Linear }).collect()
        }
    };
    let state = State { kind, conv_kernel, element_bytes: state_bytes(keys) };
    Ok((Attention::Linear { full: softmax(keys)?, state }, layers))
}

/// Nemotron-H: one letter a layer, `M` Mamba, `*` attention, `-` and `E` feed-forward.
fn nemotron(keys: &mut Keys, count: u64) -> Result<Stack, Refusal> {
    only_known(keys, &["mamba", "use_mamba", "ssm_", "conv_kernel", "hybrid_override", "layers_block_type", "mixer"])?;
    let kind = StateKind::Mamba2 {
        heads: required(keys, &["mamba_num_heads"])?,
        head_dim: required(keys, &["mamba_head_dim"])?,
        state: required(keys, &["ssm_state_size"])?,
        groups: required(keys, &["n_groups", "mamba_n_groups"])?,
    };
    let conv_kernel = required(keys, &["conv_kernel"])?;
    let layers = match keys.text("hybrid_override_pattern") {
        Some(pattern) => pattern.chars().map(|letter| from_letter(keys, letter)).collect::<Result<Vec<_>, _>>()?,
        None => listed(keys, "layers_block_type", count)?.ok_or_else(|| refuse(keys, "hybrid_override_pattern"))?,
    };
    let layers = exactly(layers, count, "hybrid_override_pattern")?;
    let state = State { kind, conv_kernel, element_bytes: state_bytes(keys) };
    Ok((Attention::Linear { full: Softmax::Heads(heads(keys)?), state }, layers))
}

fn from_letter(keys: &Keys, letter: char) -> Result<Layer, Refusal> {
    match letter {
        'M' => Ok(Layer::Linear),
        '*' => Ok(Layer::Full),
        '-' | 'E' => Ok(Layer::Nothing),
        other => Err(refuse(keys, &format!("hybrid_override_pattern {other}"))),
    }
}

/// Falcon-H1 (Mamba and attention side by side in every layer) and Granite hybrids (`layer_types`).
fn mamba2(keys: &mut Keys, count: u64) -> Result<Stack, Refusal> {
    only_known(keys, &["mamba", "use_mamba", "layer_types", "ssm_"])?;
    let kind = StateKind::Mamba2 {
        heads: required(keys, &["mamba_n_heads"])?,
        head_dim: required(keys, &["mamba_d_head"])?,
        state: required(keys, &["mamba_d_state"])?,
        groups: required(keys, &["mamba_n_groups"])?,
    };
    let conv_kernel = required(keys, &["mamba_d_conv"])?;
    let (layers, element_bytes) = match stateful(keys, count)? {
        Some(layers) => (layers, 4),
        None => ((0..count).map(|_| Layer::Both).collect(), state_bytes(keys)),
    };
    let state = State { kind, conv_kernel, element_bytes };
    Ok((Attention::Linear { full: Softmax::Heads(heads(keys)?), state }, layers))
}

fn softmax(keys: &mut Keys) -> Result<Softmax, Refusal> {
    if keys.says("kv_lora_rank") { latent(keys).map(Softmax::Latent) } else { heads(keys).map(Softmax::Heads) }
}

/// The recurrent state is kept in 32 bits unless the config asks for less (`mamba_utils.py: mamba2_state_dtype`, which
/// looks at this key only; Kimi-Linear and Granite do not ask it, 0.5.9 to 0.5.23).
fn state_bytes(keys: &Keys) -> u64 {
    match keys.text("mamba_ssm_dtype") {
        Some("bfloat16" | "float16") => 2,
        _ => 4,
    }
}

/// Two pools: layers that keep everything and layers that keep a window. `None`: every layer is alike.
pub(super) fn sliding(keys: &mut Keys, mut full: Heads, count: u64) -> Result<Option<Stack>, Refusal> {
    let layers = if let Some(pattern) = keys.list("hybrid_layer_pattern") {
        let layers = pattern.iter().map(|value| match value.as_u64() {
            Some(0) => Ok(Layer::Full),
            Some(1) => Ok(Layer::Sliding),
            _ => Err(refuse(keys, "hybrid_layer_pattern")),
        });
        exactly(layers.collect::<Result<Vec<_>, _>>()?, count, "hybrid_layer_pattern")?
    } else if let Some(layers) = typed(keys, count)? {
        layers
    } else if keys.says("attention_chunk_size") {
        chunked(keys, count)
    } else {
        return Ok(None);
    };
    if !layers.contains(&Layer::Sliding) {
        return Ok(None);
    }
    if layers.iter().any(|layer| !matches!(layer, Layer::Full | Layer::Sliding)) {
        return Err(refuse(keys, "layer_types"));
    }
    only_known(
        keys,
        &[
            "hybrid_layer_pattern",
            "hybrid_block_size",
            "layer_types",
            "attention_chunk",
            "attention_other",
            "num_global_key",
            "global_head_dim",
        ],
    )?;
    let mut sliding = full;
    if let Some(mut other) = keys.inner("attention_other_setting") {
        sliding.query_heads = other.count(&["num_attention_heads"]).unwrap_or(full.query_heads);
        // The width is that of the full layers (`model_config.py: get_swa_num_kv_heads`, `_derive_model_shapes`).
        sliding.kv_heads = other.count(&["num_attention_groups"]).unwrap_or(full.kv_heads);
    }
    sliding.kv_heads = keys.count(&["swa_num_key_value_heads"]).unwrap_or(sliding.kv_heads);
    sliding.key_dim = keys.count(&["swa_head_dim"]).unwrap_or(sliding.key_dim);
    sliding.value_dim = keys.count(&["swa_v_head_dim"]).unwrap_or(sliding.key_dim);
    // Gemma-4 names the full layers' sizes; the plain names are the sliding layers'.
    full.kv_heads = keys.count(&["num_global_key_value_heads"]).unwrap_or(full.kv_heads);
    if let Some(dim) = keys.count(&["global_head_dim"]) {
        (full.key_dim, full.value_dim) = (dim, dim);
    }
    let window = keys.count(&["sliding_window_size", "sliding_window", "attention_chunk_size"]).unwrap_or_default();
    Ok(Some((Attention::Sliding { full, sliding, window }, layers)))
}

/// Llama-4: every fourth layer sees everything (`model_config.py: get_hybrid_layer_ids`).
fn chunked(keys: &mut Keys, count: u64) -> Vec<Layer> {
    let interval = keys.count(&["no_rope_layer_interval"]).unwrap_or(4);
    (1..=count).map(|n| if n % interval == 0 { Layer::Full } else { Layer::Sliding }).collect()
}

/// Whether the lists of layer kinds, where there are any, name full attention only.
pub(super) fn all_full(keys: &Keys) -> bool {
    let types = keys.list("layer_types").unwrap_or_default();
    let flags = keys.list("attn_type_list").unwrap_or_default();
    types.iter().all(|kind| kind.as_str() == Some("full_attention"))
        && flags.iter().all(|flag| flag.as_u64() == Some(1))
}

/// `layer_types`, one name a layer.
fn typed(keys: &Keys, count: u64) -> Result<Option<Vec<Layer>>, Refusal> {
    listed(keys, "layer_types", count)
}

/// The same for a stack that has no windows.
fn stateful(keys: &Keys, count: u64) -> Result<Option<Vec<Layer>>, Refusal> {
    match typed(keys, count)? {
        Some(layers) if layers.contains(&Layer::Sliding) => Err(refuse(keys, "layer_types")),
        layers => Ok(layers),
    }
}

fn listed(keys: &Keys, key: &str, count: u64) -> Result<Option<Vec<Layer>>, Refusal> {
    let Some(list) = keys.list(key).filter(|list| !list.is_empty()) else { return Ok(None) };
    let layer = |value: &Value| match value.as_str().unwrap_or_default() {
        "full_attention" | "attention" => Ok(Layer::Full),
        "sliding_attention" | "chunked_attention" => Ok(Layer::Sliding),
        "linear_attention" | "mamba" => Ok(Layer::Linear),
        "mlp" | "moe" => Ok(Layer::Nothing),
        other => Err(refuse(keys, &format!("{key} {other}"))),
    };
    let layers = list.iter().map(layer).collect::<Result<Vec<_>, _>>()?;
    exactly(layers, count, key).map(Some)
}

/// Lists may go on behind the stack (Step-3.5 names its draft layers there), but not end before it.
fn exactly(mut layers: Vec<Layer>, count: u64, key: &str) -> Result<Vec<Layer>, Refusal> {
    if (layers.len() as u64) < count {
        let message = format!("{key} names {} of {count} layers", layers.len());
        return Err(Issue::new(key, IssueKind::Conflict, message));
    }
    layers.truncate(count as usize);
    Ok(layers)
}

/// Which layers of a sparse-attention stack own an indexer: `indexer_types`, every `cli_factor`-th one, those that are not `S` in
/// `index_topk_pattern`, or every `index_topk_freq`-th one (`model_config.py: dsa_layer_skips_topk`, in this order).
pub(super) fn indexers(keys: &mut Keys, count: u64) -> Result<Vec<Layer>, Refusal> {
    if let Some(list) = keys.list("indexer_types").filter(|list| !list.is_empty()) {
        let layer = |value: &Value| match value.as_str().unwrap_or_default() {
            "full" => Ok(Layer::Full),
            "shared" => Ok(Layer::SharedIndex),
            other => Err(refuse(keys, &format!("indexer_types {other}"))),
        };
        return exactly(list.iter().map(layer).collect::<Result<Vec<_>, _>>()?, count, "indexer_types");
    }
    if let Some(every) = keys.count(&["cli_factor"]).filter(|every| *every > 1) {
        return Ok((0..count).map(|n| if n % every == 0 { Layer::Full } else { Layer::SharedIndex }).collect());
    }
    if keys.says("index_topk_pattern") {
        let pattern = keys.text("index_topk_pattern").ok_or_else(|| refuse(keys, "index_topk_pattern"))?;
        let layers = pattern.chars().map(|letter| if letter == 'S' { Layer::SharedIndex } else { Layer::Full });
        return exactly(layers.collect(), count, "index_topk_pattern");
    }
    let every = keys.count(&["index_topk_freq"]).unwrap_or(1);
    let offset = keys.get("index_skip_topk_offset").and_then(Value::as_u64).unwrap_or_default().max(1);
    let shared = |n: u64| !n.saturating_sub(offset).is_multiple_of(every);
    Ok((1..=count).map(|n| if shared(n) { Layer::SharedIndex } else { Layer::Full }).collect())
}

//! A Hugging Face `config.json` → what the model keeps per token and per request.
//!
//! The attention kind is chosen by the keys that are there, never by a name. A kind that is not known is refused with
//! the keys that were seen; nothing falls back to multi-head attention.

use serde_json::Value;

use super::attention::{Attention, Heads, Indexer, Latent, Layer};
use super::hybrid;
use super::json::{self, Keys};
use super::weights::{self, Encoding, Shape};
use crate::issue::{Issue, IssueKind, shorten};

/// The most layers that a stack may have; the deepest public models have below 200.
pub const MOST_LAYERS: u64 = 2048;

/// What of a `config.json` decides memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelConfig {
    /// How one token is kept.
    pub attention: Attention,
    /// What each layer keeps, in order.
    pub layers: Vec<Layer>,
    /// How many of these layers form one layer of the stack: pipeline ranks take whole ones. 2 in LongCat-Flash, else 1.
    pub block: u64,
    /// The type that the weights run in.
    pub dtype: Dtype,
    /// The checkpoint asks for an fp8 KV cache (`kv_cache_quant_algo`).
    pub fp8_kv: bool,
    /// Context length in tokens, before any flag.
    pub context: Option<u64>,
    /// The vision tower, in a multimodal model.
    pub vision: Option<Vision>,
    /// `num_nextn_predict_layers`: layers of the draft model that ships with the checkpoint.
    pub draft_layers: u64,
    /// Widths beyond attention; `None` where the config does not give them.
    pub shape: Option<Shape>,
    /// How the checkpoint stores its matrices; `None` where the method is not known.
    pub encoding: Option<Encoding>,
    /// The first of `architectures`: SGLang's lists of classes go by it.
    pub architecture: String,
}

impl ModelConfig {
    /// Layers of the pipeline ranks that have most: the remainder goes to the last ranks, one each (`get_pp_indices`).
    pub fn most_layers(&self, pp: u64) -> u64 {
        let block = self.block.max(1);
        (self.layers.len() as u64 / block).div_ceil(pp.max(1)) * block
    }
}

/// The type that weights and, unless told otherwise, the KV cache have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// 2 bytes.
    Bfloat16,
    /// 2 bytes.
    Float16,
    /// 4 bytes on disk; SGLang runs it in 2 (`model_config.py: _get_and_verify_dtype`).
    Float32,
}

/// The numbers of a vision tower that move SGLang's automatic fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vision {
    /// `num_hidden_layers`, or 24 where the config calls it otherwise, as SGLang reads it.
    pub layers: u64,
    /// `hidden_size`, or 1024.
    pub hidden: u64,
}

/// A config that was read, or the reasons why it was not.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// `None` when refused.
    pub config: Option<ModelConfig>,
    /// What was wrong or uncertain.
    pub issues: Vec<Issue>,
}

/// Why a config is refused.
pub(super) type Refusal = Issue;

/// Reads a `config.json`.
pub fn read(bytes: &[u8]) -> Reading {
    let top = match json::object(bytes, "config.json") {
        Ok(top) => top,
        Err(issue) => return Reading { config: None, issues: vec![issue] },
    };
    let top = Keys::new(&top);
    let mut keys = language_model(&top).unwrap_or_else(|| top.again());
    let found = stack(&mut keys);
    let mut issues = std::mem::take(&mut keys.issues);
    let (attention, layers) = match found {
        Ok(found) => found,
        Err(refusal) => {
            issues.push(refusal);
            return Reading { config: None, issues };
        }
    };
    let dtype = dtype(&keys, &top, &mut issues);
    let quantized = if keys.get("quantization_config").is_some() { keys.again() } else { top.again() };
    let config = ModelConfig {
        block: block(&keys),
        shape: weights::shape(&keys, &attention, &layers),
        attention,
        layers,
        dtype,
        fp8_kv: fp8_kv(&quantized, &mut issues),
        context: context(&mut keys),
        vision: top.inner("vision_config").map(vision),
        draft_layers: keys.get("num_nextn_predict_layers").and_then(Value::as_u64).unwrap_or_default().min(MOST_LAYERS),
        encoding: Encoding::of(&quantized),
        architecture: architecture(&top).or_else(|| architecture(&keys)).unwrap_or_default(),
    };
    issues.append(&mut keys.issues);
    Reading { config: Some(config), issues }
}

/// In SGLang's order (`hf_transformers_utils.py: get_context_length`).
const CONTEXT_KEYS: [&str; 6] =
    ["max_sequence_length", "seq_length", "max_seq_len", "model_max_length", "max_position_embeddings", "n_positions"];

const LAYER_KEYS: [&str; 4] = ["num_hidden_layers", "num_layers", "n_layers", "n_layer"];

/// The object that describes the language model inside a multimodal config; `None` where the config is flat.
fn language_model<'a>(top: &Keys<'a>) -> Option<Keys<'a>> {
    let nested = [
        top.inner("thinker_config").and_then(|thinker| thinker.inner("text_config")),
        top.inner("text_config"),
        top.inner("llm_config"),
        top.inner("language_config"),
    ];
    let has_layers = |keys: &Keys| LAYER_KEYS.iter().any(|key| keys.get(key).is_some());
    nested.into_iter().flatten().find(has_layers)
}

/// The attention and what each layer keeps.
fn stack(keys: &mut Keys) -> Result<(Attention, Vec<Layer>), Refusal> {
    if keys.is_true("is_encoder_decoder") || keys.get("decoder_layers").is_some() {
        return Err(refuse(keys, "encoder-decoder attention"));
    }
    let layers = layer_count(keys)?;
    if let Some(found) = hybrid::linear(keys, layers)? {
        return Ok(found);
    }
    let all_full = || (0..layers).map(|_| Layer::Full).collect::<Vec<_>>();
    if keys.says("kv_lora_rank") {
        let latent = latent(keys)?;
        if keys.says("index_topk") {
            only_known(keys, &["kv_lora", "index_topk", "index_head", "indexer_", "index_kpool", "attention_method"])?;
            let head_dim = required(keys, &["index_head_dim"])?;
            let pool = keys.count(&["index_kpool"]).unwrap_or(1);
            let layers = hybrid::indexers(keys, layers * block(keys))?;
            return Ok((Attention::Sparse { latent, indexer: Indexer { head_dim, pool } }, layers));
        }
        only_known(
            keys,
            &["kv_lora", "attention_method", if hybrid::all_full(keys) { "layer_types" } else { "kv_lora" }],
        )?;
        return Ok((Attention::Latent(latent), (0..layers * block(keys)).map(|_| Layer::Full).collect()));
    }
    let full = heads(keys)?;
    if let Some((attention, layers)) = hybrid::sliding(keys, full, layers)? {
        return Ok((attention, layers));
    }
    let known = ["layer_types", "attn_type_list"];
    let known: &[&str] = if hybrid::all_full(keys) { &known } else { &[] };
    only_known(keys, known)?;
    Ok((Attention::Heads(full), all_full()))
}

/// LongCat-Flash counts blocks of two attention layers each.
fn block(keys: &Keys) -> u64 {
    if keys.says("kv_lora_rank") && keys.get("zero_expert_num").is_some() { 2 } else { 1 }
}

fn layer_count(keys: &mut Keys) -> Result<u64, Refusal> {
    let layers = required(keys, &LAYER_KEYS)?;
    if layers > MOST_LAYERS {
        let message = format!("{layers} layers; at most {MOST_LAYERS} are believed");
        return Err(Issue::new("num_hidden_layers", IssueKind::OutOfRange, message));
    }
    Ok(layers)
}

pub(super) fn latent(keys: &mut Keys) -> Result<Latent, Refusal> {
    Ok(Latent { rank: required(keys, &["kv_lora_rank"])?, rope: required(keys, &["qk_rope_head_dim"])? })
}

/// Keys and values of one layer, under the names that public configs use.
pub(super) fn heads(keys: &mut Keys) -> Result<Heads, Refusal> {
    let query_heads = required(keys, &["num_attention_heads", "n_head", "n_heads"])?;
    let kv_heads = if keys.is_true("multi_query") && !keys.is_true("new_decoder_architecture") {
        Some(1)
    } else {
        // In SGLang's order (`get_total_num_kv_heads`).
        let own = ["n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num", "num_attention_groups"];
        let nested = keys.inner("attn_config").and_then(|mut inner| inner.count(&["kv_n_heads"]));
        match own.iter().find(|key| keys.get(key).is_some()) {
            Some(key) => Some(required(keys, &[key])?),
            None => nested,
        }
    };
    let key_dim = match keys.get("head_dim").or_else(|| keys.get("kv_channels")) {
        Some(_) => required(keys, &["head_dim", "kv_channels"])?,
        None => required(keys, &["hidden_size", "n_embd", "d_model"])? / query_heads,
    };
    if key_dim == 0 {
        return Err(Issue::new(
            "hidden_size",
            IssueKind::OutOfRange,
            "hidden_size is smaller than the number of heads",
        ));
    }
    let value_dim = keys.count(&["v_head_dim"]).unwrap_or(key_dim);
    // No key for KV heads means one per query head: the rule of SGLang and of the config classes.
    Ok(Heads { query_heads, kv_heads: kv_heads.unwrap_or(query_heads), key_dim, value_dim })
}

pub(super) fn required(keys: &mut Keys, names: &[&str]) -> Result<u64, Refusal> {
    let before = keys.issues.len();
    match keys.count(names) {
        Some(number) => Ok(number),
        None if keys.issues.len() > before => {
            Err(keys.issues.pop().unwrap_or_else(|| Issue::new("config.json", IssueKind::NotANumber, "not a number")))
        }
        None => {
            let name = names.first().copied().unwrap_or_default();
            let message = format!("no attention kind that is known: {name} is missing{}", seen(keys));
            Err(Issue::new(name, IssueKind::UnknownValue, message))
        }
    }
}

/// Beginnings of keys that announce another way of keeping the past than softmax attention over everything.
const MARKERS: [&str; 53] = [
    "attention_chunk",
    "attention_method",
    "attention_other",
    "attention_type",
    "attn_layer",
    "attn_type",
    "block_types",
    "blocksparse",
    "compress_",
    "compression_",
    "conv_kernel",
    "conv_l_cache",
    "conv_size",
    "cross_attention",
    "d_conv",
    "d_state",
    "delta_",
    "global_att",
    "global_head_dim",
    "griffin",
    "hybrid_",
    "hyena",
    "index_head",
    "index_kpool",
    "index_topk",
    "indexer_",
    "is_hybrid",
    "kda_",
    "kv_lora",
    "kv_shared",
    "layer_group_size",
    "layer_types",
    "layers_block_type",
    "lightning",
    "linear_",
    "local_att",
    "lru_",
    "mamba",
    "mixer",
    "moba",
    "mla_",
    "nsa_",
    "num_global_key",
    "num_kv_shared",
    "recurrent",
    "retention",
    "sparse_att",
    "sparse_config",
    "ssm_",
    "state_size",
    "use_cla",
    "use_linear",
    "window_attention",
];

/// Words that announce one wherever they stand in a key.
const WORDS: [&str; 7] = ["rwkv", "mamba", "retnet", "time_mix", "xlstm", "token_mixer", "deltanet"];

/// Refuses every key that announces an attention kind and is not among the `known` beginnings of this one.
pub(super) fn only_known(keys: &Keys, known: &[&str]) -> Result<(), Refusal> {
    let unknown = keys.names().find(|name| {
        let lower = name.to_ascii_lowercase();
        let marks = MARKERS.iter().any(|marker| lower.starts_with(marker))
            || WORDS.iter().any(|word| json::holds(&lower, word));
        // These say how MLA is computed, not what is kept.
        let harmless = lower.starts_with("mla_") && keys.says("kv_lora_rank");
        marks && !harmless && keys.says(name) && !known.iter().any(|start| lower.starts_with(start))
    });
    match unknown {
        Some(name) => Err(refuse(keys, name)),
        None => Ok(()),
    }
}

pub(super) fn refuse(keys: &Keys, kind: &str) -> Refusal {
    let message = format!("this attention kind is not known ({}){}", shorten(kind, 60), seen(keys));
    Issue::new(kind, IssueKind::UnknownValue, message)
}

/// The keys that could have told the kind, for the message of a refusal.
fn seen(keys: &Keys) -> String {
    const TELLING: [&str; 15] = [
        "attention",
        "attn",
        "block",
        "compress",
        "conv",
        "head",
        "hybrid",
        "index",
        "layer",
        "linear",
        "lora",
        "mamba",
        "ssm",
        "state",
        "window",
    ];
    let names = keys.names().filter(|name| TELLING.iter().any(|word| json::holds(&name.to_ascii_lowercase(), word)));
    let names: Vec<_> = names.map(|name| shorten(name, 40)).take(24).collect();
    if names.is_empty() {
        "; no key of an attention was seen".to_owned()
    } else {
        format!("; seen: {}", names.join(", "))
    }
}

fn architecture(keys: &Keys) -> Option<String> {
    Some(shorten(keys.list("architectures")?.first()?.as_str()?, 80))
}

fn dtype(keys: &Keys, top: &Keys, issues: &mut Vec<Issue>) -> Dtype {
    let name = ["dtype", "torch_dtype"].iter().find_map(|key| keys.text(key).or_else(|| top.text(key)));
    match name.map(|name| name.strip_prefix("torch.").unwrap_or(name)) {
        None | Some("bfloat16") => Dtype::Bfloat16,
        Some("float16" | "half") => Dtype::Float16,
        Some("float32" | "float") => Dtype::Float32,
        Some(other) => {
            let message = format!("type {} is not known; bfloat16 is assumed", shorten(other, 20));
            issues.push(Issue::new("dtype", IssueKind::UnknownValue, message));
            Dtype::Bfloat16
        }
    }
}

/// The context as the same function scales it: a rope factor counts, unless the key beside it is the length that was
/// scaled already.
fn context(keys: &mut Keys) -> Option<u64> {
    let length = keys.count(&CONTEXT_KEYS)?;
    let factor = keys.inner("rope_scaling").filter(|rope| {
        rope.get("original_max_position_embeddings").is_none() && rope.text("rope_type") != Some("llama3")
    });
    let factor = factor.and_then(|rope| rope.get("factor")?.as_f64()).filter(|factor| *factor > 0.0 && *factor < 1e6);
    Some(factor.map_or(length, |factor| (length as f64 * factor) as u64))
}

/// Whether the checkpoint asks for an fp8 cache: by name, or in ModelOpt's flat form by a scheme of 8-bit floats. Other
/// wishes are not known.
fn fp8_kv(keys: &Keys, issues: &mut Vec<Issue>) -> bool {
    let Some(quantization) = keys.inner("quantization_config") else { return false };
    let scheme = quantization.inner("kv_cache_scheme").filter(|_| quantization.get("quant_algo").is_some());
    let bits = scheme.filter(|scheme| scheme.text("type") == Some("float"));
    let algorithm =
        match (quantization.text("kv_cache_quant_algo"), bits.and_then(|mut bits| bits.count(&["num_bits"]))) {
            (Some(name), _) => name,
            (None, Some(8)) => "fp8",
            (None, Some(_)) => "kv_cache_scheme",
            (None, None) => return false,
        };
    if !["fp8", "auto", "none"].iter().any(|known| algorithm.eq_ignore_ascii_case(known)) {
        let message = ["the cache type ", &shorten(algorithm, 20), " is not known; the model's own type is shown"];
        issues.push(Issue::new("kv_cache_quant_algo", IssueKind::UnknownValue, message.concat()));
    }
    algorithm.eq_ignore_ascii_case("fp8")
}

/// SGLang looks for the plain names and falls back to 24 × 1024 (`server_args.py: adjust_mem_fraction_for_vlm`);
/// Kimi-K2.5's class answers to them with what its config calls `vt_…`.
fn vision(mut keys: Keys) -> Vision {
    Vision {
        layers: keys.count(&["vt_num_hidden_layers", "num_hidden_layers"]).unwrap_or(24),
        hidden: keys.count(&["vt_hidden_size", "hidden_size"]).unwrap_or(1024),
    }
}

#[cfg(test)]
mod tests;

//! Keys of a `config.json` that announce a way of keeping the past: what a known kind does not know by them is refused,
//! with the keys that were seen.

use super::Refusal;
use crate::catalog::json::{self, Keys};
use crate::issue::{Issue, IssueKind, shorten};

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
pub(in crate::catalog) fn only_known(keys: &Keys, known: &[&str]) -> Result<(), Refusal> {
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

pub(in crate::catalog) fn refuse(keys: &Keys, kind: &str) -> Refusal {
    let message = format!("this attention kind is not known ({}){}", shorten(kind, 60), seen(keys));
    Issue::new(kind, IssueKind::UnknownValue, message)
}

/// The keys that could have told the kind, for the message of a refusal.
pub(super) fn seen(keys: &Keys) -> String {
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

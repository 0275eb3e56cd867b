//! The bytes of one token in some layers, and of one request's state.

use super::{CellQuery, Term, Version};
use crate::catalog::attention::{Attention, Heads, Indexer, Latent, Layer, Softmax, StateKind};
use crate::catalog::config::ModelConfig;
use crate::decimal;

/// What one number of the cache is kept as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// Two bytes.
    Half,
    /// One byte; scales per tensor cost nothing per token.
    Fp8,
    /// Half a byte and one byte of scale for 16 numbers.
    Fp4,
    /// One byte and one byte of scale for 32 numbers; without the scale in a latent row.
    Mxfp8,
}

/// All layers of one kind on one GPU.
pub(super) fn full_term(attention: Softmax, layers: u64, query: &CellQuery, element: Element) -> Term {
    match attention {
        Softmax::Heads(heads) => heads_term(heads, layers, query, element),
        Softmax::Latent(latent) => latent_term(latent, layers, element),
    }
}

fn heads_term(heads: Heads, layers: u64, query: &CellQuery, element: Element) -> Term {
    let tp = query.attention_tp();
    // Integer floor; below one head per GPU every GPU keeps a copy.
    let kept = (heads.kv_heads / tp).max(1);
    let rules = query.version.rules();
    // Up to 0.5.3 a value counted as wide as a key; since 0.5.21 so does a 4-bit one (`FP4MXBlock16KVCacheMethod`).
    let as_keys = rules <= Version::new(0, 5, 3) || element == Element::Fp4 && rules >= Version::new(0, 5, 21);
    let value_dim = if as_keys { heads.key_dim } else { heads.value_dim };
    let numbers = kept * (heads.key_dim + value_dim) * layers;
    let mut label = counted(layers, "layer");
    label += " × ";
    label += &counted(kept, "KV head");
    if heads.kv_heads < tp {
        label += &[" (", &heads.kv_heads.to_string(), " copied over ", &tp.to_string(), " GPUs)"].concat();
    } else if tp > 1 {
        label += &[" (", &heads.kv_heads.to_string(), " ÷ ", &tp.to_string(), ")"].concat();
    }
    label += &[" × (", &heads.key_dim.to_string(), " + ", &value_dim.to_string(), ")"].concat();
    // `n * head_dim * L * 2 // 16` (0.5.9 `get_cell_size_per_token`).
    let scales = kept * heads.key_dim * layers * 2 / 16;
    let mut term = finish(label, numbers, scales, element);
    // One row of 8 bits that all layers share to read prefills from (`pool_configurator.py`).
    if element == Element::Fp4 && (Version::new(0, 5, 16)..Version::new(0, 5, 21)).contains(&rules) {
        term.label += " + a row to read from";
        term.bytes += (kept * heads.key_dim * 2) as f64;
    }
    term
}

/// All layers of one kind in a split pool, which rounds scales for each layer (`HybridSWAPoolConfigurator`).
pub(super) fn window_term(heads: Heads, layers: u64, query: &CellQuery, element: Element) -> Term {
    let Term { label, .. } = heads_term(heads, layers, query, element);
    Term { label, bytes: heads_term(heads, 1, query, element).bytes * layers as f64 }
}

pub(super) fn latent_term(latent: Latent, layers: u64, element: Element) -> Term {
    let element = if element == Element::Mxfp8 { Element::Fp8 } else { element };
    let row = latent.rank + latent.rope;
    let label = [counted(layers, "layer"), " × ".to_owned(), row_text(latent)].concat();
    finish(label, row * layers, row / 16 * layers, element)
}

fn row_text(latent: Latent) -> String {
    ["(", &latent.rank.to_string(), " + ", &latent.rope.to_string(), ")"].concat()
}

/// `numbers` elements with their scales; `scales` is what FP4 adds.
fn finish(mut label: String, numbers: u64, scales: u64, element: Element) -> Term {
    let bytes = match element {
        Element::Half => {
            label += " × 2 bytes";
            numbers * 2
        }
        Element::Fp8 => {
            label += " × 1 byte";
            numbers
        }
        Element::Fp4 => {
            label += " × ½ byte + 1 byte per 16";
            numbers / 2 + scales
        }
        Element::Mxfp8 => {
            label += " × 1 byte + 1 byte per 32";
            numbers + numbers / 32
        }
    };
    Term { label, bytes: bytes as f64 }
}

/// The MLA row of sparse attention. In fp8 the flashmla layout keeps the rope part in 16 bits and a 4-byte scale for each
/// 128 numbers; up to 0.5.15 SGLang counts the plain row and allocates the larger one.
pub(super) fn sparse_term(latent: Latent, layers: u64, rules: Version, element: Element) -> Term {
    if !matches!(element, Element::Fp8 | Element::Mxfp8) || rules < Version::new(0, 5, 17) {
        return latent_term(latent, layers, element);
    }
    let scales = latent.rank / 128 * 4;
    let bytes = layers * (latent.rank + scales + latent.rope * 2);
    let parts = [
        &counted(layers, "layer"),
        " × (",
        &latent.rank.to_string(),
        " + ",
        &scales.to_string(),
        " scales + ",
        &latent.rope.to_string(),
        " × 2) bytes",
    ];
    Term { label: parts.concat(), bytes: bytes as f64 }
}

/// The indexer keeps fp8 keys and a 4-byte scale for each 128 numbers, whatever the KV type is. That several tokens share a
/// key (`index_kpool`) is counted since 0.5.22 (`pool_configurator.py: _compute_dsa_indexer_cell_size`).
pub(super) fn indexer_term(indexer: Indexer, layers: u64, rules: Version) -> Term {
    let scales = indexer.head_dim / 128 * 4;
    let pool = if rules < Version::new(0, 5, 22) { 1 } else { indexer.pool.max(1) };
    let bytes = layers * (indexer.head_dim + scales).div_ceil(pool);
    let (dim, scales) = (indexer.head_dim.to_string(), scales.to_string());
    let mut label = [counted(layers, "indexer").as_str(), " × (", &dim, " + ", &scales, ") bytes"].concat();
    if pool > 1 {
        label += " ÷ ";
        label += &pool.to_string();
    }
    Term { label, bytes: bytes as f64 }
}

/// Since 0.5.11 a token of the full pool carries its share of the window pool, which makes the cell a fraction.
pub(super) fn shared_pool(term: &Term, ratio: f64) -> Term {
    let label = [decimal::write_trimmed(ratio, 4, 0).as_str(), " × ", &term.label].concat();
    Term { label, bytes: term.bytes * ratio }
}

/// A draft layer is taken to be as wide as the target's: `alone`, `int(cell × d / L)` (since 0.5.22), else `int(cell × (1 + d / L))`,
/// which can be one byte less (`pool_configurator.py: DefaultPoolConfigurator`, 0.5.14 to 0.5.23).
pub(super) fn draft_share(kept: f64, drafts: u64, layers: u64, alone: bool) -> Term {
    let label = ["draft: ", &counted(drafts, "layer"), " as wide as one of the ", &layers.to_string()].concat();
    let (drafts, layers) = (drafts as f64, layers as f64);
    let bytes = if alone { (kept * drafts / layers).trunc() } else { (kept * (1.0 + drafts / layers)).trunc() - kept };
    Term { label, bytes }
}

/// Bytes of state for one request on one GPU: 16-bit convolution windows and the recurrent state
/// (`configs/mamba_utils.py`). Up to 0.5.16 each stage is charged with the states of all, later with `int(all × its share)`
/// (`_handle_max_mamba_cache`).
pub(super) fn state_bytes(model: &ModelConfig, layers: &[Layer], query: &CellQuery) -> u64 {
    let (Attention::Linear { state, .. }, tp) = (model.attention, query.attention_tp()) else { return 0 };
    let (channels, numbers) = match state.kind {
        StateKind::Mamba2 { heads, head_dim, state, groups } => {
            // Groups that cannot be split are padded to one per GPU.
            let groups = if groups.is_multiple_of(tp) { groups } else { tp.max(groups) };
            let channels = product(&[heads, head_dim]).saturating_add(product(&[2, groups, state]));
            (channels / tp, product(&[heads / tp, head_dim, state]))
        }
        StateKind::Delta { key_heads, key_dim, value_heads, value_dim, .. } => {
            let channels = product(&[2, key_heads, key_dim]).saturating_add(product(&[value_heads, value_dim]));
            (channels / tp, product(&[value_heads / tp, value_dim, key_dim]))
        }
    };
    let window = product(&[channels, state.conv_kernel.saturating_sub(1), 2]);
    let count = |layers: &[Layer]| layers.iter().filter(|layer| layer.has_state()).count() as u64;
    let all = count(&model.layers);
    let bytes = product(&[all, window.saturating_add(product(&[numbers, state.element_bytes]))]);
    if query.version.rules() < Version::new(0, 5, 17) || all == 0 {
        return bytes;
    }
    (bytes as f64 * (count(layers) as f64 / all as f64)) as u64
}

fn product(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product: u64, factor| product.saturating_mul(*factor))
}

fn counted(number: u64, thing: &str) -> String {
    [number.to_string().as_str(), " ", thing, if number == 1 { "" } else { "s" }].concat()
}

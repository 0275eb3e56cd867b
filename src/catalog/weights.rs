//! Parameters of a model by what happens to them when it is spread over GPUs, and the bytes that they take.

use super::attention::{Attention, Heads, Latent, Layer, Softmax, StateKind};
use super::json::{self, Keys};

/// Widths of a stack beyond its attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// `hidden_size`.
    pub hidden: u64,
    /// `vocab_size`.
    pub vocab: u64,
    /// Input and output embedding are one tensor.
    pub tied: bool,
    /// Query heads.
    pub query_heads: u64,
    /// `q_lora_rank` of MLA; 0 where the query is not compressed.
    pub query_rank: u64,
    /// `qk_nope_head_dim` of MLA.
    pub key_nope: u64,
    /// `v_head_dim` of MLA.
    pub value_dim: u64,
    /// `intermediate_size` of a dense layer.
    pub intermediate: u64,
    /// Matrices of a feed-forward block: 3 with a gate, 2 without.
    pub matrices: u64,
    /// Layers whose block is dense.
    pub dense_layers: u64,
    /// The mixture of experts, in the other layers.
    pub experts: Experts,
}

/// A mixture of experts; all zero in a dense model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Experts {
    /// Layers that have one.
    pub layers: u64,
    /// Experts of a layer.
    pub count: u64,
    /// Experts that one token goes through.
    pub per_token: u64,
    /// Width of one.
    pub intermediate: u64,
    /// Width of all shared experts of a layer together.
    pub shared: u64,
}

/// `metadata.total_size` of a `model.safetensors.index.json`, bytes: what all tensors of a checkpoint take together. `None`
/// for any other text.
pub fn checkpoint_size(text: &str) -> Option<u64> {
    // A config names no files of weights, and is not read twice for that.
    json::holds(text, "\"weight_map\"").then_some(())?;
    let index = json::object(text.as_bytes(), "index").ok()?;
    let size = index.get("metadata")?.get("total_size")?.as_u64()?;
    (size > 0).then_some(size)
}

/// How a checkpoint stores its matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// 16 bits each.
    Half,
    /// 8 bits for the matrices, 16 for embeddings, norms and routers.
    Fp8,
    /// 4 bits and a 16-bit scale for 32, experts only (compressed-tensors of Kimi-K2.5).
    Int4Experts,
    /// 4 bits and an 8-bit scale for 32, experts only (MXFP4 of gpt-oss).
    Mxfp4Experts,
    /// 4 bits and scales for 128, every matrix (AWQ, GPTQ).
    Int4,
    /// 4 bits and an 8-bit scale for 16, every matrix (NVFP4).
    Nvfp4,
}

impl Encoding {
    /// Bytes of one parameter of an expert.
    fn expert(self) -> f64 {
        match self {
            Self::Half => 2.0,
            Self::Fp8 => 1.0,
            Self::Int4Experts | Self::Nvfp4 => 4.5 / 8.0,
            Self::Mxfp4Experts => 4.25 / 8.0,
            Self::Int4 => 4.16 / 8.0,
        }
    }

    /// Bytes of one parameter of another matrix.
    fn matrix(self) -> f64 {
        match self {
            Self::Int4Experts | Self::Mxfp4Experts => 2.0,
            other => other.expert(),
        }
    }

    /// From `quantization_config`; `None` where its method is not known.
    pub(super) fn of(keys: &Keys) -> Option<Self> {
        let Some(quantization) = keys.inner("quantization_config") else { return Some(Self::Half) };
        let method = quantization.text("quant_method").unwrap_or_default();
        let algorithm = quantization.text("quant_algo").unwrap_or_default();
        match (method, algorithm) {
            ("fp8", _) | (_, "FP8") => Some(Self::Fp8),
            ("mxfp4", _) => Some(Self::Mxfp4Experts),
            ("awq" | "gptq", _) => Some(Self::Int4),
            (_, "NVFP4") => Some(Self::Nvfp4),
            ("compressed-tensors", _) => {
                let groups = quantization.inner("config_groups")?;
                let first = groups.names().next()?;
                let bits = groups.inner(first)?.inner("weights")?.count(&["num_bits"])?;
                let ignored = quantization.list("ignore").unwrap_or_default();
                let attention =
                    ignored.iter().any(|name| name.as_str().is_some_and(|name| json::holds(name, "self_attn")));
                match bits {
                    8 => Some(Self::Fp8),
                    4 if attention => Some(Self::Int4Experts),
                    4 => Some(Self::Int4),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Parameters, counted by how tensor parallelism treats them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parameters {
    /// Input embedding.
    pub embedding: f64,
    /// Output head; 0 where tied.
    pub head: f64,
    /// Attention that is divided over the attention group.
    pub attention: f64,
    /// Key and value projections: divided until every GPU has one head.
    pub key_value: f64,
    /// Compressions of MLA: the same on every GPU.
    pub replicated: f64,
    /// Dense blocks.
    pub dense: f64,
    /// Shared experts.
    pub shared: f64,
    /// Routed experts.
    pub experts: f64,
    /// What chooses among them: the same on every GPU.
    pub routers: f64,
    /// Vision tower: the same on every GPU.
    pub vision: f64,
    /// KV heads, for the division of `key_value`.
    pub kv_heads: u64,
    /// Layers, for the division over pipeline ranks.
    pub layers: u64,
    /// Layers with a dense block.
    pub dense_layers: u64,
    /// Layers with experts.
    pub expert_layers: u64,
}

impl Parameters {
    /// All of them.
    pub fn total(&self) -> f64 {
        let text = self.embedding + self.head + self.attention + self.key_value;
        text + self.replicated + self.dense + self.shared + self.experts + self.routers + self.vision
    }

    /// Counts the parameters of a stack.
    pub fn of(attention: &Attention, layers: &[Layer], shape: &Shape, vision: Option<super::config::Vision>) -> Self {
        let width = |count: u64| count as f64;
        let hidden = width(shape.hidden);
        let mut sum = Self { embedding: width(shape.vocab) * hidden, ..Self::default() };
        sum.head = if shape.tied { 0.0 } else { sum.embedding };
        sum.kv_heads = match attention {
            Attention::Heads(heads) | Attention::Sliding { full: heads, .. } => heads.kv_heads,
            Attention::Linear { full: Softmax::Heads(heads), .. } => heads.kv_heads,
            _ => 1,
        };
        sum.layers = layers.len() as u64;
        for layer in layers {
            sum.add_attention(attention, *layer, shape);
        }
        let matrices = width(shape.matrices) * hidden;
        sum.dense = width(shape.dense_layers) * matrices * width(shape.intermediate);
        let experts = shape.experts;
        (sum.dense_layers, sum.expert_layers) = (shape.dense_layers, experts.layers);
        sum.shared = width(experts.layers) * matrices * width(experts.shared);
        sum.experts = width(experts.layers) * width(experts.count) * matrices * width(experts.intermediate);
        sum.routers = width(experts.layers) * width(experts.count) * hidden;
        sum.vision = vision.map_or(0.0, |tower| 12.0 * width(tower.layers) * width(tower.hidden) * width(tower.hidden));
        sum
    }

    fn add_attention(&mut self, attention: &Attention, layer: Layer, shape: &Shape) {
        if layer.grows() {
            match attention {
                Attention::Heads(heads) | Attention::Linear { full: Softmax::Heads(heads), .. } => {
                    self.add_heads(heads, shape);
                }
                Attention::Sliding { full, sliding, .. } => {
                    self.add_heads(if layer == Layer::Sliding { sliding } else { full }, shape);
                }
                Attention::Latent(latent) | Attention::Linear { full: Softmax::Latent(latent), .. } => {
                    self.add_latent(latent, shape);
                }
                Attention::Sparse { latent, indexer } => {
                    self.add_latent(latent, shape);
                    // 64 indexer heads from the compressed query, one key from the hidden state.
                    self.replicated += product(&[64, indexer.head_dim, shape.query_rank]);
                    self.replicated += product(&[shape.hidden, indexer.head_dim + 64]);
                }
            }
        }
        if let (true, Attention::Linear { state, .. }) = (layer.has_state(), attention) {
            let inner = match state.kind {
                StateKind::Mamba2 { heads, head_dim, state, groups } => {
                    product(&[3, heads, head_dim]) + product(&[2, groups, state]) + product(&[heads])
                }
                StateKind::Delta { key_heads, key_dim, value_heads, value_dim, .. } => {
                    product(&[2, key_heads, key_dim])
                        + product(&[3, value_heads, value_dim])
                        + product(&[2, value_heads])
                }
            };
            self.attention += inner * product(&[shape.hidden]);
        }
    }

    fn add_heads(&mut self, heads: &Heads, shape: &Shape) {
        let row = heads.key_dim + heads.value_dim;
        self.attention += product(&[shape.hidden, heads.query_heads, row]);
        self.key_value += product(&[shape.hidden, heads.kv_heads, row]);
    }

    fn add_latent(&mut self, latent: &Latent, shape: &Shape) {
        let Shape { hidden, query_heads, query_rank, key_nope, value_dim, .. } = *shape;
        let from = if query_rank == 0 { hidden } else { query_rank };
        self.attention += product(&[from, query_heads, key_nope + latent.rope]);
        self.attention += product(&[latent.rank, query_heads, key_nope + value_dim]);
        self.attention += product(&[query_heads, value_dim, hidden]);
        self.replicated += product(&[hidden, query_rank + latent.rank + latent.rope]);
    }

    /// Bytes of the whole checkpoint.
    pub fn bytes(&self, encoding: Encoding) -> f64 {
        self.bytes_per_gpu(encoding, 1, self.layers, 1)
    }

    /// Bytes of the weights of one GPU, on the last pipeline rank, which has most: `most` layers, as many as any rank, and
    /// none of the dense ones that lead a mixture. With data-parallel attention the attention and the input embedding are
    /// divided over fewer GPUs.
    pub fn bytes_per_gpu(&self, encoding: Encoding, tp: u64, most: u64, dp: u64) -> f64 {
        let (tp, dp) = (tp.max(1), dp.max(1));
        let attention_tp = (tp / dp).max(1);
        let kv_tp = attention_tp.min(self.kv_heads.max(1));
        let (wide, narrow) = (tp as f64, attention_tp as f64);
        let part = |some: u64, of: u64| some as f64 / of.max(1) as f64;
        let share = part(most, self.layers);
        // Where some layers have no block at all, the blocks are taken to be spread evenly.
        let (dense_share, expert_share) = if self.dense_layers + self.expert_layers == self.layers {
            let with_experts = most.min(self.expert_layers);
            (part(most - with_experts, self.dense_layers), part(with_experts, self.expert_layers))
        } else {
            (share, share)
        };
        let matrix = encoding.matrix();
        let attention = (self.attention / narrow + self.key_value / kv_tp as f64) * share;
        let blocks = (self.dense * dense_share + self.shared * expert_share) / wide;
        let layers = (attention + blocks) * matrix
            + (self.replicated * share + self.routers * expert_share) * matrix.max(1.0)
            + self.experts * expert_share / wide * encoding.expert();
        let embedding = self.embedding * 2.0 / if dp > 1 { narrow } else { wide };
        let head = self.head * 2.0 / wide;
        let ends = if most < self.layers { embedding.max(head) } else { embedding + head };
        layers + ends + self.vision * 2.0
    }
}

/// Products of widths that strangers wrote leave 64 bits; as `f64` they only lose digits.
pub fn product(factors: &[u64]) -> f64 {
    factors.iter().fold(1.0, |product, factor| product * *factor as f64)
}

/// Reads the widths; `None` where a key that they need is missing.
pub(super) fn shape(keys: &Keys, attention: &Attention, layers: &[Layer]) -> Option<Shape> {
    let mut keys = keys.again();
    let hidden = keys.count(&["hidden_size", "n_embd", "d_model"])?;
    let vocab = keys.count(&["vocab_size"])?;
    let query_heads = keys.count(&["num_attention_heads", "n_head", "n_heads"])?;
    let narrow = |keys: &mut Keys, names: &[&str]| keys.count(names).unwrap_or_default();
    let blocks = match layers.iter().filter(|layer| **layer == Layer::Nothing).count() as u64 {
        0 => layers.len() as u64,
        feed_forward => feed_forward,
    };
    let own = ["moe_intermediate_size", "expert_ffn_hidden_size", "intermediate_size"];
    let mut experts = Experts {
        layers: 0,
        count: narrow(&mut keys, &["n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"]),
        per_token: narrow(
            &mut keys,
            &["num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk"],
        ),
        intermediate: narrow(&mut keys, &own),
        shared: 0,
    };
    let dense_layers = if experts.count > 1 { dense_layers(&mut keys, blocks) } else { blocks };
    experts = if experts.count > 1 {
        let shared = narrow(&mut keys, &["n_shared_experts", "num_shared_experts"]) * experts.intermediate;
        let shared = if shared > 0 { shared } else { narrow(&mut keys, &["shared_expert_intermediate_size"]) };
        Experts { layers: blocks.saturating_sub(dense_layers), shared, ..experts }
    } else {
        Experts::default()
    };
    let mla = matches!(attention, Attention::Latent(_) | Attention::Sparse { .. })
        || matches!(attention, Attention::Linear { full: Softmax::Latent(_), .. });
    let key_nope = if mla { narrow(&mut keys, &["qk_nope_head_dim"]) } else { 0 };
    Some(Shape {
        hidden,
        vocab,
        // Gemma ties without saying so.
        tied: keys.is_true("tie_word_embeddings") || keys.get("query_pre_attn_scalar").is_some(),
        query_heads,
        query_rank: if mla { narrow(&mut keys, &["q_lora_rank"]) } else { 0 },
        key_nope,
        value_dim: if mla { keys.count(&["v_head_dim"]).unwrap_or(key_nope) } else { 0 },
        intermediate: narrow(&mut keys, &["intermediate_size", "ffn_hidden_size", "n_inner"]),
        matrices: if keys.text("mlp_hidden_act") == Some("relu2") { 2 } else { 3 },
        dense_layers,
        experts,
    })
}

/// Layers that have no experts in a model that has some.
fn dense_layers(keys: &mut Keys, blocks: u64) -> u64 {
    let dense = match (keys.list("moe_layer_freq"), keys.list("mlp_only_layers")) {
        (Some(list), _) => list.iter().filter(|value| value.as_u64() == Some(0)).count() as u64,
        (None, Some(list)) if !list.is_empty() => list.len() as u64,
        _ => keys.count(&["first_k_dense_replace"]).unwrap_or_default(),
    };
    dense.min(blocks)
}

//! How a model keeps the past of a request: the numbers that decide the bytes of one token, and nothing else.

/// Attention of a model, from its config's own keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// Keys and values per KV head: multi-head and grouped-query attention.
    Heads(Heads),
    /// One compressed row per token, the same on every GPU of a tensor-parallel group (MLA).
    Latent(Latent),
    /// MLA plus the keys of an indexer that picks the tokens to attend to (DSA, NSA).
    Sparse {
        /// The MLA row.
        latent: Latent,
        /// The indexer's row.
        indexer: Indexer,
    },
    /// Layers that keep everything beside layers that keep a window.
    Sliding {
        /// Layers that keep the whole context.
        full: Heads,
        /// Layers that keep `window` tokens.
        sliding: Heads,
        /// Tokens of the window; 0 where the config does not say.
        window: u64,
    },
    /// Few softmax layers among layers with a state of fixed size per request (Mamba, linear attention).
    Linear {
        /// The softmax layers.
        full: Softmax,
        /// The state of one linear layer.
        state: State,
    },
}

/// The softmax layers of a hybrid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Softmax {
    /// Keys and values per KV head.
    Heads(Heads),
    /// One compressed row per token.
    Latent(Latent),
}

/// Keys and values of one layer, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heads {
    /// Query heads; equal to `kv_heads` in plain multi-head attention.
    pub query_heads: u64,
    /// KV heads over all GPUs.
    pub kv_heads: u64,
    /// Elements of one key.
    pub key_dim: u64,
    /// Elements of one value.
    pub value_dim: u64,
}

/// The row of multi-head latent attention, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latent {
    /// `kv_lora_rank`.
    pub rank: u64,
    /// `qk_rope_head_dim`.
    pub rope: u64,
}

/// The indexer of sparse attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indexer {
    /// `index_head_dim`: elements of one indexer key.
    pub head_dim: u64,
    /// `index_kpool`: tokens that share one indexer key; 1 in most models.
    pub pool: u64,
}

/// The state of one linear layer for one request, over all GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Which recurrence.
    pub kind: StateKind,
    /// Width of the short convolution; its state keeps one element less per channel.
    pub conv_kernel: u64,
    /// Bytes of one element of the recurrent state: 4 unless the config says otherwise.
    pub element_bytes: u64,
}

/// The recurrences that SGLang keeps a state for and whose sizes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateKind {
    /// Mamba-2: `heads × head_dim × state`.
    Mamba2 {
        /// State-space heads.
        heads: u64,
        /// Elements of one head.
        head_dim: u64,
        /// Elements of the state per head element.
        state: u64,
        /// Groups that share B and C.
        groups: u64,
    },
    /// Gated delta rule and Kimi delta attention: `value_heads × value_dim × key_dim`.
    Delta {
        /// Key heads.
        key_heads: u64,
        /// Elements of one key.
        key_dim: u64,
        /// Value heads.
        value_heads: u64,
        /// Elements of one value.
        value_dim: u64,
        /// Kimi delta attention (KDA): for it SGLang captures no prefill graphs.
        kda: bool,
    },
}

impl StateKind {
    /// Whether it is Kimi delta attention.
    pub fn is_kda(self) -> bool {
        matches!(self, Self::Delta { kda: true, .. })
    }
}

/// What one layer of the stack keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// Softmax attention over the whole context.
    Full,
    /// Sparse attention that reuses the choice of an earlier layer and so keeps no indexer key.
    SharedIndex,
    /// Softmax attention over a window.
    Sliding,
    /// A recurrent state only.
    Linear,
    /// Softmax attention and a recurrent state side by side.
    Both,
    /// Nothing: a layer of the feed-forward network counted as a layer.
    Nothing,
}

impl Layer {
    /// Whether the layer takes bytes for every token of the context.
    pub fn grows(self) -> bool {
        !matches!(self, Self::Linear | Self::Nothing)
    }

    /// Whether the layer keeps a recurrent state.
    pub fn has_state(self) -> bool {
        matches!(self, Self::Linear | Self::Both)
    }
}

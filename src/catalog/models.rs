//! Models that people deploy: the numbers of their public `config.json`, and how far they were checked.
//!
//! Written 2026-11. A row's name is the repository of the checkpoint without its `-Instruct`, `-Base` or date, where these
//! change no number here.

mod dense;
mod hybrids;
mod mixtures;

use super::attention::{Attention, Heads, Layer, State, StateKind};
use super::config::{Dtype, ModelConfig, Vision};
use super::weights::{Encoding, Experts, Parameters, Shape};

/// One row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// The id in URLs.
    pub id: &'static str,
    /// The public repository.
    pub name: &'static str,
    /// First of `architectures`.
    pub architecture: &'static str,
    /// Context in tokens.
    pub context: u64,
    /// How one token is kept.
    pub attention: Attention,
    /// Layers.
    pub layers: u64,
    /// What they keep, one letter each and repeated: `F` full, `S` sliding, `L` linear, `-` nothing.
    pub pattern: &'static str,
    /// Layers of the draft model that ships with the checkpoint.
    pub draft_layers: u64,
    /// The vision tower.
    pub vision: Option<Vision>,
    /// The type that weights run in.
    pub dtype: Dtype,
    /// How the published checkpoint stores its matrices.
    pub encoding: Encoding,
    /// Widths beyond attention.
    pub shape: Shape,
    /// Published parameters in thousand millions, without draft layers.
    pub billions: f64,
    /// How far the numbers were checked.
    pub checked: Checked,
}

/// Where the numbers of a row were seen. In every row the parameters add up to the published count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// Nearly every number in public text: the config itself, or the defaults of its config class.
    Text,
    /// The numbers of the attention in public text; the rest adds up.
    Attention,
    /// Cell and weights equal those of a real server.
    Measured,
    /// General knowledge that adds up to the published count of parameters.
    Counted,
}

impl Model {
    /// The row as if its `config.json` had been read.
    pub fn config(&self) -> ModelConfig {
        let letters = self.pattern.chars().cycle().take(self.layers as usize);
        let layer = |letter| match letter {
            'S' => Layer::Sliding,
            'L' => Layer::Linear,
            '-' => Layer::Nothing,
            _ => Layer::Full,
        };
        ModelConfig {
            attention: self.attention,
            layers: letters.map(layer).collect(),
            block: 1,
            dtype: self.dtype,
            fp8_kv: false,
            context: Some(self.context),
            vision: self.vision,
            draft_layers: self.draft_layers,
            shape: Some(self.shape),
            encoding: Some(self.encoding),
            architecture: self.architecture.to_owned(),
        }
    }

    /// Its parameters.
    pub fn parameters(&self) -> Parameters {
        let config = self.config();
        Parameters::of(&self.attention, &config.layers, &self.shape, self.vision)
    }
}

/// The row of this id, or of the repository with this name.
pub fn find(id: &str) -> Option<&'static Model> {
    models().find(|model| [model.id, model.name].iter().any(|name| name.eq_ignore_ascii_case(id)))
}

/// Every row.
pub fn models() -> impl Iterator<Item = &'static Model> {
    dense::DENSE.iter().chain(&mixtures::MIXTURES).chain(&hybrids::HYBRIDS)
}

/// What most rows have in common.
const MODEL: Model = Model {
    id: "",
    name: "",
    architecture: "",
    context: 0,
    attention: Attention::Heads(heads(1, 1, 1, 1)),
    layers: 0,
    pattern: "F",
    draft_layers: 0,
    vision: None,
    dtype: Dtype::Bfloat16,
    encoding: Encoding::Half,
    shape: SHAPE,
    billions: 0.0,
    checked: Checked::Counted,
};

/// What most shapes have in common.
const SHAPE: Shape = Shape {
    hidden: 0,
    vocab: 0,
    tied: false,
    query_heads: 0,
    query_rank: 0,
    key_nope: 0,
    value_dim: 0,
    intermediate: 0,
    matrices: 3,
    dense_layers: 0,
    experts: NO_EXPERTS,
};

const NO_EXPERTS: Experts = Experts { layers: 0, count: 0, per_token: 0, intermediate: 0, shared: 0 };

const fn heads(query_heads: u64, kv_heads: u64, key_dim: u64, value_dim: u64) -> Heads {
    Heads { query_heads, kv_heads, key_dim, value_dim }
}

const fn delta(key_heads: u64, key_dim: u64, value_heads: u64, value_dim: u64, conv_kernel: u64) -> State {
    let kind = StateKind::Delta { key_heads, key_dim, value_heads, value_dim, kda: false };
    State { kind, conv_kernel, element_bytes: 4 }
}

/// Kimi delta attention: as many keys as values, of one width.
const fn kda(heads: u64, dim: u64, conv_kernel: u64) -> State {
    let kind = StateKind::Delta { key_heads: heads, key_dim: dim, value_heads: heads, value_dim: dim, kda: true };
    State { kind, conv_kernel, element_bytes: 4 }
}

const fn mamba2(heads: u64, head_dim: u64, state: u64, groups: u64, conv_kernel: u64) -> State {
    State { kind: StateKind::Mamba2 { heads, head_dim, state, groups }, conv_kernel, element_bytes: 4 }
}

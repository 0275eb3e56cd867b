//! Models without experts.

use super::{Checked, MODEL, Model, SHAPE, heads};
use crate::catalog::attention::{Attention, Latent};
use crate::catalog::config::{Dtype, Vision};
use crate::catalog::weights::Shape;

/// The rows, by id.
pub(super) static DENSE: [Model; 18] = [
    Model {
        id: "gemma-2-27b",
        name: "google/gemma-2-27b",
        architecture: "Gemma2ForCausalLM",
        context: 8192,
        attention: Attention::Heads(heads(32, 16, 128, 128)),
        layers: 46,
        dtype: Dtype::Float32,
        shape: Shape {
            hidden: 4608,
            vocab: 256000,
            tied: true,
            query_heads: 32,
            intermediate: 36864,
            dense_layers: 46,
            ..SHAPE
        },
        billions: 27.2,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "gemma-3-27b",
        name: "google/gemma-3-27b",
        architecture: "Gemma3ForConditionalGeneration",
        // 131072 positions, and a rope scaled by 8.
        context: 1048576,
        attention: Attention::Heads(heads(32, 16, 128, 128)),
        layers: 62,
        vision: Some(Vision { layers: 27, hidden: 1152 }),
        shape: Shape {
            hidden: 5376,
            vocab: 262208,
            tied: true,
            query_heads: 32,
            intermediate: 21504,
            dense_layers: 62,
            ..SHAPE
        },
        billions: 27.4,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "llama-2-7b",
        name: "meta-llama/Llama-2-7b",
        architecture: "LlamaForCausalLM",
        context: 4096,
        attention: Attention::Heads(heads(32, 32, 128, 128)),
        layers: 32,
        dtype: Dtype::Float16,
        shape: Shape { hidden: 4096, vocab: 32000, query_heads: 32, intermediate: 11008, dense_layers: 32, ..SHAPE },
        billions: 6.74,
        ..MODEL
    },
    Model {
        id: "llama-3.1-405b",
        name: "meta-llama/Llama-3.1-405B",
        architecture: "LlamaForCausalLM",
        context: 131072,
        attention: Attention::Heads(heads(128, 8, 128, 128)),
        layers: 126,
        shape: Shape {
            hidden: 16384,
            vocab: 128256,
            query_heads: 128,
            intermediate: 53248,
            dense_layers: 126,
            ..SHAPE
        },
        billions: 405.9,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "llama-3.1-8b",
        name: "meta-llama/Llama-3.1-8B",
        architecture: "LlamaForCausalLM",
        context: 131072,
        attention: Attention::Heads(heads(32, 8, 128, 128)),
        layers: 32,
        shape: Shape { hidden: 4096, vocab: 128256, query_heads: 32, intermediate: 14336, dense_layers: 32, ..SHAPE },
        billions: 8.03,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "llama-3.3-70b",
        name: "meta-llama/Llama-3.3-70B",
        architecture: "LlamaForCausalLM",
        context: 131072,
        attention: Attention::Heads(heads(64, 8, 128, 128)),
        layers: 80,
        shape: Shape { hidden: 8192, vocab: 128256, query_heads: 64, intermediate: 28672, dense_layers: 80, ..SHAPE },
        billions: 70.6,
        ..MODEL
    },
    Model {
        id: "minicpm3-4b",
        name: "openbmb/MiniCPM3-4B",
        architecture: "MiniCPM3ForCausalLM",
        context: 32768,
        attention: Attention::Latent(Latent { rank: 256, rope: 32 }),
        layers: 62,
        shape: Shape {
            hidden: 2560,
            vocab: 73448,
            query_heads: 40,
            query_rank: 768,
            key_nope: 64,
            value_dim: 64,
            intermediate: 6400,
            dense_layers: 62,
            ..SHAPE
        },
        billions: 4.07,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "mistral-7b-v0.3",
        name: "mistralai/Mistral-7B-v0.3",
        architecture: "MistralForCausalLM",
        context: 32768,
        attention: Attention::Heads(heads(32, 8, 128, 128)),
        layers: 32,
        shape: Shape { hidden: 4096, vocab: 32768, query_heads: 32, intermediate: 14336, dense_layers: 32, ..SHAPE },
        billions: 7.25,
        ..MODEL
    },
    Model {
        id: "mistral-small-24b",
        name: "mistralai/Mistral-Small-24B-2501",
        architecture: "MistralForCausalLM",
        context: 32768,
        attention: Attention::Heads(heads(32, 8, 128, 128)),
        layers: 40,
        shape: Shape { hidden: 5120, vocab: 131072, query_heads: 32, intermediate: 32768, dense_layers: 40, ..SHAPE },
        billions: 23.6,
        ..MODEL
    },
    Model {
        id: "phi-4",
        name: "microsoft/phi-4",
        architecture: "Phi3ForCausalLM",
        context: 16384,
        attention: Attention::Heads(heads(40, 10, 128, 128)),
        layers: 40,
        shape: Shape { hidden: 5120, vocab: 100352, query_heads: 40, intermediate: 17920, dense_layers: 40, ..SHAPE },
        billions: 14.7,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "qwen2.5-0.5b",
        name: "Qwen/Qwen2.5-0.5B",
        architecture: "Qwen2ForCausalLM",
        context: 32768,
        attention: Attention::Heads(heads(14, 2, 64, 64)),
        layers: 24,
        shape: Shape {
            hidden: 896,
            vocab: 151936,
            tied: true,
            query_heads: 14,
            intermediate: 4864,
            dense_layers: 24,
            ..SHAPE
        },
        billions: 0.494,
        ..MODEL
    },
    Model {
        id: "qwen2.5-32b",
        name: "Qwen/Qwen2.5-32B",
        architecture: "Qwen2ForCausalLM",
        context: 32768,
        attention: Attention::Heads(heads(40, 8, 128, 128)),
        layers: 64,
        shape: Shape { hidden: 5120, vocab: 152064, query_heads: 40, intermediate: 27648, dense_layers: 64, ..SHAPE },
        billions: 32.8,
        ..MODEL
    },
    Model {
        id: "qwen2.5-72b",
        name: "Qwen/Qwen2.5-72B",
        architecture: "Qwen2ForCausalLM",
        context: 32768,
        attention: Attention::Heads(heads(64, 8, 128, 128)),
        layers: 80,
        shape: Shape { hidden: 8192, vocab: 152064, query_heads: 64, intermediate: 29568, dense_layers: 80, ..SHAPE },
        billions: 72.7,
        ..MODEL
    },
    Model {
        id: "qwen2.5-7b",
        name: "Qwen/Qwen2.5-7B",
        architecture: "Qwen2ForCausalLM",
        context: 131072,
        attention: Attention::Heads(heads(28, 4, 128, 128)),
        layers: 28,
        shape: Shape { hidden: 3584, vocab: 152064, query_heads: 28, intermediate: 18944, dense_layers: 28, ..SHAPE },
        billions: 7.62,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "qwen3-14b",
        name: "Qwen/Qwen3-14B",
        architecture: "Qwen3ForCausalLM",
        context: 40960,
        attention: Attention::Heads(heads(40, 8, 128, 128)),
        layers: 40,
        shape: Shape { hidden: 5120, vocab: 151936, query_heads: 40, intermediate: 17408, dense_layers: 40, ..SHAPE },
        billions: 14.8,
        ..MODEL
    },
    Model {
        id: "qwen3-32b",
        name: "Qwen/Qwen3-32B",
        architecture: "Qwen3ForCausalLM",
        context: 40960,
        attention: Attention::Heads(heads(64, 8, 128, 128)),
        layers: 64,
        shape: Shape { hidden: 5120, vocab: 151936, query_heads: 64, intermediate: 25600, dense_layers: 64, ..SHAPE },
        billions: 32.8,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "qwen3-4b",
        name: "Qwen/Qwen3-4B",
        architecture: "Qwen3ForCausalLM",
        context: 40960,
        attention: Attention::Heads(heads(32, 8, 128, 128)),
        layers: 36,
        shape: Shape {
            hidden: 2560,
            vocab: 151936,
            tied: true,
            query_heads: 32,
            intermediate: 9728,
            dense_layers: 36,
            ..SHAPE
        },
        billions: 4.02,
        ..MODEL
    },
    Model {
        id: "qwen3-8b",
        name: "Qwen/Qwen3-8B",
        architecture: "Qwen3ForCausalLM",
        context: 40960,
        attention: Attention::Heads(heads(32, 8, 128, 128)),
        layers: 36,
        shape: Shape { hidden: 4096, vocab: 151936, query_heads: 32, intermediate: 12288, dense_layers: 36, ..SHAPE },
        billions: 8.19,
        checked: Checked::Attention,
        ..MODEL
    },
];

//! Softmax layers among layers with a state.

use super::{Checked, MODEL, Model, SHAPE, delta, heads, kda, mamba2};
use crate::catalog::attention::{Attention, Latent, Softmax};
use crate::catalog::weights::{Experts, Shape};

/// The rows, by id.
pub(super) static HYBRIDS: [Model; 3] = [
    Model {
        id: "kimi-linear-48b-a3b",
        name: "moonshotai/Kimi-Linear-48B-A3B",
        architecture: "KimiLinearForCausalLM",
        context: 1048576,
        attention: Attention::Linear { full: Softmax::Latent(Latent { rank: 512, rope: 64 }), state: kda(32, 128, 4) },
        layers: 27,
        pattern: "LLLFLLLFLLLFLLLFLLLFLLLFLLF",
        shape: Shape {
            hidden: 2304,
            vocab: 163840,
            query_heads: 32,
            key_nope: 128,
            value_dim: 128,
            intermediate: 9216,
            dense_layers: 1,
            experts: Experts { layers: 26, count: 256, per_token: 8, intermediate: 1024, shared: 1024 },
            ..SHAPE
        },
        billions: 49.1,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "nemotron-nano-9b-v2",
        name: "nvidia/NVIDIA-Nemotron-Nano-9B-v2",
        architecture: "NemotronHForCausalLM",
        context: 131072,
        attention: Attention::Linear {
            full: Softmax::Heads(heads(40, 8, 128, 128)),
            state: mamba2(128, 80, 128, 8, 4),
        },
        layers: 56,
        pattern: "L-L-L-LL-L-L-LF-L-L-LF-L-L-L-LF-L-L-L-LF-L-LL-L-L-L-L-L-",
        shape: Shape {
            hidden: 4480,
            vocab: 131072,
            query_heads: 40,
            intermediate: 15680,
            matrices: 2,
            dense_layers: 25,
            ..SHAPE
        },
        billions: 8.89,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "qwen3-next-80b-a3b",
        name: "Qwen/Qwen3-Next-80B-A3B",
        architecture: "Qwen3NextForCausalLM",
        context: 262144,
        attention: Attention::Linear {
            full: Softmax::Heads(heads(16, 2, 256, 256)),
            state: delta(16, 128, 32, 128, 4),
        },
        layers: 48,
        pattern: "LLLF",
        shape: Shape {
            hidden: 2048,
            vocab: 151936,
            query_heads: 16,
            intermediate: 5120,
            experts: Experts { layers: 48, count: 512, per_token: 10, intermediate: 512, shared: 512 },
            ..SHAPE
        },
        billions: 80.0,
        checked: Checked::Text,
        ..MODEL
    },
];

//! Mixtures of experts.

use super::{Checked, MODEL, Model, SHAPE, heads};
use crate::catalog::attention::{Attention, Indexer, Latent};
use crate::catalog::config::Vision;
use crate::catalog::weights::{Encoding, Experts, Shape};

/// The rows, by id.
pub(super) static MIXTURES: [Model; 16] = [
    Model {
        id: "deepseek-v2-lite",
        name: "deepseek-ai/DeepSeek-V2-Lite",
        architecture: "DeepseekV2ForCausalLM",
        context: 163840,
        attention: Attention::Latent(Latent { rank: 512, rope: 64 }),
        layers: 27,
        shape: Shape {
            hidden: 2048,
            vocab: 102400,
            query_heads: 16,
            key_nope: 128,
            value_dim: 128,
            intermediate: 10944,
            dense_layers: 1,
            experts: Experts { layers: 26, count: 64, per_token: 6, intermediate: 1408, shared: 2816 },
            ..SHAPE
        },
        billions: 15.7,
        checked: Checked::Measured,
        ..MODEL
    },
    Model {
        id: "deepseek-v3",
        name: "deepseek-ai/DeepSeek-V3",
        architecture: "DeepseekV3ForCausalLM",
        context: 163840,
        attention: Attention::Latent(Latent { rank: 512, rope: 64 }),
        layers: 61,
        draft_layers: 1,
        encoding: Encoding::Fp8,
        shape: Shape {
            hidden: 7168,
            vocab: 129280,
            query_heads: 128,
            query_rank: 1536,
            key_nope: 128,
            value_dim: 128,
            intermediate: 18432,
            dense_layers: 3,
            experts: Experts { layers: 58, count: 256, per_token: 8, intermediate: 2048, shared: 2048 },
            ..SHAPE
        },
        billions: 671.0,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "deepseek-v3.2",
        name: "deepseek-ai/DeepSeek-V3.2",
        architecture: "DeepseekV32ForCausalLM",
        context: 163840,
        attention: Attention::Sparse {
            latent: Latent { rank: 512, rope: 64 },
            indexer: Indexer { head_dim: 128, pool: 1 },
        },
        layers: 61,
        draft_layers: 1,
        encoding: Encoding::Fp8,
        shape: Shape {
            hidden: 7168,
            vocab: 129280,
            query_heads: 128,
            query_rank: 1536,
            key_nope: 128,
            value_dim: 128,
            intermediate: 18432,
            dense_layers: 3,
            experts: Experts { layers: 58, count: 256, per_token: 8, intermediate: 2048, shared: 2048 },
            ..SHAPE
        },
        billions: 671.0,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "glm-4.5",
        name: "zai-org/GLM-4.5",
        architecture: "Glm4MoeForCausalLM",
        context: 131072,
        attention: Attention::Heads(heads(96, 8, 128, 128)),
        layers: 92,
        draft_layers: 1,
        shape: Shape {
            hidden: 5120,
            vocab: 151552,
            query_heads: 96,
            intermediate: 12288,
            dense_layers: 3,
            experts: Experts { layers: 89, count: 160, per_token: 8, intermediate: 1536, shared: 1536 },
            ..SHAPE
        },
        billions: 352.8,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "glm-4.5-air",
        name: "zai-org/GLM-4.5-Air",
        architecture: "Glm4MoeForCausalLM",
        context: 131072,
        attention: Attention::Heads(heads(96, 8, 128, 128)),
        layers: 46,
        draft_layers: 1,
        shape: Shape {
            hidden: 4096,
            vocab: 151552,
            query_heads: 96,
            intermediate: 10944,
            dense_layers: 1,
            experts: Experts { layers: 45, count: 128, per_token: 8, intermediate: 1408, shared: 1408 },
            ..SHAPE
        },
        billions: 106.9,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "glm-4.7-flash",
        name: "zai-org/GLM-4.7-Flash",
        architecture: "Glm4MoeLiteForCausalLM",
        context: 202752,
        attention: Attention::Latent(Latent { rank: 512, rope: 64 }),
        layers: 47,
        draft_layers: 1,
        shape: Shape {
            hidden: 2048,
            vocab: 154880,
            query_heads: 20,
            query_rank: 768,
            key_nope: 192,
            value_dim: 256,
            intermediate: 10240,
            dense_layers: 1,
            experts: Experts { layers: 46, count: 64, per_token: 4, intermediate: 1536, shared: 1536 },
            ..SHAPE
        },
        billions: 29.9,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "gpt-oss-120b",
        name: "openai/gpt-oss-120b",
        architecture: "GptOssForCausalLM",
        context: 131072,
        attention: Attention::Sliding { full: heads(64, 8, 64, 64), sliding: heads(64, 8, 64, 64), window: 128 },
        layers: 36,
        pattern: "SF",
        encoding: Encoding::Mxfp4Experts,
        shape: Shape {
            hidden: 2880,
            vocab: 201088,
            query_heads: 64,
            intermediate: 2880,
            experts: Experts { layers: 36, count: 128, per_token: 4, intermediate: 2880, shared: 0 },
            ..SHAPE
        },
        billions: 116.8,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "gpt-oss-20b",
        name: "openai/gpt-oss-20b",
        architecture: "GptOssForCausalLM",
        context: 131072,
        attention: Attention::Sliding { full: heads(64, 8, 64, 64), sliding: heads(64, 8, 64, 64), window: 128 },
        layers: 24,
        pattern: "SF",
        encoding: Encoding::Mxfp4Experts,
        shape: Shape {
            hidden: 2880,
            vocab: 201088,
            query_heads: 64,
            intermediate: 2880,
            experts: Experts { layers: 24, count: 32, per_token: 4, intermediate: 2880, shared: 0 },
            ..SHAPE
        },
        billions: 20.9,
        checked: Checked::Measured,
        ..MODEL
    },
    Model {
        id: "kimi-k2",
        name: "moonshotai/Kimi-K2",
        architecture: "DeepseekV3ForCausalLM",
        context: 131072,
        attention: Attention::Latent(Latent { rank: 512, rope: 64 }),
        layers: 61,
        encoding: Encoding::Fp8,
        shape: Shape {
            hidden: 7168,
            vocab: 163840,
            query_heads: 64,
            query_rank: 1536,
            key_nope: 128,
            value_dim: 128,
            intermediate: 18432,
            dense_layers: 1,
            experts: Experts { layers: 60, count: 384, per_token: 8, intermediate: 2048, shared: 2048 },
            ..SHAPE
        },
        billions: 1026.0,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "kimi-k2.5",
        name: "moonshotai/Kimi-K2.5",
        architecture: "KimiK25ForConditionalGeneration",
        context: 262144,
        attention: Attention::Latent(Latent { rank: 512, rope: 64 }),
        layers: 61,
        vision: Some(Vision { layers: 27, hidden: 1152 }),
        encoding: Encoding::Int4Experts,
        shape: Shape {
            hidden: 7168,
            vocab: 163840,
            query_heads: 64,
            query_rank: 1536,
            key_nope: 128,
            value_dim: 128,
            intermediate: 18432,
            dense_layers: 1,
            experts: Experts { layers: 60, count: 384, per_token: 8, intermediate: 2048, shared: 2048 },
            ..SHAPE
        },
        billions: 1026.0,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "mimo-v2-flash",
        name: "XiaomiMiMo/MiMo-V2-Flash",
        architecture: "MiMoV2FlashForCausalLM",
        context: 262144,
        attention: Attention::Sliding { full: heads(64, 4, 192, 128), sliding: heads(64, 8, 192, 128), window: 128 },
        layers: 48,
        pattern: "FSSSSFSSSSSFSSSSSFSSSSSFSSSSSFSSSSSFSSSSSFSSSSSF",
        shape: Shape {
            hidden: 4096,
            vocab: 152576,
            query_heads: 64,
            intermediate: 16384,
            dense_layers: 1,
            experts: Experts { layers: 47, count: 256, per_token: 8, intermediate: 2048, shared: 0 },
            ..SHAPE
        },
        billions: 309.0,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "minimax-m2",
        name: "MiniMaxAI/MiniMax-M2",
        architecture: "MiniMaxM2ForCausalLM",
        context: 196608,
        attention: Attention::Heads(heads(48, 8, 128, 128)),
        layers: 62,
        encoding: Encoding::Fp8,
        shape: Shape {
            hidden: 3072,
            vocab: 200064,
            query_heads: 48,
            intermediate: 1536,
            experts: Experts { layers: 62, count: 256, per_token: 8, intermediate: 1536, shared: 0 },
            ..SHAPE
        },
        billions: 228.7,
        checked: Checked::Text,
        ..MODEL
    },
    Model {
        id: "mixtral-8x22b",
        name: "mistralai/Mixtral-8x22B",
        architecture: "MixtralForCausalLM",
        context: 65536,
        attention: Attention::Heads(heads(48, 8, 128, 128)),
        layers: 56,
        shape: Shape {
            hidden: 6144,
            vocab: 32000,
            query_heads: 48,
            intermediate: 16384,
            experts: Experts { layers: 56, count: 8, per_token: 2, intermediate: 16384, shared: 0 },
            ..SHAPE
        },
        billions: 140.6,
        ..MODEL
    },
    Model {
        id: "qwen3-235b-a22b",
        name: "Qwen/Qwen3-235B-A22B",
        architecture: "Qwen3MoeForCausalLM",
        context: 40960,
        attention: Attention::Heads(heads(64, 4, 128, 128)),
        layers: 94,
        shape: Shape {
            hidden: 4096,
            vocab: 151936,
            query_heads: 64,
            intermediate: 12288,
            experts: Experts { layers: 94, count: 128, per_token: 8, intermediate: 1536, shared: 0 },
            ..SHAPE
        },
        billions: 235.1,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "qwen3-30b-a3b",
        name: "Qwen/Qwen3-30B-A3B",
        architecture: "Qwen3MoeForCausalLM",
        context: 40960,
        attention: Attention::Heads(heads(32, 4, 128, 128)),
        layers: 48,
        shape: Shape {
            hidden: 2048,
            vocab: 151936,
            query_heads: 32,
            intermediate: 6144,
            experts: Experts { layers: 48, count: 128, per_token: 8, intermediate: 768, shared: 0 },
            ..SHAPE
        },
        billions: 30.5,
        checked: Checked::Attention,
        ..MODEL
    },
    Model {
        id: "qwen3-coder-480b-a35b",
        name: "Qwen/Qwen3-Coder-480B-A35B",
        architecture: "Qwen3MoeForCausalLM",
        context: 262144,
        attention: Attention::Heads(heads(96, 8, 128, 128)),
        layers: 62,
        shape: Shape {
            hidden: 6144,
            vocab: 151936,
            query_heads: 96,
            intermediate: 8192,
            experts: Experts { layers: 62, count: 160, per_token: 8, intermediate: 2560, shared: 0 },
            ..SHAPE
        },
        billions: 480.2,
        ..MODEL
    },
];

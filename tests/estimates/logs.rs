//! What public start-up logs printed of memory before and after the weights: what the estimates are fitted to.

#![allow(clippy::expect_used, reason = "a row that names no model has failed")]

use kv_budget::catalog::config::ModelConfig;
use kv_budget::catalog::models;
use kv_budget::catalog::weights::Encoding;

/// Log, card, ranks, free memory in GiB before the weights.
pub const TOTALS: [(&str, &str, u64, f64); 25] = [
    ("sgl-project/sglang#4895", "rtx-4090", 1, 22.46),
    ("sgl-project/sglang#7691", "mi300x", 8, 188.32),
    ("SemiAnalysisAI/InferenceX#2128, DeepSeek-V4-Pro", "h200", 8, 137.9),
    ("DeepSeek-V4 on 80 GB Hopper, profiling line", "h100", 8, 77.8),
    ("Qwen3-4B on a 5090, 2025-06", "rtx-5090", 1, 30.77),
    ("DeepSeek-R1 on MI308 (192 GB)", "mi300x", 8, 185.27),
    ("QwQ-32B on four L4", "l4", 4, 21.63),
    ("R1-Distill-Qwen-7B on a 24 GB card", "rtx-4090", 1, 22.76),
    ("70B class on H200, 2025-10", "h200", 8, 137.29),
    ("Kimi-K2.5 on MI355X, 2026-02", "mi355x", 8, 283.54),
    ("DeepSeek-V4 on H20, 2026-05", "h20", 8, 93.58),
    ("Qwen3.8-27B-FP8 on H100, 2026-08", "h100", 1, 78.48),
    ("Qwen2.5-0.5B on 80 GB, 2026-02", "h100", 1, 78.43),
    ("gpt-oss-20b on B200, 2025-10", "b200", 1, 177.66),
    ("vllm-project/vllm#49878, free before the weights", "rtx-pro-6000", 1, 93.88),
    ("worked case, baseline-0.88", "rtx-pro-6000", 8, 94.0),
    ("worked case, custom-allreduce-0.55", "rtx-pro-6000", 8, 93.999),
    ("worked case, lowered-0.50", "rtx-pro-6000", 8, 94.0),
    ("worked case, sanity-0.55", "rtx-pro-6000", 8, 94.0),
    ("H200 start L-auto", "h200", 1, 139.194),
    ("H200 start Q-auto", "h200", 1, 139.193),
    ("H200 start D-auto", "h200", 1, 139.193),
    ("H200 start N-f0.5", "h200", 1, 139.193),
    ("H200 start G-auto", "h200", 1, 139.193),
    ("H200 start L-nograph", "h200", 1, 139.193),
];

fn config(id: &str) -> ModelConfig {
    models::find(id).expect("in the table").config()
}

fn encoded(id: &str, encoding: Encoding) -> ModelConfig {
    ModelConfig { encoding: Some(encoding), ..config(id) }
}

/// Log, model, tensor parallelism, memory that the weights took in GiB.
pub fn measured_weights() -> Vec<(&'static str, ModelConfig, u64, f64)> {
    let mut twelve = config("qwen3-next-80b-a3b");
    twelve.layers.truncate(12);
    if let Some(shape) = twelve.shape.as_mut() {
        shape.experts.layers = 12;
    }
    vec![
        ("H200 Llama-3.1-8B", config("llama-3.1-8b"), 1, 15.02),
        ("H200 Qwen3-32B", config("qwen3-32b"), 1, 61.04),
        ("H200 DeepSeek-V2-Lite", config("deepseek-v2-lite"), 1, 29.47),
        ("H200 gpt-oss-20b in 16 bits", encoded("gpt-oss-20b", Encoding::Half), 1, 39.16),
        ("H200 Qwen3-Next cut to 12 layers", twelve, 1, 38.03),
        ("worked case, Kimi-K2.5", config("kimi-k2.5"), 8, 72.30),
        ("Kimi-K2.5 on MI355X", config("kimi-k2.5"), 8, 73.58),
        ("DeepSeek-R1 on MI308", config("deepseek-v3"), 8, 81.66),
        ("QwQ-32B on four L4", config("qwen2.5-32b"), 4, 15.54),
        ("R1-Distill-Qwen-7B", config("qwen2.5-7b"), 1, 14.39),
        ("Qwen2.5-0.5B", config("qwen2.5-0.5b"), 1, 0.98),
        ("Qwen3-4B on a 5090", config("qwen3-4b"), 1, 8.81),
        ("gpt-oss-20b on B200", config("gpt-oss-20b"), 1, 14.53),
        ("gemma-3-27b AWQ on a 4090", encoded("gemma-3-27b", Encoding::Int4), 1, 18.82),
        ("vLLM, Qwen3-8B class", config("qwen3-8b"), 1, 15.27),
        ("vllm-project/vllm#33155, gpt-oss-120b", config("gpt-oss-120b"), 1, 64.38),
        ("vllm-project/vllm#23278, gpt-oss-120b", config("gpt-oss-120b"), 1, 65.97),
        ("vllm-project/vllm#17469, Qwen3-30B-A3B", config("qwen3-30b-a3b"), 4, 14.25),
    ]
}

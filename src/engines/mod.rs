//! What each serving engine does with its memory knob: one file an engine, one vocabulary for all.
//!
//! [`Engine`] and [`EngineFacts`] say in words what a knob is a fraction of, what is subtracted first, and what a refusal
//! asks for. [`evaluate`] answers one question to one engine in the engine's own arithmetic; [`translate`] gives the value of
//! every engine's knob that makes the same pool as an SGLang server, and [`back`](fn@back) is the way back. SGLang itself,
//! whose rules are known by release, is [`sglang`]. Where each rule comes from, and whether it was executed or read, is in
//! each engine's [`EngineFacts`] and at the head of its file.
//!
//! ```
//! // Llama-3.1-8B in vLLM: 40 GiB for the cache are 20,480 blocks of 16 tokens.
//! let query = "engine=vllm&version=0.33.0&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=2\
//!              &block_size=16&max_model_len=8192&avail_bytes=42949672960";
//! let outcome = kv_budget::engines::evaluate(query);
//! assert_eq!((outcome.blocks, outcome.tokens), (Some(20_480), Some(327_680)));
//! ```

mod back;
pub mod cells;
pub mod extra;
mod facts;
mod flag;
mod inputs;
pub mod llama_cpp;
pub mod lmdeploy;
pub mod mlc;
pub mod ollama;
mod outcome;
mod release;
pub mod sglang;
pub mod shape;
pub mod tensorrt_llm;
pub mod tgi;
pub mod translate;
pub mod turbomind;
pub mod vllm;
mod ways;

pub use back::{Back, Strip, back, vllm_strip};
pub use facts::{
    Accepts, Base, Charge, Edge, Engine, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust,
};
pub use inputs::{Inputs, Ranks};
pub use outcome::Outcome;
pub use release::Release;
pub use ways::Way;

/// Answers one query line, `engine=vllm&version=0.33.0&value=0.9&…`. Never fails: what is wrong is in the issues, and
/// nothing that depends on it is answered.
pub fn evaluate(query: &str) -> Outcome {
    let (inputs, mut issues) = Inputs::read(query);
    let mut outcome = inputs.as_ref().map(size).unwrap_or_default();
    issues.append(&mut outcome.issues);
    outcome.issues = issues;
    outcome
}

/// Answers a question that was read.
pub fn size(inputs: &Inputs) -> Outcome {
    match inputs.engine {
        // Its own rules are elsewhere; `Inputs::read` refuses it by name.
        Engine::Sglang => Outcome::default(),
        Engine::Vllm => vllm::size(inputs),
        Engine::TensorrtLlm => tensorrt_llm::size(inputs),
        Engine::LmdeployPytorch => lmdeploy::size_pytorch(inputs),
        Engine::LmdeployTurbomind => turbomind::size(inputs),
        Engine::Tgi => tgi::size(inputs),
        Engine::LlamaCpp => llama_cpp::size(inputs),
        Engine::Ollama => ollama::size(inputs),
        Engine::MlcLlm => mlc::size(inputs),
    }
}

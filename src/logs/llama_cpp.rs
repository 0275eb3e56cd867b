//! llama.cpp's lines and those of its forks: `llama-kv-cache.cpp`, `llama-context.cpp`, `ggml-cuda.cu`, `ggml-alloc.c`.

use super::arguments;
use super::report::{Engine::LlamaCpp, Stage};
use super::rules::{Datum::*, Rule, Signal, exact, memory, whole};

/// One row a line.
pub const RULES: &[Rule] = &[
    Rule::new("llama-server ").of(LlamaCpp).says(&[Signal::Launch]).read(arguments::read_command),
    Rule::new("llama-cli ").of(LlamaCpp).says(&[Signal::Launch]).read(arguments::read_command),
    Rule::new("llama_new_context").of(LlamaCpp).with(&[exact(":n_ctx=", Context), whole(":n_ubatch=", PhysicalBatch)]),
    Rule::new("llama_init_from_model").of(LlamaCpp),
    Rule::new("llama_context:").of(LlamaCpp).with(&[exact(":n_ctx=", Context), whole(":n_ubatch=", PhysicalBatch)]),
    Rule::new("llama_kv_cache").of(LlamaCpp),
    Rule::new("load_tensors:").of(LlamaCpp).says(&[Signal::LoadBegin]),
    Rule::new("llm_load_tensors:").of(LlamaCpp).says(&[Signal::LoadBegin]),
    Rule::new("ggml_backend_cuda").of(LlamaCpp),
    Rule::new("ggml_cuda_compute_forward").of(LlamaCpp).says(&[Signal::Frame(Stage::Running)]),
    Rule::new("cudaMalloc failed").of(LlamaCpp),
    Rule::new("kIOGPUCommandBuffer").of(LlamaCpp).says(&[Signal::Frame(Stage::Running)]),
    Rule::new("ggml_cuda").of(LlamaCpp),
    Rule::new("ggml-cuda").of(LlamaCpp),
    Rule::new("n_ctx_train =").of(LlamaCpp),
    Rule::new("model buffer size").of(LlamaCpp).with(&[memory("buffer size =", Idle)]),
    Rule::new("KV buffer size").of(LlamaCpp).says(&[Signal::LoadEnd]).with(&[memory("buffer size =", DeviceKv)]),
    Rule::new("KV self size").of(LlamaCpp).says(&[Signal::PoolMade]).with(&[memory("self size =", KvSize)]),
    Rule::new("llama_kv_cache")
        .of(LlamaCpp)
        .all(&["cells", "size ="])
        .says(&[Signal::PoolMade])
        .with(&[memory("size =", KvSize)]),
    Rule::new("compute buffer size")
        .of(LlamaCpp)
        .says(&[Signal::CaptureEnd])
        .with(&[memory("buffer size =", ComputeBuffer)]),
    Rule::new("output buffer size").of(LlamaCpp).with(&[memory("buffer size =", Idle)]),
    Rule::new(": allocating ").of(LlamaCpp).all(&["on device"]).with(&[memory("allocating", Tried)]),
    Rule::new("buffer for kv cache").of(LlamaCpp).all(&["failed to allocate"]).says(&[Signal::KvBufferOom]),
    Rule::new("for self-attention cache").of(LlamaCpp).all(&["failed"]).says(&[Signal::KvBufferOom]),
    Rule::new("failed to allocate compute").of(LlamaCpp).says(&[Signal::ComputeBufferOom]),
    Rule::new("ggml_gallocr_reserve").of(LlamaCpp).all(&["failed to allocate"]).says(&[Signal::ComputeBufferOom]),
    Rule::new("alloc_tensor_range: failed").of(LlamaCpp),
    Rule::new("unable to allocate")
        .of(LlamaCpp)
        .all(&["buffer"])
        .none(&["allocate CPU"])
        .says(&[Signal::ModelBufferOom]),
    Rule::new("cpu_buffer_type_alloc_buffer: failed").of(LlamaCpp).says(&[Signal::HostMemory]),
    Rule::new("unable to allocate CPU").of(LlamaCpp).says(&[Signal::HostMemory]),
    // Ollama's own engine.
    Rule::new("memory layout cannot be allocated").of(LlamaCpp).says(&[Signal::ModelBufferOom]),
    Rule::new("insufficient memory - required").of(LlamaCpp).says(&[Signal::ModelBufferOom]),
    Rule::new("error loading model:").of(LlamaCpp).none(&["allocate"]).says(&[Signal::NotMemory]),
    Rule::new("to fit params to free device").of(LlamaCpp).none(&["encountered an error"]).says(&[Signal::FitFailed]),
    Rule::new("to initialize the context:").of(LlamaCpp).none(&["allocate"]).says(&[Signal::NotMemory]),
    Rule::new("retrying without pipeline").of(LlamaCpp).says(&[Signal::Retried]),
    Rule::new("server is listening").of(LlamaCpp).says(&[Signal::Ready]),
    Rule::new("all slots are idle").of(LlamaCpp).says(&[Signal::Ready]),
    Rule::new("llama-server started in").of(LlamaCpp).says(&[Signal::Ready]),
    Rule::new("llama runner started in").of(LlamaCpp).says(&[Signal::Ready]),
    Rule::new("find free space in the KV cache").of(LlamaCpp).says(&[Signal::PoolFull]),
    Rule::new("find a memory slot").of(LlamaCpp).says(&[Signal::PoolFull]),
    Rule::new("find KV cache slot").of(LlamaCpp).says(&[Signal::PoolFull]),
    Rule::new("exceeds the available context")
        .of(LlamaCpp)
        .says(&[Signal::PromptTooLong])
        .with(&[whole("request (", PromptTokens), whole("available context size (", PromptLimit)]),
    // An allocation that failed fails such a check too.
    Rule::new("GGML_ASSERT(").of(LlamaCpp).none(&["(buffer", "addr +"]).says(&[Signal::NotMemory]),
    Rule::new("ErrorDeviceLost").of(LlamaCpp).says(&[Signal::NotMemory]),
    Rule::new("vk::DeviceLostError").of(LlamaCpp).says(&[Signal::NotMemory]),
    Rule::new("V cache requires flash_attn").of(LlamaCpp).says(&[Signal::NotMemory]),
    Rule::new("V cache quantization requires flash_attn").of(LlamaCpp).says(&[Signal::NotMemory]),
];

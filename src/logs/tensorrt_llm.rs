//! TensorRT-LLM's lines: `kvCacheManager.cpp`, `trtGptModelInflightBatching.cpp`, `_util.py`, `resource_manager.py`.

use super::report::Engine::TensorrtLlm;
use super::report::Stage;
use super::rules::{Datum::*, Form, Rule, Signal, exact, field, memory, whole};
use super::{arguments, readers};

/// One row a line.
pub const RULES: &[Rule] = &[
    Rule::new("trtllm-serve").of(TensorrtLlm).says(&[Signal::Launch]).read(arguments::read_command),
    Rule::new("TensorRT-LLM]").of(TensorrtLlm),
    Rule::new("TensorRT-LLM version").of(TensorrtLlm).says(&[Signal::EngineStart]).read(readers::version),
    Rule::new("tensorrt_llm").of(TensorrtLlm),
    Rule::new("[TRT-LLM] ").of(TensorrtLlm),
    Rule::new("free_gpu_mem").none(&["kv_cache_free_gpu_mem_fraction)"]).with(&[
        exact("free_gpu_memory_fraction=", Fraction),
        exact("free_gpu_memory_fraction", TypedFraction),
        exact("free_gpu_mem_fraction:", TypedFraction),
        exact("free_gpu_mem_fraction=", TypedFraction),
    ]),
    Rule::new("freeGpuMemoryFraction").of(TensorrtLlm).with(&[exact("are set (to", Fraction)]),
    Rule::new("free_gpu_memory_fraction and max_tokens are set")
        .of(TensorrtLlm)
        .with(&[exact("are set (to", Fraction)]),
    // Printed before the engine is on the GPU.
    Rule::new("Loaded engine size")
        .of(TensorrtLlm)
        .says(&[Signal::LoadBegin])
        .with(&[memory("engine size:", WeightUsage)]),
    Rule::new("for k/v cache").of(TensorrtLlm).says(&[Signal::PoolMade]).with(&[field(
        "Allocate",
        KvSize,
        Form::Memory,
    )]),
    Rule::new("tokens in paged KV cache").of(TensorrtLlm).says(&[Signal::PoolMade]).with(&[
        whole("Using", Tokens),
        whole("paged KV cache:", Tokens),
        memory("Allocating", KvSize),
    ]),
    Rule::new("Executor creation failed").of(TensorrtLlm).says(&[Signal::Oom]),
    Rule::new("component could not be created:")
        .of(TensorrtLlm)
        .all(&["created: KV cache"])
        .says(&[Signal::Oom, Signal::Frame(Stage::KvPool)]),
    Rule::new("component could not be created:")
        .of(TensorrtLlm)
        .all(&["created: Model"])
        .none(&["created: Model resources"])
        .says(&[Signal::Oom, Signal::Frame(Stage::Weights)]),
    Rule::new("component could not be created:")
        .of(TensorrtLlm)
        .all(&["created: Model resources"])
        .says(&[Signal::PoolMade, Signal::Oom]),
    Rule::new("component could not be created:")
        .of(TensorrtLlm)
        .all(&["created: Draft model"])
        .says(&[Signal::Draft, Signal::Oom]),
    Rule::new("component could not be created:")
        .of(TensorrtLlm)
        .all(&["created: Draft model"])
        .says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("Total GPU memory (GiB)").with(&[memory("Total GPU memory (GiB):", Total)]),
    Rule::new("component creation attempt").with(&[memory("creation attempt (GiB):", Free)]),
    Rule::new("deserialize").of(TensorrtLlm).all(&["engine"]).says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("Engine building failed").of(TensorrtLlm).says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("Requested amount of GPU memory").all(&["could not be allocated"]).says(&[Signal::Oom]),
    Rule::new("graph_warmup").all(&["pyexecutor"]).of(TensorrtLlm).says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("for max tokens in paged KV cache")
        .of(TensorrtLlm)
        .says(&[Signal::PoolMade])
        .with(&[memory("Allocated", KvSize), whole("paged KV cache (", Tokens)]),
    Rule::new("execution context memory")
        .of(TensorrtLlm)
        .says(&[Signal::LoadEnd])
        .with(&[memory("Allocated", ComputeBuffer)]),
    Rule::new("for runtime buffers").of(TensorrtLlm).with(&[memory("Allocated", ComputeBuffer)]),
    Rule::new("memory for decoder").of(TensorrtLlm).with(&[memory("Allocated", ComputeBuffer)]),
    Rule::new("IExecutionContext creation").of(TensorrtLlm).says(&[Signal::LoadEnd]).with(&[field(
        "now: CPU 0, GPU",
        Idle,
        Form::Mebibytes,
    )]),
    Rule::new("load_single_module").of(TensorrtLlm).says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("when calculating max tokens in paged kv cache")
        .of(TensorrtLlm)
        .with(&[memory("total:", Total), memory("available:", Available)]),
    Rule::new("Peak memory during memory usage profiling").of(TensorrtLlm).with(&[
        memory("when calculating max tokens:", Available),
        exact("fraction is set", Fraction),
        exact("kv size per token is", Cell),
        memory("device total memory", Total),
    ]),
    Rule::new("Estimated max memory in KV cache").of(TensorrtLlm).with(&[memory("in KV cache :", Rest)]),
    Rule::new("device quota set to").of(TensorrtLlm).with(&[memory("quota set to", KvSize)]),
    Rule::new("in KV cache primary pool").of(TensorrtLlm).with(&[whole("primary pool:", Blocks)]),
    Rule::new("successfully loaded").all(&["tensorrt_llm"]).of(TensorrtLlm).says(&[Signal::Ready]),
    // Refusals. The spelling "Impossibe" is the older one.
    Rule::new("maxTokensInPagedKvCache")
        .of(TensorrtLlm)
        .all(&["must be large enough"])
        .says(&[Signal::ContextOverPool]),
    Rule::new("maxTokensInPagedKvCache (")
        .of(TensorrtLlm)
        .says(&[Signal::ContextOverPool])
        .with(&[whole("maxTokensInPagedKvCache (", Tokens)]),
    Rule::new("any sequence in kvCache").of(TensorrtLlm).says(&[Signal::ContextOverPool]),
    Rule::new("sequence to fit in kvCache")
        .of(TensorrtLlm)
        .says(&[Signal::ContextOverPool])
        .with(&[whole("they are reduced to", FittingContext)]),
    Rule::new("Invalid freeMemFraction")
        .of(TensorrtLlm)
        .says(&[Signal::FractionOverFree])
        .with(&[exact("freeMemFraction (", Fraction), exact("freeMemFraction, freeMemFraction", Fraction)]),
    Rule::new("No free block found").of(TensorrtLlm).says(&[Signal::PoolFull]),
    Rule::new("Can't allocate new blocks").of(TensorrtLlm).says(&[Signal::PoolFull]),
    Rule::new("exceeds the max sequence length").of(TensorrtLlm).says(&[Signal::NotMemory]),
    Rule::new("exceeds maximum input length").of(TensorrtLlm).says(&[Signal::NotMemory]),
];

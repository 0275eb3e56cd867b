//! vLLM's lines, V0 and V1: `worker.py`, `gpu_worker.py`, `gpu_model_runner.py`, `kv_cache_utils.py`, `core.py`.

use super::report::{Engine::Vllm, Stage};
use super::rules::{Datum::*, Form, Rule, Signal, exact, field, memory, whole};
use super::{arguments, readers};

/// One row a line.
pub const RULES: &[Rule] = &[
    Rule::new("vllm serve")
        .of(Vllm)
        .none(&["is deprecated", "you should provide"])
        .says(&[Signal::Launch])
        .read(arguments::read_command),
    Rule::new("vllm.entrypoints")
        .of(Vllm)
        .none(&["File \"", "is deprecated"])
        .says(&[Signal::Launch])
        .read(arguments::read_command),
    Rule::new("API server version").of(Vllm).says(&[Signal::EngineStart]).read(readers::version),
    Rule::new("engine with config")
        .of(Vllm)
        .all(&["nitializing a"])
        .says(&[Signal::EngineStart])
        .read(readers::version),
    Rule::new("engine (v").of(Vllm).all(&["nitializing a"]).says(&[Signal::EngineStart]).read(readers::version),
    Rule::new("vLLM Version").of(Vllm).read(readers::version),
    Rule::new("non-default args").of(Vllm).says(&[Signal::Arguments]).read(arguments::read),
    Rule::new("args: Namespace(").of(Vllm).says(&[Signal::Arguments]).read(arguments::read),
    Rule::new("gpu-memory-utilization")
        .of(Vllm)
        .none(&["current --gpu", "equivalent to", "ncreas", "ecreas", "lowering"])
        .with(&[exact("gpu-memory-utilization", TypedFraction), exact("gpu-memory-utilization=", TypedFraction)]),
    Rule::new("gpu-memory-utilization").of(Vllm).all(&["current --gpu-memory-utilization="]).with(&[field(
        "current --gpu-memory-utilization=",
        Fraction,
        Form::Rounded,
    )]),
    Rule::new("gpu_memory_utilization=")
        .of(Vllm)
        .none(&["total_gpu_memory="])
        .with(&[exact("gpu_memory_utilization=", Fraction)]),
    Rule::new("gpu_memory_utilization'").of(Vllm).with(&[exact("gpu_memory_utilization':", Fraction)]),
    Rule::new("max-model-len")
        .of(Vllm)
        .none(&["ecreas", "reduc", "ncreas"])
        .with(&[exact("max-model-len", Context), exact("max-model-len=", Context)]),
    Rule::new("max model len").of(Vllm).all(&["Using max model len"]).with(&[whole("Using max model len", Context)]),
    Rule::new("max_seq_len=").of(Vllm).with(&[exact("max_seq_len=", Context)]),
    Rule::new("vllm/v1/").of(Vllm),
    Rule::new("vllm/worker").of(Vllm),
    Rule::new("vllm/engine").of(Vllm),
    // Loading.
    Rule::new("Starting to load model").of(Vllm).says(&[Signal::LoadBegin]),
    Rule::new("Model loading took").of(Vllm).says(&[Signal::LoadEnd]).with(&[memory("loading took", WeightUsage)]),
    Rule::new("model weights took").of(Vllm).says(&[Signal::LoadEnd]).with(&[memory("weights took", WeightUsage)]),
    Rule::new("weights took")
        .of(Vllm)
        .all(&["Loading"])
        .none(&["second"])
        .says(&[Signal::LoadEnd])
        .with(&[memory("weights took", WeightUsage)]),
    // Profiling: V0's one line, its two-line form, V1.
    Rule::new("total_gpu_memory=").of(Vllm).all(&["gpu_memory_utilization="]).with(&[
        memory("total_gpu_memory=", Total),
        memory("kv_cache_size=", Rest),
        field("gpu_memory_utilization=", Fraction, Form::Rounded),
    ]),
    Rule::new("can use total_gpu_memory").of(Vllm).with(&[
        memory("total_gpu_memory (", Total),
        field("gpu_memory_utilization (", Fraction, Form::Rounded),
        memory(")=", Desired),
    ]),
    Rule::new("memory reserved for KV Cache")
        .of(Vllm)
        .with(&[memory("model weights take", WeightUsage), memory("memory reserved for KV Cache is", Rest)]),
    // Profiling is over.
    Rule::new("Available KV cache memory").of(Vllm).says(&[Signal::PoolMade]).with(&[memory("KV cache memory:", Rest)]),
    Rule::new("memory for KV Cache as specified")
        .of(Vllm)
        .with(&[memory("Initial free memory", Idle), memory("reserved", KvSize)]),
    Rule::new("Estimated CUDA graph").of(Vllm).with(&[memory("graph memory:", Idle)]),
    Rule::new("npu blocks:").of(Vllm).says(&[Signal::PoolMade]).with(&[whole("# npu blocks:", Blocks)]),
    Rule::new("xpu blocks:").of(Vllm).says(&[Signal::PoolMade]).with(&[whole("# xpu blocks:", Blocks)]),
    Rule::new("hpu blocks:").of(Vllm).says(&[Signal::PoolMade]).with(&[whole("# hpu blocks:", Blocks)]),
    Rule::new("gpu-memory-utilization:").of(Vllm).with(&[exact("gpu-memory-utilization:", TypedFraction)]),
    Rule::new("gpu_memory_utilization\"").of(Vllm).with(&[exact("gpu_memory_utilization\":", Fraction)]),
    Rule::new("GPU blocks:").of(Vllm).says(&[Signal::PoolMade]).with(&[whole("# GPU blocks:", Blocks)]),
    Rule::new("cuda blocks:").of(Vllm).says(&[Signal::PoolMade]).with(&[whole("# cuda blocks:", Blocks)]),
    Rule::new("KV cache size:").of(Vllm).says(&[Signal::PoolMade]).with(&[whole("KV cache size:", Tokens)]),
    Rule::new("Maximum concurrency for").of(Vllm).with(&[whole("concurrency for", Context)]),
    Rule::new("Graph capturing finished").of(Vllm).says(&[Signal::CaptureEnd]).with(&[memory("took", CaptureUsed)]),
    Rule::new("Capturing the model for CUDA").of(Vllm).says(&[Signal::CaptureBegin]),
    Rule::new("Capturing cudagraphs").of(Vllm).says(&[Signal::CaptureBegin]),
    Rule::new("Capturing CUDA graph").of(Vllm).says(&[Signal::CaptureBegin]),
    // Refusals.
    Rule::new("No available memory for the cache").of(Vllm).says(&[Signal::NoRoom]),
    Rule::new("to serve even a single token").of(Vllm).says(&[Signal::NoRoom]),
    // MLC LLM, whose share is of the same kind.
    Rule::new("Insufficient GPU memory error").says(&[Signal::NoRoom]),
    Rule::new("estimate KV cache capacity").says(&[Signal::NoRoom]),
    Rule::new("Free memory on device")
        .of(Vllm)
        .all(&["less than desired"])
        .says(&[Signal::FractionOverFree])
        .read(readers::free_on_device),
    Rule::new("less than desired GPU").of(Vllm).says(&[Signal::FractionOverFree]),
    // The flag is a share of the host's memory there.
    Rule::new("less than desired CPU").of(Vllm).says(&[Signal::FractionOverFree]),
    Rule::new("less than the engine's budget").of(Vllm).says(&[Signal::FractionOverFree]),
    Rule::new("exceed the desired GPU memory").of(Vllm).says(&[Signal::NoRoom]),
    Rule::new("available Mamba cache blocks").of(Vllm).all(&["exceeds"]).says(&[Signal::StateSlotsFull]),
    Rule::new("Error in memory profiling").of(Vllm).says(&[Signal::OthersMoved]),
    Rule::new("To serve at least one").of(Vllm).says(&[Signal::ContextOverPool]).with(&[
        whole("max seq len (", Context),
        memory("),(", NeedKv),
        memory("),", NeedKv),
        memory("KV cache memory (", Rest),
        whole("maximum model length is", FittingContext),
    ]),
    Rule::new("larger than the maximum number of tokens")
        .of(Vllm)
        .says(&[Signal::ContextOverPool])
        .with(&[whole("max seq len (", Context), whole("in KV cache (", Tokens)]),
    Rule::new("the capacity of block_manager").of(Vllm).says(&[Signal::ContextOverPool]),
    Rule::new("KV cache is needed").of(Vllm).says(&[Signal::ContextOverPool]),
    Rule::new("estimated maximum model length").of(Vllm).with(&[whole("maximum model length is", FittingContext)]),
    Rule::new("warming up sampler")
        .of(Vllm)
        .all(&["out of memory"])
        .says(&[Signal::WarmupOom])
        .with(&[whole("sampler with", MaxRunningRequests)]),
    Rule::new("warming up pooler").of(Vllm).all(&["out of memory"]).says(&[Signal::WarmupOom]),
    Rule::new("EngineCore failed to start").of(Vllm).says(&[Signal::Traceback]),
    Rule::new("EngineCore hit an exception").of(Vllm).says(&[Signal::Traceback]),
    Rule::new("WorkerProc hit an exception").of(Vllm).says(&[Signal::Traceback]),
    Rule::new("core initialization failed").of(Vllm).says(&[Signal::Died]),
    Rule::new("WorkerProc failed to start").of(Vllm).says(&[Signal::Died]),
    Rule::new("preempted by").of(Vllm).all(&["not enough KV cache space"]).says(&[Signal::PoolFull]),
    Rule::new("enough KV cache space").of(Vllm).all(&["preempted"]).says(&[Signal::PoolFull]),
    Rule::new("no module or parameter").says(&[Signal::NotMemory]),
    Rule::new("maximum context length").says(&[Signal::NotMemory]).all(&["tokens"]),
    Rule::new("However, you requested").says(&[Signal::NotMemory]),
    Rule::new("Starting vLLM").of(Vllm).all(&["on http"]).says(&[Signal::Ready]),
    Rule::new("prompt throughput").of(Vllm).says(&[Signal::Serving]),
    // A span of Text Generation Inference; its warm-up has another name.
    Rule::new("batch{batch_size=").says(&[Signal::Serving]),
    Rule::new("mid-request").says(&[Signal::Serving]),
    // A worker says which method failed before it prints the traceback: how far it had come.
    Rule::new("executing method").of(Vllm).all(&["load_model"]).says(&[Signal::LoadBegin]),
    Rule::new("executing method").of(Vllm).all(&["determine_"]).says(&[Signal::LoadEnd]),
    Rule::new("executing method").of(Vllm).all(&["compile_or_warm_up"]).says(&[Signal::PoolMade]),
    Rule::new("executing method").of(Vllm).all(&["execute_model"]).says(&[Signal::Serving]),
    Rule::new("processing method").of(Vllm).all(&["load_model"]).says(&[Signal::LoadBegin]),
    Rule::new("processing method").of(Vllm).all(&["determine_"]).says(&[Signal::LoadEnd]),
    Rule::new("processing method").of(Vllm).all(&["compile_or_warm_up"]).says(&[Signal::PoolMade]),
    Rule::new("processing method").of(Vllm).all(&["execute_model"]).says(&[Signal::Serving]),
    // Frames.
    Rule::new("model_executor/models/").of(Vllm).read(readers::layers),
    Rule::new("Failed to create unquantized").of(Vllm).says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("profile_run").says(&[Signal::Profiling, Signal::Frame(Stage::Weights)]),
    Rule::new("determine_available_memory").of(Vllm).says(&[Signal::Profiling, Signal::Frame(Stage::Weights)]),
    Rule::new("determine_num_available_blocks").of(Vllm).says(&[Signal::Profiling, Signal::Frame(Stage::Weights)]),
    Rule::new("in capture_model").of(Vllm).says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("compile_or_warm_up").of(Vllm).says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("in initialize_kv_cache").of(Vllm).says(&[Signal::Frame(Stage::KvPool)]),
    Rule::new("cache_engine.py\",").of(Vllm).says(&[Signal::Frame(Stage::KvPool)]),
    Rule::new("_allocate_kv_cache").of(Vllm).says(&[Signal::Frame(Stage::KvPool)]),
    // Before anything of this server is on the device.
    Rule::new("in init_device").of(Vllm).none(&["init_device_"]).says(&[Signal::Frame(Stage::Init)]),
    Rule::new("run_busy_loop").of(Vllm).says(&[Signal::Frame(Stage::Running)]),
    Rule::new("_process_engine_step").of(Vllm).says(&[Signal::Frame(Stage::Running)]),
    Rule::new("in execute_model").of(Vllm).none(&["profile", "dummy"]).says(&[Signal::Frame(Stage::Running)]),
];

//! SGLang's lines, 0.1 to 0.5.23: `model_runner.py` and its mixins, `memory_pool.py`, the graph runners, `scheduler.py`.
//! "GB" is GiB (bytes / 2^30) in every one of them.

use super::report::{Engine::Sglang, Stage};
use super::rules::{Consumer, Datum::*, Form, Rule, Signal, exact, field, memory, whole};
use super::{arguments, readers};

/// Texts that name the flag without being a command line.
const ADVICE: &[&str] = &[
    "Not enough memory",
    "leave no GPU memory",
    "set --mem-fraction-static",
    "increase --mem-fraction-static",
    "smaller --mem-fraction-static",
    "reduce --mem-fraction-static",
    "Try: (1)",
    "Raise --mem-fraction-static",
];

/// One row a line.
pub const RULES: &[Rule] = &[
    // Arguments: a dataclass repr up to 0.5.17, a dict of resolved values since 0.5.19.
    Rule::new("server_args=").of(Sglang).says(&[Signal::Arguments]).read(arguments::read),
    Rule::new("sglang.launch_server")
        .of(Sglang)
        // A shell names the command that has ended: `run.sh: line 31:  2467 Killed   python3 -m …`.
        .none(&["still supported", "compile_deep_gemm", "UserWarning", "File \"", "Killed python"])
        .says(&[Signal::Launch])
        .read(arguments::read_command),
    Rule::new("sglang serve")
        .of(Sglang)
        .all(&["--"])
        .none(&["recommended", "Example:", "Killed sglang"])
        .says(&[Signal::Launch])
        .read(arguments::read_command),
    Rule::new("sglang==").of(Sglang).read(readers::version),
    Rule::new("sglang: 0.").of(Sglang).read(readers::version),
    Rule::new("sglang/srt").of(Sglang),
    Rule::new("mem-fraction-static").of(Sglang).none(ADVICE).with(&[
        exact("mem-fraction-static", TypedFraction),
        exact("mem-fraction-static=", TypedFraction),
        exact("mem-fraction-static-", TypedFraction),
    ]),
    Rule::new("mem-fraction-static:").of(Sglang).none(ADVICE).with(&[exact("mem-fraction-static:", TypedFraction)]),
    // As argparse lets it be shortened.
    Rule::new("--mem-fr").of(Sglang).none(ADVICE).with(&[
        exact("--mem-fraction", TypedFraction),
        exact("--mem-fraction=", TypedFraction),
        exact("--mem-frac", TypedFraction),
        exact("--mem-frac=", TypedFraction),
    ]),
    Rule::new("mem_fraction_static\"").of(Sglang).with(&[exact("mem_fraction_static\":", Fraction)]),
    Rule::new("mem_fraction_static=")
        .of(Sglang)
        .none(&["available_gpu_memory=", "post_model_load_memory="])
        .with(&[exact("mem_fraction_static=", Fraction)]),
    Rule::new("mem_fraction_static'").of(Sglang).with(&[exact("mem_fraction_static':", Fraction)]),
    Rule::new("Automatically reduce --mem-fraction-static").of(Sglang).says(&[Signal::FractionReduced]).with(&[field(
        "reduce --mem-fraction-static to",
        Fraction,
        Form::Rounded,
    )]),
    // Before and after the weights.
    Rule::new("Init torch distributed").of(Sglang).with(&[memory("mem usage=", Idle)]),
    Rule::new("Memory baseline taken").of(Sglang).with(&[memory("mem usage=", Idle)]),
    Rule::new("Init torch begin").of(Sglang).with(&[memory("Avail mem=", Idle)]),
    Rule::new("Init torch end").of(Sglang).with(&[memory("Avail mem=", Idle)]),
    Rule::new("oad weight begin")
        .of(Sglang)
        .says(&[Signal::LoadBegin])
        .with(&[memory("avail mem=", Total), memory("Avail mem=", Total)]),
    Rule::new("oad weight end").of(Sglang).says(&[Signal::LoadEnd]),
    // With both lines run together the first of two equal names is the begin line's.
    Rule::new("oad weight end").of(Sglang).none(&["oad weight begin"]).with(&[
        memory("avail mem=", Available),
        memory("Avail mem=", Available),
        memory("mem usage=", WeightUsage),
    ]),
    Rule::new("vail mem=").of(Sglang),
    Rule::new("em usage=").of(Sglang),
    // What profiling printed, and what a person printed while debugging it.
    Rule::new("total_gpu_memory=").of(Sglang).all(&["available_gpu_memory="]).with(&[
        memory("available_gpu_memory=", Available),
        memory("total_gpu_memory=", Total),
        field("mem_fraction_static=", Fraction, Form::Rounded),
        memory("rest_memory=", Rest),
    ]),
    Rule::new("pre_model_load_memory=").of(Sglang).all(&["post_model_load_memory="]).with(&[
        memory("post_model_load_memory=", Available),
        memory("pre_model_load_memory=", Total),
        field("mem_fraction_static=", Fraction, Form::Rounded),
        memory("rest_memory=", Rest),
    ]),
    Rule::new("profile_max_num_token").of(Sglang).all(&["total="]).with(&[
        memory("avail=", Available),
        memory("available=", Available),
        memory("total=", Total),
        exact("fraction=", Fraction),
        memory("rest=", Rest),
        exact("cell_size=", Cell),
        whole("max_tokens=", ProfiledTokens),
    ]),
    // SGLang on JAX.
    Rule::new("TPU Memory profiling").of(Sglang).with(&[
        memory("available_kv_cache=", Rest),
        exact("cell_size=", Cell),
        whole("max_tokens=", ProfiledTokens),
    ]),
    Rule::new("max_total_num_tokens:").of(Sglang).with(&[whole("max_total_num_tokens:", Tokens)]),
    Rule::new("bytes_per_full_token=").of(Sglang).with(&[
        exact("bytes_per_full_token=", Cell),
        memory("available_bytes=", Rest),
        whole(",full_token=", FullTokens),
    ]),
    Rule::new("pool sizes: full=").of(Sglang).with(&[whole("pool sizes: full=", FullTokens)]),
    Rule::new("total_tokens=")
        .of(Sglang)
        .all(&["larger than the profiled value"])
        .says(&[Signal::Capped])
        .with(&[whole("larger than the profiled value", ProfiledTokens)]),
    // Pools.
    Rule::new("Cache is allocated")
        .of(Sglang)
        .all(&["KV Cache is allocated"])
        .says(&[Signal::PoolMade])
        .read(readers::pool),
    Rule::new("Post-capture KV sizing")
        .of(Sglang)
        .all(&["#tokens:"])
        .says(&[Signal::PoolMade])
        .with(&[whole("#tokens:", Tokens), memory("KV size:", KvSize)]),
    Rule::new("VA upper bound").of(Sglang).all(&["#tokens"]).says(&[Signal::PoolMade]).read(readers::pool),
    Rule::new("Cache is allocated").of(Sglang).all(&["Mamba Cache"]).with(&[
        whole("max_mamba_cache_size:", StateSlots),
        memory("conv_state size:", StateSize),
        memory(",ssm_state size:", StateSize),
        memory("intermediate_ssm_state_cache size:", StateSize),
        memory("intermediate_conv_window_cache size:", StateSize),
    ]),
    Rule::new("_layer_tokens").of(Sglang).all(&["full_layer_tokens="]).with(&[whole("full_layer_tokens=", FullTokens)]),
    Rule::new("SWAKVPool").of(Sglang).with(&[whole("full size:", FullTokens), memory("mem usage:", Idle)]),
    Rule::new("Memory pool end").of(Sglang).says(&[Signal::PoolEnd]).with(&[memory("avail mem=", PoolEnd)]),
    Rule::new("KV budget for post-sizing").of(Sglang).with(&[memory("Reserving", Reserve)]),
    Rule::new("symmetric memory pool").of(Sglang).with(&[memory("memory pool with", Idle)]),
    Rule::new("host memory for hierarchical")
        .of(Sglang)
        .says(&[Signal::Consumer(Consumer::HostPool)])
        .with(&[memory("Allocating", Idle)]),
    // Graphs: "cuda graph" to 0.5.13, "target decode CUDA graph" since 0.5.14, "NPU graph" on Ascend.
    Rule::new("graph begin")
        .all(&["Capture"])
        .of(Sglang)
        .says(&[Signal::CaptureBegin])
        .with(&[memory("avail mem=", Idle)]),
    Rule::new("prefill CUDA graph begin").of(Sglang).says(&[Signal::PrefillCapture]),
    Rule::new("decode CUDA graph begin").of(Sglang).says(&[Signal::DecodeCapture]),
    Rule::new("graph end")
        .all(&["Capture"])
        .of(Sglang)
        .says(&[Signal::CaptureEnd])
        .with(&[memory("mem usage=", CaptureUsed), memory("avail mem=", CaptureLeft)]),
    Rule::new("Capturing batches")
        .of(Sglang)
        .says(&[Signal::Capturing])
        .with(&[memory("avail_mem=", Idle), whole("(bs=", GraphBatch)]),
    Rule::new("Capturing num tokens").of(Sglang).says(&[Signal::Capturing]).with(&[memory("avail_mem=", Idle)]),
    Rule::new("Capture draft").of(Sglang).says(&[Signal::Draft]),
    Rule::new("cuda-graph-max-bs-decode").of(Sglang).says(&[Signal::DecodeFlag]),
    Rule::new("graph failed").all(&["Capture"]).says(&[Signal::CaptureFailed]),
    Rule::new("npu graph failed").says(&[Signal::CaptureFailed]),
    Rule::new("raph capture failed").says(&[Signal::CaptureFailed]),
    Rule::new("Fail when using backend").of(Sglang).says(&[Signal::CaptureFailed]),
    // Ready.
    Rule::new("total_num_tokens=").of(Sglang).says(&[Signal::Ready]).with(&[
        whole("max_total_num_tokens=", Tokens),
        whole("max_running_requests=", MaxRunningRequests),
        whole("context_len=", Context),
        memory("available_gpu_mem=", AvailableAtEnd),
    ]),
    // Before 0.1.13.
    Rule::new("total_num_token=")
        .of(Sglang)
        .says(&[Signal::Ready])
        .with(&[whole("max_total_num_token=", Tokens), whole("context_len=", Context)]),
    Rule::new("is fired up and ready").of(Sglang).says(&[Signal::Ready]),
    Rule::new("startup complete").says(&[Signal::Ready]),
    // Refusals.
    Rule::new("enough memory").of(Sglang).all(&["increase --mem-fraction-static"]).says(&[Signal::NoRoom]),
    Rule::new("enough memory").of(Sglang).all(&["Not enough memory. Please try to"]).says(&[Signal::NoRoom]),
    // The earliest spelling is "enought".
    Rule::new("try to increase --mem-fraction-static").of(Sglang).says(&[Signal::NoRoom]),
    Rule::new("minimum viable")
        .of(Sglang)
        .says(&[Signal::NoRoom])
        .with(&[exact("under --mem-fraction-static=", Fraction), field("available/pre=", MinFraction, Form::Rounded)]),
    // As a person shortens it.
    Rule::new("minimum viable").none(&["viable = 1"]).with(&[field("minimum viable =", MinFraction, Form::Rounded)]),
    Rule::new("Loaded weights leave").of(Sglang).says(&[Signal::NoRoom, Signal::WeightsLeaveNone]).with(&[
        exact("under --mem-fraction-static=", Fraction),
        exact("Raise --mem-fraction-static above", AdvisedFraction),
    ]),
    Rule::new("enough GPU memory")
        .of(Sglang)
        .all(&["state cache"])
        .says(&[Signal::NoRoomForState])
        .with(&[memory("total_rest_memory=", Rest), whole("max_mamba_cache_size=", StateSlots)]),
    Rule::new("total_rest_memory=").of(Sglang).with(&[memory("total_rest_memory=", Rest)]),
    Rule::new("too small to serve any").of(Sglang).says(&[Signal::NoRoomForState]),
    Rule::new("cannot hold even one request").of(Sglang).says(&[Signal::NoRoomForState]),
    Rule::new("leaves no room for the full KV pool").of(Sglang).says(&[Signal::NoRoomForState]),
    Rule::new("max_running_request is zero").of(Sglang).says(&[Signal::NoRoom]),
    Rule::new("Memory pool size is too small").of(Sglang).says(&[Signal::NoRoom]),
    Rule::new("mamba ping pong").of(Sglang).says(&[Signal::StateSlotsFull]),
    Rule::new("for mamba cache").of(Sglang).all(&["Not enough space"]).says(&[Signal::StateSlotsFull]),
    Rule::new("mamba-full-memory-ratio").of(Sglang).all(&["Not enough space"]).says(&[Signal::StateSlotsFull]),
    Rule::new("capacity is unbalanced").of(Sglang).read(readers::unbalanced).with(&[
        exact("min_per_gpu_memory=", Total),
        exact("pre_model_load_memory=", Total),
        exact(",local_gpu_memory=", LargestGpu),
    ]),
    // Tokens, not bytes.
    Rule::new("space left for only one request").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("#retracted_reqs").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("after retracting all other").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("aborted last request").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("insufficient free VRAM").of(Sglang).says(&[Signal::Oom]),
    Rule::new("cache pool is full").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("KV cache is full! Bug").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("ecode out of memory").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("refill out of memory").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("out of memory. Try to lower your batch").of(Sglang).says(&[Signal::PoolFull]),
    Rule::new("exceeds the maximum allowed")
        .of(Sglang)
        .none(&["allowed count"])
        .says(&[Signal::PromptTooLong])
        .with(&[whole("Input length (", PromptTokens), whole("allowed length (", PromptLimit)]),
    Rule::new("longer than the KV cache pool")
        .of(Sglang)
        .says(&[Signal::PromptTooLong])
        .with(&[whole("origin_input_ids)=", PromptTokens), whole("max_req_input_len=", PromptLimit)]),
    Rule::new("Multimodal prompt is too long")
        .of(Sglang)
        .says(&[Signal::PromptTooLong])
        .with(&[whole("=>", PromptTokens), whole(">=", PromptLimit)]),
    Rule::new("KVTransferError").of(Sglang).says(&[Signal::NotMemory]),
    Rule::new("Transfer Engine initialization failed").of(Sglang).says(&[Signal::NotMemory]),
    Rule::new("longer than the model's context").says(&[Signal::NotMemory]),
    Rule::new("Rank 0 scheduler").of(Sglang).says(&[Signal::Died]),
    Rule::new("Scheduler hit an exception").of(Sglang).says(&[Signal::Traceback]),
    Rule::new("SIGQUIT received").of(Sglang).says(&[Signal::Died]),
    Rule::new("Received sigquit").of(Sglang).says(&[Signal::Died]),
    // Frames that tell the stage or the consumer.
    Rule::new("in prealloc_symmetric_memory")
        .says(&[Signal::Consumer(Consumer::SymmetricMemory), Signal::Frame(Stage::GraphCapture)]),
    Rule::new("in init_torch_distributed").says(&[Signal::Frame(Stage::Init)]),
    Rule::new("/srt/models/").of(Sglang).read(readers::layers),
    // Adapters' buffers come before the pool is sized.
    Rule::new("in init_lora_manager").says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("memory_pool_host").says(&[Signal::Consumer(Consumer::HostPool)]),
    Rule::new("cuda_graph_runner").says(&[Signal::Frame(Stage::GraphCapture)]).none(&["can_run", "replay", "import"]),
    Rule::new("init_device_graphs").says(&[Signal::Frame(Stage::GraphCapture)]),
    // Between the pools and the graphs.
    Rule::new("in init_attention_backend").says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("in kernel_warmup").says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("_flashinfer_autotune").says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("npu_graph_runner").says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("init_cuda_graphs").says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("self.req_to_token = torch").says(&[Signal::Frame(Stage::KvPool)]),
    Rule::new("in init_memory_pool").says(&[Signal::Frame(Stage::KvPool)]),
    Rule::new("in _init_mamba_pool").says(&[Signal::Frame(Stage::KvPool)]),
    Rule::new("in alloc_memory_pool").says(&[Signal::Frame(Stage::KvPool)]),
    Rule::new("in _create_buffers").says(&[Signal::Frame(Stage::KvPool)]),
    Rule::new("forward_batch_generation").of(Sglang).says(&[Signal::Frame(Stage::Running)]),
    Rule::new("event_loop_").of(Sglang).says(&[Signal::Frame(Stage::Running)]),
    Rule::new("forward_thread_func").of(Sglang).says(&[Signal::Frame(Stage::Running)]),
    Rule::new("logits_processor").says(&[Signal::Consumer(Consumer::Logits)]),
    Rule::new("eagle_worker").of(Sglang).says(&[Signal::Draft]),
    Rule::new("draft_worker").of(Sglang).says(&[Signal::Draft]),
];

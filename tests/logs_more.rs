//! More lines that people pasted, shortened to what the engine wrote, with the reason why the answer is right.
//!
//! They are of the same kinds as the filed reports and from other threads; the expectation was written before each ran.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kv_budget::logs::Cause::{self, *};
use kv_budget::logs::Direction::{self, Lower, Raise, Unknown};
use kv_budget::logs::Engine::{self, *};
use kv_budget::logs::{FactName, diagnose};

const NONE: Direction = Direction::None;

struct Case {
    log: &'static str,
    engine: Option<Engine>,
    cause: Cause,
    direction: Direction,
}

const fn case(log: &'static str, engine: Engine, cause: Cause, direction: Direction) -> Case {
    Case { log, engine: Some(engine), cause, direction }
}

const CASES: &[Case] = &[
    // The budget that V0 prints is negative, and no block is left: raise.
    case(
        "INFO 02-26 09:54:05 worker.py:267] the current vLLM instance can use total_gpu_memory (8.00GiB) x gpu_memory_utilization (0.70) = 5.60GiB\n\
         INFO 02-26 09:54:05 worker.py:267] model weights take 5.20GiB; non_torch_memory takes 0.03GiB; PyTorch activation peak memory takes 1.42GiB; the rest of the memory reserved for KV Cache is -1.05GiB.\n\
         INFO 02-26 09:54:05 executor_base.py:111] # cuda blocks: 0, # CPU blocks: 4681\n",
        Vllm,
        NoRoomAtStart,
        Raise,
    ),
    // The text of the refusal stands in the traceback's own source line too; it is one refusal.
    case(
        "(EngineCore_DP0 pid=22) ERROR 10-25 13:08:43 [core.py:708]     raise ValueError(\"No available memory for the cache blocks. \"\n\
         (EngineCore_DP0 pid=22) ERROR 10-25 13:08:43 [core.py:708]                      \"Try increasing `gpu_memory_utilization` when \"\n\
         (EngineCore_DP0 pid=22) ERROR 10-25 13:08:43 [core.py:708] ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.\n",
        Vllm,
        NoRoomAtStart,
        Raise,
    ),
    // Negative, and cut before the refusal: the number alone decides.
    case(
        "(EngineCore_DP0 pid=563) INFO 12-23 23:34:23 [gpu_worker.py:298] Available KV cache memory: -2.77 GiB\n\
         (EngineCore_DP0 pid=563) ERROR 12-23 23:34:23 [core.py:708] EngineCore failed to start.\n",
        Vllm,
        NoRoomAtStart,
        Raise,
    ),
    // The message names the lever itself; the pool is already there.
    case(
        "(VllmWorker rank=1 pid=24) ERROR 05-10 16:00:15 [multiproc_executor.py:470] RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.\n",
        Vllm,
        RuntimeOom,
        Lower,
    ),
    // Blocks are allocated, then graphs miss what the fraction took.
    case(
        "INFO 08-19 07:51:03 model_runner.py:732] Loading model weights took 2.3463 GB\n\
         INFO 08-19 07:51:08 distributed_gpu_executor.py:56] # GPU blocks: 22982, # CPU blocks: 6241\n\
         INFO 08-19 07:51:12 model_runner.py:1024] Capturing the model for CUDA graphs. This may lead to unexpected consequences if the model is not static.\n\
         ERROR 08-19 07:51:20 engine.py:12] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.95 GiB. GPU 0 has a total capacity of 21.96 GiB of which 1.20 GiB is free.\n",
        Vllm,
        GraphCaptureOom,
        Lower,
    ),
    // The fraction of what is free now, of the whole device: only the first of three printed values is in force.
    case(
        "INFO 07-01 10:00:00 [gpu_worker.py:430] CUDA graph memory profiling is enabled (default since v0.21.0). The current --gpu-memory-utilization=0.9000 is equivalent to --gpu-memory-utilization=0.8812 without CUDA graph memory profiling. To maintain the same effective KV cache size as before, increase --gpu-memory-utilization to 0.9188.\n\
         INFO 07-01 10:00:01 [kv_cache_utils.py:1314] GPU KV cache size: 120,000 tokens, Maximum concurrency for 8,192 tokens per request: 14.65x\n\
         INFO 07-01 10:00:09 [gpu_model_runner.py:6600] Graph capturing finished in 9 secs, took 0.64 GiB\n",
        Vllm,
        Healthy,
        NONE,
    ),
    // Advice in the text of a healthy start is no error.
    case(
        "INFO 08-19 07:51:08 distributed_gpu_executor.py:56] # GPU blocks: 22982, # CPU blocks: 6241\n\
         (VllmWorkerProcess pid=13109) INFO 08-19 07:51:12 model_runner.py:1028] CUDA graphs can take additional 1~3 GiB memory per GPU. If you are running out of memory, consider decreasing `gpu_memory_utilization` or enforcing eager mode.\n\
         INFO 04-12 08:22:05 [model_runner.py:1456] Capturing cudagraphs for decoding. If out-of-memory error occurs during cudagraph capture, consider decreasing `gpu_memory_utilization` or switching to eager mode.\n\
         INFO 08-19 07:51:40 model_runner.py:1225] Graph capturing finished in 28 secs, took 0.33 GiB\n",
        Vllm,
        Healthy,
        NONE,
    ),
    // Capture of a graph, told by the frames.
    case(
        "(VllmWorker rank=3 pid=1090) ERROR 06-05 06:18:13 [multiproc_executor.py:470]   File \"/usr/local/lib/python3.10/site-packages/vllm/compilation/backends.py\", line 681, in __call__\n\
         (VllmWorker rank=3 pid=1090) ERROR 06-05 06:18:13 [multiproc_executor.py:470]   File \"/usr/local/lib/python3.10/site-packages/torch/cuda/graphs.py\", line 84, in capture_end\n\
         (VllmWorker rank=3 pid=1090) ERROR 06-05 06:18:13 [multiproc_executor.py:470] RuntimeError: CUDA error: out of memory\n",
        Vllm,
        GraphCaptureOom,
        Lower,
    ),
    // State blocks against requests: no fraction.
    case("ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (614).\n", Vllm, HybridState, NONE),
    // Preemption is about tokens.
    case(
        "WARNING 04-02 11:00:00 scheduler.py:1242] Sequence group 0 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can affect the end-to-end performance.\n",
        Vllm,
        PoolFull,
        NONE,
    ),
    // Someone else let memory go while it was measured.
    case(
        "AssertionError: Error in memory profiling. Initial free memory 10.45 GiB, current free memory 12.06 GiB. This happens when other processes sharing the same container release GPU memory while vLLM is profiling during initialization.\n",
        Vllm,
        GpuShared,
        NONE,
    ),
    // A configuration error.
    case(
        "(APIServer pid=1) pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n\
         ERROR 06-01 10:00:00 [core.py:700] ValueError: User-specified max_model_len (65536) is greater than the derived max_model_len (max_position_embeddings=32768).\n\
         File \"/usr/lib/python3.12/site-packages/vllm/v1/engine/core.py\", line 3\n",
        Vllm,
        NotMemory,
        NONE,
    ),
    // Frames say where: buffers of the pool.
    case(
        "sglang-1  |   File \"/sgl-workspace/sglang/python/sglang/srt/model_executor/model_runner.py\", line 1740, in init_memory_pool\n\
         sglang-1  |     self.token_to_kv_pool = MHATokenToKVPool(\n\
         sglang-1  |   File \"/sgl-workspace/sglang/python/sglang/srt/mem_cache/memory_pool.py\", line 600, in _create_buffers\n\
         sglang-1  | torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 MiB. GPU 0 has a total capacity of 23.52 GiB of which 13.00 MiB is free. Including non-PyTorch memory, this process has 23.48 GiB memory in use. Of the allocated memory 22.67 GiB is allocated by PyTorch.\n",
        Sglang,
        PoolAllocOom,
        Lower,
    ),
    // Frames of the loader: the fraction does not enter yet.
    case(
        "  File \"/sgl-workspace/sglang/python/sglang/srt/model_executor/model_runner.py\", line 480, in load_model\n\
           File \"/sgl-workspace/sglang/python/sglang/srt/layers/linear.py\", line 300, in create_weights\n\
         torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 896.00 MiB. GPU 1 has a total capacity of 79.11 GiB of which 500.00 MiB is free.\n",
        Sglang,
        WeightsTooLarge,
        NONE,
    ),
    // A forward pass of a running server.
    case(
        "[2025-07-07 19:00:30 DP4 TP4] TpModelWorkerClient hit an exception: Traceback (most recent call last):\n\
           File \"/sgl-workspace/sglang/python/sglang/srt/managers/tp_worker_overlap_thread.py\", line 127, in forward_thread_func\n\
             self.forward_thread_func_()\n\
         torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 4 has a total capacity of 139.82 GiB of which 2.11 GiB is free.\n",
        Sglang,
        RuntimeOom,
        Lower,
    ),
    // Capture, in the words of an early version and of AMD.
    case(
        "[2025-01-13 12:42:05 TP0] Memory pool end. avail mem=28.38 GB\n\
         [2025-01-13 12:42:05 TP0] Capture cuda graph begin. This can take up to several minutes.\n\
         Exception: Capture cuda graph failed: HIP out of memory. Tried to allocate 1.45 GiB. GPU 0 has a total capacity of 191.98 GiB of which 700.00 MiB is free.\n",
        Sglang,
        GraphCaptureOom,
        Lower,
    ),
    // A draft model after the target's pool, 0.4.x: outside of the budget.
    case(
        "[2025-06-04 10:00:00 TP0] Load weight begin. avail mem=78.81 GB\n\
         [2025-06-04 10:01:00 TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=61.20 GB, mem usage=17.61 GB.\n\
         [2025-06-04 10:01:01 TP0] KV Cache is allocated. #tokens: 1000000, K size: 19.00 GB, V size: 19.00 GB\n\
         [2025-06-04 10:01:01 TP0] Memory pool end. avail mem=22.00 GB\n\
         [2025-06-04 10:01:05 TP0] Load weight begin. avail mem=20.00 GB\n\
         [2025-06-04 10:01:15 TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=2.40 GB, mem usage=17.60 GB.\n\
         torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 2.30 GiB is free.\n",
        Sglang,
        DraftMemory,
        Lower,
    ),
    // Host memory of the hierarchical cache.
    case(
        "[2025-08-01 10:00:00 TP0] Scheduler hit an exception: Traceback (most recent call last):\n\
         ValueError: Not enough host memory available. Requesting 512.00 GB but only have 210.00 GB free. Please reduce the size of the hierarchical cache.\n",
        Sglang,
        NotMemory,
        NONE,
    ),
    // A workspace of fixed size inside an attention library; the GPU has 8 GiB left.
    case(
        "[2024-10-22 06:31:49 TP0] Memory pool end. avail mem=8.38 GB\n\
         [2024-10-22 06:31:49 TP0] Capture cuda graph begin. This can take up to several minutes.\n\
         Exception: Capture cuda graph failed: Failed to allocate memory for batch_decode_tmp_v with size 201326592 and alignment 16 in AlignedAllocator\n",
        Sglang,
        NotMemory,
        NONE,
    ),
    // One request used the whole pool: tokens.
    case(
        "[2025-12-12 08:43:59 TP0] Scheduler hit an exception: Traceback (most recent call last):\n\
           File \"/sgl-workspace/sglang/python/sglang/srt/managers/schedule_batch.py\", line 1627, in retract_decode\n\
         AssertionError: No space left for only one request, self.token_to_kv_pool_allocator.available_size()=0\n",
        Sglang,
        PoolFull,
        NONE,
    ),
    // Retraction on a healthy server.
    case(
        "[2026-05-24 03:51:45 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_tokens_gained: 3200, #new_token_ratio: 0.0980 -> 0.1919\n",
        Sglang,
        PoolFull,
        NONE,
    ),
    // The auto value of a platform, far too low.
    case(
        "[2025-11-25 06:45:10 TP0] Load weight end. type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail mem=45.12 GB, mem usage=15.33 GB.\n\
         RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: self.server_args.mem_fraction_static=0.2\n",
        Sglang,
        NoRoomAtStart,
        Raise,
    ),
    // The sliding-window pool of 0.5.23.
    case(
        "ValueError: SWA pool (1024 tokens) cannot hold even one request: the prefill admission floor is sliding_window_size (4096) + page_size (64). Increase --swa-full-tokens-ratio or the total KV budget.\n",
        Sglang,
        HybridState,
        Raise,
    ),
    // The round limit is the model's context, not what is left of a GPU.
    case(
        "[2025-03-03 06:49:28 TP0] Input length (160062 tokens) exceeds the maximum allowed length (131066 tokens). Use a shorter input or enable --allow-auto-truncate.\n",
        Sglang,
        NotMemory,
        NONE,
    ),
    // A communication library: the reason is elsewhere or cut.
    case(
        "[2026-01-01 10:00:00 TP3] Scheduler hit an exception: Traceback (most recent call last):\n\
         torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, unhandled cuda error (run with NCCL_DEBUG=INFO for details)\n",
        Sglang,
        ReasonMissing,
        Unknown,
    ),
    // Missing package.
    case(
        "[2026-01-01 10:00:00] Scheduler hit an exception: Traceback (most recent call last):\n\
         ModuleNotFoundError: No module named 'deep_gemm'\n",
        Sglang,
        NotMemory,
        NONE,
    ),
    // TurboMind shortens the session in silence.
    case(
        "[TM][INFO] [BlockManager] block_size = 0.844 MB\n\
         [TM][INFO] [BlockManager] max_block_count = 1740\n\
         [TM][WARNING] No enough blocks for `session_len` (131072), `session_len` truncated to 111360.\n",
        LmdeployTurbomind,
        PoolSmallerThanContext,
        Raise,
    ),
    // What is allocated later must live in the rest: lower.
    case(
        "RuntimeError: [TM][ERROR] CUDA runtime error: out of memory /lmdeploy/src/turbomind/utils/allocator.h:231\n",
        LmdeployTurbomind,
        RuntimeOom,
        Lower,
    ),
    // Still loading: the fraction does not enter.
    case(
        "  File \"/opt/lmdeploy/lmdeploy/turbomind/turbomind.py\", line 152, in _create_weight\n\
         RuntimeError: [TM][ERROR] CUDA runtime error: out of memory /lmdeploy/src/turbomind/utils/memory_utils.cu:32\n",
        LmdeployTurbomind,
        WeightsTooLarge,
        NONE,
    ),
    case(
        "2025-02-13 10:00:00,123 - lmdeploy - ERROR - base.py:82 - No enough gpu memory for kv cache.\n\
         RuntimeError: No enough gpu memory for kv cache.\n",
        LmdeployPytorch,
        NoRoomAtStart,
        Raise,
    ),
    // A reserve that grows with the prefill, not with the fraction.
    case("RuntimeError: No enough gpu memory for runtime.\n", LmdeployPytorch, NoRoomAtStart, NONE),
    case(
        "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 78.30 GiB for max tokens in paged KV cache (3731744).\n\
         I0410 16:58:08.485508 1 model_lifecycle.cc:849] \"successfully loaded 'tensorrt_llm'\"\n",
        TensorrtLlm,
        Healthy,
        NONE,
    ),
    // The pool took its share of what was free, then buffers missed it.
    case(
        "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 30.10 GiB for max tokens in paged KV cache (240832).\n\
         [TensorRT-LLM][ERROR] CUDA runtime error in ::cudaMallocAsync(ptr, n, mCudaStream->get()): out of memory (/app/tensorrt_llm/cpp/tensorrt_llm/runtime/tllmBuffers.h:112)\n",
        TensorrtLlm,
        RuntimeOom,
        Lower,
    ),
    case(
        "[TensorRT-LLM][ERROR] Assertion failed: Impossible to fit in any sequence in kvCache\n",
        TensorrtLlm,
        PoolSmallerThanContext,
        Raise,
    ),
    // Buffers of the computation; the cache itself is there. llama.cpp has no fraction.
    case(
        "llama_kv_cache_init:      CUDA0 KV buffer size =  5120.00 MiB\n\
         llama_new_context_with_model: KV self size  = 5120.00 MiB, K (f16): 2560.00 MiB, V (f16): 2560.00 MiB\n\
         ggml_backend_cuda_buffer_type_alloc_buffer: allocating 144.00 MiB on device 4: cudaMalloc failed: out of memory\n\
         ggml_gallocr_reserve_n: failed to allocate CUDA4 buffer of size 150995968\n\
         llama_new_context_with_model: failed to allocate compute buffers\n",
        LlamaCpp,
        PoolAllocOom,
        NONE,
    ),
    // The model's own buffers.
    case(
        "load_tensors: loading model tensors, this can take a while... (mmap = true, direct_io = false)\n\
         ggml_backend_cuda_buffer_type_alloc_buffer: allocating 144817.04 MiB on device 0: cudaMalloc failed: out of memory\n\
         alloc_tensor_range: failed to allocate CUDA0 buffer of size 151851674624\n\
         llama_model_load: error loading model: unable to allocate CUDA0 buffer\n",
        LlamaCpp,
        WeightsTooLarge,
        NONE,
    ),
    // The allocation that failed was tried again without parallel stages, and the server came up.
    case(
        "1.06.520.077 E ggml_backend_cuda_buffer_type_alloc_buffer: allocating 51748.72 MiB on device 1: cudaMalloc failed: out of memory\n\
         1.06.520.084 E ggml_gallocr_reserve_n_impl: failed to allocate CUDA1 buffer of size 54262464512\n\
         1.06.520.086 E graph_reserve: failed to allocate compute buffers\n\
         1.06.520.107 W sched_reserve: compute buffer allocation failed, retrying without pipeline parallelism\n\
         1.07.304.190 I main: server is listening on http://127.0.0.1:8080\n",
        LlamaCpp,
        Healthy,
        NONE,
    ),
    // A pool far below what the lines give: the loader still held memory while it was measured.
    case(
        "[2026-08-27 10:00:00 TP0] server_args=ServerArgs(model_path='m', mem_fraction_static=0.8, max_total_tokens=None, tp_size=4)\n\
         [2026-08-27 10:00:10 TP0] Load weight begin. avail mem=78.00 GB\n\
         [2026-08-27 10:01:00 TP0] Load weight end. elapsed=50.00 s, type=LlamaForCausalLM, avail mem=61.00 GB, mem usage=17.00 GB.\n\
         [2026-08-27 10:01:01 TP0] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 1741, K size: 0.11 GB, V size: 0.11 GB\n\
         [2026-08-27 10:01:30 TP0] max_total_num_tokens=1741, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=870, context_len=65536, available_gpu_mem=46.90 GB\n",
        Sglang,
        PoolSmallerThanExpected,
        NONE,
    ),
    // A running llama.cpp: no fraction to turn.
    case(
        "/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:75: CUDA error\n\
         ggml_cuda_compute_forward: MUL_MAT failed\n\
         CUDA error: out of memory\n\
           current device: 0, in function alloc at /llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:440\n",
        LlamaCpp,
        RuntimeOom,
        NONE,
    ),
    // Two servers on a GPU, each listed by its process.
    case(
        "[2026-02-01 10:00:00 TP0] Memory pool end. avail mem=1.10 GB\n\
         Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 79.11 GiB of which 210.00 MiB is free. Process 4711 has 41.20 GiB memory in use. Including non-PyTorch memory, this process has 37.69 GiB memory in use. Of the allocated memory 36.90 GiB is allocated by PyTorch.\n",
        Sglang,
        GpuShared,
        NONE,
    ),
    // The state pool of a hybrid model.
    case(
        "  File \"/env/site-packages/sglang/srt/mem_cache/memory_pool.py\", line 499, in _init_mamba_pool\n\
         torch.OutOfMemoryError: CUDA out of memory.\n\
         Tried to allocate 18.56 GiB.\n\
         GPU 0 has a total capacity of 95.59 GiB of which 12.00 GiB is free.\n",
        Sglang,
        PoolAllocOom,
        Lower,
    ),
];

#[test]
fn other_reports_of_the_same_kinds() {
    let mut wrong = Vec::new();
    for Case { log, engine, cause, direction } in CASES {
        let found = diagnose(log.as_bytes());
        if (found.engine, found.cause, found.direction) != (*engine, *cause, *direction) {
            wrong.push(format!("{:?} {:?} {:?} for\n{log}", found.engine, found.cause, found.direction));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

#[test]
fn of_three_printed_utilisations_the_first_is_in_force() {
    let log = CASES.iter().find(|case| case.log.contains("equivalent to")).unwrap().log;
    let found = diagnose(log.as_bytes());
    assert_eq!(found.facts.value(FactName::Fraction), Some(0.9));
    assert_eq!(found.facts.value(FactName::Tokens), Some(120_000.0));
    assert_eq!(found.facts.value(FactName::Context), Some(8192.0));
}

#[test]
fn advice_has_values_that_follow_from_the_log() {
    let log = b"ValueError: Free memory on device cuda:1 (19.77/22.05 GiB) on startup is less than desired GPU memory utilization (0.9, 19.84 GiB).\n";
    let advice = &diagnose(log).advice[0];
    assert_eq!((advice.flag.as_str(), advice.from, advice.to), ("--gpu-memory-utilization", Some(0.9), Some(0.896)));
    let log = b"ValueError: To serve at least one request with the models's max seq len (221000), (10.12 GiB KV cache is needed, which is larger than the available KV cache memory (5.59 GiB). Based on the available memory, the estimated maximum model length is 122080.\n";
    let advice = &diagnose(log).advice[0];
    assert_eq!((advice.flag.as_str(), advice.from, advice.to), ("--max-model-len", Some(221_000.0), Some(122_080.0)));
}

#[test]
fn a_version_is_read_where_it_is_printed() {
    for (log, version) in [
        ("INFO 04-30 10:20:35 [api_server.py:1034] vLLM API server version 0.8.5.post1\n", Some("0.8.5.post1")),
        (
            "INFO 08-20 18:03:50 [core.py:58] Initializing a V1 LLM engine (v0.10.1.1) with config: model='m'\n",
            Some("0.10.1.1"),
        ),
        ("[TensorRT-LLM] TensorRT-LLM version: 1.0.0rc4\n", Some("1.0.0rc4")),
        ("sglang: 0.5.9\nsgl_kernel: 0.3.21\n", Some("0.5.9")),
        ("vLLM Version                 : 0.8.5.post1\n", Some("0.8.5.post1")),
        ("[2026-01-01 10:00:00] Load weight begin. avail mem=3.00 GB\n", None),
    ] {
        assert_eq!(diagnose(log.as_bytes()).version.as_deref(), version, "{log}");
    }
}

#[test]
fn a_command_goes_on_as_long_as_its_lines_end_in_a_backslash() {
    let filler = "  --flag-that-no-rule-looks-for value \\\n".repeat(40);
    let log = format!(
        "python3 -m sglang.launch_server --tp 8 \\\n{filler}  --cuda-graph-bs 1 2 4 8 \\\n  --mem-fraction-static 0.83\n\
         RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n"
    );
    let found = diagnose(log.as_bytes());
    assert_eq!((found.cause, found.direction), (NoRoomAtStart, Raise));
    assert_eq!(found.facts.value(FactName::Fraction), Some(0.83));
    assert!(found.arguments.iter().any(|argument| argument.name == "cuda_graph_bs" && argument.value == "1"));
}

#[test]
fn the_pool_of_symmetric_memory_is_not_unread() {
    let log = b"[2026-05-02 10:11:12 TP0] Pre-allocating symmetric memory pool with 4 GiB\n";
    assert!(diagnose(log).unknown.is_empty());
}

#[test]
fn a_warning_that_names_a_file_is_no_frame() {
    let log = b"/w/sglang/srt/managers/image_processor.py:55: FutureWarning: slow image_processing\n\
        torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB.\n";
    let advice = diagnose(log).advice;
    assert!(advice.iter().all(|advice| !advice.why.contains("mage")), "{advice:?}");
}

#[test]
fn advice_leads_above_the_value_that_a_cut_message_names() {
    let log = b"ValueError: Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static=0.7. Raise --mem-fraction-static above 0.773 (minimum\n";
    let found = diagnose(log);
    assert_eq!(found.facts.value(FactName::MinFraction), Some(0.773));
    let advice = &found.advice[0];
    assert_eq!((advice.flag.as_str(), advice.from), ("--mem-fraction-static", Some(0.7)));
    assert!(advice.to.is_some_and(|to| to > 0.773 && to <= 0.775), "{:?}", advice.to);
}

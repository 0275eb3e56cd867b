//! Lines that any engine writes: PyTorch's and CUDA's out-of-memory texts, tracebacks, reasons that are not memory.

use super::attempt;
use super::report::Stage;
use super::rules::{Consumer, Datum::*, Rule, Signal, memory};

/// Words that speak of memory and mean tokens, host memory, on-chip memory or a finished sentence of advice.
const NOT_THE_GPU: &[&str] = &[
    "#retracted_reqs",
    "Try to lower your batch",
    "Decode out of memory",
    "Prefill out of memory",
    "shared memory",
    "problem, set --mem-fraction-static",
    "running out of memory",
    "see out-of-memory",
    "avoid out of memory",
    "prevent out of memory",
    "warming up sampler",
    "OOM killer",
    "oom-kill",
    "may run out of memory",
    "might run out of memory",
    "to avoid OOM",
];

/// One row a line.
pub const RULES: &[Rule] = &[
    Rule::new("out of memory").none(NOT_THE_GPU).says(&[Signal::OutOfMemory]).read(attempt::out_of_memory),
    Rule::new("OutOfMemoryError").none(NOT_THE_GPU).says(&[Signal::Oom]),
    Rule::new("cudaErrorMemoryAllocation").says(&[Signal::Oom]),
    Rule::new("STATUS_ALLOC_FAILED").says(&[Signal::Oom]),
    Rule::new("ERROR_OUT_OF_MEMORY").says(&[Signal::Oom]),
    Rule::new("RESOURCE_EXHAUSTED").says(&[Signal::Oom]),
    Rule::new("Tried to allocate").with(&[memory("Tried to allocate", Tried)]),
    Rule::new("total capacity of").with(&[
        memory("total capacity of", Capacity),
        memory("of which", Free),
        memory("this process has", InUse),
    ]),
    Rule::new("memory in use").read(attempt::processes),
    Rule::new("allocated by PyTorch").with(&[memory("Of the allocated memory", Allocated)]),
    Rule::new("reserved by PyTorch").read(attempt::reserved),
    Rule::new("Traceback (most recent").says(&[Signal::Traceback]),
    Rule::new("leak detected").says(&[Signal::NotMemory]),
    Rule::new("AlignedAllocator").says(&[Signal::NotMemory]),
    Rule::new("enough host memory").says(&[Signal::NotMemory]),
    Rule::new("DefaultCPUAllocator").says(&[Signal::NotMemory]),
    Rule::new("std::bad_alloc").says(&[Signal::NotMemory]),
    Rule::new("watchdog timeout").says(&[Signal::NotMemory]),
    Rule::new("illegal memory access").says(&[Signal::NotMemory]),
    Rule::new("resource: shared memory").says(&[Signal::NotMemory]),
    Rule::new("device-side assert").says(&[Signal::NotMemory]).none(&["enable device-side"]),
    Rule::new("no kernel image is available").says(&[Signal::NotMemory]),
    Rule::new("Cannot allocate memory").says(&[Signal::NotMemory]),
    Rule::new("OOM killer").says(&[Signal::NotMemory]),
    Rule::new("oom-kill:").says(&[Signal::NotMemory]),
    Rule::new("Address already in use").says(&[Signal::NotMemory]),
    Rule::new("address already in use").says(&[Signal::NotMemory]),
    Rule::new("No space left on device").says(&[Signal::NotMemory]),
    Rule::new("bus error").says(&[Signal::NotMemory]),
    Rule::new("torch/cuda/graphs.py").says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("compilation/cuda_graph").says(&[Signal::Frame(Stage::GraphCapture)]),
    Rule::new("in load_model").says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("in create_weights").says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("weight_utils.py").says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("image_process")
        .says(&[Signal::Consumer(Consumer::Images)])
        .none(&["server_args", "fast_image_processor="]),
    Rule::new("deep_ep/buffer").says(&[Signal::Consumer(Consumer::ExpertBuffers)]),
    // Every exception ends its traceback; which one it was stands in the record's class.
    Rule::new("RuntimeError"),
    Rule::new("ValueError"),
    Rule::new("TypeError:"),
    Rule::new("KeyError:"),
    Rule::new("ImportError"),
    Rule::new("AttributeError"),
    Rule::new("FoundError"),
    Rule::new("Exception:"),
    Rule::new("OutOfResources"),
    Rule::new("AssertionError"),
    Rule::new("NotImplementedError"),
];

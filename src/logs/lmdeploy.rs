//! LMDeploy's lines: TurboMind (`BlockManager.cc`, `allocator.h`) and the PyTorch engine (`executor/base.py`).

use super::report::Engine::{LmdeployPytorch, LmdeployTurbomind};
use super::report::Stage;
use super::rules::{Datum::*, Rule, Signal, exact, memory, whole};
use super::{arguments, readers};

/// One row a line.
pub const RULES: &[Rule] = &[
    Rule::new("lmdeploy serve").says(&[Signal::Launch]).read(arguments::read_command),
    Rule::new("TurbomindEngineConfig(").of(LmdeployTurbomind).says(&[Signal::Arguments]).read(arguments::read),
    Rule::new("PytorchEngineConfig(").of(LmdeployPytorch).says(&[Signal::Arguments]).read(arguments::read),
    Rule::new("cache-max-entry-count")
        .with(&[exact("cache-max-entry-count", TypedFraction), exact("cache-max-entry-count=", TypedFraction)]),
    Rule::new("cache_max_entry_count").with(&[exact("cache_max_entry_count=", Fraction)]),
    Rule::new("[TM][ERROR]").of(LmdeployTurbomind),
    Rule::new("[TM][WARNING]").of(LmdeployTurbomind),
    Rule::new("turbomind").of(LmdeployTurbomind),
    Rule::new("in _create_weight").of(LmdeployTurbomind).says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("in _load_weights").says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("process_weight").says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("create_shared_weights").says(&[Signal::Frame(Stage::Weights)]),
    Rule::new("lmdeploy/pytorch").of(LmdeployPytorch),
    Rule::new("in _async_step").says(&[Signal::Frame(Stage::Running)]),
    Rule::new("block_size =").read(readers::turbomind_blocks),
    Rule::new("max_block_count =")
        .of(LmdeployTurbomind)
        .says(&[Signal::PoolMade])
        .with(&[whole("max_block_count =", Blocks)]),
    Rule::new("Object cache budget").of(LmdeployTurbomind).says(&[Signal::PoolMade]).with(&[
        memory("cache budget:", KvSize),
        memory("from free", Available),
        exact("and ratio", Fraction),
    ]),
    Rule::new("gpu memory for kv cache").of(LmdeployPytorch).says(&[Signal::NoRoom]),
    Rule::new("gpu memory for runtime").of(LmdeployPytorch).says(&[Signal::NoRoomForRuntime]),
    Rule::new("enough free memory blocks").of(LmdeployPytorch).says(&[Signal::PoolFull]),
    Rule::new("no request can be admitted").of(LmdeployTurbomind).says(&[Signal::PoolFull]),
    Rule::new("gpu memory for state cache").of(LmdeployPytorch).says(&[Signal::NoRoomForState]),
    Rule::new("Update max_prefill_token_num").of(LmdeployPytorch),
    Rule::new("enough blocks for")
        .of(LmdeployTurbomind)
        .all(&["truncated to"])
        .says(&[Signal::ContextOverPool])
        .with(&[whole("for`session_len`(", Context), whole("truncated to", FittingContext)]),
    Rule::new("due to limited KV cache memory")
        .of(LmdeployTurbomind)
        .all(&["truncated to"])
        .says(&[Signal::ContextOverPool])
        .with(&[whole("truncated to", FittingContext)]),
    Rule::new("max cached tokens:").of(LmdeployTurbomind).says(&[Signal::PoolMade]).with(&[whole("tokens:", Tokens)]),
    Rule::new("No enough blocks").of(LmdeployTurbomind).none(&["truncated to"]).says(&[Signal::ContextOverPool]),
    Rule::new("run out of tokens").of(LmdeployTurbomind).says(&[Signal::NotMemory]),
    Rule::new("max_block_count as a block count").of(LmdeployTurbomind).says(&[Signal::NotMemory]),
    Rule::new("invalid cache_max_entry_count").says(&[Signal::NotMemory]),
];

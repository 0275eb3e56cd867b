//! What the doctor says: plain data, with the names of the examples' contract.

use serde::Serialize as Derive;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::sorted::insert_by;
use crate::issue::Issue;

/// The engine that wrote the log, by the names that the engines' tables use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Derive)]
pub enum Engine {
    /// SGLang.
    #[serde(rename = "sglang")]
    Sglang,
    /// vLLM, V0 and V1.
    #[serde(rename = "vllm")]
    Vllm,
    /// TensorRT-LLM, C++ and PyTorch paths.
    #[serde(rename = "tensorrt-llm")]
    TensorrtLlm,
    /// LMDeploy, PyTorch engine.
    #[serde(rename = "lmdeploy-pytorch")]
    LmdeployPytorch,
    /// LMDeploy, TurboMind engine.
    #[serde(rename = "lmdeploy-turbomind")]
    LmdeployTurbomind,
    /// llama.cpp and its forks.
    #[serde(rename = "llama.cpp")]
    LlamaCpp,
}

/// Why the server is as the log shows it: the closed list of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Derive)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The weights leave nothing of the static share.
    NoRoomAtStart,
    /// The budget is positive, and allocating the pool ran out of memory.
    PoolAllocOom,
    /// The pool stands, and capturing graphs ran out of memory.
    GraphCaptureOom,
    /// The server ran, and a forward pass ran out of memory.
    RuntimeOom,
    /// Tokens of the pool are used up: requests wait or are retracted; no GPU memory is missing.
    PoolFull,
    /// One request of the wanted length does not fit the pool.
    PoolSmallerThanContext,
    /// The pool is smaller than the numbers of the same log allow.
    PoolSmallerThanExpected,
    /// The draft model's weights or pool take what is missing.
    DraftMemory,
    /// State slots or a sliding-window pool take what is missing.
    HybridState,
    /// Another process holds memory of this GPU.
    GpuShared,
    /// The GPUs have unequal free memory.
    GpusUnequal,
    /// The weights alone do not fit.
    WeightsTooLarge,
    /// The flag that was typed is not the value in force.
    FlagNotInForce,
    /// The fraction asks for more than is free (vLLM), or is not below one (TensorRT-LLM).
    FractionOverFree,
    /// Every fraction fails: what is too low to start is next to what is too high to run.
    EmptyBand,
    /// It started.
    Healthy,
    /// The failure has another reason than memory.
    NotMemory,
    /// The paste ends, or begins, before the reason.
    ReasonMissing,
}

/// Which way the engine's fraction has to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Derive)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// A larger fraction.
    Raise,
    /// A smaller fraction.
    Lower,
    /// No value of the fraction is the cure.
    None,
    /// The paste does not say.
    Unknown,
}

/// How far the start came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Derive)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Arguments, distributed groups.
    Init,
    /// Loading weights.
    Weights,
    /// Sizing or allocating the KV pool.
    KvPool,
    /// Warm-up and graph capture.
    GraphCapture,
    /// Serving requests.
    Running,
}

/// The facts that are reported, by the contract's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Derive)]
#[serde(rename_all = "snake_case")]
pub enum FactName {
    /// Free before the weights, GiB (vLLM: the whole device).
    Total,
    /// Free after the weights, GiB.
    Available,
    /// The fraction in force.
    Fraction,
    /// The budget of the pool as printed, GiB.
    Rest,
    /// Bytes of KV cache for one token on one GPU, measured.
    Cell,
    /// Tokens of the pool.
    Tokens,
    /// Keys, GiB; of a log with several pools, the one printed first.
    KSize,
    /// Values, GiB; of a log with several pools, the one printed first.
    VSize,
    /// Keys and values of all pools of a rank, GiB.
    KvSize,
    /// Sum of the graph captures, GiB.
    GraphMemory,
    /// Free when the start was over, GiB.
    AvailableAtEnd,
    /// The smallest fraction that leaves a budget above zero.
    MinFraction,
    /// Context length in tokens.
    Context,
    /// Requests that run at the same time.
    MaxRunningRequests,
}

/// One number of the log.
#[derive(Debug, Clone, PartialEq, Derive)]
pub struct Fact {
    /// Which number it is; the key of the map that facts are written as.
    #[serde(skip)]
    pub name: FactName,
    /// The value in `unit`.
    pub value: f64,
    /// `GiB`, `bytes per token`, `tokens`, `requests` or empty for a share.
    pub unit: &'static str,
    /// The line it was read from, counted from 1.
    pub line: u64,
    /// Half the interval that the printed decimals, and the line's known bias, leave open.
    pub half_width: f64,
    /// The rank whose value decided, as its tag in the log; empty without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rank: String,
}

/// The facts as a JSON map from name to fact.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FactList(pub Vec<Fact>);

impl FactList {
    /// Puts a fact at its place.
    pub fn put(&mut self, fact: Fact) {
        insert_by(&mut self.0, fact, |known, new| known.name <= new.name);
    }

    /// The fact of that name.
    pub fn get(&self, name: FactName) -> Option<&Fact> {
        self.0.iter().find(|fact| fact.name == name)
    }

    /// Its value.
    pub fn value(&self, name: FactName) -> Option<f64> {
        self.get(name).map(|fact| fact.value)
    }
}

impl Serialize for FactList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for fact in &self.0 {
            map.serialize_entry(&fact.name, fact)?;
        }
        map.end()
    }
}

/// One thing to type, in the order to try it.
#[derive(Debug, Clone, PartialEq, Derive)]
pub struct Advice {
    /// The flag, environment variable or argument as the engine spells it.
    pub flag: String,
    /// The value in force, where it is known and a number.
    pub from: Option<f64>,
    /// The value to try, where one is justified.
    pub to: Option<f64>,
    /// One sentence.
    pub why: String,
}

/// A line that looked like a memory line and could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Derive)]
pub struct Unread {
    /// Counted from 1.
    pub line: u64,
    /// The line, shortened. Untrusted text: to be shown as text only.
    pub text: String,
}

/// One argument of the server, as the log spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Name without dashes, with underscores.
    pub name: String,
    /// Value without quotes.
    pub value: String,
}

/// What the doctor says of one attempt to start a server.
#[derive(Debug, Clone, PartialEq, Derive)]
pub struct Diagnosis {
    /// Who wrote the log; `None` where no line is peculiar to one engine.
    pub engine: Option<Engine>,
    /// The engine's version, only where it is printed.
    pub version: Option<String>,
    /// Why.
    pub cause: Cause,
    /// Which way the fraction has to go.
    pub direction: Direction,
    /// How far the start came.
    pub stage: Option<Stage>,
    /// One line: what happened.
    pub result: String,
    /// One or two sentences: why, with the numbers of the log.
    pub why: String,
    /// The numbers.
    pub facts: FactList,
    /// Query of the scenario that the sliders can open; numbers only.
    pub scenario: Option<String>,
    /// What to try, best first.
    pub advice: Vec<Advice>,
    /// The check of our arithmetic against the log's own.
    pub proof: Option<String>,
    /// Memory lines that could not be read.
    pub unknown: Vec<Unread>,
    /// Contradictions, thin spots, missing lines.
    pub issues: Vec<Issue>,
    /// Earlier attempts of the same paste, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Diagnosis>,
    /// The arguments of the server, for comparing two logs.
    #[serde(skip)]
    pub arguments: Vec<Argument>,
    /// The lines that a fact or the cause came from, ascending.
    #[serde(skip)]
    pub lines: Vec<u64>,
}

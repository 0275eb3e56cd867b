//! The vocabulary that all engines share: what a knob is, what it is a fraction of, what is taken off first, how the
//! rest is rounded, and what a refusal asks for. Each engine's file holds its own table in these words.

use serde::{Serialize, Serializer};

/// The engines whose memory rules are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// SGLang, for contrast: the one that the page is about.
    Sglang,
    /// vLLM V1.
    Vllm,
    /// TensorRT-LLM, PyTorch and C++ backends.
    TensorrtLlm,
    /// LMDeploy's PyTorch engine.
    LmdeployPytorch,
    /// LMDeploy's TurboMind engine.
    LmdeployTurbomind,
    /// Hugging Face Text Generation Inference.
    Tgi,
    /// llama.cpp and its server.
    LlamaCpp,
    /// Ollama, which launches llama.cpp's server.
    Ollama,
    /// MLC-LLM.
    MlcLlm,
}

impl Engine {
    /// Every engine, in the order of the page.
    pub const ALL: [Self; 9] = [
        Self::Sglang,
        Self::Vllm,
        Self::TensorrtLlm,
        Self::LmdeployPytorch,
        Self::LmdeployTurbomind,
        Self::Tgi,
        Self::LlamaCpp,
        Self::Ollama,
        Self::MlcLlm,
    ];

    /// The engine's table.
    pub fn facts(self) -> &'static EngineFacts {
        match self {
            Self::Sglang => &SGLANG,
            Self::Vllm => &super::vllm::FACTS,
            Self::TensorrtLlm => &super::tensorrt_llm::FACTS,
            Self::LmdeployPytorch => &super::lmdeploy::PYTORCH,
            Self::LmdeployTurbomind => &super::turbomind::FACTS,
            Self::Tgi => &super::tgi::FACTS,
            Self::LlamaCpp => &super::llama_cpp::FACTS,
            Self::Ollama => &super::ollama::FACTS,
            Self::MlcLlm => &super::mlc::FACTS,
        }
    }

    /// The name in queries and data files: `vllm`, `lmdeploy-turbomind`, `llama.cpp` …
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// By [`Engine::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }
}

impl Serialize for Engine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What is known of one engine.
#[derive(Debug)]
pub struct EngineFacts {
    /// Name in queries and data files.
    pub name: &'static str,
    /// Name for readers.
    pub title: &'static str,
    /// Newest version whose rule was read or executed.
    pub checked: &'static str,
    /// How far the rule can be trusted.
    pub trust: Trust,
    /// Where the rule lives.
    pub sources: &'static str,
    /// Its knobs, the usual one first.
    pub knobs: &'static [Knob],
    /// What it says when it refuses, and what that asks for.
    pub refusals: &'static [Refusal],
    /// What happens when the knob is set too low.
    pub too_low: Edge,
    /// What happens when the knob is set too high.
    pub too_high: Edge,
}

/// How a rule became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The engine's own functions ran on given numbers.
    Executed,
    /// Its source was read.
    Read,
}

/// One knob.
#[derive(Debug, PartialEq)]
pub struct Knob {
    /// Name in the engine's configuration, and in the `knob` column.
    pub name: &'static str,
    /// What stands before the value on the command line, the blank or equals sign included.
    pub flag: &'static str,
    /// What the value is a fraction, or a number, of.
    pub base: Base,
    /// What is taken off before the rest becomes KV cache.
    pub less: &'static [Charge],
    /// How the rest becomes a pool.
    pub rounding: Rounding,
    /// Defaults, oldest first.
    pub defaults: &'static [KnobDefault],
    /// Values that the engine accepts.
    pub accepts: Accepts,
}

/// A default and the release that brought it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnobDefault {
    /// First release known to have it; empty where the oldest is not known.
    pub since: &'static str,
    /// The value; `None` for unset.
    pub value: Option<f64>,
}

/// What a knob's value refers to. Larger values give more KV cache in every engine; what differs is the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// Free memory of the fullest GPU before the weights were loaded.
    FreeAtInit,
    /// Physical memory of the card.
    PhysicalTotal,
    /// Free memory after the weights were loaded.
    FreeAfterWeights,
    /// Free memory after the weights, less a reserve that the engine computes for its buffers.
    FreeAfterWeightsLessRuntime,
    /// What weights, activations and everything else leave free.
    FreeAfterWeightsAndActivations,
    /// A number of bytes.
    Bytes,
    /// A number of tokens.
    Tokens,
    /// A number of blocks.
    Blocks,
}

/// Something that is taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// Weights.
    Weights,
    /// Communication handles and other memory outside the framework's allocator.
    NonTorch,
    /// The transient peak of a forward pass.
    ActivationPeak,
    /// An estimate of what graph capture will take.
    GraphEstimate,
    /// A reserve computed from prefill tokens, batch size and vocabulary.
    RuntimeReserve,
    /// State caches of linear-attention layers.
    StateCaches,
    /// Workspaces known from the compiled model.
    Workspaces,
    /// Memory of other processes on the card.
    OtherProcesses,
}

/// How bytes become a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Down to whole pages.
    PagesDown,
    /// Down to whole blocks of this many tokens, unless the attention backend wants another size.
    BlocksDown(i64),
    /// Up to whole blocks: the pool can exceed its budget by almost one.
    BlocksUp(i64),
    /// Up to this many tokens.
    TokensUp(i64),
    /// Down to whole tokens.
    TokensDown,
}

/// The values that a knob accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepts {
    /// Above 0, up to and including 1.
    AboveZeroToOne,
    /// Above 0 and below 1.
    BetweenZeroAndOne,
    /// 0 to 1, both included.
    ZeroToOne,
    /// Whole numbers above 0.
    Whole,
    /// Whole numbers; 0 means the engine's own choice.
    WholeOrAuto,
}

impl Accepts {
    /// Whether `value` is one of them.
    pub fn admits(self, value: f64) -> bool {
        match self {
            Self::AboveZeroToOne => value > 0.0 && value <= 1.0,
            Self::BetweenZeroAndOne => value > 0.0 && value < 1.0,
            Self::ZeroToOne => (0.0..=1.0).contains(&value),
            Self::Whole => value >= 1.0 && value.fract() == 0.0,
            Self::WholeOrAuto => value >= 0.0 && value.fract() == 0.0,
        }
    }

    /// In words, for an issue.
    pub fn text(self) -> &'static str {
        match self {
            Self::AboveZeroToOne => "It must be above 0 and at most 1; the engine refuses this.",
            Self::BetweenZeroAndOne => "It must be above 0 and below 1; the engine refuses this.",
            Self::ZeroToOne => "It must be from 0 to 1; the engine refuses this.",
            Self::Whole => "It must be a whole number above 0.",
            Self::WholeOrAuto => "It must be a whole number, or 0 for the engine's own choice.",
        }
    }
}

/// A start-up refusal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Refusal {
    /// The engine's words, figures replaced by `{}`.
    pub text: &'static str,
    /// What the knob must do for it to go away.
    pub remedy: Remedy,
    /// What it means.
    pub when: &'static str,
}

/// What a refusal asks of the knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// A larger value.
    Raise,
    /// A smaller value.
    Lower,
    /// Something other than this knob.
    Other,
}

/// What happens beyond an edge of the usable range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// It refuses to start and says so.
    Refuses,
    /// It starts with a shorter context, without an error.
    ShortensContext,
    /// It starts with next to nothing, without an error.
    Collapses,
    /// It starts and runs out of memory later, or while it allocates.
    OutOfMemory,
    /// Layers go to the host and it becomes slow, or the allocation fails.
    SpillsToHost,
}

/// SGLang in the same words, so that one table can hold all of them.
const SGLANG: EngineFacts = EngineFacts {
    name: "sglang",
    title: "SGLang",
    checked: "0.5.23",
    trust: Trust::Executed,
    sources: "model_runner_kv_cache_mixin.py (0.5.9), mem_cache/kv_cache_configurator.py and pool_configurator.py (0.5.23)",
    knobs: &[Knob {
        name: "mem_fraction_static",
        flag: "--mem-fraction-static ",
        base: Base::FreeAtInit,
        less: &[Charge::Weights, Charge::NonTorch],
        rounding: Rounding::PagesDown,
        defaults: &[],
        accepts: Accepts::AboveZeroToOne,
    }],
    refusals: &[Refusal {
        text: "Not enough memory. Please try to increase --mem-fraction-static",
        remedy: Remedy::Raise,
        when: "The weights alone take more than the fraction allows.",
    }],
    too_low: Edge::Refuses,
    too_high: Edge::OutOfMemory,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_name() {
        for engine in Engine::ALL {
            assert_eq!(Engine::from_name(engine.name()), Some(engine));
            assert!(!engine.facts().knobs.is_empty());
        }
        assert_eq!(Engine::from_name("VLLM"), None);
    }

    #[test]
    fn ranges_know_their_ends() {
        assert!(Accepts::AboveZeroToOne.admits(1.0) && !Accepts::AboveZeroToOne.admits(0.0));
        assert!(!Accepts::BetweenZeroAndOne.admits(1.0));
        assert!(Accepts::WholeOrAuto.admits(0.0) && !Accepts::Whole.admits(0.0) && !Accepts::Whole.admits(1.5));
        assert!(!Accepts::ZeroToOne.admits(f64::NAN));
    }
}

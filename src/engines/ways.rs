//! The knobs that a pool can be translated into, and the straight line that each fraction is.

use super::facts::{Base, Engine, Knob};
use super::lmdeploy::ages::Reserve;
use super::lmdeploy::runtime_reserve;
use super::tensorrt_llm;
use super::tgi::WIGGLE_ROOM;
use super::translate::{Assumptions, Fate, Reach, Server, Try};
use crate::decimal;
use crate::units::{Bytes, Gib};

/// One knob of one engine in one age of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// SGLang, for contrast.
    Sglang,
    /// vLLM's fraction.
    Vllm,
    /// vLLM's bytes.
    VllmBytes,
    /// TensorRT-LLM's fraction, PyTorch backend.
    TensorrtLlm,
    /// TensorRT-LLM's fraction without a profile run, and its C++ backend.
    TensorrtLlmCpp,
    /// TensorRT-LLM's limit in tokens.
    TensorrtLlmTokens,
    /// LMDeploy's ratio, PyTorch engine.
    LmdeployPytorch,
    /// The same with the larger reserve of 0.2.6 to 0.9.1.
    LmdeployPytorch09,
    /// LMDeploy's ratio, TurboMind.
    LmdeployTurbomind,
    /// The same while it was of the total.
    LmdeployTurbomindOld,
    /// TGI's fraction.
    Tgi,
    /// The same with a wiggle room of 0.95.
    Tgi95,
    /// MLC-LLM's fraction in server mode.
    MlcLlm,
    /// llama.cpp's context length.
    LlamaCpp,
    /// Ollama's context length.
    Ollama,
}

impl Way {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 15] = [
        Self::Sglang,
        Self::Vllm,
        Self::VllmBytes,
        Self::TensorrtLlm,
        Self::TensorrtLlmCpp,
        Self::TensorrtLlmTokens,
        Self::LmdeployPytorch,
        Self::LmdeployPytorch09,
        Self::LmdeployTurbomind,
        Self::LmdeployTurbomindOld,
        Self::Tgi,
        Self::Tgi95,
        Self::MlcLlm,
        Self::LlamaCpp,
        Self::Ollama,
    ];

    /// Its stable name.
    pub fn id(self) -> &'static str {
        self.table().0
    }

    /// By [`Way::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.id() == id)
    }

    /// Its engine.
    pub fn engine(self) -> Engine {
        self.table().1
    }

    /// Versions or settings it holds for; empty for all that were read.
    pub fn holds_for(self) -> &'static str {
        self.table().2
    }

    fn table(self) -> (&'static str, Engine, &'static str) {
        match self {
            Self::Sglang => ("sglang", Engine::Sglang, ""),
            Self::Vllm => ("vllm", Engine::Vllm, "V1"),
            Self::VllmBytes => ("vllm-bytes", Engine::Vllm, "V1"),
            Self::TensorrtLlm => ("tensorrt-llm", Engine::TensorrtLlm, "PyTorch backend"),
            Self::TensorrtLlmCpp => ("tensorrt-llm-cpp", Engine::TensorrtLlm, "C++ backend, or no estimation"),
            Self::TensorrtLlmTokens => ("tensorrt-llm-tokens", Engine::TensorrtLlm, "PyTorch backend"),
            Self::LmdeployPytorch => ("lmdeploy-pytorch", Engine::LmdeployPytorch, "0.9.2 and later"),
            Self::LmdeployPytorch09 => ("lmdeploy-pytorch-0.9", Engine::LmdeployPytorch, "0.2.6 to 0.9.1"),
            Self::LmdeployTurbomind => ("lmdeploy-turbomind", Engine::LmdeployTurbomind, "0.2.2 and later"),
            Self::LmdeployTurbomindOld => ("lmdeploy-turbomind-0.2", Engine::LmdeployTurbomind, "0.2.0 and 0.2.1"),
            Self::Tgi => ("tgi", Engine::Tgi, "TGI_WIGGLE_ROOM 0.90"),
            Self::Tgi95 => ("tgi-0.95", Engine::Tgi, "TGI_WIGGLE_ROOM 0.95"),
            Self::MlcLlm => ("mlc-llm", Engine::MlcLlm, "server mode"),
            Self::LlamaCpp => ("llama.cpp", Engine::LlamaCpp, ""),
            Self::Ollama => ("ollama", Engine::Ollama, ""),
        }
    }

    /// The knob's entry in its engine's table.
    pub fn knob(self) -> Option<&'static Knob> {
        let second = matches!(self, Self::VllmBytes | Self::TensorrtLlmTokens);
        self.engine().facts().knobs.get(if second { 1 } else { 0 })
    }

    /// What its value is a share, or a number, of.
    pub fn base(self) -> Base {
        match self {
            Self::TensorrtLlmCpp => Base::FreeAfterWeights,
            Self::LmdeployTurbomindOld => Base::PhysicalTotal,
            _ => self.knob().map_or(Base::Tokens, |knob| knob.base),
        }
    }

    /// The default of the newest version that it holds for.
    pub fn default_value(self) -> Option<f64> {
        let mut defaults = self.knob()?.defaults.iter();
        let chosen = if self == Self::LmdeployTurbomindOld { defaults.next() } else { defaults.next_back() };
        chosen?.value
    }
}

/// `pool = slope × value − offset`, GiB, and where it may be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    /// What the value is a share of.
    pub base: f64,
    /// GiB for a whole 1.0: the base, or the part of it that the engine uses.
    pub slope: f64,
    /// What is taken off afterwards.
    pub offset: f64,
    /// Values must be above this.
    pub lower: f64,
    /// Values must not be above this, or not reach it.
    pub upper: f64,
    upper_belongs: bool,
    below: Fate,
    above: Fate,
}

impl Line {
    /// A line on which nothing starts.
    pub const NONE: Self = Self {
        base: 0.0,
        slope: 0.0,
        offset: 0.0,
        lower: 1.0,
        upper: 0.0,
        upper_belongs: false,
        below: Fate::RefusesTooLow,
        above: Fate::RefusesTooHigh,
    };

    /// What `value` gives.
    pub fn with(self, value: f64) -> Try {
        let fate = if self.slope <= 0.0 {
            Fate::NothingLeft
        } else if !self.reaches_up_to(value) {
            self.above
        } else if value > self.lower {
            Fate::Starts
        } else {
            self.below
        };
        let pool = self.slope * value - self.offset;
        let pool_gib = if fate == Fate::Collapses { pool.max(0.0) } else { pool };
        Try { value, pool_gib, fate }
    }

    /// Whether the same pool can be had with `value`.
    pub fn reach(self, value: Option<f64>) -> Reach {
        match value {
            _ if self.slope <= 0.0 => Reach::NothingLeft,
            Some(value) if self.reaches_up_to(value) => Reach::Reachable,
            Some(_) => Reach::AboveRange,
            None => Reach::NothingLeft,
        }
    }

    fn reaches_up_to(self, value: f64) -> bool {
        if self.upper_belongs { value <= self.upper } else { value < self.upper }
    }

    /// `value` with five decimals, to the nearest unless that leaves the range.
    pub fn text(self, value: f64) -> String {
        let step = |steps: f64| steps / 1e5;
        let nearest = step((value * 1e5).round());
        let chosen = [nearest, step((value * 1e5).floor()), step((value * 1e5).ceil())].into_iter();
        let chosen = if self.inside(value) { chosen.into_iter().find(|value| self.inside(*value)) } else { None };
        decimal::write_trimmed(chosen.unwrap_or(nearest), 5, 2)
    }

    /// `value` as it is copied: [`Line::text`], with as many more decimals as the pool needs to be `enough`, rounded up.
    pub fn copied_text(self, value: f64, enough: impl Fn(f64) -> bool) -> String {
        let gives = |value: f64| self.inside(value) && enough(self.with(value).pool_gib);
        let short = self.text(value);
        if !self.inside(value) || decimal::read(&short).is_ok_and(gives) {
            return short;
        }
        let finer = [(1e6, 6), (1e7, 7), (1e8, 8), (1e9, 9)].into_iter().find_map(|(steps, decimals)| {
            let up = (value * steps).ceil() / steps;
            gives(up).then(|| decimal::write_trimmed(up, decimals, 2))
        });
        finer.unwrap_or(short)
    }

    fn inside(self, value: f64) -> bool {
        self.reaches_up_to(value) && value > self.lower
    }
}

/// The line of `way` for this server; `None` for knobs that are no fraction.
pub(super) fn line(way: Way, server: &Server, assumed: &Assumptions) -> Option<Line> {
    let (total, free) = (server.total.0, server.available.0);
    let physical = assumed.physical_for(server.total).0;
    let loaded = total - free;
    let activations = assumed.activations.0;
    // A share of what is free: nothing is taken off, and it ends where everything is taken.
    let share = |base: f64| Line {
        base,
        slope: base,
        offset: 0.0,
        lower: 0.0,
        upper: 1.0,
        upper_belongs: false,
        below: Fate::RefusesTooLow,
        above: Fate::RefusesTooHigh,
    };
    // A share of something larger, from which what is taken comes off.
    let less = |base: f64, slope: f64, offset: f64| Line {
        base,
        slope,
        offset,
        lower: offset / slope,
        upper_belongs: true,
        ..share(base)
    };
    let reserve = |reserve: Reserve| {
        let bytes = runtime_reserve(assumed.prefill, assumed.batch, assumed.vocab, reserve).unwrap_or(i64::MAX);
        Bytes(bytes).to_gib().0
    };
    let tgi = |wiggle: f64| Line {
        below: Fate::Collapses,
        ..less(physical, physical * wiggle, physical - (free - activations))
    };
    Some(match way {
        Way::Sglang => less(total, total, loaded),
        Way::Vllm => {
            let offset = loaded + activations + assumed.graphs.0;
            Line { upper: (total / physical).min(1.0), ..less(physical, physical, offset) }
        }
        Way::TensorrtLlm => {
            // With fewer heads than GPUs its cost model counts too little, and the cap on what is free now decides.
            let counted = assumed.shape.map_or(1.0, |shape| tensorrt_llm::shortfall(&shape));
            share(((free - activations) * counted).min(free))
        }
        Way::TensorrtLlmCpp => share(free),
        Way::LmdeployPytorch => share(free - reserve(Reserve::Twofold)),
        Way::LmdeployPytorch09 => share(free - reserve(Reserve::Sevenfold)),
        Way::LmdeployTurbomind => share(free),
        Way::LmdeployTurbomindOld => {
            Line { upper: free / physical, upper_belongs: true, above: Fate::OutOfMemory, ..share(physical) }
        }
        Way::Tgi => tgi(WIGGLE_ROOM),
        Way::Tgi95 => tgi(0.95),
        Way::MlcLlm => {
            let weights = assumed.weights.unwrap_or(Gib(loaded)).0;
            less(physical, physical, weights + assumed.workspaces.unwrap_or(assumed.activations).0)
        }
        Way::VllmBytes | Way::TensorrtLlmTokens | Way::LlamaCpp | Way::Ollama => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_found_by_its_id() {
        for way in Way::ALL {
            assert_eq!(Way::from_id(way.id()), Some(way));
            assert!(way.knob().is_some());
        }
        assert_eq!(Way::from_id("vllm2"), None);
    }

    #[test]
    fn text_stays_inside_the_range() {
        let line = Line { upper: 0.9000049, upper_belongs: true, slope: 1.0, lower: 0.0, ..Line::NONE };
        assert_eq!(line.text(0.9000049), "0.90");
        let line = Line { upper: 0.900006, upper_belongs: true, slope: 1.0, lower: 0.0, ..Line::NONE };
        assert_eq!(line.text(0.900006), "0.90", "the nearest, 0.90001, would be outside");
        assert_eq!(line.text(1.00257), "1.00257", "what cannot be reached is only shown");
    }
}

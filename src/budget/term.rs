//! The terms of the formula, as the thing that words, bars, sliders and curve have in common.

/// What a word, a bar segment, a formula term, a slider or a log number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// `--mem-fraction-static`.
    Fraction,
    /// Free at init.
    Total,
    /// Free after the weights.
    Available,
    /// `total − available`.
    Weights,
    /// `total × fraction`.
    StaticBudget,
    /// `total × (1 − fraction)`.
    Reserved,
    /// What is left for the KV cache.
    Rest,
    /// Bytes per token per GPU.
    Cell,
    /// Tokens of the pool.
    Tokens,
}

impl Term {
    /// The value of `data-term`.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Fraction => "fraction",
            Self::Total => "total",
            Self::Available => "available",
            Self::Weights => "weights",
            Self::StaticBudget => "budget",
            Self::Reserved => "reserved",
            Self::Rest => "rest",
            Self::Cell => "cell",
            Self::Tokens => "tokens",
        }
    }
}

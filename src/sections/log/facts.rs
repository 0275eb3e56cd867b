//! The numbers of a log: what they are called, how they are written, which term of the formula they are.

use crate::budget::Term;
use crate::decimal;
use crate::format;
use crate::logs::{Engine, Fact, FactName};

/// What a number is called.
pub fn called(name: FactName, engine: Option<Engine>) -> &'static str {
    // Its share is of the whole device, and it looks before it loads.
    if engine == Some(Engine::Vllm) && matches!(name, FactName::Total | FactName::Available) {
        return if name == FactName::Total { "the whole GPU" } else { "free at the start" };
    }
    match name {
        FactName::Total => "free before the weights",
        FactName::Available => "free after the weights",
        FactName::Fraction => "fraction in force",
        FactName::Rest => "left for the KV cache",
        FactName::Cell => "KV cache of one token",
        FactName::Tokens => "tokens of the pool",
        FactName::KSize => "keys",
        FactName::VSize => "values",
        FactName::KvSize => "KV pools",
        FactName::GraphMemory => "graphs",
        FactName::AvailableAtEnd => "free after start-up",
        FactName::MinFraction => "smallest fraction",
        FactName::Context => "context length",
        FactName::MaxRunningRequests => "requests at a time",
    }
}

/// The term of the formula that it is.
pub fn term(name: FactName) -> Option<Term> {
    match name {
        FactName::Total => Some(Term::Total),
        FactName::Available => Some(Term::Available),
        FactName::Fraction => Some(Term::Fraction),
        FactName::Rest => Some(Term::Rest),
        FactName::Cell => Some(Term::Cell),
        FactName::Tokens => Some(Term::Tokens),
        _ => None,
    }
}

/// A name for ids.
pub fn slug(name: FactName) -> &'static str {
    match name {
        FactName::Total => "total",
        FactName::Available => "available",
        FactName::Fraction => "fraction",
        FactName::Rest => "rest",
        FactName::Cell => "cell",
        FactName::Tokens => "tokens",
        FactName::KSize => "k-size",
        FactName::VSize => "v-size",
        FactName::KvSize => "kv-size",
        FactName::GraphMemory => "graph-memory",
        FactName::AvailableAtEnd => "available-at-end",
        FactName::MinFraction => "min-fraction",
        FactName::Context => "context",
        FactName::MaxRunningRequests => "max-running-requests",
    }
}

/// Its value without a digit that the log does not give.
pub fn value(fact: &Fact) -> String {
    match fact.unit {
        "GiB" => format::number(fact.value, if fact.half_width < 0.001 { 3 } else { 2 }),
        "" => decimal::write_trimmed(fact.value, 4, 2),
        _ => format::whole(fact.value.round() as i64),
    }
}

/// `± 0.005`, or nothing for an exact number.
pub fn spread(fact: &Fact) -> String {
    if fact.half_width < 0.00005 {
        return String::new();
    }
    let decimals = if fact.half_width >= 10.0 { 0 } else { 4 };
    ["± ", &decimal::write_trimmed(fact.half_width, decimals, 0)].concat()
}

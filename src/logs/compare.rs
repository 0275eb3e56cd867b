//! Two logs: what differs, and what each difference did to the budget.
//!
//! The budget is `available - total * (1 - fraction)`, and its change splits exactly over the three (`budget::compare`).
//! Every other argument that differs acts through one of them, or has no effect on memory.

use serde::Serialize;

use super::report::{Diagnosis, FactName};
use super::sorted::insert_by;
use crate::budget::{self, Inputs};
use crate::decimal::{write, write_trimmed};
use crate::units::{BytesPerToken, Fraction, Gib};

/// One thing that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Argument or fact.
    pub name: String,
    /// Its value in the first log.
    pub from: String,
    /// Its value in the second log.
    pub to: String,
    /// What it did to the budget, GiB; `None`: no effect on it.
    pub gib: Option<f64>,
}

/// What two logs say about each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// One line.
    pub result: String,
    /// Change of the budget from the first to the second, GiB; `None` where a log lacks a term of it.
    pub change_gib: Option<f64>,
    /// What differs, the largest effect first, the ones without effect last.
    pub differences: Vec<Difference>,
}

/// Arguments that differ between any two starts and mean nothing.
const CHANCE: &[&str] = &["random_seed", "port", "nccl_port", "host", "dist_init_addr", "grpc_port", "node_rank"];

/// Arguments that enter the budget through the weights or the memory that is left, and so stand in `available`.
const THROUGH_AVAILABLE: &[&str] = &[
    "model_path",
    "quantization",
    "dtype",
    "tp_size",
    "pp_size",
    "dp_size",
    "ep_size",
    "enable_dp_attention",
    "cpu_offload_gb",
    "speculative_algorithm",
    "speculative_draft_model_path",
];

/// Compares two diagnoses; the first is the one that it is measured from.
pub fn compare(first: &Diagnosis, second: &Diagnosis) -> Comparison {
    let mut differences = terms(first, second);
    let change_gib =
        differences.iter().map(|term| term.gib).collect::<Option<Vec<f64>>>().filter(|parts| parts.len() == 3);
    let change_gib = change_gib.map(|parts| parts.iter().sum());
    let effect = |difference: &Difference| difference.gib.unwrap_or(0.0).abs();
    let changed = std::mem::take(&mut differences).into_iter().filter(|term| term.from != term.to);
    for term in changed {
        insert_by(&mut differences, term, |known, new| effect(known) >= effect(new));
    }
    for argument in &first.arguments {
        let Some(other) = second.arguments.iter().find(|other| other.name == argument.name) else { continue };
        let skipped = argument.name == "mem_fraction_static" || CHANCE.contains(&argument.name.as_str());
        if other.value != argument.value && !skipped {
            let (from, to) = (argument.value.clone(), other.value.clone());
            differences.push(Difference { name: argument.name.clone(), from, to, gib: None });
        }
    }
    Comparison { result: result(&differences, change_gib), change_gib, differences }
}

/// The three terms, each with its share; fewer, and without shares, where a log lacks one.
fn terms(first: &Diagnosis, second: &Diagnosis) -> Vec<Difference> {
    let split = inputs(first).zip(inputs(second)).map(|(first, second)| budget::compare(&first, &second));
    let term = |name: &str, fact, share: fn(&budget::Difference) -> Gib| {
        let shown = |diagnosis: &Diagnosis| Some(write_trimmed(diagnosis.facts.value(fact)?, 3, 2));
        let gib = split.as_ref().map(|split| share(split).0);
        Some(Difference { name: name.to_owned(), from: shown(first)?, to: shown(second)?, gib })
    };
    let terms = [
        term("mem_fraction_static", FactName::Fraction, |split| split.fraction),
        term("available", FactName::Available, |split| split.available),
        term("total", FactName::Total, |split| split.total),
    ];
    terms.into_iter().flatten().collect()
}

/// What the budget needs of a log; the size of a token does not enter a difference of memory.
fn inputs(diagnosis: &Diagnosis) -> Option<Inputs> {
    let fact = |name| diagnosis.facts.value(name);
    Some(Inputs {
        fraction: Fraction::new(fact(FactName::Fraction)?)?,
        total: Gib(fact(FactName::Total)?),
        available: Gib(fact(FactName::Available)?),
        cell: BytesPerToken::new(1.0)?,
        page_size: 1,
        max_total_tokens: None,
        dynamic_need: None,
    })
}

fn result(differences: &[Difference], change: Option<f64>) -> String {
    let Some(change) = change else {
        return "One of the logs lacks the fraction, or the lines before and after the weights: add them.".to_owned();
    };
    let Some(main) = differences.iter().find(|difference| difference.gib.is_some_and(|gib| gib.abs() > 0.0)) else {
        return "Nothing that decides the rest differs.".to_owned();
    };
    let gib = main.gib.unwrap_or(0.0);
    let name = if main.name == "mem_fraction_static" { "the fraction" } else { main.name.as_str() };
    let share =
        if (change - gib).abs() <= change.abs() / 100.0 + 0.02 { "explains all of it" } else { "is the largest part" };
    let through = differences.iter().find(|difference| THROUGH_AVAILABLE.contains(&difference.name.as_str()));
    let through = match through {
        Some(argument) if main.name == "available" => {
            [" (", &*argument.name, " differs too, and acts through it)"].concat()
        }
        _ => String::new(),
    };
    let change = write(change, 2);
    let start = ["The rest for the KV cache changes by ", &*change, " GiB; ", name, " went from ", &main.from].concat();
    [&*start, " to ", &main.to, " and ", share, &through, "."].concat()
}

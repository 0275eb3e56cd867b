//! Two logs: what differs, and what each difference did to the budget.
//!
//! The budget is `available - total * (1 - fraction)`. Its change splits exactly at midpoints:
//! `Δrest = Δavailable - (1 - f̄) Δtotal + t̄ Δf`, with `f̄` and `t̄` the means of both logs.

use serde::Serialize;

use super::report::{Diagnosis, FactName};
use crate::decimal::{write, write_trimmed};

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
    let change_gib = (differences.len() == 3).then(|| differences.iter().filter_map(|term| term.gib).sum());
    differences.retain(|term| term.from != term.to);
    differences.sort_by(|a, b| b.gib.unwrap_or(0.0).abs().total_cmp(&a.gib.unwrap_or(0.0).abs()));
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

/// The three terms, each with its share; fewer where a log lacks one.
fn terms(first: &Diagnosis, second: &Diagnosis) -> Vec<Difference> {
    let pair = |name| Some((first.facts.value(name)?, second.facts.value(name)?));
    let (available, total, fraction) = (pair(FactName::Available), pair(FactName::Total), pair(FactName::Fraction));
    let middle = |pair: (f64, f64)| (pair.0 + pair.1) / 2.0;
    let term = |name: &str, pair: (f64, f64), gib: Option<f64>| {
        let shown = |value| write_trimmed(value, 3, 2);
        Difference { name: name.to_owned(), from: shown(pair.0), to: shown(pair.1), gib }
    };
    let mut terms = Vec::new();
    if let Some(pair) = fraction {
        terms.push(term("mem_fraction_static", pair, total.map(|total| middle(total) * (pair.1 - pair.0))));
    }
    if let Some(pair) = available {
        terms.push(term("available", pair, Some(pair.1 - pair.0)));
    }
    if let Some(pair) = total {
        let share = fraction.map(|fraction| -(1.0 - middle(fraction)) * (pair.1 - pair.0));
        terms.push(term("total", pair, share));
    }
    terms
}

fn result(differences: &[Difference], change: Option<f64>) -> String {
    let Some(change) = change else {
        return "One of the logs lacks the fraction, or the lines before and after the weights: add them.".to_owned();
    };
    let Some(main) = differences.iter().find(|difference| difference.gib.is_some_and(|gib| gib.abs() > 0.0)) else {
        return "No term of the budget differs.".to_owned();
    };
    let gib = main.gib.unwrap_or(0.0);
    let name = if main.name == "mem_fraction_static" { "the fraction" } else { main.name.as_str() };
    let share =
        if (change - gib).abs() <= change.abs() / 100.0 + 0.02 { "explains all of it" } else { "is the largest part" };
    let through = differences.iter().find(|difference| THROUGH_AVAILABLE.contains(&difference.name.as_str()));
    let through = match through {
        Some(argument) if main.name == "available" => format!(" ({} differs too, and acts through it)", argument.name),
        _ => String::new(),
    };
    format!(
        "The budget changes by {} GiB; {name} went from {} to {} and {share}{through}.",
        write(change, 2),
        main.from,
        main.to
    )
}

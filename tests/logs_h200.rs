//! The log doctor on complete start-up logs of real servers (SGLang 0.5.15, one H200), against what was measured beside
//! them: exact bytes, fraction in force, tokens, what failed and where.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "logs/support.rs"]
#[allow(dead_code)]
mod support;

use std::collections::BTreeMap;

use kv_budget::logs::{Cause, Diagnosis, Direction, FactName, diagnose};
use support::{Random, cause, direction, read};

const GIB: f64 = 1_073_741_824.0;

type Row = BTreeMap<String, String>;

fn runs() -> Vec<(Row, Vec<u8>)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/h200/runs.csv");
    let mut table = csv::Reader::from_path(path).unwrap();
    let rows: Vec<Row> = table.deserialize().map(|row| row.unwrap()).collect();
    rows.into_iter().map(|row| (row.clone(), read(&format!("h200/logs/{}.log", row["id"])))).collect()
}

fn number(row: &Row, column: &str) -> Option<f64> {
    row[column].parse().ok()
}

/// The fact is there and the true value lies within its half-width.
fn holds(id: &str, found: &Diagnosis, name: FactName, truth: Option<f64>) {
    let Some(truth) = truth else { return };
    let fact = found.facts.get(name).unwrap_or_else(|| panic!("{id}: no {name:?}"));
    let off = (fact.value - truth).abs();
    assert!(off <= fact.half_width + 1e-9, "{id}: {name:?} is {} ± {} for {truth}", fact.value, fact.half_width);
}

#[test]
fn facts_cause_and_direction_agree_with_every_run() {
    let runs = runs();
    assert!(runs.len() >= 43);
    for (row, log) in &runs {
        let (id, found) = (&row["id"], diagnose(log));
        assert_eq!(
            (cause(found.cause), direction(found.direction)),
            (row["cause"].clone(), row["direction"].clone()),
            "{id}"
        );
        let gib = |column| number(row, column).map(|bytes: f64| bytes / GIB);
        holds(id, &found, FactName::Total, gib("total_bytes"));
        holds(id, &found, FactName::Available, gib("avail_bytes"));
        holds(id, &found, FactName::Fraction, number(row, "fraction"));
        holds(id, &found, FactName::Tokens, number(row, "tokens_log"));
        let came_up = number(row, "max_running_requests_log");
        holds(id, &found, FactName::MaxRunningRequests, came_up);
        holds(id, &found, FactName::Context, came_up.and_then(|_| number(row, "context_len")));
        holds(id, &found, FactName::AvailableAtEnd, number(row, "available_gpu_mem_printed"));
        if number(row, "tokens_log").is_some() {
            holds(id, &found, FactName::Cell, number(row, "cell_bytes"));
        }
        holds(id, &found, FactName::KSize, number(row, "K_gb"));
        // One latent has one size; the table lists it under V as well, the log does not.
        match number(row, "KV_gb") {
            Some(size) => holds(id, &found, FactName::KvSize, Some(size)),
            None => holds(id, &found, FactName::VSize, number(row, "V_gb")),
        }
        let graphs = [number(row, "prefill_graph_mem_printed"), number(row, "decode_graph_mem_printed")];
        if came_up.is_some() && graphs.iter().any(Option::is_some) {
            holds(id, &found, FactName::GraphMemory, Some(graphs.into_iter().flatten().sum()));
        }
    }
}

#[test]
fn the_proof_line_knows_that_the_begin_line_is_low() {
    for (row, log) in runs() {
        let found = diagnose(&log);
        let Some(proof) = &found.proof else {
            assert!(number(&row, "tokens_log").is_none(), "{}: no proof", row["id"]);
            continue;
        };
        let capped = row["flags"].contains("max-total-tokens");
        assert_eq!(proof.contains("within the rounding"), !capped, "{}: {proof}", row["id"]);
        assert_eq!(proof.contains("caps the pool"), capped, "{}: {proof}", row["id"]);
    }
}

#[test]
fn a_shared_gpu_shows_only_in_its_total() {
    for (row, log) in runs().iter().filter(|(row, _)| row["id"].starts_with("L-hold")) {
        let found = diagnose(log);
        assert_eq!(found.cause, Cause::Healthy, "{}", row["id"]);
        assert!(found.facts.value(FactName::Total).unwrap() < 125.0);
    }
}

#[test]
fn advice_leads_over_the_floor_or_under_what_failed() {
    for (row, log) in runs() {
        let found = diagnose(&log);
        let Some(advice) = found.advice.iter().find(|advice| advice.flag == "--mem-fraction-static") else {
            assert!(!matches!(found.direction, Direction::Raise | Direction::Lower), "{}: no value", row["id"]);
            continue;
        };
        let (floor, fraction, to) =
            (found.facts.value(FactName::MinFraction).unwrap(), number(&row, "fraction").unwrap(), advice.to.unwrap());
        assert_eq!(advice.from, Some(fraction), "{}", row["id"]);
        match found.direction {
            Direction::Raise => assert!(to > floor && to - floor < 0.002, "{}: {to} over {floor}", row["id"]),
            _ => assert!(to < fraction && to > floor, "{}: {to} under {fraction}", row["id"]),
        }
    }
}

#[test]
fn cut_anywhere_they_give_no_wrong_cure() {
    let mut random = Random(3);
    for (row, log) in runs() {
        for _ in 0..30 {
            let place = random.below(log.len());
            let found = diagnose(&log[..place]);
            let (told, truth) = (direction(found.direction), &row["direction"]);
            let wrong = matches!(found.direction, Direction::Raise | Direction::Lower) && told != *truth;
            assert!(!wrong, "{} cut at {place}: {:?} {told} for {truth}", row["id"], found.cause);
            let healed = found.cause == Cause::NotMemory && row["cause"] != "not_memory";
            assert!(!healed, "{} cut at {place} is called no memory problem: {}", row["id"], found.why);
        }
    }
}

//! The log doctor on reports that people filed, whole and damaged.
//!
//! `data/reports/cases` holds fragments of real logs and `expected.csv` what a careful reader accepts for each, written
//! before the doctor was. A direction outside the row is a wrong cure, whatever was done to the text; "the reason is not
//! in this paste" never is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "logs/support.rs"]
mod support;

use kv_budget::logs::{Cause, Direction, Doctor, compare, diagnose};
use support::{Expected, Random, cause, direction, expected, read, wrong_cure};

#[test]
fn every_report_gets_its_cause_its_direction_and_its_number() {
    let rows = expected();
    assert!(rows.len() >= 72);
    for row in rows {
        let diagnosis = diagnose(&row.log);
        let name = &row.name;
        assert!(row.causes.contains(&cause(diagnosis.cause)), "{name}: {:?}", diagnosis.cause);
        assert!(row.directions.contains(&direction(diagnosis.direction)), "{name}: {:?}", diagnosis.direction);
        if let Some((fact, value, tolerance)) = &row.fact {
            let found =
                diagnosis.facts.0.iter().find(|found| serde_json::to_value(found.name).unwrap() == fact.as_str());
            let found = found.unwrap_or_else(|| panic!("{name}: no {fact}"));
            assert!((found.value - value).abs() <= *tolerance, "{name}: {fact} is {} for {value}", found.value);
        }
    }
}

#[test]
fn cut_anywhere_it_never_gives_a_wrong_cure() {
    let mut random = Random(7);
    let mut wrong = Vec::new();
    for row in expected() {
        let ends = row.log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let places: Vec<usize> = ends.chain((0..200).map(|_| random.below(row.log.len()))).collect();
        for place in places {
            // A tail that says why is judged too; one that does not must not guess.
            for (part, log) in [("to", &row.log[..place]), ("from", &row.log[place..])] {
                let found = diagnose(log);
                if wrong_cure(&row, &found) {
                    wrong.push(format!("{} {part} byte {place}: {:?} {:?}", row.name, found.cause, found.direction));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn ranks_in_any_order_give_the_same() {
    let mut random = Random(11);
    for row in expected() {
        let text = String::from_utf8_lossy(&row.log).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let whole = diagnose(&row.log);
        for _ in 0..5 {
            let shuffled = support::shuffle_ranks(&lines, &mut random);
            let found = diagnose(shuffled.join("\n").as_bytes());
            assert!(!wrong_cure(&row, &found), "{}: {:?} {:?}", row.name, found.cause, found.direction);
            if shuffled != lines {
                assert_eq!(found.cause, whole.cause, "{}", row.name);
            }
        }
    }
}

#[test]
fn every_container_prefix_and_colour_changes_nothing() {
    for row in expected() {
        let whole = diagnose(&row.log);
        for (name, wrap) in support::WRAPS {
            let text = String::from_utf8_lossy(&row.log).into_owned();
            let wrapped: Vec<String> = text.lines().enumerate().map(|(index, line)| wrap(index, line)).collect();
            let found = diagnose((wrapped.join("\n") + "\n").as_bytes());
            assert_eq!((found.cause, found.direction), (whole.cause, whole.direction), "{} in {name}", row.name);
            for fact in &whole.facts.0 {
                assert_eq!(found.facts.value(fact.name), Some(fact.value), "{} in {name}: {:?}", row.name, fact.name);
            }
        }
    }
}

#[test]
fn wrapped_at_any_width_it_reads_the_same() {
    for row in expected().iter().filter(|row| !row.directions.iter().any(|direction| direction == "unknown")) {
        for width in [60, 80, 100, 132] {
            let text = String::from_utf8_lossy(&row.log).into_owned();
            let wrapped: Vec<String> = text
                .lines()
                .flat_map(|line| {
                    let characters: Vec<char> = line.chars().collect();
                    let pieces: Vec<String> = characters.chunks(width).map(|piece| piece.iter().collect()).collect();
                    if pieces.is_empty() { vec![String::new()] } else { pieces }
                })
                .collect();
            let found = diagnose((wrapped.join("\n") + "\n").as_bytes());
            assert!(!wrong_cure(row, &found), "{} at {width}: {:?} {:?}", row.name, found.cause, found.direction);
            assert!(row.causes.contains(&cause(found.cause)), "{} at {width}: {:?}", row.name, found.cause);
        }
    }
}

#[test]
fn portions_do_not_matter() {
    for row in expected() {
        let whole = diagnose(&row.log);
        for portion in [1, 13, 1000] {
            let mut doctor = Doctor::default();
            for bytes in row.log.chunks(portion) {
                doctor.push(bytes);
            }
            assert_eq!(doctor.finish(), whole, "{} in portions of {portion}", row.name);
        }
    }
}

#[test]
fn the_worked_case() {
    let debug = diagnose(&read("reports/case/debug-0.55.log"));
    assert_eq!((debug.cause, debug.direction), (Cause::NoRoomAtStart, Direction::Raise));
    assert_eq!(debug.scenario.as_deref(), Some("f=0.55&total=93.999&avail=21.697&cell=70272"));
    let advice = &debug.advice[0];
    assert_eq!((advice.flag.as_str(), advice.from, advice.to), ("--mem-fraction-static", Some(0.55), Some(0.77)));
    assert!(debug.proof.is_some_and(|proof| proof.contains("-20.603") && proof.contains("within the rounding")));

    let lowered = diagnose(&read("reports/case/lowered-0.50.log"));
    assert_eq!((lowered.cause, lowered.direction), (Cause::NoRoomAtStart, Direction::Raise));
    assert!(lowered.attempts.is_empty(), "ranks that repeat an error are one attempt");

    let baseline = diagnose(&read("reports/case/baseline-0.88.log"));
    let sanity = diagnose(&read("reports/case/sanity-0.55.log"));
    assert_eq!((sanity.cause, sanity.direction), (Cause::NoRoomAtStart, Direction::Raise));
    let difference = compare(&baseline, &sanity);
    assert!(
        difference.result.contains("the fraction went from 0.88 to 0.55 and explains all of it"),
        "{}",
        difference.result
    );
    let effect = |name: &str| difference.differences.iter().find(|found| found.name == name).map(|found| found.gib);
    assert!((effect("mem_fraction_static").unwrap().unwrap() + 31.02).abs() < 0.005);
    assert!((effect("available").unwrap().unwrap() + 0.01).abs() < 1e-9);
    assert_eq!(effect("cuda_graph_max_bs"), Some(None));
    assert_eq!(effect("disable_custom_all_reduce"), Some(None));
    let sum: f64 = difference.differences.iter().filter_map(|found| found.gib).sum();
    assert!((sum - difference.change_gib.unwrap()).abs() < 1e-9);
}

#[test]
fn two_failed_attempts_give_total_and_available() {
    let found = diagnose(&read("reports/cases/17-sgl-ornith-spark-two-fractions-fail.log"));
    let value = |name: &str| {
        found
            .facts
            .0
            .iter()
            .find(|fact| serde_json::to_value(fact.name).unwrap() == name)
            .map(|fact| fact.value)
            .unwrap()
    };
    assert!((value("total") - 53.0).abs() < 0.1 && (value("available") - 34.05).abs() < 0.1);
    assert_eq!(found.attempts.len(), 1);
}

#[test]
fn log_text_enters_no_scenario() {
    for row in expected() {
        let found = diagnose(&row.log);
        for query in found.attempts.iter().chain([&found]).filter_map(|attempt| attempt.scenario.as_deref()) {
            let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '=' | '&') || c.is_ascii_lowercase();
            assert!(query.chars().all(plain), "{query}");
            assert!(query.split('&').all(|pair| matches!(
                pair.split('=').next(),
                Some("f" | "total" | "avail" | "cell" | "page" | "cap" | "dyn")
            )));
        }
    }
}

#[test]
fn rows_are_read() {
    let row: Expected = expected().remove(0);
    assert_eq!(row.directions, ["raise"]);
}

#[test]
fn each_cause_has_its_own_advice() {
    let alone = |name: &str| read(&format!("reports/{name}"));
    let launched = |name: &str| {
        let launch =
            b"[2026-02-26 18:20:03] server_args=ServerArgs(model_path='m', tp_size=2, mem_fraction_static=0.88)\n";
        [launch.as_slice(), &alone(name)].concat()
    };
    for (log, flag, from, to) in [
        (alone("cases/29-sgl-retract-dsr1-tp16.log"), "--schedule-conservativeness", None, 1.3),
        (alone("cases/42-sgl-unbalanced-4233-nextn.log"), "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK", None, 0.0),
        // The argument of the log, halved.
        (alone("cases/14-sgl-mamba-floor-inert-095-097.log"), "--max-mamba-cache-size", Some(25.0), 12.0),
        // Nothing starts and survives: less work is the only way.
        (alone("cases/36-sgl-l40s-spec-084-then-085.log"), "--cuda-graph-max-bs", None, 16.0),
        // Half of llama.cpp's 512.
        (alone("others/c-llama-compute-8900.log"), "-ub", None, 256.0),
        (launched("others/c-l4-old-model-class.log"), "--tp-size", Some(2.0), 4.0),
    ] {
        let found = diagnose(&log);
        let advice = found.advice.first().unwrap_or_else(|| panic!("{flag}: {:?}", found.cause));
        assert_eq!((advice.flag.as_str(), advice.from, advice.to), (flag, from, Some(to)), "{:?}", found.cause);
    }
}

#[test]
fn a_flag_of_sglang_is_advised_to_nobody_else() {
    // vLLM's own words for a full pool: it has no such knob.
    let log = b"INFO 06-01 10:00:00 [api_server.py:1034] vLLM API server version 0.8.5\n\
        WARNING 06-01 10:01:00 [scheduler.py:1754] Sequence group 12 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space.\n";
    let found = diagnose(log);
    assert_eq!(found.cause, Cause::PoolFull);
    assert!(found.advice.iter().all(|advice| advice.flag != "--schedule-conservativeness"), "{:?}", found.advice);
}

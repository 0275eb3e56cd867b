//! What the log doctor says against what the page above it says once its numbers are handed over: the same.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "logs/support.rs"]
#[allow(dead_code)]
mod support;

use kv_budget::logs::{Cause, Diagnosis, Direction, FactName, diagnose};
use kv_budget::scenario::json::Evaluated;
use support::{expected, read};

/// Every fragment and every complete log with its name.
fn all() -> Vec<(String, Vec<u8>)> {
    let mut logs: Vec<_> = expected().into_iter().map(|row| (row.name, row.log)).collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/h200/logs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        logs.push((name.clone(), read(&format!("h200/logs/{name}"))));
    }
    for name in ["baseline-0.88", "debug-0.55", "lowered-0.50", "sanity-0.55"] {
        logs.push((name.to_owned(), read(&format!("reports/case/{name}.log"))));
    }
    assert!(logs.len() > 1100, "{}", logs.len());
    logs
}

/// Each attempt of each log that hands numbers over, with what the page makes of them.
fn handed() -> Vec<(String, Diagnosis, Evaluated)> {
    let mut found = Vec::new();
    for (name, log) in all() {
        let mut diagnosis = diagnose(&log);
        let earlier = std::mem::take(&mut diagnosis.attempts);
        for diagnosis in earlier.into_iter().chain([diagnosis]) {
            let Some(query) = &diagnosis.scenario else { continue };
            let evaluated = Evaluated::from_query(query);
            // One log has more free after the weights than before them.
            let fine = evaluated.issues.is_empty() || name == "e-unified-end-above-begin.log";
            assert!(fine, "{name}: {:?}", evaluated.issues);
            found.push((name.clone(), diagnosis, evaluated));
        }
    }
    assert!(found.len() > 150, "{}", found.len());
    found
}

fn of(name: &str) -> (Diagnosis, Evaluated) {
    let diagnosis = diagnose(&read(name));
    let query = diagnosis.scenario.clone().unwrap_or_else(|| panic!("{name} hands nothing over"));
    (diagnosis, Evaluated::from_query(&query))
}

fn advised(diagnosis: &Diagnosis) -> Option<f64> {
    diagnosis.advice.iter().find(|advice| advice.flag == "--mem-fraction-static").and_then(|advice| advice.to)
}

fn says(diagnosis: &Diagnosis, words: &str) -> bool {
    diagnosis.issues.iter().any(|issue| issue.message.contains(words))
}

#[test]
fn what_failed_does_not_start_on_the_page() {
    for (name, diagnosis, page) in handed() {
        let failed = matches!(
            diagnosis.cause,
            Cause::NoRoomAtStart
                | Cause::PoolAllocOom
                | Cause::GraphCaptureOom
                | Cause::RuntimeOom
                | Cause::DraftMemory
                | Cause::HybridState
                | Cause::GpuShared
                | Cause::GpusUnequal
                | Cause::WeightsTooLarge
                | Cause::FlagNotInForce
                | Cause::EmptyBand
        );
        assert_eq!(page.verdict == "starts", !failed, "{name}: {:?} is {}", diagnosis.cause, page.verdict);
    }
}

#[test]
fn the_page_suggests_what_is_advised() {
    let mut compared = 0;
    for (name, diagnosis, page) in handed() {
        let Some(to) = advised(&diagnosis) else { continue };
        match diagnosis.direction {
            Direction::Raise if page.verdict == "cannot_start" => {
                assert_eq!(page.suggested_fraction, Some(to), "{name}");
                compared += 1;
            }
            Direction::Lower => {
                let most = page.max_fraction.unwrap_or_else(|| panic!("{name}: no largest fraction"));
                assert!(most >= to && most < to + 0.001, "{name}: {most} for {to}");
                compared += 1;
            }
            _ => {}
        }
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn a_pool_has_its_own_tokens_on_the_page() {
    let mut compared = 0;
    for (name, diagnosis, page) in handed() {
        // A longest prompt is not the pool, and a pool that is said to be smaller than its numbers is just that.
        let tokens = diagnosis.facts.get(FactName::Tokens).filter(|tokens| tokens.half_width == 0.0);
        let known = diagnosis.scenario.as_ref().is_some_and(|query| query.contains("&cell="));
        let Some(tokens) = tokens.filter(|tokens| known && tokens.value > 0.0) else { continue };
        if diagnosis.cause == Cause::PoolSmallerThanExpected {
            continue;
        }
        let off = (page.pool_tokens as f64 - tokens.value).abs() / tokens.value;
        assert!(off <= 0.02, "{name}: {} on the page, {} in the log", page.pool_tokens, tokens.value);
        compared += 1;
    }
    assert!(compared > 70, "{compared}");
}

#[test]
fn the_printed_minimum_counts() {
    // total × (1 − minimum), rounded down to three decimals.
    for (name, query, suggested) in [
        // 139.13 × 0.8916.
        ("h200/logs/L-f0.08.log", "f=0.08&total=139.13&avail=124.048", 0.109),
        // 139.13 × 0.7878.
        ("h200/logs/D-f0.2.log", "f=0.2&total=139.13&avail=109.606", 0.213),
        // 139.13 × 0.5609.
        ("h200/logs/Q-f0.4.log", "f=0.4&total=139.13&avail=78.038", 0.44),
        // 137.9 × 0.0665: the draft's weights are counted and not in the load lines.
        ("reports/cases/07-sgl-dsv4pro-fp8-h200-mtp-minimum.log", "f=0.88&total=137.9&avail=9.17", 0.934),
        // 114.02 × 0.5274.
        ("reports/cases/12-sgl-spark-qwen38-concurrent-start.log", "f=0.45&total=114.02&avail=60.134", 0.473),
    ] {
        let (diagnosis, page) = of(name);
        assert_eq!(diagnosis.scenario.as_deref(), Some(query), "{name}");
        assert_eq!((page.verdict, page.suggested_fraction), ("cannot_start", Some(suggested)), "{name}");
        assert_eq!(advised(&diagnosis), Some(suggested), "{name}");
        assert!(says(&diagnosis, "the smallest fraction that the server printed"), "{name}");
        // The facts stay those of the lines.
        assert!((diagnosis.facts.value(FactName::Available).unwrap() - page_available(query)).abs() > 0.01, "{name}");
    }
}

fn page_available(query: &str) -> f64 {
    query.split("avail=").nth(1).unwrap().parse().unwrap()
}

#[test]
fn what_ran_out_needs_more_than_was_set_aside() {
    // 139.13 × (1 − 0.94) = 8.3478; 139.13 × 0.03 = 4.17 set aside.
    let (died, page) = of("h200/logs/L-f0.97.log");
    assert_eq!(died.scenario.as_deref(), Some("f=0.97&total=139.13&avail=124.11&cell=131063&dyn=8.347"));
    assert_eq!((page.verdict, advised(&died)), ("too_high", Some(0.94)));
    assert!(says(&died, "at least 4.27 GiB: 4.17 GiB were set aside and 0.09 GiB more were missing"));
    // Nothing was printed of how much was missing: 139.13 × 0.05 = 6.9565.
    let (died, page) = of("h200/logs/L-f0.95.log");
    assert_eq!(page.verdict, "too_high");
    assert!(says(&died, "at least 6.97 GiB: 6.96 GiB were set aside and that was not enough"));
    // No fraction is in this log, so none is advised: 77.54 × 0.504 = 39.08 and 0.16 missing.
    let (died, page) = of("reports/others/c-standalone-draft-after-target.log");
    assert_eq!((page.verdict, advised(&died)), ("too_high", None));
    assert!(died.scenario.unwrap().ends_with("&dyn=39.24"));
}

#[test]
fn numbers_that_contradict_the_log_are_not_handed_over() {
    for (name, words) in [
        // 3.64 − 22.46 × 0.12 = 0.94 GiB, and it was refused.
        ("reports/cases/03-sgl-gemma3-27b-awq-4090-vlm-factor.log", "would start, with 0.94 GiB for the pool"),
        ("reports/others/ak02-multimodal-reserve-then-none.log", "would start, with 1.03 GiB for the pool"),
        ("reports/others/sgl-046-multimodal-reduced.log", "applies a factor to the fraction"),
    ] {
        let diagnosis = diagnose(&read(name));
        assert_eq!(diagnosis.scenario, None, "{name}");
        assert!(says(&diagnosis, words), "{name}: {:?}", diagnosis.issues);
    }
}

#[test]
fn state_slots_count_into_each_token() {
    // 6,146 × (0.34 + 14.57) / 16.58 = 5,527; a ninth of 0.9 more or less by whole slots.
    let (hybrid, page) = of("h200/logs/N-f0.5.log");
    assert_eq!(hybrid.scenario.as_deref(), Some("f=0.5&total=139.1&avail=101.07&cell=11673"));
    assert!(says(&hybrid, "6,146 bytes of KV cache and 5,527 of states"), "{:?}", hybrid.issues);
    assert!((page.pool_tokens - 2_896_501).abs() < 2_896_501 / 50);
    // The fact is the cell of the KV cache alone.
    assert_eq!(hybrid.facts.value(FactName::Cell).map(f64::round), Some(6146.0));
}

const LOADING: &str = "[2026-09-04 10:24:02 TP0] Load weight begin. avail mem=108.41 GB\n";

#[test]
fn a_kill_of_the_host_is_no_matter_of_the_fraction() {
    for (tail, result) in [
        ("Killed", "Killed from outside"),
        ("Loading safetensors checkpoint shards:  75% Completed | 3/4 [00:08<00:02,  2.83s/it]Killed", "Killed from"),
        (
            "./run.sh: line 22: 103525 Killed                  python -m sglang.launch_server --mem-fraction-static 0.95",
            "Killed from outside",
        ),
        ("sglang-1 exited with code 137", "Killed from outside"),
        ("      Exit Code:    137", "Killed from outside"),
        (
            "[2026-09-04 10:25:02] Rank 0 scheduler is dead. Please check if there are relevant logs.\n[2026-09-04 10:25:03] Exit code: -9",
            "Killed from outside",
        ),
        (
            "RuntimeError: Rank 3 scheduler died during initialization (exit code: -9). If exit code is -9 (SIGKILL), a common cause is the OS OOM killer.",
            "Killed from outside",
        ),
        (
            "E torch.distributed.elastic failed (exitcode: -9) local_rank: 0 (pid: 123) of binary: /usr/bin/python",
            "Killed from",
        ),
        ("Signal 9 (SIGKILL) received by PID 123: died with signal 9", "Killed from outside"),
        ("slurmstepd: error: Detected 1 oom-kill event(s) in step 123.0 cgroup.", "Host memory ran out"),
        ("slurmstepd: error: Detected 3 oom_kill events in StepId=918221.0.", "Host memory ran out"),
        ("[1.2] Memory cgroup out of memory: Killed process 123 (python3) total-vm:1kB", "Host memory ran out"),
    ] {
        let found = diagnose(format!("{LOADING}{tail}\n").as_bytes());
        assert_eq!((found.cause, found.direction), (Cause::NotMemory, Direction::None), "{tail}");
        assert!(found.result.starts_with(result), "{tail}: {}", found.result);
        assert!(found.advice.is_empty(), "{tail}");
    }
}

#[test]
fn a_kill_after_a_failure_is_its_consequence() {
    for tail in [
        "[2026-09-04 10:25:02] Scheduler hit an exception: Traceback (most recent call last):\n  File \"x.py\", line 3, in y\nKilled",
        "[2026-09-04 10:25:03] SIGQUIT received. signum=None, frame=None. It usually means one child failed.\nKilled",
        "RuntimeError: Rank 3 scheduler died during initialization (exit code: -3). If exit code is -9 (SIGKILL), a common cause is the OS OOM killer.",
    ] {
        let found = diagnose(format!("{LOADING}{tail}\n").as_bytes());
        assert_eq!((found.cause, found.direction), (Cause::ReasonMissing, Direction::Unknown), "{tail}");
    }
    let refused =
        format!("{LOADING}RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\nKilled\n");
    assert_eq!(diagnose(refused.as_bytes()).cause, Cause::NoRoomAtStart);
    // Up, then somebody ends it, and what comes after belongs to the next start.
    let up = format!("{LOADING}Killed\n[2026-09-04 10:26:00] The server is fired up and ready to roll!\n");
    assert_eq!(diagnose(up.as_bytes()).cause, Cause::Healthy);
}

#[test]
fn a_traceback_without_its_end_is_asked_for() {
    let found = diagnose(&read("reports/cases/22-sgl-5090-qwen3-4b-capture-exception.log"));
    assert_eq!(found.result, "The reason is not in this paste: the pool of 132,681 tokens was there, then it failed.");
    assert_eq!(
        found.why,
        "A traceback begins in line 9, and no line here names the reason. Add the last lines of the traceback. Up to \
         there these lines show nothing wrong."
    );
    let cut = diagnose(format!("{LOADING}[2026-09-04 10:25:02 TP0] Load weight end. avail mem=60.41 GB\n").as_bytes());
    assert!(cut.why.starts_with("The lines that are here show nothing wrong;"), "{}", cut.why);
}

#[test]
fn a_cap_explains_a_small_pool() {
    let found = diagnose(&read("h200/logs/L-maxtok100000.log"));
    let proof = found.proof.unwrap();
    assert!(
        proof.contains("--max-total-tokens 100000 caps the pool, and explains the difference of 98.414 GiB"),
        "{proof}"
    );
    assert!(!proof.contains("more than rounding"), "{proof}");
}

#[test]
fn no_sentence_claims_what_the_paste_does_not_hold() {
    let why = |name: &str, flag: &str| {
        let advice = diagnose(&read(name)).advice;
        advice.into_iter().find(|advice| advice.flag == flag).unwrap_or_else(|| panic!("{name}: no {flag}")).why
    };
    for name in ["reports/cases/25-sgl-h20-deepep-graph-448mib.log", "reports/cases/36-sgl-l40s-spec-084-then-085.log"]
    {
        assert!(
            why(name, "--cuda-graph-max-bs")
                .contains("SGLang’s message for this error proposes a smaller value, e.g. 16.")
        );
    }
    for name in ["reports/cases/94-vllm-torch211-miss-by-007.log", "reports/cases/95-vllm-wsl2-3090-097.log"] {
        assert!(why(name, "--gpu-memory-utilization").contains("if another process holds the rest (nvidia-smi)"));
    }
    let slots = diagnose(&read("reports/cases/41-sgl-mamba-pingpong-assert.log"));
    assert!(slots.why.contains("--mamba-full-memory-ratio") && !says(&slots, "Load weight begin"), "{slots:?}");
}

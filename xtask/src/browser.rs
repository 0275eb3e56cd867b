//! The commands that look at `dist/` through a real browser; the driving itself is the package in `tests/browser`.

use std::process::Command;

use crate::setup::{self, CHROMIUM, ENGINES, Engine};
use crate::step::{self, Failure, Result};
use crate::{build, project};

const CURE: &str = "the first failure above says which expectation broke; target/screenshots holds the last pictures";

/// Builds what is needed and runs the end-to-end tests in the engines that are named first: `all`, or Chromium where none is.
pub fn test(arguments: &[String]) -> Result<()> {
    build::run()?;
    let is_engine = |argument: &&String| *argument == "all" || ENGINES.iter().any(|engine| *argument == engine.name);
    let named = arguments.iter().take_while(is_engine).count();
    let (wanted, arguments) = arguments.split_at(named);
    let chosen = |engine: &&Engine| match wanted {
        [] => engine.name == CHROMIUM.name,
        wanted => wanted.iter().any(|name| name == "all" || name == engine.name),
    };
    ENGINES.iter().filter(chosen).try_for_each(|engine| test_in(engine, arguments))
}

fn test_in(engine: &Engine, arguments: &[String]) -> Result<()> {
    setup::engine(engine)?;
    let skips = project::target().join(format!("skips-{}.txt", engine.name));
    let run = |what: &str, threads: usize, arguments: &[String]| {
        let mut command = driving(&["test", "--package", "browser-tests", "--tests", "--no-fail-fast", "--"]);
        if !arguments.iter().any(|argument| argument.starts_with("--test-threads")) {
            command.arg(format!("--test-threads={threads}"));
        }
        command.env("KV_BUDGET_ENGINE", engine.name).env("KV_BUDGET_SKIPS", &skips);
        step::run_and_hear(&format!("{what} in {}", engine.title), command.args(arguments), CURE)
    };
    std::fs::remove_file(&skips).ok();
    let (outcome, told) = run("test the built page", engine.threads, arguments);
    let skipped = std::fs::read_to_string(&skips).unwrap_or_default();
    if !skipped.is_empty() {
        step::say(format!("{} tests were skipped in {}:", skipped.lines().count(), engine.title));
        print!("{skipped}");
    }
    let Some(failed) = failed(&told).filter(|_| outcome.is_err() && engine.name != CHROMIUM.name) else {
        return outcome;
    };
    // Under load these drivers lose an event now and then: what fails for that reason passes alone.
    let again: Vec<String> = ["--exact"].into_iter().chain(failed.iter().copied()).map(str::to_owned).collect();
    let (outcome, told) = run("test alone what failed", 1, &again);
    outcome?;
    let passed = told.lines().filter(|line| line.starts_with("test ") && line.ends_with("... ok")).count();
    if passed < failed.len() {
        let cause = format!("of {} tests that failed only {passed} were run again", failed.len());
        return Err(Failure::new("test alone what failed", cause).cure(CURE));
    }
    step::say(format!("passed in {} only alone: {}", engine.title, failed.join(", ")));
    Ok(())
}

/// The names of the tests that failed, by what the runner says; `None` where none did, or where a program of tests ended
/// before it said all: then there may be others.
fn failed(told: &str) -> Option<Vec<&str>> {
    let lines = |start: &'static str| told.lines().filter(move |line| line.starts_with(start));
    let names: Vec<&str> =
        lines("test ").filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED")).collect();
    let counted: usize = lines("test result: ")
        .filter_map(|line| line.split("; ").nth(1)?.strip_suffix(" failed")?.parse::<usize>().ok())
        .sum();
    let ended = lines("running ").count() == lines("test result: ").count();
    (ended && counted == names.len() && counted > 0).then_some(names)
}

/// Tests of `page` and `plan` that are about what only a host has: files that are fetched, and an address to link to.
const HOSTED_ONLY: [&str; 10] = [
    "a_workshop_that_does_not_arrive_is_told_and_asked_again",
    "delivery::a_program_that_somebody_altered_does_not_run",
    "delivery::the_program_is_fetched_once",
    "delivery::a_program_that_does_not_arrive_is_told_in_a_sentence",
    "delivery::the_page_starts_and_stays_silent",
    "delivery::the_link_to_reload_keeps_the_scenario",
    "share::every_copy_button_copies_what_it_says",
    "share::every_place_has_its_lines",
    "share::the_embed_is_shown_as_it_will_be",
    "story::the_plain_pages_run_nothing",
];

/// Runs the page's own tests on the single file, opened from the disk.
pub fn test_file(arguments: &[String]) -> Result<()> {
    prepare()?;
    let mut command =
        driving(&["test", "--package", "browser-tests", "--test", "page", "--test", "plan", "--no-fail-fast", "--"]);
    command.arg("--test-threads=2").env("KV_BUDGET_FILE", project::dist().join(crate::whole::NAME));
    for name in HOSTED_ONLY {
        command.args(["--skip", name]);
    }
    step::run("test the single file in Chromium", command.args(arguments), CURE)
}

/// Takes pictures of the page.
pub fn screenshots(arguments: &[String]) -> Result<()> {
    prepare()?;
    let mut command =
        driving(&["run", "--quiet", "--profile", "test", "--package", "browser-tests", "--bin", "screenshots", "--"]);
    step::run("take pictures of the built page", command.args(arguments), CURE)
}

/// Looks at documentation sites that embed a scenario.
pub fn sites(folders: &[String]) -> Result<()> {
    prepare()?;
    let mut command =
        driving(&["run", "--quiet", "--profile", "test", "--package", "browser-tests", "--bin", "docs", "--"]);
    step::run("look at the built sites", command.args(folders), CURE)
}

/// Measures how fast the page answers a slider, or with `log` how fast it reads a log.
pub fn bench(arguments: &[String]) -> Result<()> {
    prepare()?;
    let (program, arguments) = match arguments.split_first() {
        Some((first, rest)) if first == "log" => ("bench-log", rest),
        _ => ("bench", arguments),
    };
    let mut command =
        driving(&["run", "--quiet", "--profile", "test", "--package", "browser-tests", "--bin", program, "--"]);
    step::run("measure the built page in Chromium", command.args(arguments), CURE)
}

/// Measures the page, and those that are named, as a reader with a slow machine meets them.
pub fn bench_pages(arguments: &[String]) -> Result<()> {
    prepare()?;
    let mut command =
        driving(&["run", "--quiet", "--profile", "test", "--package", "browser-tests", "--bin", "bench-pages", "--"]);
    command.env("KV_BUDGET_REPORT", project::target().join("bench-pages.json"));
    step::run("measure pages in Chromium", command.args(arguments), CURE)
}

fn prepare() -> Result<()> {
    build::run()?;
    setup::engine(&CHROMIUM)
}

fn driving(arguments: &[&str]) -> Command {
    let mut command = project::cargo();
    // A trace through the driver's futures hides the one line that tells what broke.
    command.args(arguments).env("KV_BUDGET_DIST", project::dist()).env("RUST_BACKTRACE", "0");
    for (variable, program) in setup::browser_programs() {
        command.env(variable, program);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::failed;

    #[test]
    fn only_what_is_known_whole_is_tried_again() {
        let first = "running 2 tests\ntest a::one ... ok\ntest a::two ... FAILED\n\nfailures:\n    a::two\n\n\
            test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s\n";
        let second = "running 1 test\ntest three ... FAILED\n\
            test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s\n";
        assert_eq!(failed(&[first, second].concat()), Some(vec!["a::two", "three"]));
        // Nothing failed.
        let fine = "running 1 test\ntest a ... ok\n\
            test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s\n";
        assert_eq!(failed(fine), None);
        // A program that ended in the middle says nothing of the rest.
        assert_eq!(failed(&[first, "running 9 tests\ntest b ... ok\n"].concat()), None);
        // A failure without a name.
        assert_eq!(failed(&first.replace("test a::two ... FAILED\n", "")), None);
    }
}

//! Arbitrary bytes for the parsers that read what strangers wrote, guided by which code they reach.
//!
//! The targets in `fuzz/` are those of `cargo fuzz`. Here they are built with the stable toolchain, by the same
//! instrumentation and without a sanitizer: the page has no unsafe code, and a panic, an endless loop or a memory that grows
//! is found without one.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::project::{cargo, command, root, target};
use crate::step::{self, Failure, Result, say};

/// A parser and where its seeds are, beside `fuzz/seeds`.
struct Target {
    name: &'static str,
    seeds: &'static [&'static str],
}

const TARGETS: &[Target] = &[
    Target {
        name: "log",
        seeds: &["tests/data/reports/case", "tests/data/reports/cases", "tests/data/reports/others"],
    },
    Target { name: "query", seeds: &[] },
    Target { name: "config", seeds: &["tests/data/configs"] },
];

/// How long each target runs where nothing else is said.
const SECONDS: u64 = 60;

/// How long each target runs as one of the checks.
const SMOKE: u64 = 5;

/// Coverage as libFuzzer reads it; `cargo fuzz` passes the same.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// `fuzz [TARGET] [--seconds N]`.
pub fn run(arguments: &[String]) -> Result<()> {
    let (wanted, seconds) = understand(arguments)?;
    let host = host()?;
    build(&host)?;
    for target in TARGETS.iter().filter(|target| wanted.is_none_or(|wanted| wanted == target.name)) {
        let told = fuzz(target, &host, seconds)?;
        say(format!("{}: {told}", target.name));
    }
    Ok(())
}

/// A few seconds of each target: that they build and that nothing lies at hand.
pub fn smoke() -> Result<()> {
    run(&["--seconds".to_owned(), SMOKE.to_string()])
}

fn understand(arguments: &[String]) -> Result<(Option<&str>, u64)> {
    let bad = |what: String| Failure::new("read the arguments", what).cure("`cargo xtask fuzz [TARGET] [--seconds N]`");
    let (mut wanted, mut seconds) = (None, SECONDS);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--seconds" {
            let number = rest.next().and_then(|number| number.parse().ok());
            seconds = number.ok_or_else(|| bad("--seconds needs a whole number".to_owned()))?;
        } else if TARGETS.iter().any(|target| target.name == argument) {
            wanted = Some(argument.as_str());
        } else {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            return Err(bad(format!("there is no target {argument:?}, only {}", names.join(", "))));
        }
    }
    Ok((wanted, seconds))
}

/// The machine's own triple: with a target named, the flags do not reach build scripts.
fn host() -> Result<String> {
    let step = "ask rustc for the machine's triple";
    let told = step::captured(step, command("rustc").arg("-vV"), "install Rust")?;
    let told = String::from_utf8_lossy(&told);
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new(step, "it does not say"))
}

fn folder() -> PathBuf {
    target().join("fuzz")
}

fn build(host: &str) -> Result<()> {
    step::run(
        "build the fuzz targets",
        cargo()
            .args(["build", "--quiet", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"])
            .args(["--bins", "--target", host])
            .env("CARGO_TARGET_DIR", folder())
            .env("RUSTFLAGS", FLAGS),
        "a C++ compiler is needed for libFuzzer",
    )
}

/// Runs the target and says what libFuzzer counted; an error holds the input that was found.
fn fuzz(target: &Target, host: &str, seconds: u64) -> Result<String> {
    let step = format!("fuzz {} for {seconds} s", target.name);
    let unwritable = |error: std::io::Error| Failure::new(&*step, error);
    let corpus = folder().join("corpus").join(target.name);
    let findings = folder().join("findings");
    std::fs::create_dir_all(&corpus).and_then(|()| std::fs::create_dir_all(&findings)).map_err(unwritable)?;
    let mut program = Command::new(folder().join(host).join("release").join(target.name));
    program
        .current_dir(root())
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/{}-", findings.display(), target.name))
        .arg(format!("-dict=fuzz/dictionaries/{}.dict", target.name))
        .args(["-timeout=60", "-rss_limit_mb=2048", "-max_len=65536", "-print_final_stats=1", "-verbosity=0"])
        .arg(corpus)
        .arg(format!("fuzz/seeds/{}", target.name))
        .args(target.seeds)
        .stdout(Stdio::null());
    say(&step);
    let output = program.output().map_err(unwritable)?;
    let told = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let last: Vec<&str> = told.lines().rev().take(40).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return Err(Failure::new(&*step, last.join("\n"))
            .command(&program)
            .cure("give the file that it names to the target's program, and mend what fails"));
    }
    let stat = |name: &str| {
        told.lines()
            .find_map(|line| {
                line.strip_prefix("stat::")?.strip_prefix(name)?.trim_start_matches(':').trim().parse().ok()
            })
            .unwrap_or(0_u64)
    };
    // A target that ran nothing found nothing.
    if stat("number_of_executed_units") == 0 {
        return Err(Failure::new(&*step, "libFuzzer counted no execution").command(&program));
    }
    Ok(format!(
        "{} executions in {seconds} s, {} inputs kept, at most {} MiB, no finding",
        stat("number_of_executed_units"),
        stat("new_units_added"),
        stat("peak_rss_mb")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_a_target_and_a_time() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(understand(&[]).unwrap(), (None, SECONDS));
        assert_eq!(understand(&words("query --seconds 5")).unwrap(), (Some("query"), 5));
        assert!(understand(&words("nothing")).is_err());
        assert!(understand(&words("--seconds")).is_err());
    }

    #[test]
    fn every_target_has_a_program_seeds_and_a_dictionary() {
        for target in TARGETS {
            assert!(root().join(format!("fuzz/fuzz_targets/{}.rs", target.name)).is_file());
            assert!(root().join(format!("fuzz/dictionaries/{}.dict", target.name)).is_file());
            for seeds in target.seeds.iter().copied().map(str::to_owned).chain([format!("fuzz/seeds/{}", target.name)])
            {
                assert!(root().join(seeds).read_dir().unwrap().next().is_some());
            }
        }
    }
}

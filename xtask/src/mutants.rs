//! Would the fast tests notice a changed operator, constant or return value? `cargo mutants` changes them one by one.
//!
//! It takes hours, so it is no part of the checks. What it last left alive stands in `docs/mutants.md`, with the reasons.

use crate::project::{cargo, target};
use crate::setup;
use crate::step::{self, Failure, Result};

/// A part of the library, and the tests that speak of it.
struct Part {
    name: &'static str,
    files: &'static [&'static str],
    tests: &'static [&'static str],
}

const PARTS: &[Part] = &[
    Part { name: "units", files: &["src/units.rs"], tests: &["golden_budget", "properties"] },
    Part { name: "budget", files: &["src/budget/*.rs"], tests: &["golden_budget", "properties"] },
    Part { name: "scenario", files: &["src/scenario/*.rs"], tests: &["url", "properties"] },
    Part {
        name: "sglang",
        files: &["src/engines/sglang/**/*.rs"],
        tests: &["golden_auto_fraction", "golden_cell_size", "h200"],
    },
    Part {
        name: "diagnose",
        files: &[
            "src/logs/diagnose.rs",
            "src/logs/diagnose/together.rs",
            "src/logs/exhausted.rs",
            "src/logs/facts.rs",
            "src/logs/advice.rs",
            "src/logs/advice/*.rs",
        ],
        tests: &["logs", "logs_more", "logs_h200"],
    },
];

/// `mutants [PART …]`; all parts where none is named.
pub fn run(arguments: &[String]) -> Result<()> {
    if let Some(unknown) = arguments.iter().find(|wanted| PARTS.iter().all(|part| part.name != *wanted)) {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        let cause = format!("there is no part {unknown:?}, only {}", names.join(", "));
        return Err(Failure::new("read the arguments", cause));
    }
    setup::mutants()?;
    PARTS
        .iter()
        .filter(|part| arguments.is_empty() || arguments.iter().any(|wanted| wanted == part.name))
        .try_for_each(mutate)
}

/// Mutants that survive are no failure of the command: they are listed, to be killed or explained.
fn mutate(part: &Part) -> Result<()> {
    let step = format!("mutate {}", part.name);
    let folder = target().join("mutants");
    std::fs::create_dir_all(&folder).map_err(|error| Failure::new(&*step, error))?;
    let mut command = cargo();
    // Its copies of the tree share one folder of what is built.
    command.env("CARGO_TARGET_DIR", folder.join("build"));
    command.args(["mutants", "--jobs", "1", "--no-shuffle", "--profile", "mutants", "--output"]);
    command.arg(folder.join(part.name));
    for file in part.files {
        command.args(["--file", file]);
    }
    // For the build as well: what nothing runs need not be compiled for each change.
    command.arg("--cargo-arg=--lib");
    for test in part.tests {
        command.arg(format!("--cargo-arg=--test={test}"));
    }
    step::say(&step);
    let status = command.status().map_err(|error| Failure::new(&*step, error).command(&command))?;
    match status.code() {
        // 2: some survived; 3: some ran out of time.
        Some(0 | 2 | 3) => Ok(()),
        _ => Err(Failure::new(&*step, status).command(&command)),
    }
}

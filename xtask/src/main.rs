//! `cargo xtask`: one command to serve the page, one to pass every test, one to build what is hosted.
//!
//! Each command makes its own preparations, says what it does, and repeats nothing that is already done.

mod api;
mod blame;
mod browser;
mod build;
mod checks;
mod docs;
mod embed;
mod fuzz;
mod glue;
mod inline;
mod lighthouse;
mod mutants;
mod offline;
mod order;
mod prerender;
mod preview;
mod program;
mod project;
mod serve;
mod setup;
mod shed;
mod sizes;
mod step;
mod wasm;
mod whole;

use std::process::ExitCode;

use step::{Failure, Result};

/// A command, how it is called and what it does.
struct Command {
    /// Its name, then its arguments.
    usage: &'static str,
    about: &'static [&'static str],
    run: fn(&[String]) -> Result<()>,
}

impl Command {
    fn name(&self) -> &'static str {
        self.usage.split(' ').next().unwrap_or_default()
    }
}

const COMMANDS: [Command; 15] = [
    Command {
        usage: "serve [--port N]",
        about: &["build the page if anything changed and serve it on 127.0.0.1:8080 or the next free port"],
        run: serve::run,
    },
    Command {
        usage: "test",
        about: &[
            "everything that CI runs: format, lints, licences, docs, native tests, fuzzing, build, size budget, browser",
            "tests, two documentation sites",
        ],
        run: |_| checks::run(),
    },
    Command {
        usage: "build",
        about: &["build dist/, the folder to copy to any static host"],
        run: |_| build::run().and_then(|()| sizes::report(sizes::Gate::Tell)),
    },
    Command {
        usage: "test-browser [..]",
        about: &[
            "the end-to-end tests of dist/ alone, in the engines that are named first (chromium, firefox, webkit,",
            "all; Chromium where none is); what follows goes to the test runner",
        ],
        run: browser::test,
    },
    Command {
        usage: "test-file [..]",
        about: &["the page's tests on kv-budget.html, opened from the disk"],
        run: browser::test_file,
    },
    Command {
        usage: "test-docs [TOOL ..]",
        about: &["the sites of examples/docs, built by mkdocs, sphinx, mdbook, docusaurus and seen in Chromium"],
        run: docs::test,
    },
    Command {
        usage: "screenshots [..]",
        about: &["pictures of dist/ into target/screenshots; arguments are scenario queries"],
        run: browser::screenshots,
    },
    Command {
        usage: "bench-browser [log]",
        about: &["how fast dist/ answers a slider, and its frames on a slow machine; or how fast it reads a log"],
        run: browser::bench,
    },
    Command {
        usage: "bench-pages [NAME=PATH ..]",
        about: &["how dist/ loads, answers and holds memory on a slow machine, beside other pages (docs/speed.md)"],
        run: browser::bench_pages,
    },
    Command {
        usage: "lighthouse [RUNS]",
        about: &["the scores of dist/ in Lighthouse, mobile settings"],
        run: lighthouse::run,
    },
    Command { usage: "sizes", about: &["what dist/ weighs"], run: |_| sizes::report(sizes::Gate::Tell) },
    Command {
        usage: "fuzz [TARGET] [--seconds N]",
        about: &["arbitrary bytes for the parsers of logs, queries and configs, 60 s each"],
        run: fuzz::run,
    },
    Command {
        usage: "mutants [PART ..]",
        about: &["which changed operators and constants no fast test notices; takes hours"],
        run: mutants::run,
    },
    Command {
        usage: "blame [PROGRAM]",
        about: &["which functions make kv-budget (or workshop-plan …) as large as it is"],
        run: |names| blame::report(names.first().map_or("kv-budget", String::as_str)),
    },
    Command {
        usage: "setup",
        about: &["install the tools and the browsers of the tests, and stop"],
        run: |_| setup::build_tools().and_then(|()| setup::ENGINES.iter().try_for_each(setup::engine)),
    },
];

/// What `cargo xtask help` prints.
fn help() -> String {
    let mut text = String::from("cargo xtask COMMAND\n\n");
    for Command { usage, about, .. } in &COMMANDS {
        for (line, words) in about.iter().enumerate() {
            let usage = if line == 0 { usage } else { "" };
            text.push_str(&format!("  {usage:<28}{words}\n"));
        }
    }
    text
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", arguments),
    };
    if let Some(known) = COMMANDS.iter().find(|known| known.name() == command) {
        return (known.run)(rest);
    }
    if ["help", "--help", "-h"].contains(&command) {
        print!("{}", help());
        return Ok(());
    }
    Err(Failure::new("read the arguments", format!("there is no command {command:?}"))
        .cure("`cargo xtask help` lists the commands"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_names_every_command() {
        let readme = std::fs::read_to_string(project::root().join("README.md")).unwrap();
        for command in &COMMANDS {
            let row = format!("\n| `cargo xtask {}", command.name());
            assert!(readme.contains(&(row.clone() + "` |")) || readme.contains(&(row.clone() + " ")), "{row}");
        }
        assert_eq!(readme.matches("\n| `cargo xtask ").count(), COMMANDS.len());
    }
}

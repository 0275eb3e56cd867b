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
mod whole;

use std::process::ExitCode;

use step::{Failure, Result};

const HELP: &str = "\
cargo xtask COMMAND

  serve [--port N]   build the page if anything changed and serve it on 127.0.0.1:8080 or the next free port
  test               everything that CI runs: format, lints, docs, native tests, build, size budget, browser tests
  build              build dist/, the folder to copy to any static host
  test-browser [..]  the end-to-end tests of dist/ alone, in the engines that are named first (chromium, firefox, webkit,
                     all; Chromium where none is); what follows goes to the test runner
  test-file [..]     the page's tests on kv-budget.html, opened from the disk
  test-docs [TOOL ..]  the sites of examples/docs, built by mkdocs, sphinx, mdbook, docusaurus and seen in Chromium
  screenshots [..]   pictures of dist/ into target/screenshots; arguments are scenario queries
  bench-browser      how fast dist/ answers a slider, and its frames on a slow machine; with `log`, how fast it reads one
  bench-pages [NAME=PATH ..]
                     how dist/ loads, answers and holds memory on a slow machine, beside other pages (docs/speed.md)
  lighthouse [RUNS]  the scores of dist/ in Lighthouse, mobile settings
  sizes              what dist/ weighs
  fuzz [TARGET] [--seconds N]
                     arbitrary bytes for the parsers of logs, queries and configs, 60 s each
  mutants [PART ..]  which changed operators and constants no fast test notices; takes hours
  blame [PROGRAM]    which functions make kv-budget (or workshop-plan …) as large as it is
  setup              install the tools and stop";

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
    match command {
        "serve" => serve::run(rest),
        "test" => checks::run(),
        "build" => build::run().and_then(|()| sizes::report(sizes::Gate::Tell)),
        "test-browser" => browser::test(rest),
        "test-file" => browser::test_file(rest),
        "test-docs" => docs::test(rest),
        "screenshots" => browser::screenshots(rest),
        "bench-browser" => browser::bench(rest),
        "bench-pages" => browser::bench_pages(rest),
        "lighthouse" => lighthouse::run(rest),
        "sizes" => sizes::report(sizes::Gate::Tell),
        "blame" => blame::report(rest.first().map_or("kv-budget", String::as_str)),
        "fuzz" => fuzz::run(rest),
        "mutants" => mutants::run(rest),
        "setup" => setup::build_tools().and_then(|()| setup::ENGINES.iter().try_for_each(setup::engine)),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        unknown => Err(Failure::new("read the arguments", format!("there is no command {unknown:?}"))
            .cure("`cargo xtask help` lists the commands")),
    }
}

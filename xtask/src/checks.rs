//! `cargo xtask test`: everything that CI runs, the quick checks first.

use std::time::Instant;

use crate::project::cargo;
use crate::step::{self, Result, say};
use crate::{browser, build, setup, sizes};

pub fn run() -> Result<()> {
    let since = Instant::now();
    setup::build_tools()?;
    step::run("check the format", cargo().args(["fmt", "--all", "--check"]), "`cargo fmt --all`")?;
    let mend = "mend what the lint names";
    step::run(
        "lint the native code",
        cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
        mend,
    )?;
    step::run(
        "lint the page",
        cargo()
            .args(["clippy", "--quiet", "--lib", "--bins", "--locked", "--target", "wasm32-unknown-unknown"])
            .args(["--", "-D", "warnings"]),
        mend,
    )?;
    step::run(
        "build the docs",
        cargo()
            .args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items", "--locked"])
            .env("RUSTDOCFLAGS", "-D warnings"),
        "mend the link or the text that rustdoc names",
    )?;
    step::run(
        "run the native tests",
        cargo().args(["test", "--quiet", "--workspace", "--exclude", "browser-tests", "--locked"]),
        "the first failure above says what broke",
    )?;
    build::run()?;
    sizes::report(sizes::Gate::Enforce)?;
    browser::test(&[])?;
    say(format!(
        "all of it passed after {} s: format, lints, docs, native tests, build, size budget, browser tests",
        since.elapsed().as_secs()
    ));
    Ok(())
}

//! `cargo xtask test`: everything that CI runs, the quick checks first.

use std::time::Instant;

use crate::project::cargo;
use crate::setup::WASM;
use crate::step::{self, Result, say};
use crate::{browser, build, docs, fuzz, project, setup, sizes};

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
            .args(["clippy", "--quiet", "--lib", "--bins", "--locked", "--target", WASM])
            .args(["--", "-D", "warnings"]),
        mend,
    )?;
    setup::deny()?;
    step::run(
        "check licences and sources of all dependencies",
        project::command("cargo-deny").args(["--offline", "check", "licenses", "bans", "sources"]),
        "see deny.toml: allow the licence there, or do without the crate",
    )?;
    let doc = |step: &str, arguments: &[&str]| {
        let mut command = cargo();
        command.args(["doc", "--quiet", "--no-deps", "--document-private-items", "--locked"]).args(arguments);
        step::run(step, command.env("RUSTDOCFLAGS", "-D warnings"), "mend the link or the text that rustdoc names")
    };
    doc("build the docs of the native code", &["--workspace"])?;
    doc("build the docs of the page", &["--lib", "--target", WASM])?;
    step::run(
        "run the native tests",
        cargo().args(["test", "--quiet", "--workspace", "--exclude", "browser-tests", "--locked"]),
        "the first failure above says what broke",
    )?;
    fuzz::smoke()?;
    build::run()?;
    sizes::report(sizes::Gate::Enforce)?;
    browser::test(&["all".to_owned()])?;
    docs::test(&docs::LIGHT.map(str::to_owned))?;
    say(format!(
        "all of it passed after {} s: format, lints, docs, native tests, fuzzing, build, size budget, browser tests",
        since.elapsed().as_secs()
    ));
    Ok(())
}

//! `cargo xtask test-docs`: builds the sites of `examples/docs/` with the real tools and looks at each in a browser.
//!
//! MkDocs and Sphinx take seconds and run in CI; mdBook is compiled, and Docusaurus brings a thousand packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::{self, Failure, Result};
use crate::{browser, project, setup};

/// MkDocs and Sphinx share one Python environment.
const PYTHON: [&str; 2] = ["mkdocs==1.6.1", "sphinx==8.2.3"];

/// A documentation tool: how it is installed, and how it builds the site of a folder.
struct Tool {
    name: &'static str,
    install: fn(&Path) -> Result<()>,
    build: fn() -> Command,
    /// Where the built site is, below the folder.
    site: &'static str,
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "mkdocs",
        install: |_| python(&PYTHON),
        build: || {
            let mut command = Command::new(tools().join("python/bin/mkdocs"));
            command.args(["build", "--quiet", "--site-dir", "site"]);
            command
        },
        site: "site",
    },
    Tool {
        name: "sphinx",
        install: |_| python(&PYTHON),
        build: || {
            let mut command = Command::new(tools().join("python/bin/sphinx-build"));
            command.args(["--quiet", "--builder", "html", ".", "site"]);
            command
        },
        site: "site",
    },
    Tool {
        name: "mdbook",
        install: |_| setup::mdbook(),
        build: || {
            let mut command = project::command("mdbook");
            command.args(["build", "--dest-dir", "site"]);
            command
        },
        site: "site",
    },
    Tool {
        name: "docusaurus",
        install: |folder| {
            let step = "install Docusaurus from npm";
            let arguments = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
            step::run(step, project::command("npm").args(arguments).current_dir(folder), "look at npm's message above")
        },
        build: || {
            let mut command = project::command("npm");
            command.args(["run", "build"]).env("NODE_ENV", "production").env("DOCUSAURUS_NO_TELEMETRY", "1");
            command
        },
        site: "build",
    },
];

/// The tools that are quick enough for every run of CI.
pub const LIGHT: [&str; 2] = ["mkdocs", "sphinx"];

/// Where the tools of Python go.
fn tools() -> PathBuf {
    project::tools().join("docs")
}

/// Builds the sites of these tools, all if none is named, and tests them.
pub fn test(names: &[String]) -> Result<()> {
    let step = "choose the documentation tools";
    let known = |name: &String| TOOLS.iter().any(|tool| tool.name == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(
            Failure::new(step, format!("there is no tool {unknown:?}")).cure("mkdocs, sphinx, mdbook, docusaurus")
        );
    }
    let sites = project::target().join("docs");
    let wanted: Vec<&Tool> =
        TOOLS.iter().filter(|tool| names.is_empty() || names.iter().any(|name| name == tool.name)).collect();
    let mut arguments = Vec::new();
    for tool in wanted {
        let folder = sites.join(tool.name);
        copied(&project::root().join("examples/docs").join(tool.name), &folder)?;
        (tool.install)(&folder)?;
        let mut command = (tool.build)();
        step::run(
            &format!("build the site of {}", tool.name),
            command.current_dir(&folder),
            "read the tool's message above",
        )?;
        arguments.push(folder.join(tool.site).display().to_string());
    }
    browser::sites(&arguments)
}

/// Copies a project's sources over what is in the folder; what was installed there stays.
fn copied(from: &Path, to: &Path) -> Result<()> {
    let step = "copy an example";
    let fail = |file: &Path, error| project::unreadable(step, file, &error);
    for file in project::files(from).map_err(|error| fail(from, error))? {
        let target = to.join(file.strip_prefix(from).unwrap_or(&file));
        let folder = target.parent().unwrap_or(to);
        std::fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
        std::fs::copy(&file, &target).map_err(|error| fail(&file, error))?;
    }
    Ok(())
}

/// A Python environment of the project's own with these packages.
fn python(packages: &[&str]) -> Result<()> {
    let folder = tools().join("python");
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == packages.join(" ")) {
        return Ok(());
    }
    let cure = "install Python 3.11 or newer with its venv module";
    step::run("make a Python environment", Command::new("python3").args(["-m", "venv"]).arg(&folder), cure)?;
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"]).args(packages);
    step::run("install MkDocs and Sphinx", &mut pip, "look at the network and at pip's message above")?;
    project::write("note what was installed", &stamp, &packages.join(" "))
}

//! What the build and the tests need, installed where it is missing.
//!
//! Everything goes into folders of the project that git ignores (`.tools`, `node_modules`), except the wasm target, which
//! belongs to the Rust toolchain, and the browser of the tests, which belongs to the system.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::project::{self, Fingerprint};
use crate::step::{self, Failure, Result, output_of, say};

pub const WASM: &str = "wasm32-unknown-unknown";
const DENY_VERSION: &str = "0.20.2";
const MUTANTS_VERSION: &str = "27.1.0";
const MDBOOK_VERSION: &str = "0.4.52";
const TRUNK_VERSION: &str = "0.21.14";
const NODE_OLDEST: u32 = 20;

/// Everything that a build needs.
pub fn build_tools() -> Result<()> {
    wasm_target()?;
    npm_packages()?;
    cargo_tools()?;
    step::run(
        "fetch the page's dependencies",
        project::cargo().args(["fetch", "--locked", "--quiet", "--target", WASM]),
        "look at the network, and that Cargo.lock fits Cargo.toml",
    )
}

fn wasm_target() -> Result<()> {
    let installed = output_of(project::command("rustup").args(["target", "list", "--installed"])).unwrap_or_default();
    if installed.lines().any(|target| target == WASM) {
        return Ok(());
    }
    step::run(
        "add the wasm target to the Rust toolchain",
        project::command("rustup").args(["target", "add", WASM]),
        "install Rust by rustup (not from a distribution's packages), then run this again",
    )
}

/// wasm-opt, terser and axe-core, exactly as `package-lock.json` pins them.
fn npm_packages() -> Result<()> {
    let step = "install wasm-opt, terser and axe-core from npm";
    let node = output_of(project::command("node").arg("--version")).and_then(|text| major(&text));
    if node.is_none_or(|version| version < NODE_OLDEST) {
        return Err(Failure::new(step, format!("Node.js {NODE_OLDEST} or newer is needed beside Rust"))
            .cure("install Node.js with npm, then run this again"));
    }
    npm_install(step, project::root())
}

/// What a folder's `package-lock.json` pins, into its `node_modules`.
pub fn npm_install(step: &str, folder: &Path) -> Result<()> {
    let mut print = Fingerprint::new();
    print.add(project::read(step, &folder.join("package-lock.json"))?.as_bytes());
    let stamp = folder.join("node_modules/.installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|text| text == print.hex()) {
        return Ok(());
    }
    let mut command = project::command("npm");
    command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    step::run(step, &mut command, "look at the network and at npm's message above")?;
    project::write(step, &stamp, &print.hex())
}

fn major(version: &str) -> Option<u32> {
    version.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

/// A program that Cargo installs into `.tools/bin`.
struct CargoTool {
    /// The program's name, and what it prints before its version.
    program: &'static str,
    package: &'static str,
    version: String,
    /// What it is asked for its version with.
    asked: &'static [&'static str],
    options: &'static [&'static str],
}

impl CargoTool {
    /// One whose package is called as it is.
    fn new(program: &'static str, version: &str, options: &'static [&'static str]) -> Self {
        Self { program, package: program, version: version.to_owned(), asked: &["--version"], options }
    }
}

/// Trunk and the wasm-bindgen of exactly the version that the page is linked with.
///
/// As debug builds: their own speed hardly matters, and they compile in a third of the time. wasm-bindgen's lock file is
/// left aside, since it holds a dependency that was withdrawn.
fn cargo_tools() -> Result<()> {
    let tools = [
        CargoTool::new("trunk", TRUNK_VERSION, &["--locked", "--no-default-features", "--features", "rustls"]),
        CargoTool {
            package: "wasm-bindgen-cli",
            ..CargoTool::new("wasm-bindgen", &project::locked_version("wasm-bindgen")?, &["--bin", "wasm-bindgen"])
        },
    ];
    install_tools(&tools)
}

/// Installs those that are missing or of another version.
fn install_tools(tools: &[CargoTool]) -> Result<()> {
    let missing: Vec<&CargoTool> = tools.iter().filter(|tool| !tool.is_installed()).collect();
    // All of them start before the first is waited for.
    let running: Vec<Install> = missing.iter().map(|tool| tool.start()).collect::<Result<_>>()?;
    running.into_iter().try_for_each(Install::finish)?;
    if !missing.is_empty() {
        let leftovers = project::tools().join("build");
        std::fs::remove_dir_all(&leftovers)
            .map_err(|error| project::unreadable("remove the tools' build folders", &leftovers, &error))?;
    }
    Ok(())
}

impl CargoTool {
    fn is_installed(&self) -> bool {
        let program = project::tools().join("bin").join(self.program);
        output_of(Command::new(program).args(self.asked)).is_some_and(|text| self.is_told(&text))
    }

    /// Some write a `v` before the number.
    fn is_told(&self, text: &str) -> bool {
        text.split_whitespace().nth(1).map(|word| word.trim_start_matches('v')) == Some(self.version.as_str())
    }

    fn step(&self) -> String {
        format!("install {} {}", self.package, self.version)
    }

    fn start(&self) -> Result<Install> {
        let folder = project::tools().join("build").join(self.program);
        let log = project::tools().join(format!("{}.log", self.program));
        say(format!("{} (some minutes, once; its log: {})", self.step(), log.display()));
        let fail = |error| project::unreadable(&self.step(), &folder, &error);
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let out = File::create(&log).map_err(fail)?;
        let errors = out.try_clone().map_err(fail)?;
        let mut command = project::cargo();
        command
            .args(["install", self.package, "--version", &self.version, "--debug", "--force"])
            .args(self.options)
            .arg("--root")
            .arg(&folder)
            .arg("--target-dir")
            .arg(folder.join("target"))
            // No debug symbols: the build is quicker and the folder a tenth of the size.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env_remove("RUSTFLAGS")
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(errors);
        let child = command.spawn().map_err(|error| Failure::new(self.step(), error).command(&command))?;
        Ok(Install { step: self.step(), program: self.program, folder, log, command, child, since: Instant::now() })
    }
}

/// An installation under way.
struct Install {
    step: String,
    program: &'static str,
    folder: PathBuf,
    log: PathBuf,
    command: Command,
    child: std::process::Child,
    since: Instant,
}

impl Install {
    fn finish(mut self) -> Result<()> {
        let failed = |cause: String| {
            Failure::new(&self.step, cause)
                .command(&self.command)
                .cure(format!("read the end of {}, look at the network, then run this again", self.log.display()))
        };
        let status = self.child.wait().map_err(|error| failed(error.to_string()))?;
        if !status.success() {
            return Err(failed(status.to_string()));
        }
        let bin = project::tools().join("bin");
        let built = self.folder.join("bin").join(self.program);
        std::fs::create_dir_all(&bin)
            .and_then(|()| std::fs::rename(&built, bin.join(self.program)))
            .map_err(|error| project::unreadable(&self.step, &built, &error))?;
        say(format!("{}: done after {} s", self.step, self.since.elapsed().as_secs()));
        Ok(())
    }
}

/// A program that the tests need: the variable that may name it, what it is called, and its package in Debian.
struct Program {
    variable: &'static str,
    names: &'static [&'static str],
    package: &'static str,
}

/// A browser engine of the tests, and what it needs.
pub struct Engine {
    /// As the command line calls it.
    pub name: &'static str,
    /// As people call it.
    pub title: &'static str,
    /// Tests at a time, for two cores. Firefox spends most of a test waiting for itself.
    pub threads: usize,
    programs: &'static [Program],
}

/// Where nothing else is said.
pub const CHROMIUM: Engine = Engine {
    name: "chromium",
    title: "Chromium",
    threads: 2,
    programs: &[
        Program {
            variable: "CHROME",
            names: &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
            package: "chromium",
        },
        Program { variable: "CHROMEDRIVER", names: &["chromedriver"], package: "chromium-driver" },
    ],
};

/// All of them.
pub const ENGINES: [Engine; 3] = [
    CHROMIUM,
    Engine {
        name: "firefox",
        title: "Firefox",
        threads: 4,
        programs: &[Program { variable: "FIREFOX", names: &["firefox-esr", "firefox"], package: "firefox-esr" }],
    },
    Engine {
        name: "webkit",
        title: "WebKitGTK",
        threads: 3,
        programs: &[
            Program { variable: "WEBKITDRIVER", names: &["WebKitWebDriver"], package: "webkit2gtk-driver" },
            Program { variable: "XVFB", names: &["Xvfb"], package: "xvfb" },
            Program { variable: "XDOTOOL", names: &["xdotool"], package: "xdotool" },
        ],
    },
];

/// The driver between WebDriver and Firefox comes from crates.io; Debian has none.
const GECKODRIVER_VERSION: &str = "0.37.1";

/// What checks licences and sources of all dependencies (advisories, which need the network's own list, are the
/// workflow's).
pub fn deny() -> Result<()> {
    install_tools(&[CargoTool::new("cargo-deny", DENY_VERSION, &["--locked", "--no-default-features"])])
}

/// What changes the program to see whether a test notices.
pub fn mutants() -> Result<()> {
    let asked = &["mutants", "--version"];
    install_tools(&[CargoTool { asked, ..CargoTool::new("cargo-mutants", MUTANTS_VERSION, &["--locked"]) }])
}

/// A documentation tool that a site of `examples/docs` is built with, without what only its own server needs.
pub fn mdbook() -> Result<()> {
    install_tools(&[CargoTool::new("mdbook", MDBOOK_VERSION, &["--locked", "--no-default-features"])])
}

/// An engine and its driver, for the tests.
pub fn engine(engine: &Engine) -> Result<()> {
    let missing: Vec<&Program> =
        engine.programs.iter().filter(|program| found(program.variable, program.names).is_none()).collect();
    if !missing.is_empty() {
        install(engine.title, &missing)?;
    }
    if engine.name == "firefox" && std::env::var_os("GECKODRIVER").is_none() {
        install_tools(&[CargoTool::new("geckodriver", GECKODRIVER_VERSION, &["--locked"])])?;
    }
    Ok(())
}

fn install(engine: &str, missing: &[&Program]) -> Result<()> {
    let step = format!("install {engine} and its driver for the tests");
    let root = output_of(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0");
    let debian = output_of(Command::new("apt-get").arg("--version")).is_some();
    let names: Vec<&str> = missing.iter().filter_map(|program| program.names.first().copied()).collect();
    let variables: Vec<&str> = missing.iter().map(|program| program.variable).collect();
    let cure = format!("put {} on PATH, or name them in {}", names.join(" and "), variables.join(" and "));
    if !(root && debian) {
        return Err(Failure::new(step, "not found").cure(cure));
    }
    step::run("refresh Debian's package list", project::command("apt-get").args(["update", "-qq"]), &cure)?;
    step::run(
        &step,
        project::command("apt-get")
            .args(["install", "-y", "-qq", "--no-install-recommends", "fonts-dejavu-core"])
            .args(missing.iter().map(|program| program.package))
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdout(Stdio::null()),
        &cure,
    )
}

/// Variable and path of every program of the tests that is there.
pub fn browser_programs() -> Vec<(&'static str, PathBuf)> {
    let all = ENGINES.iter().flat_map(|engine| engine.programs);
    let mut programs: Vec<(&str, PathBuf)> =
        all.filter_map(|program| Some((program.variable, found(program.variable, program.names)?))).collect();
    if std::env::var_os("GECKODRIVER").is_none() {
        programs.push(("GECKODRIVER", project::tools().join("bin/geckodriver")));
    }
    programs
}

fn found(variable: &str, names: &[&str]) -> Option<PathBuf> {
    if let Some(given) = std::env::var_os(variable) {
        return Some(PathBuf::from(given));
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_prints_its_version_so() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("nonsense"), None);
    }

    #[test]
    fn a_tool_of_another_version_is_installed_again() {
        let tool = CargoTool::new("mdbook", "0.4.52", &[]);
        assert!(tool.is_told("mdbook v0.4.52\n") && tool.is_told("mdbook 0.4.52"));
        assert!(!tool.is_told("mdbook v0.4.51\n") && !tool.is_told(""));
    }
}

//! `dist/`: Trunk builds it, then the generated parts of `index.html` are filled in.
//!
//! A file whose digest the page holds is not altered after that without a new digest: the browser would refuse it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::project::{self, Fingerprint};
use crate::step::{self, Failure, Result, say};
use crate::{api, embed, glue, offline, prerender, preview, setup, whole};

/// All that `dist/` is made from.
const INPUTS: &[&str] = &[
    ".cargo",
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "api",
    "embed",
    "index.html",
    "package-lock.json",
    "public",
    "rust-toolchain.toml",
    "src",
    "style",
    "xtask/Cargo.toml",
    "xtask/fonts",
    "xtask/src",
];

/// Files whose URL must stay the same in every build carry a fingerprint of what they lead to as a query instead, so that
/// a cache never mixes two builds: the marker in `index.html`, and the files it stands for.
fn versioned() -> [(&'static str, Vec<String>); 3] {
    let programs = glue::workshops().into_iter().flat_map(|name| [format!("{name}.js"), format!("{name}_bg.wasm")]);
    let workshop = ["workshop-boot.js", "workshop.css"].map(str::to_owned).into_iter().chain(programs);
    [
        ("VERSION-OF-BOOT", vec!["boot.js".to_owned()]),
        ("VERSION-OF-SHARE", vec!["share.js".to_owned()]),
        ("VERSION-OF-WORKSHOP", workshop.collect()),
    ]
}

/// Builds `dist/` unless it is up to date.
pub fn run() -> Result<()> {
    let stamp = project::target().join("dist.stamp");
    // Link previews carry it.
    let home = std::env::var("KV_BUDGET_URL").unwrap_or_default();
    let inputs = home + &fingerprint(&INPUTS.iter().map(|name| project::root().join(name)).collect::<Vec<_>>())?;
    if let Ok(dist) = fingerprint(&[project::dist()])
        && std::fs::read_to_string(&stamp).is_ok_and(|text| text == format!("{inputs} {dist}"))
    {
        say("dist/ is up to date");
        return Ok(());
    }
    setup::build_tools()?;
    let since = Instant::now();
    step::run(
        "build the page with Trunk",
        project::command("trunk")
            .args(["build", "--release"])
            .env("TRUNK_SKIP_VERSION_CHECK", "true")
            .env("NO_COLOR", "true")
            .env("RUSTFLAGS", remapped_paths()),
        "the first error above says what to mend",
    )?;
    fill()?;
    let dist = fingerprint(&[project::dist()])?;
    project::write("note what dist/ was built from", &stamp, &format!("{inputs} {dist}"))?;
    say(format!("dist/ is ready after {} s", since.elapsed().as_secs()));
    Ok(())
}

/// Flags under which a panic names a crate's file and not where this machine keeps it: shorter, and the same everywhere.
pub fn remapped_paths() -> String {
    let home = |variable: &str, folder: &str| {
        std::env::var(variable).ok().or_else(|| std::env::var("HOME").ok().map(|home| format!("{home}/{folder}")))
    };
    let from =
        [home("CARGO_HOME", ".cargo"), home("RUSTUP_HOME", ".rustup"), Some(project::root().display().to_string())];
    let flags = from.into_iter().zip(["cargo", "rustup", "."]).filter_map(|(from, to)| {
        // A path with a blank cannot be said in this variable; its build only keeps the longer names.
        from.filter(|path| !path.contains(' ')).map(|path| format!("--remap-path-prefix={path}={to}"))
    });
    flags.collect::<Vec<_>>().join(" ")
}

/// Writes the generated parts into `dist/index.html`.
fn fill() -> Result<()> {
    let step = "fill in the generated parts of the page";
    say(step);
    let page = project::dist().join("index.html");
    project::write(step, &project::dist().join("workshop.css"), &prerender::later_sheet()?)?;
    let source = glue::tighten(&glue::minify(&project::read(step, &page)?)?)?;
    embed::write(&source)?;
    let digest = whole::write(&source)?;
    api::write()?;
    preview::write()?;
    let mut html = prerender::page(&glue::with_digests(&source)?)?.replace("<!-- kv:digest -->", &digest);
    for (marker, names) in versioned() {
        let mut print = Fingerprint::new();
        for name in names {
            let file = project::dist().join(name);
            let bytes = std::fs::read(&file).map_err(|error| project::unreadable(step, &file, &error))?;
            print.add(&bytes);
        }
        html = html.replace(marker, &print.hex());
    }
    if let Some(rest) = html.find("<!-- kv:").and_then(|at| html.get(at..)) {
        let marker = rest.split_inclusive("-->").next().unwrap_or(rest);
        return Err(Failure::new(step, format!("nothing fills the marker {marker}"))
            .cure("add its name to the table in xtask/src/prerender/mod.rs"));
    }
    project::write(step, &page, &html)?;
    beside(step, &html)?;
    held_to_a_policy(step)?;
    offline::write()
}

/// Fails where a page lets run or load what it does not name.
fn held_to_a_policy(step: &str) -> Result<()> {
    let dist = project::dist();
    let files = project::files(&dist).map_err(|error| project::unreadable(step, &dist, &error))?;
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "html")) {
        if !prerender::is_strict(&project::read(step, file)?) {
            return Err(Failure::new(step, format!("{} has no strict policy", file.display()))
                .cure("its Content-Security-Policy begins with default-src 'none' and has nothing unsafe but wasm"));
        }
    }
    Ok(())
}

/// Writes the pages beside the page: they need no program.
fn beside(step: &str, html: &str) -> Result<()> {
    let icon = html.split("rel=\"icon\" href=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    for (name, page) in prerender::pages(icon.trim_start_matches("./"))? {
        let file = project::dist().join(&name);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(|error| project::unreadable(step, folder, &error))?;
        }
        project::write(step, &file, &page)?;
    }
    Ok(())
}

/// A fingerprint of files and folders, names and contents.
fn fingerprint(starts: &[PathBuf]) -> Result<String> {
    let step = "look at what the page is built from";
    let fail = |file: &Path, error| project::unreadable(step, file, &error);
    let mut print = Fingerprint::new();
    for start in starts {
        for file in project::files(start).map_err(|error| fail(start, error))? {
            print.add_file(&file).map_err(|error| fail(&file, error))?;
        }
    }
    let mut text = print.hex();
    let _ = write!(text, "-{}", starts.len());
    Ok(text)
}

//! Programs that Trunk does not build: the same three steps as it takes, with other glue.

use crate::step::{self, Result};
use crate::{build, glue, order, project, setup};

/// What wasm-opt is told besides the features, as in `index.html`. Control flow that is laid out anew between two rounds, and
/// functions that stay where inlining them into their one caller spoils its locals, are 0.9 % of the programs' gzip.
const OPTIMISE: [&str; 9] = [
    "-Oz",
    "--flatten",
    "--rereloop",
    "-Oz",
    "--one-caller-inline-max-function-size=30",
    "--strip-producers",
    "--strip-target-features",
    "--converge",
    "--reorder-functions-by-name",
];

/// A program and its JavaScript, both small.
pub struct Program {
    pub glue: String,
    pub wasm: Vec<u8>,
}

/// The glue that goes around a program.
#[derive(Clone, Copy, PartialEq)]
pub enum Glue {
    /// One function, `wasm_bindgen`, for scripts.
    Script,
    /// An ES module.
    Module,
}

/// Builds the program of `src/bin/NAME.rs`.
pub fn build(name: &str, kind: Glue) -> Result<Program> {
    let mend = "the first error above says what to mend";
    let folder = project::target().join("programs");
    step::run(
        &format!("build the program `{name}`"),
        project::cargo()
            .args(["build", "--release", "--locked", "--offline", "--quiet", "--target", setup::WASM, "--bin", name])
            .env("RUSTFLAGS", build::remapped_paths()),
        mend,
    )?;
    let target = if kind == Glue::Script { "no-modules" } else { "web" };
    step::run(
        &format!("bind `{name}`"),
        project::command("wasm-bindgen")
            .args(["--target", target, "--no-typescript", "--out-name", name, "--out-dir"])
            .arg(&folder)
            .arg(project::target().join(setup::WASM).join("release").join(format!("{name}.wasm"))),
        mend,
    )?;
    let (large, small) = (folder.join(format!("{name}_bg.wasm")), folder.join(format!("{name}_small.wasm")));
    step::run(
        &format!("make `{name}` small"),
        project::command("wasm-opt").args(order::FEATURES).args(OPTIMISE).arg(&large).arg("-o").arg(&small),
        mend,
    )?;
    order::tighten(&small)?;
    let step = "read a program";
    let script = project::read(step, &folder.join(format!("{name}.js")))?;
    let script =
        if kind == Glue::Module { script.replace(&format!("{name}_bg.wasm"), "program_bg.wasm") } else { script };
    let options: &[&str] = if kind == Glue::Module { &["--module"] } else { &[] };
    let wasm = std::fs::read(&small).map_err(|error| project::unreadable(step, &small, &error))?;
    Ok(Program { glue: glue::small("make its JavaScript small", &script, options)?, wasm })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trunk_makes_its_programs_as_small() {
        let html = std::fs::read_to_string(project::root().join("index.html")).unwrap();
        let links: Vec<&str> = html.lines().filter(|line| line.contains("rel=\"rust\"")).collect();
        let names: Vec<String> = glue::workshops().into_iter().chain(["kv-budget".to_owned()]).collect();
        assert_eq!(links.len(), names.len());
        // Trunk itself adds the `-O` of the level.
        let [level, options @ ..] = &OPTIMISE;
        let options = order::FEATURES.iter().chain(options).copied().collect::<Vec<_>>().join(" ");
        for name in names {
            let link = links.iter().find(|link| link.contains(&format!("data-bin=\"{name}\""))).unwrap();
            assert_eq!(glue::between(link, "data-wasm-opt-params=\"", "\""), Some(options.as_str()), "{name}");
            assert_eq!(glue::between(link, "data-wasm-opt=\"", "\""), level.strip_prefix("-O"), "{name}");
        }
    }
}

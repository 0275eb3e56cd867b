//! What `dist/` weighs, and the budget of the first view.

use std::path::{Path, PathBuf};

use crate::project;
use crate::step::{self, Failure, Result, say};

/// Everything that the first view downloads, in bytes of gzip: more fails the tests.
const LIMIT: u64 = 120_000;
/// Between the aim and the limit, a change should say what the bytes buy.
const AIM: u64 = 100_000;

/// What else has a limit: how the file's name begins and ends, and bytes of gzip.
const LIMITS: [((&str, &str), u64); 3] =
    [(("workshop-", ".wasm"), 121_000), (("embed", ".js"), 2_000), (("kv-budget", ".html"), 320_000)];

/// Fetched on demand, or only by whoever asks for it: not part of the first view.
const LATER: &[&str] = &["workshop", "embed.js", "share.js", "sw.js"];

/// Prints raw, gzip and brotli bytes of each file it is given; Node.js is there anyway and has both.
const MEASURE: &str = "const{readFileSync:r}=require('fs'),z=require('zlib');for(const f of process.argv.slice(1)){\
                       const b=r(f);console.log(b.length,z.gzipSync(b,{level:9}).length,z.brotliCompressSync(b).length)}";

/// Whether a page over its budget is an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gate {
    Tell,
    Enforce,
}

/// One file's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bytes {
    raw: u64,
    gzip: u64,
    brotli: u64,
}

/// Prints the table, and fails above the limit if that is wanted.
pub fn report(gate: Gate) -> Result<()> {
    let step = "weigh dist/";
    let dist = project::dist();
    let files = project::files(&dist)
        .map_err(|error| project::unreadable(step, &dist, &error).cure("`cargo xtask build` makes it"))?;
    let weights = weigh(step, &files)?;
    say(step);
    println!("  {:>9} {:>9} {:>9}   first view", "raw", "gzip -9", "brotli");
    let mut first_view = Bytes::default();
    for (file, bytes) in files.iter().zip(&weights) {
        let name = file.strip_prefix(&dist).unwrap_or(file);
        let counts = is_first_view(name);
        if counts {
            first_view.raw += bytes.raw;
            first_view.gzip += bytes.gzip;
            first_view.brotli += bytes.brotli;
        }
        line(*bytes, if counts { "●" } else { " " }, &name.display().to_string());
    }
    line(first_view, "●", "the first view in sum");
    for (name, limit) in LIMITS {
        let over = files.iter().zip(&weights).filter(|(file, bytes)| bytes.gzip > limit && is_named(file, name));
        for (file, bytes) in over {
            let cause = format!("{} has {} bytes of gzip, its limit is {limit}", file.display(), bytes.gzip);
            match gate {
                Gate::Enforce => return Err(Failure::new(step, cause)),
                Gate::Tell => say(format!("NOTE {cause}")),
            }
        }
    }
    judge(step, first_view.gzip, gate)
}

fn line(bytes: Bytes, mark: &str, name: &str) {
    println!("  {:>9} {:>9} {:>9}   {mark} {name}", bytes.raw, bytes.gzip, bytes.brotli);
}

fn judge(step: &str, gzip: u64, gate: Gate) -> Result<()> {
    if gzip > LIMIT && gate == Gate::Enforce {
        return Err(Failure::new(step, format!("the first view has {gzip} bytes of gzip, the limit is {LIMIT}")).cure(
            "`cargo xtask sizes` after each change shows what grew; the workshop is the place for what can wait",
        ));
    }
    match gzip {
        0..=AIM => say(format!("{} bytes of gzip below the aim of {AIM}", AIM - gzip)),
        _ => say(format!("NOTE {} bytes of gzip above the aim of {AIM}; the limit is {LIMIT}", gzip - AIM)),
    }
    Ok(())
}

/// Whether the page itself asks for this file when it opens.
pub fn is_first_view(name: &Path) -> bool {
    let Some(text) = name.to_str() else { return false };
    let on_demand = LATER.iter().any(|prefix| text.starts_with(prefix));
    let other_page = text.ends_with(".html") && text != "index.html";
    let kind =
        matches!(name.extension().and_then(|end| end.to_str()), Some("html" | "css" | "js" | "wasm" | "svg" | "ico"));
    kind && !on_demand && !other_page && !text.contains('/')
}

fn is_named(file: &Path, (start, end): (&str, &str)) -> bool {
    file.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(start) && name.ends_with(end))
}

fn weigh(step: &str, files: &[PathBuf]) -> Result<Vec<Bytes>> {
    let mut command = project::command("node");
    command.args(["-e", MEASURE, "--"]).args(files);
    let output = step::captured(step, &mut command, "install Node.js 20 or newer")?;
    let weights: Vec<Bytes> = String::from_utf8_lossy(&output).lines().filter_map(parsed).collect();
    if weights.len() == files.len() {
        Ok(weights)
    } else {
        Err(Failure::new(step, "a file was not weighed").command(&command))
    }
}

fn parsed(line: &str) -> Option<Bytes> {
    let mut numbers = line.split(' ').map(|word| word.parse().ok());
    Some(Bytes { raw: numbers.next()??, gzip: numbers.next()??, brotli: numbers.next()?? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_view_is_what_the_page_asks_for_at_once() {
        for name in
            ["index.html", "boot.js", "kv-budget-1f_bg.wasm", "kv-budget-1f.js", "base-2e.css", "favicon-3d.svg"]
        {
            assert!(is_first_view(Path::new(name)), "{name}");
        }
        for name in [
            "workshop-log.js",
            "workshop-plan_bg.wasm",
            "workshop-boot.js",
            "reference.html",
            "social.png",
            "zh/index.html",
        ] {
            assert!(!is_first_view(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn only_the_limit_fails_and_only_where_it_is_enforced() {
        assert!(judge("weigh", LIMIT, Gate::Enforce).is_ok());
        assert!(judge("weigh", LIMIT + 1, Gate::Enforce).is_err());
        assert!(judge("weigh", LIMIT + 1, Gate::Tell).is_ok());
    }

    #[test]
    fn a_measured_line_is_read() {
        assert_eq!(parsed("10 5 4"), Some(Bytes { raw: 10, gzip: 5, brotli: 4 }));
        assert_eq!(parsed("10 five 4"), None);
    }
}

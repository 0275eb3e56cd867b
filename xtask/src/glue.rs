//! The JavaScript beside each program, made small: wasm-bindgen writes it for readers, with comments and long names.
//!
//! The page names its glue by content and by digest, so a smaller file gets a new name and the page the new digest.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kv_budget::sections::EVERY;
use sha2::{Digest as _, Sha384};

use crate::project::{self, Fingerprint};
use crate::step::{self, Failure, Result};
use crate::{order, shed};

/// The workers' programs, by the names of their files, which stay: one for each section that is opened on demand.
pub fn workshops() -> [String; EVERY.len()] {
    EVERY.map(|section| format!("workshop-{}", section.name))
}

/// What starts the page's program.
const BOOT: &str = "boot.js";

/// Minifies the glue of all programs in `dist/`, and what starts the first; gives the page that names the new file.
pub fn minify(html: &str) -> Result<String> {
    let step = "make the programs' JavaScript small";
    let dist = project::dist();
    let loader = (BOOT, ["--module"].as_slice());
    let glues = workshops().map(|name| name + ".js");
    for (name, options) in glues.iter().map(|name| (name.as_str(), [].as_slice())).chain([loader]) {
        let file = dist.join(name);
        let mut small = small(step, &project::read(step, &file)?, options)?.into_bytes();
        // Where there are no workers, several stand in one page: a second `let` of the same name would stop there.
        if small.starts_with(b"let ") {
            small.splice(..3, *b"var");
        }
        std::fs::write(&file, small).map_err(|error| project::unreadable(step, &file, &error))?;
    }

    let name = between(html, "data-js=\"", "\"").ok_or_else(|| {
        Failure::new(step, "index.html does not name the program").cure("look at pattern_script in Trunk.toml")
    })?;
    let glue = dist.join(name);
    let fail = |error| project::unreadable(step, &glue, &error);
    let before = std::fs::read(&glue).map_err(fail)?;
    let after = small(step, &String::from_utf8_lossy(&before), &["--module"])?.into_bytes();
    let mut print = Fingerprint::new();
    print.add(&after);
    let renamed = format!("kv-budget-{}.js", print.hex());
    std::fs::write(dist.join(&renamed), &after).map_err(fail)?;
    std::fs::remove_file(&glue).map_err(fail)?;
    with_digest(step, &html.replace(name, &renamed), name, (&before, &after))
}

/// Orders the functions of all programs in `dist/`; gives the page that names the new file.
pub fn tighten(html: &str) -> Result<String> {
    let step = "make the programs small";
    let dist = project::dist();
    for name in workshops() {
        order::tighten(&dist.join(name + "_bg.wasm"))?;
    }
    let name = between(html, "data-wasm=\"", "\"").ok_or_else(|| {
        Failure::new(step, "index.html does not name the program").cure("look at pattern_script in Trunk.toml")
    })?;
    let program = dist.join(name);
    let read = || std::fs::read(&program).map_err(|error| project::unreadable(step, &program, &error));
    let before = read()?;
    order::tighten(&program)?;
    let after = read()?;
    let mut print = Fingerprint::new();
    print.add(&after);
    let renamed = format!("kv-budget-{}_bg.wasm", print.hex());
    std::fs::rename(&program, dist.join(&renamed)).map_err(|error| project::unreadable(step, &program, &error))?;
    with_digest(step, &html.replace(name, &renamed), name, (&before, &after))
}

/// The page that holds its program and the module beside it to their digests, by the addresses and digests in Trunk's preloads.
///
/// The preload of the program goes: the page's own script fetches it. The module's digest stands in an import map as well,
/// before anything is loaded, since WebKit checks none of a preload.
pub fn with_digests(html: &str) -> Result<String> {
    let fail = |what: &str| {
        Failure::new("hold the page's files to their digests", format!("index.html has no preload of the {what}"))
            .cure("see how this Trunk writes `preload`")
    };
    let (_, address, digest) = preload(html, "modulepreload").ok_or_else(|| fail("module"))?;
    let held = html.replace("ADDRESS-OF-MODULE", address).replace("DIGEST-OF-MODULE", digest);
    let (link, address, digest) = preload(html, "preload").ok_or_else(|| fail("program"))?;
    Ok(held.replace(&link, "").replace("ADDRESS-OF-PROGRAM", address).replace("DIGEST-OF-PROGRAM", digest))
}

/// The first link of this kind, and the address and the digest in it.
fn preload<'html>(html: &'html str, kind: &str) -> Option<(String, &'html str, &'html str)> {
    let start = format!("<link rel=\"{kind}\" href=\"");
    let link = between(html, &start, ">")?;
    let (address, _) = link.split_once('"')?;
    Some(([&start, link, ">"].concat(), address, between(link, "integrity=\"", "\"")?))
}

/// The page with the digest of a file as it is now.
fn with_digest(step: &str, html: &str, name: &str, (before, after): (&[u8], &[u8])) -> Result<String> {
    if !html.contains(&integrity(before)) {
        return Err(Failure::new(step, format!("index.html does not hold the digest of {name}"))
            .cure("see how this Trunk writes `integrity`"));
    }
    Ok(html.replace(&integrity(before), &integrity(after)))
}

/// A text of JavaScript, made small, without what no program here uses.
pub fn small(step: &str, script: &str, options: &[&str]) -> Result<String> {
    let file = project::target().join("large.js");
    project::write(step, &file, &shed::classes(script))?;
    Ok(String::from_utf8_lossy(&terser(step, &file, options)?).trim_end().to_owned())
}

fn terser(step: &str, file: &Path, options: &[&str]) -> Result<Vec<u8>> {
    let mut command = project::command("terser");
    command.arg(file).args(["--compress", "passes=2", "--mangle"]).args(options);
    step::captured(step, &mut command, "remove node_modules and run this again")
}

/// The digest as the `integrity` attribute spells it.
fn integrity(bytes: &[u8]) -> String {
    format!("sha384-{}", STANDARD.encode(Sha384::digest(bytes)))
}

pub fn between<'text>(text: &'text str, start: &str, end: &str) -> Option<&'text str> {
    text.split_once(start)?.1.split_once(end).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_nothing_is_the_published_one() {
        assert_eq!(integrity(b""), "sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb");
    }

    #[test]
    fn digests_stand_where_they_are_checked() {
        let html = "<script>'ADDRESS-OF-MODULE' 'DIGEST-OF-MODULE' 'ADDRESS-OF-PROGRAM' 'DIGEST-OF-PROGRAM'</script>\
            <link rel=\"modulepreload\" href=\"./a.js\" integrity=\"one\"><link rel=\"preload\" href=\"./a.wasm\" integrity=\"two\" as=\"fetch\">";
        assert_eq!(
            with_digests(html).unwrap(),
            "<script>'./a.js' 'one' './a.wasm' 'two'</script><link rel=\"modulepreload\" href=\"./a.js\" integrity=\"one\">"
        );
        assert!(with_digests("<script>").is_err());
    }

    #[test]
    fn the_program_is_named_in_the_page() {
        assert_eq!(between("<script data-js=\"a-1.js\" data-wasm=\"b\">", "data-js=\"", "\""), Some("a-1.js"));
        assert_eq!(between("<script>", "data-js=\"", "\""), None);
    }
}

//! `sw.js`: the page without a network, with the names and the version of the files that it keeps.

use std::path::Path;

use crate::project::{self, Fingerprint};
use crate::step::{Result, say};
use crate::{glue, sizes};

/// Writes it from the files that are there, which must be all.
pub fn write() -> Result<()> {
    let step = "write the service worker";
    say(step);
    let dist = project::dist();
    let page = project::read(step, &dist.join("index.html"))?;
    let (mut first, mut later) = (vec!["./".to_owned()], Vec::new());
    let mut print = Fingerprint::new();
    for file in project::files(&dist).map_err(|error| project::unreadable(step, &dist, &error))? {
        let name = file.strip_prefix(&dist).unwrap_or(&file).to_string_lossy().into_owned();
        let opens = sizes::is_first_view(Path::new(&name));
        if !opens && !is_later(&name) || name == "sw.js" {
            continue;
        }
        print.add_file(&file).map_err(|error| project::unreadable(step, &file, &error))?;
        if !opens {
            later.push(name);
        } else if name != "index.html" {
            first.push(as_asked(&page, &name));
        }
    }
    let list = |names: &[String]| format!("{names:?}");
    let script = project::read(step, &project::root().join("public/sw.js"))?
        .replace("VERSION", &print.hex())
        .replace("= FIRST", &format!("= {}", list(&first)))
        .replace("= LATER", &format!("= {}", list(&later)));
    project::write(step, &dist.join("sw.js"), &(glue::small(step, &script, &[])? + "\n"))
}

/// What a section fetches when it is opened.
fn is_later(name: &str) -> bool {
    let pages = ["story.html", "reference.html"].iter().any(|page| name.ends_with(page));
    name.starts_with("workshop") || ["share.js", "embed.js"].contains(&name) || pages
}

/// A file's name with the query that the page asks for it with.
fn as_asked(page: &str, name: &str) -> String {
    let query = page.split_once(&format!("{name}?")).and_then(|(_, rest)| rest.split('"').next());
    query.map_or_else(|| name.to_owned(), |query| format!("{name}?{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_kept_under_the_address_that_the_page_uses() {
        let page = "<script src=\"./boot.js?v=12\" data-js=\"a-1.js\">";
        assert_eq!(as_asked(page, "boot.js"), "boot.js?v=12");
        assert_eq!(as_asked(page, "a-1.js"), "a-1.js");
    }

    #[test]
    fn embeds_are_none_of_its_business() {
        assert!(is_later("workshop-log.js") && is_later("workshop.css"));
        assert!(!is_later("embed.html") && !is_later("p/x/index.html") && !is_later("kv-budget.html"));
    }
}

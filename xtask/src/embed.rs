//! `embed.html`, the frame inside other people's pages, and `embed.js`, the element that makes it.
//!
//! The frame is made from the markup of the page and carries everything within itself: in a sandbox it has an origin of
//! its own, and a host without CORS headers would give that neither a module nor a program.

use kv_budget::exports::snippets::{SANDBOX, SHOWN};
use kv_budget::scenario::fields::{FIELDS, SECTIONS};
use kv_budget::sections::EVERY;

use crate::step::{Failure, Result, say};
use crate::{glue, inline, prerender, project};

/// What only the single file carries; an embed that is asked for it goes there.
fn on_demand() -> Vec<&'static str> {
    EVERY.iter().map(|section| section.name).filter(|name| SECTIONS.contains(name)).collect()
}

/// Writes both from the page as Trunk left it, with its small glue.
pub fn write(page: &str) -> Result<()> {
    let step = "write embed.html and embed.js";
    say(step);
    let dist = project::dist();
    let damaged = |what: &str| Failure::new(step, format!("the page has no {what}")).cure("look at index.html");
    let html = prerender::blocks(page, &["embed"]);
    let html = inline::with_policy(&html, "").ok_or_else(|| damaged("policy"))?;
    let html = inline::without_fetches(&html)
        .replace("<html lang=\"en\">", &format!("<html lang=\"en\" data-embed data-show=\"{}\">", SHOWN.join(" ")))
        .replace(
            "<meta name=\"description\"",
            "<meta name=\"robots\" content=\"noindex\">\n<meta name=\"description\"",
        );
    let early = early(step, &[inline::source(step, "onward.js")?, inline::source(step, "early.js")?].concat())?;
    let name = |attribute: &str| glue::between(page, attribute, "\"").ok_or_else(|| damaged(attribute));
    let js = project::read(step, &dist.join(name("data-js=\"")?))?;
    let wasm = dist.join(name("data-wasm=\"")?);
    let wasm = std::fs::read(&wasm).map_err(|error| project::unreadable(step, &wasm, &error))?;
    let (statements, start) = inline::statements(&js).ok_or_else(|| damaged("module"))?;
    let starting = inline::source(step, "start.js")?.replace("BEFORE;", &statements).replace("START", &start);
    let program = glue::small(
        step,
        &[inline::source(step, "shell.js")?, starting, inline::source(step, "unpack-gzip.js")?].concat(),
        &["--module"],
    )?;
    let html = html.replace("</head>", &format!("<script>{early}</script>\n</head>")).replace(
        "</body>",
        &format!("{}<script type=\"module\">{program}</script>\n</body>", inline::data(&inline::gzip(&wasm)?)),
    );
    project::write(step, &dist.join("embed.html"), &prerender::fill(&html, &prerender::embed_sheet()?))?;

    let keys: Vec<&str> = FIELDS.iter().map(|field| field.key).filter(|key| !["v", "embed"].contains(key)).collect();
    let element = inline::source(step, "element.js")?.replace("KEYS", &keys.join(" ")).replace("SANDBOX", SANDBOX);
    project::write(step, &dist.join("embed.js"), &(glue::small(step, &element, &[])? + "\n"))
}

/// The script before the first paint, with the names of the parts in it.
pub fn early(step: &str, script: &str) -> Result<String> {
    let script = script.replace("PARTS", &SECTIONS.join(" ")).replace("USUAL", &SHOWN.join(" "));
    let script = script.replace("ON_DEMAND", &on_demand().join("|"));
    glue::small(step, &script, &[])
}

#[cfg(test)]
mod tests {
    use super::on_demand;

    #[test]
    fn the_story_is_no_part_of_an_embed() {
        assert_eq!(on_demand(), ["log", "plan", "engines", "share"]);
    }
}

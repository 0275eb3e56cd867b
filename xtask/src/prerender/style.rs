//! The style sheets as one text without comments.

use crate::project;
use crate::step::Result;

/// What only the sections need that open on demand: one sheet together, fetched with the first of them.
const LATER: [&str; 5] = ["7-sections.css", "8-engines.css", "8-log.css", "8-share.css", "8-story.css"];

/// What only a frame inside somebody else's page needs.
const EMBED: &str = "9-embed.css";

/// What only the pages beside the page need; they are told in the style of the story.
const ARTICLE: &str = "9-article.css";
const STORY: &str = "8-story.css";

/// All files of `style/` in the order of their names, but for those that come later.
pub fn sheet() -> Result<String> {
    joined(is_first)
}

fn is_first(name: &str) -> bool {
    !LATER.contains(&name) && name != ARTICLE && name != EMBED
}

/// The style of the pages beside the page.
pub fn article() -> Result<String> {
    joined(|name| is_first(name) || name == STORY || name == ARTICLE)
}

/// The page's style and the embed's.
pub fn with_embed() -> Result<String> {
    joined(|name| is_first(name) || name == EMBED)
}

/// All of it, for the file that carries everything.
pub fn everything() -> Result<String> {
    joined(|name| name != ARTICLE)
}

/// The style of the sections that open on demand.
pub fn later() -> Result<String> {
    joined(|name| LATER.contains(&name))
}

fn joined(wanted: impl Fn(&str) -> bool) -> Result<String> {
    let step = "read the style sheets";
    let folder = project::root().join("style");
    let files = project::files(&folder).map_err(|error| project::unreadable(step, &folder, &error))?;
    let wanted = files.iter().filter(|file| file.file_name().and_then(|name| name.to_str()).is_some_and(&wanted));
    wanted.map(|file| Ok(compact(&project::read(step, file)?))).collect()
}

/// Without comments and blanks, as far as lines tell what is one: a declaration ends with its line.
fn compact(css: &str) -> String {
    let mut plain = String::new();
    let mut rest = css;
    while let Some(start) = rest.find("/*") {
        let (before, comment) = rest.split_at(start);
        plain.push_str(before);
        rest = comment.find("*/").and_then(|end| comment.get(end + 2..)).unwrap_or_default();
    }
    plain.push_str(rest);
    let mut small = String::new();
    for line in plain.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with('}') && small.ends_with(';') {
            small.pop();
        }
        if let Some(selector) = line.strip_suffix(" {") {
            small.push_str(selector);
            small.push('{');
        } else if let (Some((property, value)), true) = (line.split_once(": "), line.ends_with(';')) {
            small.push_str(property);
            small.push(':');
            small.push_str(value);
        } else {
            small.push_str(line);
        }
        // A value that goes on in the next line.
        if !line.ends_with(['{', '}', ';', ',']) {
            small.push(' ');
        }
    }
    small
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go() {
        assert_eq!(compact("/* a */\nb {\n  c: d; /* e\n f */\n}\n"), "b{c:d}");
        let media =
            "@media (min-width: 4rem) {\n  a:b,\n  c > d {\n    e: f(1, 2)\n      g;\n    h: \"i: j\";\n  }\n}\n";
        assert_eq!(compact(media), "@media (min-width: 4rem){a:b,c > d{e: f(1, 2) g;h:\"i: j\"}}");
    }

    #[test]
    fn the_layers_are_declared_first() {
        assert!(sheet().unwrap().starts_with("@layer tokens, base, layout, parts, states, print;"));
    }

    #[test]
    fn what_comes_later_is_not_in_the_page() {
        assert!(
            later().unwrap().contains(".bench-section__body") && !sheet().unwrap().contains(".bench-section__body")
        );
        assert!(with_embed().unwrap().contains("[data-embed]") && !sheet().unwrap().contains("[data-embed]"));
    }
}

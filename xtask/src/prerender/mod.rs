//! What the page says before WebAssembly arrives, without it and on paper: generated from the same model at build time.
//!
//! `index.html` is the page's one markup. `<!-- kv:NAME -->` is replaced by a generated part; an element that names what
//! it shows (`data-words="reserved"`) gets the default scenario's value from the tables of `kv_budget::live`, which the
//! living page reads too. The style sheets go into the page itself, so that the first paint waits for one file only;
//! the Content-Security-Policy gets the hashes of what is inline.

mod html;
mod names;
mod pages;
mod parts;
pub(crate) mod policy;
mod style;

pub use pages::all as pages;
pub use policy::is_strict;
pub use style::{everything as every_sheet, later as later_sheet, with_embed as embed_sheet};

pub use kv_budget::exports::escape;
use kv_budget::scenario::{Scenario, evaluate};

use crate::step::Result;

/// The page itself.
pub fn page(html: &str) -> Result<String> {
    Ok(fill(&blocks(html, &["hosted", "page"]), &style::sheet()?))
}

/// Replaces every marker by its generated part; the policy's hashes last, when everything inline is there.
pub fn fill(html: &str, sheet: &str) -> String {
    let scenario = Scenario::default();
    let report = evaluate(&scenario).report;
    let parts: [(&str, String); 5] = [
        ("sliders", parts::sliders()),
        ("fields", parts::fields()),
        ("chips", parts::chips()),
        ("curve", parts::curve(&scenario)),
        ("points", parts::points(&scenario)),
    ];
    let html =
        parts.iter().fold(html.to_owned(), |html, (name, part)| html.replace(&format!("<!-- kv:{name} -->"), part));
    let named = names::fill(&html, &scenario, &report);
    let sheet = sheet.to_owned() + &named.rules;
    policy::fill(&named.html.replace("<!-- kv:style -->", &sheet))
}

/// Keeps what stands between `<!-- kv:NAME -->` and `<!-- kv:/NAME -->` for the names given, and cuts the rest out.
pub fn blocks(html: &str, kept: &[&str]) -> String {
    let mut html = html.to_owned();
    for name in ["hosted", "page", "embed"] {
        let (open, close) = (format!("<!-- kv:{name} -->"), format!("<!-- kv:/{name} -->"));
        while let Some((before, rest)) = html.split_once(&open)
            && let Some((inside, after)) = rest.split_once(&close)
        {
            let inside = if kept.contains(&name) { inside.trim_matches('\n') } else { "" };
            html = [before, inside, after].concat();
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::page as page_of;
    use super::*;

    #[test]
    fn blocks_are_kept_or_cut() {
        let html = "a<!-- kv:page -->\nb\n<!-- kv:/page -->c<!-- kv:embed -->d<!-- kv:/embed -->e<!-- kv:page -->f<!-- kv:/page -->";
        assert_eq!(blocks(html, &["page"]), "abcef");
        assert_eq!(blocks(html, &["embed"]), "acde");
        assert_eq!(blocks(html, &["page", "embed"]), "abcdef");
    }

    fn page() -> String {
        let file = crate::project::root().join("index.html");
        page_of(&std::fs::read_to_string(file).unwrap()).unwrap()
    }

    #[test]
    fn the_numbers_are_in_the_delivered_html() {
        let html = page();
        for words in
            ["short by 20.603 GiB", "0.770", "42.300", "−20.603 GiB", "−314,803", "−22,121,819,616", "✓ 10.417"]
        {
            assert!(html.contains(words), "{words}");
        }
        assert!(!html.contains(" style="), "the policy would drop it");
    }

    #[test]
    fn nothing_is_left_to_fill() {
        let html = page();
        let left: Vec<_> =
            html.match_indices("<!-- kv:").filter(|(at, _)| !html[*at..].starts_with("<!-- kv:digest -->")).collect();
        assert!(left.is_empty(), "{left:?}");
        for (at, attribute) in html.match_indices("data-words=\"") {
            let rest = html.get(at + attribute.len()..).unwrap_or_default();
            let empty = rest
                .split_once("\">")
                .is_some_and(|(name, text)| text.starts_with('<') && !["capacity", "room"].contains(&name));
            assert!(!empty, "{}", rest.get(..40).unwrap_or_default());
        }
    }
}

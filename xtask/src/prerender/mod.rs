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
mod policy;
mod style;

pub use pages::all as pages;
pub use style::later as later_sheet;

use kv_budget::scenario::{Scenario, evaluate};

/// Replaces every marker by its generated part; the policy's hashes last, when everything inline is there.
pub fn fill(html: &str) -> String {
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
    let sheet = style::sheet() + &named.rules;
    policy::fill(&named.html.replace("<!-- kv:style -->", &sheet))
}

/// Text as HTML text or attribute.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let file = crate::project::root().join("index.html");
        fill(&std::fs::read_to_string(file).unwrap_or_default())
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
        let left: Vec<_> = html.match_indices("<!-- kv:").collect();
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

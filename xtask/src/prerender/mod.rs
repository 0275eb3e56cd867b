//! What the page says before WebAssembly arrives, without it and on paper: generated from the same model at build time.
//!
//! `<!-- kv:NAME -->` in `index.html` is replaced by what the table's function gives. The style sheets go into the page
//! itself, so that the first paint waits for one file only; the Content-Security-Policy gets the hashes of what is inline.

mod page;
mod policy;
mod style;

/// One generated part.
type Part = (&'static str, fn() -> String);

const PARTS: &[Part] = &[("style", style::sheet), ("page", page::default_scenario)];

/// Replaces every marker by its generated part; the policy's hashes last, when everything inline is there.
pub fn fill(html: &str) -> String {
    policy::fill(&fill_from(PARTS, html))
}

fn fill_from(parts: &[Part], html: &str) -> String {
    parts.iter().fold(html.to_owned(), |html, (name, part)| html.replace(&format!("<!-- kv:{name} -->"), &part()))
}

/// Text as HTML text or attribute.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_of_the_table_is_filled_and_any_other_left() {
        let parts: &[Part] = &[("rest", || "−20.603".to_owned())];
        assert_eq!(fill_from(parts, "<b><!-- kv:rest --></b><!-- kv:other -->"), "<b>−20.603</b><!-- kv:other -->");
    }
}

//! What the page says before WebAssembly arrives, without it and on paper: generated from the same model at build time.

/// One generated part: `<!-- kv:NAME -->` in `index.html` is replaced by what the function gives.
type Part = (&'static str, fn() -> String);

const PARTS: &[Part] = &[];

/// Replaces every marker of the table by its generated part.
pub fn fill(html: &str) -> String {
    fill_from(PARTS, html)
}

fn fill_from(parts: &[Part], html: &str) -> String {
    parts.iter().fold(html.to_owned(), |html, (name, part)| html.replace(&format!("<!-- kv:{name} -->"), &part()))
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

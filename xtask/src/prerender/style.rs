//! The style sheets as one text without comments.

use crate::project;

/// All files of `style/` in the order of their names.
pub fn sheet() -> String {
    let files = project::files(&project::root().join("style")).unwrap_or_default();
    files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).map(|text| compact(&text)).collect()
}

/// Without comments, indentation and line ends. Nothing here needs more: the transfer is compressed.
fn compact(css: &str) -> String {
    let mut plain = String::new();
    let mut rest = css;
    while let Some(start) = rest.find("/*") {
        let (before, comment) = rest.split_at(start);
        plain.push_str(before);
        rest = comment.find("*/").and_then(|end| comment.get(end + 2..)).unwrap_or_default();
    }
    plain.push_str(rest);
    plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go() {
        assert_eq!(compact("/* a */\nb {\n  c: d; /* e\n f */\n}\n"), "b {\nc: d;\n}\n");
    }

    #[test]
    fn the_layers_are_declared_first() {
        assert!(sheet().starts_with("@layer tokens, base, layout, parts, states, print;"));
    }
}

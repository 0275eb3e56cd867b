//! Fills the elements that name what they show.

use std::fmt::Write as _;

use kv_budget::budget::Report;
use kv_budget::decimal;
use kv_budget::live::{Here, Item, LISTS, MARKS, SENTENCES, SHARES, VALUES, WORDS};
use kv_budget::scenario::Scenario;
use kv_budget::text::Rich;

use super::escape;

/// The filled page.
pub struct Filled {
    /// Its markup.
    pub html: String,
    /// Style rules for shares: the policy allows no style attribute, and the living page overrides these.
    pub rules: String,
}

/// Fills words, sentences, lists, values and attributes; gives each share as a rule.
pub fn fill(html: &str, scenario: &Scenario, report: &Report) -> Filled {
    let here = Here::new(scenario, report);
    let mut html = html.to_owned();
    let mut rules = String::from("@layer parts{\n");
    for (name, words) in &WORDS {
        inside(&mut html, "words", name, &escape(&words(&here)));
    }
    for (name, sentence) in &SENTENCES {
        inside(&mut html, "sentence", name, &rich(&sentence(&here)));
    }
    for (name, list) in &LISTS {
        let items = list(&here);
        inside(&mut html, "list", name, &items.iter().map(item).collect::<String>());
        for (position, item) in items.iter().enumerate() {
            let share = decimal::write_trimmed(item.share, 5, 0);
            let _ = writeln!(rules, "[data-list={name}]>:nth-child({}){{--from:{share}}}", position + 1);
        }
    }
    for (name, value) in &VALUES {
        attribute(&mut html, "value", name, "value", Some(&value(&here)));
    }
    for (name, attribute_name, value) in &MARKS {
        attribute(&mut html, "mark", name, attribute_name, value(&here).as_deref());
    }
    for (name, share) in &SHARES {
        let share = decimal::write_trimmed(share(&here), 5, 0);
        for property in ["from", "size", "until"] {
            if html.contains(&format!("data-{property}=\"{name}\"")) {
                let _ = writeln!(rules, "[data-{property}={name}]{{--{property}:{share}}}");
            }
        }
    }
    rules.push_str("}\n");
    Filled { html, rules }
}

/// Puts text right behind the start tag of each element with `data-KIND="NAME"`, which is the tag's last attribute.
fn inside(html: &mut String, kind: &str, name: &str, text: &str) {
    let tag = format!("data-{kind}=\"{name}\">");
    *html = html.replace(&tag, &format!("{tag}{text}"));
}

/// Adds an attribute to each element with `data-KIND="NAME"`.
fn attribute(html: &mut String, kind: &str, name: &str, attribute: &str, value: Option<&str>) {
    let Some(value) = value else { return };
    let tag = format!("data-{kind}=\"{name}\"");
    *html = html.replace(&tag, &format!("{attribute}=\"{}\" {tag}", escape(value)));
}

fn item(item: &Item) -> String {
    if item.words.is_empty() {
        return format!("<i data-zone=\"{}\"></i>", item.kind);
    }
    format!("<span class=\"tick\"><i></i><span>{}</span></span>", escape(&item.words))
}

/// A sentence with its terms.
pub fn rich(text: &Rich) -> String {
    let span = |span: &kv_budget::text::Span| match span.term {
        Some(term) => format!("<span class=\"term\" data-term=\"{}\">{}</span>", term.slug(), escape(&span.text)),
        None if span.code => format!("<code>{}</code>", escape(&span.text)),
        None => escape(&span.text),
    };
    text.0.iter().map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kv_budget::scenario::evaluate;

    #[test]
    fn every_kind_of_name() {
        let scenario = Scenario::default();
        let page = "<b data-words=\"fraction\"></b><p data-mark=\"verdict\"></p><i data-from=\"weights-end\"></i>";
        let filled = fill(page, &scenario, &evaluate(&scenario).report);
        assert!(filled.html.contains("data-words=\"fraction\">0.55</b>"));
        assert!(filled.html.contains("data-verdict=\"cannot_start\" data-mark=\"verdict\""));
        assert!(filled.rules.contains("[data-from=weights-end]{--from:0.76918}"), "{}", filled.rules);
    }

    #[test]
    fn rows_are_found_by_name() {
        use kv_budget::live::row;
        assert!(row(&WORDS, "reserved").is_some());
        assert!(row(&WORDS, "nonsense").is_none());
    }
}

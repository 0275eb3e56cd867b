//! Trees of the model as HTML: what the page builds node by node, written down.

use std::fmt::Write as _;

use kv_budget::view::{Attribute, Element, Node, Tag};

use super::escape;

/// Writes trees; what their styles hold as custom properties is collected as rules, since the policy allows no `style`.
pub struct Writer {
    /// Where links to a place or a scenario of the page lead.
    home: &'static str,
    rules: String,
    styled: usize,
}

impl Writer {
    /// For a page from which the page itself is at `home`.
    pub fn new(home: &'static str) -> Self {
        Self { home, rules: String::new(), styled: 0 }
    }

    /// The rules of all that was written.
    pub fn rules(&self) -> String {
        format!("@layer parts{{\n{}}}\n", self.rules)
    }

    /// One tree.
    pub fn element(&mut self, element: &Element) -> String {
        let tag = element.tag().name();
        let mut html = format!("<{tag}");
        for (name, value) in element.attributes() {
            let value = if *name == Attribute::Href { self.link(value, element) } else { value.clone() };
            let _ = if value.is_empty() && *name != Attribute::Value {
                write!(html, " {}", name.name())
            } else {
                write!(html, " {}=\"{}\"", name.name(), escape(&value))
            };
        }
        if !element.vars().is_empty() {
            self.styled += 1;
            let vars: Vec<String> = element.vars().iter().map(|(name, value)| format!("{name}:{value}")).collect();
            let _ = writeln!(self.rules, "[data-at=\"{}\"]{{{}}}", self.styled, vars.join(";"));
            let _ = write!(html, " data-at=\"{}\"", self.styled);
        }
        html.push('>');
        if element.tag() == Tag::Input {
            return html;
        }
        for child in element.children() {
            match child {
                Node::Text(text) => html.push_str(&escape(text)),
                Node::Element(inner) => html.push_str(&self.element(inner)),
            }
        }
        let _ = write!(html, "</{tag}>");
        html
    }

    /// A place of this page stays one; a scenario or a section of the page itself is at home.
    fn link(&self, link: &str, element: &Element) -> String {
        let own = element.get(Attribute::Class) == Some("own");
        if own { link.to_owned() } else { format!("{}{link}", self.home) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kv_budget::view::{a, i, p};

    #[test]
    fn text_stays_text_and_shares_become_rules() {
        let tree = p()
            .text("a < b")
            .with(i().class("x").var("--size", 0.5))
            .with(a().set(Attribute::Href, "#log").text("log"));
        let mut writer = Writer::new("../");
        let tree = tree.with(a().class("own").set(Attribute::Href, "#terms"));
        assert_eq!(
            writer.element(&tree),
            "<p>a &lt; b<i class=\"x\" data-at=\"1\"></i><a href=\"../#log\">log</a><a class=\"own\" href=\"#terms\"></a></p>"
        );
        assert_eq!(writer.rules(), "@layer parts{\n[data-at=\"1\"]{--size:0.5}\n}\n");
    }
}

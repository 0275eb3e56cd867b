//! What a reader leaves with: texts and pictures of a scenario, each a pure function of it.
//!
//! A [`command`] to type, a [`post_mortem`] for a ticket, JSON for programs ([`saved`]), CSV for a sheet ([`mod@sweep`]),
//! a [`picture`] and a [`badge`] for a document, and the lines that embed the living scenario in other people's pages
//! ([`snippets`]).
//!
//! ```
//! use kv_budget::exports::picture;
//! use kv_budget::scenario::{evaluate, query::decode};
//!
//! let svg = picture::bars(&evaluate(&decode("f=0.88").scenario));
//! assert!(svg.starts_with("<svg ") && svg.contains("159,171 tokens"));
//! ```

pub mod badge;
pub mod colors;
pub mod command;
pub mod picture;
pub mod post_mortem;
pub mod saved;
pub mod snippets;
pub mod sweep;

use crate::scenario::Scenario;
use crate::scenario::query::encode;

/// Where the page is hosted, with a last slash; empty where nobody knows, as in a file on a disk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Home(String);

impl Home {
    /// Reads an address: of the page, or of any file beside it. What is no web address is none.
    pub fn of(address: &str) -> Self {
        let address = address.trim();
        let address = address.get(..address.find(['?', '#']).unwrap_or(address.len())).unwrap_or_default();
        let scheme = ["https://", "http://"].into_iter().find(|scheme| address.starts_with(scheme));
        let plain = address.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/@%+[]".contains(&byte));
        let (Some(scheme), true) = (scheme, plain) else { return Self::default() };
        if address.len() == scheme.len() {
            return Self::default();
        }
        match address.rfind('/') {
            Some(at) if at >= scheme.len() => Self(address.get(..=at).unwrap_or_default().to_owned()),
            _ => Self([address, "/"].concat()),
        }
    }

    /// Whether it is known.
    pub fn is_known(&self) -> bool {
        !self.0.is_empty()
    }

    /// The address, or a word to replace by it.
    pub fn text(&self) -> &str {
        if self.is_known() { &self.0 } else { "https://YOUR-HOST/kv-budget/" }
    }

    /// The link to a scenario on the page.
    pub fn link(&self, scenario: &Scenario) -> String {
        self.with("", &encode(scenario))
    }

    /// The link to a file beside the page, with a query.
    pub fn with(&self, file: &str, query: &str) -> String {
        [self.text(), file, if query.is_empty() { "" } else { "?" }, query].concat()
    }

    /// The link that unfurls into a preview: the page of a preset where nothing was changed, otherwise the scenario's own.
    pub fn preview(&self, scenario: &Scenario) -> String {
        match scenario.preset.filter(|preset| Scenario::from_preset(preset) == *scenario) {
            Some(preset) => self.with(&["p/", preset.id, "/"].concat(), ""),
            None => self.link(scenario),
        }
    }
}

/// Text inside an attribute or element of HTML, XML or SVG.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_page_is() {
        for (address, home) in [
            ("https://example.org/kv/workshop-boot.js?share&v=1", "https://example.org/kv/"),
            ("https://example.org/kv/", "https://example.org/kv/"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/"),
            (" https://a.b/c ", "https://a.b/"),
        ] {
            assert_eq!(Home::of(address).text(), home, "{address}");
        }
        for address in [
            "",
            "https://",
            "file:///tmp/kv-budget.html",
            "blob:null/1-2",
            "javascript:alert(1)",
            "https://a\"><script>",
        ] {
            assert!(!Home::of(address).is_known(), "{address}");
        }
    }
}

//! What a section shows, as plain data: text, and elements from closed sets of tags and attributes.
//!
//! The workshop composes it, JSON carries it, and the page builds it node by node. Nothing here is markup, so what
//! strangers wrote can only ever be text; and the page takes no tag, attribute or link that is not listed here.

use serde::{Serialize, Serializer};

use crate::decimal;
use crate::text::{Rich, Span};

/// A closed set of names, with the list of them all for whoever reads what was written.
macro_rules! names {
    ($(#[$doc:meta])* $set:ident { $($variant:ident $text:literal)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $set {
            $(#[doc = concat!("`", $text, "`.")] $variant,)*
        }

        impl $set {
            /// All of them, as the page spells them.
            pub const ALL: &'static [&'static str] = &[$($text),*];

            /// As the page spells it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl Serialize for $set {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

/// A set of tags, with a function for each that starts an element.
macro_rules! tags {
    ($($variant:ident $function:ident $text:literal)*) => {
        names! {
            /// The elements that a section can be made of.
            Tag { $($variant $text)* }
        }

        $(#[doc = concat!("An empty `", $text, "`.")]
        pub fn $function() -> Element {
            Element::new(Tag::$variant)
        })*
    };
}

tags! {
    A a "a"
    B b "b"
    Button button "button"
    Caption caption "caption"
    Code code "code"
    Details details "details"
    Div div "div"
    H2 h2 "h2"
    H3 h3 "h3"
    H4 h4 "h4"
    I i "i"
    Input input "input"
    Label label "label"
    Li li "li"
    Mark mark "mark"
    Ol ol "ol"
    Optgroup optgroup "optgroup"
    Option option "option"
    Output output "output"
    P p "p"
    Pre pre "pre"
    Progress progress "progress"
    Section section "section"
    Select select "select"
    Small small "small"
    Span span "span"
    Summary summary "summary"
    Table table "table"
    Tbody tbody "tbody"
    Td td "td"
    Textarea textarea "textarea"
    Tfoot tfoot "tfoot"
    Th th "th"
    Thead thead "thead"
    Tr tr "tr"
    Ul ul "ul"
}

names! {
    /// What an element can carry besides its children. `style`, `src` and every `on…` are missing on purpose.
    Attribute {
        AriaDescribedby "aria-describedby"
        AriaHidden "aria-hidden"
        AriaInvalid "aria-invalid"
        AriaLabel "aria-label"
        AriaLabelledby "aria-labelledby"
        AriaPressed "aria-pressed"
        Accept "accept"
        Autocomplete "autocomplete"
        Checked "checked"
        Class "class"
        DataArrives "data-arrives"
        DataAsk "data-ask"
        DataCopy "data-copy"
        DataFile "data-file"
        DataForm "data-form"
        DataHow "data-how"
        DataOn "data-on"
        DataPreview "data-preview"
        DataSave "data-save"
        DataTerm "data-term"
        DataText "data-text"
        DataVerdict "data-verdict"
        DataZone "data-zone"
        For "for"
        Href "href"
        Id "id"
        Inputmode "inputmode"
        Label "label"
        Lang "lang"
        Max "max"
        Multiple "multiple"
        Name "name"
        Open "open"
        Placeholder "placeholder"
        Role "role"
        Rows "rows"
        Scope "scope"
        Selected "selected"
        Spellcheck "spellcheck"
        Step "step"
        Tabindex "tabindex"
        Type "type"
        Value "value"
    }
}

/// One node of the tree: in JSON a string, or an object.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Node {
    /// Text, whatever it contains.
    Text(String),
    /// An element.
    Element(Element),
}

/// An element; a handle, so that builders hand it on cheaply.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Element(Box<Parts>);

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Parts {
    tag: Tag,
    attributes: Vec<(Attribute, String)>,
    vars: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

impl Element {
    fn new(tag: Tag) -> Self {
        Self(Box::new(Parts { tag, attributes: Vec::new(), vars: Vec::new(), children: Vec::new() }))
    }

    /// Sets an attribute. A link leads to a scenario (`?…`) or a place of the page (`#…`), or it is none.
    pub fn set(self, attribute: Attribute, value: impl Into<String>) -> Self {
        self.put(attribute, value.into())
    }

    // One copy for all builders: the workshops are made of hardly anything else.
    #[inline(never)]
    fn put(mut self, attribute: Attribute, value: String) -> Self {
        if attribute != Attribute::Href || is_own_link(&value) {
            self.0.attributes.push((attribute, value));
        }
        self
    }

    /// Sets an attribute that only has to be there.
    pub fn flag(self, attribute: Attribute, on: bool) -> Self {
        if on { self.set(attribute, "") } else { self }
    }

    /// Its class.
    pub fn class(self, class: &str) -> Self {
        self.set(Attribute::Class, class)
    }

    /// Its id.
    pub fn id(self, id: &str) -> Self {
        self.set(Attribute::Id, id)
    }

    /// Leads to a scenario, by its query without the `?`.
    pub fn to_scenario(self, query: &str) -> Self {
        self.set(Attribute::Href, ["?", query].concat())
    }

    /// Sends the controls around it to the workshop as `kind` when `event` happens on it or within it.
    pub fn asks(self, kind: &str, event: &str) -> Self {
        self.set(Attribute::DataAsk, kind).set(Attribute::DataOn, event)
    }

    /// Sets a custom property (`--share`) of its style.
    pub fn var(mut self, name: &'static str, value: f64) -> Self {
        self.0.vars.push((name, decimal::write_trimmed(value, 5, 0)));
        self
    }

    /// Adds text.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.push(Node::Text(text.into()))
    }

    #[inline(never)]
    fn push(mut self, child: Node) -> Self {
        self.0.children.push(child);
        self
    }

    /// Adds a node.
    pub fn node(self, child: Node) -> Self {
        self.push(child)
    }

    /// Adds a sentence with its terms.
    pub fn rich(mut self, rich: &Rich) -> Self {
        self.0.children.extend(rich.0.iter().map(Node::from));
        self
    }

    /// Adds an element.
    pub fn with(self, child: Element) -> Self {
        self.push(Node::Element(child))
    }

    /// Adds elements.
    pub fn all(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        self.0.children.extend(children.into_iter().map(Node::Element));
        self
    }

    /// The value of an attribute.
    pub fn get(&self, attribute: Attribute) -> Option<&str> {
        self.0.attributes.iter().find(|(name, _)| *name == attribute).map(|(_, value)| value.as_str())
    }

    /// Its tag.
    pub fn tag(&self) -> Tag {
        self.0.tag
    }

    /// What is in it.
    pub fn children(&self) -> &[Node] {
        &self.0.children
    }

    /// Its attributes in order.
    pub fn attributes(&self) -> &[(Attribute, String)] {
        &self.0.attributes
    }

    /// The custom properties of its style.
    pub fn vars(&self) -> &[(&'static str, String)] {
        &self.0.vars
    }

    /// All text in it.
    pub fn plain(&self) -> String {
        self.0.children.iter().map(Node::plain).collect()
    }

    /// Every element in it, itself first.
    pub fn elements(&self) -> Vec<&Element> {
        let mut found = vec![self];
        found.extend(self.0.children.iter().filter_map(Node::element).flat_map(Element::elements));
        found
    }

    /// The element with this id, here or below.
    pub fn find(&self, id: &str) -> Option<&Element> {
        self.elements().into_iter().find(|element| element.get(Attribute::Id) == Some(id))
    }
}

impl Node {
    /// All text in it.
    pub fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Element(element) => element.plain(),
        }
    }

    /// The element, unless it is text.
    pub fn element(&self) -> Option<&Element> {
        match self {
            Self::Text(_) => None,
            Self::Element(element) => Some(element),
        }
    }
}

impl From<Element> for Node {
    fn from(element: Element) -> Self {
        Self::Element(element)
    }
}

impl From<&Span> for Node {
    fn from(words: &Span) -> Self {
        let text = words.text.clone();
        match words.term {
            Some(term) => span().class("term").set(Attribute::DataTerm, term.slug()).text(text).into(),
            None if words.code => code().text(text).into(),
            None => Self::Text(text),
        }
    }
}

/// Whether a link stays on the page.
pub fn is_own_link(link: &str) -> bool {
    link.starts_with(['?', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Term;

    #[test]
    fn a_tree_in_json() {
        let tree = p()
            .class("note")
            .var("--share", 0.25)
            .text("<b>")
            .with(a().to_scenario("f=0.88").text("0.88"))
            .rich(&Rich::new().term(Term::Rest, "rest").code("--tp").say("."));
        let json = serde_json::to_string(&tree).expect("plain data");
        assert_eq!(
            json,
            r#"{"tag":"p","attributes":[["class","note"]],"vars":[["--share","0.25"]],"children":["<b>","#.to_owned()
                + r#"{"tag":"a","attributes":[["href","?f=0.88"]],"vars":[],"children":["0.88"]},"#
                + r#"{"tag":"span","attributes":[["class","term"],["data-term","rest"]],"vars":[],"children":["rest"]},"#
                + r#"{"tag":"code","attributes":[],"vars":[],"children":["--tp"]},"."]}"#
        );
        assert_eq!(tree.plain(), "<b>0.88rest--tp.");
    }

    #[test]
    fn links_stay_on_the_page() {
        for link in ["javascript:alert(1)", "//example.org", "https://example.org", "data:,", ""] {
            assert_eq!(a().set(Attribute::Href, link).get(Attribute::Href), None, "{link}");
        }
        assert_eq!(a().set(Attribute::Href, "#plan").get(Attribute::Href), Some("#plan"));
    }

    #[test]
    fn nothing_that_runs_or_fetches_is_listed() {
        for tag in ["script", "style", "iframe", "object", "embed", "img", "svg", "link", "base", "form", "template"] {
            assert!(!Tag::ALL.contains(&tag), "{tag}");
        }
        let risky = |name: &&str| name.starts_with("on") || ["style", "src", "srcdoc", "formaction"].contains(name);
        assert_eq!(Attribute::ALL.iter().find(|name| risky(name)), None);
        assert_eq!(Attribute::ALL.len(), 43);
    }

    #[test]
    fn elements_are_found_by_id() {
        let tree = div().with(p().id("a")).with(ul().all([li().id("b").text("x")]));
        assert_eq!(tree.find("b").map(Element::plain).as_deref(), Some("x"));
        assert_eq!(tree.elements().len(), 4);
        assert_eq!(tree.find("c"), None);
    }
}

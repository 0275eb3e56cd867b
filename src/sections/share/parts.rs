//! Building blocks: something to take along, and its buttons.

use crate::view::{Attribute, Element, button, div, h3, p, pre};

/// A heading that names its section.
pub fn heading(id: &str, words: &str) -> Element {
    h3().id(id).text(words)
}

/// A button that copies a text.
pub fn copies(id: &str, words: &str, text: &str) -> Element {
    button().id(id).set(Attribute::Type, "button").set(Attribute::DataCopy, text).text(words)
}

/// A button that saves a text under a name; a picture whose name ends with `.png` is painted first.
pub fn saves(words: &str, name: &str, text: &str) -> Element {
    button().set(Attribute::Type, "button").set(Attribute::DataSave, name).set(Attribute::DataText, text).text(words)
}

/// Something to take along.
pub struct Take {
    element: Element,
    buttons: Element,
}

impl Take {
    /// With its name and what it is for.
    pub fn new(name: &str, about: &str) -> Self {
        let element =
            div().class("take").with(p().class("take__name").text(name)).with(p().class("take__about").text(about));
        Self { element, buttons: div().class("take__buttons") }
    }

    /// Shows its text.
    pub fn shown(mut self, text: &str) -> Self {
        self.element = self.element.with(
            pre().class("lines").set(Attribute::Tabindex, "0").set(Attribute::AriaLabel, "Text to copy").text(text),
        );
        self
    }

    /// Adds a button.
    pub fn with(mut self, button: Element) -> Self {
        self.buttons = self.buttons.with(button);
        self
    }

    /// The whole of it.
    pub fn element(self) -> Element {
        self.element.with(self.buttons)
    }
}

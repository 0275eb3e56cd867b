//! Where logs are given: two places, each for a text or for files, and samples.

use super::samples::SAMPLES;
use crate::view::{Attribute, Element, button, details, div, input, label, p, small, span, summary, textarea};

/// A place for a log: what is typed there and what is chosen there are two controls of it.
pub struct Slot {
    /// Name of the text's control.
    pub text: &'static str,
    /// Name of the files' control.
    pub files: &'static str,
}

/// The two places.
pub const SLOTS: [Slot; 2] = [Slot { text: "log", files: "log-files" }, Slot { text: "other", files: "other-files" }];

impl Slot {
    /// The control of this place that is not the one named; none where neither is.
    pub fn other_than(&self, control: &str) -> Option<&'static str> {
        match control {
            control if control == self.text => Some(self.files),
            control if control == self.files => Some(self.text),
            _ => None,
        }
    }

    /// The id of a control.
    pub fn id(control: &str) -> String {
        ["log-control-", control].concat()
    }

    fn shown(&self, question: &str) -> Element {
        let (text, files) = (Self::id(self.text), Self::id(self.files));
        div()
            .class("log__slot")
            .asks("log/read", "drop")
            .with(label().set(Attribute::For, &*text).text(question))
            .with(
                textarea()
                    .id(&text)
                    .set(Attribute::Name, self.text)
                    .set(Attribute::Rows, "6")
                    .set(Attribute::Spellcheck, "false")
                    .set(Attribute::Autocomplete, "off")
                    .set(Attribute::AriaDescribedby, "log-private")
                    .flag(Attribute::DataFile, true)
                    .asks("log/read", "input"),
            )
            .with(
                p().class("log__files")
                    .with(label().set(Attribute::For, &*files).text("or files, chosen or dropped here"))
                    .with(
                        input()
                            .id(&files)
                            .set(Attribute::Name, self.files)
                            .set(Attribute::Type, "file")
                            .flag(Attribute::Multiple, true)
                            .asks("log/read", "change"),
                    ),
            )
    }
}

/// The whole section.
pub fn body() -> Vec<Element> {
    let [first, second] = &SLOTS;
    let sample = |sample: &super::samples::Sample| {
        button()
            .set(Attribute::Type, "button")
            .set(Attribute::Name, sample.name)
            .asks("log/sample", "click")
            .text(sample.title)
    };
    let form = div()
        .class("log__form")
        .set(Attribute::DataForm, "log")
        .with(p().id("log-private").class("aside").text(
            "The text never leaves this browser: it is read on your machine, goes into no address and no storage, and is \
             gone when you close the page. Large files (1 GB), .gz and UTF-16 are fine.",
        ))
        .with(first.shown("A server’s log, or any part of it"))
        .with(
            details()
                .id("log-second")
                .class("log__second")
                .with(summary().text("A second log to compare with"))
                .with(second.shown("The other log, for example of the run that worked")),
        )
        .with(
            div()
                .class("log__samples")
                .with(span().text("Samples: "))
                .all(SAMPLES.iter().map(sample))
                .with(small().text("Runs of the worked case; 0.88 and “sanity” are reconstructed around the recorded numbers.")),
        );
    vec![
        form,
        div().id("log-progress"),
        div().id("log-result").class("log__results").flag(Attribute::DataArrives, true),
    ]
}

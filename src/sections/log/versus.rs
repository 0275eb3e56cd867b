//! Two logs beside each other.

use crate::format;
use crate::issue::shorten;
use crate::logs::{Comparison, Diagnosis};
use crate::units::Gib;
use crate::view::{Attribute, Element, caption, code, h3, p, section, table, tbody, td, th, thead, tr};

/// Characters of an argument's value that are shown.
const LONGEST: usize = 60;

/// The `vs=` of a scenario that another is compared with.
pub fn of_scenario(query: &str) -> String {
    let number = |pair: &&str| ["f=", "total=", "avail=", "cell="].iter().any(|key| pair.starts_with(key));
    let pairs: Vec<String> = query.split('&').filter(number).map(|pair| pair.replace('=', ":")).collect();
    ["&vs=", &pairs.join(",")].concat()
}

/// Whether both logs name the same model.
pub fn same_model(first: &Diagnosis, second: &Diagnosis) -> bool {
    let model = |of: &Diagnosis| {
        of.arguments.iter().find(|argument| argument.name == "model_path").map(|argument| argument.value.clone())
    };
    model(first).is_some() && model(first) == model(second)
}

/// The cell size of a scenario, for another one of the same model.
pub fn cell_of(query: &str) -> String {
    query.split('&').find(|pair| pair.starts_with("cell=")).map_or(String::new(), |pair| ["&", pair].concat())
}

/// What differs, and what each difference did.
pub fn shown(comparison: &Comparison, first: &str, second: &str) -> Element {
    let rows = comparison.differences.iter().map(|difference| {
        let effect = match difference.gib {
            Some(gib) => format::difference(Gib(gib)),
            None if ["mem_fraction_static", "available", "total"].contains(&difference.name.as_str()) => {
                "not known: a log lacks a term".to_owned()
            }
            None => "not by itself".to_owned(),
        };
        let value = |text: &str| td().text(shorten(text, LONGEST));
        tr().with(th().set(Attribute::Scope, "row").with(code().text(shorten(&difference.name, LONGEST))))
            .with(value(&difference.from))
            .with(value(&difference.to))
            .with(td().class(if difference.gib.is_some() { "log__effect" } else { "aside" }).text(effect))
    });
    let columns = ["what differs", first, second, "moves the rest by"];
    let head = columns.into_iter().map(|column| th().set(Attribute::Scope, "col").text(column));
    let part = section()
        .class("log__versus")
        .set(Attribute::AriaLabelledby, "log-versus")
        .with(h3().id("log-versus").text(super::report::typeset(&comparison.result)));
    if comparison.differences.is_empty() {
        return part.with(p().text("Nothing that was read differs."));
    }
    part.with(
        super::region("log__scroll log__numbers", "What differs between the two logs").with(
            table()
                .with(caption().class("unseen").text("What differs, the largest effect first"))
                .with(thead().with(tr().all(head)))
                .with(tbody().all(rows)),
        ),
    )
}

//! Building blocks of what a plan shows: numbers, provenance, tables.

use crate::decimal;
use crate::format;
use crate::plan::answer::{Known, Planned};
use crate::units::Gib;
use crate::view::{Attribute, Element, div, h3, section, table, tbody, td, th, thead, tr};

/// A part with its heading.
pub fn part(id: &str, title: &str) -> Element {
    let heading = ["plan-title-", id].concat();
    section().class("plan__part").set(Attribute::AriaLabelledby, heading.clone()).with(h3().id(&heading).text(title))
}

/// A table that scrolls by itself where the window is narrow.
pub fn scrolling(name: &str, columns: &[&str], rows: impl IntoIterator<Item = Element>) -> Element {
    let head = columns.iter().map(|column| th().set(Attribute::Scope, "col").text(*column));
    div()
        .class("points__scroll")
        .set(Attribute::Tabindex, "0")
        .set(Attribute::Role, "region")
        .set(Attribute::AriaLabel, name)
        .with(table().with(thead().with(tr().all(head))).with(tbody().all(rows)))
}

/// A row with its name first.
pub fn row(name: &str, cells: impl IntoIterator<Item = String>) -> Element {
    tr().with(th().set(Attribute::Scope, "row").text(name)).all(cells.into_iter().map(|words| td().text(words)))
}

/// Where a pool is, if there are several.
pub fn rank(plan: &Planned) -> &'static str {
    if plan.dp > 1 { " on each DP rank" } else { "" }
}

/// MiB as GiB.
pub fn from_mib(mib: f64) -> String {
    format::gib(Gib::from_mib(mib))
}

/// A fraction that SGLang computed, to four decimals.
pub fn share(fraction: f64) -> String {
    decimal::write_trimmed(fraction, 4, 2)
}

/// An amount with its spread, and no digit that the spread makes meaningless.
pub fn with_spread(known: &Known) -> String {
    match known.half_width {
        Some(width) => [&format::number(known.value, 1), " ± ", &format::number(width, 1), " GiB"].concat(),
        None => format::gib(Gib(known.value)),
    }
}

/// A rough count: whole thousands.
pub fn thousands(count: f64) -> String {
    format::whole((count / 1000.0).ceil() as i64 * 1000)
}

/// A change of a fraction, with its sign.
pub fn signed(change: f64) -> String {
    let text = format::number(change, 3);
    if change > 0.0 && text != "0.000" { ["+", &text].concat() } else { text }
}

/// Two fractions with as few decimals as tell them apart.
pub fn apart(one: f64, other: f64) -> (String, String) {
    let written = |decimals| (format::number(one, decimals), format::number(other, decimals));
    (3..7).map(written).find(|(one, other)| one != other).unwrap_or_else(|| written(3))
}

/// How a part in MiB is known.
pub fn how(known: &Known) -> String {
    match (known.how, known.half_width) {
        ("exact", _) => "exact".to_owned(),
        ("table", _) => "from a table".to_owned(),
        (_, Some(half_width)) if half_width < 1.0 => "estimated".to_owned(),
        // An amount stays in one piece.
        (_, Some(half_width)) => {
            ["estimated, ", &["± ", &from_mib(half_width)].concat().replace(' ', "\u{a0}")].concat()
        }
        _ => "not measured".to_owned(),
    }
}

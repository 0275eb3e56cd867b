//! Names of things: fields, buttons, headings.

use super::verdict::{highest, last_that_fails};
use crate::budget::{Report, Sensitivity, Term};
use crate::issue::IssueKind;
use crate::scenario::fields::range;
use crate::scenario::range::Unit;
use crate::scenario::typed::Refusal;
use crate::units::Gib;
use crate::{decimal, format};

/// What a number field is called and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldText {
    /// Key of the URL.
    pub key: &'static str,
    /// The term that it sets.
    pub term: Term,
    /// Visible label, part of the accessible name.
    pub label: &'static str,
    /// One line under it.
    pub hint: &'static str,
    /// The unit behind the number, if any.
    pub unit: &'static str,
}

const fn text(key: &'static str, term: Term, label: &'static str, hint: &'static str, unit: &'static str) -> FieldText {
    FieldText { key, term, label, hint, unit }
}

/// The number fields of the page: the four sliders first, then what stands under "More".
pub const FIELDS: [FieldText; 8] = [
    text("f", Term::Fraction, "--mem-fraction-static", "share of total for weights and KV cache together", ""),
    text(
        "total",
        Term::Total,
        "total",
        "free before the weights, on the GPU with the least free; not the card’s size",
        "GiB",
    ),
    text("avail", Term::Available, "available", "free after the weights, on the GPU with the least free", "GiB"),
    text("cell", Term::Cell, "cell size", "KV cache for one token on one GPU", "bytes"),
    text(
        "dyn",
        Term::Reserved,
        "needed by activations and graphs",
        "what the reserve must hold, if you know it",
        "GiB",
    ),
    text("ctx", Term::Tokens, "context length", "to count full-length requests", "tokens"),
    text("page", Term::Tokens, "page size", "the pool is a whole number of pages", "tokens"),
    text("cap", Term::Tokens, "--max-total-tokens", "an upper limit for the pool", "tokens"),
];

/// The text of a field.
pub fn field_text(key: &str) -> FieldText {
    let [first, ..] = FIELDS;
    FIELDS.iter().find(|field| field.key == key).copied().unwrap_or(first)
}

/// The line under the fraction's slider: its zones in words.
pub fn zones(report: &Report) -> String {
    let Some(least) = report.band.suggested else { return "no fraction starts".to_owned() };
    let starts = format::fraction_to_type(least.get());
    let below = if least.get() > 0.0 {
        ["cannot start up to ", &last_that_fails(least), " · "].concat()
    } else {
        String::new()
    };
    match report.band.max_fraction {
        Some(most) if most < least.get() => [&below, "too little left for graphs from ", &starts, " on"].concat(),
        Some(most) if most < 1.0 => [&below, "works up to ", &highest(report), " · too high above"].concat(),
        _ => [&below, "starts from ", &starts].concat(),
    }
}

/// Why a typed text was refused, and what would do.
pub fn refused(key: &str, refusal: impl Into<Refusal>) -> String {
    let Refusal { kind, number } = refusal.into();
    let range = range(key);
    let (least, most) = (decimal::write_trimmed(range.least, 3, 0), format::whole(range.most as i64));
    match kind {
        IssueKind::OutOfRange if range.unit == Unit::Share => beyond(number.unwrap_or_default()),
        IssueKind::OutOfRange => ["must be above ", &least].concat(),
        _ if range.whole => ["not a whole number; from ", &least, " to ", &most].concat(),
        _ => ["not a number; from ", &least, " to ", &most].concat(),
    }
}

/// A number that is no fraction. What may be a percentage is shown as what it would be.
fn beyond(number: f64) -> String {
    if number < 0.0 {
        return "a fraction is not below 0".to_owned();
    }
    let written = |number| decimal::write_trimmed(number, 9, 0);
    let meant = if number <= 100.0 {
        ["; ", &written(number), " % is ", &written(number / 100.0)].concat()
    } else {
        String::new()
    };
    String::from("a fraction is at most 1") + &meant
}

/// How fast the rest moves with each of the other numbers.
pub fn sensitivity(report: &Report) -> String {
    let at = Sensitivity::of(&report.inputs);
    [
        "0.01 more fraction leaves ",
        &format::gib(Gib(at.fraction.0 / 100.0)),
        " more; 1 GiB more available leaves 1 GiB more; 1 GiB more total leaves ",
        &format::gib(Gib(-at.total)),
        " less.",
    ]
    .concat()
}

/// The picture of the bars in words.
pub fn summary(report: &Report) -> String {
    let parts = &report.breakdown;
    [
        "Of ",
        &format::gib(report.inputs.total),
        " free at the start the weights take ",
        &format::gib(parts.weights),
        " and ",
        &format::gib(parts.reserved),
        " are reserved; ",
        &format::gib(parts.rest),
        " are left for the KV cache.",
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::typed::understand;
    use crate::scenario::{evaluate, query::decode};

    fn hint(query: &str) -> String {
        super::zones(&evaluate(&decode(query).scenario).report)
    }

    #[test]
    fn what_is_refused_hears_what_would_do() {
        for (key, typed, words) in [
            ("f", "88", "a fraction is at most 1; 88 % is 0.88"),
            ("f", "2", "a fraction is at most 1; 2 % is 0.02"),
            ("f", "87.5", "a fraction is at most 1; 87.5 % is 0.875"),
            ("f", "100", "a fraction is at most 1; 100 % is 1"),
            ("f", "159171", "a fraction is at most 1"),
            ("f", "120 %", "a fraction is at most 1"),
            ("f", "-1", "a fraction is not below 0"),
            ("f", "abc", "not a number; from 0 to 1"),
            ("page", "1.5", "not a whole number; from 1 to 65,536"),
            ("cell", "0", "must be above 0"),
        ] {
            assert_eq!(
                understand(key, typed).map_err(|refusal| refused(key, refusal)),
                Err(words.to_owned()),
                "{typed}"
            );
        }
    }

    #[test]
    fn sensitivities_in_words() {
        assert_eq!(
            sensitivity(&evaluate(&decode("").scenario).report),
            "0.01 more fraction leaves 0.940 GiB more; 1 GiB more available leaves 1 GiB more; 1 GiB more total leaves \
             0.450 GiB less."
        );
    }

    #[test]
    fn zones_in_words() {
        assert_eq!(hint(""), "cannot start up to 0.769 · starts from 0.770");
        assert_eq!(hint("dyn=9.5"), "cannot start up to 0.769 · works up to 0.898 · too high above");
        assert_eq!(hint("dyn=30"), "cannot start up to 0.769 · too little left for graphs from 0.770 on");
        assert_eq!(hint("avail=0"), "no fraction starts");
    }
}

//! A badge for a README: `KV budget | 159k tokens at 0.88`.

use super::colors::{CARD, RESERVE_EDGE, ROOM, SHORT, SOFT};
use super::escape;
use crate::budget::Verdict;
use crate::decimal;
use crate::format;
use crate::scenario::Evaluation;

const NAME: &str = "KV budget";

/// The grounds of its white text, far enough apart from it (`tests/contrast.rs`).
const STARTS: &str = ROOM;
const FAILS: &str = SHORT;
const HIGH: &str = RESERVE_EDGE;

/// The words on its right side, and its colour.
pub fn words(evaluation: &Evaluation) -> (String, &'static str) {
    let report = &evaluation.report;
    let parts = &report.breakdown;
    let at = [" at ", &format::fraction(report.inputs.fraction)].concat();
    match report.verdict {
        Verdict::Starts => {
            let tokens = parts.pool_tokens.0 as f64;
            let shown = if (10_000.0..1e6).contains(&tokens) { (tokens / 1000.0).floor() * 1000.0 } else { tokens };
            ([&format::tokens_short(shown), " tokens", &at].concat(), STARTS)
        }
        Verdict::CannotStart if parts.rest.0 < 0.0 => {
            let short = format::number(-parts.rest.0, 1);
            (["short by ", &short, " GiB", &at].concat(), FAILS)
        }
        Verdict::CannotStart => (["cannot start", &at].concat(), FAILS),
        Verdict::TooHigh => (["too high", &at].concat(), HIGH),
        Verdict::NoFractionWorks => ("no fraction works".to_owned(), FAILS),
    }
}

/// The badge as SVG: text as text, with the width that it is drawn in fixed, whatever font there is.
pub fn svg(evaluation: &Evaluation) -> String {
    let (words, color) = words(evaluation);
    let (left, right) = (width(NAME), width(&words));
    let (before, after) = (left + 20.0, right + 20.0);
    let total = before + after;
    let number = |value: f64| decimal::write_trimmed(value, 1, 0);
    let said = [NAME, ": ", &words].concat();
    let text = |x: f64, width: f64, words: &str| {
        let (x, width) = (number(x), number(width));
        [
            "<text x=\"",
            &x,
            "\" y=\"14\" textLength=\"",
            &width,
            "\" lengthAdjust=\"spacingAndGlyphs\">",
            &escape(words),
            "</text>",
        ]
        .concat()
    };
    [
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
        &number(total),
        "\" height=\"20\" role=\"img\" aria-label=\"",
        &escape(&said),
        "\"><title>",
        &escape(&said),
        "</title><rect width=\"",
        &number(total),
        "\" height=\"20\" rx=\"3\" fill=\"",
        SOFT,
        "\"/><path d=\"M",
        &number(before),
        " 0h",
        &number(after - 3.0),
        "a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-",
        &number(after - 3.0),
        "z\" fill=\"",
        color,
        "\"/><g fill=\"",
        CARD,
        "\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">",
        &text(10.0, left, NAME),
        &text(before + 10.0, right, &words),
        "</g></svg>\n",
    ]
    .concat()
}

/// About the width of a text at 11 pixels.
fn width(text: &str) -> f64 {
    text.chars()
        .map(|letter| match letter {
            ' ' | '.' | 'i' | 'l' | 't' | 'f' | 'r' => 4.2,
            'm' | 'w' | 'G' | 'K' | 'M' => 8.4,
            _ => 6.8,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::evaluate;
    use crate::scenario::query::decode;

    #[test]
    fn words_for_each_verdict() {
        for (query, expected) in [
            ("f=0.88", "159k tokens at 0.88"),
            ("", "short by 20.6 GiB at 0.55"),
            ("f=0.92&dyn=9.5", "too high at 0.92"),
            ("dyn=30", "no fraction works"),
            ("f=0.88&cap=63&page=64", "cannot start at 0.88"),
            ("f=0.88&cap=640", "640 tokens at 0.88"),
        ] {
            assert_eq!(words(&evaluate(&decode(query).scenario)).0, expected, "{query}");
        }
    }

    #[test]
    fn the_text_is_text() {
        let svg = svg(&evaluate(&decode("f=0.88").scenario));
        assert!(
            svg.contains("<title>KV budget: 159k tokens at 0.88</title>")
                && svg.contains(">159k tokens at 0.88</text>")
        );
    }
}

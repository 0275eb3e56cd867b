//! The colours of both schemes can be told apart: WCAG 2.2, 1.4.3 for text and 1.4.11 for what carries a meaning.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::HashMap;

/// What stands on what, and how far apart the two must be: 4.5 for text, 3 for lines and fills.
const PAIRS: [(&str, &str, f64); 32] = [
    // Text.
    ("ink", "paper", 4.5),
    ("ink", "card", 4.5),
    ("ink", "free", 4.5),
    ("soft", "paper", 4.5),
    ("soft", "card", 4.5),
    ("soft", "free", 4.5),
    ("room", "paper", 4.5),
    ("room", "card", 4.5),
    ("short", "paper", 4.5),
    ("short", "card", 4.5),
    ("paper", "ink", 4.5),
    // The bars: their outline, their fills, and the line between two fills that are both pale.
    ("edge", "card", 3.0),
    ("edge", "paper", 3.0),
    ("weights", "card", 3.0),
    ("weights", "free", 3.0),
    ("ink", "room-soft", 3.0),
    ("ink", "reserve", 3.0),
    ("room", "card", 3.0),
    ("short", "card", 3.0),
    ("short", "short-soft", 3.0),
    // Underlines of terms, and the bands of the slider.
    ("weights", "paper", 3.0),
    ("reserve-edge", "paper", 3.0),
    ("reserve-edge", "card", 3.0),
    ("reserve-edge", "reserve", 3.0),
    // Frames of fields and buttons, the thumb of a slider, the ring of the focus.
    ("edge", "free", 3.0),
    ("ink", "line", 3.0),
    ("focus", "paper", 3.0),
    ("focus", "card", 3.0),
    ("focus", "free", 3.0),
    ("focus", "room-soft", 3.0),
    ("focus", "reserve", 3.0),
    ("focus", "short-soft", 3.0),
];

/// The relative luminance of `#rrggbb`, as WCAG 2.2 defines it.
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("two hexadecimal digits")) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The colours of `style/1-tokens.css`: name to light and dark.
fn tokens() -> HashMap<String, [String; 2]> {
    let css = std::fs::read_to_string("style/1-tokens.css").expect("the tokens");
    let pair = |line: &str| {
        let (name, colours) = line.trim().strip_prefix("--")?.split_once(": light-dark(")?;
        let (light, dark) = colours.trim_end_matches(");").split_once(", ")?;
        Some((name.to_owned(), [light.to_owned(), dark.to_owned()]))
    };
    css.lines().filter_map(pair).collect()
}

#[test]
fn the_measure_is_that_of_the_standard() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    // The grey that is the palest for text on white.
    assert!((contrast("#767676", "#ffffff") - 4.54).abs() < 0.005);
}

#[test]
fn pictures_have_the_colours_of_the_page() {
    use kv_budget::exports::colors::{CARD, RESERVE_EDGE, ROOM, SHORT, SOFT, TOKENS};
    let tokens = tokens();
    for (name, colour) in TOKENS {
        assert_eq!(tokens[*name][0], *colour, "{name}");
    }
    // The words of a badge are white on one of these.
    for ground in [SOFT, ROOM, RESERVE_EDGE, SHORT] {
        assert!(contrast(CARD, ground) >= 4.5, "{ground}");
    }
}

#[test]
fn what_carries_a_meaning_can_be_told_from_what_is_around_it() {
    let tokens = tokens();
    let mut pale = Vec::new();
    for (above, below, least) in PAIRS {
        for (scheme, name) in ["light", "dark"].iter().enumerate() {
            let found = contrast(&tokens[above][scheme], &tokens[below][scheme]);
            if found < least {
                pale.push(format!("{above} on {below} in {name}: {found:.2}, not {least}"));
            }
        }
    }
    assert!(pale.is_empty(), "{}", pale.join("\n"));
}

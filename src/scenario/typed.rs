//! What a person types into a number field: more forgiving than a URL, and it says what it understood.

use super::fields::range;
use crate::decimal;
use crate::issue::IssueKind;

/// A typed number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Understood {
    /// The value, within the field's range.
    pub value: f64,
    /// It is not what the characters say at first sight: a percentage, a decimal comma, a clamped value. Worth showing.
    pub remarkable: bool,
}

/// Reads what was typed into the field with this URL key: `0.55`, `0,55`, `55%`, `93.999 GiB`, `70 272`, `70,272`.
///
/// # Errors
/// [`IssueKind::NotANumber`], or [`IssueKind::OutOfRange`] where no nearest value makes sense.
pub fn understand(key: &str, typed: &str) -> Result<Understood, IssueKind> {
    let range = range(key);
    let (text, percent) = match typed.trim().strip_suffix('%') {
        Some(text) => (text, true),
        None => (typed.trim(), false),
    };
    let text = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let text: String = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '\u{202f}' | '’')).collect();
    let commas = text.matches(',').count();
    // `70,272` is a count with a separator where only counts make sense; anywhere else one comma is a decimal point.
    let grouped = (range.whole || key == "cell") && text.split(',').skip(1).all(|group| group.len() == 3);
    let plain = match commas {
        0 => text.clone(),
        1 if !grouped && !text.contains('.') => text.replace(',', "."),
        _ if grouped || text.contains('.') => text.replace(',', ""),
        _ => return Err(IssueKind::NotANumber),
    };
    let value = decimal::read(&plain).map_err(|_| IssueKind::NotANumber)?;
    let value = if percent { value / 100.0 } else { value };
    let (value, clamped) = range.admit(value)?;
    Ok(Understood { value, remarkable: percent || clamped || commas > 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(key: &str, typed: &str) -> Option<f64> {
        understand(key, typed).ok().map(|understood| understood.value)
    }

    #[test]
    fn what_people_type() {
        for (key, typed, expected) in [
            ("f", "0.55", 0.55),
            ("f", "0,55", 0.55),
            ("f", "55%", 0.55),
            ("f", " 55 % ", 0.55),
            ("f", ".5", 0.5),
            ("total", "93.999 GiB", 93.999),
            ("total", "93,999", 93.999),
            ("cell", "70 272", 70272.0),
            ("cell", "70,272", 70272.0),
            ("cell", "70272 bytes", 70272.0),
            ("cell", "8294.4", 8294.4),
            ("cell", "8294,4", 8294.4),
            ("cap", "1,000,000", 1_000_000.0),
            ("ctx", "131_072", 131_072.0),
            ("f", "7", 1.0),
        ] {
            assert_eq!(value(key, typed), Some(expected), "{key} {typed}");
        }
    }

    #[test]
    fn what_nobody_means() {
        for (key, typed) in
            [("f", ""), ("f", "-"), ("f", "abc"), ("f", "1e-1"), ("cell", "0"), ("page", "1.5"), ("total", "1,2,3")]
        {
            assert_eq!(value(key, typed), None, "{key} {typed}");
        }
    }

    #[test]
    fn it_says_when_it_had_to_think() {
        let remarkable = |key, typed| understand(key, typed).map(|understood| understood.remarkable);
        assert_eq!(remarkable("f", "0.55"), Ok(false));
        assert_eq!(remarkable("f", "55%"), Ok(true));
        assert_eq!(remarkable("f", "0,55"), Ok(true));
        assert_eq!(remarkable("f", "7"), Ok(true));
    }
}

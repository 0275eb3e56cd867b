//! Trouble as data: what was wrong with something that came from outside, and what was done about it.

use serde::Serialize;

/// The closed list of kinds; the names are part of the contract of the command-line examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueKind {
    /// No field has this name; it was dropped.
    UnknownKey,
    /// Not a plain decimal, or not a whole number where one is needed; the field kept its default.
    NotANumber,
    /// Outside the field's range; clamped to it, or refused where no nearest value makes sense.
    OutOfRange,
    /// Given more than once; the last counts.
    Repeated,
    /// Broken percent-encoding or not UTF-8; the field kept its default.
    BadEncoding,
    /// Longer than anything meaningful; the field kept its default.
    TooLong,
    /// Two inputs contradict each other; the message says which counts.
    Conflict,
    /// A name outside the list of known ones (preset, version, theme …).
    UnknownValue,
    /// Nothing was measured that would answer this.
    NotMeasured,
}

/// One piece of trouble with one field. Never an error: the rest of the answer stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// The key, flag or column it is about, as the reader wrote it (shortened).
    pub field: String,
    /// What kind of trouble.
    pub kind: IssueKind,
    /// One English sentence that says what was wrong and what was done.
    pub message: String,
}

impl Issue {
    /// An issue about `field`.
    pub fn new(field: &str, kind: IssueKind, message: impl Into<String>) -> Self {
        Self { field: shorten(field, 40), kind, message: message.into() }
    }
}

/// Untrusted text cut to `most` characters for a message; control and direction-changing characters become visible.
pub fn shorten(text: &str, most: usize) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let mut short: String = text.chars().take(most).map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_is_cut_and_shown() {
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abcd", 3), "abc…");
        assert_eq!(shorten("a\u{202e}b\0", 9), "a\u{fffd}b\u{fffd}");
    }
}

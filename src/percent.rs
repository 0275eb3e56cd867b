//! Percent-encoding, undone.

/// What a `+` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plus {
    /// A blank, as forms write it.
    Blank,
    /// Itself, as in a path.
    Plus,
}

/// The text that was encoded; `None` where an escape is broken or what comes out is not UTF-8.
///
/// ```
/// use kv_budget::percent::{Plus, decode};
/// assert_eq!(decode("1%2B4+%C3%97", Plus::Blank).as_deref(), Some("1+4 ×"));
/// assert_eq!(decode("0.5+1%2F16", Plus::Plus).as_deref(), Some("0.5+1/16"));
/// assert_eq!(decode("100%", Plus::Blank), None);
/// ```
pub fn decode(text: &str, plus: Plus) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' if plus == Plus::Blank => b' ',
            b'%' => {
                let high = hex(rest.next()?)?;
                high << 4 | hex(rest.next()?)?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' | b'A'..=b'F' => Some((digit | 0x20) - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_refused() {
        for text in ["%", "%4", "%zz", "%+1", "a%2", "%%41", "%ff", "%c3", "%C3%28"] {
            assert_eq!(decode(text, Plus::Plus), None, "{text}");
        }
        assert_eq!(decode("", Plus::Blank).as_deref(), Some(""));
        assert_eq!(decode("%4a%4B+ü", Plus::Plus).as_deref(), Some("JK+ü"));
    }
}

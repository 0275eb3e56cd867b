//! What a person types into a number field: more forgiving than a URL, and it says what it understood.

use super::fields::range;
use super::range::Unit;
use crate::decimal;
use crate::issue::IssueKind;
use crate::units::GIB;

/// A typed number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Understood {
    /// The value, within the field's range and in its unit.
    pub value: f64,
    /// It is not what the characters say at first sight: another unit, a decimal comma, a clamped value. Worth showing.
    pub remarkable: bool,
}

/// Why a typed text was refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refusal {
    /// What is wrong with it.
    pub kind: IssueKind,
    /// The number as it was typed, before its unit, where one was found.
    pub number: Option<f64>,
}

impl From<IssueKind> for Refusal {
    fn from(kind: IssueKind) -> Self {
        Self { kind, number: None }
    }
}

impl From<Refusal> for IssueKind {
    fn from(refusal: Refusal) -> Self {
        refusal.kind
    }
}

/// Reads what was typed into the field with this URL key: `0.55`, `0,55`, `55%`, `93.999 GiB`, `70 272`, `70,272`, `128k`.
///
/// # Errors
/// [`IssueKind::NotANumber`], or [`IssueKind::OutOfRange`] where no nearest value makes sense: whoever types 88 as a
/// fraction means neither 1 nor 88.
pub fn understand(key: &str, typed: &str) -> Result<Understood, Refusal> {
    let range = range(key);
    let text: String = typed.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '\u{202f}' | '’')).collect();
    let mut text = text.to_ascii_lowercase();
    let word = text.bytes().position(|byte| byte.is_ascii_alphabetic() || byte == b'%').unwrap_or(text.len());
    let word = text.split_off(word);
    let parts = parts(range.unit, &word).ok_or(IssueKind::NotANumber)?;
    let commas = text.matches(',').count();
    // `70,272` is a count with a separator where only counts make sense; anywhere else one comma is a decimal point.
    let grouped = (range.whole || key == "cell") && text.split(',').skip(1).all(|group| group.len() == 3);
    let plain = match commas {
        0 => text,
        1 if !grouped && !text.contains('.') => text.replace(',', "."),
        _ if grouped || text.contains('.') => text.replace(',', ""),
        _ => return Err(IssueKind::NotANumber.into()),
    };
    let number = decimal::read(&plain).map_err(|_| IssueKind::NotANumber)?;
    let mut value = number;
    let converted = parts != 1.0;
    if converted {
        value /= parts;
        // Of `1.5k` and `128.4k` whole things are meant.
        value = if range.whole { value.round() } else { value };
    }
    let (value, clamped) = range.admit(value)?;
    if clamped && range.unit == Unit::Share {
        return Err(Refusal { kind: IssueKind::OutOfRange, number: Some(number) });
    }
    Ok(Understood { value, remarkable: converted || word == "gb" || clamped || commas > 0 })
}

/// How many of what the word means make one of the unit, so that dividing converts; `None` for no word of this unit.
///
/// `GB` and `MB` are powers of 1024, as SGLang, PyTorch and the names of cards have them; `k` of tokens is 1000, as on
/// the axis of the curve, and `Ki` 1024.
fn parts(unit: Unit, word: &str) -> Option<f64> {
    let own = match unit {
        Unit::Share if word == "%" => return Some(100.0),
        Unit::Count(thing) => {
            let many = word.strip_suffix('s').unwrap_or(word);
            let many = many.strip_suffix(thing.name()).unwrap_or(word);
            return match many {
                "" => Some(1.0),
                "k" => Some(0.001),
                "m" => Some(0.000_001),
                "ki" => Some(1.0 / 1024.0),
                "mi" => Some(1.0 / 1_048_576.0),
                _ => None,
            };
        }
        Unit::Gib => GIB,
        Unit::Share | Unit::Bytes => 1.0,
    };
    let Some((first, rest)) = word.as_bytes().split_first() else { return Some(1.0) };
    let power = b"bkmgt".iter().position(|letter| letter == first && unit != Unit::Share)?;
    let endings: [&[u8]; 3] = if power == 0 { [b"", b"yte", b"ytes"] } else { [b"", b"b", b"ib"] };
    endings.contains(&rest).then_some(own / (1_u64 << (10 * power)) as f64)
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
            ("f", "1", 1.0),
            ("f", "100 %", 1.0),
            ("page", "70000", 65536.0),
        ] {
            assert_eq!(value(key, typed), Some(expected), "{key} {typed}");
        }
    }

    #[test]
    fn each_field_knows_its_units() {
        for (key, typed, expected) in [
            ("total", "24 MiB", 0.0234375),
            ("total", "512 MB", 0.5),
            ("total", "80 GB", 80.0),
            ("avail", "21.70 GB", 21.7),
            ("avail", "21,70g", 21.7),
            ("total", "1.5 TiB", 1536.0),
            ("dyn", "1048576 KiB", 1.0),
            ("avail", "23297441792 bytes", 21.697_433_471_679_688),
            ("cell", "70272 B", 70272.0),
            ("cell", "68.625 KiB", 70272.0),
            ("cell", "1 MiB", 1_048_576.0),
            ("ctx", "128k", 128_000.0),
            ("ctx", "128 K tokens", 128_000.0),
            ("ctx", "128Ki", 131_072.0),
            ("ctx", "1,5k", 1500.0),
            ("cap", "1.001k", 1001.0),
            ("cap", "159,171 tokens", 159_171.0),
            ("cap", "2M", 2_000_000.0),
            ("cap", "1 Mi", 1_048_576.0),
            ("page", "1 token", 1.0),
            ("chunk", "8ki", 8192.0),
            ("graph", "64 requests", 64.0),
            ("tp", "8 GPUs", 8.0),
        ] {
            assert_eq!(value(key, typed), Some(expected), "{key} {typed}");
        }
    }

    #[test]
    fn what_nobody_means() {
        for (key, typed) in [
            ("f", ""),
            ("f", "-"),
            ("f", "abc"),
            ("f", "88"),
            ("f", "1.0001"),
            ("f", "101%"),
            ("f", "-0.1"),
            ("f", "1e-1"),
            ("f", "0.5 GiB"),
            ("f", "5k"),
            ("cell", "0"),
            ("cell", "70 tokens"),
            ("page", "1.5"),
            ("total", "1,2,3"),
            ("total", "50%"),
            ("total", "24 apples"),
            ("total", "24 GiBs"),
            ("total", "GiB"),
            ("total", "2 G 4"),
            ("ctx", "128 MiB"),
            ("ctx", "4 s"),
            ("tp", "8 tokens"),
        ] {
            assert_eq!(value(key, typed), None, "{key} {typed}");
        }
    }

    #[test]
    fn it_says_when_it_had_to_think() {
        let remarkable = |key, typed| understand(key, typed).map(|understood| understood.remarkable);
        assert_eq!(remarkable("f", "0.55"), Ok(false));
        assert_eq!(remarkable("f", "55%"), Ok(true));
        assert_eq!(remarkable("f", "0,55"), Ok(true));
        assert_eq!(remarkable("page", "70000"), Ok(true));
        assert_eq!(remarkable("total", "24 GiB"), Ok(false));
        assert_eq!(remarkable("total", "24 GB"), Ok(true));
        assert_eq!(remarkable("total", "24 MiB"), Ok(true));
        assert_eq!(remarkable("cell", "70272 bytes"), Ok(false));
        assert_eq!(remarkable("ctx", "4096 tokens"), Ok(false));
        assert_eq!(remarkable("ctx", "4k"), Ok(true));
    }
}

//! Finding texts without regard to white space, and reading the numbers behind them.

use super::lines::Record;
use super::rules::Form;
use crate::decimal;

/// Where `text`, white space aside, ends in `flat` at or after `from`.
pub fn find(flat: &str, text: &str, from: usize) -> Option<usize> {
    let mut wanted = text.bytes().filter(|byte| *byte != b' ');
    let first = wanted.next()?;
    let bytes = flat.as_bytes();
    let mut start = from;
    loop {
        start += bytes.get(start..)?.iter().position(|&byte| byte == first)? + 1;
        let rest = bytes.get(start..).unwrap_or_default();
        let mut length = 0;
        if wanted.clone().all(|byte| {
            length += 1;
            rest.get(length - 1) == Some(&byte)
        }) {
            return Some(start + length);
        }
    }
}

/// A number as it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// The value in the form's unit: GiB, tokens or a share.
    pub value: f64,
    /// Half of the last printed decimal, in the same unit; 0 where the number is exact.
    pub half_width: f64,
    /// Where it ends.
    pub end: usize,
}

/// Reads the number at `at`; `None` where there is none, or where the record is cut inside it.
pub fn number(record: &Record, at: usize, form: Form) -> Option<Number> {
    let flat = record.flat.as_str();
    let rest = flat.get(at..)?;
    let rest = rest.strip_prefix(['\'', '"', '~', '`']).unwrap_or(rest);
    let at = flat.len() - rest.len();
    let commas = form == Form::Whole;
    let mut text = String::new();
    let mut length = 0;
    for (index, byte) in rest.bytes().enumerate() {
        let taken = match byte {
            b'-' | b'+' => index == 0,
            b'0'..=b'9' => true,
            b'.' => !text.contains('.') && rest.as_bytes().get(index + 1).is_some_and(u8::is_ascii_digit),
            b',' if commas => {
                let group = rest.get(index + 1..index + 4).unwrap_or_default();
                let next = rest.as_bytes().get(index + 4);
                let three = group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
                if !three || next.is_some_and(u8::is_ascii_digit) {
                    break;
                }
                length = index + 1;
                continue;
            }
            _ => false,
        };
        if !taken {
            break;
        }
        text.push(char::from(byte));
        length = index + 1;
    }
    let end = at + length;
    // The rest of a cut number would stand right behind it.
    if record.cut && flat.get(end..).is_none_or(|rest| rest.trim_matches(['.', ',']).is_empty()) {
        return None;
    }
    let value = decimal::read(&text).ok()?;
    let decimals = text.find('.').map_or(0, |point| text.len() - point - 1);
    let mut half_width = 0.5;
    for _ in 0..decimals {
        half_width /= 10.0;
    }
    let scale = match form {
        Form::Memory => unit(flat, end).unwrap_or(1.0),
        Form::Mebibytes => unit(flat, end).unwrap_or(1.0 / 1024.0),
        Form::Whole | Form::Exact | Form::Rounded => 1.0,
    };
    let half_width = if matches!(form, Form::Whole | Form::Exact) { 0.0 } else { half_width * scale };
    Some(Number { value: value * scale, half_width, end })
}

/// The unit that follows, in GiB. "GB" is GiB: SGLang, vLLM V0 and PyTorch all divide by 2^30 (or 2^20).
fn unit(flat: &str, at: usize) -> Option<f64> {
    let rest = flat.get(at..)?;
    for (name, scale) in [
        ("GiB", 1.0),
        ("GB", 1.0),
        ("MiB", 1.0 / 1024.0),
        ("MB", 1.0 / 1024.0),
        ("KiB", 1.0 / 1_048_576.0),
        ("bytes", 1.0 / crate::units::GIB),
        ("TiB", 1024.0),
    ] {
        if rest.starts_with(name) {
            return Some(scale);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(flat: &str) -> Record {
        Record { flat: flat.to_owned(), ..Record::default() }
    }

    #[test]
    fn finds_without_white_space() {
        assert_eq!(find("abavailmem=3", "avail mem=", 0), Some(11));
        assert_eq!(find("abc", "bd", 0), None);
        assert_eq!(find("aab", "ab", 0), Some(3));
    }

    #[test]
    fn reads_numbers_with_units_and_rounding() {
        let read = |flat: &str, form| number(&record(flat), 0, form).map(|number| (number.value, number.half_width));
        assert_eq!(read("-20.603GiB,", Form::Memory), Some((-20.603, 0.0005)));
        assert_eq!(read("512.0MiB", Form::Memory).map(|read| read.0), Some(0.5));
        assert_eq!(read("2147483648bytes", Form::Memory).map(|read| read.0), Some(2.0));
        assert_eq!(read("668,624tokens", Form::Whole), Some((668_624.0, 0.0)));
        assert_eq!(read("46611,K", Form::Whole), Some((46611.0, 0.0)));
        assert_eq!(read("0.3.Raise", Form::Exact), Some((0.3, 0.0)));
        assert_eq!(read("0.94)", Form::Rounded), Some((0.94, 0.005)));
        assert_eq!(read("None", Form::Exact), None);
    }

    #[test]
    fn a_cut_number_is_not_read() {
        let cut = Record { cut: true, ..record("0.5") };
        assert_eq!(number(&cut, 0, Form::Exact), None);
        assert_eq!(number(&record("0.5"), 0, Form::Exact).map(|number| number.value), Some(0.5));
    }
}

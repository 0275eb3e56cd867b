//! Decimal text to `f64` and back, by integers.
//!
//! The numbers of this field are short decimals: `0.55`, `93.999`, `70272`. Reading them as an integer mantissa over a
//! power of ten, and writing them by integer rounding, gives the same `f64` as a full float parser and the digits that
//! Python's `format` gives, at a few hundred bytes of download where the standard library's routines cost 24 kB.

/// The text was not a plain decimal: optional sign, digits, at most one point. Exponents, separators, `inf` and `nan`
/// are refused; the caller says what it understood instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotADecimal;

/// Mantissas up to here are whole numbers of `f64`, so that one division rounds once.
const EXACT_MANTISSA: u64 = 1 << 53;

/// Powers of ten that are exact in `f64`.
const EXACT_POWER: u32 = 22;

/// Digits that are read; 10^19 still fits a `u64`. What stands behind them only decides which way the last bit rounds.
const MAX_DIGITS: u32 = 19;

/// Reads a decimal, correctly rounded for up to 19 digits.
///
/// # Errors
/// [`NotADecimal`] for anything but `[+-−]digits[.digits]`.
///
/// ```
/// assert_eq!(kv_budget::decimal::read("93.999"), Ok(93.999));
/// assert!(kv_budget::decimal::read("1e3").is_err());
/// ```
pub fn read(text: &str) -> Result<f64, NotADecimal> {
    let (negative, unsigned) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mut mantissa, mut digits, mut decimals, mut dropped) = (0_u64, 0_u32, 0_u32, 0_u32);
    let (mut any, mut point, mut sticky) = (false, false, false);
    for byte in unsigned.bytes() {
        match byte {
            b'.' if !point => point = true,
            b'0'..=b'9' => {
                any = true;
                let digit = u64::from(byte - b'0');
                if digits < MAX_DIGITS && decimals < MAX_DIGITS {
                    mantissa = mantissa * 10 + digit;
                    digits += u32::from(mantissa != 0);
                    decimals += u32::from(point);
                } else {
                    sticky |= digit != 0;
                    dropped += u32::from(!point);
                }
            }
            _ => return Err(NotADecimal),
        }
    }
    if !any {
        return Err(NotADecimal);
    }
    let mut value = ratio(mantissa, decimals, sticky);
    for _ in 0..dropped.min(400) {
        value *= 10.0;
    }
    Ok(if negative { -value } else { value })
}

/// `mantissa / 10^decimals`, rounded once to the nearest `f64`, ties to even; `sticky`: something non-zero was cut off.
fn ratio(mantissa: u64, decimals: u32, sticky: bool) -> f64 {
    if mantissa <= EXACT_MANTISSA && decimals <= EXACT_POWER && !sticky {
        return mantissa as f64 / power_of_ten(decimals) as f64;
    }
    if mantissa == 0 {
        return 0.0;
    }
    // Long division with the mantissa at the top of 128 bits leaves at least 63 bits of quotient: ten to spare.
    let lift = mantissa.leading_zeros() + 64;
    let divisor = u128::from(power_of_ten(decimals));
    let (numerator, mut exponent) = (u128::from(mantissa) << lift, -(lift as i32));
    let (mut quotient, mut inexact) = (numerator / divisor, sticky || !numerator.is_multiple_of(divisor));
    let surplus = (128 - quotient.leading_zeros()).saturating_sub(54);
    inexact |= quotient & ((1 << surplus) - 1) != 0;
    quotient >>= surplus;
    exponent += surplus as i32;
    let round_up = quotient & 1 == 1 && (inexact || quotient & 2 == 2);
    let rounded = (quotient >> 1) + u128::from(round_up);
    rounded as f64 * power_of_two(exponent + 1)
}

/// Writes `value` with exactly `decimals` decimals (at most 9), rounded half to even on the exact binary value, with an
/// ASCII minus. A value that rounds to zero has no sign.
///
/// ```
/// assert_eq!(kv_budget::decimal::write(-20.60255, 3), "-20.603");
/// ```
pub fn write(value: f64, decimals: u32) -> String {
    if !value.is_finite() {
        return "?".to_owned();
    }
    let decimals = decimals.min(9);
    place_point(value < 0.0, scale(value.abs(), decimals), decimals)
}

/// As [`write()`], but the way a person rounds: the value is taken as the decimal of nine places that it stands for, and
/// a half goes away from zero. −25.3025, which in binary is a hair less, gives −25.303.
pub fn write_by_hand(value: f64, decimals: u32) -> String {
    if !value.is_finite() {
        return "?".to_owned();
    }
    let decimals = decimals.min(9);
    let unit = u128::from(power_of_ten(9 - decimals));
    place_point(value < 0.0, (scale(value.abs(), 9) + unit / 2) / unit, decimals)
}

fn place_point(negative: bool, scaled: u128, decimals: u32) -> String {
    let mut text = String::new();
    if negative && scaled != 0 {
        text.push('-');
    }
    let digits = digits(scaled);
    let width = decimals as usize;
    let digits = if digits.len() <= width { "0".repeat(width + 1 - digits.len()) + &digits } else { digits };
    // Only digits, so every position is a boundary.
    let (whole, part) = digits.split_at_checked(digits.len() - width).unwrap_or_default();
    text.push_str(whole);
    if width > 0 {
        text.push('.');
        text.push_str(part);
    }
    text
}

/// As [`write()`], without trailing zeros beyond `least` decimals.
pub fn write_trimmed(value: f64, most: u32, least: u32) -> String {
    let mut text = write(value, most);
    let Some(point) = text.find('.') else { return text };
    while text.ends_with('0') && text.len() - point - 1 > least as usize {
        text.pop();
    }
    if text.ends_with('.') {
        text.pop();
    }
    text
}

/// The form that a URL carries: at most nine decimals and 15 digits in all, no trailing zeros.
/// Fifteen digits survive the way through `f64` and back, so reading this text and writing it again changes nothing.
pub fn canonical(value: f64) -> String {
    let whole = digits(scale(value.abs(), 0)).len() as u32;
    write_trimmed(value, 9.min(15_u32.saturating_sub(whole)), 0)
}

/// How many decimals [`canonical`] needs for `value`.
pub fn decimals_of(value: f64) -> u32 {
    let text = canonical(value);
    text.find('.').map_or(0, |point| (text.len() - point - 1) as u32)
}

/// `round(magnitude × 10^decimals)` on the exact binary value; saturates far above every quantity of the page.
fn scale(magnitude: f64, decimals: u32) -> u128 {
    let bits = magnitude.to_bits();
    let biased = (bits >> 52) as i32 & 0x7ff;
    let mantissa = bits & ((1 << 52) - 1) | if biased == 0 { 0 } else { 1 << 52 };
    let exponent = biased.max(1) - 1075;
    let scaled = u128::from(mantissa) * u128::from(power_of_ten(decimals));
    if exponent >= 0 {
        return scaled << exponent.min(40);
    }
    let shift = exponent.unsigned_abs();
    if shift > 120 {
        return 0;
    }
    let (quotient, rest, half) = (scaled >> shift, scaled & ((1 << shift) - 1), 1 << (shift - 1));
    quotient + u128::from(rest > half || rest == half && quotient & 1 == 1)
}

/// Decimal digits of a whole number, without the formatting machinery.
pub(crate) fn digits(number: u128) -> String {
    let mut reversed = Vec::new();
    let mut left = number;
    loop {
        reversed.push(b'0' + (left % 10) as u8);
        left /= 10;
        if left == 0 {
            break;
        }
    }
    reversed.iter().rev().map(|&byte| char::from(byte)).collect()
}

fn power_of_ten(exponent: u32) -> u64 {
    10_u64.saturating_pow(exponent)
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
}

/// The nearest thousandth: fractions are typed with three decimals, and sliders show GiB with three.
pub fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_people_and_urls_write() {
        for (text, value) in [
            ("0.55", 0.55),
            ("93.999", 93.999),
            ("-20.603", -20.603),
            ("−0.5", -0.5),
            ("+1", 1.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("000.10", 0.1),
            ("139.19284057617188", 139.19284057617188),
            ("0.7691783955148459", 0.7691783955148459),
            ("9007199254740993", 9007199254740992.0),
            ("18446744073709551616", 18446744073709551616.0),
        ] {
            assert_eq!(read(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in
            ["", ".", "-", "+-1", "1e3", "0,55", "55%", "nan", "inf", "NaN", "1 000", "0.5.5", "０.５５", "0x10"]
        {
            assert_eq!(read(text), Err(NotADecimal), "{text}");
        }
    }

    #[test]
    fn writes_with_fixed_decimals() {
        for (value, decimals, text) in [
            (-20.602549999999997, 3, "-20.603"),
            (42.29955, 3, "42.300"),
            (0.0, 3, "0.000"),
            (-0.0001, 3, "0.000"),
            (0.5, 0, "0"),
            (1.5, 0, "2"),
            (0.125, 2, "0.12"),
            (1e15, 2, "1000000000000000.00"),
            (0.05, 1, "0.1"),
        ] {
            assert_eq!(write(value, decimals), text);
        }
        assert_eq!(write(-25.3025, 3), "-25.302", "as Python prints it");
        assert_eq!(write_by_hand(-25.3025, 3), "-25.303");
        assert_eq!(write_by_hand(-0.0004, 3), "0.000");
        assert_eq!(write_by_hand(0.9999999999, 0), "1");
        assert_eq!(write_trimmed(0.55, 3, 2), "0.55");
        assert_eq!(write_trimmed(0.5, 3, 2), "0.50");
        assert_eq!(write_trimmed(70272.0, 3, 0), "70272");
    }

    proptest! {
        #[test]
        fn reads_as_the_standard_library_does(whole in 0_u64..1_000_000_000, part in "[0-9]{0,19}") {
            let text = format!("{whole}.{part}");
            let digits = text.trim_start_matches(['0', '.']).len();
            prop_assume!(digits <= 19);
            prop_assert_eq!(read(&text).ok(), text.parse::<f64>().ok());
        }

        #[test]
        fn writes_as_the_standard_library_does(value in -1e6_f64..1e6, decimals in 0_u32..=9) {
            let expected = format!("{value:.*}", decimals as usize);
            let expected = if expected.trim_matches(['-', '0', '.']).is_empty() { expected.replace('-', "") } else { expected };
            prop_assert_eq!(write(value, decimals), expected);
        }

        #[test]
        fn canonical_is_stable(value in 0_f64..4e9) {
            let text = canonical(value);
            prop_assert_eq!(canonical(read(&text).unwrap()), text);
        }

        #[test]
        fn never_panics(text in "\\PC*") {
            let _ = read(&text);
        }
    }

    #[test]
    fn the_nearest_thousandth() {
        for (value, nearest) in [(0.76918, 0.769), (0.7695, 0.77), (-1.2344, -1.234), (93.999, 93.999)] {
            assert_eq!(thousandths(value), nearest);
        }
    }
}

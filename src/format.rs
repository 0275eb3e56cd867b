//! Every number that a person reads: one way for each unit, so that the page never says the same thing twice differently.
//!
//! GiB with three decimals and a true minus, tokens with thousands separated by commas, fractions without needless
//! zeros. Everything is a plain `String`: these run once for each number of the page and edit, not in loops.

use crate::decimal;
use crate::units::{Bytes, BytesPerToken, Fraction, Gib, Tokens};

/// U+2212, the minus that lines up with digits.
pub const MINUS: char = '−';

/// A signed decimal with a true minus.
pub fn number(value: f64, decimals: u32) -> String {
    with_minus(decimal::write_by_hand(value, decimals))
}

/// GiB without the unit, three decimals: `−20.603`.
pub fn gib_number(amount: Gib) -> String {
    number(amount.0, 3)
}

/// GiB with the unit: `−20.603 GiB`.
pub fn gib(amount: Gib) -> String {
    gib_number(amount) + " GiB"
}

/// A difference between two amounts, with its sign: `+31.020 GiB`, `0 GiB`; below half a GiB in MiB: `−13.2 MiB`.
pub fn difference(amount: Gib) -> String {
    let magnitude = Gib(amount.0.abs());
    let text = if magnitude.0 == 0.0 {
        return "0 GiB".to_owned();
    } else if magnitude.0 < 0.5 {
        mib(magnitude)
    } else {
        gib(magnitude)
    };
    let sign = if amount.0 < 0.0 { MINUS } else { '+' };
    let mut signed = String::from(sign);
    signed.push_str(&text);
    signed
}

/// Small amounts in MiB, one decimal: `13.2 MiB`.
pub fn mib(amount: Gib) -> String {
    number(amount.0 * 1024.0, 1) + " MiB"
}

/// Whole numbers with commas: `159,171`, `−314,803`.
pub fn whole(count: i64) -> String {
    let digits = decimal::digits(u128::from(count.unsigned_abs()));
    let mut text = String::new();
    if count < 0 {
        text.push(MINUS);
    }
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Tokens with the unit: `159,171 tokens`, `1 token`.
pub fn tokens(count: Tokens) -> String {
    whole(count.0) + if count.0 == 1 { " token" } else { " tokens" }
}

/// Tokens on an axis: `0`, `50k`, `1.5M`.
pub fn tokens_short(count: f64) -> String {
    let (scaled, unit) = if count.abs() >= 1e6 {
        (count / 1e6, "M")
    } else if count.abs() >= 1e3 {
        (count / 1e3, "k")
    } else {
        (count, "")
    };
    with_minus(decimal::write_trimmed(scaled, 2, 0)) + unit
}

/// Whole bytes with the unit: `70,272 bytes`.
pub fn bytes(count: Bytes) -> String {
    whole(count.0) + if count.0 == 1 { " byte" } else { " bytes" }
}

/// A cell size without the unit: `70,272`, `8,294.4`.
pub fn cell(size: BytesPerToken) -> String {
    let whole_part = whole(size.get() as i64);
    let text = decimal::write_trimmed(size.get(), 3, 0);
    match text.find('.') {
        Some(point) => whole_part + text.get(point..).unwrap_or_default(),
        None => whole(text.bytes().fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'))),
    }
}

/// A fraction as people type it: `0.55`, `0.7692`, at least two decimals and at most six.
pub fn fraction(share: Fraction) -> String {
    decimal::write_trimmed(share.get(), 6, 2)
}

/// A fraction that was computed and is typed with three decimals: `0.770`.
pub fn fraction_to_type(share: f64) -> String {
    number(share, 3)
}

/// A share in per cent, one decimal, none if it is whole: `76.9 %`, `55 %`.
pub fn percent(share: f64) -> String {
    with_minus(decimal::write_trimmed(share * 100.0, 1, 0)) + " %"
}

fn with_minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) => {
            let mut signed = String::from(MINUS);
            signed.push_str(rest);
            signed
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        assert_eq!(gib(Gib(-20.602549999999997)), "−20.603 GiB");
        assert_eq!(gib(Gib(42.29955)), "42.300 GiB");
        assert_eq!(difference(Gib(31.01967)), "+31.020 GiB");
        assert_eq!(difference(Gib(-0.0129)), "−13.2 MiB");
        assert_eq!(difference(Gib(0.0)), "0 GiB");
    }

    #[test]
    fn counts() {
        assert_eq!(tokens(Tokens(159171)), "159,171 tokens");
        assert_eq!(whole(-314803), "−314,803");
        assert_eq!(whole(0), "0");
        assert_eq!(whole(999), "999");
        assert_eq!(whole(1000), "1,000");
        assert_eq!(tokens_short(150_000.0), "150k");
        assert_eq!(tokens_short(2_500_000.0), "2.5M");
        assert_eq!(cell(BytesPerToken::new(70272.0).expect("positive")), "70,272");
        assert_eq!(cell(BytesPerToken::new(8294.4).expect("positive")), "8,294.4");
        assert_eq!(cell(BytesPerToken::new(1999.9999).expect("positive")), "2,000");
    }

    #[test]
    fn shares() {
        let share = |value| Fraction::new(value).expect("a share");
        assert_eq!(fraction(share(0.55)), "0.55");
        assert_eq!(fraction(share(0.5)), "0.50");
        assert_eq!(fraction(share(0.7692)), "0.7692");
        assert_eq!(fraction_to_type(0.77), "0.770");
        assert_eq!(percent(0.7691783955148459), "76.9 %");
        assert_eq!(percent(0.55), "55 %");
    }
}

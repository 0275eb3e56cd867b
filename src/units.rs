//! The quantities of the budget as types, with only the operators that mean something.
//!
//! SGLang computes in GiB as `f64`, truncates to bytes and floor-divides to tokens; so do these types. Bytes and tokens
//! are signed 64-bit: the formula gives a negative rest where a server cannot start. Nothing here is `usize`, which has
//! 32 bits in the browser and cannot count the bytes of one GPU.
//!
//! ```
//! use kv_budget::units::{BytesPerToken, Fraction, Gib, Tokens};
//!
//! let fraction = Fraction::new(0.88).expect("from 0 to 1");
//! let rest = Gib(21.697) - fraction.reserve_of(Gib(93.999));
//! let cell = BytesPerToken::new(70272.0).expect("above zero");
//! assert_eq!(rest.truncate_to_bytes().floor_div(cell), Tokens(159_171));
//! ```

use std::ops::{Add, Neg, Sub};

/// Bytes in one GiB. SGLang prints "GB" and divides by this.
pub const GIB: f64 = 1_073_741_824.0;

/// `value`, or the nearer end of `least..=most`; NaN stays NaN.
///
/// In place of `f64::clamp`, whose panic for crossed ends prints floats and brings 5 kB of printing into the download.
pub const fn within(value: f64, least: f64, most: f64) -> f64 {
    if value < least {
        least
    } else if value > most {
        most
    } else {
        value
    }
}

/// Memory in GiB (2^30 bytes), as SGLang holds it. May be negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Gib(pub f64);

/// Memory in whole bytes. May be negative: what a start is short by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Bytes(pub i64);

/// Tokens of KV cache. May be negative before SGLang refuses to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Tokens(pub i64);

/// Bytes of KV cache that one token takes on one GPU, over all layers. Sliding-window hybrids have fractional cells
/// (8294.4). Always above zero.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct BytesPerToken(f64);

/// `--mem-fraction-static`: the share of the memory free at init that weights and KV cache together may use, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Fraction(f64);

impl Gib {
    /// The same amount in bytes, exactly as far as `f64` carries.
    pub fn from_bytes(bytes: f64) -> Self {
        Self(bytes / GIB)
    }

    /// MiB (2^20 bytes), the unit of `nvidia-smi` and of SGLang's reserve heuristic.
    pub fn from_mib(mib: f64) -> Self {
        Self(mib / 1024.0)
    }

    /// `int(gib * 2**30)`: truncates toward zero, as SGLang does (`model_runner_kv_cache_mixin.py`, 0.5.7 and later).
    pub fn truncate_to_bytes(self) -> Bytes {
        Bytes((self.0 * GIB) as i64)
    }

    /// The smaller of the two; a NaN never wins.
    pub fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

impl Add for Gib {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Gib {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Gib {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Bytes {
    /// The same amount in GiB.
    pub fn to_gib(self) -> Gib {
        Gib(self.0 as f64 / GIB)
    }

    /// `bytes // cell` as Python computes it: whole cells by integer floor division, fractional ones by float floor
    /// division. Negative rests round down, away from zero.
    pub fn floor_div(self, cell: BytesPerToken) -> Tokens {
        let whole = cell.0 as i64;
        if whole > 0 && whole as f64 == cell.0 {
            return Tokens(self.0.div_euclid(whole));
        }
        let bytes = self.0 as f64;
        let modulo = bytes % cell.0;
        let mut quotient = (bytes - modulo) / cell.0;
        if modulo < 0.0 {
            quotient -= 1.0;
        }
        let floor = quotient.floor();
        Tokens(if quotient - floor > 0.5 { floor + 1.0 } else { floor } as i64)
    }
}

impl Tokens {
    /// Down to a whole page, `tokens // page_size * page_size`; negative counts go down too.
    pub fn floor_to_page(self, page_size: u64) -> Self {
        let page = i64::try_from(page_size.max(1)).unwrap_or(i64::MAX);
        Self(self.0.div_euclid(page).saturating_mul(page))
    }

    /// The memory that this many tokens take on one GPU.
    pub fn times(self, cell: BytesPerToken) -> Gib {
        Gib(self.0 as f64 * cell.0 / GIB)
    }
}

impl BytesPerToken {
    /// The smallest whole cell.
    pub const ONE: Self = Self(1.0);

    /// `None` unless above zero and finite.
    pub const fn new(bytes: f64) -> Option<Self> {
        if bytes.is_finite() && bytes > 0.0 { Some(Self(bytes)) } else { None }
    }

    /// Bytes.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Fraction {
    /// All of the memory.
    pub const ONE: Self = Self(1.0);

    /// `None` outside 0 to 1 and for NaN.
    pub fn new(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then_some(Self(share))
    }

    /// The nearest share; 0 for NaN.
    pub const fn clamped(share: f64) -> Self {
        Self(if share > 0.0 { share.min(1.0) } else { 0.0 })
    }

    /// The share as a number from 0 to 1.
    pub fn get(self) -> f64 {
        self.0
    }

    /// `total * (1 - fraction)`, in SGLang's order of operations.
    pub fn reserve_of(self, total: Gib) -> Gib {
        Gib(total.0 * (1.0 - self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(bytes: f64) -> BytesPerToken {
        BytesPerToken::new(bytes).expect("positive")
    }

    #[test]
    fn bytes_truncate_toward_zero() {
        assert_eq!(Gib(-20.602549999999997).truncate_to_bytes(), Bytes(-22121819616));
        assert_eq!(Gib(10.41712).truncate_to_bytes(), Bytes(11185297429));
    }

    #[test]
    fn division_floors_like_python() {
        assert_eq!(Bytes(-22121819616).floor_div(cell(70272.0)), Tokens(-314803));
        assert_eq!(Bytes(11185297429).floor_div(cell(70272.0)), Tokens(159171));
        assert_eq!(Bytes(10 * 1024 * 1024 * 1024).floor_div(cell(8294.4)), Tokens(1294538));
        assert_eq!(
            Bytes(9_007_199_254_740_993).floor_div(cell(1.0)),
            Tokens(9_007_199_254_740_993),
            "no float is that exact"
        );
        assert_eq!(Bytes(-1).floor_div(cell(0.5)), Tokens(-2));
        assert_eq!(Bytes(-1).floor_div(cell(0.3)), Tokens(-4));
        assert_eq!(Bytes(1).floor_div(cell(0.1)), Tokens(9), "Python: 1 // 0.1 == 9.0");
        // The division itself lands just below the whole number, and Python puts it right.
        assert_eq!(Bytes(551_038_316_694).floor_div(cell(8294.4)), Tokens(66_434_982));
        assert_eq!(Bytes(-1_109_623_087_672).floor_div(cell(4147.2)), Tokens(-267_559_580));
    }

    #[test]
    fn pages_round_down_on_both_sides_of_zero() {
        assert_eq!(Tokens(159171).floor_to_page(64), Tokens(159168));
        assert_eq!(Tokens(-314803).floor_to_page(64), Tokens(-314816));
        assert_eq!(Tokens(63).floor_to_page(64), Tokens(0));
    }

    #[test]
    fn impossible_quantities_cannot_be_made() {
        for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Fraction::new(share), None);
        }
        for bytes in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(BytesPerToken::new(bytes), None);
        }
    }
}

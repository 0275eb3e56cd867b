//! `rest = available − total × (1 − fraction)`, then bytes, then tokens: SGLang's own steps in SGLang's own order.
//!
//! Source: `model_runner_kv_cache_mixin.py: profile_max_num_token` (0.5.7 to 0.5.9), the same arithmetic as
//! `kv_cache_configurator.py: _profile_available_bytes` and `config_from_budget` (0.5.17 to 0.5.23). The float division
//! that releases before 0.5.7 used gives the same token on every golden row.

use crate::decimal;
use crate::units::{Bytes, BytesPerToken, Fraction, Gib, Tokens};

/// What the formula needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inputs {
    /// `--mem-fraction-static`.
    pub fraction: Fraction,
    /// Free on the fullest GPU after the distributed groups were set up, before the weights. Not the card's size.
    pub total: Gib,
    /// Free on the fullest GPU after the weights were loaded.
    pub available: Gib,
    /// Bytes of KV cache for one token on one GPU.
    pub cell: BytesPerToken,
    /// Tokens per page; the pool is a whole number of pages.
    pub page_size: u64,
    /// `--max-total-tokens`, where given.
    pub max_total_tokens: Option<u64>,
    /// What activations, CUDA graphs and workspaces will need outside weights and KV cache, where it is known.
    pub dynamic_need: Option<Gib>,
}

impl Inputs {
    /// The pool that `tokens` become: the cap first, then whole pages; 0 where no page is left and SGLang refuses.
    pub fn pool_of(&self, tokens: Tokens) -> Tokens {
        let capped = match self.max_total_tokens.map(i64::try_from) {
            Some(Ok(cap)) => Tokens(tokens.0.min(cap)),
            _ => tokens,
        };
        Tokens(capped.floor_to_page(self.page_size).0.max(0))
    }
}

/// The terms of the formula and its result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breakdown {
    /// `total − available`: weights and whatever else was loaded before the pool.
    pub weights: Gib,
    /// `total × fraction`: what weights and KV cache together may use.
    pub static_budget: Gib,
    /// `total × (1 − fraction)`: what is kept back.
    pub reserved: Gib,
    /// `available − reserved`: what is left for the KV cache; negative where the server cannot start.
    pub rest: Gib,
    /// `int(rest × 2^30)`.
    pub rest_bytes: Bytes,
    /// `rest_bytes // cell`, before cap and page; may be negative.
    pub tokens: Tokens,
    /// Tokens of the pool after `--max-total-tokens` and page rounding; 0 where SGLang refuses.
    pub pool_tokens: Tokens,
}

impl Breakdown {
    /// Computes all terms.
    pub fn of(inputs: &Inputs) -> Self {
        let reserved = inputs.fraction.reserve_of(inputs.total);
        let rest = inputs.available - reserved;
        let rest_bytes = rest.truncate_to_bytes();
        let tokens = rest_bytes.floor_div(inputs.cell);
        Self {
            weights: inputs.total - inputs.available,
            static_budget: Gib(inputs.total.0 * inputs.fraction.get()),
            reserved,
            rest,
            rest_bytes,
            tokens,
            pool_tokens: inputs.pool_of(tokens),
        }
    }
}

/// How fast the rest moves with each input, in GiB per unit of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sensitivity {
    /// ∂rest/∂fraction = total: GiB for a whole 1.00; a hundredth of it for 0.01.
    pub fraction: Gib,
    /// ∂rest/∂available = 1.
    pub available: f64,
    /// ∂rest/∂total = −(1 − fraction): more memory at init sets more aside.
    pub total: f64,
}

impl Sensitivity {
    /// At these inputs.
    pub fn of(inputs: &Inputs) -> Self {
        Self { fraction: inputs.total, available: 1.0, total: -(1.0 - inputs.fraction.get()) }
    }
}

/// What rounding of the printed inputs leaves open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounding {
    /// Decimals with which total and available were taken to be printed.
    pub decimals: u32,
    /// Half-width of rest: `h(available) + (1 − f) × h(total)`, the fraction being typed and so exact.
    pub rest: Gib,
    /// The fewest tokens that fit the printed inputs.
    pub fewest: Tokens,
    /// The most.
    pub most: Tokens,
}

impl Rounding {
    /// For inputs printed with `decimals` decimals.
    pub fn of(inputs: &Inputs, decimals: u32) -> Self {
        let half = (0..decimals.min(9)).fold(0.5, |half, _| half / 10.0);
        let width = half * (2.0 - inputs.fraction.get());
        let rest = inputs.available.0 - inputs.fraction.reserve_of(inputs.total).0;
        let tokens = |rest: f64| Gib(rest).truncate_to_bytes().floor_div(inputs.cell);
        Self { decimals, rest: Gib(width), fewest: tokens(rest - width), most: tokens(rest + width) }
    }

    /// For the decimals that total and available show, at least the two that SGLang prints.
    pub fn as_shown(inputs: &Inputs) -> Self {
        let shown = decimal::decimals_of(inputs.total.0).max(decimal::decimals_of(inputs.available.0));
        Self::of(inputs, shown.clamp(2, 9))
    }

    /// Half the distance between fewest and most, rounded up: the `± 11` behind a token count.
    pub fn tokens_half_width(&self) -> Tokens {
        Tokens((self.most.0 - self.fewest.0 + 1) / 2)
    }
}

/// The worked case at a fraction, for the tests of this folder.
#[cfg(test)]
pub(super) fn worked_case(fraction: f64) -> Inputs {
    Inputs {
        fraction: Fraction::new(fraction).expect("a share"),
        total: Gib(93.999),
        available: Gib(21.697),
        cell: crate::units::BytesPerToken::new(70272.0).expect("positive"),
        page_size: 1,
        max_total_tokens: None,
        dynamic_need: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_failing_run() {
        let failing = Breakdown::of(&worked_case(0.55));
        assert_eq!(failing.rest_bytes, Bytes(-22121819616));
        assert_eq!(failing.tokens, Tokens(-314803));
        assert_eq!(failing.pool_tokens, Tokens(0));
        assert!((failing.reserved.0 - 42.29955).abs() < 1e-12);
    }

    #[test]
    fn cap_before_page() {
        let capped = |cap, page_size| {
            Breakdown::of(&Inputs { max_total_tokens: Some(cap), page_size, ..worked_case(0.88) }).pool_tokens
        };
        assert_eq!(capped(100, 64), Tokens(64));
        assert_eq!(capped(63, 64), Tokens(0));
        assert_eq!(capped(u64::MAX, 1), Tokens(159171));
    }

    #[test]
    fn three_decimals_leave_eleven_tokens() {
        let rounding = Rounding::as_shown(&worked_case(0.55));
        assert_eq!(rounding.decimals, 3);
        assert!((rounding.rest.0 - 0.000725).abs() < 1e-12);
        assert!((10..=12).contains(&rounding.tokens_half_width().0), "{rounding:?}");
        assert!(rounding.fewest <= Tokens(-314811) && Tokens(-314803) <= rounding.most);
    }

    #[test]
    fn half_of_an_odd_distance_is_rounded_up() {
        let between = |fewest, most| {
            let rounding = Rounding { decimals: 3, rest: Gib(0.0), fewest: Tokens(fewest), most: Tokens(most) };
            rounding.tokens_half_width()
        };
        assert_eq!((between(100, 103), between(100, 104), between(-3, 0)), (Tokens(2), Tokens(2), Tokens(2)));
    }

    #[test]
    fn sensitivities() {
        let at = Sensitivity::of(&worked_case(0.55));
        assert_eq!(at.fraction, Gib(93.999));
        assert!((at.total + 0.45).abs() < 1e-12);
    }
}

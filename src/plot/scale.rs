//! Ticks at round numbers.

/// Round tick positions from 0 (or from `least`, if negative) up to `most`, about `wanted` of them.
pub fn ticks(least: f64, most: f64, wanted: u32) -> Vec<f64> {
    let span = most - least;
    if !span.is_finite() || span <= 0.0 || wanted == 0 {
        return Vec::new();
    }
    let step = round_step(span / f64::from(wanted));
    let first = (least / step).ceil();
    (0..=64).map(|index| (first + f64::from(index)) * step).take_while(|tick| *tick <= most * (1.0 + 1e-9)).collect()
}

/// The smallest of 1, 2, 5 × 10^n that is at least `rough`.
fn round_step(rough: f64) -> f64 {
    let mut magnitude = 1.0;
    while magnitude > rough {
        magnitude /= 10.0;
    }
    while magnitude * 10.0 <= rough {
        magnitude *= 10.0;
    }
    [1.0, 2.0, 5.0].into_iter().map(|factor| factor * magnitude).find(|step| *step >= rough).unwrap_or(magnitude * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_numbers() {
        assert_eq!(ticks(0.0, 93.999, 5), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(ticks(0.0, 331_525.0, 4), [0.0, 100_000.0, 200_000.0, 300_000.0]);
        assert_eq!(ticks(-72.3, 21.7, 4), [-50.0, 0.0]);
        assert_eq!(ticks(0.0, 0.0, 4), [] as [f64; 0]);
        assert_eq!(ticks(0.0, f64::INFINITY, 4), [] as [f64; 0]);
    }
}

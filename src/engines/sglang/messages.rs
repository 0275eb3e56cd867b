//! What SGLang itself prints about the budget, by release.

use super::Version;
use crate::budget::Report;
use crate::decimal;

/// The refusal of a release for this budget, in its own words. Written for a budget that holds no page.
///
/// Sources: `model_runner.py: init_memory_pool` (0.4.6 to 0.5.6), `model_runner_kv_cache_mixin.py` (0.5.7 to 0.5.13),
/// `pool_configurator.py: MemoryPoolConfig.__post_init__` (0.5.11 and later), `_profile_available_bytes` (0.5.14 and
/// later).
pub fn refusal(version: Version, report: &Report) -> String {
    let fraction = decimal::write_trimmed(report.inputs.fraction.get(), 9, 1);
    if version >= Version::new(0, 5, 14) && report.breakdown.rest.0 <= 0.0 {
        let minimum = report.weights_share();
        // `ceil(m * 1000) / 1000`, printed with three decimals.
        let above = (minimum * 1000.0).ceil() / 1000.0;
        return [
            "ValueError: Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static=",
            &fraction,
            ". Raise --mem-fraction-static above ",
            &decimal::write(above, 3),
            " (minimum viable = 1 - available/pre = ",
            &decimal::write(minimum, 4),
            "). If using speculative decoding, draft weights are now counted.",
        ]
        .concat();
    }
    let current = match version {
        v if v < Version::new(0, 5, 3) || v >= Version::new(0, 5, 11) => String::new(),
        v if v >= Version::new(0, 5, 10) => [" Current value: mem_fraction_static=", &fraction].concat(),
        _ => [" Current value: self.server_args.mem_fraction_static=", &fraction].concat(),
    };
    ["RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.", &current].concat()
}

/// The line that a start prints once the pool is there.
pub fn pool_allocated(report: &Report) -> String {
    let pool = report.breakdown.pool_tokens;
    let page = i64::try_from(report.inputs.page_size).unwrap_or(i64::MAX);
    // The pool has one dummy page more than it counts, and the printed size includes it.
    let size = crate::units::Tokens(pool.0.saturating_add(page)).times(report.inputs.cell);
    let count = decimal::write(pool.0 as f64, 0);
    ["KV Cache is allocated. #tokens: ", &count, ", KV size: ", &decimal::write(size.0, 2), " GB"].concat()
}

/// The line behind it: what is then still free on the deciding GPU, before graphs are captured.
pub fn pool_end(report: &Report) -> String {
    let left = report.inputs.available - report.breakdown.pool_tokens.times(report.inputs.cell);
    ["Memory pool end. avail mem=", &decimal::write(left.0, 2), " GB"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{evaluate, query::decode};

    fn report(query: &str) -> Report {
        evaluate(&decode(query).scenario).report
    }

    #[test]
    fn each_release_in_its_own_words() {
        let failing = report("");
        let old = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.";
        let at = |minor, patch| refusal(Version::new(0, minor, patch), &failing);
        assert_eq!(at(4, 6), old);
        assert_eq!(at(5, 3), format!("{old} Current value: self.server_args.mem_fraction_static=0.55"));
        assert_eq!(at(5, 9), format!("{old} Current value: self.server_args.mem_fraction_static=0.55"));
        assert_eq!(at(5, 10), format!("{old} Current value: mem_fraction_static=0.55"));
        assert_eq!(at(5, 13), old);
        assert_eq!(
            at(5, 23),
            "ValueError: Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static=0.55. Raise \
             --mem-fraction-static above 0.770 (minimum viable = 1 - available/pre = 0.7692). If using speculative \
             decoding, draft weights are now counted."
        );
        assert_eq!(refusal(Version::NEWEST, &report("f=0.77&page=65536")), old, "something is left, but no page");
        assert!(refusal(Version::new(0, 5, 9), &report("f=0.5")).ends_with("=0.5"), "as Python prints it");
    }

    #[test]
    fn the_working_log() {
        assert_eq!(pool_allocated(&report("f=0.88")), "KV Cache is allocated. #tokens: 159171, KV size: 10.42 GB");
        assert_eq!(pool_end(&report("f=0.88")), "Memory pool end. avail mem=11.28 GB");
    }
}

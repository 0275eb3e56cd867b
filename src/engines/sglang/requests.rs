//! How many requests run at once, and the table of their tokens.

use super::Version;
use crate::units::Tokens;

/// What the limits depend on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RequestQuery {
    /// Whose rules.
    pub version: Version,
    /// Tokens of the pool, `max_total_num_tokens`.
    pub tokens: Tokens,
    /// Tokens before `--max-total-tokens`; up to 0.5.9 the table of requests follows them.
    pub profiled: Tokens,
    /// Context length in tokens.
    pub context: u64,
    /// `--max-running-requests`.
    pub flag: Option<u64>,
    /// `--dp-size` with data-parallel attention, else 1.
    pub dp: u64,
    /// Speculative decoding is on.
    pub speculative: bool,
    /// Requests whose state fits, in a linear hybrid.
    pub state_slots: Option<i64>,
}

/// The limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requests {
    /// `max_running_requests`, per data-parallel group.
    pub running: u64,
    /// Rows of `req_to_token`, without the one that SGLang adds.
    pub rows: u64,
    /// Bytes of `req_to_token` on each GPU; in no budget.
    pub table_bytes: u64,
}

/// Requests at once with speculative decoding and no flag.
pub const SPECULATIVE: u64 = 48;

/// `max_running_requests` (`model_runner.py` up to 0.5.9, `_resolve_max_num_reqs` later) and `req_to_token`: one 32-bit
/// number for each token of each request.
pub fn requests(query: &RequestQuery) -> Requests {
    let rules = query.version.rules();
    let estimate = |tokens: Tokens| {
        let share = tokens.0.max(0) as f64 / query.context.max(1) as f64 * 512.0;
        (share as u64).clamp(2048, 4096)
    };
    let half = u64::try_from(query.tokens.0 / 2).unwrap_or_default();
    let flag = query.flag.or(query.speculative.then_some(SPECULATIVE));
    let dp = query.dp.max(1);
    let (mut running, mut rows) = if rules < Version::new(0, 5, 10) {
        let rows = flag.unwrap_or_else(|| estimate(query.profiled));
        (flag.map_or(half, |flag| flag / dp).min(rows), rows)
    } else {
        let asked = if rules < Version::new(0, 5, 14) { estimate(query.tokens) } else { half };
        let least = u64::from(rules >= Version::new(0, 5, 23));
        let running = match flag {
            Some(flag) => (flag / dp).max(least).min(asked),
            None => estimate(query.tokens).min(half),
        };
        (running, running)
    };
    if let Some(slots) = query.state_slots {
        let most = u64::try_from(slots / slots_per_request(rules, query.speculative)).unwrap_or_default();
        (running, rows) = (running.min(most), rows.min(most));
    }
    Requests { running, rows, table_bytes: table_bytes(rows, query.context) }
}

/// State slots that one running request takes with the radix cache on: 3, and 5 since the states are buffered for the
/// overlapped scheduler (seen in 0.5.15). Without that cache it is 1: with speculation 0.5.9 switches it off, and 0.5.10 refuses to
/// start with it; both unless `--mamba-scheduler-strategy extra_buffer` is given, which takes 4 in 0.5.9 (`server_args.py:
/// _handle_mamba_radix_cache`, `model_runner_kv_cache_mixin.py`). Not so any more in 0.5.14.
fn slots_per_request(rules: Version, speculative: bool) -> i64 {
    if speculative && rules < Version::new(0, 5, 14) {
        1
    } else if rules < Version::new(0, 5, 15) {
        3
    } else {
        5
    }
}

/// `int32[rows + 1, context + 4]`.
pub fn table_bytes(rows: u64, context: u64) -> u64 {
    rows.saturating_add(1).saturating_mul(context.saturating_add(4)).saturating_mul(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(version: Version, tokens: i64, context: u64, flag: Option<u64>) -> RequestQuery {
        let tokens = Tokens(tokens);
        RequestQuery { version, tokens, profiled: tokens, context, flag, dp: 1, speculative: false, state_slots: None }
    }

    #[test]
    fn the_worked_case() {
        let limits = requests(&query(Version::new(0, 5, 9), 159171, 262144, None));
        assert_eq!((limits.running, limits.rows), (2048, 2048));
        assert_eq!(table_bytes(2047, 262144), 2048 * 262148 * 4);
    }

    #[test]
    fn the_flag_is_cut_by_another_rule_in_each_release() {
        let running = |version, flag| requests(&query(version, 5000, 1000, Some(flag))).running;
        assert_eq!(running(Version::new(0, 5, 9), 4000), 4000);
        assert_eq!(running(Version::new(0, 5, 10), 4000), 2560);
        assert_eq!(running(Version::new(0, 5, 15), 4000), 2500);
        let none = requests(&query(Version::NEWEST, 1000, 1000, None));
        assert_eq!(none.running, 500);
    }

    #[test]
    fn groups_of_data_parallel_attention_share_the_flag() {
        let limits = |patch, flag| {
            let query = query(Version::new(0, 5, patch), 5000, 1000, Some(flag));
            let limits = requests(&RequestQuery { dp: 2, ..query });
            (limits.running, limits.rows)
        };
        assert_eq!(limits(9, 100), (50, 100));
        assert_eq!(limits(10, 100), (50, 50));
        // 2,560 by the estimate of 0.5.13, 2,500 by half of the pool in 0.5.14.
        assert_eq!((limits(13, 8000), limits(14, 8000)), ((2560, 2560), (2500, 2500)));
        // A flag below the number of groups: 0.5.23 keeps one request each.
        assert_eq!((limits(21, 1), limits(23, 1)), ((0, 0), (1, 1)));
    }

    #[test]
    fn speculation_and_states_limit() {
        let speculative = RequestQuery { speculative: true, ..query(Version::NEWEST, 900_000, 131072, None) };
        assert_eq!(requests(&speculative).running, 48);
        let hybrid = RequestQuery { state_slots: Some(828), ..query(Version::new(0, 5, 15), 2_896_501, 262144, None) };
        assert_eq!(requests(&hybrid).running, 165);
        let older = RequestQuery { version: Version::new(0, 5, 9), ..hybrid };
        assert_eq!(requests(&older).running, 276);
        // The cache is off: 30 states serve 30 requests in 0.5.9, 10 in 0.5.14 and 6 in 0.5.15.
        for (patch, running) in [(9, 30), (13, 30), (14, 10), (15, 6)] {
            let version = Version::new(0, 5, patch);
            let both = RequestQuery { version, speculative: true, state_slots: Some(30), ..hybrid };
            assert_eq!(requests(&both).running, running, "0.5.{patch}");
        }
    }
}

//! Readings to the facts that are reported: minima over ranks, and what follows from several lines together.

use super::attempt::{Attempt, Pool, Reading};
use super::report::{Engine, Fact, FactList, FactName};
use super::rules::Datum;

/// vLLM's block of tokens where the log does not say otherwise.
const VLLM_BLOCK: f64 = 16.0;

/// LMDeploy's block, in both of its engines.
const LMDEPLOY_BLOCK: f64 = 64.0;

/// The KV pools of one rank, put together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pools {
    /// Keys and values of all pools, GiB.
    pub size: f64,
    /// Rounding of it, GiB.
    pub half_width: f64,
    /// Tokens of the largest pool.
    pub tokens: Option<f64>,
    /// How many pools of different sizes there are: two with a sliding window.
    pub kinds: usize,
    /// Keys of the first pool, GiB.
    pub keys: Option<f64>,
    /// Values of the first pool, GiB.
    pub values: Option<f64>,
    /// Line of the first.
    pub line: u64,
    /// The rank.
    pub rank: String,
}

/// The pools of the rank that has the fewest tokens; the draft model's second pool of the same size is not counted.
pub fn pools(attempt: &Attempt) -> Option<Pools> {
    let mut ranks: Vec<Vec<&Pool>> = Vec::new();
    for pool in &attempt.pools {
        match ranks.iter_mut().find(|rank| rank.first().is_some_and(|first| first.rank == pool.rank)) {
            Some(rank) if rank.iter().any(|known| known.tokens == pool.tokens) => {}
            Some(rank) => rank.push(pool),
            None => ranks.push(vec![pool]),
        }
    }
    // A rank whose lines are cut away would hide a pool: those with the most pools count.
    let most = ranks.iter().map(Vec::len).max()?;
    let together = |rank: &Vec<&Pool>| {
        let first = rank.first()?;
        let tokens = rank.iter().filter_map(|pool| pool.tokens).max_by(f64::total_cmp);
        Some(Pools {
            size: rank.iter().map(|pool| pool.size).sum(),
            half_width: rank.iter().map(|pool| pool.half_width).sum(),
            tokens,
            kinds: rank.len(),
            keys: first.keys,
            values: first.values,
            line: first.line,
            rank: first.rank.clone(),
        })
    };
    ranks
        .iter()
        .filter(|rank| rank.len() == most)
        .filter_map(together)
        .min_by(|a, b| a.tokens.unwrap_or(f64::MAX).total_cmp(&b.tokens.unwrap_or(f64::MAX)))
}

/// The facts of an attempt.
pub fn of(attempt: &Attempt) -> FactList {
    let mut list = Builder { attempt, facts: FactList::default() };
    let sglang = attempt.engine == Some(Engine::Sglang) || attempt.engine.is_none();
    list.total(sglang);
    list.plain(FactName::Available, Datum::Available, "GiB");
    if !list.plain(FactName::Fraction, Datum::Fraction, "") {
        list.plain(FactName::Fraction, Datum::TypedFraction, "");
    }
    list.plain(FactName::Rest, Datum::Rest, "GiB");
    let pools = pools(attempt);
    list.tokens(pools.as_ref());
    list.sizes(pools.as_ref());
    list.cell(pools.as_ref());
    list.plain(FactName::GraphMemory, Datum::CaptureUsed, "GiB");
    if !list.plain(FactName::AvailableAtEnd, Datum::AvailableAtEnd, "GiB") {
        list.plain(FactName::AvailableAtEnd, Datum::CaptureLeft, "GiB");
    }
    if !list.plain(FactName::MinFraction, Datum::MinFraction, "") && sglang {
        list.min_fraction();
        list.advised_fraction();
    }
    list.plain(FactName::Context, Datum::Context, "tokens");
    list.plain(FactName::MaxRunningRequests, Datum::MaxRunningRequests, "requests");
    list.facts
}

struct Builder<'a> {
    attempt: &'a Attempt,
    facts: FactList,
}

impl Builder<'_> {
    fn put(&mut self, name: FactName, value: f64, unit: &'static str, half_width: f64, at: (u64, String)) {
        if value.is_finite() && self.facts.get(name).is_none() {
            self.facts.put(Fact { name, value, unit, line: at.0, half_width, rank: at.1 });
        }
    }

    fn value(&self, name: FactName) -> Option<&Fact> {
        self.facts.get(name)
    }

    fn plain(&mut self, name: FactName, datum: Datum, unit: &'static str) -> bool {
        let Some(Reading { value, half_width, line, rank, .. }) = self.attempt.least(datum).cloned() else {
            return false;
        };
        self.put(name, value, unit, half_width, (line, rank));
        true
    }

    /// The begin line, else end + usage of each rank.
    fn total(&mut self, sglang: bool) {
        if self.plain(FactName::Total, Datum::Total, "GiB") || !sglang {
            return;
        }
        let usage = |rank: &str| {
            self.attempt.readings.iter().find(|reading| reading.datum == Datum::WeightUsage && reading.rank == rank)
        };
        let sums = self.attempt.readings.iter().filter(|reading| reading.datum == Datum::Available).filter_map(|end| {
            let usage = usage(&end.rank).filter(|usage| usage.line == end.line)?;
            Some((end.value + usage.value, end.half_width + usage.half_width + 0.1, (end.line, end.rank.clone())))
        });
        if let Some((value, half_width, at)) = sums.min_by(|a, b| a.0.total_cmp(&b.0)) {
            self.put(FactName::Total, value, "GiB", half_width, at);
        }
    }

    fn tokens(&mut self, pools: Option<&Pools>) {
        let attempt = self.attempt;
        if self.plain(FactName::Tokens, Datum::Tokens, "tokens")
            || self.plain(FactName::Tokens, Datum::FullTokens, "tokens")
        {
            return;
        }
        if let Some(pools) = pools
            && let Some(tokens) = pools.tokens
        {
            self.put(FactName::Tokens, tokens, "tokens", 0.0, (pools.line, pools.rank.clone()));
        } else if let Some(limit) = attempt.least(Datum::PromptLimit).filter(|_| attempt.engine == Some(Engine::Sglang))
        {
            // The longest prompt is 6 less than the smaller of pool and context.
            self.put(FactName::Tokens, limit.value + 6.0, "tokens", 6.0, (limit.line, limit.rank.clone()));
        } else if let Some(blocks) = attempt.least(Datum::Blocks) {
            let block = match attempt.engine {
                Some(Engine::Vllm) => attempt
                    .argument("block_size")
                    .and_then(|text| crate::decimal::read(text).ok())
                    .unwrap_or(VLLM_BLOCK),
                _ => LMDEPLOY_BLOCK,
            };
            // TensorRT-LLM's block differs by path and is not printed.
            if attempt.engine != Some(Engine::TensorrtLlm) {
                self.put(FactName::Tokens, blocks.value * block, "tokens", 0.0, (blocks.line, blocks.rank.clone()));
            }
        } else {
            self.plain(FactName::Tokens, Datum::ProfiledTokens, "tokens");
        }
    }

    fn sizes(&mut self, pools: Option<&Pools>) {
        let attempt = self.attempt;
        if let Some(pools) = pools.filter(|pools| pools.size > 0.0) {
            let at = || (pools.line, pools.rank.clone());
            let one = 0.005;
            if let Some(keys) = pools.keys {
                self.put(FactName::KSize, keys, "GiB", one, at());
            }
            if let Some(values) = pools.values {
                self.put(FactName::VSize, values, "GiB", one, at());
            }
            self.put(FactName::KvSize, pools.size, "GiB", pools.half_width, at());
            return;
        }
        if self.plain(FactName::KvSize, Datum::KvSize, "GiB") {
            return;
        }
        // llama.cpp prints a buffer for each device before it prints the sum.
        if attempt.engine == Some(Engine::LlamaCpp) {
            self.plain(FactName::KvSize, Datum::DeviceKv, "GiB");
        } else if let (Some(block), Some(blocks)) = (attempt.least(Datum::BlockSize), attempt.value(Datum::Blocks)) {
            let (value, half_width) = (block.value * blocks, block.half_width * blocks);
            self.put(FactName::KvSize, value, "GiB", half_width, (block.line, block.rank.clone()));
        }
    }

    /// Bytes of a token: printed, or the pool's bytes over its tokens and the dummy page.
    fn cell(&mut self, pools: Option<&Pools>) {
        let attempt = self.attempt;
        if self.plain(FactName::Cell, Datum::Cell, "bytes per token") {
            return;
        }
        let page = attempt.argument("page_size").and_then(|text| crate::decimal::read(text).ok()).unwrap_or(1.0);
        let tokens = self.value(FactName::Tokens).map(|fact| fact.value);
        let (size, half_width, tokens, at) = match (attempt.engine, pools) {
            (Some(Engine::Sglang) | None, Some(pools)) => {
                let full = attempt.value(Datum::FullTokens).or(pools.tokens).or(tokens);
                // With a sliding window the pool of the full layers must be among the lines.
                if pools.tokens.is_some() && pools.tokens != full {
                    return;
                }
                let Some(full) = full else { return };
                (pools.size, pools.half_width, full + page, (pools.line, pools.rank.clone()))
            }
            (Some(Engine::Vllm), _) => {
                let need = attempt.least(Datum::NeedKv);
                let context = attempt.value(Datum::Context);
                let rest = attempt.least(Datum::Rest);
                match (need, context, rest, tokens) {
                    (_, _, Some(rest), Some(tokens)) => {
                        (rest.value, rest.half_width, tokens, (rest.line, rest.rank.clone()))
                    }
                    (Some(need), Some(context), ..) => {
                        (need.value, need.half_width, context, (need.line, need.rank.clone()))
                    }
                    _ => return,
                }
            }
            _ => match (self.value(FactName::KvSize).cloned(), tokens) {
                (Some(size), Some(tokens)) => (size.value, size.half_width, tokens, (size.line, size.rank)),
                _ => return,
            },
        };
        if size > 0.0 && tokens > 0.0 {
            let bytes = |gib: f64| gib * crate::units::GIB / tokens;
            self.put(FactName::Cell, bytes(size), "bytes per token", bytes(half_width), at);
        }
    }

    /// What the message says to raise above: the minimum, rounded up to the next thousandth.
    fn advised_fraction(&mut self) {
        if let Some(Reading { value, line, rank, .. }) = self.attempt.least(Datum::AdvisedFraction).cloned() {
            self.put(FactName::MinFraction, value, "", 0.001, (line, rank));
        }
    }

    /// `1 - available / total`, each the worst of the ranks.
    fn min_fraction(&mut self) {
        let (Some(available), Some(total)) = (self.value(FactName::Available), self.value(FactName::Total)) else {
            return;
        };
        if total.value <= 0.0 {
            return;
        }
        let value = 1.0 - available.value / total.value;
        let half_width =
            available.half_width / total.value + available.value * total.half_width / (total.value * total.value);
        let at = (available.line, available.rank.clone());
        self.put(FactName::MinFraction, value, "", half_width, at);
    }
}

#[cfg(test)]
mod tests;

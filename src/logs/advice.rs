//! What to type, best first. A value is given only where the numbers of the log justify it.

mod work;

use super::attempt::Attempt;
use super::diagnose::Verdict;
use super::exhausted::shortage;
use super::handover::printed_floor;
use super::report::{Advice, Cause, Direction, Engine, FactList, FactName};
use super::rules::Datum;
use super::sentence::fill;
use crate::budget::{Band, Inputs};
use crate::decimal::thousandths;
use crate::units::{BytesPerToken, Fraction, Gib};

/// The least step down after an out-of-memory: steps of 0.02 did not help in the reports seen, because the shortage that
/// is printed is only the first allocation that failed.
const STEP: f64 = 0.03;

/// Headroom that is added to the printed shortage, GiB.
const SPARE: f64 = 1.0;

/// The smallest multiplier that a multimodal model of 0.4.x applies to the fraction.
const MULTIMODAL: f64 = 0.90;

/// The flag of the engine's fraction; SGLang's where the engine is not known, none where it has no such flag.
pub fn fraction_flag(engine: Option<Engine>) -> Option<&'static str> {
    Some(match engine {
        Some(Engine::Sglang) | None => "--mem-fraction-static",
        Some(Engine::Vllm) => "--gpu-memory-utilization",
        Some(Engine::TensorrtLlm) => "--kv_cache_free_gpu_memory_fraction",
        Some(Engine::LmdeployPytorch | Engine::LmdeployTurbomind) => "--cache-max-entry-count",
        Some(Engine::LlamaCpp) => return None,
    })
}

/// The advice of an attempt.
pub fn of(attempt: &Attempt, verdict: Verdict, facts: &FactList) -> Vec<Advice> {
    let mut list = List { attempt, facts, advice: Vec::new() };
    match (verdict.cause, verdict.direction) {
        (Cause::PoolSmallerThanContext, _) => list.context(),
        (Cause::FractionOverFree, _) => list.under_free(),
        (_, Direction::Raise) => list.raise(verdict.cause),
        (_, Direction::Lower) => {
            list.lower();
            list.smaller_work(verdict.cause);
        }
        (Cause::EmptyBand | Cause::RuntimeOom | Cause::PoolAllocOom, _) => list.smaller_work(verdict.cause),
        (Cause::HybridState, _) => list.state(),
        (Cause::WeightsTooLarge, _) => list.more_gpus(),
        (Cause::GpusUnequal, _) => list.unequal(),
        (Cause::PoolFull, _) if attempt.engine == Some(Engine::Sglang) => {
            list.put(
                "--schedule-conservativeness",
                list.argument("schedule_conservativeness"),
                Some(1.3),
                "Admits fewer requests at a time, so that fewer are retracted; a retraction now and then is harmless.",
            );
        }
        _ => {}
    }
    list.advice
}

struct List<'a> {
    attempt: &'a Attempt,
    facts: &'a FactList,
    advice: Vec<Advice>,
}

impl List<'_> {
    fn put(&mut self, flag: &str, from: Option<f64>, to: Option<f64>, why: &str) {
        self.advice.push(Advice { flag: flag.to_owned(), from, to, why: why.to_owned() });
    }

    fn argument(&self, name: &str) -> Option<f64> {
        self.attempt.number(name)
    }

    fn fact(&self, name: FactName) -> Option<f64> {
        self.facts.value(name)
    }

    fn raise(&mut self, cause: Cause) {
        let from = self.fact(FactName::Fraction);
        let engine = self.attempt.engine;
        if let Some(flag) = fraction_flag(engine)
            && let Some(floor) = printed_floor(self.attempt, self.facts).or(self.fact(FactName::MinFraction))
        {
            let factor = if cause == Cause::FlagNotInForce && self.attempt.value(Datum::TypedFraction).is_none() {
                MULTIMODAL
            } else {
                1.0
            };
            let smallest = smallest(floor / factor, self.facts, self.attempt);
            if let Some(to) = smallest.filter(|to| from.is_none_or(|from| *to > from)) {
                let made = if cause == Cause::FlagNotInForce { self.in_force(to) } else { None };
                let why = match cause {
                    Cause::FlagNotInForce => made.as_deref().unwrap_or(
                        "The smallest value that still leaves room after a multimodal model’s factor of 0.90; check which value the server prints as in force.",
                    ),
                    Cause::HybridState => {
                        "The smallest value that leaves a budget above zero; state slots come on top, so a little more is needed."
                    }
                    _ => {
                        "The smallest value that leaves room for a pool on the fullest GPU, and that pool is almost empty: every 0.01 more adds a hundredth of the total to it, until graphs and activations run short."
                    }
                };
                self.put(flag, from, Some(to), why);
            }
        }
        if cause == Cause::HybridState {
            self.state();
        }
        self.more_gpus();
    }

    /// The server made another value of what was typed, and would of this one.
    fn in_force(&self, to: f64) -> Option<String> {
        let typed = self.attempt.value(Datum::TypedFraction)?;
        let force = self.fact(FactName::Fraction).filter(|force| *force > 0.0 && *force < typed)?;
        let more = (to * typed / force * 1000.0 - 1e-6).ceil() / 1000.0;
        let words = "The smallest value in force that leaves room. Of {f} the server made {f}: where it does so again, it takes {t}.";
        (more < 1.0).then(|| fill(words, &[typed, force, more]))
    }

    fn more_gpus(&mut self) {
        if self.attempt.engine == Some(Engine::LlamaCpp) {
            return;
        }
        let (flag, name) = match self.attempt.engine {
            Some(Engine::Vllm) => ("--tensor-parallel-size", "tensor_parallel_size"),
            Some(Engine::TensorrtLlm) => ("--tp_size", "tp_size"),
            Some(Engine::LmdeployPytorch | Engine::LmdeployTurbomind) => ("--tp", "tp"),
            _ => ("--tp-size", "tp_size"),
        };
        let tp = self.argument(name).or_else(|| self.argument("tp"));
        if let Some(tp) = tp.filter(|tp| *tp >= 1.0 && *tp < 64.0) {
            self.put(flag, Some(tp), Some(tp * 2.0), "Twice as many GPUs halve the weights on each.");
        }
    }

    fn lower(&mut self) {
        let Some(flag) = fraction_flag(self.attempt.engine) else { return };
        let Some(from) = self.fact(FactName::Fraction) else { return };
        let total = self.fact(FactName::Total).or_else(|| self.attempt.value(Datum::Capacity));
        let short = shortage(self.attempt).unwrap_or(0.0);
        let step = total.filter(|total| *total > 0.0).map_or(STEP, |total| ((short + SPARE) / total).max(STEP));
        // Rounded away from the fraction that failed.
        let mut to = ((from - step) * 100.0 + 1e-9).floor() / 100.0;
        // Above this the shortage alone is not given back.
        let edge = total.filter(|total| *total > 0.0).map_or(from, |total| from - short / total);
        let floor = self.fact(FactName::MinFraction);
        if let Some(floor) = floor.filter(|floor| to <= *floor) {
            to = thousandths((floor + edge) / 2.0);
        }
        if to > 0.0 && to < from && to <= edge && floor.is_none_or(|floor| to > floor) {
            self.put(flag, Some(from), Some(to), "Leaves more outside the pool; the shortage that was printed is only the first allocation that failed, so more than it is given back.");
        }
    }

    /// One request does not fit the pool.
    fn context(&mut self) {
        let context = self.fact(FactName::Context);
        let fits = self
            .attempt
            .value(Datum::FittingContext)
            .or_else(|| self.fact(FactName::Tokens))
            .filter(|fits| *fits >= 1.0);
        let flag = match self.attempt.engine {
            Some(Engine::Vllm) => "--max-model-len",
            Some(Engine::LmdeployPytorch | Engine::LmdeployTurbomind) => "--session-len",
            Some(Engine::TensorrtLlm) => "--max_seq_len",
            _ => "--context-length",
        };
        if let Some(to) = fits.filter(|to| context.is_none_or(|context| *to < context)) {
            self.put(flag, context, Some(to), "The longest request that the pool holds now.");
        }
        let (total, from) = (self.fact(FactName::Total), self.fact(FactName::Fraction));
        // What a full request misses can come out of what was left free.
        if let (Some(Engine::Sglang), Some(context), Some(pool), Some(cell), Some(total), Some(from), Some(end)) = (
            self.attempt.engine,
            context,
            self.fact(FactName::Tokens),
            self.fact(FactName::Cell),
            total,
            from,
            self.fact(FactName::AvailableAtEnd),
        ) {
            let missing = (context - pool) * cell / crate::units::GIB;
            let to = ((from + missing / total) * 1000.0).ceil() / 1000.0;
            if missing > 0.0 && missing + SPARE <= end && to < 1.0 {
                let why = "Adds to the pool what one full request lacks; that much was left free after the start.";
                self.put("--mem-fraction-static", Some(from), Some(to), why);
            }
        }
        // vLLM says how much is missing; the share of the whole device that it is can be added.
        let (need, rest) = (self.attempt.value(Datum::NeedKv), self.fact(FactName::Rest));
        if let (Some(need), Some(rest), Some(total), Some(from)) = (need, rest, total, from)
            && total > 0.0
        {
            let to = ((from + (need - rest) / total) * 1000.0).ceil() / 1000.0;
            if to <= 0.98 {
                self.put(
                    "--gpu-memory-utilization",
                    Some(from),
                    Some(to),
                    "Adds what one full request lacks; works only if that much of the device is free.",
                );
            }
        }
        if self.attempt.engine == Some(Engine::Vllm) {
            self.put("--kv-cache-dtype fp8", None, None, "fp8 holds twice the tokens in the same memory.");
        }
    }

    /// vLLM checks the free memory before it loads anything.
    fn under_free(&mut self) {
        let (free, total) = (self.fact(FactName::Available), self.fact(FactName::Total));
        if let (Some(free), Some(total)) = (free, total)
            && total > 0.0
            && free > 0.0
        {
            let to = (free / total * 1000.0 + 1e-9).floor() / 1000.0;
            self.put(
                "--gpu-memory-utilization",
                self.fact(FactName::Fraction),
                Some(to.max(0.0)),
                "The largest share of the device that is free now; if another process holds the rest (nvidia-smi), ending it gives that back.",
            );
        }
    }

    fn unequal(&mut self) {
        self.put("SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK", None, Some(0.0), "Starts in spite of the difference; the fullest GPU then counts for all (before 0.5.7: SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK=1).");
    }
}

/// The smallest thousandth above `floor` whose budget holds at least a page, as the page of the scenario suggests it;
/// `None` where that is not below 1. Without a total or a cell a budget of a few bytes does.
fn smallest(floor: f64, facts: &FactList, attempt: &Attempt) -> Option<f64> {
    let page = attempt.number("page_size").unwrap_or(1.0);
    let total = facts.value(FactName::Total).filter(|total| *total > 0.0);
    let cell = total.and(facts.value(FactName::Cell)).and_then(BytesPerToken::new);
    let total = total.unwrap_or(1.0);
    let band = Band::of(&Inputs {
        fraction: Fraction::ONE,
        total: Gib(total),
        available: Gib(total * (1.0 - floor)),
        cell: cell.unwrap_or(BytesPerToken::ONE),
        page_size: page as u64,
        max_total_tokens: None,
        dynamic_need: None,
    });
    band.suggested.map(Fraction::get).filter(|least| *least > 0.0 && *least < 1.0)
}

#[cfg(test)]
mod tests;

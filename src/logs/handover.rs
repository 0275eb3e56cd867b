//! The scenario that a log hands to the page: its numbers, and where these alone would say something else than what
//! happened, what that says of them.
//!
//! The facts stay as they were read. What is handed over must not contradict them: the smallest fraction is the printed one,
//! what died of memory does not start, and a pool has the tokens that the log gives it. Each number that is not the log's
//! own comes with an issue that says what it follows from.

use super::attempt::Attempt;
use super::diagnose::{Verdict, budget};
use super::exhausted::shortage;
use super::facts;
use super::report::{Advice, Cause, Direction, Engine, FactList, FactName};
use super::rules::{Datum, Signal};
use super::sentence::fill;
use crate::budget;
use crate::decimal::{canonical, thousandths};
use crate::engines::sglang::cell::STATE_RATIO;
use crate::issue::{Issue, IssueKind};
use crate::scenario::query::decode;
use crate::units::GIB;

/// How far the slots, being whole, and the printed sizes may be off that ratio.
const STATE_SPREAD: f64 = 0.05;

/// A pool that is further off than this share is not what the numbers give.
const SPREAD: f64 = 0.02;

/// What was missing is at least this, GiB, where the log does not say.
const LEAST_SHORT: f64 = 0.01;

/// The query that opens these numbers: digits and names of fields only, never text of the log.
pub fn scenario(
    attempt: &Attempt,
    verdict: Verdict,
    facts: &FactList,
    advice: &[Advice],
    issues: &mut Vec<Issue>,
) -> Option<String> {
    if attempt.engine != Some(Engine::Sglang) {
        return None;
    }
    let mut handed = Handover::of(attempt, facts, issues)?;
    handed.cell();
    handed.floor();
    handed.states();
    if verdict.cause != Cause::PoolSmallerThanExpected {
        handed.pool();
    }
    handed.need(verdict, advice);
    handed.agreed(verdict)
}

/// The minimum that the server printed, where the load lines give another one, or none.
pub fn printed_floor(attempt: &Attempt, facts: &FactList) -> Option<f64> {
    const NOISE: f64 = 1e-9;
    let total = facts.value(FactName::Total).filter(|total| *total > 0.0)?;
    let (printed, below, above) = match attempt.least(Datum::MinFraction) {
        Some(floor) => (floor.value, floor.half_width, floor.half_width),
        // The message rounds it up to the next thousandth.
        None => (attempt.least(Datum::AdvisedFraction)?.value, 0.001, 0.0),
    };
    let step = |floor: f64| (floor * 1000.0 + NOISE).floor();
    let agrees = facts.value(FactName::Available).map(|available| 1.0 - available / total).is_some_and(|own| {
        own >= printed - below - NOISE && own <= printed + above + NOISE && (above == 0.0 || step(own) == step(printed))
    });
    (!agrees).then_some(printed)
}

/// Whether a server that ends so did not start, or did not stay.
fn failed(attempt: &Attempt, cause: Cause) -> bool {
    use Cause::*;
    match cause {
        NoRoomAtStart | PoolAllocOom | GraphCaptureOom | RuntimeOom | DraftMemory | GpuShared | GpusUnequal
        | WeightsTooLarge | FlagNotInForce | FractionOverFree | EmptyBand => true,
        HybridState => !attempt.saw(Signal::StateSlotsFull),
        PoolFull | PoolSmallerThanContext | PoolSmallerThanExpected | Healthy | NotMemory | ReasonMissing => false,
    }
}

struct Handover<'a> {
    attempt: &'a Attempt,
    facts: &'a FactList,
    issues: &'a mut Vec<Issue>,
    fraction: f64,
    total: f64,
    available: f64,
    cell: Option<f64>,
    page: Option<f64>,
    cap: Option<f64>,
    /// GiB that activations and graphs need.
    need: Option<f64>,
}

impl<'a> Handover<'a> {
    /// What the log gives; `None` where that is no server's.
    fn of(attempt: &'a Attempt, facts: &'a FactList, issues: &'a mut Vec<Issue>) -> Option<Self> {
        let total = facts.value(FactName::Total)?;
        let available = match facts.value(FactName::Available) {
            Some(available) => available,
            // It follows from the minimum below.
            None => printed_floor(attempt, facts).map(|floor| total * (1.0 - floor))?,
        };
        let fraction = match facts.value(FactName::Fraction) {
            Some(fraction) => fraction,
            None => implied(attempt, total, available, issues)?,
        };
        if !(0.0..=1.0).contains(&fraction) || total <= 0.0 || available < 0.0 {
            return None;
        }
        let argument = |name, least| attempt.number(name).filter(|value| *value >= least && value.fract() == 0.0);
        let (page, cap) = (argument("page_size", 2.0), argument("max_total_tokens", 1.0));
        Some(Self { attempt, facts, issues, fraction, total, available, cell: None, page, cap, need: None })
    }

    fn note(&mut self, field: &str, kind: IssueKind, template: &str, values: &[f64]) {
        self.issues.push(Issue::new(field, kind, fill(template, values)));
    }

    fn cell(&mut self) {
        let cell = self.facts.value(FactName::Cell).filter(|cell| *cell > 0.0);
        // A page has a size only by that of its tokens.
        self.page = self.page.filter(|_| cell.is_some());
        match cell {
            // A measured cell has more digits than it knows.
            Some(cell) if self.attempt.least(Datum::Cell).is_none() => self.cell = Some(cell.round()),
            Some(cell) => self.cell = Some(cell),
            None if budget(self.facts).is_some() => {
                let message = "Bytes per token are not in this paste: until you set them, tokens are counted as in the page’s own example.";
                self.note("cell", IssueKind::NotMeasured, message, &[]);
            }
            None => {}
        }
    }

    /// The printed minimum counts what the load lines do not show.
    fn floor(&mut self) {
        let Some(floor) = printed_floor(self.attempt, self.facts) else { return };
        let own = self.facts.value(FactName::Available).map(|_| 1.0 - self.available / self.total);
        // Rounded down: it must not lead below the minimum.
        self.available = ((self.total * (1.0 - floor) * 1000.0 + 1e-6).floor() / 1000.0).max(0.0);
        let mut message = String::from(
            "The page takes {g} as free after the weights: it follows from the smallest fraction that the server printed, {t}.",
        );
        let mut values = vec![self.available, floor];
        if let Some(own) = own {
            message.push_str(" The load lines alone give {m}.");
            values.push(own);
        }
        self.note("available", IssueKind::Conflict, &message, &values);
    }

    /// State slots of linear layers share the budget with the KV cache.
    fn states(&mut self) {
        let state = self.attempt.value(Datum::StateSize).filter(|state| *state > 0.0);
        // A pool without its tokens gives no cell.
        let pools = facts::pools(self.attempt).filter(|pools| pools.size > 0.0 && pools.tokens.is_some());
        let (Some(state), Some(pools), Some(cell)) = (state, pools, self.cell) else { return };
        let ratio = self.attempt.number("mamba_full_memory_ratio");
        let share = state / pools.size;
        let (message, values) = if (share / ratio.unwrap_or(STATE_RATIO) - 1.0).abs() <= STATE_SPREAD {
            let states = (cell * share).round();
            self.cell = Some(cell + states);
            (
                "The page counts the state slots into each token: {n} bytes of KV cache and {n} of states, which get their share of the same budget (--mamba-full-memory-ratio).",
                [cell.round(), states],
            )
        } else {
            self.available = thousandths(self.available - state).max(0.0);
            (
                "State slots of a fixed number take {g} of the budget before the KV cache: the page takes {g} as free after the weights, without them.",
                [state, self.available],
            )
        };
        self.note("cell", IssueKind::Conflict, message, &values);
    }

    /// The log's pool has other tokens than these numbers give it.
    fn pool(&mut self) {
        // The longest prompt tells the pool only where that is shorter than the context.
        let tokens = self.facts.get(FactName::Tokens).filter(|tokens| tokens.half_width == 0.0 && tokens.value > 0.0);
        let (Some(tokens), Some(cell)) = (tokens.map(|tokens| tokens.value), self.cell) else { return };
        let rest = self.available - self.total * (1.0 - self.fraction);
        let own = (rest * GIB / cell).floor().min(self.cap.unwrap_or(f64::INFINITY));
        if (own - tokens).abs() <= SPREAD * tokens || self.cap.is_some_and(|cap| tokens >= cap) {
            return;
        }
        // Half a token more: what is handed over is rounded.
        let missing = rest - (tokens + 0.5) * cell / GIB;
        let available = thousandths(self.available - missing);
        if available < 0.0 || available > self.total {
            return;
        }
        self.available = available;
        let open = budget(self.facts).map_or(0.0, |(_, half_width)| half_width);
        let why = if missing.abs() <= open {
            "the difference lies within what “Load weight begin” leaves open."
        } else {
            "these lines do not show what makes the difference."
        };
        let start =
            "The page takes {g} as free after the weights, so that the pool has the {n} tokens of the log, not {n}: ";
        let values = [available, tokens, own.max(0.0)];
        self.note("available", IssueKind::Conflict, &[start, why].concat(), &values);
    }

    /// Memory ran out outside of the pool: what was set aside is less than what is needed.
    fn need(&mut self, verdict: Verdict, advice: &[Advice]) {
        let outside = match verdict.direction {
            Direction::Lower => failed(self.attempt, verdict.cause) && self.attempt.ran_out(),
            Direction::Unknown => matches!(verdict.cause, Cause::PoolAllocOom | Cause::GraphCaptureOom),
            _ => false,
        };
        let empty = verdict.cause == Cause::EmptyBand;
        if !outside && !empty {
            return;
        }
        let aside = self.total * (1.0 - self.fraction);
        let short = shortage(self.attempt).filter(|short| *short >= LEAST_SHORT);
        let least = ((aside + short.unwrap_or(LEAST_SHORT)) * 100.0 - 1e-6).ceil() / 100.0;
        if empty {
            // Rounded up: what starts leaves less.
            let all = (self.available * 1000.0).ceil() / 1000.0;
            self.need = Some(all.max(if self.attempt.ran_out() { least } else { 0.0 }));
            let message =
                "No fraction works: the page counts all that the weights leave as need of activations and graphs.";
            return self.note("dyn", IssueKind::NotMeasured, message, &[]);
        }
        let fraction = advice.iter().find(|advice| advice.flag == "--mem-fraction-static").and_then(|advice| advice.to);
        let mut message = String::from("Activations and graphs need at least {g}: {g} were set aside and ");
        let mut values = vec![least, aside];
        match short {
            Some(short) => {
                values.push(short);
                message.push_str("{g} more were missing.");
            }
            None => message.push_str("that was not enough."),
        }
        message.push_str(" That is a lower bound");
        let need = if let Some(to) = fraction.filter(|to| *to < self.fraction) {
            // Rounded down: its largest fraction is the advised one.
            let need = (self.total * (1.0 - to) * 1000.0 + 1e-6).floor() / 1000.0;
            message.push_str("; the page counts {g}, which {t} leaves them.");
            values.extend([need, to]);
            need
        } else {
            message.push_str(": they may need far more.");
            least
        };
        self.need = Some(need);
        self.note("dyn", IssueKind::NotMeasured, &message, &values);
    }

    /// The query, where the page would say what happened; otherwise why nothing is handed over.
    fn agreed(mut self, verdict: Verdict) -> Option<String> {
        let query = self.query();
        let decoded = decode(&query);
        // Numbers that no server has.
        if !decoded.issues.is_empty() {
            return None;
        }
        let report = budget::evaluate(&decoded.scenario.inputs());
        let starts = report.verdict == budget::Verdict::Starts && failed(self.attempt, verdict.cause);
        if starts {
            let message = "By these numbers the server would start, with {g} for the pool, and it did not: the page does not take them over.";
            self.note("scenario", IssueKind::Conflict, message, &[report.breakdown.rest.0]);
        } else if verdict.cause == Cause::FlagNotInForce && self.attempt.value(Datum::TypedFraction).is_none() {
            let message = "The server applies a factor to the fraction: the page does not take these numbers over.";
            self.note("scenario", IssueKind::Conflict, message, &[]);
        } else {
            return Some(query);
        }
        None
    }

    fn query(&self) -> String {
        let pairs = [
            ("f=", Some(self.fraction)),
            ("&total=", Some(self.total)),
            ("&avail=", Some(self.available)),
            ("&cell=", self.cell),
            ("&page=", self.page),
            ("&cap=", self.cap),
            ("&dyn=", self.need),
        ];
        pairs.into_iter().filter_map(|(key, value)| value.map(|value| [key, &canonical(value)].concat())).collect()
    }
}

/// The fraction that the size of the pool tells.
fn implied(attempt: &Attempt, total: f64, available: f64, issues: &mut Vec<Issue>) -> Option<f64> {
    let pools = facts::pools(attempt).filter(|pools| pools.size > 0.0)?;
    let state = attempt.value(Datum::StateSize).unwrap_or(0.0);
    if pools.size + state < available / 10.0 {
        let message = "The pool is a small part of what is free: --max-total-tokens caps it, and no fraction follows.";
        issues.push(Issue::new("fraction", IssueKind::NotMeasured, message));
        return None;
    }
    let message = "The fraction is not in this paste; the one shown follows from the size of the pool.";
    issues.push(Issue::new("fraction", IssueKind::NotMeasured, message));
    Some(thousandths(1.0 - (available - pools.size - state) / total))
}

#[cfg(test)]
mod tests;

//! Facts to a cause and a direction: the closed list, first that applies.

mod together;

use self::together::{band, solve_pairs};
use super::attempt::{Attempt, EXHAUSTED};
use super::report::{Cause, Diagnosis, Direction, Engine, FactList, FactName, Stage};
use super::rules::{Consumer, Datum, Signal};
use super::{advice, exhausted, facts, handover, proof, sorted, words};
use crate::issue::{Issue, IssueKind};
use crate::units::{Fraction, Gib};

/// Cause, direction and stage of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Why.
    pub cause: Cause,
    /// Which way the fraction has to go.
    pub direction: Direction,
    /// How far the start came.
    pub stage: Option<Stage>,
}

/// A verdict.
pub const fn verdict(cause: Cause, direction: Direction, stage: Option<Stage>) -> Verdict {
    Verdict { cause, direction, stage }
}

/// Diagnoses the last attempt that came to an end; the others go into `attempts`.
pub fn last(attempts: &[Attempt]) -> Diagnosis {
    let mut found: Vec<(Verdict, FactList)> = attempts
        .iter()
        .map(|attempt| {
            let facts = facts::of(attempt);
            (decide(attempt, &facts), facts)
        })
        .collect();
    solve_pairs(attempts, &mut found);
    let told = |index: usize| found.get(index).is_some_and(|(verdict, _)| verdict.cause != Cause::ReasonMissing);
    let failed = |index: usize| {
        attempts.get(index).is_some_and(|attempt| attempt.saw(Signal::Died) || attempt.saw(Signal::Traceback))
    };
    let newest = attempts.len().saturating_sub(1);
    // Of several servers that write in turn, the one that failed is asked about.
    let restarted = died_before(attempts, &found, newest);
    let newest = failed_beside(attempts, &found, newest).or(restarted).unwrap_or(newest);
    // With a pool it is past the refusal of those before it.
    let came_further = attempts.get(newest).is_some_and(|attempt| attempt.saw(Signal::PoolMade));
    let chosen = if told(newest) || failed(newest) || came_further {
        newest
    } else {
        // A command line at the very end, as a report has it, is no attempt that a log tells of.
        let logged = |index: &usize| attempts.get(*index).is_some_and(Attempt::has_substance);
        (0..newest).rev().find(|index| told(*index)).or_else(|| (0..=newest).rev().find(logged)).unwrap_or(newest)
    };
    let narrowed = band(attempts, &found, chosen);
    let mut diagnoses: Vec<Diagnosis> = attempts
        .iter()
        .zip(&found)
        .enumerate()
        .map(|(index, (attempt, (verdict, facts)))| {
            let verdict = if index == chosen { narrowed.unwrap_or(*verdict) } else { *verdict };
            write(attempt, verdict, facts.clone())
        })
        .collect();
    if diagnoses.is_empty() {
        return write(
            &Attempt::default(),
            verdict(Cause::ReasonMissing, Direction::Unknown, None),
            FactList::default(),
        );
    }
    let mut diagnosis = diagnoses.remove(chosen);
    if chosen < newest {
        let message = "The last attempt of this paste is cut before its end; the one before it is explained.";
        diagnosis.issues.push(Issue::new("log", IssueKind::NotMeasured, message));
    }
    if restarted == Some(chosen) {
        let message =
            "After this death it was started again and came up; nothing in the paste says that a setting was changed.";
        diagnosis.issues.push(Issue::new("log", IssueKind::Conflict, message));
    }
    diagnosis.attempts = diagnoses;
    diagnosis
}

/// Where the newest attempt is healthy and only a restart of one that died while serving: that death is asked about. A
/// command line, or another fraction, is a person's change.
fn died_before(attempts: &[Attempt], found: &[(Verdict, FactList)], newest: usize) -> Option<usize> {
    let before = newest.checked_sub(1)?;
    let (first, second) = (attempts.get(before)?, attempts.get(newest)?);
    let ((death, known), (now, facts)) = (found.get(before)?, found.get(newest)?);
    let died = death.cause == Cause::RuntimeOom && death.stage == Some(Stage::Running) && now.cause == Cause::Healthy;
    let same = match facts.value(FactName::Fraction) {
        Some(fraction) => known.value(FactName::Fraction).is_some_and(|known| (known - fraction).abs() < 1e-6),
        None => true,
    };
    (died && same && second.typed.is_empty() && first.source == second.source).then_some(before)
}

/// Where the newest attempt is healthy: the last one of another service, if that failed. Where it died and nothing of it
/// speaks of memory: the last one of another service, if that lacked memory.
fn failed_beside(attempts: &[Attempt], found: &[(Verdict, FactList)], newest: usize) -> Option<usize> {
    let source =
        |index: usize| attempts.get(index).map(|attempt| attempt.source.as_str()).filter(|name| !name.is_empty());
    let cause = |index: usize| found.get(index).map(|(verdict, _)| verdict.cause);
    let healthy = |index: usize| cause(index) == Some(Cause::Healthy);
    let mute = matches!(cause(newest), Some(Cause::ReasonMissing | Cause::NotMemory))
        && attempts.get(newest).is_some_and(|attempt| !attempt.has_memory());
    let failed = |index: usize| {
        let died = |attempt: &Attempt| {
            let memory = attempt.was_refused() || attempt.ran_out();
            memory || !mute && (attempt.saw(Signal::Died) || attempt.saw(Signal::Traceback))
        };
        !healthy(index) && attempts.get(index).is_some_and(died)
    };
    let own = source(newest).filter(|_| mute || healthy(newest))?;
    (0..newest).rev().find(|index| {
        let name = source(*index);
        failed(*index) && name.is_some() && name != Some(own) && (*index + 1..newest).all(|later| source(later) != name)
    })
}

fn write(attempt: &Attempt, verdict: Verdict, facts: FactList) -> Diagnosis {
    let signals = attempt.signals.iter().filter(|(signal, _)| !matches!(signal, Signal::Frame(_)));
    let exception = attempt.exception.iter().filter(|_| verdict.cause == Cause::NotMemory);
    let used = facts.0.iter().map(|fact| fact.line).chain(signals.map(|(_, seen)| seen.first));
    let mut lines = Vec::new();
    for line in used.chain(exception.map(|(_, line)| *line)) {
        sorted::insert(&mut lines, line);
    }
    let mut issues = words::issues(attempt, verdict, &facts);
    let advice = advice::of(attempt, verdict, &facts);
    let scenario = handover::scenario(attempt, verdict, &facts, &advice, &mut issues);
    let arguments = if attempt.arguments.is_empty() { &attempt.typed } else { &attempt.arguments };
    Diagnosis {
        engine: attempt.engine,
        version: attempt.version.clone(),
        cause: verdict.cause,
        direction: verdict.direction,
        stage: verdict.stage,
        result: words::result(attempt, verdict, &facts),
        why: words::why(attempt, verdict, &facts),
        scenario,
        advice,
        proof: proof::of(attempt, &facts),
        unknown: attempt.unread.clone(),
        issues,
        attempts: Vec::new(),
        arguments: arguments.clone(),
        lines,
        facts,
    }
}

fn decide(attempt: &Attempt, facts: &FactList) -> Verdict {
    use Cause::*;
    use Direction::{Lower, Raise, Unknown};
    let none = Direction::None;
    let saw = |signal| attempt.saw(signal);
    let pool = Some(Stage::KvPool);
    if saw(Signal::FractionOverFree) {
        return verdict(FractionOverFree, Lower, Some(Stage::Init));
    }
    if saw(Signal::NoRoom) {
        return refused(attempt, facts);
    }
    if saw(Signal::NoRoomForState) {
        let fixed = attempt.engine == Some(Engine::LmdeployPytorch);
        return verdict(HybridState, if fixed { none } else { Raise }, pool);
    }
    if saw(Signal::ContextOverPool) && !(saw(Signal::Ready) && attempt.engine == Some(Engine::TensorrtLlm)) {
        return verdict(PoolSmallerThanContext, Raise, pool);
    }
    if saw(Signal::NoRoomForRuntime) {
        return verdict(NoRoomAtStart, none, pool);
    }
    if saw(Signal::OthersMoved) {
        return verdict(GpuShared, none, pool);
    }
    let below_zero = |datum| attempt.value(datum).is_some_and(|value| value < 0.0);
    let no_blocks = attempt.engine == Some(Engine::Vllm) && attempt.value(Datum::Blocks) == Some(0.0);
    let negative = [Datum::Rest, Datum::ProfiledTokens, Datum::FullTokens].into_iter().any(below_zero);
    // With the capture of graphs it went on: a draft model's own profile may be below zero.
    if attempt.progress < Some(Stage::GraphCapture) && (negative || no_blocks) || below_zero(Datum::Tokens) {
        return verdict(NoRoomAtStart, Raise, pool);
    }
    // A warning on the way to a server that is up did not stop it.
    let warned =
        |signal| attempt.last(signal) < attempt.last(Signal::Ready) && !saw(Signal::Died) && !saw(Signal::Traceback);
    let stopped = |signals: &[Signal]| signals.iter().any(|signal| saw(*signal) && !warned(*signal));
    if stopped(EXHAUSTED) {
        return exhausted::ran_out(attempt, facts);
    }
    // Newer versions only warn.
    if saw(Signal::Unbalanced) && !saw(Signal::Ready) {
        return verdict(GpusUnequal, none, Some(Stage::Init));
    }
    if saw(Signal::StateSlotsFull) {
        return verdict(HybridState, none, attempt.progress.max(Some(Stage::KvPool)));
    }
    let went_on = [Signal::Ready, Signal::PoolMade, Signal::CaptureEnd].into_iter().any(saw);
    if saw(Signal::FitFailed) && !went_on {
        return verdict(WeightsTooLarge, none, Some(Stage::Weights));
    }
    if stopped(&[Signal::NotMemory, Signal::HostMemory]) {
        return verdict(NotMemory, none, attempt.progress);
    }
    if saw(Signal::PromptTooLong) {
        return prompt_too_long(attempt, facts);
    }
    if saw(Signal::PoolFull) {
        return verdict(PoolFull, none, Some(Stage::Running));
    }
    if attempt.exception.is_some() {
        return verdict(NotMemory, none, attempt.progress);
    }
    // The code alone may follow from a failure whose lines are cut away.
    let begun = attempt.progress.is_some() || attempt.consumer() == Some(Consumer::HostPool);
    if begun && attempt.last(Signal::Killed) > attempt.last(Signal::Ready) {
        return verdict(NotMemory, none, attempt.progress);
    }
    let up =
        [Signal::Ready, Signal::Serving, Signal::CaptureEnd].iter().filter_map(|signal| attempt.last(*signal)).max();
    let down = [Signal::Traceback, Signal::Died, Signal::CaptureFailed, Signal::CaptureBegin]
        .iter()
        .filter_map(|signal| attempt.last(*signal))
        .max();
    let up = if attempt.engine == Some(Engine::LlamaCpp) { attempt.last(Signal::Ready) } else { up };
    // The other ranks may still serve for a moment.
    let dead = attempt.last(Signal::Died) > attempt.last(Signal::Ready);
    match up {
        Some(up) if !dead && down.is_none_or(|down| down < up) => {
            let cause = if is_starved(attempt, facts) { PoolSmallerThanExpected } else { Healthy };
            verdict(cause, none, Some(Stage::Running))
        }
        _ => verdict(ReasonMissing, Unknown, attempt.progress),
    }
}

/// A refusal for want of budget.
fn refused(attempt: &Attempt, facts: &FactList) -> Verdict {
    let pool = Some(Stage::KvPool);
    let raise = verdict(Cause::NoRoomAtStart, Direction::Raise, pool);
    if attempt.engine != Some(Engine::Sglang) {
        return raise;
    }
    let fraction = facts.value(FactName::Fraction);
    let floor = attempt.least(Datum::MinFraction).or_else(|| attempt.least(Datum::AdvisedFraction));
    let printed = floor.map(|floor| floor.value);
    // The printed floor knows the weights only. Where the value in force is above it and the server still refuses, state
    // slots or another fixed reserve take the difference.
    if let (Some(fraction), Some(floor)) = (fraction, floor)
        && fraction > floor.value + f64::max(0.0005, 2.0 * floor.half_width)
    {
        return verdict(Cause::HybridState, Direction::None, pool);
    }
    // A floor of one: the weights take all that was free.
    if facts.value(FactName::MinFraction).is_some_and(|floor| floor > 0.999) {
        return verdict(Cause::WeightsTooLarge, Direction::None, pool);
    }
    // This message holds the value in force and the floor. With one of them cut away, and without the load lines, it may
    // be either kind.
    let short = budget(facts).is_some_and(|(rest, _)| rest < 0.0);
    let whole = printed.is_some() && fraction.is_some();
    let numbered = printed.is_some() || attempt.saw(Signal::WeightsLeaveNone);
    if numbered && !whole && !short {
        return verdict(Cause::NoRoomAtStart, Direction::Unknown, pool);
    }
    // The numbers of the log would give a budget and the server refuses: another value is in force. Multimodal models of
    // 0.4.x multiply the fraction by 0.90 to 0.95.
    let reserve = attempt.value(Datum::Reserve).unwrap_or(0.0);
    let margin = budget(facts).map(|(rest, half_width)| rest - reserve - half_width - 0.25);
    let typed = attempt.value(Datum::TypedFraction);
    let changed =
        matches!((typed, attempt.value(Datum::Fraction)), (Some(typed), Some(force)) if (typed - force).abs() > 0.0005);
    if printed.is_none() && margin.is_some_and(|margin| margin > 0.0) || attempt.saw(Signal::FractionReduced) || changed
    {
        return verdict(Cause::FlagNotInForce, Direction::Raise, pool);
    }
    raise
}

/// `available - total * (1 - fraction)` and its half-width, GiB, where the log gives all three.
pub fn budget(facts: &FactList) -> Option<(f64, f64)> {
    let (available, total, fraction) =
        (facts.get(FactName::Available)?, facts.get(FactName::Total)?, facts.get(FactName::Fraction)?);
    let rest = Gib(available.value) - Fraction::new(fraction.value)?.reserve_of(Gib(total.value));
    let half_width =
        available.half_width + (1.0 - fraction.value) * total.half_width + total.value * fraction.half_width;
    Some((rest.0, half_width))
}

/// Whether the pools are far below the budget that the same log gives, and nothing in it says why. A state cache whose line
/// is cut away takes about half; loaders that still hold memory while it is measured (before 0.5.19) leave next to nothing.
fn is_starved(attempt: &Attempt, facts: &FactList) -> bool {
    let capped = attempt.argument("max_total_tokens").is_some() || attempt.saw(Signal::Capped);
    let pools = facts::pools(attempt).map(|pools| pools.size + attempt.value(Datum::StateSize).unwrap_or(0.0));
    match (budget(facts), pools) {
        (Some((rest, half_width)), Some(pools)) if !capped && pools > 0.0 => pools < 0.4 * (rest - half_width) - 0.5,
        _ => false,
    }
}

/// A prompt over the limit: the pool is the limit, or the model's context is.
fn prompt_too_long(attempt: &Attempt, facts: &FactList) -> Verdict {
    let stage = Some(Stage::Running);
    if attempt.engine == Some(Engine::LlamaCpp) {
        return verdict(Cause::PoolSmallerThanContext, Direction::None, stage);
    }
    let limit = attempt.value(Datum::PromptLimit).map(|limit| limit + 6.0);
    // Context lengths are round, in binary or as a person types them; pools, being what is left, are not. Where the pool
    // is printed, thousands may be chance.
    let context = facts.value(FactName::Context);
    let is_multiple = |limit: f64, unit: f64| (limit / unit).fract() == 0.0;
    let typed = |limit| attempt.value(Datum::Tokens).is_none() && is_multiple(limit, 1000.0);
    let is_round = |limit: f64| is_multiple(limit, 1024.0) || typed(limit);
    let of_model = |limit: f64| context.map_or_else(|| is_round(limit), |context| limit == context);
    if limit.is_some_and(of_model) {
        return verdict(Cause::NotMemory, Direction::None, stage);
    }
    // The flag that sets the number of tokens is the limit, not the fraction.
    let cap = attempt.number("max_total_tokens");
    let pool = facts.value(FactName::Tokens);
    let capped = cap.is_some_and(|cap| pool.or(limit).is_none_or(|pool| pool + 1.0 >= cap * 0.99));
    let direction = if capped || cap.is_some() && limit.is_none() { Direction::None } else { Direction::Raise };
    verdict(Cause::PoolSmallerThanContext, direction, stage)
}

#[cfg(test)]
mod tests;

//! What two attempts of a paste say together.

use super::{Verdict, verdict};
use crate::logs::attempt::Attempt;
use crate::logs::report::{Cause, Direction, Engine, Fact, FactList, FactName};
use crate::logs::rules::Signal;

/// Two fractions closer than this, one too low to start and one too high to run, leave nothing between them.
const BAND: f64 = 0.03;

/// Two refusals at two fractions, each with its budget, are two equations for total and available.
pub(super) fn solve_pairs(attempts: &[Attempt], found: &mut [(Verdict, FactList)]) {
    let point = |list: &FactList| Some((list.get(FactName::Fraction)?.clone(), list.get(FactName::Rest)?.clone()));
    for index in 1..attempts.len() {
        if attempts.get(index).is_none_or(|attempt| attempt.engine != Some(Engine::Sglang)) {
            continue;
        }
        let Some((_, known)) = found.get(index) else { continue };
        let Some((second, rest)) = point(known).filter(|_| known.get(FactName::Available).is_none()) else { continue };
        let earlier = found
            .get(..index)
            .unwrap_or_default()
            .iter()
            .rev()
            .find_map(|(_, list)| point(list).filter(|(first, _)| (first.value - second.value).abs() > 1e-6));
        let Some((first, first_rest)) = earlier else { continue };
        let step = second.value - first.value;
        let total = (rest.value - first_rest.value) / step;
        let half_width = ((rest.half_width + first_rest.half_width) / step).abs();
        let available = rest.value + total * (1.0 - second.value);
        // A total below zero is below what is available, or both are.
        if available <= 0.0 || available >= total {
            continue;
        }
        let fact = |name, value, unit, half_width| Fact {
            name,
            value,
            unit,
            line: rest.line,
            half_width,
            rank: String::new(),
        };
        if let Some((_, list)) = found.get_mut(index) {
            list.put(fact(FactName::Total, total, "GiB", half_width));
            let open = rest.half_width + half_width * (1.0 - second.value);
            list.put(fact(FactName::Available, available, "GiB", open));
            list.put(fact(FactName::MinFraction, 1.0 - available / total, "", (open + half_width) / total));
        }
    }
}

/// What two attempts say together: a fraction too low and one too high with nothing between them.
pub(super) fn band(attempts: &[Attempt], found: &[(Verdict, FactList)], chosen: usize) -> Option<Verdict> {
    let (verdict_of, facts) = found.get(chosen)?;
    let low = |verdict: &Verdict| {
        matches!(verdict.cause, Cause::NoRoomAtStart | Cause::FlagNotInForce | Cause::HybridState)
            && verdict.direction == Direction::Raise
    };
    let fraction = |list: &FactList| list.value(FactName::Fraction);
    let high = |verdict: &Verdict, list: &FactList| {
        matches!(verdict.cause, Cause::PoolAllocOom | Cause::GraphCaptureOom | Cause::DraftMemory | Cause::RuntimeOom)
            && (verdict.direction == Direction::Lower
                || verdict.direction == Direction::Unknown && fraction(list).is_some())
    };
    let is_high = high(verdict_of, facts);
    if !low(verdict_of) && !is_high {
        return None;
    }
    let engine = attempts.get(chosen)?.engine;
    let (_, (_, other_facts)) = attempts.iter().zip(found).take(chosen).rev().find(|(attempt, (verdict, list))| {
        (attempt.engine == engine || attempt.engine.is_none())
            && !attempt.saw(Signal::Mentioned)
            && (low(verdict) && is_high || high(verdict, list) && low(verdict_of))
    })?;
    match (fraction(facts), fraction(other_facts)) {
        (Some(this), Some(that)) => {
            let (below, above) = if low(verdict_of) { (this, that) } else { (that, this) };
            let empty = above > below && above - below <= BAND;
            empty.then_some(verdict(Cause::EmptyBand, Direction::None, verdict_of.stage))
        }
        // Both walls were hit and no value is known: neither way can be promised.
        _ => Some(verdict(verdict_of.cause, Direction::Unknown, verdict_of.stage)),
    }
}

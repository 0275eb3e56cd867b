//! What stands beside a diagnosis: contradictions, thin spots, missing lines.

use crate::issue::{Issue, IssueKind};
use crate::logs::attempt::Attempt;
use crate::logs::diagnose::Verdict;
use crate::logs::report::{Cause, Engine, FactList, FactName};
use crate::logs::rules::{Datum, Signal};
use crate::logs::sentence::fill;

/// Less than this left after the start fails on the first long prefill, GiB.
const THIN: f64 = 1.0;

/// Contradictions, thin spots and missing lines.
pub fn issues(attempt: &Attempt, verdict: Verdict, facts: &FactList) -> Vec<Issue> {
    let fact = |name| facts.value(name);
    let mut issues = Vec::new();
    let mut note = |field: &str, kind, template: &str, values: &[f64]| {
        issues.push(Issue::new(field, kind, fill(template, values)));
    };
    if let Some(end) = fact(FactName::AvailableAtEnd).filter(|end| *end < THIN && verdict.cause == Cause::Healthy) {
        note(
            "available_at_end",
            IssueKind::OutOfRange,
            "Only {g} were left after the start: the first long prefill may run out of memory.",
            &[end],
        );
    }
    if let (Some(pool), Some(context)) = (fact(FactName::Tokens), fact(FactName::Context))
        && pool < context
        && pool >= 0.0
        && verdict.cause == Cause::Healthy
    {
        note(
            "context",
            IssueKind::Conflict,
            "The pool holds {n} tokens, the context allows {n}: longer requests will be refused.",
            &[pool, context],
        );
    }
    if attempt.engine == Some(Engine::Sglang) {
        if facts.get(FactName::Total).is_some_and(|total| total.half_width > 0.05) {
            note(
                "total",
                IssueKind::NotMeasured,
                "“Load weight begin” is about 0.07 GiB below the total that SGLang computes with, on the servers measured.",
                &[],
            );
        }
        let refused = matches!(verdict.cause, Cause::NoRoomAtStart | Cause::HybridState | Cause::FlagNotInForce);
        // Slots that are used up are no matter of the fraction.
        if refused && !attempt.saw(Signal::StateSlotsFull) && fact(FactName::MinFraction).is_none() {
            note(
                "min_fraction",
                IssueKind::NotMeasured,
                "Add the lines “Load weight begin” and “Load weight end” of every rank: the smallest fraction follows from them.",
                &[],
            );
        }
        if let (Some(printed), Some(total), Some(available)) =
            (attempt.value(Datum::MinFraction), fact(FactName::Total), fact(FactName::Available))
            && printed - (1.0 - available / total) > 0.01
        {
            let hidden = (printed - (1.0 - available / total)) * total;
            note(
                "min_fraction",
                IssueKind::Conflict,
                "The printed minimum counts about {g} more than the load lines show: draft weights, or another process.",
                &[hidden],
            );
        }
        if fact(FactName::MinFraction).is_some_and(|floor| floor > 0.97) && refused {
            note(
                "min_fraction",
                IssueKind::OutOfRange,
                "This leaves almost nothing for graphs: smaller weights or more GPUs are the cure.",
                &[],
            );
        }
    }
    if let (Some(typed), Some(force)) = (attempt.value(Datum::TypedFraction), attempt.value(Datum::Fraction))
        && (typed - force).abs() > 0.0005
    {
        note("fraction", IssueKind::Conflict, "Typed was {f}, in force is {f}.", &[typed, force]);
    }
    if let Some(cap) = attempt.number("max_total_tokens").filter(|_| verdict.cause == Cause::Healthy) {
        note(
            "tokens",
            IssueKind::Conflict,
            "--max-total-tokens {c} caps the pool; the fraction is not what limits it.",
            &[cap],
        );
    }
    if let (Some(capacity), Some(total)) = (attempt.value(Datum::Capacity), attempt.value(Datum::Total))
        && attempt.engine == Some(Engine::Sglang)
        && capacity - total > capacity / 10.0 + 2.0
    {
        note(
            "total",
            IssueKind::Conflict,
            "{g} of the card were in use before this server loaded: look for another process.",
            &[capacity - total],
        );
    }
    if let Some(usage) = attempt.value(Datum::WeightUsage)
        && attempt.engine == Some(Engine::Vllm)
        && verdict.cause == Cause::NoRoomAtStart
        && usage < 2.0
    {
        note(
            "weights",
            IssueKind::Conflict,
            "Weights of {g} cannot fill a card: look for another process or a leftover one first (nvidia-smi).",
            &[usage],
        );
    }
    issues
}

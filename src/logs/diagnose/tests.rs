//! Which attempt is explained and how, on attempts written by hand.

use super::*;
use crate::logs::attempt::Attempt;
use crate::logs::by_hand::Log;
use Cause::*;
use Direction::{Lower, Raise, Unknown};

const NONE: Direction = Direction::None;

fn sglang() -> Log {
    Log::of(Engine::Sglang)
}

/// Refused for want of room, at that fraction.
fn refused_at(fraction: f64) -> Log {
    sglang().signal(Signal::NoRoom).datum(Datum::Fraction, fraction)
}

/// Ran out of memory at that stage and fraction.
fn ran_out_at(stage: Option<Stage>, fraction: f64) -> Log {
    sglang().signal(Signal::Oom).datum(Datum::Fraction, fraction).set(|attempt| attempt.oom_stage = stage)
}

fn healthy() -> Log {
    sglang().signal(Signal::Ready)
}

/// With the name of the service that wrote it.
fn named(log: Log, source: &str) -> Log {
    log.set(|attempt| attempt.source = source.to_owned())
}

fn explained<const N: usize>(logs: [Log; N]) -> Diagnosis {
    let attempts: Vec<Attempt> = logs.into_iter().map(|log| log.attempt).collect();
    last(&attempts)
}

/// Cause and direction of the attempt that is explained.
fn answer<const N: usize>(logs: [Log; N]) -> (Cause, Direction) {
    let found = explained(logs);
    (found.cause, found.direction)
}

/// Which attempt is explained, of several that look alike.
fn chosen<const N: usize>(logs: [Log; N]) -> Option<usize> {
    let numbered = logs.into_iter().enumerate().map(|(index, log)| {
        let mut attempt = log.attempt;
        attempt.version = Some(index.to_string());
        attempt
    });
    last(&numbered.collect::<Vec<_>>()).version.and_then(|version| version.parse().ok())
}

fn says(diagnosis: &Diagnosis, words: &str) -> bool {
    diagnosis.issues.iter().any(|issue| issue.message.contains(words))
}

#[test]
fn the_last_attempt_that_tells_something_is_explained() {
    let nothing = explained([]);
    assert_eq!((nothing.cause, nothing.direction, nothing.stage), (ReasonMissing, Unknown, None));
    let cut = "The last attempt of this paste is cut";
    let begun = explained([refused_at(0.5), sglang().signal(Signal::Launch)]);
    assert_eq!(begun.cause, NoRoomAtStart);
    assert!(says(&begun, cut));
    assert!(!says(&explained([refused_at(0.5)]), cut));
    // It ended, for whatever reason: that is asked about.
    for ended in [Signal::Died, Signal::Traceback, Signal::PoolMade] {
        let found = explained([refused_at(0.5), sglang().signal(ended)]);
        assert_eq!(found.cause, ReasonMissing, "{ended:?}");
        assert!(!says(&found, cut));
    }
}

#[test]
fn a_restart_does_not_hide_a_death() {
    let running = Some(Stage::Running);
    let died = || ran_out_at(running, 0.8);
    let again = |fraction| healthy().datum(Datum::Fraction, fraction);
    let restarted = explained([died(), again(0.8)]);
    assert_eq!((restarted.cause, restarted.direction), (RuntimeOom, Lower));
    assert!(says(&restarted, "was started again"));
    assert!(!says(&explained([died()]), "was started again"));
    for same in [healthy(), again(0.800_000_1)] {
        assert_eq!(answer([died(), same]).0, RuntimeOom);
    }
    // Another fraction, a command line or another file is a person's change.
    let typed = again(0.8).set(|attempt| {
        attempt.typed.push(crate::logs::report::Argument { name: "model".to_owned(), value: "m".to_owned() });
    });
    for changed in [again(0.7), again(0.9), typed, named(again(0.8), "second.log")] {
        assert_eq!(answer([died(), changed]).0, Healthy);
    }
    // It never served: the next start is the answer to it.
    let start = ran_out_at(Some(Stage::GraphCapture), 0.8);
    assert_eq!(answer([start, again(0.8)]).0, Healthy);
    let profile = Log::of(Engine::Vllm).signal(Signal::Oom).signal(Signal::LoadEnd);
    let profile = profile.set(|attempt| attempt.oom_stage = Some(Stage::Weights));
    assert_eq!(answer([profile]), (RuntimeOom, NONE));
    let profile = Log::of(Engine::Vllm).signal(Signal::Oom).signal(Signal::LoadEnd);
    let profile = profile.set(|attempt| attempt.oom_stage = Some(Stage::Weights));
    assert_eq!(answer([profile, Log::of(Engine::Vllm).signal(Signal::Ready)]).0, Healthy);
}

#[test]
fn of_services_that_write_in_turn_the_failed_one_is_explained() {
    let a = |log: Log| named(log, "a");
    let b = |log: Log| named(log, "b");
    let died = || sglang().signal(Signal::Died);
    let cut = || sglang().signal(Signal::LoadBegin);
    // Beside one that is up: whichever failed, of memory or not.
    assert_eq!(chosen([a(refused_at(0.5)), b(healthy())]), Some(0));
    assert_eq!(chosen([a(died()), b(healthy())]), Some(0));
    assert_eq!(chosen([a(sglang().signal(Signal::Traceback)), b(healthy())]), Some(0));
    assert_eq!(chosen([a(cut()), b(healthy())]), Some(1), "it did not fail");
    let late = sglang().signal(Signal::Traceback).signal(Signal::Ready);
    assert_eq!(chosen([a(late), b(healthy())]), Some(1), "it is up");
    assert_eq!(chosen([died(), b(healthy())]), Some(1), "without a name it may be the same");
    assert_eq!(chosen([a(died()), a(healthy())]), Some(1), "it is the same, started again");
    assert_eq!(chosen([a(died()), a(healthy()), b(healthy())]), Some(2));
    assert_eq!(chosen([a(died()), named(healthy(), "c"), b(healthy())]), Some(0));
    // Beside one that died and says nothing of memory: only one that lacked memory.
    assert_eq!(chosen([a(refused_at(0.5)), b(died())]), Some(0));
    assert_eq!(chosen([a(died()), b(died())]), Some(1));
    let measured = || died().datum(Datum::Total, 80.0);
    assert_eq!(chosen([a(refused_at(0.5)), b(measured())]), Some(1));
    let refused = || sglang().signal(Signal::NoRoom);
    assert_eq!(chosen([a(refused()), b(refused())]), Some(1), "the newest has a cause of its own");
}

#[test]
fn the_line_of_another_reason_counts_only_where_it_is_the_reason() {
    let log = || sglang().set(|attempt| attempt.exception = Some(("ValueError: no such model".to_owned(), 77)));
    let lines = |log: Log| explained([log]).lines;
    assert!(lines(log()).contains(&77));
    assert!(!lines(log().signal(Signal::NoRoom)).contains(&77));
}

/// Two refusals, or more, each a fraction and a rest with its half-width.
fn refusals(points: &[(f64, f64, f64)]) -> Diagnosis {
    let attempts: Vec<Attempt> = points
        .iter()
        .map(|(fraction, rest, open)| refused_at(*fraction).rounded(Datum::Rest, *rest, *open).attempt)
        .collect();
    last(&attempts)
}

#[test]
fn two_refusals_are_two_equations() {
    let solved = |diagnosis: &Diagnosis| {
        [FactName::Total, FactName::Available, FactName::MinFraction]
            .map(|name| diagnosis.facts.get(name).map_or((0.0, 0.0), |fact| (fact.value, fact.half_width)))
    };
    // 80 GiB, 50 of them free after the weights. (0.01 + 0.03) / 0.1, 0.03 + 0.4 × 0.7, (0.31 + 0.4) / 80.
    let wanted = [(80.0, 0.4), (50.0, 0.31), (0.375, 0.008_875)];
    let is_wanted = |found: [(f64, f64); 3]| {
        found
            .iter()
            .zip(wanted)
            .all(|(found, wanted)| (found.0 - wanted.0).abs() < 1e-9 && (found.1 - wanted.1).abs() < 1e-9)
    };
    assert!(is_wanted(solved(&refusals(&[(0.2, -14.0, 0.01), (0.3, -6.0, 0.03)]))));
    // One at the same fraction is no second equation; the one before it is.
    assert!(is_wanted(solved(&refusals(&[(0.2, -14.0, 0.01), (0.3, -6.0, 0.03), (0.3, -6.0, 0.03)]))));
    // No server has these: more free after the weights than before, nothing free, less room at a larger fraction.
    for second in [(0.3, -13.0, 0.0), (0.3, -4.0, 0.0), (0.3, -20.0, 0.0)] {
        let facts = refusals(&[(0.2, -14.0, 0.0), second]).facts;
        let is_solved = facts.get(FactName::Total).is_some();
        assert_eq!(is_solved, second.1 == -4.0, "{second:?}");
    }
    let none_free = refusals(&[(0.2, -90.0, 0.0), (0.3, -80.0, 0.0)]).facts;
    assert_eq!(none_free.get(FactName::Total), None);
    let more_free = refusals(&[(0.2, 10.0, 0.0), (0.3, 11.0, 0.0)]).facts;
    assert_eq!(more_free.get(FactName::Total), None);
}

#[test]
fn too_low_and_too_high_with_nothing_between() {
    let graphs = |fraction| ran_out_at(Some(Stage::GraphCapture), fraction);
    let serving = |fraction| ran_out_at(Some(Stage::Running), fraction);
    let empty = (EmptyBand, NONE);
    assert_eq!(answer([refused_at(0.88), graphs(0.89)]), empty);
    assert_eq!(answer([graphs(0.89), refused_at(0.88)]), empty);
    assert_eq!(answer([refused_at(0.88), serving(0.89)]), empty);
    assert_eq!(answer([refused_at(0.88), graphs(0.95)]), (GraphCaptureOom, Lower), "there is room between");
    assert_eq!(answer([refused_at(0.88), graphs(0.88)]), (GraphCaptureOom, Lower), "of one value both cannot be true");
    assert_eq!(answer([refused_at(0.89), graphs(0.88)]), (GraphCaptureOom, Lower));
    // A stage that is not known may be past the pool.
    assert_eq!(answer([refused_at(0.88), ran_out_at(None, 0.89)]), empty);
    // What no fraction cures is neither wall.
    let state = sglang().signal(Signal::StateSlotsFull).datum(Datum::Fraction, 0.88);
    assert_eq!(answer([graphs(0.89), state]), (HybridState, NONE));
    let context = sglang().signal(Signal::ContextOverPool).datum(Datum::Fraction, 0.88);
    assert_eq!(answer([graphs(0.89), context]), (PoolSmallerThanContext, Raise));
    let huge = serving(0.89).datum(Datum::Tried, 90.0).datum(Datum::Capacity, 80.0);
    assert_eq!(answer([refused_at(0.88), huge]), (RuntimeOom, NONE));
    let vllm = |signal, fraction| Log::of(Engine::Vllm).signal(signal).datum(Datum::Fraction, fraction);
    let taken = [vllm(Signal::NoRoom, 0.88), vllm(Signal::FractionOverFree, 0.89)];
    assert_eq!(answer(taken), (FractionOverFree, Lower));
    // Both walls, and no value of one: neither way can be promised.
    let unknown = sglang().signal(Signal::Oom).set(|attempt| attempt.oom_stage = Some(Stage::GraphCapture));
    assert_eq!(answer([refused_at(0.88), unknown]), (GraphCaptureOom, Unknown));
}

#[test]
fn a_context_over_the_pool_stops_all_but_tensorrt_llm() {
    let log = |engine| Log::of(engine).signal(Signal::ContextOverPool).signal(Signal::Ready);
    assert_eq!(answer([log(Engine::TensorrtLlm)]), (Healthy, NONE));
    assert_eq!(answer([log(Engine::Vllm)]), (PoolSmallerThanContext, Raise));
}

#[test]
fn no_room_by_the_numbers() {
    let rest = |value| sglang().datum(Datum::Rest, value);
    assert_eq!(answer([rest(-0.01)]), (NoRoomAtStart, Raise));
    assert_eq!(answer([rest(0.0)]), (ReasonMissing, Unknown), "it may be rounded");
    let blocks = |engine| Log::of(engine).datum(Datum::Blocks, 0.0);
    assert_eq!(answer([blocks(Engine::Vllm)]), (NoRoomAtStart, Raise));
    assert_eq!(answer([blocks(Engine::LmdeployTurbomind)]), (ReasonMissing, Unknown));
}

#[test]
fn a_refusal_is_of_the_flag_only_where_the_numbers_left_room() {
    // 80 GiB, half of them set aside.
    let log = |available, open| refused_at(0.5).datum(Datum::Total, 80.0).rounded(Datum::Available, available, open);
    let of = |log: Log| answer([log]);
    let (flag, room) = ((FlagNotInForce, Raise), (NoRoomAtStart, Raise));
    assert_eq!(of(log(40.3, 0.0)), flag);
    assert_eq!(of(log(40.25, 0.0)), room, "a quarter of a GiB is within what the lines leave out");
    assert_eq!(of(log(40.2, 0.0)), room);
    assert_eq!(of(log(41.0, 0.8)), room, "it may be rounding");
    assert_eq!(of(log(41.0, 0.7)), flag);
    assert_eq!(of(log(41.0, 0.0).datum(Datum::Reserve, 0.8)), room, "that is set aside too");
    assert_eq!(of(log(41.0, 0.0).datum(Datum::Reserve, 0.7)), flag);
    assert_eq!(of(refused_at(0.5)), room);
    assert_eq!(of(refused_at(0.5).signal(Signal::FractionReduced)), flag);
    assert_eq!(of(refused_at(0.5).datum(Datum::TypedFraction, 0.55)), flag);
}

#[test]
fn half_a_message_promises_nothing() {
    let of = |log: Log| answer([log]);
    let message = |available| {
        refused_at(0.5).signal(Signal::WeightsLeaveNone).datum(Datum::Total, 80.0).datum(Datum::Available, available)
    };
    assert_eq!(of(message(30.0)), (NoRoomAtStart, Raise));
    assert_eq!(of(message(40.0)), (NoRoomAtStart, Unknown), "0 GiB are not below 0");
    assert_eq!(of(message(50.0)), (NoRoomAtStart, Unknown));
    let floor = |floor| refused_at(0.9).datum(Datum::MinFraction, floor);
    assert_eq!(of(floor(0.999)), (NoRoomAtStart, Raise));
    assert_eq!(of(floor(0.9991)), (WeightsTooLarge, NONE));
}

#[test]
fn the_budget_is_known_as_far_as_its_inputs() {
    let log = sglang().rounded(Datum::Total, 80.0, 0.2).rounded(Datum::Available, 40.25, 0.1).rounded(
        Datum::Fraction,
        0.5,
        0.001,
    );
    let (rest, half_width) = budget(&facts::of(&log.attempt)).unwrap_or_default();
    // 0.1 + 0.5 × 0.2 + 80 × 0.001.
    assert!((rest - 0.25).abs() < 1e-12 && (half_width - 0.28).abs() < 1e-12, "{rest} ± {half_width}");
}

#[test]
fn a_pool_far_below_its_budget_is_noticed() {
    // A budget of 10 GiB: four tenths of it, half a GiB less, are 3.5.
    let log = |pool, open| {
        healthy()
            .datum(Datum::Total, 80.0)
            .datum(Datum::Fraction, 0.5)
            .rounded(Datum::Available, 50.0, open)
            .pool(pool, None)
    };
    let of = |log: Log| answer([log]).0;
    assert_eq!((of(log(3.4, 0.0)), of(log(3.5, 0.0))), (PoolSmallerThanExpected, Healthy));
    assert_eq!((of(log(3.0, 1.0)), of(log(3.2, 1.0))), (PoolSmallerThanExpected, Healthy));
    assert_eq!(of(log(0.0, 0.0)), Healthy, "a size that is not printed");
    assert_eq!(of(log(2.0, 0.0).datum(Datum::StateSize, 2.0)), Healthy);
    assert_eq!(of(log(3.4, 0.0).signal(Signal::Capped)), Healthy);
}

#[test]
fn a_prompt_over_the_pool_is_the_caps_where_the_cap_is_the_pool() {
    let capped = |tokens| {
        let log = sglang().signal(Signal::PromptTooLong).argument("max_total_tokens", "10000");
        answer([log.datum(Datum::Tokens, tokens).datum(Datum::PromptLimit, 4994.0)])
    };
    // 9,899 and the dummy slot are 99 % of the cap, as near as pages come.
    assert_eq!(capped(9899.0), (PoolSmallerThanContext, NONE));
    assert_eq!(capped(9898.0), (PoolSmallerThanContext, Raise));
    assert_eq!(capped(5000.0), (PoolSmallerThanContext, Raise));
}

//! What follows from several lines together, with what their rounding leaves open.

use super::*;
use crate::logs::by_hand::Log;
use crate::units::GIB;

/// A fact's value and half-width.
fn fact(log: &Log, name: FactName) -> Option<(f64, f64)> {
    of(&log.attempt).get(name).map(|fact| (fact.value, fact.half_width))
}

fn close(found: Option<(f64, f64)>, value: f64, half_width: f64) {
    let near = found.is_some_and(|(v, h)| (v - value).abs() < 1e-9 && (h - half_width).abs() < 1e-9);
    assert!(near, "{found:?} in place of {value} ± {half_width}");
}

#[test]
fn without_the_begin_line_the_end_line_gives_the_total() {
    let end = |engine| Log::of(engine).rounded(Datum::Available, 21.7, 0.005).rounded(Datum::WeightUsage, 72.3, 0.004);
    // The begin line would stand up to 0.1 GiB below.
    close(fact(&end(Engine::Sglang), FactName::Total), 94.0, 0.109);
    assert_eq!(fact(&end(Engine::Vllm), FactName::Total), None);
    // Usage and what is free on two lines are of two moments.
    let apart = end(Engine::Sglang).set(|attempt| attempt.readings[1].line = 2);
    assert_eq!(fact(&apart, FactName::Total), None);
    close(fact(&end(Engine::Sglang).rounded(Datum::Total, 93.9, 0.105), FactName::Total), 93.9, 0.105);
}

#[test]
fn the_smallest_fraction_is_one_minus_the_share_that_is_free() {
    let log = |engine| Log::of(engine).rounded(Datum::Available, 20.0, 0.1).rounded(Datum::Total, 80.0, 0.4);
    // 0.1 / 80 + 20 × 0.4 / 80².
    close(fact(&log(Engine::Sglang), FactName::MinFraction), 0.75, 0.0025);
    assert_eq!(fact(&log(Engine::Vllm), FactName::MinFraction), None);
    assert_eq!(fact(&Log::of(Engine::Sglang).datum(Datum::Available, 20.0), FactName::MinFraction), None);
    // What the message advises is rounded up; computed from the load lines it is known better, and stands once.
    let advised = Log::of(Engine::Sglang).datum(Datum::AdvisedFraction, 0.751);
    close(fact(&advised, FactName::MinFraction), 0.751, 0.001);
    let both = log(Engine::Sglang).datum(Datum::AdvisedFraction, 0.751);
    close(fact(&both, FactName::MinFraction), 0.75, 0.0025);
    let facts = of(&both.attempt);
    assert_eq!(facts.0.iter().filter(|fact| fact.name == FactName::MinFraction).count(), 1);
}

#[test]
fn sizes_of_pools_and_blocks() {
    // Lines of a pool without a size leave room for the line that has one.
    let sized = Log::of(Engine::Sglang).pool(0.0, Some(100.0)).datum(Datum::KvSize, 3.0);
    close(fact(&sized, FactName::KvSize), 3.0, 0.0);
    let blocks =
        Log::of(Engine::LmdeployTurbomind).rounded(Datum::BlockSize, 0.004, 0.0005).datum(Datum::Blocks, 1000.0);
    close(fact(&blocks, FactName::KvSize), 4.0, 0.5);
}

#[test]
fn a_cell_is_the_pool_over_its_tokens_and_the_dummy_page() {
    let cell = |log: &Log| fact(log, FactName::Cell);
    let pool = || Log::of(Engine::Sglang).pool(10.0, Some(1000.0));
    close(cell(&pool()), 10.0 * GIB / 1001.0, 0.0);
    close(cell(&pool().argument("page_size", "64")), 10.0 * GIB / 1064.0, 0.0);
    // The larger pool of two counts its own tokens; where the full layers' pool is cut away nothing follows.
    close(cell(&pool().pool(2.0, Some(400.0))), 12.0 * GIB / 1001.0, 0.0);
    assert_eq!(cell(&pool().datum(Datum::FullTokens, 5000.0)), None);
    let other =
        |size, tokens| Log::of(Engine::LmdeployPytorch).rounded(Datum::KvSize, size, 0.5).datum(Datum::Tokens, tokens);
    close(cell(&other(4.0, 1024.0)), 4_194_304.0, 524_288.0);
    for (size, tokens) in [(0.0, 1024.0), (4.0, 0.0), (4.0, -5.0)] {
        assert_eq!(cell(&other(size, tokens)), None);
    }
}

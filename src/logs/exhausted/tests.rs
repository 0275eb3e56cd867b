//! Which part ran out, and whether a smaller fraction helps, at each stage.

use super::*;
use crate::logs::by_hand::Log;
use crate::logs::facts;
use Cause::*;
use Direction::{Lower, Unknown};
use Stage::{GraphCapture, KvPool, Running, Weights};

const NONE: Direction = Direction::None;

/// GPU memory ran out when the start had come that far.
fn oom(engine: Engine, stage: Option<Stage>) -> Log {
    Log::of(engine).signal(Signal::Oom).set(|attempt| attempt.oom_stage = stage)
}

fn sglang(stage: Stage) -> Log {
    oom(Engine::Sglang, Some(stage))
}

fn found(log: &Log) -> (Cause, Direction, Option<Stage>) {
    let found = ran_out(&log.attempt, &facts::of(&log.attempt));
    (found.cause, found.direction, found.stage)
}

#[test]
fn each_stage_has_its_own_cause() {
    assert_eq!(found(&sglang(Stage::Init)), (GpuShared, NONE, Some(Stage::Init)));
    assert_eq!(found(&sglang(Weights)), (WeightsTooLarge, NONE, Some(Weights)));
    assert_eq!(found(&sglang(Weights).signal(Signal::Draft)), (DraftMemory, Unknown, Some(Weights)));
    assert_eq!(found(&sglang(KvPool)), (PoolAllocOom, Lower, Some(KvPool)));
    assert_eq!(found(&sglang(GraphCapture)), (GraphCaptureOom, Lower, Some(GraphCapture)));
    assert_eq!(found(&sglang(Running)), (RuntimeOom, Lower, Some(Running)));
    assert_eq!(found(&oom(Engine::Sglang, None)), (RuntimeOom, Unknown, None));
    // A draft's worker opens its groups when the pools are there.
    let frames = |stages: &[Stage]| oom(Engine::Sglang, None).set(|attempt| attempt.frames = stages.to_vec());
    assert_eq!(found(&frames(&[Stage::Init, KvPool])), (PoolAllocOom, Lower, Some(KvPool)));
    assert_eq!(found(&frames(&[Stage::Init])), (GpuShared, NONE, Some(Stage::Init)));
}

#[test]
fn between_pools_and_graphs_it_is_the_second_model() {
    let second = |stage| oom(Engine::Sglang, stage).set(|attempt| attempt.second_model = true);
    let draft = (DraftMemory, Lower, Some(KvPool));
    let graphs = (GraphCaptureOom, Lower, Some(GraphCapture));
    assert_eq!(found(&second(Some(GraphCapture))), draft);
    assert_eq!(found(&second(Some(Weights))), draft);
    assert_eq!(found(&second(None)), (RuntimeOom, Unknown, None));
    assert_eq!(found(&second(Some(GraphCapture)).signal(Signal::CaptureBegin)), graphs);
    assert_eq!(found(&second(Some(GraphCapture)).signal(Signal::Capturing)), graphs);
    let framed = second(Some(GraphCapture)).set(|attempt| attempt.frames = vec![GraphCapture]);
    assert_eq!(found(&framed), graphs);
    assert_eq!(found(&sglang(GraphCapture)), graphs);
}

#[test]
fn vllm_profiles_before_it_has_a_pool() {
    let vllm = |stage| oom(Engine::Vllm, Some(stage));
    assert_eq!(found(&vllm(Weights)), (WeightsTooLarge, NONE, Some(Weights)));
    assert_eq!(found(&vllm(Weights).signal(Signal::LoadEnd)), (RuntimeOom, NONE, Some(Weights)));
    assert_eq!(found(&vllm(KvPool)), (RuntimeOom, NONE, Some(KvPool)));
    assert_eq!(found(&vllm(KvPool).signal(Signal::PoolMade)), (GraphCaptureOom, Lower, Some(GraphCapture)));
    let framed = vllm(KvPool).set(|attempt| attempt.frames = vec![KvPool]);
    assert_eq!(found(&framed), (PoolAllocOom, Lower, Some(KvPool)));
}

#[test]
fn llama_cpp_has_no_fraction() {
    let llama = || Log::of(Engine::LlamaCpp);
    assert_eq!(found(&llama().signal(Signal::ModelBufferOom)), (WeightsTooLarge, NONE, Some(Weights)));
    let cache = llama().signal(Signal::KvBufferOom).signal(Signal::Ready);
    assert_eq!(found(&cache), (PoolAllocOom, NONE, Some(KvPool)));
    assert_eq!(found(&llama().signal(Signal::Oom).signal(Signal::Ready)), (RuntimeOom, NONE, Some(Running)));
    assert_eq!(found(&llama().signal(Signal::Oom)), (PoolAllocOom, NONE, Some(KvPool)));
}

#[test]
fn more_at_once_than_the_gpu_has() {
    let tried = |tried| sglang(Running).datum(Datum::Tried, tried);
    let of_80 = |size| found(&tried(size).datum(Datum::Capacity, 80.0)).1;
    assert_eq!((of_80(81.0), of_80(80.0)), (NONE, Lower));
    // Without its size 64 GiB are taken for the limit.
    let unknown = |size| found(&tried(size)).1;
    assert_eq!((unknown(65.0), unknown(64.0), unknown(10.0)), (Unknown, Lower, Lower));
}

#[test]
fn no_value_both_starts_and_survives() {
    let log = |stage, fraction: f64, floor: (f64, f64), tried| {
        sglang(stage)
            .datum(Datum::Fraction, fraction)
            .rounded(Datum::MinFraction, floor.0, floor.1)
            .datum(Datum::Tried, tried)
            .datum(Datum::Free, 2.0)
            .datum(Datum::Total, 80.0)
    };
    let empty = (EmptyBand, NONE, Some(GraphCapture));
    let lower = (GraphCaptureOom, Lower, Some(GraphCapture));
    // 8 GiB of 80 are 0.1: 0.8 − 0.1 is below 0.75. 4 GiB leave 0.75, within what rounding leaves open.
    assert_eq!(found(&log(GraphCapture, 0.8, (0.75, 0.01), 10.0)), empty);
    assert_eq!(found(&log(GraphCapture, 0.8, (0.75, 0.01), 6.0)), lower);
    assert_eq!(found(&log(GraphCapture, 0.75, (0.75, 0.0), 1.0)), lower, "nothing was short");
    assert_eq!(found(&log(Running, 0.8, (0.75, 0.01), 10.0)), (RuntimeOom, Lower, Some(Running)));
}

#[test]
fn a_gpu_that_was_full_before_the_weights() {
    let full = |begin, held: Option<f64>| {
        let log = sglang(Weights).datum(Datum::Total, begin).datum(Datum::Capacity, 80.0).datum(Datum::Free, 10.0);
        match held {
            Some(held) => log.datum(Datum::InUse, held),
            None => log,
        }
    };
    let shared = (GpuShared, NONE, Some(Weights));
    let first_model = (DraftMemory, Unknown, Some(Weights));
    assert_eq!(found(&full(40.0, None)), shared);
    // Three quarters free are a GPU of one's own from just above that.
    assert_eq!(found(&full(60.0, None)), shared);
    assert_eq!(found(&full(60.1, None)), (WeightsTooLarge, NONE, Some(Weights)));
    // 30 GiB were loaded since: this process holds 3 GiB more than that, so it had a first model.
    assert_eq!(found(&full(40.0, Some(33.5))), first_model);
    assert_eq!(found(&full(40.0, Some(33.0))), shared);
    assert_eq!(found(&full(40.0, Some(32.5))), shared);
    // A draft model loads when the target fills the GPU.
    assert_eq!(found(&full(40.0, None).signal(Signal::Draft)), first_model);
    let second = full(40.0, None).set(|attempt| attempt.second_model = true);
    assert_eq!(found(&second), (DraftMemory, Lower, Some(KvPool)));
    // Later than the weights the pools themselves fill it.
    let pool = full(40.0, None).set(|attempt| attempt.oom_stage = Some(KvPool));
    assert_eq!(found(&pool), (PoolAllocOom, Lower, Some(KvPool)));
}

#[test]
fn what_others_hold() {
    let listed = |engine: Option<Engine>, own| {
        let log = Log::default().datum(Datum::OtherProcess, 70.0).datum(Datum::Capacity, 80.0);
        others(&log.datum(Datum::Allocated, own).set(|attempt| attempt.engine = engine).attempt)
    };
    let near = |found: Option<f64>, value: f64| found.is_some_and(|found| (found - value).abs() < 1e-9);
    // The list names this process too, with a context of 0.6 GiB.
    assert!(near(listed(Some(Engine::Sglang), 5.0), 64.4));
    assert!(near(listed(Some(Engine::Sglang), 40.0), 29.4));
    let reserved = |own| {
        let log = Log::of(Engine::Sglang).datum(Datum::OtherProcess, 70.0).datum(Datum::Capacity, 80.0);
        others(&log.datum(Datum::Allocated, own).datum(Datum::Reserved, 2.0).attempt)
    };
    assert!(near(reserved(5.0), 62.4));
    assert_eq!(reserved(38.1), None, "what is reserved is its own too");
    assert_eq!(listed(Some(Engine::Sglang), 40.1), None, "half of the GPU is its own");
    assert_eq!(listed(Some(Engine::TensorrtLlm), 5.0), None);
    assert!(near(listed(None, 5.0), 64.4));
    let alone = Log::default().datum(Datum::OtherProcess, 70.0).datum(Datum::Capacity, 80.0);
    assert_eq!(others(&alone.datum(Datum::Allocated, 5.0).datum(Datum::Processes, 1.0).attempt), None);
    // A tenth of the GPU, and no more, is what contexts take.
    let beside = |held| {
        let log = Log::of(Engine::Sglang).datum(Datum::OtherProcess, held).datum(Datum::Capacity, 80.0);
        others(&log.datum(Datum::InUse, 60.0).attempt)
    };
    assert_eq!((beside(8.0), beside(8.1)), (None, Some(8.1)));
}

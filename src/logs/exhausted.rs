//! GPU memory ran out: at which stage, for which part, and who holds it.

use super::attempt::Attempt;
use super::diagnose::{Verdict, verdict};
use super::report::{Cause, Direction, Engine, FactList, FactName, Stage};
use super::rules::{Consumer, Datum, Signal};

/// One allocation of this size, GiB, may be more than the whole GPU has, where its size is not in the log.
const HUGE: f64 = 64.0;

/// What the failed allocation was short by, GiB: a lower bound.
pub fn shortage(attempt: &Attempt) -> Option<f64> {
    let (tried, free) = (attempt.value(Datum::Tried)?, attempt.value(Datum::Free)?);
    Some((tried - free).max(0.0))
}

/// GPU memory ran out: where, and who holds it.
pub fn ran_out(attempt: &Attempt, facts: &FactList) -> Verdict {
    use Cause::*;
    let none = Direction::None;
    let saw = |signal| attempt.saw(signal);
    // The GPU's own allocator has a class of its own; pinning the host's memory gives a bare error of CUDA.
    let running = attempt.oom_stage == Some(Stage::Running);
    if attempt.consumer() == Some(Consumer::HostPool) && !running && !saw(Signal::Allocator) {
        return verdict(NotMemory, none, attempt.progress);
    }
    if attempt.engine == Some(Engine::LlamaCpp) {
        let running = saw(Signal::Ready) || saw(Signal::Frame(Stage::Running));
        return match () {
            () if saw(Signal::ModelBufferOom) => verdict(WeightsTooLarge, none, Some(Stage::Weights)),
            () if saw(Signal::KvBufferOom) => verdict(PoolAllocOom, none, Some(Stage::KvPool)),
            () if running => verdict(RuntimeOom, none, Some(Stage::Running)),
            () => verdict(PoolAllocOom, none, Some(Stage::KvPool)),
        };
    }
    let stage = oom_stage(attempt);
    if others(attempt).is_some() {
        return verdict(GpuShared, none, stage);
    }
    if stage == Some(Stage::Weights)
        && let Some(verdict) = was_full(attempt)
    {
        return verdict;
    }
    let vllm = attempt.engine == Some(Engine::Vllm);
    let in_pool = attempt.frames.contains(&Stage::KvPool);
    let lower = match stage {
        Some(Stage::Weights) if vllm && (saw(Signal::LoadEnd) || saw(Signal::Profiling)) => {
            return verdict(RuntimeOom, none, stage);
        }
        // The device was full before anything of this server was on it.
        Some(Stage::Init) => return verdict(GpuShared, none, stage),
        Some(Stage::Weights) if attempt.second_model => verdict(DraftMemory, Direction::Lower, Some(Stage::KvPool)),
        // Draft weights come after the target's pool before 0.5.14 and before it since then.
        Some(Stage::Weights) if saw(Signal::Draft) => return verdict(DraftMemory, Direction::Unknown, stage),
        Some(Stage::Weights) => return verdict(WeightsTooLarge, none, stage),
        Some(Stage::KvPool) if vllm && in_pool => verdict(PoolAllocOom, Direction::Lower, stage),
        // vLLM profiles a forward pass before it has a pool: the fraction does not enter.
        Some(Stage::KvPool) if vllm && !saw(Signal::PoolMade) => return verdict(RuntimeOom, none, stage),
        Some(Stage::KvPool) if vllm => verdict(GraphCaptureOom, Direction::Lower, Some(Stage::GraphCapture)),
        Some(Stage::KvPool) if attempt.second_model || saw(Signal::Draft) => {
            verdict(DraftMemory, Direction::Lower, stage)
        }
        Some(Stage::KvPool) if attempt.engine == Some(Engine::Sglang) || in_pool => {
            verdict(PoolAllocOom, Direction::Lower, stage)
        }
        Some(Stage::GraphCapture) => verdict(GraphCaptureOom, Direction::Lower, stage),
        // The message alone does not say when: while weights load, the fraction does not enter.
        None if !saw(Signal::WarmupOom)
            && !saw(Signal::Graphs)
            && attempt.engine != Some(Engine::LmdeployTurbomind) =>
        {
            return verdict(RuntimeOom, Direction::Unknown, None);
        }
        _ => verdict(RuntimeOom, Direction::Lower, stage.filter(|stage| *stage == Stage::Running)),
    };
    // More was asked for at once than the GPU has.
    match (attempt.value(Datum::Tried), attempt.value(Datum::Capacity)) {
        (Some(tried), Some(capacity)) if tried > capacity => return verdict(lower.cause, none, lower.stage),
        (Some(tried), None) if tried > HUGE => return verdict(lower.cause, Direction::Unknown, lower.stage),
        _ => {}
    }
    // Lowering by the shortage alone already leaves no pool: no value starts and survives.
    let floor = facts.get(FactName::MinFraction);
    if let (Some(fraction), Some(floor), Some(short), Some(total)) =
        (facts.value(FactName::Fraction), floor, shortage(attempt), facts.value(FactName::Total))
        && stage != Some(Stage::Running)
        && fraction - short / total < floor.value - floor.half_width
    {
        return verdict(EmptyBand, none, stage);
    }
    lower
}

/// Memory ran out while weights load, and much of the GPU was taken before they began to: by this process, so by a first
/// model, or by another.
fn was_full(attempt: &Attempt) -> Option<Verdict> {
    if attempt.engine != Some(Engine::Sglang) || attempt.second_model || attempt.saw(Signal::Draft) {
        return None;
    }
    let (begin, capacity) = (attempt.value(Datum::Total)?, attempt.value(Datum::Capacity)?);
    if begin > 0.75 * capacity {
        return None;
    }
    let loaded = begin - attempt.value(Datum::Free).unwrap_or(0.0);
    let own = attempt.value(Datum::InUse).is_some_and(|held| held > loaded + 3.0);
    let (cause, direction) =
        if own { (Cause::DraftMemory, Direction::Unknown) } else { (Cause::GpuShared, Direction::None) };
    Some(verdict(cause, direction, Some(Stage::Weights)))
}

fn oom_stage(attempt: &Attempt) -> Option<Stage> {
    if attempt.oom_stage == Some(Stage::Running) {
        return Some(Stage::Running);
    }
    if attempt.saw(Signal::CaptureFailed) {
        return Some(Stage::GraphCapture);
    }
    if attempt.saw(Signal::WarmupOom) {
        return None;
    }
    // A draft model's worker opens its groups when the target has its pools.
    let later = attempt.frames.iter().find(|stage| **stage > Stage::Init);
    let framed = later.or(attempt.frames.first().filter(|_| attempt.oom_stage.is_none())).copied();
    // After the pools and before any capture, with a second model in play: its pool.
    let between = attempt.oom_stage == Some(Stage::GraphCapture)
        && !attempt.saw(Signal::CaptureBegin)
        && !attempt.saw(Signal::Capturing);
    if framed.is_none() && between && attempt.second_model {
        return Some(Stage::KvPool);
    }
    framed.or(attempt.oom_stage)
}

/// What other processes hold of the GPU, GiB, where that is a tenth of it or more.
pub fn others(attempt: &Attempt) -> Option<f64> {
    let listed = attempt.value(Datum::OtherProcess)?;
    let capacity = attempt.value(Datum::Capacity)?;
    let others = match attempt.value(Datum::InUse) {
        Some(_) => listed,
        // Nearly all of TensorRT-LLM's own memory is outside of PyTorch.
        None if attempt.engine == Some(Engine::TensorrtLlm) => return None,
        // One process that holds it all, and nothing says which engine that is: it may be this one.
        None if attempt.engine.is_none() && attempt.value(Datum::Processes) == Some(1.0) => return None,
        // The list names this process too, by a number of its container; a context is about half a GiB.
        None => {
            let own = attempt.value(Datum::Allocated)? + attempt.value(Datum::Reserved).unwrap_or(0.0);
            if own > capacity / 2.0 {
                return None;
            }
            listed - own - 0.6
        }
    };
    (others > (capacity / 10.0).max(1.0)).then_some(others)
}

#[cfg(test)]
mod tests;

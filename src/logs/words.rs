//! The sentences of a diagnosis, and the issues beside it.

mod issues;

pub use issues::issues;

use super::attempt::Attempt;
use super::diagnose::{Verdict, budget};
use super::exhausted::{others, shortage};
use super::report::{Cause, Direction, Engine, FactList, FactName, Stage};
use super::rules::{Consumer, Datum, Signal};
use super::sentence::fill;

/// Amounts of the budget with the decimals that the log gave them: two in SGLang’s own lines, three in a debug print.
fn exactly(facts: &FactList, template: &str, values: &[f64]) -> String {
    let fine = [FactName::Total, FactName::Available];
    if fine.iter().all(|name| facts.get(*name).is_some_and(|fact| fact.half_width < 0.001)) {
        return fill(&template.replace("{g}", "{d}"), values);
    }
    fill(template, values)
}

/// The RESULT line.
pub fn result(attempt: &Attempt, verdict: Verdict, facts: &FactList) -> String {
    let fact = |name| facts.value(name);
    let floor = fact(FactName::MinFraction);
    let rest = fact(FactName::Rest).or_else(|| budget(facts).map(|(rest, _)| rest)).filter(|rest| *rest < 0.0);
    let raise = || match (rest, floor) {
        (Some(rest), Some(floor)) => {
            let short = " It is short by {g}; the smallest fraction that starts is above {m}.";
            exactly(facts, short, &[-rest, floor])
        }
        (Some(rest), None) => exactly(facts, " It is short by {g}.", &[-rest]),
        (None, Some(floor)) => fill(" The smallest fraction that starts is above {m}.", &[floor]),
        (None, None) => String::new(),
    };
    let end = match verdict.cause {
        Cause::NoRoomAtStart | Cause::FlagNotInForce | Cause::HybridState if verdict.direction == Direction::Raise => {
            raise()
        }
        Cause::DraftMemory
        | Cause::PoolAllocOom
        | Cause::GraphCaptureOom
        | Cause::RuntimeOom
        | Cause::WeightsTooLarge => {
            shortage(attempt).map_or(String::new(), |short| fill(" At least {g} were missing.", &[short]))
        }
        _ => String::new(),
    };
    let mut values = [0.0; 3];
    let template = match verdict.cause {
        Cause::NoRoomAtStart if verdict.direction == Direction::None => {
            "Cannot start: the engine’s own buffers leave nothing for the KV cache."
        }
        Cause::NoRoomAtStart if verdict.direction == Direction::Unknown => {
            "Cannot start: no room for the KV cache; the message is cut before its numbers."
        }
        Cause::NoRoomAtStart => "Cannot start: no room for the KV cache; raise the fraction.",
        Cause::FlagNotInForce => "Cannot start: the value in force is lower than the one that was set.",
        Cause::HybridState if verdict.direction == Direction::Raise => {
            "Cannot start: no room for the state cache; raise the fraction."
        }
        Cause::HybridState if attempt.saw(Signal::StateSlotsFull) => {
            "State slots are used up: GPU memory and KV tokens are not."
        }
        Cause::HybridState => {
            "Cannot start: something of a fixed size is taken before the KV pool and leaves nothing for it."
        }
        Cause::DraftMemory => "Out of memory for the draft model.",
        Cause::PoolAllocOom => "Out of memory while the pools were allocated.",
        Cause::GraphCaptureOom => "Out of memory after the pools, in warm-up or graph capture.",
        Cause::RuntimeOom if verdict.direction == Direction::Unknown => {
            "GPU memory ran out; at which step is not in this paste."
        }
        Cause::RuntimeOom if verdict.stage.is_none() => "Out of memory beside the pool, in buffers or a forward pass.",
        Cause::RuntimeOom => "Out of memory in a forward pass.",
        Cause::EmptyBand => "No fraction works: what is too low to start is next to what is too high to run.",
        Cause::PoolFull => "The KV pool was full: requests waited or were retracted; GPU memory did not run out.",
        Cause::PoolSmallerThanContext => {
            let prompt = attempt.value(Datum::PromptTokens).filter(|_| attempt.engine == Some(Engine::Sglang));
            match (prompt.or(fact(FactName::Context)), fact(FactName::Tokens).or(attempt.value(Datum::FittingContext)))
            {
                (Some(context), Some(pool)) => {
                    values = [context, pool, 0.0];
                    "One request of {n} tokens does not fit: the pool holds {n}."
                }
                _ => "One request of the wanted length does not fit the KV pool.",
            }
        }
        Cause::PoolSmallerThanExpected => "It started with a smaller pool than its own numbers allow.",
        Cause::GpuShared => match others(attempt) {
            Some(held) => {
                values = [held, 0.0, 0.0];
                "Another process holds about {g} of this GPU."
            }
            None => "Another process uses this GPU.",
        },
        Cause::GpusUnequal => "The GPUs differ in free memory by more than a tenth, and the start was refused for it.",
        Cause::WeightsTooLarge => "The weights alone do not fit.",
        Cause::FractionOverFree => match (fact(FactName::Fraction), fact(FactName::Available), fact(FactName::Total)) {
            (Some(fraction), Some(free), Some(total)) => {
                values = [fraction, free, total];
                "The fraction {f} asks for more than is free: {g} of {g}."
            }
            _ => "The fraction asks for more than there is.",
        },
        Cause::Healthy => match (fact(FactName::Tokens), fact(FactName::AvailableAtEnd)) {
            (Some(pool), Some(end)) => {
                values = [pool, end, 0.0];
                "It started: {n} tokens of KV cache, {g} left free."
            }
            (Some(pool), None) => {
                values = [pool, 0.0, 0.0];
                "It started: {n} tokens of KV cache."
            }
            (None, Some(end)) => {
                values = [end, 0.0, 0.0];
                "It started; {g} left free."
            }
            _ => "It started.",
        },
        Cause::NotMemory if is_host(attempt) => "Host memory ran out, not the GPU’s.",
        Cause::NotMemory if is_killed(attempt) => {
            "Killed from outside (signal 9): most likely host memory ran out, not the GPU’s."
        }
        Cause::NotMemory => "This is not a memory problem.",
        Cause::ReasonMissing => match fact(FactName::Tokens).filter(|pool| *pool > 0.0) {
            Some(pool) if broke(attempt).is_some() => {
                values = [pool, 0.0, 0.0];
                "The reason is not in this paste: the pool of {n} tokens was there, then it failed."
            }
            Some(pool) => {
                values = [pool, 0.0, 0.0];
                "Nothing failed in these lines: the pool of {n} tokens is there. If it died later, the reason is not in this paste."
            }
            None => "The reason is not in this paste.",
        },
    };
    fill(template, &values) + &end
}

/// What says that it failed, without saying why.
fn broke(attempt: &Attempt) -> Option<(&'static str, u64)> {
    [
        (Signal::Traceback, "A traceback begins"),
        (Signal::CaptureFailed, "The capture failed"),
        (Signal::Died, "It died"),
    ]
    .into_iter()
    .find_map(|(signal, words)| Some((words, attempt.line(signal)?)))
}

/// The host's memory is what ran out.
fn is_host(attempt: &Attempt) -> bool {
    attempt.saw(Signal::HostMemory) || attempt.consumer() == Some(Consumer::HostPool)
}

/// It was killed, and nothing says why.
fn is_killed(attempt: &Attempt) -> bool {
    attempt.saw(Signal::Killed) && !attempt.saw(Signal::NotMemory) && attempt.exception.is_none()
}

/// Why, in at most two sentences.
pub fn why(attempt: &Attempt, verdict: Verdict, facts: &FactList) -> String {
    let fact = |name| facts.value(name);
    let mut values = [0.0; 3];
    let template = match verdict.cause {
        Cause::NoRoomAtStart | Cause::FlagNotInForce if attempt.engine == Some(Engine::Sglang) => {
            return no_room(facts);
        }
        Cause::NoRoomAtStart if verdict.direction == Direction::None => {
            "The engine takes its own buffers off before the fraction is applied, so no fraction helps: ask for smaller batches or prefills."
        }
        Cause::NoRoomAtStart if matches!(attempt.engine, Some(Engine::LmdeployPytorch | Engine::LmdeployTurbomind)) => {
            "The ratio is a share of what the weights and the engine’s own reserve leave free, and that share holds too few blocks."
        }
        Cause::NoRoomAtStart | Cause::FlagNotInForce => {
            "Weights, activations and graphs take the whole share that the fraction gives; a larger fraction leaves something for the cache."
        }
        Cause::HybridState if attempt.saw(Signal::StateSlotsFull) => {
            let flags = match attempt.engine {
                Some(Engine::Vllm) => "Run fewer requests (--max-num-seqs).",
                _ => {
                    "Raise that number (--mamba-full-memory-ratio or --max-mamba-cache-size), or run fewer requests (--max-running-requests)."
                }
            };
            return [
                "Each request, and each cached prefix, holds state slots, whose number is fixed at start. ",
                flags,
            ]
            .concat();
        }
        Cause::HybridState if verdict.direction == Direction::None => {
            match (fact(FactName::Fraction), fact(FactName::MinFraction)) {
                (Some(fraction), Some(floor)) => {
                    values = [floor, fraction, 0.0];
                    "The printed minimum {m} is below the fraction in force, {f}: it counts the weights only. State slots or a fixed reserve take the rest."
                }
                _ => "State slots or a fixed reserve are taken before the pool.",
            }
        }
        Cause::HybridState => {
            "Linear-attention state or a sliding-window pool is taken out of the same budget as the KV cache, and the budget does not hold it."
        }
        Cause::DraftMemory if verdict.direction == Direction::Unknown => {
            "Before 0.5.14 the draft model comes after the pool, and a smaller fraction makes room for it. Since then it comes before the pool, and the fraction plays no part."
        }
        Cause::DraftMemory => {
            "The target’s pool was sized before the draft model’s weights or pool came: they must fit into what the fraction leaves outside."
        }
        Cause::PoolAllocOom | Cause::GraphCaptureOom | Cause::RuntimeOom => return ran_out(attempt, verdict, facts),
        Cause::EmptyBand => {
            "Raising it leaves too little for graphs and activations, lowering it leaves no pool. Only smaller graphs, chunks, drafts or weights help."
        }
        Cause::PoolFull => "This counts tokens of the pool, not bytes of the GPU.",
        Cause::PoolSmallerThanContext => match (attempt.value(Datum::NeedKv), fact(FactName::Rest)) {
            (Some(need), Some(rest)) => {
                values = [need, rest, 0.0];
                "One full request needs {g} of KV cache, {g} are there."
            }
            _ => "The pool is what the fraction leaves after the weights; the context is what a request may be long.",
        },
        Cause::GpuShared => {
            "The engine measures free memory once, at its start; what others take before or after is missing."
        }
        Cause::GpusUnequal => match (fact(FactName::Total), attempt.most(Datum::LargestGpu)) {
            (Some(least), Some(most)) => {
                values = [least, most, 0.0];
                "One GPU has {g} free, another {g}; the smaller counts for all."
            }
            _ if attempt.saw(Signal::CaptureEnd) => {
                "The check ran again for the draft model, when little was left: a false alarm of old versions."
            }
            _ => "Another process may hold one of them, or the cards are of different size.",
        },
        Cause::WeightsTooLarge => {
            "Memory ran out before there was a pool: the fraction plays no part. More GPUs, or smaller weights."
        }
        Cause::FractionOverFree => {
            "The share is of the whole device, including what other processes hold, and is checked before anything is loaded."
        }
        Cause::NotMemory if is_host(attempt) => {
            "The fraction plays no part. Give the machine or the container more RAM, or load and cache less in it."
        }
        Cause::NotMemory if is_killed(attempt) => {
            "Nothing of the GPU failed in these lines. dmesg or the container’s state (OOMKilled) tells for sure; then give it more RAM, or load and cache less in it."
        }
        Cause::NotMemory => match &attempt.exception {
            Some((text, line)) => return fill("Line {c} names another reason: ", &[*line as f64]) + text,
            None if attempt.saw(Signal::PromptTooLong) => "The prompt is longer than the model’s context.",
            None => match attempt.line(Signal::NotMemory) {
                Some(line) => {
                    values = [line as f64, 0.0, 0.0];
                    "The text in line {c} names another reason; what it says of the fraction is general advice."
                }
                None => "The text names another reason; what it says of the fraction is general advice.",
            },
        },
        Cause::ReasonMissing => match verdict.stage {
            stage if broke(attempt).is_some() => {
                let (words, line) = broke(attempt).unwrap_or_default();
                let template = " in line {c}, and no line here names the reason. Add the last lines of the traceback.";
                let before = if stage.is_some() { " Up to there these lines show nothing wrong." } else { "" };
                return [words, &fill(template, &[line as f64]), before].concat();
            }
            Some(_) => "The lines that are here show nothing wrong; add the last lines of the traceback.",
            None if attempt.engine == Some(Engine::Sglang) => {
                "Add the lines from “Load weight begin” to the end, and the last lines of the traceback."
            }
            None => "Add the lines from the loading of the weights to the end, and the last lines of the traceback.",
        },
        Cause::Healthy | Cause::PoolSmallerThanExpected => match budget(facts) {
            Some((rest, _)) => {
                values = [fact(FactName::Available).unwrap_or(0.0), rest, 0.0];
                "Of {g} free after the weights the fraction gave {g} to the pool."
            }
            None => "Nothing in these lines failed.",
        },
    };
    fill(template, &values)
}

fn no_room(facts: &FactList) -> String {
    let fact = |name| facts.value(name);
    match (fact(FactName::Total), fact(FactName::Available), fact(FactName::Fraction)) {
        (Some(total), Some(available), Some(fraction)) => exactly(
            facts,
            "Of {g} free before the weights, {g} are left after them, and a fraction of {f} keeps {g} back. Lowering it keeps back more.",
            &[total, available, fraction, total * (1.0 - fraction)],
        ),
        (Some(total), Some(available), None) => exactly(
            facts,
            "The weights took {g} of {g}: the fraction has to be larger than that share.",
            &[total - available, total],
        ),
        _ => "The fraction covers weights and KV cache together, and the weights alone take more. Lowering it makes this worse.".to_owned(),
    }
}

fn ran_out(attempt: &Attempt, verdict: Verdict, facts: &FactList) -> String {
    let mut text = match (attempt.value(Datum::Tried), attempt.value(Datum::Free)) {
        (Some(tried), Some(free)) => fill("{g} were asked for and {g} were free. ", &[tried, free]),
        (Some(tried), None) => fill("{g} were asked for. ", &[tried]),
        _ => String::new(),
    };
    text.push_str(match attempt.consumer() {
        _ if verdict.direction == Direction::Unknown && verdict.cause != Cause::RuntimeOom => {
            "Another attempt in this paste was refused for want of room, so neither a smaller nor a larger fraction can be promised."
        }
        _ if verdict.direction == Direction::Unknown => {
            "While weights load, the fraction plays no part; after that, a smaller one leaves more. Add the lines before this one, back to where the weights load."
        }
        Some(Consumer::SymmetricMemory) => "Buffers of symmetric memory come on top of the pool.",
        Some(Consumer::Logits) if verdict.stage == Some(Stage::Running) => {
            "Logits of a prompt come on top of the pool: they grow with its length and the vocabulary."
        }
        Some(Consumer::Images) => "Image preparation comes on top of the pool.",
        Some(Consumer::ExpertBuffers) => "Buffers of expert parallelism come on top of the pool.",
        _ if attempt.value(Datum::Tried) > attempt.value(Datum::Capacity) && attempt.value(Datum::Capacity).is_some() => {
            "That is more at once than the GPU has: no fraction makes room for it."
        }
        _ if attempt.saw(Signal::KvBufferOom) => "The cache is allocated for the whole context at start, and it does not fit.",
        _ if verdict.cause == Cause::PoolAllocOom && verdict.direction == Direction::Lower => {
            "The pool does not fit beside everything else: the table of requests, a draft model, or another process."
        }
        _ if verdict.direction == Direction::None => {
            "The fraction plays no part here: this memory is needed outside of the pool."
        }
        _ if facts.get(FactName::Fraction).is_some() => "The pool itself fits; what must fit outside of it does not.",
        _ => "What must fit outside the pool does not.",
    });
    text
}

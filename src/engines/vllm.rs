//! vLLM V1: a fraction of the physical total, from which everything that the profile run saw is subtracted.
//!
//! Rules of `vllm/v1/worker/{utils,gpu_worker}.py`, `vllm/v1/core/kv_cache_planning.py` and `kv_cache_utils.py`, executed in
//! the releases that `vllm::rules` lists.

mod layout;
mod messages;
mod rules;

use self::layout::{Layout, layout};
use self::rules::Rules;
use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use crate::issue::IssueKind;

/// vLLM in the shared vocabulary.
pub const FACTS: EngineFacts = EngineFacts {
    name: "vllm",
    title: "vLLM",
    checked: "0.33.0",
    trust: Trust::Executed,
    sources: "vllm/config/cache.py, vllm/v1/worker/gpu_worker.py, vllm/v1/worker/utils.py, vllm/v1/core/kv_cache_planning.py",
    knobs: &[
        Knob {
            name: "gpu_memory_utilization",
            flag: "--gpu-memory-utilization ",
            base: Base::PhysicalTotal,
            less: &[Charge::Weights, Charge::NonTorch, Charge::ActivationPeak, Charge::GraphEstimate],
            rounding: Rounding::BlocksDown(16),
            defaults: &[
                KnobDefault { since: "", value: Some(rules::OLD_FRACTION) },
                KnobDefault { since: "0.20.0", value: Some(rules::FRACTION) },
            ],
            accepts: Accepts::AboveZeroToOne,
        },
        Knob {
            name: "kv_cache_memory_bytes",
            flag: "--kv-cache-memory-bytes ",
            base: Base::Bytes,
            less: &[],
            rounding: Rounding::BlocksDown(16),
            defaults: &[KnobDefault { since: "0.10.2", value: None }],
            accepts: Accepts::Whole,
        },
    ],
    refusals: &[
        Refusal {
            text: messages::NO_MEMORY,
            remedy: Remedy::Raise,
            when: "Weights, activations and graphs take more than the fraction allows.",
        },
        Refusal {
            text: messages::ONE_REQUEST,
            remedy: Remedy::Raise,
            when: "The pool is smaller than one request of the longest length; a shorter one cures it as well.",
        },
        Refusal {
            text: messages::FREE_MEMORY,
            remedy: Remedy::Lower,
            when: "The fraction asks for more than is free before the weights are loaded.",
        },
    ],
    too_low: Edge::Refuses,
    too_high: Edge::Refuses,
};

/// Sizes vLLM's pool.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    let rules = rules::of_version(&inputs.version, out);
    let shape = inputs.shape(out)?;
    let layout = layout(inputs, &shape, rules, out)?;
    let budgets = budgets(inputs, rules, out)?;
    out.avail_bytes = budgets.iter().min().copied();
    let asked = inputs.extra.whole(Key::BlocksOverride).filter(|_| rules.override_heard);
    let asked_bytes = match asked {
        Some(blocks) => Some(out.count(blocks.checked_mul(layout.bytes_per_block), "extra.num_gpu_blocks_override")?),
        None => None,
    };
    let seen = match asked_bytes.filter(|_| rules.override_checked) {
        Some(bytes) => vec![bytes],
        None if rules.all_stages => budgets.iter().min().copied().into_iter().collect(),
        None => budgets.clone(),
    };
    for bytes in &seen {
        let usable = if rules.null_block { bytes.saturating_sub(layout.bytes_per_block) } else { *bytes };
        fits(inputs, rules, &layout, usable, out)?;
    }
    let blocks = match asked {
        Some(blocks) => blocks,
        None => budgets.iter().min()?.div_euclid(layout.bytes_per_block),
    };
    out.bytes_per_block = Some(layout.bytes_per_block);
    out.blocks = Some(blocks);
    out.kv_bytes = Some(out.count(blocks.checked_mul(layout.bytes_per_block), "value")?);
    capacity(inputs, rules, &layout, blocks, out)
}

/// Whether the checks pass with `usable` bytes; refuses as the engine does.
fn fits(inputs: &Inputs, rules: Rules, layout: &Layout, usable: i64, out: &mut Outcome) -> Option<()> {
    let length = inputs.max_model_len.filter(|length| *length > 0);
    // Without a length the engine first looks for one that fits; one token is the shortest.
    if rules.auto_fit && inputs.max_model_len == Some(-1) {
        let least = layout.demand.and_then(|demand| demand.bytes(1)).unwrap_or(layout.bytes_per_block);
        if least > usable {
            out.refuse(messages::no_token());
            return None;
        }
    }
    if usable <= 0 {
        out.refuse(messages::no_memory(rules.release));
        return None;
    }
    let Some(length) = length else { return Some(()) };
    let Some(demand) = layout.demand else {
        let message = "Not given, so whether one request of the longest length fits could not be checked.";
        out.note("extra.max_in_flight_tokens", IssueKind::NotMeasured, message);
        return Some(());
    };
    let needed = out.count(demand.bytes(length), "max_model_len")?;
    if needed > usable {
        let longest = demand.longest(usable, length);
        out.refuse(messages::one_request(rules.release, length, needed, usable, longest));
        return None;
    }
    Some(())
}

/// The printed capacity (`get_kv_cache_capacity`).
fn capacity(inputs: &Inputs, rules: Rules, layout: &Layout, blocks: i64, out: &mut Outcome) -> Option<()> {
    if !rules.by_request {
        out.tokens = Some(blocks / (layout.full_groups + layout.window_groups) * layout.block_size);
        return Some(());
    }
    let length = out.need(inputs.max_model_len, "max_model_len")?;
    if length <= 0 {
        let message = "With -1 vLLM shortens the model's own length until one request fits; that length was not given.";
        out.note("max_model_len", IssueKind::NotMeasured, message);
        return None;
    }
    let needed = out.need(layout.blocks_per_request(length), "extra.max_in_flight_tokens")?;
    let concurrency = blocks as f64 / needed as f64;
    out.tokens = Some((concurrency * length as f64) as i64);
    out.max_concurrency = Some(concurrency);
    Some(())
}

/// Bytes for the KV cache on each rank; `None` after a refusal or where they cannot be known.
fn budgets(inputs: &Inputs, rules: Rules, out: &mut Outcome) -> Option<Vec<i64>> {
    if inputs.knob.base == Base::Bytes {
        let bytes = inputs.accepted_value(None, out)?;
        if !rules.bytes_knob {
            let message = "vLLM has this knob since 0.10.2.";
            out.note("knob", IssueKind::UnknownValue, message);
            return None;
        }
        // The free-memory check has no branch for this knob: the fraction, given or not, must still be free.
        refuse_if_not_free(inputs, rules, rules.fraction, out)?;
        return Some(vec![bytes as i64]);
    }
    if inputs.total.0.is_empty() && !inputs.avail.0.is_empty() {
        return Some(inputs.avail.0.clone());
    }
    let fraction = inputs.accepted_value(Some(rules.fraction), out)?;
    out.need(inputs.total.min(), "total_bytes")?;
    if !rules.whole_card {
        refuse_if_not_free(inputs, rules, fraction, out)?;
    }
    let columns = [&inputs.total, &inputs.free_init, &inputs.consumed, &inputs.act_peak, &inputs.cudagraph];
    let ranks = columns.iter().map(|column| column.0.len()).max().unwrap_or(1);
    let graphs = rules.graphs_known && inputs.extra.flag(Key::EstimateGraphs).unwrap_or(rules.graphs);
    if graphs && inputs.cudagraph.0.is_empty() {
        out.note("cudagraph_bytes", IssueKind::NotMeasured, "Not given; the graph estimate is taken as 0.");
    } else if !graphs && inputs.cudagraph.0.iter().any(|bytes| *bytes > 0) {
        let message = "This version subtracts no graph estimate by default; it was not counted.";
        out.note("cudagraph_bytes", IssueKind::Conflict, message);
    }
    let mut budgets = Vec::new();
    for rank in 0..ranks {
        let total = inputs.total.at(rank)?;
        let consumed = out.need(inputs.consumed.at(rank), "consumed_bytes")?;
        let peak = out.need(inputs.act_peak.at(rank), "act_peak_bytes")?;
        let graph = if graphs { inputs.cudagraph.at(rank).unwrap_or(0) } else { 0 };
        let others =
            if rules.whole_card { total - out.need(inputs.free_init.at(rank), "free_init_bytes")? } else { 0 };
        if rules.whole_card && inputs.extra.whole(Key::OtherProcesses).is_some_and(|bytes| bytes > others) {
            out.note("extra.other_process_bytes", IssueKind::Conflict, "More than is missing from the total.");
            return None;
        }
        budgets.push((rules.requested(total, fraction) - (consumed + peak + graph + others) as f64) as i64);
    }
    Some(budgets)
}

/// `request_memory`: free memory before the weights must cover the whole fraction.
fn refuse_if_not_free(inputs: &Inputs, rules: Rules, fraction: f64, out: &mut Outcome) -> Option<()> {
    let ranks = inputs.total.0.len().max(inputs.free_init.0.len());
    for rank in 0..ranks {
        let (Some(total), Some(free)) = (inputs.total.at(rank), inputs.free_init.at(rank)) else {
            let message = "Not given, so whether enough is free before the weights could not be checked.";
            out.note("free_init_bytes", IssueKind::NotMeasured, message);
            return Some(());
        };
        let requested = rules.requested(total, fraction);
        if (free as f64) < requested {
            let rank = i64::try_from(rank).unwrap_or(0);
            out.refuse(messages::free_memory(rules.release, rank, [free as f64, total as f64, requested], fraction));
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(query: &str) -> Outcome {
        let (inputs, issues) = Inputs::read(query);
        assert_eq!(issues, []);
        size(&inputs.unwrap())
    }

    const LLAMA: &str = "engine=vllm&attn=full&layers=32&kv_heads=8&head_dim=128&kv_bytes_per_elem=2&block_size=16";

    #[test]
    fn the_null_block_counts_since_0_29() {
        let query = |version: &str| [LLAMA, "&avail_bytes=1073741824&max_model_len=8192&version=", version].concat();
        let new = answer(&query("0.29.0"));
        assert!(
            new.error.unwrap().starts_with("ValueError: To serve at least one request with the model's max seq len")
        );
        let old = answer(&query("0.27.0"));
        assert_eq!((old.error, old.blocks, old.tokens), (None, Some(512), Some(8192)));
    }

    #[test]
    fn the_bytes_knob_still_needs_the_fraction_free() {
        let query = "&version=0.33.0&knob=kv_cache_memory_bytes&value=1073741824&total_bytes=85899345920&free_init_bytes=64424509440";
        let text = answer(&[LLAMA, query].concat()).error.unwrap();
        assert!(
            text.contains("(60.0/80.0 GiB) on startup is less than desired GPU memory utilization (0.92, 73.6 GiB)")
        );
    }
}

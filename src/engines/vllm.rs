//! vLLM V1: a fraction of the physical total, from which everything that the profile run saw is subtracted.
//!
//! Rules of `vllm/v1/worker/{utils,gpu_worker}.py`, `vllm/v1/core/kv_cache_planning.py` and `kv_cache_utils.py`, read in
//! the releases of `vllm_rules` and executed at 0.33.0.

use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::shape::{Attention, Shape, ceil_div};
use super::vllm_messages as messages;
use super::vllm_rules::{self, Rules};
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
                KnobDefault { since: "", value: Some(vllm_rules::OLD_FRACTION) },
                KnobDefault { since: "0.20.0", value: Some(vllm_rules::FRACTION) },
            ],
            accepts: Accepts::AboveZeroToOne,
        },
        Knob {
            name: "kv_cache_memory_bytes",
            flag: "--kv-cache-memory-bytes ",
            base: Base::Bytes,
            less: &[],
            rounding: Rounding::BlocksDown(16),
            defaults: &[KnobDefault { since: "", value: None }],
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

/// The layers of one rank, as the block pool sees them: every group takes its blocks from the one pool.
struct Layout {
    bytes_per_block: i64,
    block_size: i64,
    full_groups: i64,
    window_groups: i64,
    /// Tokens that a sliding-window group keeps, before its last partial block; `None` where in-flight tokens are unknown.
    window: Option<i64>,
}

impl Layout {
    /// Blocks that one request of `length` tokens takes at most.
    fn blocks_per_request(&self, length: i64) -> Option<i64> {
        let full = ceil_div(length, self.block_size) * self.full_groups;
        if self.window_groups == 0 {
            return Some(full);
        }
        let sliding = ceil_div(self.window?.min(length), self.block_size) + 1;
        full.checked_add(sliding.checked_mul(self.window_groups)?)
    }

    /// The longest request that `bytes` can hold, at most `most`; 0 if none.
    fn longest(&self, bytes: i64, most: i64) -> i64 {
        let fits = |length| {
            self.blocks_per_request(length)
                .and_then(|blocks| blocks.checked_mul(self.bytes_per_block))
                .is_some_and(|needed| needed <= bytes)
        };
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = low + (high - low + 1) / 2;
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        low
    }
}

/// Sizes vLLM's pool.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    let rules = vllm_rules::of_version(&inputs.version, out);
    let shape = inputs.shape(out)?;
    let layout = layout(inputs, &shape, out)?;
    let budgets = budgets(inputs, rules, out)?;
    out.avail_bytes = budgets.iter().min().copied();
    let effective: Vec<i64> = match inputs.extra.whole(Key::BlocksOverride) {
        Some(blocks) => {
            vec![out.count(blocks.checked_mul(layout.bytes_per_block), "extra.num_gpu_blocks_override")?]
        }
        None => budgets,
    };
    let length = inputs.max_model_len.filter(|length| *length > 0);
    for bytes in &effective {
        let usable = if rules.null_block { bytes.saturating_sub(layout.bytes_per_block) } else { *bytes };
        if usable <= 0 {
            refuse(rules, messages::no_memory(rules.release), out);
            return None;
        }
        let Some(length) = length else { continue };
        let Some(needed) = layout.blocks_per_request(length) else { continue };
        let needed = out.count(needed.checked_mul(layout.bytes_per_block), "max_model_len")?;
        if needed > usable {
            let longest = layout.longest(usable, length);
            refuse(rules, messages::one_request(rules.release, length, needed, usable, longest), out);
            return None;
        }
    }
    let blocks = effective.iter().min()?.div_euclid(layout.bytes_per_block);
    out.bytes_per_block = Some(layout.bytes_per_block);
    out.blocks = Some(blocks);
    out.kv_bytes = Some(blocks * layout.bytes_per_block);
    capacity(inputs, rules, &layout, blocks, out)
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

fn layout(inputs: &Inputs, shape: &Shape, out: &mut Outcome) -> Option<Layout> {
    let block_size = inputs.block_size.unwrap_or(16);
    let heads = shape.heads_floor();
    let per_layer = match inputs.extra.whole(Key::StateContent) {
        Some(bytes) => bytes.checked_mul(heads),
        None => shape.layer_bytes(heads),
    };
    let page = out.count(per_layer.and_then(|bytes| bytes.checked_mul(block_size)), "kv_bytes_per_elem")?;
    let mut full_groups = 1;
    let mut window_groups = 0;
    let mut layers_of_group = shape.layers_of_stage();
    let mut window = None;
    if shape.layers % shape.pp != 0 {
        out.note(
            "pp",
            IssueKind::NotMeasured,
            "Layers do not divide evenly; the fullest stage is assumed for all ranks.",
        );
    }
    if shape.attention == Attention::HybridSwa {
        let full = out.need(inputs.extra.whole(Key::FullLayers), "extra.n_full")?;
        let sliding = out.need(inputs.extra.whole(Key::WindowLayers), "extra.n_swa")?;
        if full + sliding != shape.layers {
            out.note("layers", IssueKind::Conflict, "Not the sum of n_full and n_swa.");
            return None;
        }
        if shape.pp > 1 {
            out.note("pp", IssueKind::NotMeasured, "How a hybrid model is split into pipeline stages is not known.");
            return None;
        }
        let span = out.need(inputs.extra.whole(Key::Window), "extra.window")?;
        layers_of_group = group_size(full, sliding);
        full_groups = ceil_div(full, layers_of_group);
        window_groups = ceil_div(sliding, layers_of_group);
        window = inputs.extra.whole(Key::InFlight).map(|in_flight| span - 1 + in_flight);
    }
    let bytes_per_block = out.count(page.checked_mul(layers_of_group), "layers")?;
    Some(Layout { bytes_per_block, block_size, full_groups, window_groups, window })
}

/// Layers per group: the smaller count of the two kinds, or the larger if it is less than 1.5 times that, since then
/// padding wastes less than splitting (`_get_kv_cache_groups_uniform_page_size`).
fn group_size(full: i64, sliding: i64) -> i64 {
    let (least, most) = (full.min(sliding), full.max(sliding));
    if least == 0 || 2 * most < 3 * least { most } else { least }
}

/// Bytes for the KV cache on each rank; `None` after a refusal or where they cannot be known.
fn budgets(inputs: &Inputs, rules: Rules, out: &mut Outcome) -> Option<Vec<i64>> {
    if inputs.knob.base == Base::Bytes {
        let bytes = inputs.accepted_value(None, out)?;
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
    let graphs = inputs.extra.flag(Key::EstimateGraphs).unwrap_or(rules.graphs);
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
            let text = messages::free_memory(rules.release, rank, [free as f64, total as f64, requested], fraction);
            refuse(rules, text, out);
            return None;
        }
    }
    Some(())
}

/// Refuses with `text`, and says where its wording was read in another release.
fn refuse(rules: Rules, text: String, out: &mut Outcome) {
    if !messages::READ.contains(&rules.release) {
        out.note(
            "version",
            IssueKind::NotMeasured,
            "The refusal is certain, its exact wording in this version is not.",
        );
    }
    out.refuse(text);
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

    #[test]
    fn groups_pad_rather_than_split_when_the_kinds_are_close() {
        assert_eq!(group_size(10, 52), 10);
        assert_eq!(group_size(13, 12), 13);
        assert_eq!(group_size(10, 15), 10, "1.5 times is already a split");
        assert_eq!(group_size(0, 30), 30);
    }
}

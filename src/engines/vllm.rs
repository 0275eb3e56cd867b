//! vLLM V1: a fraction of the physical total, from which everything that the profile run saw is subtracted.
//!
//! Rules of `vllm/v1/worker/{utils,gpu_worker}.py`, `vllm/v1/core/kv_cache_planning.py` and `kv_cache_utils.py`, executed in
//! the releases of `vllm_rules`.

use super::extra::Key;
use super::facts::{Accepts, Base, Charge, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::shape::{Attention, Shape, ceil_div};
use super::vllm_messages as messages;
use super::vllm_rules::{self, Demand, Rules};
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

/// The layers of one rank, as the block pool sees them: every group takes its blocks from the one pool.
struct Layout {
    bytes_per_block: i64,
    block_size: i64,
    full_groups: i64,
    window_groups: i64,
    /// What the fit check counts; `None` where something that it depends on is not known.
    demand: Option<Request>,
    /// Tokens that a sliding-window group keeps, before its last partial block; `None` where in-flight tokens are unknown.
    window: Option<i64>,
}

/// Bytes that one request takes: for each block of its length, and for each block of its window.
#[derive(Debug, Clone, Copy)]
struct Request {
    block_size: i64,
    full: i64,
    sliding: i64,
    window: i64,
}

impl Request {
    /// Bytes of a request of `length` tokens at most.
    fn bytes(self, length: i64) -> Option<i64> {
        let full = ceil_div(length, self.block_size).checked_mul(self.full)?;
        if self.sliding == 0 {
            return Some(full);
        }
        let sliding = ceil_div(self.window.min(length), self.block_size) + 1;
        full.checked_add(sliding.checked_mul(self.sliding)?)
    }

    /// The longest request that `bytes` can hold, at most `most`; 0 if none.
    fn longest(self, bytes: i64, most: i64) -> i64 {
        let fits = |length| self.bytes(length).is_some_and(|needed| needed <= bytes);
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = low + (high - low + 1) / 2;
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        low
    }
}

impl Layout {
    /// Blocks that one request of `length` tokens takes at most.
    fn blocks_per_request(&self, length: i64) -> Option<i64> {
        let window = if self.window_groups == 0 { 0 } else { self.window? };
        Request { block_size: self.block_size, full: self.full_groups, sliding: self.window_groups, window }
            .bytes(length)
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

fn layout(inputs: &Inputs, shape: &Shape, rules: Rules, out: &mut Outcome) -> Option<Layout> {
    let block_size = inputs.block_size.unwrap_or_else(|| {
        let usual = if shape.attention == Attention::Mla { MLA_BLOCK } else { BLOCK };
        let figure = crate::decimal::digits(u128::from(usual.unsigned_abs()));
        let message = ["Not given; ", &figure, " is assumed. The attention backend decides it."].concat();
        out.note("block_size", IssueKind::NotMeasured, message);
        usual
    });
    let heads = shape.heads_floor();
    let per_layer = match inputs.extra.whole(Key::StateContent) {
        Some(bytes) => bytes.checked_mul(heads),
        None => shape.layer_bytes(heads),
    };
    let page = out.count(per_layer.and_then(|bytes| bytes.checked_mul(block_size)), "kv_bytes_per_elem")?;
    if shape.layers % shape.pp != 0 {
        out.note(
            "pp",
            IssueKind::NotMeasured,
            "Layers do not divide evenly; the fullest stage is assumed for all ranks.",
        );
    }
    let kinds = kinds(inputs, shape, rules, out)?;
    let (full_layers, sliding_layers) = kinds.managed;
    let grouped = sliding_layers > 0;
    let layers_of_group =
        if grouped { group_size(full_layers, sliding_layers, rules.padding_quarters) } else { shape.layers_of_stage() };
    let full_groups = if grouped { ceil_div(full_layers, layers_of_group) } else { 1 };
    let window_groups = if grouped { ceil_div(sliding_layers, layers_of_group) } else { 0 };
    let bytes_per_block = out.count(page.checked_mul(layers_of_group), "layers")?;
    let (full, sliding) = match rules.demand {
        Demand::Groups => (
            out.count(bytes_per_block.checked_mul(full_groups), "layers")?,
            out.count(bytes_per_block.checked_mul(window_groups), "layers")?,
        ),
        Demand::FirstGroup if grouped => {
            let message = "This version checks only the kind of the first layer; that it slides is assumed.";
            out.note("attn", IssueKind::NotMeasured, message);
            (0, bytes_per_block)
        }
        Demand::FirstGroup => {
            let layers = if rules.all_stages { shape.layers } else { layers_of_group };
            (out.count(page.checked_mul(layers), "layers")?, 0)
        }
        Demand::Layers => {
            let (full, sliding) = kinds.checked;
            (out.count(page.checked_mul(full), "layers")?, out.count(page.checked_mul(sliding), "layers")?)
        }
    };
    let known = if sliding == 0 { Some(0) } else { kinds.window };
    let demand = known.map(|window| Request { block_size, full, sliding, window });
    Some(Layout { bytes_per_block, block_size, full_groups, window_groups, demand, window: kinds.window })
}

/// Tokens of a block where no backend wants another size, and where the usual MLA backends do.
const BLOCK: i64 = 16;
const MLA_BLOCK: i64 = 64;

/// Layers by kind, full ones first.
struct Kinds {
    /// As the block manager groups them.
    managed: (i64, i64),
    /// As the fit check through 0.13.0 sees them, before sliding layers are turned into full ones.
    checked: (i64, i64),
    /// Tokens of a window and in flight; `None` where the latter are not known.
    window: Option<i64>,
}

fn kinds(inputs: &Inputs, shape: &Shape, rules: Rules, out: &mut Outcome) -> Option<Kinds> {
    let all = (shape.layers_of_stage(), 0);
    let given = inputs.extra.whole(Key::FullLayers).zip(inputs.extra.whole(Key::WindowLayers));
    let hybrid = match shape.attention {
        Attention::HybridSwa => true,
        // The manager is off; only the early check still tells the kinds apart.
        Attention::HybridSwaDisabled => rules.demand == Demand::Layers,
        Attention::Full | Attention::Mla => false,
    };
    if !hybrid {
        return Some(Kinds { managed: all, checked: all, window: None });
    }
    if shape.attention == Attention::HybridSwaDisabled && given.is_none() {
        let message = "Not given; the check on one request counts every layer as full.";
        out.note("extra.n_full", IssueKind::NotMeasured, message);
        return Some(Kinds { managed: all, checked: all, window: None });
    }
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
    let window = inputs.extra.whole(Key::InFlight).map(|in_flight| span - 1 + in_flight);
    // Layers of one kind only are one group, whatever the kind.
    let grouped = rules.groups && shape.attention == Attention::HybridSwa || full == 0;
    Some(Kinds { managed: if grouped { (full, sliding) } else { all }, checked: (full, sliding), window })
}

/// Layers per group: the smaller count of the two kinds, or the larger if it is less than so many quarters of that,
/// since then padding wastes less than splitting (`_get_kv_cache_groups_uniform_page_size`).
fn group_size(full: i64, sliding: i64, quarters: i64) -> i64 {
    let (least, most) = (full.min(sliding), full.max(sliding));
    if least == 0 || 4 * most < quarters * least { most } else { least }
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

    #[test]
    fn groups_pad_rather_than_split_when_the_kinds_are_close() {
        assert_eq!(group_size(10, 52, 6), 10);
        assert_eq!(group_size(13, 12, 6), 13);
        assert_eq!(group_size(10, 15, 6), 10, "1.5 times is already a split");
        assert_eq!(group_size(10, 14, 6), 14);
        assert_eq!(group_size(10, 14, 5), 10, "1.25 times through 0.17.0");
        assert_eq!(group_size(12, 13, 4), 12, "never through 0.11.0");
        assert_eq!(group_size(0, 30, 6), 30);
    }
}

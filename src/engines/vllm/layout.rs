//! How vLLM lays layers out in blocks, and what one request takes of them.
//!
//! `_get_kv_cache_groups_uniform_page_size` and `_max_memory_usage_bytes_from_groups` of `vllm/v1/core/kv_cache_planning.py`
//! (`kv_cache_utils.py` before 0.33.0) and `SlidingWindowSpec` of `kv_cache_interface.py`, in the releases that
//! `vllm::rules` lists.

use super::rules::{Demand, Rules};
use crate::engines::extra::Key;
use crate::engines::inputs::Inputs;
use crate::engines::outcome::Outcome;
use crate::engines::shape::{Attention, Shape, ceil_div};
use crate::issue::IssueKind;

/// The layers of one rank, as the block pool sees them: every group takes its blocks from the one pool.
pub(super) struct Layout {
    /// Bytes of one block on one rank.
    pub bytes_per_block: i64,
    /// Tokens of a block.
    pub block_size: i64,
    /// Groups of full layers.
    pub full_groups: i64,
    /// Groups of sliding layers.
    pub window_groups: i64,
    /// What the fit check counts; `None` where something that it depends on is not known.
    pub demand: Option<Request>,
    /// Tokens that a sliding-window group keeps, before its last partial block; `None` where in-flight tokens are unknown.
    window: Option<i64>,
}

/// Bytes that one request takes: for each block of its length, and for each block of its window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    block_size: i64,
    full: i64,
    sliding: i64,
    window: i64,
}

impl Request {
    /// Bytes of a request of `length` tokens at most.
    pub fn bytes(self, length: i64) -> Option<i64> {
        let full = ceil_div(length, self.block_size).checked_mul(self.full)?;
        if self.sliding == 0 {
            return Some(full);
        }
        let sliding = ceil_div(self.window.min(length), self.block_size) + 1;
        full.checked_add(sliding.checked_mul(self.sliding)?)
    }

    /// The longest request that `bytes` can hold, at most `most`; 0 if none.
    pub fn longest(self, bytes: i64, most: i64) -> i64 {
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
    pub fn blocks_per_request(&self, length: i64) -> Option<i64> {
        let window = if self.window_groups == 0 { 0 } else { self.window? };
        Request { block_size: self.block_size, full: self.full_groups, sliding: self.window_groups, window }
            .bytes(length)
    }
}

/// The layers as this release lays them out.
pub(super) fn layout(inputs: &Inputs, shape: &Shape, rules: Rules, out: &mut Outcome) -> Option<Layout> {
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

#[cfg(test)]
mod tests {
    use super::*;

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

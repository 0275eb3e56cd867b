//! The defaults that depend on the card and that the reserve depends on: chunk, graph sizes, captures.

use super::{AutoQuery, Disaggregation, Rules, Version, prefill};

/// Defaults of cards below `below` MiB (`_handle_gpu_memory_settings`; executed in every release from 0.5.3
/// to 0.5.23).
#[derive(Clone, Copy)]
struct Tier {
    /// The first tier whose bound is above the card's MiB counts.
    below: f64,
    /// `--chunked-prefill-size`.
    chunk: i64,
    /// `--cuda-graph-max-bs` with tp below 4.
    few: u64,
    /// The same from tp 4 on.
    many: u64,
}

const fn tier(below: f64, chunk: i64, few: u64, many: u64) -> Tier {
    Tier { below, chunk, few, many }
}

/// The second tier (A10, L4, 4090, 5090) is the one that changes between releases: its defaults, and since when.
const SMALL_CARDS: [(Rules, Tier); 3] = [
    (Rules::V0_5_3, tier(35840.0, 2048, 16, 80)),
    (Rules::V0_5_9, tier(35840.0, 2048, 24, 80)),
    (Rules::V0_5_20, tier(35840.0, 4096, 48, 160)),
];

/// T4 and 4080; A100-40 and L40; H100; H20, RTX PRO 6000 and H200; B200 and MI300.
const TIERS: [Tier; 5] = [
    tier(20480.0, 2048, 8, 8),
    tier(61440.0, 4096, 32, 160),
    tier(92160.0, 8192, 256, 512),
    tier(163840.0, 8192, 256, 512),
    tier(f64::INFINITY, 16384, 512, 512),
];

/// Before 0.5.3 the decode graphs of larger cards are a list of their own (`cuda_graph_runner.py`, 0.4.6.post5 and 0.4.9.post6),
/// whose last is given here.
const TIERS_0_4_6: [Tier; 3] =
    [tier(25000.0, 2048, 8, 80), tier(98305.0, 8192, 160, 160), tier(f64::INFINITY, 8192, 256, 256)];
const TIERS_0_4_9: [Tier; 5] = [
    tier(35840.0, 2048, 8, 80),
    tier(92161.0, 8192, 160, 160),
    tier(160_001.0, 8192, 256, 256),
    tier(163840.0, 8192, 512, 512),
    tier(f64::INFINITY, 16384, 512, 512),
];

/// A card that `nvidia-smi` does not answer for.
const UNKNOWN: Tier = tier(f64::INFINITY, 4096, 160, 160);
const UNKNOWN_0_4_6: Tier = tier(f64::INFINITY, 8192, 160, 160);

/// What the flags that were not given come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolved {
    /// `chunked_prefill_size`; −1 is off.
    pub chunk: i64,
    /// The same after it is divided by the data-parallel groups, which happens after the reserve is computed.
    pub chunk_per_group: i64,
    /// `cuda_graph_max_bs`.
    pub max_bs: u64,
    /// Batch sizes that decode graphs are captured for.
    pub decode_sizes: u64,
    /// Token counts that prefill graphs are captured for; `None` where there is no list.
    pub prefill_sizes: Option<u64>,
    /// Whether prefill graphs are captured at all.
    pub prefill_graphs: bool,
    /// The largest of them, in tokens; −1 without chunking.
    pub prefill_most: i64,
    /// MiB that the heuristic sets aside for them.
    pub prefill_reserve: Option<f64>,
    /// Tokens that activations are reserved for.
    pub activation_tokens: u64,
    /// Data-parallel attention is reserved for.
    pub attention_groups: bool,
}

/// Fills in the defaults.
pub fn resolve(query: &AutoQuery, rules: Rules) -> Resolved {
    let tier = tier_of(query.gpu_mib, rules);
    let mut chunk = query.chunk.unwrap_or(tier.chunk);
    if rules == Rules::V0_4_6 && query.chunk.is_none() && query.disaggregation.is_some() && tier.chunk > 2048 {
        chunk = 16384;
    }
    let default_bs = if query.tp < 4 { tier.few } else { tier.many };
    let mut max_bs = query.max_bs.unwrap_or(default_bs);
    if rules >= Rules::V0_5_22 && query.max_bs.is_none() {
        max_bs = max_bs.min(query.max_running.unwrap_or(u64::MAX));
    }
    let divided = query.dp_attention && query.dp > 1 && chunk > 0;
    let chunk_per_group = if divided { chunk / i64::try_from(query.dp).unwrap_or(i64::MAX) } else { chunk };
    let graphs = prefill::graphs(query, rules);
    let (prefill_most, sizes) = prefill::sizes(query, rules, chunk);
    Resolved {
        chunk,
        chunk_per_group,
        max_bs,
        decode_sizes: decode_sizes(max_bs, query.speculation.is_some(), rules),
        // 0.5.4 to 0.5.8 have other lists, and capture none unless told.
        prefill_sizes: (query.version >= Version::new(0, 5, 9) && sizes > 0).then_some(sizes),
        prefill_graphs: graphs,
        prefill_most,
        prefill_reserve: graphs.then(|| if query.mla { 1536.0 } else { 8.0 * sizes as f64 }),
        activation_tokens: activation_tokens(query, rules, chunk, max_bs),
        // Since 0.5.22 one group is none (`runtime_context.py: attn_dp_enabled_of`).
        attention_groups: query.dp_attention && (query.dp > 1 || rules < Rules::V0_5_22),
    }
}

fn tier_of(gpu_mib: Option<f64>, rules: Rules) -> Tier {
    let unknown = if rules == Rules::V0_4_6 { UNKNOWN_0_4_6 } else { UNKNOWN };
    let Some(mib) = gpu_mib.filter(|mib| *mib > 0.0) else { return unknown };
    let old: &[Tier] = match rules {
        Rules::V0_4_6 => &TIERS_0_4_6,
        Rules::V0_4_7 | Rules::V0_4_9 => &TIERS_0_4_9,
        _ => &[],
    };
    let [smallest, rest @ ..] = TIERS;
    let small = SMALL_CARDS.into_iter().rev().find(|(since, _)| *since <= rules).map(|(_, tier)| tier);
    let mut ordered = old.iter().copied().chain([smallest]).chain(small).chain(rest);
    ordered.find(|tier| mib < tier.below).unwrap_or(unknown)
}

/// Activations are reserved for one chunk; a server that only decodes has none.
fn activation_tokens(query: &AutoQuery, rules: Rules, chunk: i64, max_bs: u64) -> u64 {
    let tokens = if rules >= Rules::V0_5_15 && query.disaggregation == Some(Disaggregation::Decode) {
        query.max_running.unwrap_or(max_bs)
    } else {
        u64::try_from(chunk).ok().filter(|chunk| *chunk > 0).unwrap_or(query.max_prefill)
    };
    tokens.max(2048)
}

/// Sizes `start + step, start + 2 × step, …` up to `last`: the lists of graph sizes in stretches.
pub(super) struct Stretch {
    start: i64,
    last: i64,
    step: i64,
}

pub(super) const fn stretch(start: i64, last: i64, step: i64) -> Stretch {
    Stretch { start, last, step }
}

impl Stretch {
    fn count(&self, most: i64) -> u64 {
        ((self.last.min(most) - self.start).max(0) / self.step) as u64
    }

    fn holds(&self, size: i64) -> bool {
        self.start < size && size <= self.last && (size - self.start) % self.step == 0
    }
}

/// Requests of decode graphs (`_generate_cuda_graph_batch_sizes`).
const DECODE: [Stretch; 6] = [
    stretch(0, 2, 1),
    stretch(2, 4, 2),
    stretch(4, 12, 4),
    stretch(8, 256, 8),
    stretch(256, 496, 16),
    stretch(480, i64::MAX, 32),
];

/// The same before 0.5.3.
const DECODE_0_4: [Stretch; 5] =
    [stretch(0, 2, 1), stretch(2, 4, 2), stretch(4, 8, 4), stretch(8, 256, 8), stretch(256, i64::MAX, 16)];

/// The same with speculative decoding; 0.5.3 leaves 64 out.
const SPECULATIVE: [Stretch; 5] =
    [stretch(0, 8, 1), stretch(8, 32, 2), stretch(36, 64, 4), stretch(64, 256, 8), stretch(256, i64::MAX, 16)];

pub(super) fn count(list: &[Stretch], most: i64) -> u64 {
    list.iter().map(|stretch| stretch.count(most)).sum()
}

fn decode_sizes(max_bs: u64, speculative: bool, rules: Rules) -> u64 {
    let most = i64::try_from(max_bs).unwrap_or(i64::MAX);
    let list: &[Stretch] = match speculative {
        true => &SPECULATIVE,
        false if rules < Rules::V0_5_3 => &DECODE_0_4,
        false => &DECODE,
    };
    let missing = speculative && rules == Rules::V0_5_3 && most >= 64;
    // Since 0.5.10 the largest size itself is captured also where no step meets it.
    let added = rules >= Rules::V0_5_10 && most > 0 && !list.iter().any(|stretch| stretch.holds(most));
    count(list, most) - u64::from(missing) + u64::from(added)
}

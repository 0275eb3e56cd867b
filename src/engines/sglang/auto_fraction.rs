//! The fraction that SGLang picks when `--mem-fraction-static` is absent, as a sum of named terms.
//!
//! It starts from the card's nameplate and knows nothing of the model's size: for a large model the value can be below
//! what the weights alone need. Sources: `server_args.py: _handle_gpu_memory_settings` (0.5.3 to 0.5.18),
//! `arg_groups/memory_hook.py: handle_gpu_memory_settings` (0.5.19 to 0.5.23), and what runs before them and switches prefill
//! graphs off; all executed. `server_args.py: __post_init__` of 0.4.6 to 0.5.2, read.

mod answer;
mod defaults;
mod old;
mod prefill;

pub use answer::AutoAnswer;
pub use defaults::{Resolved, resolve};
pub use prefill::Class;

use serde::Serialize;

use super::Version;
use crate::catalog::config::Vision;
use crate::decimal;
use crate::issue::{Issue, IssueKind};

/// The sets of rules that were read, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rules {
    /// 0.4.6: a share for each number of GPUs.
    V0_4_6,
    /// 0.4.7 and 0.4.8: a reserve for each size of card.
    V0_4_7,
    /// 0.4.9 to 0.5.2: a tower's size decides what images take.
    V0_4_9,
    /// 0.5.3: a reserve for chunk, graphs and GPUs.
    V0_5_3,
    /// 0.5.4 to 0.5.9: larger graphs on small cards.
    V0_5_9,
    /// 0.5.10: prefill graphs are on by default and reserved for.
    V0_5_10,
    /// 0.5.11 to 0.5.13: also with speculative decoding.
    V0_5_11,
    /// 0.5.14: no reserve for speculative decoding.
    V0_5_14,
    /// 0.5.15: prefill graphs of another kind, with exceptions of their own; split prefill and decode count.
    V0_5_15,
    /// 0.5.16: prefill graphs of some models with images.
    V0_5_16,
    /// 0.5.17: with data-parallel attention and DeepEP too; a server that only decodes sees nothing.
    V0_5_17,
    /// 0.5.18: and with MLA.
    V0_5_18,
    /// 0.5.19: no longer with pipeline parallelism.
    V0_5_19,
    /// 0.5.20 and 0.5.21: larger defaults for small cards, 0.95 for an unknown card, no prefill graphs of KDA.
    V0_5_20,
    /// 0.5.22: no decode graph for more requests than may run.
    V0_5_22,
    /// 0.5.23: larger prefill graphs of MLA.
    V0_5_23,
}

/// Rules, and the first and last release that are known to have them.
struct Release {
    first: Version,
    last: Version,
    rules: Rules,
}

const fn release(minor: u16, first: u16, last: u16, rules: Rules) -> Release {
    Release { first: Version::new(0, minor, first), last: Version::new(0, minor, last), rules }
}

impl Rules {
    const RELEASES: [Release; 16] = [
        release(4, 6, 6, Self::V0_4_6),
        release(4, 7, 8, Self::V0_4_7),
        Release { last: Version::new(0, 5, 2), ..release(4, 9, 9, Self::V0_4_9) },
        release(5, 3, 3, Self::V0_5_3),
        release(5, 4, 9, Self::V0_5_9),
        release(5, 10, 10, Self::V0_5_10),
        release(5, 11, 13, Self::V0_5_11),
        release(5, 14, 14, Self::V0_5_14),
        release(5, 15, 15, Self::V0_5_15),
        release(5, 16, 16, Self::V0_5_16),
        release(5, 17, 17, Self::V0_5_17),
        release(5, 18, 18, Self::V0_5_18),
        release(5, 19, 19, Self::V0_5_19),
        release(5, 20, 21, Self::V0_5_20),
        release(5, 22, 22, Self::V0_5_22),
        release(5, 23, 23, Self::V0_5_23),
    ];

    /// The newest rules that are not newer than `version`, and an issue where they are another release's.
    pub fn of(version: Version) -> (Self, Option<Issue>) {
        let [oldest, ..] = &Self::RELEASES;
        let release = Self::RELEASES.iter().rev().find(|release| release.first <= version).unwrap_or(oldest);
        let nearest = version.clamp(release.first, release.last);
        let issue = (nearest != version).then(|| {
            let parts = ["The automatic fraction of this release is not known; that of ", &nearest.text(), " is used."];
            Issue::new("version", IssueKind::UnknownValue, parts.concat())
        });
        (release.rules, issue)
    }
}

/// Speculative decoding, as far as the reserve cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speculation {
    /// EAGLE, EAGLE3, NEXTN and every other kind with a small draft model.
    Draft,
    /// A draft model of its own.
    Standalone,
    /// No draft model.
    Ngram,
}

/// Prefill and decode on separate servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disaggregation {
    /// This server only prefills.
    Prefill,
    /// This server only decodes.
    Decode,
}

/// What the heuristic looks at. Memory in MiB, sizes in tokens or requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AutoQuery {
    /// Whose rules.
    pub version: Version,
    /// `nvidia-smi`'s total of the smallest GPU; `None` where it cannot be read.
    pub gpu_mib: Option<f64>,
    /// `--tp-size`.
    pub tp: u64,
    /// `--pp-size`.
    pub pp: u64,
    /// `--dp-size`.
    pub dp: u64,
    /// `--enable-dp-attention`.
    pub dp_attention: bool,
    /// `--chunked-prefill-size`; −1 switches chunking off.
    pub chunk: Option<i64>,
    /// `--max-prefill-tokens`, 16384 by default.
    pub max_prefill: u64,
    /// `--cuda-graph-max-bs`.
    pub max_bs: Option<u64>,
    /// `--max-running-requests`.
    pub max_running: Option<u64>,
    /// `--speculative-algorithm`.
    pub speculation: Option<Speculation>,
    /// The model keeps one compressed row per token.
    pub mla: bool,
    /// And reads few of them: MLA with an indexer.
    pub sparse: bool,
    /// The model is a hybrid of Kimi delta attention.
    pub kda: bool,
    /// The card is AMD's.
    pub amd: bool,
    /// Context length in tokens, where known.
    pub context: Option<u64>,
    /// The vision tower of a multimodal model.
    pub vision: Option<Vision>,
    /// What the release's lists say of prefill graphs of the model's class.
    pub class: Class,
    /// `--enforce-piecewise-cuda-graph`: in 0.5.10 prefill graphs also with speculation and data-parallel attention.
    pub enforced: bool,
    /// `--max-total-tokens`, and in 0.5.14 to 0.5.16 `--context-length`: no larger prefill graph.
    pub most_tokens: Option<u64>,
    /// `--disable-cuda-graph`.
    pub graphs_off: bool,
    /// `--disaggregation-mode`.
    pub disaggregation: Option<Disaggregation>,
    /// `--moe-a2a-backend deepep`.
    pub deepep: bool,
}

impl Default for AutoQuery {
    fn default() -> Self {
        Self {
            version: Version::NEWEST,
            gpu_mib: None,
            tp: 1,
            pp: 1,
            dp: 1,
            dp_attention: false,
            chunk: None,
            max_prefill: 16384,
            max_bs: None,
            max_running: None,
            speculation: None,
            mla: false,
            sparse: false,
            kda: false,
            amd: false,
            context: None,
            vision: None,
            class: Class::Unlisted,
            enforced: false,
            most_tokens: None,
            graphs_off: false,
            disaggregation: None,
            deepep: false,
        }
    }
}

/// One part of the reserve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReserveTerm {
    /// What it is for, with its arithmetic.
    pub label: String,
    /// MiB.
    pub mib: f64,
}

/// The fraction with all that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Auto {
    /// `mem_fraction_static` as SGLang holds it: three decimals, then times the multimodal factor.
    pub fraction: f64,
    /// The parts of the reserve; empty where the GPU is unknown.
    pub terms: Vec<ReserveTerm>,
    /// Their sum in MiB.
    pub reserve_mib: f64,
    /// What a vision tower multiplies the fraction by.
    pub multimodal_factor: Option<f64>,
    /// The defaults that the same code fills in.
    pub resolved: Resolved,
    /// What was uncertain.
    pub issues: Vec<Issue>,
}

impl Auto {
    /// Whether it is what the release picks: nothing that it depends on is unknown.
    pub fn is_exact(&self) -> bool {
        self.issues.iter().all(|issue| issue.kind == IssueKind::OutOfRange)
    }
}

/// The factor that shrinks a fraction that is given too: that of a multimodal model up to 0.4.8 (`model_runner.py`).
pub fn factor_of_given(query: &AutoQuery) -> Option<f64> {
    let (rules, _) = Rules::of(query.version);
    multimodal_factor(query, rules).filter(|_| rules < Rules::V0_4_9)
}

/// The floor of the reserve, on cards above `FLOOR_FROM` MiB.
const FLOOR: f64 = 10240.0;
const FLOOR_FROM: f64 = 61440.0;

/// Computes the automatic fraction.
pub fn auto_fraction(query: &AutoQuery) -> Auto {
    let (rules, issue) = Rules::of(query.version);
    let mut issues: Vec<Issue> = issue.into_iter().collect();
    let resolved = resolve(query, rules);
    note(query, rules, &mut issues);
    let mut terms = Vec::new();
    let mut fraction = match query.gpu_mib.filter(|mib| *mib > 0.0) {
        Some(mib) if rules == Rules::V0_4_6 => {
            let share = old::share_by_ranks(query, mib);
            terms.push(ReserveTerm {
                label: "what the share for this many GPUs leaves".to_owned(),
                mib: mib - mib * share,
            });
            share
        }
        Some(mib) => {
            terms = if rules < Rules::V0_5_3 {
                old::reserve_by_size(query, mib)
            } else {
                reserve(query, rules, &resolved, mib)
            };
            let reserve: f64 = terms.iter().map(|term| term.mib).sum();
            round3((mib - reserve) / mib)
        }
        None if rules >= Rules::V0_5_20 => 0.95,
        None => 0.88,
    };
    let multimodal_factor = multimodal_factor(query, rules);
    if let Some(factor) = multimodal_factor {
        fraction *= factor;
    }
    if fraction <= 0.0 {
        let message = "the reserve is larger than the card: SGLang would go on with a fraction that cannot start";
        issues.push(Issue::new("fraction", IssueKind::OutOfRange, message));
    }
    let reserve_mib = terms.iter().fold(0.0, |sum, term| sum + term.mib);
    Auto { fraction, terms, reserve_mib, multimodal_factor, resolved, issues }
}

fn note(query: &AutoQuery, rules: Rules, issues: &mut Vec<Issue>) {
    if rules >= Rules::V0_4_7 && query.amd && query.context.is_none_or(|context| context > AITER_CONTEXT) {
        let message = "with the aiter backend and a context above 8192 tokens SGLang multiplies the fraction, also one that is \
                       given, by 0.85; that is not applied here";
        issues.push(Issue::new("gpu", IssueKind::NotMeasured, message));
    }
    if query.vision.is_some() && query.version == Version::new(0, 4, 9) {
        let message = "the first builds of 0.4.9 take 0.90 for any image model; the rule of 0.4.9.post6 is shown";
        issues.push(Issue::new("vit", IssueKind::Conflict, message));
    }
}

/// Above this context the aiter backend shrinks the fraction (`_handle_attention_backend_compatibility`, 0.5.9; read in 0.4.7
/// to 0.5.23).
const AITER_CONTEXT: u64 = 8192;

/// The parts of the reserve, in SGLang's order.
fn reserve(query: &AutoQuery, rules: Rules, resolved: &Resolved, gpu_mib: f64) -> Vec<ReserveTerm> {
    let mut terms = Vec::new();
    let mut add = |label: String, mib: f64| terms.push(ReserveTerm { label, mib });
    let bs = resolved.max_bs as f64;
    add("constant data such as attention workspaces".to_owned(), 512.0);
    let tokens = resolved.activation_tokens;
    add(["activations: 1.5 MiB × ", &tokens.to_string(), " tokens"].concat(), 1.5 * tokens as f64);
    let newer = rules >= Rules::V0_5_15;
    let prefill_only = newer && query.disaggregation == Some(Disaggregation::Prefill);
    let decode_graphs = !(prefill_only || newer && query.graphs_off);
    if decode_graphs {
        add(["decode graphs: 2 MiB × ", &resolved.max_bs.to_string(), " requests"].concat(), 2.0 * bs);
    }
    let ranks = query.tp.saturating_mul(query.pp);
    add(["parallel ranks: ", &ranks.to_string(), " ÷ 8 × 1024 MiB"].concat(), ranks as f64 / 8.0 * 1024.0);
    if resolved.attention_groups && !prefill_only {
        let dp = query.dp as f64;
        let groups = [&resolved.max_bs.to_string(), " requests × ", &query.dp.to_string(), " groups"].concat();
        add(["data-parallel attention: 3 MiB × ", &groups].concat(), bs * dp * 3.0);
        if resolved.max_bs > 300 {
            add(["above 300 requests: 1.5 MiB × ", &groups].concat(), bs * dp * 1.5);
        }
    }
    match resolved.prefill_reserve {
        Some(mib) if query.mla => add("prefill graphs of MLA".to_owned(), mib),
        Some(mib) => {
            let sizes = resolved.prefill_sizes.unwrap_or_default().to_string();
            add(["prefill graphs: 8 MiB × ", &sizes, " sizes"].concat(), mib);
        }
        None => {}
    }
    if resolved.prefill_reserve.is_some() && query.deepep {
        add("prefill graphs with DeepEP".to_owned(), 1024.0);
    }
    let sum: f64 = terms.iter().map(|term| term.mib).sum();
    let mut add = |label: &str, mib: f64| terms.push(ReserveTerm { label: label.to_owned(), mib });
    if gpu_mib > FLOOR_FROM && sum < FLOOR {
        add("up to the floor of 10240 MiB", FLOOR - sum);
    }
    if newer && query.deepep && decode_graphs {
        add("DeepEP buffers", 2048.0);
    }
    match query.speculation {
        _ if rules >= Rules::V0_5_14 => {}
        Some(Speculation::Standalone) => add("draft model of its own", 6144.0),
        Some(Speculation::Draft) if rules >= Rules::V0_5_10 => add("draft model and its graphs", 4096.0),
        Some(Speculation::Draft) => add("draft model and its graphs", 2048.0),
        Some(Speculation::Ngram) | None => {}
    }
    terms
}

/// `adjust_mem_fraction_for_vlm`: 0.95 times a correction for towers larger or smaller than ViT-L/14; up to 0.4.8 0.90 for
/// every tower (`model_runner.py`).
fn multimodal_factor(query: &AutoQuery, rules: Rules) -> Option<f64> {
    let vision = query.vision?;
    if rules >= Rules::V0_5_17 && query.disaggregation == Some(Disaggregation::Decode) {
        return None;
    }
    if rules < Rules::V0_4_9 {
        return Some(0.9);
    }
    let (layers, hidden) = (vision.layers as f64, vision.hidden as f64);
    let complexity = layers * (hidden * hidden) / (24.0 * (1024.0 * 1024.0));
    let correction = (1.0 - 0.1 * (complexity - 1.0)).clamp(0.8, 1.05);
    Some(0.95 * correction)
}

/// Python's `round(x, 3)`: to the nearest of the exact binary value, ties to even.
fn round3(value: f64) -> f64 {
    decimal::read(&decimal::write(value, 3)).unwrap_or(value)
}

#[cfg(test)]
mod tests;

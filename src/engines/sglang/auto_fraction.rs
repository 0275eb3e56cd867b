//! The fraction that SGLang picks when `--mem-fraction-static` is absent, as a sum of named terms.
//!
//! It starts from the card's nameplate and knows nothing of the model's size: for a large model the value can be below
//! what the weights alone need. Sources: `server_args.py: _handle_gpu_memory_settings` (0.5.3, 0.5.9, 0.5.10 executed, 0.5.14
//! read), `arg_groups/memory_hook.py: handle_gpu_memory_settings` (0.5.21 read, 0.5.23 executed); 0.5.15 from 24 real starts.

mod answer;
mod defaults;

pub use answer::AutoAnswer;
pub use defaults::{Resolved, resolve};

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
    /// 0.4.9 to 0.5.1: a reserve for each size of card.
    V0_4_9,
    /// 0.5.3: a reserve for chunk, graphs and GPUs.
    V0_5_3,
    /// 0.5.9.
    V0_5_9,
    /// 0.5.10: prefill graphs are on by default and reserved for.
    V0_5_10,
    /// 0.5.14: no reserve for speculative decoding.
    V0_5_14,
    /// 0.5.15: none for prefill graphs of MLA, which are off.
    V0_5_15,
    /// 0.5.21: larger defaults for small cards, prefill graphs of MLA, 0.95 for an unknown card.
    V0_5_21,
    /// 0.5.23: no decode graph for more requests than may run.
    V0_5_23,
}

/// Rules, and the first and last release that are known to have them.
struct Release {
    first: Version,
    last: Version,
    rules: Rules,
    /// What is not known of them.
    open: Option<&'static str>,
}

const fn release(first: Version, rules: Rules) -> Release {
    Release { first, last: first, rules, open: None }
}

impl Rules {
    const RELEASES: [Release; 9] = [
        release(Version::new(0, 4, 6), Self::V0_4_6),
        Release { last: Version::new(0, 5, 1), ..release(Version::new(0, 4, 9), Self::V0_4_9) },
        release(Version::new(0, 5, 3), Self::V0_5_3),
        release(Version::new(0, 5, 9), Self::V0_5_9),
        release(Version::new(0, 5, 10), Self::V0_5_10),
        Release {
            open: Some(
                "Of 0.5.14 it is not known in full which models and flags switch prefill graphs off; as in 0.5.10 is assumed.",
            ),
            ..release(Version::new(0, 5, 14), Self::V0_5_14)
        },
        release(Version::new(0, 5, 15), Self::V0_5_15),
        release(Version::new(0, 5, 21), Self::V0_5_21),
        release(Version::new(0, 5, 23), Self::V0_5_23),
    ];

    /// The newest rules that are not newer than `version`, and an issue where they are another release's or not known whole.
    pub fn of(version: Version) -> (Self, Option<Issue>) {
        let [oldest, ..] = &Self::RELEASES;
        let release = Self::RELEASES.iter().rev().find(|release| release.first <= version).unwrap_or(oldest);
        let issue = |message: String| Issue::new("version", IssueKind::UnknownValue, message);
        let issue = if release.first <= version && version <= release.last {
            release.open.map(|open| issue(open.to_owned()))
        } else {
            let nearest = if version < release.first { release.first } else { release.last };
            let parts = ["The automatic fraction of this release is not known; that of ", &nearest.text(), " is used."];
            Some(issue(parts.concat()))
        };
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
    /// The model is a hybrid of Kimi delta attention.
    pub kda: bool,
    /// The card is AMD's.
    pub amd: bool,
    /// Context length in tokens, where known.
    pub context: Option<u64>,
    /// The vision tower of a multimodal model.
    pub vision: Option<Vision>,
    /// The multimodal model is among those that 0.5.15 and later capture prefill graphs for.
    pub vision_graphs: bool,
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
            kda: false,
            amd: false,
            context: None,
            vision: None,
            vision_graphs: false,
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

/// The factor that shrinks a fraction that is given too: that of a multimodal model in 0.4.6 (`model_runner.py`).
pub fn factor_of_given(query: &AutoQuery) -> Option<f64> {
    let (rules, _) = Rules::of(query.version);
    multimodal_factor(query, rules).filter(|_| rules == Rules::V0_4_6)
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
            let share = share_by_ranks(query, mib);
            terms.push(ReserveTerm {
                label: "what the share for this many GPUs leaves".to_owned(),
                mib: mib - mib * share,
            });
            share
        }
        Some(mib) => {
            terms = if rules == Rules::V0_4_9 {
                reserve_by_size(query, mib)
            } else {
                reserve(query, rules, &resolved, mib)
            };
            let reserve: f64 = terms.iter().map(|term| term.mib).sum();
            round3((mib - reserve) / mib)
        }
        None if rules >= Rules::V0_5_21 => 0.95,
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
    if rules < Rules::V0_5_15 && (query.disaggregation.is_some() || query.deepep) {
        let message = "split prefill and decode and DeepEP were read for 0.5.23 only; they change nothing here";
        issues.push(Issue::new("other_args", IssueKind::NotMeasured, message));
    }
    if rules >= Rules::V0_4_9 && query.amd && query.context.is_none_or(|context| context > AITER_CONTEXT) {
        let message = "with the aiter backend and a context above 8192 tokens SGLang multiplies the fraction, also one that is \
                       given, by 0.85; that is not applied here";
        issues.push(Issue::new("gpu", IssueKind::NotMeasured, message));
    }
    if rules == Rules::V0_5_10 && query.vision.is_some() {
        let message = "prefill graphs of multimodal models in 0.5.10 were not executed; nothing is reserved for them";
        issues.push(Issue::new("vit", IssueKind::NotMeasured, message));
    }
}

/// Above this context the aiter backend shrinks the fraction (`_handle_attention_backend_compatibility`, 0.5.9; read in 0.4.9
/// to 0.5.23).
const AITER_CONTEXT: u64 = 8192;

/// What 0.4.6 lets weights and cache have on cards up to 81,920 MiB: from so many GPUs on, this share of each.
const SHARES: [(u64, f64); 5] = [(16, 0.79), (8, 0.81), (4, 0.85), (2, 0.87), (1, 0.88)];

/// The share of larger cards, and of those that cannot be read.
const SHARE: f64 = 0.88;

/// 0.4.6 (`server_args.py: __post_init__`, 0.4.6.post5): by the number of GPUs; cards above 96 GiB keep at least 18 GiB.
fn share_by_ranks(query: &AutoQuery, gpu_mib: f64) -> f64 {
    let ranks = query.tp.saturating_mul(query.pp);
    let listed = SHARES.iter().find(|(least, _)| ranks >= *least).filter(|_| gpu_mib <= 81920.0);
    let share = listed.map_or(SHARE, |(_, share)| *share);
    if gpu_mib > 98304.0 {
        (share + 49152.0 * (1.0 - share) / gpu_mib).min((gpu_mib - 18432.0) / gpu_mib)
    } else {
        share
    }
}

/// What 0.4.9 reserves on cards below so many MiB: GiB, and GPUs that take one GiB more.
const SIZES: [(f64, f64, Option<f64>); 4] =
    [(35840.0, 2.8, Some(10.0)), (92160.0, 9.5, Some(2.0)), (163840.0, 12.0, Some(2.0)), (f64::INFINITY, 32.0, None)];

/// 0.4.9 to 0.5.1 (`server_args.py: __post_init__`): by the size of the card.
fn reserve_by_size(query: &AutoQuery, gpu_mib: f64) -> Vec<ReserveTerm> {
    let ranks = query.tp.saturating_mul(query.pp);
    let size = SIZES.iter().find(|(below, ..)| gpu_mib < *below).map(|(_, gib, per)| {
        let label = match per {
            Some(per) => [
                "a card of this size: (",
                &decimal::write_trimmed(*gib, 1, 0),
                " + ",
                &ranks.to_string(),
                " GPUs ÷ ",
                &decimal::write_trimmed(*per, 0, 0),
                ") × 1024 MiB",
            ]
            .concat(),
            None => "a card of this size".to_owned(),
        };
        (label, (gib + per.map_or(0.0, |per| ranks as f64 / per)) * 1024.0)
    });
    let draft = query.speculation.map(|_| ("speculative decoding".to_owned(), 2048.0));
    let groups = query.dp_attention.then(|| ("data-parallel attention".to_owned(), 4096.0));
    size.into_iter().chain(draft).chain(groups).map(|(label, mib)| ReserveTerm { label, mib }).collect()
}

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
    if query.dp_attention && !prefill_only {
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
    if resolved.prefill_reserve.is_some() && newer && query.deepep {
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
        Some(Speculation::Draft) if rules == Rules::V0_5_10 => add("draft model and its graphs", 4096.0),
        Some(Speculation::Draft) => add("draft model and its graphs", 2048.0),
        Some(Speculation::Ngram) | None => {}
    }
    terms
}

/// `adjust_mem_fraction_for_vlm`: 0.95 times a correction for towers larger or smaller than ViT-L/14; up to 0.4.6 0.90 for
/// every tower (`model_runner.py`).
fn multimodal_factor(query: &AutoQuery, rules: Rules) -> Option<f64> {
    let vision = query.vision?;
    if rules >= Rules::V0_5_15 && query.disaggregation == Some(Disaggregation::Decode) {
        return None;
    }
    if rules == Rules::V0_4_6 {
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
mod tests {
    use super::*;

    fn kimi(gpu_mib: Option<f64>) -> Auto {
        let vision = Some(Vision { layers: 27, hidden: 1152 });
        let version = Version::new(0, 5, 9);
        auto_fraction(&AutoQuery { version, gpu_mib, tp: 8, mla: true, vision, ..AutoQuery::default() })
    }

    #[test]
    fn the_worked_case() {
        let auto = kimi(Some(97887.0));
        assert!((auto.fraction - 0.7714564).abs() < 5e-8, "{}", auto.fraction);
        assert_eq!(auto.reserve_mib, 14848.0);
        let terms: Vec<_> = auto.terms.iter().map(|term| term.mib).collect();
        assert_eq!(terms, [512.0, 12288.0, 1024.0, 1024.0]);
    }

    #[test]
    fn an_unknown_gpu_has_a_constant() {
        let text = AutoQuery { version: Version::new(0, 5, 9), ..AutoQuery::default() };
        assert_eq!(auto_fraction(&text).fraction, 0.88);
        assert_eq!(auto_fraction(&AutoQuery::default()).fraction, 0.95);
        assert_eq!(kimi(Some(0.0)).fraction, kimi(None).fraction, "of nothing there is no share");
        assert_eq!(kimi(None).fraction, 0.88 * kimi(None).multimodal_factor.expect("multimodal"));
    }

    #[test]
    fn between_known_releases_the_older_rule_counts() {
        let auto = |patch| auto_fraction(&AutoQuery { version: Version::new(0, 5, patch), ..AutoQuery::default() });
        assert_eq!(auto(19).fraction, 0.88);
        assert_eq!(auto(19).issues.len(), 1);
        assert_eq!(auto(15).issues, []);
        // 0.95 since 0.5.21.
        assert_eq!((auto(20).fraction, auto(21).fraction, auto(22).fraction), (0.88, 0.95, 0.95));
        assert_eq!(auto(21).issues, []);
        let said: Vec<_> = auto(22).issues.into_iter().map(|issue| issue.message).collect();
        assert_eq!(said, ["The automatic fraction of this release is not known; that of 0.5.21 is used."]);
        let rules = |minor, patch| {
            let (rules, issue) = Rules::of(Version::new(0, minor, patch));
            (rules, issue.map(|issue| issue.message))
        };
        let of = |text: &str| {
            Some(["The automatic fraction of this release is not known; that of ", text, " is used."].concat())
        };
        assert_eq!(rules(4, 6), (Rules::V0_4_6, None));
        assert_eq!(rules(4, 5), (Rules::V0_4_6, of("0.4.6")));
        assert_eq!(rules(4, 8), (Rules::V0_4_6, of("0.4.6")));
        for (minor, patch) in [(4, 9), (4, 10), (5, 0), (5, 1)] {
            assert_eq!(rules(minor, patch), (Rules::V0_4_9, None), "0.{minor}.{patch}");
        }
        assert_eq!(rules(5, 2), (Rules::V0_4_9, of("0.5.1")));
    }

    fn old(minor: u16, patch: u16, gpu_mib: f64, tp: u64) -> AutoQuery {
        AutoQuery { version: Version::new(0, minor, patch), gpu_mib: Some(gpu_mib), tp, ..AutoQuery::default() }
    }

    #[test]
    fn up_to_0_4_8_the_number_of_gpus_decides() {
        let of = |gpu_mib, tp| auto_fraction(&old(4, 6, gpu_mib, tp));
        // An H100.
        for (tp, share) in [(1, 0.88), (2, 0.87), (3, 0.87), (4, 0.85), (8, 0.81), (16, 0.79), (32, 0.79)] {
            let auto = of(81559.0, tp);
            assert_eq!(auto.fraction, share, "{tp}");
            assert!((auto.reserve_mib - 81559.0 * (1.0 - share)).abs() < 1e-6, "{tp}");
        }
        let pipeline = AutoQuery { pp: 2, ..old(4, 6, 81559.0, 8) };
        assert_eq!(auto_fraction(&pipeline).fraction, 0.79);
        // RTX PRO 6000: above 81920 MiB, below 98304.
        assert_eq!(of(97887.0, 8).fraction, 0.88);
        // An H200: 1 − 18432 / 143771 is less than 0.88 + 49152 × 0.12 / 143771.
        assert_eq!(of(143771.0, 8).fraction, (143771.0 - 18432.0) / 143771.0);
        let vision = Some(Vision { layers: 27, hidden: 1152 });
        let seeing = auto_fraction(&AutoQuery { vision, ..old(4, 6, 97887.0, 8) });
        assert_eq!((seeing.multimodal_factor, seeing.fraction), (Some(0.9), 0.88 * 0.9));
        assert_eq!(seeing.issues, []);
    }

    #[test]
    fn from_0_4_9_to_0_5_1_the_size_of_the_card_decides() {
        let of = |query: AutoQuery| {
            let auto = auto_fraction(&query);
            assert_eq!(auto.issues, []);
            (auto.reserve_mib, auto.fraction)
        };
        assert_eq!(of(old(5, 1, 183359.0, 8)), (32768.0, 0.821));
        assert_eq!(of(old(5, 1, 23034.0, 1)), (2969.6, 0.871));
        // An H100: (9.5 + 8 ÷ 2) GiB; an RTX PRO 6000: (12 + 8 ÷ 2) GiB.
        assert_eq!(of(old(4, 9, 81559.0, 8)), (13824.0, 0.831));
        assert_eq!(of(old(5, 0, 97887.0, 8)), (16384.0, 0.833));
        let draft = AutoQuery { speculation: Some(Speculation::Draft), ..old(4, 9, 81559.0, 8) };
        assert_eq!(of(draft), (15872.0, 0.805));
        let groups = AutoQuery { dp: 8, dp_attention: true, ..old(4, 9, 81559.0, 8) };
        assert_eq!(of(groups), (17920.0, 0.78));
    }

    #[test]
    fn hybrids_of_kda_and_amd_cards_capture_no_prefill_graphs() {
        let of = |patch, query: AutoQuery| {
            let version = Version::new(0, 5, patch);
            let auto = auto_fraction(&AutoQuery { version, gpu_mib: Some(81559.0), tp: 8, ..query });
            (auto.reserve_mib, auto.fraction, auto.resolved.prefill_graphs)
        };
        let mla = AutoQuery { mla: true, ..AutoQuery::default() };
        for patch in [15, 21, 23] {
            assert_eq!(of(patch, AutoQuery { kda: true, ..mla }), (14848.0, 0.818, false), "0.5.{patch}");
        }
        // 0.5.14 has no such exception.
        assert_eq!(of(14, AutoQuery { kda: true, ..mla }), (16384.0, 0.799, true));
        for patch in [10, 14, 15, 21, 23] {
            let amd = AutoQuery { amd: true, ..AutoQuery::default() };
            assert_eq!(of(patch, amd), (14848.0, 0.818, false), "0.5.{patch}");
        }
    }

    #[test]
    fn what_aiter_does_to_the_fraction_is_said() {
        let issues = |query: AutoQuery| {
            auto_fraction(&AutoQuery { gpu_mib: Some(196592.0), ..query }).issues.into_iter().map(|issue| issue.field)
        };
        let amd = AutoQuery { amd: true, ..AutoQuery::default() };
        assert!(issues(amd).eq(["gpu"]), "a context that is not known may be long");
        assert!(issues(AutoQuery { context: Some(8193), ..amd }).eq(["gpu"]));
        assert!(issues(AutoQuery { context: Some(8192), ..amd }).eq([""; 0]));
        assert!(issues(AutoQuery { context: Some(131072), ..AutoQuery::default() }).eq([""; 0]));
        let old = AutoQuery { version: Version::new(0, 4, 6), ..amd };
        assert!(issues(old).eq([""; 0]), "not in 0.4.6");
    }

    #[test]
    fn small_cards_have_larger_defaults_since_0_5_21() {
        // An L4: 512 + 1.5 × 2048 + 2 × 24 + 128 + 8 × 42 before, 512 + 1.5 × 4096 + 2 × 48 + 128 + 8 × 50 since.
        let auto = |patch, tp| {
            let version = Version::new(0, 5, patch);
            auto_fraction(&AutoQuery { version, gpu_mib: Some(23034.0), tp, ..AutoQuery::default() })
        };
        let of = |patch| (auto(patch, 1).reserve_mib, auto(patch, 1).fraction);
        assert_eq!(of(19), (4096.0, 0.822));
        for patch in [21, 22, 23] {
            assert_eq!(of(patch), (7280.0, 0.684), "0.5.{patch}");
            assert_eq!(auto(patch, 4).resolved.max_bs, 160, "0.5.{patch}");
        }
    }

    #[test]
    fn only_0_5_23_captures_no_more_than_may_run() {
        let max_bs = |patch| {
            let version = Version::new(0, 5, patch);
            auto_fraction(&AutoQuery { version, gpu_mib: Some(81559.0), max_running: Some(32), ..AutoQuery::default() })
                .resolved
                .max_bs
        };
        assert_eq!((max_bs(21), max_bs(23)), (256, 32));
    }

    #[test]
    fn speculation_is_reserved_for_up_to_0_5_13() {
        // 8 RTX PRO 6000: 512 + 12288 + 1024 + 1024 + 8 × 58 sizes.
        let auto = |patch, speculation| {
            let (version, gpu_mib) = (Version::new(0, 5, patch), Some(97887.0));
            auto_fraction(&AutoQuery { version, gpu_mib, tp: 8, speculation, ..AutoQuery::default() })
        };
        for (speculation, until) in [
            (Speculation::Draft, (15312.0 + 4096.0, 0.802)),
            (Speculation::Standalone, (15312.0 + 6144.0, 0.781)),
            (Speculation::Ngram, (15312.0, 0.844)),
        ] {
            for patch in [10, 13] {
                let auto = auto(patch, Some(speculation));
                assert_eq!((auto.reserve_mib, auto.fraction), until, "0.5.{patch}");
            }
            for patch in [14, 15, 21, 23] {
                let auto = auto(patch, Some(speculation));
                assert_eq!((auto.reserve_mib, auto.fraction), (15312.0, 0.844), "0.5.{patch}");
            }
        }
        assert_eq!(auto(14, None).issues.len(), 1, "what of 0.5.14 is open is said");
    }

    #[test]
    fn what_was_read_for_other_releases_only_is_said() {
        let old = "split prefill and decode and DeepEP were read for 0.5.23 only; they change nothing here";
        let vit = "prefill graphs of multimodal models in 0.5.10 were not executed; nothing is reserved for them";
        let vision = Some(Vision { layers: 24, hidden: 1024 });
        let plain = AutoQuery::default();
        let decode = AutoQuery { disaggregation: Some(Disaggregation::Decode), ..plain };
        let deepep = AutoQuery { deepep: true, ..plain };
        let seeing = AutoQuery { vision, ..plain };
        for (query, patch, expected) in [
            (plain, 9, None),
            (decode, 9, Some(("other_args", old))),
            (deepep, 9, Some(("other_args", old))),
            (decode, 10, Some(("other_args", old))),
            (decode, 15, None),
            (deepep, 15, None),
            (deepep, 23, None),
            (plain, 10, None),
            (seeing, 9, None),
            (seeing, 10, Some(("vit", vit))),
            (seeing, 15, None),
        ] {
            let issues = auto_fraction(&AutoQuery { version: Version::new(0, 5, patch), ..query }).issues;
            let said: Vec<_> = issues.iter().map(|issue| (issue.field.as_str(), issue.message.as_str())).collect();
            assert_eq!(said, expected.into_iter().collect::<Vec<_>>(), "0.5.{patch} {query:?}");
        }
    }

    #[test]
    fn prefill_graphs_are_a_term_of_their_own() {
        let term = |mla| {
            let query = AutoQuery { gpu_mib: Some(97887.0), tp: 8, mla, ..AutoQuery::default() };
            auto_fraction(&query).terms.pop().map(|term| (term.label, term.mib))
        };
        assert_eq!(term(true), Some(("prefill graphs of MLA".to_owned(), 1536.0)));
        assert_eq!(term(false), Some(("prefill graphs: 8 MiB × 58 sizes".to_owned(), 464.0)));
    }

    #[test]
    fn the_floor_is_for_more_than_61440_mib_and_less_than_10240() {
        // `if gpu_mem > 61440: R = max(R, 10240)`.
        let of = |gpu_mib, chunk, max_bs, tp| {
            let version = Version::new(0, 5, 9);
            let gpu_mib = Some(gpu_mib);
            let query =
                AutoQuery { version, gpu_mib, tp, chunk: Some(chunk), max_bs: Some(max_bs), ..AutoQuery::default() };
            let auto = auto_fraction(&query);
            (auto.reserve_mib, auto.terms.len())
        };
        assert_eq!(of(61440.0, 2048, 8, 1), (512.0 + 3072.0 + 16.0 + 128.0, 4));
        assert_eq!(of(61441.0, 2048, 8, 1), (10240.0, 5));
        // 512 + 6144 + 2560 + 1024 are 10240 by themselves.
        assert_eq!(of(97887.0, 4096, 1280, 8), (10240.0, 4));
        assert_eq!(of(97887.0, 4096, 1279, 8), (10240.0, 5));
        assert_eq!(of(97887.0, 4096, 1281, 8), (10242.0, 4));
    }

    #[test]
    fn a_server_that_only_decodes_sees_nothing() {
        let factor = |patch, disaggregation| {
            // ViT-L/14, the tower that the correction is measured from.
            let vision = Some(Vision { layers: 24, hidden: 1024 });
            let version = Version::new(0, 5, patch);
            auto_fraction(&AutoQuery { version, vision, disaggregation, ..AutoQuery::default() }).multimodal_factor
        };
        for patch in [15, 23] {
            assert_eq!(factor(patch, Some(Disaggregation::Decode)), None, "0.5.{patch}");
            assert_eq!(factor(patch, Some(Disaggregation::Prefill)), Some(0.95), "0.5.{patch}");
            assert_eq!(factor(patch, None), Some(0.95), "0.5.{patch}");
        }
        assert_eq!(factor(9, Some(Disaggregation::Decode)), Some(0.95));
    }

    #[test]
    fn rounding_is_pythons() {
        for (value, rounded) in [(0.8625, 0.863), (0.0005, 0.001), (0.0015, 0.002), (-0.0277, -0.028), (0.7245, 0.725)]
        {
            assert_eq!(round3(value), rounded, "{value}");
        }
        assert_eq!(round3(0.5625), 0.562, "an exact tie goes to even");
    }
}

//! What a reader chose, and the readable URL that carries it.
//!
//! A [`Scenario`] holds every choice that can be sent to somebody else. [`query`] turns it into the query string of the
//! page and back, driven by one table, [`fields`]. [`evaluate`] hands its numbers to [`crate::budget`]. [`json`] is the
//! answer as a program reads it, [`typed`] and [`slider`] are the two ways of changing a number by hand.
//!
//! ```
//! use kv_budget::scenario::query::{decode, encode};
//!
//! // Whatever stands in an address, something is read, and what was wrong is said.
//! let decoded = decode("preset=baseline-0.88&f=0.9&page=1.5");
//! assert_eq!(encode(&decoded.scenario), "preset=baseline-0.88&f=0.9");
//! assert_eq!(decoded.issues[0].field, "page");
//! ```

pub mod fields;
pub mod json;
pub mod query;
pub mod range;
pub mod slider;
pub mod typed;

use crate::budget::{self, Inputs};
use crate::catalog::presets::{self, Preset};
use crate::engines::sglang::Version;
use crate::engines::sglang::cell::KvDtype;
use crate::issue::{Issue, IssueKind};
use crate::text::story::Language;
use crate::units::{BytesPerToken, Fraction, Gib};

/// Every choice that a URL carries.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// The preset that was chosen by name; it stays in the URL.
    pub preset: Option<&'static Preset>,
    /// `--mem-fraction-static`.
    pub fraction: Fraction,
    /// Free at init on the fullest GPU.
    pub total: Gib,
    /// Free after the weights on the fullest GPU; what counts is [`Scenario::available`].
    pub available_typed: Gib,
    /// Free after the weights on each GPU; the smallest counts. Empty where only one number is known.
    pub ranks: Vec<Gib>,
    /// Bytes of KV cache for one token on one GPU.
    pub cell: BytesPerToken,
    /// Tokens per page.
    pub page_size: u64,
    /// `--max-total-tokens`.
    pub max_total_tokens: Option<u64>,
    /// What activations and graphs are expected to need.
    pub dynamic_need: Option<Gib>,
    /// Context length for the capacity read-out, tokens.
    pub context: Option<u64>,
    /// Requests of `context` tokens that must fit.
    pub need: Option<u64>,
    /// The release whose rules and messages apply.
    pub sglang: Version,
    /// What the planner was asked; nothing here enters `evaluate`.
    pub plan: PlanChoices,
    /// Assumed activation peak for the other engines.
    pub activation_peak: Option<Gib>,
    /// Assumed CUDA-graph memory for the other engines.
    pub graph_memory: Option<Gib>,
    /// Assumed physical memory of the card, for the other engines.
    pub card: Option<Gib>,
    /// Assumed vocabulary, for the other engines.
    pub vocabulary: Option<u64>,
    /// Beside a plan: which of the four numbers are chosen, and not left to the plan. See [`Scenario::gives`].
    pub(crate) given: u8,
    /// A second scenario to compare with.
    pub versus: Option<Versus>,
    /// How the page shows it.
    pub view: View,
}

/// The planner's choices, as given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanChoices {
    /// Catalog id of the model.
    pub model: Option<String>,
    /// Catalog id of the GPU.
    pub gpu: Option<String>,
    /// Tensor parallel size.
    pub tp: Option<u64>,
    /// Pipeline parallel size.
    pub pp: Option<u64>,
    /// Data parallel size of attention.
    pub dp: Option<u64>,
    /// `--kv-cache-dtype`.
    pub kv_dtype: Option<KvDtype>,
    /// `--chunked-prefill-size`; −1 switches chunking off.
    pub chunked_prefill_size: Option<i64>,
    /// `--cuda-graph-max-bs`.
    pub cuda_graph_max_bs: Option<u64>,
    /// `--speculative-algorithm`.
    pub speculative: Option<&'static str>,
    /// `--max-running-requests`.
    pub max_running: Option<u64>,
}

/// What to compare with.
#[derive(Debug, Clone, PartialEq)]
pub enum Versus {
    /// A run of the worked case.
    Preset(&'static Preset),
    /// The same scenario with some of its four numbers changed.
    Changed {
        /// `--mem-fraction-static` of the other run.
        fraction: Option<Fraction>,
        /// Free at init of the other run.
        total: Option<Gib>,
        /// Free after the weights of the other run.
        available: Option<Gib>,
        /// Cell size of the other run.
        cell: Option<BytesPerToken>,
    },
}

/// How the page shows the scenario.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct View {
    /// Step of the story, from 1.
    pub step: Option<u64>,
    /// Step of the start-up walk, from 1.
    pub walk: Option<u64>,
    /// The language of the story; the browser's choice where absent.
    pub lang: Option<Language>,
    /// The compact shell inside somebody else's page.
    pub embed: bool,
    /// `light`, `dark` or `auto`.
    pub theme: Option<&'static str>,
    /// Which sections an embed shows; all where empty.
    pub show: Vec<&'static str>,
}

impl Default for Scenario {
    fn default() -> Self {
        Self::of_preset(presets::default(), None)
    }
}

impl Scenario {
    /// The scenario that choosing this preset gives.
    pub fn from_preset(preset: &'static Preset) -> Self {
        Self::of_preset(preset, Some(preset))
    }

    fn of_preset(numbers: &Preset, preset: Option<&'static Preset>) -> Self {
        Self {
            preset,
            fraction: numbers.fraction,
            total: numbers.total,
            available_typed: numbers.available,
            ranks: Vec::new(),
            cell: numbers.cell,
            page_size: 1,
            max_total_tokens: None,
            dynamic_need: None,
            context: None,
            need: None,
            sglang: Version::NEWEST,
            plan: PlanChoices::default(),
            activation_peak: None,
            graph_memory: None,
            card: None,
            vocabulary: None,
            given: 0,
            versus: None,
            view: View::default(),
        }
    }

    /// The preset whose numbers this scenario started from.
    pub fn base(&self) -> &'static Preset {
        self.preset.unwrap_or(presets::default())
    }

    /// The preset whose four numbers it has now, chosen or reached by hand.
    pub fn matching_preset(&self) -> Option<&'static Preset> {
        presets::PRESETS.iter().find(|preset| self.has_numbers_of(preset))
    }

    /// Whether it carries what a plan starts from.
    pub fn is_planned(&self) -> bool {
        self.plan.model.is_some() || self.plan.gpu.is_some()
    }

    /// Whether a plan is asked for and none of the four numbers is its own: they are those of the run the page opens on.
    pub fn is_unfilled(&self) -> bool {
        self.is_planned() && self.preset.is_none() && self.given == 0 && self.has_numbers_of(presets::default())
    }

    fn has_numbers_of(&self, run: &Preset) -> bool {
        self.fraction == run.fraction
            && self.total == run.total
            && self.available() == run.available
            && self.cell == run.cell
    }

    /// Whether this one of the four numbers is chosen, be it the default: a plan fills in only the others.
    pub fn gives(&self, key: &str) -> bool {
        self.given & number_bit(key) != 0
    }

    /// All of the four numbers but those that are kept become those of the run that the page opens on, and are not chosen.
    pub fn forget_numbers(&mut self, kept: &[&str]) {
        let Self { fraction, total, available_typed, cell, .. } = Self::default();
        self.preset = None;
        self.given = kept.iter().map(|name| number_bit(name)).sum();
        if !self.gives("f") {
            self.fraction = fraction;
        }
        if !self.gives("total") {
            self.total = total;
        }
        if !self.gives("avail") {
            self.available_typed = available_typed;
            self.ranks.clear();
        }
        if !self.gives("cell") {
            self.cell = cell;
        }
    }

    /// All four numbers are chosen from now on.
    pub fn give_numbers(&mut self) {
        self.given = u8::MAX;
    }

    /// Whether it carries an assumption about other engines.
    pub fn assumes(&self) -> bool {
        self.activation_peak.is_some()
            || self.graph_memory.is_some()
            || self.card.is_some()
            || self.vocabulary.is_some()
    }

    /// Whether it is at a step of the story.
    pub fn is_told(&self) -> bool {
        self.view.step.is_some()
    }

    /// Whether it is at a step of the start-up walk.
    pub fn is_walked(&self) -> bool {
        self.view.walk.is_some()
    }

    /// Free after the weights on the fullest GPU: the smallest rank where ranks are given.
    pub fn available(&self) -> Gib {
        self.ranks.iter().copied().reduce(Gib::min).unwrap_or(self.available_typed)
    }

    /// Sets what is free after the weights; a single number replaces a list of ranks.
    pub fn set_available(&mut self, available: Gib) {
        self.available_typed = available;
        self.ranks.clear();
    }

    /// The numbers of the formula.
    pub fn inputs(&self) -> Inputs {
        Inputs {
            fraction: self.fraction,
            total: self.total,
            available: self.available(),
            cell: self.cell,
            page_size: self.page_size,
            max_total_tokens: self.max_total_tokens,
            dynamic_need: self.dynamic_need,
        }
    }

    /// The inputs of the run to compare with.
    pub fn versus_inputs(&self) -> Option<Inputs> {
        let own = self.inputs();
        Some(match self.versus.as_ref()? {
            // A preset has no cap.
            Versus::Preset(preset) => Inputs { dynamic_need: own.dynamic_need, ..Self::from_preset(preset).inputs() },
            Versus::Changed { fraction, total, available, cell } => Inputs {
                fraction: fraction.unwrap_or(own.fraction),
                total: total.unwrap_or(own.total),
                available: available.unwrap_or(own.available),
                cell: cell.unwrap_or(own.cell),
                ..own
            },
        })
    }

    /// Contradictions within the scenario itself.
    pub fn issues(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.available().0 > self.total.0 {
            issues.push(Issue::new(
                "avail",
                IssueKind::Conflict,
                "More memory is free after the weights than was free before them. One of the two is wrong: lower \
                 available or raise total.",
            ));
        }
        issues.extend(self.sglang.unread());
        issues
    }
}

/// The place of one of the four numbers in [`Scenario::given`]; 0 for any other key.
pub(crate) fn number_bit(key: &str) -> u8 {
    match key {
        "f" => 1,
        "total" => 2,
        "avail" | "ranks" => 4,
        "cell" => 8,
        _ => 0,
    }
}

/// A report and what was wrong with the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The numbers.
    pub report: budget::Report,
    /// Contradictions; empty in the usual case.
    pub issues: Vec<Issue>,
}

/// Evaluates a scenario. Total: any scenario gives a report.
pub fn evaluate(scenario: &Scenario) -> Evaluation {
    Evaluation { report: budget::evaluate(&scenario.inputs()), issues: scenario.issues() }
}

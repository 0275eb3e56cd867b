//! What a reader chose: the controls of the form as a scenario and a request, and back.

use crate::catalog::{config, models};
use crate::decimal;
use crate::issue::IssueKind;
use crate::plan::answer::{PlanAnswer, PlanRequest};
use crate::scenario::fields::{MOST_RANKS, field, range};
use crate::scenario::query::{decode, encode};
use crate::scenario::range::Range;
use crate::scenario::typed::understand;
use crate::scenario::{PlanChoices, Scenario};
use crate::sections::Ask;
use crate::text::refused;

/// The controls that are keys of the scenario's address, in the order of the form. The others never enter an address.
pub const KEYS: [&str; 13] =
    ["model", "gpu", "tp", "pp", "dp", "sglang", "kv", "spec", "chunk", "graph", "ctx", "need", "running"];

/// The controls that are not: the address carries what follows from them.
pub const OTHERS: [&str; 2] = ["free", "size"];

/// The four numbers that a plan fills in and that can be kept as they are.
pub const NUMBERS: [&str; 4] = ["f", "total", "avail", "cell"];

/// A control and why its text was not taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Its name.
    pub name: &'static str,
    /// A sentence.
    pub words: String,
}

/// Everything that was chosen.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The scenario with the planner's keys; its four numbers are the page's.
    pub scenario: Scenario,
    /// The text of a `config.json`, which counts instead of the model.
    pub config: Option<String>,
    /// Which of the four numbers stay as they are.
    pub pinned: Vec<&'static str>,
    /// What could not be read.
    pub notes: Vec<Note>,
    free: Vec<f64>,
    total_size: Option<f64>,
}

impl Choices {
    /// What a scenario says, beside a config. A model that is named by its repository is chosen by its id.
    pub fn of_scenario(scenario: &Scenario, config: Option<String>) -> Self {
        let mut scenario = scenario.clone();
        if let Some(model) = scenario.plan.model.as_deref().and_then(models::find) {
            scenario.plan.model = Some(model.id.to_owned());
        }
        Self { scenario, config, pinned: Vec::new(), notes: Vec::new(), free: Vec::new(), total_size: None }
    }

    /// What the form says. The four numbers stay that are ticked, and those that were moved since the plan filled them.
    pub fn of_form(now: &Scenario, ask: &Ask) -> Self {
        let mut scenario = now.clone();
        scenario.plan = PlanChoices::default();
        (scenario.need, scenario.context) = (None, None);
        let mut notes = Vec::new();
        for name in KEYS {
            if let Err(kind) = take(&mut scenario, name, ask.field(name)) {
                notes.push(Note { name, words: refused(name, kind) });
            }
        }
        let number = |name: &'static str, least: f64, notes: &mut Vec<Note>| {
            let text = ask.field(name);
            let value = decimal::read(&text.replace([',', ' '], "")).ok().filter(|value| *value >= least);
            if value.is_none() && !text.is_empty() {
                notes.push(Note { name, words: "not a whole number".to_owned() });
            }
            value
        };
        let total_size = number("size", 1.0, &mut notes);
        let config = ask.fields.get("config").filter(|text| !text.trim().is_empty()).cloned();
        if config.is_some() {
            scenario.plan.model = None;
        }
        Self {
            pinned: NUMBERS.into_iter().filter(|name| is_kept(now, ask, name)).collect(),
            free: free(ask.field("free"), &mut notes),
            scenario,
            config,
            notes,
            total_size,
        }
    }

    /// Takes from the address what each GPU has: it says what is free after the weights, which are alike on each.
    pub fn take_ranks(&mut self) {
        let ranks = &self.scenario.ranks;
        if ranks.len() < 2 {
            return;
        }
        // A total that is given is that of the fullest GPU; one that is estimated is that of a GPU with nothing else on it.
        let estimated = if self.is_bare("total") { self.plan().plan.map(|plan| plan.total.value) } else { None };
        let (total, like) = match estimated {
            Some(total) => (total, ranks.iter().fold(0.0, |most: f64, rank| most.max(rank.0))),
            None => (self.scenario.total.0, self.scenario.available().0),
        };
        self.free = ranks.iter().map(|rank| total + (rank.0 - like)).collect();
    }

    /// Whether the address leaves this number to the plan.
    pub fn is_bare(&self, name: &str) -> bool {
        let scenario = &self.scenario;
        let moved = || written(scenario, name) != written(&Scenario::default(), name);
        scenario.preset.is_none() && !scenario.gives(name) && !moved()
    }

    /// Whether there is a model and a card to plan with.
    pub fn are_enough(&self) -> bool {
        (self.config.is_some() || self.scenario.plan.model.is_some()) && self.scenario.plan.gpu.is_some()
    }

    /// Free memory of each GPU at the start, where it was given.
    pub fn free(&self) -> &[f64] {
        &self.free
    }

    /// The scenario without the numbers that another plan may have left: those that are kept, beside the run that the page
    /// opens on. Without a model or a card nothing was asked for yet, and all stay.
    pub fn unfilled(&self) -> Scenario {
        let mut scenario = self.scenario.clone();
        if self.are_enough() {
            scenario.forget_numbers(&self.pinned);
        }
        scenario
    }

    /// The plan.
    pub fn plan(&self) -> PlanAnswer {
        PlanAnswer::of(&PlanRequest {
            scenario: encode(&self.scenario),
            config: self.config.clone(),
            pinned: self.pinned.iter().map(|name| (*name).to_owned()).collect(),
            free: self.free.clone(),
            total_size: self.total_size,
        })
    }

    /// Keeps the numbers that were given and that the plan would not give, one after the other: what is free after the
    /// weights follows from what was free before.
    pub fn pin_what_differs(&mut self) {
        for name in NUMBERS.into_iter().filter(|name| !self.is_bare(name)).collect::<Vec<_>>() {
            let Some(plan) = self.plan().plan else { return };
            if written(&decode(&plan.scenario).scenario, name) != written(&self.scenario, name)
                && !self.pinned.contains(&name)
            {
                self.pinned.push(name);
            }
        }
    }

    /// The text of a control that is a key of the address.
    pub fn text(&self, name: &str) -> String {
        if name == "ctx" && self.scenario.context == self.own_context() {
            return String::new();
        }
        field(name).and_then(|field| field.text(&self.scenario)).unwrap_or_default()
    }

    fn own_context(&self) -> Option<u64> {
        match &self.config {
            Some(text) => config::read(text.as_bytes()).config?.context,
            None => self.scenario.plan.model.as_deref().and_then(models::find).map(|model| model.context),
        }
    }

    /// Whether these choices fill the form in the same way.
    pub fn look_like(&self, other: &Self) -> bool {
        self.unequal() == other.unequal() && KEYS.iter().all(|name| self.text(name) == other.text(name))
    }

    /// What each GPU has, as the form shows it; empty for one number.
    pub fn unequal(&self) -> String {
        let each: Vec<String> = self.free.iter().map(|gib| decimal::canonical(*gib)).collect();
        if each.len() < 2 { String::new() } else { each.join(", ") }
    }
}

/// A number as the address has it.
pub fn written(scenario: &Scenario, name: &str) -> String {
    match name {
        // A list of ranks stands for its smallest.
        "avail" => decimal::canonical(scenario.available().0),
        _ => field(name).and_then(|field| field.text(scenario)).unwrap_or_default(),
    }
}

fn is_kept(now: &Scenario, ask: &Ask, name: &str) -> bool {
    let was = ask.field(&["was-", name].concat());
    !was.is_empty() && (was != written(now, name) || !ask.field(&["pin-", name].concat()).is_empty())
}

/// Puts the text of a control into the scenario; an empty one leaves the default.
fn take(scenario: &mut Scenario, name: &str, text: &str) -> Result<(), IssueKind> {
    let Some(field) = field(name).filter(|_| !text.is_empty()) else { return Ok(()) };
    if ["model", "gpu", "sglang", "kv", "spec"].contains(&name) {
        return field.read(scenario, text);
    }
    let understood = understand(name, text)?;
    field.read(scenario, &decimal::canonical(understood.value))
}

/// `93.9, 93.9, 80.2`: GiB of each GPU.
fn free(text: &str, notes: &mut Vec<Note>) -> Vec<f64> {
    let parts = text.split([',', ';', ' ', '\n']).map(str::trim).filter(|part| !part.is_empty());
    let values: Result<Vec<f64>, _> = parts.map(decimal::read).collect();
    let Range { least, most, .. } = range("total");
    match values {
        Ok(values) if values.iter().all(|value| (least..=most).contains(value)) && values.len() <= MOST_RANKS => values,
        _ => {
            let words = "not a list of numbers; for example: 93.9, 93.9, 80.2".to_owned();
            notes.push(Note { name: "free", words });
            Vec::new()
        }
    }
}

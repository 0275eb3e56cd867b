//! The one source of truth: a signal with the scenario, a memo with its evaluation.

use leptos::prelude::*;

use super::address;
use crate::browser::history;
use crate::issue::Issue;
use crate::scenario::query::{Decoded, decode, encode};
use crate::scenario::{Evaluation, Scenario, evaluate};

/// Handles on the page's state; copies share it.
#[derive(Clone, Copy)]
pub struct State {
    /// What the reader chose.
    pub scenario: RwSignal<Scenario>,
    /// What was wrong with the address that was opened.
    pub address_issues: RwSignal<Vec<Issue>>,
    /// What follows from the scenario.
    pub evaluation: Memo<Evaluation>,
}

impl State {
    /// From the address bar.
    pub fn from_address() -> Self {
        let Decoded { scenario, issues } = decode(&history::read());
        let scenario = RwSignal::new(scenario);
        Self {
            scenario,
            address_issues: RwSignal::new(issues),
            evaluation: Memo::new(move |_| scenario.with(evaluate)),
        }
    }

    /// Runs now and whenever what it read changes; it is told whether this is the first run.
    ///
    /// Boxed on purpose: each type of effect would otherwise bring its own copy of the machinery, 5 kB a piece.
    pub fn watch(mut run: Box<dyn FnMut(bool)>) {
        Effect::new(move |before: Option<()>| run(before.is_none()));
    }

    /// Changes the scenario; the address bar follows a moment later.
    pub fn edit(self, change: impl FnOnce(&mut Scenario)) {
        self.scenario.update(change);
    }

    /// Goes to another scenario, with a new entry in the history.
    pub fn go(self, scenario: Scenario) {
        // Back returns to what was edited last, also where the address bar had not followed yet.
        address::write(&self.scenario.with_untracked(encode));
        // A browser that refuses the entry still shows the scenario.
        history::push(&encode(&scenario)).ok();
        self.address_issues.set(Vec::new());
        self.scenario.set(scenario);
    }

    /// Takes what the address bar says now, after Back or Forward.
    pub fn follow_address(self) {
        let Some(query) = history::read_if_another() else { return };
        let Decoded { scenario, issues } = decode(&query);
        self.address_issues.set(issues);
        self.scenario.set(scenario);
    }
}

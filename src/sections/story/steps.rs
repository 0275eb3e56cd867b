//! What each step of the story does to the scenario.
//!
//! All of them are the failing run with some of its numbers changed, so that the page marks where that run stood.

use super::values::{BUFFERS, FAILING, LOWERED, MISREAD, WORKING, run};
use crate::scenario::Scenario;

/// The run that each step is about.
const RUNS: [&str; 9] = [FAILING, FAILING, LOWERED, MISREAD, BUFFERS, FAILING, FAILING, WORKING, FAILING];

/// The scenario of a step, from 1.
pub fn scenario(step: u64) -> Scenario {
    let index = usize::try_from(step.saturating_sub(1)).unwrap_or(0);
    on_failing(&run(RUNS.get(index).unwrap_or(&FAILING)))
}

/// A run as a change of the failing run.
pub fn on_failing(run: &Scenario) -> Scenario {
    let mut scenario = Scenario { fraction: run.fraction, total: run.total, cell: run.cell, ..Scenario::default() };
    scenario.set_available(run.available());
    scenario
}

/// The scenario of a step, shown as the page shows things now.
pub fn arrive(step: u64, now: &Scenario) -> Scenario {
    let mut arrived = Scenario { view: now.view.clone(), ..scenario(step) };
    arrived.view.step = Some(step);
    arrived
}

/// Whether the four numbers are the same.
pub fn numbers_equal(a: &Scenario, b: &Scenario) -> bool {
    a.fraction == b.fraction && a.total == b.total && a.available() == b.available() && a.cell == b.cell
}

//! The way back: from another engine's value to SGLang's fraction, and the range in which vLLM starts at all.

use serde::Serialize;

use super::facts::{Engine, Refusal, Remedy};
use super::shape::ceil_div;
use super::translate::{Assumptions, Fate, Server, Try, block_tokens, check};
use super::ways::{Line, Way, line};
use crate::decimal;
use crate::issue::{Issue, IssueKind};
use crate::units::GIB;

/// What SGLang's fraction would be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Back {
    /// What the value does in its own engine.
    pub there: Option<Try>,
    /// SGLang's fraction for the same pool, not rounded; `None` where there is none from 0 to 1.
    pub fraction: Option<f64>,
    /// What to copy; empty where there is none.
    pub flag: String,
    /// Trouble with the numbers.
    pub issues: Vec<Issue>,
}

/// The SGLang fraction that gives the pool which `value` gives in `way`. The server's own fraction is not used.
pub fn back(way: Way, value: f64, server: &Server, assumed: &Assumptions) -> Back {
    let mut back = Back { there: None, fraction: None, flag: String::new(), issues: check(server, assumed) };
    let pool = match line(way, server, assumed) {
        Some(line) => {
            let there = line.with(value);
            back.there = Some(there);
            if there.fate != Fate::Starts {
                let message =
                    "With this value the engine itself does not start as asked; there is no pool to translate.";
                back.issues.push(Issue::new(way.id(), IssueKind::OutOfRange, message));
                return back;
            }
            there.pool_gib
        }
        None if way == Way::VllmBytes => value / GIB,
        None => value * server.cell.get() / GIB,
    };
    let fraction = 1.0 - (server.available.0 - pool) / server.total.0;
    if (0.0..=1.0).contains(&fraction) {
        back.fraction = Some(fraction);
        back.flag = ["--mem-fraction-static ", &decimal::write_trimmed(fraction, 5, 2)].concat();
    } else {
        let message = "SGLang's fraction would have to be outside 0 to 1.";
        back.issues.push(Issue::new("f", IssueKind::OutOfRange, message));
    }
    back
}

/// vLLM's usable range, between two refusals that ask for opposite moves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strip {
    /// At or below this nothing is left for the cache.
    pub lower: f64,
    /// Below this one request of the longest length does not fit; `None` where the length is not known.
    pub one_request: Option<f64>,
    /// Above this less is free than asked for.
    pub upper: f64,
    /// Whether no value starts.
    pub empty: bool,
    /// The refusals at the lower edge: raise the value.
    pub below: Vec<Refusal>,
    /// The refusals at the upper edge: lower it.
    pub above: Vec<Refusal>,
}

/// The edges of vLLM's `gpu_memory_utilization`. `longest` is the longest request in tokens.
pub fn vllm_strip(server: &Server, assumed: &Assumptions, longest: Option<i64>) -> Strip {
    let line = line(Way::Vllm, server, assumed).unwrap_or(Line::NONE);
    let block = block_tokens(Way::Vllm, assumed);
    let one_request = longest.filter(|tokens| *tokens > 0).map(|tokens| {
        // One block more: the null block is never usable.
        let blocks = (ceil_div(tokens, block) + 1) as f64;
        (line.offset + blocks * block as f64 * server.cell.get() / GIB) / line.slope
    });
    let refusals = |remedy: Remedy| {
        let all = Engine::Vllm.facts().refusals.iter();
        all.filter(|refusal| refusal.remedy == remedy).copied().collect()
    };
    Strip {
        lower: line.lower,
        one_request,
        upper: line.upper,
        empty: one_request.unwrap_or(line.lower) > line.upper || line.lower >= line.upper,
        below: refusals(Remedy::Raise),
        above: refusals(Remedy::Lower),
    }
}

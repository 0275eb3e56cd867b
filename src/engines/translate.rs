//! The same pool in every engine: the value of each knob that gives what an SGLang server has, what copying SGLang's
//! number over would give instead.
//!
//! Every fraction is a straight line, `pool = slope × value − offset`; what differs is the slope (what it is a fraction
//! of) and the offset (what is subtracted afterwards). Engines that take a length or bytes have no line.

use serde::Serialize;

use super::cells::{self, Cell};
use super::facts::{Base, Engine};
use super::flag::flag;
use super::shape::{Attention, Shape, ceil_div};
use super::ways::{Line, Way, line};
use super::{llama_cpp, ollama};
use crate::decimal;
use crate::issue::{Issue, IssueKind};
use crate::units::{Bytes, BytesPerToken, Fraction, GIB, Gib};

/// The SGLang server whose pool is to be had elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Server {
    /// `--mem-fraction-static`.
    pub fraction: Fraction,
    /// Free before the weights, on the fullest GPU.
    pub total: Gib,
    /// Free after the weights, on the fullest GPU.
    pub available: Gib,
    /// Bytes of KV cache for one token on one GPU.
    pub cell: BytesPerToken,
    /// `--max-total-tokens`, where given.
    pub max_total_tokens: Option<u64>,
}

impl Server {
    /// The pool, GiB; negative where SGLang cannot start.
    pub fn pool(&self) -> Gib {
        let rest = self.available - self.fraction.reserve_of(self.total);
        match self.max_total_tokens {
            Some(tokens) => rest.min(Gib(tokens as f64 * self.cell.get() / GIB)),
            None => rest,
        }
    }
}

/// What SGLang's numbers do not say and other engines depend on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumptions {
    /// Physical memory of the card, as CUDA reports it; `None` estimates it from what is free.
    pub physical: Option<Gib>,
    /// Transient peak of a forward pass.
    pub activations: Gib,
    /// vLLM's estimate of graph memory.
    pub graphs: Gib,
    /// The weights alone; `None` takes everything that was loaded (MLC-LLM counts weights only).
    pub weights: Option<Gib>,
    /// MLC-LLM's workspaces; `None` takes the activation peak.
    pub workspaces: Option<Gib>,
    /// Vocabulary, for LMDeploy's reserve.
    pub vocab: i64,
    /// LMDeploy's `max_prefill_token_num`.
    pub prefill: i64,
    /// LMDeploy's `max_batch_size`: 384 on A100, 1024 on H100 and H200, else 128.
    pub batch: i64,
    /// The model's attention, where known.
    pub shape: Option<Shape>,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self {
            physical: None,
            activations: Gib(2.0),
            graphs: Gib(0.0),
            weights: None,
            workspaces: None,
            vocab: 129_280,
            prefill: 8_192,
            batch: 128,
            shape: None,
        }
    }
}

impl Assumptions {
    /// Physical memory: as given, or the whole GiB that leaves at least one for the driver's context.
    pub fn physical_for(&self, total: Gib) -> Gib {
        self.physical.unwrap_or(Gib((total.0 + 1.0).ceil()))
    }
}

/// What becomes of a start with one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It starts with this pool.
    Starts,
    /// It refuses: the value is too low.
    RefusesTooLow,
    /// It refuses: the value is too high.
    RefusesTooHigh,
    /// It starts with next to nothing and says nothing.
    Collapses,
    /// It asks for more than there is and runs out of memory.
    OutOfMemory,
    /// Nothing is left that the value could be a share of; no value helps.
    NothingLeft,
}

/// A value and what it gives.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Try {
    /// The value of the knob.
    pub value: f64,
    /// The pool that it asks for, GiB; not there where the start is refused for a low value.
    pub pool_gib: f64,
    /// What becomes of it.
    pub fate: Fate,
}

/// Whether the pool can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// By the value given.
    Reachable,
    /// The value would be above what the engine accepts or has free.
    AboveRange,
    /// Nothing is left that the knob could be a share of.
    NothingLeft,
    /// The pool has fewer blocks than the engine needs to start as asked.
    TooSmall,
    /// What one token takes in this engine is not known, and the knob counts tokens.
    NotKnown,
    /// SGLang itself has no pool with these numbers.
    NoPool,
}

/// One line of the table: one knob of one engine, in one age of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Stable name of the line.
    pub id: &'static str,
    /// Engine.
    pub engine: Engine,
    /// Engine's name for readers.
    pub title: &'static str,
    /// Versions or settings it holds for.
    pub holds_for: &'static str,
    /// The knob.
    pub knob: &'static str,
    /// What its value is a share, or a number, of.
    pub base: Base,
    /// That base, GiB; the bars of the table are drawn on one scale from it. `None` for numbers.
    pub base_gib: Option<f64>,
    /// What is taken off after the share was taken, GiB.
    pub less_gib: Option<f64>,
    /// Value for the same pool, not rounded; given even where it cannot be reached.
    pub value: Option<f64>,
    /// The value with five decimals.
    pub value_text: String,
    /// What to copy, with the decimals that it takes to have all of the blocks; empty where the pool cannot be had.
    pub flag: String,
    /// Whether it can be had.
    pub reach: Reach,
    /// Values must be above this.
    pub lower: Option<f64>,
    /// Values must not be above this.
    pub upper: Option<f64>,
    /// GiB for 0.01 more.
    pub step_gib: Option<f64>,
    /// SGLang's number copied over; `None` where the knob is no fraction.
    pub copied: Option<Try>,
    /// The engine's default.
    pub default: Option<Try>,
    /// Tokens per block.
    pub block_tokens: i64,
    /// Blocks of the same pool; `None` where bytes per token are not known.
    pub blocks: Option<i64>,
    /// Tokens of the same pool.
    pub tokens: Option<i64>,
    /// Bytes per token in this engine; `None` without a shape.
    pub cell: Option<Cell>,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Translation {
    /// SGLang's pool, GiB.
    pub pool_gib: f64,
    /// Physical memory that was used, GiB.
    pub physical_gib: f64,
    /// One line a knob, SGLang's first.
    pub rows: Vec<Row>,
    /// Trouble with the numbers.
    pub issues: Vec<Issue>,
}

/// Translates the server's pool into every engine.
pub fn translate(server: &Server, assumed: &Assumptions) -> Translation {
    let pool = server.pool();
    let issues = check(server, assumed);
    let broken = issues.iter().any(|issue| issue.kind != IssueKind::NotMeasured && issue.kind != IssueKind::Conflict);
    let rows = if broken { Vec::new() } else { Way::ALL.into_iter().map(|way| row(way, server, assumed)).collect() };
    Translation { pool_gib: pool.0, physical_gib: assumed.physical_for(server.total).0, rows, issues }
}

/// What is wrong with the numbers.
pub(super) fn check(server: &Server, assumed: &Assumptions) -> Vec<Issue> {
    let mut issues = Vec::new();
    for (field, amount) in [
        ("total", Some(server.total)),
        ("avail", Some(server.available)),
        ("physical", assumed.physical),
        ("act", Some(assumed.activations)),
        ("cg", Some(assumed.graphs)),
        ("weights", assumed.weights),
        ("workspaces", assumed.workspaces),
    ] {
        if amount.is_some_and(|amount| !(0.0..=1e6).contains(&amount.0)) {
            issues.push(Issue::new(field, IssueKind::OutOfRange, "Not an amount of memory; nothing was translated."));
        }
    }
    for (field, count) in [("vocab", assumed.vocab), ("prefill", assumed.prefill), ("batch", assumed.batch)] {
        if !(1..=1_000_000_000).contains(&count) {
            issues.push(Issue::new(field, IssueKind::OutOfRange, "Not a count; nothing was translated."));
        }
    }
    match assumed.physical {
        Some(physical) if physical.0 < server.total.0 => {
            let message =
                "The card cannot be smaller than what was free on it; values of fractions of the card are wrong.";
            issues.push(Issue::new("physical", IssueKind::Conflict, message));
        }
        None => {
            let message = "Not given; estimated from what was free before the weights.";
            issues.push(Issue::new("physical", IssueKind::NotMeasured, message));
        }
        Some(_) => {}
    }
    if server.available.0 > server.total.0 {
        issues.push(Issue::new("avail", IssueKind::Conflict, "More is free after the weights than before."));
    }
    issues
}

fn row(way: Way, server: &Server, assumed: &Assumptions) -> Row {
    let facts = way.engine().facts();
    let pool = server.pool();
    let line = line(way, server, assumed);
    let cell = assumed.shape.map(|shape| cells::cell(way.engine(), &shape));
    let block_tokens = block_tokens(way, assumed);
    let mut row = Row {
        id: way.id(),
        engine: way.engine(),
        title: facts.title,
        holds_for: way.holds_for(),
        knob: way.knob().map_or("", |knob| knob.name),
        base: base(way, line, server, assumed),
        base_gib: line.map(|line| line.base),
        less_gib: line.map(|line| line.offset),
        value: None,
        value_text: String::new(),
        flag: String::new(),
        reach: Reach::NoPool,
        lower: line.map(|line| line.lower),
        upper: line.map(|line| line.upper),
        step_gib: line.map(|line| line.slope * 0.01),
        copied: line.map(|line| line.with(server.fraction.get())),
        default: line.and_then(|line| way.default_value().map(|value| line.with(value))),
        block_tokens,
        blocks: None,
        tokens: None,
        cell,
    };
    if pool.0 <= 0.0 {
        return row;
    }
    let bytes = pool.truncate_to_bytes();
    let size = bytes_per_token(way, server, cell);
    if let Some(size) = size {
        let blocks = blocks(way, bytes, size, block_tokens);
        row.blocks = Some(blocks);
        row.tokens = blocks.checked_mul(block_tokens);
    }
    let mut copied = String::new();
    match line {
        Some(line) => {
            row.value = (line.slope > 0.0).then(|| (pool.0 + line.offset) / line.slope);
            row.reach = line.reach(row.value);
            row.value_text = row.value.map(|value| line.text(value)).unwrap_or_default();
            // SGLang's own number is as it was given.
            let wanted = row.blocks.zip(size).filter(|_| way != Way::Sglang);
            let enough = |pool: f64| {
                let given = |size| blocks(way, Gib(pool).truncate_to_bytes(), size, block_tokens);
                wanted.is_none_or(|(wanted, size)| given(size) >= wanted)
            };
            copied = row.value.map(|value| line.copied_text(value, enough)).unwrap_or_default();
        }
        None => (row.value, row.reach) = number(way, bytes, row.tokens, server, assumed),
    }
    if row.value_text.is_empty() {
        row.value_text = row.value.map(|value| decimal::write(value, 0)).unwrap_or_default();
    }
    if row.reach == Reach::Reachable && row.blocks.is_some_and(|blocks| blocks < least_blocks(way)) {
        row.reach = Reach::TooSmall;
    }
    if row.reach == Reach::Reachable {
        let typed = if copied.is_empty() { &row.value_text } else { &copied };
        row.flag = flag(way, typed, server, assumed);
    }
    row
}

/// What the value is a share of: TensorRT-LLM's cap on what is free now, activations included, where that decides.
fn base(way: Way, line: Option<Line>, server: &Server, assumed: &Assumptions) -> Base {
    let capped = line.is_some_and(|line| assumed.activations.0 > 0.0 && line.base >= server.available.0);
    if way == Way::TensorrtLlm && capped { Base::FreeAfterWeights } else { way.base() }
}

/// Tokens per block: 16 in vLLM unless the attention backend wants another size. For MLA 64 is assumed, which FlashMLA
/// takes; at 0.33.0 FlashAttention takes 16, FlashInfer 32 and CUTLASS 128 (`get_supported_kernel_block_sizes`).
pub(super) fn block_tokens(way: Way, assumed: &Assumptions) -> i64 {
    let mla = assumed.shape.is_some_and(|shape| shape.attention == Attention::Mla);
    match way.engine() {
        Engine::Vllm if mla => 64,
        Engine::Vllm => 16,
        Engine::TensorrtLlm => 32,
        Engine::LmdeployPytorch | Engine::LmdeployTurbomind => 64,
        Engine::LlamaCpp | Engine::Ollama => llama_cpp::CELLS,
        Engine::Sglang | Engine::Tgi | Engine::MlcLlm => 1,
    }
}

/// Bytes of one token on one GPU. llama.cpp and Ollama split layers where SGLang splits heads, so for the same tokens
/// what counts is the ratio of the formats, not the whole model's bytes.
fn bytes_per_token(way: Way, server: &Server, cell: Option<Cell>) -> Option<BytesPerToken> {
    let same = server.cell.get();
    match (way.engine(), cell) {
        (Engine::LlamaCpp | Engine::Ollama, Some(Cell { bytes: Some(_), why, .. })) if why.contains("q8_0") => {
            BytesPerToken::new(same * 34.0 / 32.0)
        }
        (Engine::LlamaCpp | Engine::Ollama | Engine::Sglang, _) | (_, None) => Some(server.cell),
        (_, Some(Cell { bytes: None, .. })) => None,
        (_, Some(Cell { same: true, .. })) => Some(server.cell),
        (_, Some(Cell { bytes: Some(bytes), .. })) => BytesPerToken::new(bytes),
    }
}

/// Blocks that an engine needs to start with the value as it was given. vLLM never uses one block (0.29.0 and later);
/// LMDeploy's PyTorch engine changes the prefill, and with it the pool, below 16; a length of 0 means the engine's own.
fn least_blocks(way: Way) -> i64 {
    match way.engine() {
        Engine::Vllm => 2,
        Engine::LmdeployPytorch => 16,
        _ => 1,
    }
}

fn blocks(way: Way, bytes: Bytes, size: BytesPerToken, block: i64) -> i64 {
    let tokens = bytes.floor_div(size).0;
    // The C++ backend rounds tokens up to blocks; its pool can exceed the budget by almost one.
    if way == Way::TensorrtLlmCpp { ceil_div(tokens, block) } else { tokens.div_euclid(block) }
}

/// The value of a knob that is a number of bytes or tokens.
fn number(way: Way, bytes: Bytes, tokens: Option<i64>, server: &Server, assumed: &Assumptions) -> (Option<f64>, Reach) {
    let value = if way == Way::VllmBytes { Some(bytes.0 as f64) } else { tokens.map(|tokens| tokens as f64) };
    let reach = match (way, value) {
        (_, None) => Reach::NotKnown,
        (Way::TensorrtLlmTokens, Some(_)) => {
            // The default fraction still applies, and the smaller of the two wins.
            let line = line(Way::TensorrtLlm, server, assumed).zip(Way::TensorrtLlm.default_value());
            let most = line.map_or(0.0, |(line, default)| line.with(default).pool_gib);
            if most < server.pool().0 { Reach::AboveRange } else { Reach::Reachable }
        }
        _ => Reach::Reachable,
    };
    (value, reach)
}

/// The context that Ollama would choose itself on this card, tokens.
pub fn ollama_default(server: &Server, assumed: &Assumptions) -> i64 {
    ollama::default_context(assumed.physical_for(server.total).truncate_to_bytes().0)
}

/// The pool that llama.cpp's `--fit` would leave, GiB: all but 1 GiB of what weights and activations leave.
pub fn llama_cpp_fit(server: &Server, assumed: &Assumptions) -> Gib {
    server.available - assumed.activations - Gib(1.0)
}

#[cfg(test)]
mod tests;

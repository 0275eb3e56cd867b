//! What one attempt to start a server left in the log: readings by rank, and what happened in which order.

use super::lines::Record;
use super::numbers::{Number, find};
use super::report::{Argument, Engine, Stage, Unread};
use super::rules::{Consumer, Datum, Signal};
use super::sorted::insert;
use crate::decimal::read;

/// Readings that are kept; a thousand ranks of one kind would be far more than any server has.
const MOST_READINGS: usize = 4096;

/// GPU memory ran out.
pub const EXHAUSTED: &[Signal] =
    &[Signal::Oom, Signal::WarmupOom, Signal::KvBufferOom, Signal::ComputeBufferOom, Signal::ModelBufferOom];

/// One number that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Which number.
    pub datum: Datum,
    /// The rank's tag.
    pub rank: String,
    /// The value in the datum's unit.
    pub value: f64,
    /// What rounding, and the line's known bias, leave open to both sides.
    pub half_width: f64,
    /// Line, from 1.
    pub line: u64,
}

/// One KV pool of one rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// The rank's tag.
    pub rank: String,
    /// Tokens, where they are printed.
    pub tokens: Option<f64>,
    /// Keys, GiB.
    pub keys: Option<f64>,
    /// Values, GiB.
    pub values: Option<f64>,
    /// Both, GiB.
    pub size: f64,
    /// Rounding of `size`, GiB.
    pub half_width: f64,
    /// Line, from 1.
    pub line: u64,
}

/// Everything known of one attempt.
#[derive(Debug, Clone, Default)]
pub struct Attempt {
    /// The first line that only one engine writes decides.
    pub engine: Option<Engine>,
    /// As printed.
    pub version: Option<String>,
    /// The numbers.
    pub readings: Vec<Reading>,
    /// First and last line of each signal, with the order of its first and last coming; sorted.
    pub signals: Vec<(Signal, Seen)>,
    /// KV pools in the order of the log.
    pub pools: Vec<Pool>,
    /// Arguments that the server printed.
    pub arguments: Vec<Argument>,
    /// Arguments of the command line.
    pub typed: Vec<Argument>,
    /// Class and beginning of the last exception that is not memory, with its order.
    pub exception: Option<(String, u64)>,
    /// How far the start had come when memory ran out.
    pub oom_stage: Option<Stage>,
    /// Stages that frames of tracebacks tell; sorted.
    pub frames: Vec<Stage>,
    /// A second block of weights, or a second pool, came after the first pools were made.
    pub second_model: bool,
    /// Memory lines that could not be read.
    pub unread: Vec<Unread>,
    /// Name of the file that a header or prefix gave.
    pub source: String,
    /// How far it has come.
    pub progress: Option<Stage>,
    began: Vec<String>,
    pooled: Vec<String>,
    order: u64,
}

/// Where a signal was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Line of the first.
    pub first: u64,
    /// Order of the last.
    pub last_order: u64,
}

impl Attempt {
    /// Nothing known yet but the file it is in.
    pub fn new(source: &str) -> Self {
        Self { source: source.to_owned(), ..Self::default() }
    }

    fn seen(&self, signal: Signal) -> Option<&Seen> {
        self.signals.iter().find(|(known, _)| *known == signal).map(|(_, seen)| seen)
    }

    /// Whether the signal was seen.
    pub fn saw(&self, signal: Signal) -> bool {
        self.seen(signal).is_some()
    }

    /// Whether a consumer's frame was seen.
    pub fn consumer(&self) -> Option<Consumer> {
        self.signals
            .iter()
            .find_map(|(signal, _)| if let Signal::Consumer(consumer) = signal { Some(*consumer) } else { None })
    }

    /// Line of the first coming of the signal.
    pub fn line(&self, signal: Signal) -> Option<u64> {
        self.seen(signal).map(|seen| seen.first)
    }

    /// Order of the last coming of the signal.
    pub fn last(&self, signal: Signal) -> Option<u64> {
        self.seen(signal).map(|seen| seen.last_order)
    }

    /// Something beyond arguments and names is known.
    pub fn has_substance(&self) -> bool {
        !self.pools.is_empty()
            || self.signals.iter().any(|(signal, _)| {
                !matches!(signal, Signal::Launch | Signal::Arguments | Signal::EngineStart | Signal::Capped)
            })
            || self.readings.iter().any(|reading| {
                !matches!(reading.datum, Datum::Fraction | Datum::TypedFraction | Datum::Context | Datum::Idle)
            })
    }

    /// A number that is measured or computed, not chosen.
    pub fn has_memory(&self) -> bool {
        let chosen = |datum| matches!(datum, Datum::Fraction | Datum::TypedFraction | Datum::Context);
        !self.pools.is_empty() || self.readings.iter().any(|reading| !chosen(reading.datum))
    }

    /// The start or the server failed for want of room.
    pub fn was_refused(&self) -> bool {
        use Signal::*;
        [NoRoom, NoRoomForState, ContextOverPool, FractionOverFree, NoRoomForRuntime]
            .iter()
            .any(|signal| self.saw(*signal))
    }

    /// GPU memory ran out.
    pub fn ran_out(&self) -> bool {
        EXHAUSTED.iter().any(|signal| self.saw(*signal))
    }

    /// Whether this rank began to load, and the attempt ended or served since: the next beginning is another attempt's.
    pub fn is_over_for(&self, rank: &str) -> bool {
        (self.began.is_empty() || self.began.iter().any(|began| began == rank))
            && (self.was_refused()
                || self.ran_out()
                || [Signal::Ready, Signal::Serving, Signal::Died].iter().any(|signal| self.saw(*signal)))
    }

    /// Notes a signal.
    pub fn signal(&mut self, signal: Signal, record: &Record) {
        self.order += 1;
        let (line, order) = (record.line, self.order);
        match self.signals.binary_search_by(|(known, _)| known.cmp(&signal)) {
            Ok(at) => {
                if let Some((_, seen)) = self.signals.get_mut(at) {
                    seen.last_order = order;
                }
            }
            Err(at) => self.signals.insert(at, (signal, Seen { first: line, last_order: order })),
        }
        let reached = match signal {
            Signal::LoadBegin => Stage::Weights,
            Signal::LoadEnd | Signal::PoolMade => Stage::KvPool,
            Signal::PoolEnd | Signal::CaptureBegin | Signal::Capturing | Signal::CaptureEnd => Stage::GraphCapture,
            Signal::Ready | Signal::Serving => Stage::Running,
            _ => Stage::Init,
        };
        match signal {
            Signal::LoadBegin => {
                insert(&mut self.began, record.rank.clone());
                self.second_model |= self.pooled.contains(&record.rank);
            }
            Signal::PoolEnd => {
                self.second_model |= !insert(&mut self.pooled, record.rank.clone());
            }
            Signal::Oom | Signal::WarmupOom if self.oom_stage.is_none() => self.oom_stage = self.progress,
            Signal::Retried => {
                self.signals
                    .retain(|(seen, _)| !matches!(seen, Signal::Oom | Signal::OutOfMemory | Signal::ComputeBufferOom));
                self.oom_stage = None;
            }
            Signal::Frame(stage) => {
                insert(&mut self.frames, stage);
            }
            Signal::Traceback if !self.ran_out() => self.frames.clear(),
            Signal::Ready => {
                // What was logged on the way to a server that is up did not stop it.
                self.exception = None;
                self.frames.clear();
            }
            _ => {}
        }
        if reached > Stage::Init {
            self.progress = self.progress.max(Some(reached));
        }
    }

    /// Notes a number.
    pub fn add(&mut self, datum: Datum, read: Number, record: &Record) {
        let late = self.pooled.contains(&record.rank);
        match datum {
            Datum::Idle => return,
            // A flag below the failure is what somebody advises.
            Datum::TypedFraction if self.was_refused() || self.ran_out() => return,
            // After the pools a load line speaks of the draft model.
            Datum::Total | Datum::Available | Datum::WeightUsage if late && self.engine == Some(Engine::Sglang) => {
                return;
            }
            _ => {}
        }
        let half_width = read.half_width + bias(datum, read.half_width, record);
        let new = Reading { datum, rank: record.rank.clone(), value: read.value, half_width, line: record.line };
        let known = self.readings.iter_mut().find(|reading| reading.datum == datum && reading.rank == record.rank);
        let Some(known) = known else {
            if self.readings.len() < MOST_READINGS {
                self.readings.push(new);
            }
            return;
        };
        match datum {
            Datum::CaptureUsed | Datum::OtherProcess | Datum::StateSize | Datum::ComputeBuffer | Datum::DeviceKv => {
                known.value += new.value;
                known.half_width += new.half_width;
            }
            // An unrounded value beats a rounded one, whichever came first.
            _ if new.half_width > known.half_width * 1.5 => {}
            Datum::Total | Datum::WeightUsage | Datum::Tried | Datum::Free | Datum::GraphBatch
                if new.half_width >= known.half_width => {}
            _ => *known = new,
        }
    }

    /// The reading that decides: of the least rounded ones, the smallest over the ranks.
    pub fn least(&self, datum: Datum) -> Option<&Reading> {
        let of = || self.readings.iter().filter(move |reading| reading.datum == datum);
        let finest = of().map(|reading| reading.half_width).fold(f64::INFINITY, f64::min);
        of().filter(|reading| reading.half_width <= finest * 2.0 + 1e-12).min_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// Its value.
    pub fn value(&self, datum: Datum) -> Option<f64> {
        self.least(datum).map(|reading| reading.value)
    }

    /// The largest over the ranks.
    pub fn most(&self, datum: Datum) -> Option<f64> {
        self.readings
            .iter()
            .filter(|reading| reading.datum == datum)
            .map(|reading| reading.value)
            .max_by(f64::total_cmp)
    }

    /// The argument in force, else the typed one.
    pub fn argument(&self, name: &str) -> Option<&str> {
        let of = |list: &'_ [Argument]| list.iter().position(|argument| argument.name == name);
        let found = match of(&self.arguments) {
            Some(index) => self.arguments.get(index),
            None => of(&self.typed).and_then(|index| self.typed.get(index)),
        };
        found.map(|argument| argument.value.as_str()).filter(|value| *value != "None" && !value.is_empty())
    }

    /// The same, where it is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.argument(name).and_then(|text| read(text).ok())
    }
}

/// What a line is known to be off by. "Load weight begin" stands 70 to 94 MiB below what the budget uses and "Load weight
/// end" 2 MiB above it (measured, 0.5.15); lines that print the budget's own numbers have three decimals or name them.
fn bias(datum: Datum, half_width: f64, record: &Record) -> f64 {
    let load_line = find(&record.flat, "oad weight", 0).is_some() && half_width > 0.001;
    match datum {
        Datum::Total if load_line => 0.1,
        Datum::Available if load_line => 0.0025,
        _ => 0.0,
    }
}

//! The shape of the table of line patterns, and how a pattern reads its numbers.
//!
//! A rule is data: a key that the fast scan looks for, words that must or must not be there, what the line's being there
//! says, and the numbers in it. All comparing is done without white space, so a rule is written as the log spells it.

use super::attempt::Attempt;
use super::lines::Record;
use super::numbers::find;
use super::report::{Engine, Stage};

/// A number that a line can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Datum {
    /// Free before the weights, this rank, GiB.
    Total,
    /// Free after the weights, this rank, GiB.
    Available,
    /// What the weights took, GiB.
    WeightUsage,
    /// The fraction in force.
    Fraction,
    /// The fraction on a command line.
    TypedFraction,
    /// The budget, GiB.
    Rest,
    /// What is kept back from the budget, GiB.
    Reserve,
    /// Bytes per token, printed.
    Cell,
    /// Tokens that the server ended with.
    Tokens,
    /// Tokens that profiling gave; may be negative.
    ProfiledTokens,
    /// Tokens of the full-attention pool.
    FullTokens,
    /// KV buffer of one device, GiB; they add up.
    DeviceKv,
    /// A pool that prints one size, GiB.
    KvSize,
    /// State of linear layers, GiB; several on a line add up.
    StateSize,
    /// State slots.
    StateSlots,
    /// Free after the pools, GiB.
    PoolEnd,
    /// One graph capture, GiB.
    CaptureUsed,
    /// Free after a graph capture, GiB.
    CaptureLeft,
    /// The first, and so the largest, batch of a graph capture.
    GraphBatch,
    /// llama.cpp: tokens of a physical batch.
    PhysicalBatch,
    /// Free at the end of the start, GiB.
    AvailableAtEnd,
    /// The printed minimum of the fraction.
    MinFraction,
    /// The minimum as the message rounds it up.
    AdvisedFraction,
    /// Context length, tokens.
    Context,
    /// Requests at the same time.
    MaxRunningRequests,
    /// Tokens that an allocation was short for a request, or a prompt had.
    PromptTokens,
    /// The longest prompt that the server takes.
    PromptLimit,
    /// What the failed allocation asked for, GiB.
    Tried,
    /// Size of the GPU as the allocator sees it, GiB.
    Capacity,
    /// Free when the allocation failed, GiB.
    Free,
    /// Held by this process when the allocation failed, GiB.
    InUse,
    /// Of it, allocated by PyTorch, GiB.
    Allocated,
    /// Of it, reserved and unallocated, GiB.
    Reserved,
    /// Held by other processes, GiB; several add up.
    OtherProcess,
    /// How many processes were listed.
    Processes,
    /// KV memory that one request of the wanted length needs, GiB.
    NeedKv,
    /// The longest context that would fit, tokens.
    FittingContext,
    /// Blocks of the pool.
    Blocks,
    /// One block of the pool, GiB.
    BlockSize,
    /// vLLM: what the fraction asks for, GiB.
    Desired,
    /// The larger of two unequal GPUs, GiB.
    LargestGpu,
    /// Compute buffers, GiB.
    ComputeBuffer,
    /// Read, and of no use to the diagnosis: the line is not unread.
    Idle,
}

/// What a line says by being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signal {
    /// A command line that starts a server.
    Launch,
    /// The server's arguments.
    Arguments,
    /// An engine begins to start.
    EngineStart,
    /// Weights begin to load.
    LoadBegin,
    /// Weights are loaded.
    LoadEnd,
    /// A KV pool was allocated.
    PoolMade,
    /// All pools of a worker were allocated.
    PoolEnd,
    /// Graph capture began.
    CaptureBegin,
    /// Capture of the graphs of prefills began.
    PrefillCapture,
    /// Capture of the graphs of decoding began.
    DecodeCapture,
    /// The progress bar of a capture.
    Capturing,
    /// An allocator that has graphs in its private pools.
    Graphs,
    /// Graph capture ended.
    CaptureEnd,
    /// The server is up.
    Ready,
    /// A batch was served.
    Serving,
    /// `Not enough memory. Please try to increase`, and its kin of other engines.
    NoRoom,
    /// A refusal that a sentence speaks of, not a log.
    Mentioned,
    /// The message that prints the smallest fraction.
    WeightsLeaveNone,
    /// State or sliding-window pools do not fit.
    NoRoomForState,
    /// State slots are used up while serving.
    StateSlotsFull,
    /// One request of the context does not fit.
    ContextOverPool,
    /// vLLM: less is free than the fraction asks for.
    FractionOverFree,
    /// vLLM: other processes changed what is free while it measured.
    OthersMoved,
    /// Something ran out of memory; which memory, another signal says.
    OutOfMemory,
    /// GPU memory ran out.
    Oom,
    /// The exception is of PyTorch's allocator for the GPU.
    Allocator,
    /// A frame of vLLM's profiling, which has the weights already.
    Profiling,
    /// GPU memory ran out while vLLM warmed up.
    WarmupOom,
    /// LMDeploy: the runtime's own buffers do not fit.
    NoRoomForRuntime,
    /// llama.cpp: the KV buffer could not be allocated.
    KvBufferOom,
    /// llama.cpp: compute buffers could not be allocated.
    ComputeBufferOom,
    /// llama.cpp: model buffers could not be allocated.
    ModelBufferOom,
    /// llama.cpp: arguments and free memory do not fit; it goes on all the same.
    FitFailed,
    /// llama.cpp: a failed allocation is tried again in a smaller way.
    Retried,
    /// Graph capture failed, for whatever reason.
    CaptureFailed,
    /// The message names the flag that sizes the graphs of decoding alone.
    DecodeFlag,
    /// KV tokens are used up.
    PoolFull,
    /// A prompt is longer than the server takes.
    PromptTooLong,
    /// GPUs differ in free memory.
    Unbalanced,
    /// A reason that is not GPU memory, by its text.
    NotMemory,
    /// The host's memory ran out.
    HostMemory,
    /// A worker died; the reason stands elsewhere.
    Died,
    /// It was killed from outside, by signal 9.
    Killed,
    /// A traceback begins.
    Traceback,
    /// The multimodal factor was applied to the fraction.
    FractionReduced,
    /// A draft model is in play.
    Draft,
    /// The number of tokens was set by a flag.
    Capped,
    /// A frame of a traceback that tells the stage.
    Frame(Stage),
    /// A consumer outside the pool: symmetric memory, image processing, logits.
    Consumer(Consumer),
}

/// What took the memory, by the frame that asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Consumer {
    /// Buffers of symmetric memory.
    SymmetricMemory,
    /// Logits of a prompt.
    Logits,
    /// Images or their encoder.
    Images,
    /// Expert parallel communication.
    ExpertBuffers,
    /// A cache in the host's memory, not the GPU's.
    HostPool,
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Memory with its unit behind it; GiB where none follows, and "GB" is GiB.
    Memory,
    /// Memory in MiB unless a unit follows.
    Mebibytes,
    /// A whole number, with or without thousands separators.
    Whole,
    /// Exactly what is printed: a share or a count.
    Exact,
    /// A share rounded when printed.
    Rounded,
}

/// One number of a line.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The text right before the number.
    pub after: &'static str,
    /// What it is.
    pub gives: Datum,
    /// How it is written.
    pub form: Form,
}

/// Signals that a line can say at once.
const MOST_SIGNALS: usize = 2;

/// One pattern.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The text that the fast scan looks for; its first eight bytes decide.
    pub key: &'static str,
    /// The engine whose line it is.
    pub engine: Option<Engine>,
    /// Texts that must be there too.
    pub all: &'static [&'static str],
    /// Texts that must not be there.
    pub none: &'static [&'static str],
    /// What the line says.
    pub says: [Option<Signal>; MOST_SIGNALS],
    /// Its numbers.
    pub fields: &'static [Field],
    /// What a field cannot do.
    pub read: Option<fn(&Record, &mut Attempt)>,
}

impl Rule {
    /// A rule that says nothing yet.
    pub const fn new(key: &'static str) -> Self {
        Self { key, engine: None, all: &[], none: &[], says: [None; MOST_SIGNALS], fields: &[], read: None }
    }

    /// With the engine.
    pub const fn of(self, engine: Engine) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// With texts that must be there.
    pub const fn all(self, all: &'static [&'static str]) -> Self {
        Self { all, ..self }
    }

    /// With texts that must not be there.
    pub const fn none(self, none: &'static [&'static str]) -> Self {
        Self { none, ..self }
    }

    /// With what it says.
    pub const fn says(self, says: &'static [Signal]) -> Self {
        let says = match says {
            [first] => [Some(*first), None],
            [first, second] => [Some(*first), Some(*second)],
            _ => {
                assert!(says.is_empty(), "more signals than a rule has room for");
                [None; MOST_SIGNALS]
            }
        };
        Self { says, ..self }
    }

    /// What it says.
    pub fn signals(&self) -> impl Iterator<Item = Signal> {
        self.says.into_iter().flatten()
    }

    /// Whether it says that.
    pub fn tells(&self, signal: Signal) -> bool {
        self.says.contains(&Some(signal))
    }

    /// With its numbers.
    pub const fn with(self, fields: &'static [Field]) -> Self {
        Self { fields, ..self }
    }

    /// With a reader of its own.
    pub const fn read(self, read: fn(&Record, &mut Attempt)) -> Self {
        Self { read: Some(read), ..self }
    }

    /// Whether this is the line.
    pub fn matches(&self, flat: &str) -> bool {
        find(flat, self.key, 0).is_some()
            && self.all.iter().all(|text| find(flat, text, 0).is_some())
            && self.none.iter().all(|text| find(flat, text, 0).is_none())
    }
}

/// A field of memory.
pub const fn memory(after: &'static str, gives: Datum) -> Field {
    Field { after, gives, form: Form::Memory }
}

/// A field of a whole number.
pub const fn whole(after: &'static str, gives: Datum) -> Field {
    Field { after, gives, form: Form::Whole }
}

/// A field of a share or count that is printed in full.
pub const fn exact(after: &'static str, gives: Datum) -> Field {
    Field { after, gives, form: Form::Exact }
}

/// A field in another form.
pub const fn field(after: &'static str, gives: Datum, form: Form) -> Field {
    Field { after, gives, form }
}

//! The worked case beyond its four numbers: what the engineers noted that week, and what was measured since.
//!
//! Presets hold the runs. Here is the rest of the record that the story quotes: each a number that somebody read off a
//! screen or a command line, none of them computed.

/// Tokens that the debug print of the failing run showed; computed there from unrounded inputs.
pub const PRINTED_TOKENS: i64 = -314_811;
/// GPUs.
pub const GPUS: i64 = 8;
/// What the card is sold as, GB.
pub const CARD_GB: i64 = 96;
/// Tokens per second with speculative decoding, and without it.
pub const TOKENS_PER_SECOND: [f64; 2] = [54.1, 89.5];
/// All-reduces of one verify step.
pub const ALL_REDUCES: i64 = 122;
/// Seconds until the debug print was on the screen.
pub const SECONDS_TO_PRINT: i64 = 660;
/// Size of each of the custom all-reduce's three buffers, MiB.
pub const BUFFER_MIB: i64 = 8;
/// IPC handles that each GPU opens: two buffers of each of its peers.
pub const HANDLES: i64 = 14;
/// Days for which the code had not changed.
pub const DAYS_UNCHANGED: i64 = 8;

/// An argument of the start that worked and of the sanity start that did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// As `server_args` names it.
    pub name: &'static str,
    /// In the log of the start that worked.
    pub worked: &'static str,
    /// In the log of the sanity start.
    pub failed: &'static str,
}

/// All arguments in which the two starts differ; the fraction first.
pub const ARGUMENTS: [Argument; 3] = [
    Argument { name: "mem_fraction_static", worked: "0.88", failed: "0.55" },
    Argument { name: "cuda_graph_max_bs", worked: "512", failed: "128" },
    Argument { name: "disable_custom_all_reduce", worked: "False", failed: "True" },
];

/// What one H200 showed over 57 real starts of SGLang 0.5.15 with its defaults.
pub mod measured {
    /// Starts.
    pub const STARTS: i64 = 57;
    /// How much lower “Load weight begin” was than the `total` that counted, MiB.
    pub const BEGIN_BIAS_MIB: f64 = 70.0;
    /// Set aside by the automatic fraction with Llama-3.1-8B, GiB.
    pub const RESERVED: f64 = 13.9;
    /// Of that in use once the server ran, GiB.
    pub const USED: f64 = 3.9;
    /// Lowest and highest transient need of graph capture, GiB.
    pub const CAPTURE: [f64; 2] = [2.3, 5.0];
    /// What of it stays, GiB.
    pub const STAYS: [f64; 2] = [1.4, 2.8];
    /// Input logprobs at a vocabulary of 128k, MiB for each prompt token.
    pub const LOGPROB_MIB: f64 = 1.0;
    /// The fraction at which one request with input logprobs killed a server that ran.
    pub const KILLED_AT: f64 = 0.95;
}

//! What each serving engine does with its memory knob: one file an engine.

pub mod sglang;

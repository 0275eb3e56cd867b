//! SGLang's own rules beyond the subtraction: versions, cell size, automatic fraction, reserve, messages.

pub mod messages;
mod version;

pub use version::Version;

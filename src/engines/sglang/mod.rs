//! SGLang's own rules beyond the subtraction: versions, cell size, automatic fraction, reserve, messages.

pub mod auto_fraction;
pub mod cell;
pub mod messages;
mod version;

pub use version::Version;

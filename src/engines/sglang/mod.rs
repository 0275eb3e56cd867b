//! SGLang's own rules beyond the subtraction: versions, cell size, automatic fraction, reserve, messages.

pub mod auto_fraction;
pub mod cell;
pub mod messages;
pub mod ranks;
pub mod requests;
pub mod reserve;
mod version;

pub use version::Version;

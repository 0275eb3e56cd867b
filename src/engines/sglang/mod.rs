//! SGLang's own rules beyond the subtraction, by release ([`Version`]).
//!
//! [`cell`](mod@cell) is the size of one token, [`auto_fraction`](mod@auto_fraction) the fraction that is picked without the
//! flag, [`reserve`] what must really stay free, [`requests`](mod@requests) how many run at once, [`ranks`](mod@ranks) what
//! unequal GPUs do, [`messages`] what is printed. A release between two that were read takes the older one's rule, and an
//! issue says so.

pub mod auto_fraction;
pub mod cell;
pub mod messages;
pub mod ranks;
pub mod requests;
pub mod reserve;
mod version;

pub use version::Version;

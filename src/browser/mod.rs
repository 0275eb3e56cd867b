//! The browser's doors, each opened once: every call returns a `Result` or an `Option`, since any browser may refuse
//! any of them.

pub mod clipboard;
pub mod history;
pub mod page;
pub mod worker;

use std::fmt;

/// The browser said no; the page goes on without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the browser refused")
    }
}

impl std::error::Error for Refused {}

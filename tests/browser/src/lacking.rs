//! What an engine or its driver cannot do: a test that needs it is skipped, with the reason, and counted.

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;

use crate::engine::Engine;

/// Something that cannot be done in this engine.
#[derive(Debug)]
pub struct Lacking {
    pub engine: Engine,
    /// What is missing, as the end of "… has no …".
    pub what: &'static str,
}

impl fmt::Display for Lacking {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} has no {}", self.engine.name(), self.what)
    }
}

impl std::error::Error for Lacking {}

impl Lacking {
    /// Notes that a test was skipped for this reason, for whoever counts.
    pub(crate) fn note(&self, test: &str) {
        println!("skipped {test}: {self}");
        let Some(file) = std::env::var_os("KV_BUDGET_SKIPS").map(PathBuf::from) else { return };
        if let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(file) {
            writeln!(file, "{test}: {self}").ok();
        }
    }
}

//! Attempts that tests write by hand, in place of the log that would say the same.

use super::attempt::{Attempt, Pool, Reading, Seen};
use super::report::{Argument, Engine, Fact, FactList, FactName};
use super::rules::{Datum, Signal};

/// One attempt, and facts that are given instead of read.
#[derive(Default)]
pub struct Log {
    /// What was read.
    pub attempt: Attempt,
    /// What follows, where the test gives it.
    pub facts: FactList,
    order: u64,
}

impl Log {
    /// Of that engine, and nothing else known.
    pub fn of(engine: Engine) -> Self {
        let mut log = Self::default();
        log.attempt.engine = Some(engine);
        log
    }

    /// With a fact.
    pub fn fact(mut self, name: FactName, value: f64) -> Self {
        self.facts.put(Fact { name, value, unit: "", line: 1, half_width: 0.0, rank: String::new() });
        self
    }

    /// With an exact number.
    pub fn datum(self, datum: Datum, value: f64) -> Self {
        self.rounded(datum, value, 0.0)
    }

    /// With a number and its half-width.
    pub fn rounded(mut self, datum: Datum, value: f64, half_width: f64) -> Self {
        self.attempt.readings.push(Reading { datum, rank: String::new(), value, half_width, line: 1 });
        self
    }

    /// With a pool of so many GiB.
    pub fn pool(mut self, size: f64, tokens: Option<f64>) -> Self {
        let (rank, half_width) = (String::new(), 0.0);
        self.attempt.pools.push(Pool { rank, tokens, keys: None, values: None, size, half_width, line: 1 });
        self
    }

    /// With an argument that the server printed.
    pub fn argument(mut self, name: &str, value: &str) -> Self {
        self.attempt.arguments.push(Argument { name: name.to_owned(), value: value.to_owned() });
        self
    }

    /// With a signal, after those before it.
    pub fn signal(mut self, signal: Signal) -> Self {
        self.order += 1;
        self.attempt.signals.push((signal, Seen { first: self.order, last_order: self.order }));
        self
    }

    /// With whatever else a test sets.
    pub fn set(mut self, set: impl FnOnce(&mut Attempt)) -> Self {
        set(&mut self.attempt);
        self
    }
}

//! A running WebDriver server, ended when it is dropped.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::Result;
use crate::engine::Engine;

/// The driver's process and where it listens.
#[derive(Debug)]
pub struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    /// Starts the engine's driver on a free port.
    ///
    /// # Errors
    /// If the driver is not there or ends at once, three times over: one that picks its port beside another may lose it.
    pub fn start(engine: Engine) -> Result<Self> {
        Self::launch(engine).or_else(|_| Self::launch(engine)).or_else(|_| Self::launch(engine))
    }

    fn launch(engine: Engine) -> Result<Self> {
        let (mut command, announcement) = engine.driver();
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|error| {
                format!("{command:?}: {error}; `cargo xtask setup` installs the driver or says how")
            })?;
        let mut lines = BufReader::new(process.stdout.take().ok_or("the driver has no output")?).lines();
        let port = loop {
            let line = lines.next().ok_or_else(|| format!("{command:?} ended before it was ready"))??;
            if let Some((_, rest)) = line.split_once(announcement) {
                break rest.trim_end_matches('.').parse()?;
            }
        };
        // Its output must be read on, or it would block one day.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { process, port })
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

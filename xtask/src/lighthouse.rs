//! `cargo xtask lighthouse`: the built page in Lighthouse, with its mobile settings, as a host would serve it.
//!
//! Lighthouse brings two hundred packages, so it is installed apart (into `tests/lighthouse/node_modules`) and only by this
//! command. Its score for speed varies with what else the machine does: the median of the runs counts.

use xtask::server::Server;

use crate::setup::{self, CHROMIUM};
use crate::step::{self, Failure, Result};
use crate::{build, project};

const RUNS: &str = "3";

/// `lighthouse [N]`: so many runs.
pub fn run(arguments: &[String]) -> Result<()> {
    build::run()?;
    setup::engine(&CHROMIUM)?;
    let folder = project::root().join("tests/lighthouse");
    setup::npm_install("install Lighthouse from npm", &folder)?;
    let step = "judge the page by Lighthouse";
    let server = Server::start(&project::dist(), "/", 0).map_err(|error| Failure::new(step, error))?;
    server.compress();
    let mut command = project::command("node");
    command.arg(folder.join("run.mjs")).arg(server.url()).arg(project::target());
    command.arg(arguments.first().map_or(RUNS, String::as_str));
    for (variable, program) in setup::browser_programs() {
        if variable == "CHROME" {
            command.env("CHROME_PATH", program);
        }
    }
    step::run(step, &mut command, "the audits above say what is lost; a busy machine costs speed, so try a quiet one")
}

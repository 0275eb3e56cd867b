//! `cargo xtask serve`: the page on this machine.

use xtask::server::Server;

use crate::step::{Failure, Result, say};
use crate::{build, project};

const FIRST_PORT: u16 = 8080;
/// How many ports above the first are tried when it is taken.
const MORE_PORTS: u16 = 20;

pub fn run(arguments: &[String]) -> Result<()> {
    let step = "read the arguments";
    let ports = match arguments {
        [] => FIRST_PORT..=FIRST_PORT + MORE_PORTS,
        [option, port] if option == "--port" => {
            let port = port.parse().map_err(|error| Failure::new(step, format!("port {port:?}: {error}")))?;
            port..=port
        }
        _ => return Err(Failure::new(step, "`serve` takes `--port N` only").cure("`cargo xtask help`")),
    };
    build::run()?;
    let mut refusal = None;
    for port in ports {
        match Server::start(&project::dist(), "/", port) {
            Ok(server) => {
                say(format!("serving {} (Ctrl-C ends it)", server.url()));
                server.wait();
                return Ok(());
            }
            Err(error) => refusal = Some(error),
        }
    }
    let cause = refusal.map_or_else(|| "no port to try".to_owned(), |error| error.to_string());
    Err(Failure::new("listen on 127.0.0.1", cause).cure("`cargo xtask serve --port N` with a free port"))
}

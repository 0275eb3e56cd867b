//! Steps: a command that is run in sight, and a failure that names the step, the command and the cure.

use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Why a step failed and what helps.
#[derive(Debug)]
pub struct Failure {
    step: String,
    command: Option<String>,
    cause: String,
    cure: Option<String>,
}

pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(step: impl Into<String>, cause: impl fmt::Display) -> Self {
        Self { step: step.into(), command: None, cause: cause.to_string(), cure: None }
    }

    pub fn command(mut self, command: &Command) -> Self {
        self.command = Some(spelled(command));
        self
    }

    pub fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "failed step: {}", self.step)?;
        if let Some(command) = &self.command {
            write!(out, "\n    command: {command}")?;
        }
        write!(out, "\n    cause:   {}", self.cause)?;
        if let Some(cure) = &self.cure {
            write!(out, "\n    cure:    {cure}")?;
        }
        Ok(())
    }
}

/// One line that says what happens now.
pub fn say(line: impl fmt::Display) {
    println!("▸ {line}");
}

/// A step that takes longer than this says how long it took.
const LONG: Duration = Duration::from_secs(10);

/// Runs a command with its output in sight.
pub fn run(step: &str, command: &mut Command, cure: &str) -> Result<()> {
    say(step);
    let since = Instant::now();
    let status = command.status().map_err(|error| Failure::new(step, error).command(command).cure(cure))?;
    if since.elapsed() > LONG {
        say(format!("{step}: {} s", since.elapsed().as_secs()));
    }
    if status.success() { Ok(()) } else { Err(Failure::new(step, status).command(command).cure(cure)) }
}

/// As [`run`], and gives what the command wrote on standard output as well.
pub fn run_and_hear(step: &str, command: &mut Command, cure: &str) -> (Result<()>, String) {
    let mut heard = String::new();
    command.stdout(Stdio::piped());
    say(step);
    let since = Instant::now();
    let outcome = command.spawn().and_then(|mut child| {
        for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
            let line = line?;
            println!("{line}");
            heard.push_str(&line);
            heard.push('\n');
        }
        child.wait()
    });
    say(format!("{step}: {} s", since.elapsed().as_secs()));
    let outcome = match outcome {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(step, status).command(command).cure(cure)),
        Err(error) => Err(Failure::new(step, error).command(command).cure(cure)),
    };
    (outcome, heard)
}

/// Runs a command and gives what it wrote on standard output; what it wrote on standard error tells why it failed.
pub fn captured(step: &str, command: &mut Command, cure: &str) -> Result<Vec<u8>> {
    let output = command.output().map_err(|error| Failure::new(step, error).command(command).cure(cure))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let cause = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(step, cause.trim()).command(command).cure(cure))
}

/// Runs a command and gives what it wrote on standard output; `None` if it is missing or fails.
pub fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn spelled(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            if word.contains(char::is_whitespace) { format!("'{word}'") } else { word.into_owned() }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_step_command_cause_and_cure() {
        let mut command = Command::new("false");
        command.arg("two words");
        let failure = run("pretend", &mut command, "try again").unwrap_err().to_string();
        assert!(failure.starts_with("failed step: pretend\n"), "{failure}");
        assert!(failure.contains("command: false 'two words'"), "{failure}");
        assert!(failure.contains("cure:    try again"), "{failure}");
    }

    #[test]
    fn a_missing_program_is_no_output() {
        assert_eq!(output_of(&mut Command::new("no-such-program-here")), None);
    }
}

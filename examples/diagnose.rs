//! Says what is wrong in server logs: `diagnose [FILE…]`, or a log on standard input. One JSON object a file.

use std::io::{BufWriter, Read, Write};
use std::process::ExitCode;

use kv_budget::logs::{Diagnosis, Doctor};

/// Bytes that are read in one go.
const PORTION: usize = 1 << 20;

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut failed = false;
    let mut tell = |name: &str, read: std::io::Result<Diagnosis>| {
        let written = read.and_then(|diagnosis| {
            serde_json::to_writer(&mut out, &diagnosis)?;
            out.write_all(b"\n")
        });
        if let Err(error) = written {
            eprintln!("{name}: {error}");
            failed = true;
        }
    };
    if paths.is_empty() {
        tell("standard input", diagnose(std::io::stdin().lock()));
    }
    for path in paths {
        let read = std::fs::File::open(&path).and_then(diagnose);
        tell(&path.to_string_lossy(), read);
    }
    let flushed = out.flush();
    if failed || flushed.is_err() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn diagnose(mut input: impl Read) -> std::io::Result<Diagnosis> {
    let mut doctor = Doctor::default();
    let mut portion = vec![0; PORTION];
    loop {
        let length = input.read(&mut portion)?;
        if length == 0 {
            return Ok(doctor.finish());
        }
        doctor.push(portion.get(..length).unwrap_or_default());
    }
}

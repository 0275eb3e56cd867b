//! How fast a log is read: 256 MiB of realistic lines, one in ten thousand of them relevant, and `grep` on the same file.

#![allow(clippy::print_stdout, reason = "the figures are the output")]

#[path = "scan/log.rs"]
mod log;

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::process::Command;
use std::time::{Duration, Instant};

use kv_budget::logs::Doctor;
use log::{SIZE, STARTING, generate};

const PORTION: usize = 1 << 18;
const RUNS: usize = 5;

fn main() -> std::io::Result<()> {
    // `cargo test --benches` asks for no measurement.
    if std::env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    let path = generate()?;
    // In memory first: the reading of the file is the same for both.
    let mut log = Vec::new();
    File::open(&path)?.read_to_end(&mut log)?;
    let scan = best(|| {
        let mut doctor = Doctor::default();
        for portion in log.chunks(PORTION) {
            doctor.push(portion);
        }
        black_box(doctor.finish());
    });
    let file = best(|| {
        let mut doctor = Doctor::default();
        let mut portion = vec![0; PORTION];
        let Ok(mut input) = File::open(&path) else { return };
        while let Ok(length) = input.read(&mut portion) {
            if length == 0 {
                break;
            }
            doctor.push(portion.get(..length).unwrap_or_default());
        }
        black_box(doctor.finish());
    });
    let grep = best(|| {
        let _ = black_box(Command::new("grep").args(["-c", "avail mem"]).arg(&path).output());
    });
    let worst: Vec<u8> = STARTING.concat().into_bytes().repeat(20_000);
    let relevant = best(|| {
        let mut doctor = Doctor::default();
        doctor.push(&worst);
        black_box(doctor.finish());
    });
    println!("scan, from memory   {}", rate(scan));
    println!("scan, from the file {}", rate(file));
    println!("grep -c 'avail mem' {}", rate(grep));
    let speed = worst.len() as f64 / relevant.as_secs_f64() / 1e6;
    println!("every line relevant {speed:6.0} MB/s");
    Ok(())
}

fn best(mut run: impl FnMut()) -> Duration {
    (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn rate(time: Duration) -> String {
    let seconds = time.as_secs_f64().max(1e-9);
    format!("{:6.0} ms  {:5.2} GB/s", seconds * 1e3, SIZE as f64 / seconds / 1e9)
}

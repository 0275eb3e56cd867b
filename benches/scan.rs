//! How fast a log is read: 256 MiB of realistic lines, one in ten thousand of them relevant, and `grep` on the same file.

#![allow(clippy::print_stdout, reason = "the figures are the output")]

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use kv_budget::logs::Doctor;

const SIZE: u64 = 256 << 20;
const PORTION: usize = 1 << 18;
const RUNS: usize = 5;

/// Lines of a serving server, none of which the doctor wants.
const SERVING: &[&str] = &[
    "[2026-11-29 23:33:51 TP0] Prefill batch, #new-seq: 33, #new-token: 8192, #cached-token: 0, token usage: 0.07, #running-req: 207, #queue-req: 0, #pending-token: 4351, cuda graph: True, input throughput (token/s): 44398.60\n",
    "[2026-11-29 23:33:51 TP0] Decode batch, #running-req: 256, #token: 69887, token usage: 0.08, cuda graph: True, gen throughput (token/s): 6709.39, #queue-req: 0\n",
    "[2026-11-29 23:33:52] INFO:     127.0.0.1:39310 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n",
    "[2026-11-29 23:33:52] INFO:     10.42.0.17:51522 - \"GET /health HTTP/1.1\" 200 OK\n",
    "2026-11-29T23:33:52.647147641+08:00 stdout F [2026-11-29 23:33:52 DP1 TP3] Decode batch, #running-req: 31, #token: 901233, token usage: 0.57, accept len: 2.31, cuda graph: True, gen throughput (token/s): 1204.77, #queue-req: 4\n",
];

/// Relevant lines, as a start writes them.
const STARTING: &[&str] = &[
    "[2026-11-29 23:32:30 TP0] Load weight begin. avail mem=139.13 GB\n",
    "[2026-11-29 23:32:31 TP0] Load weight end. elapsed=0.32 s, type=LlamaForCausalLM, avail mem=124.11 GB, mem usage=15.02 GB.\n",
    "[2026-11-29 23:32:31 TP0] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 906051, K size: 55.30 GB, V size: 55.30 GB\n",
    "[2026-11-29 23:32:31 TP0] Memory pool end. avail mem=11.73 GB\n",
    "[2026-11-29 23:32:47 TP0] max_total_num_tokens=906051, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=3539, context_len=131072, available_gpu_mem=9.71 GB\n",
];

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

/// The file, made once.
fn generate() -> std::io::Result<PathBuf> {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("bench-scan.log");
    if std::fs::metadata(&path).is_ok_and(|known| known.len() >= SIZE) {
        return Ok(path);
    }
    write(&path)?;
    Ok(path)
}

fn write(path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let (mut written, mut index) = (0, 0_usize);
    while written < SIZE {
        let lines = if index % 10_000 == 9_999 { STARTING } else { SERVING };
        // A stride that is prime to both tables.
        let line = lines.get((index * 7 + index / 10_000) % lines.len()).copied().unwrap_or_default();
        out.write_all(line.as_bytes())?;
        written += line.len() as u64;
        index += 1;
    }
    out.flush()
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

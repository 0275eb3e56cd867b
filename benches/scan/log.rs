//! A log as long as wanted, of realistic lines: one in ten thousand of them is relevant.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes of the generated log.
pub const SIZE: u64 = 256 << 20;

/// Lines of a serving server, none of which the doctor wants.
const SERVING: &[&str] = &[
    "[2026-11-29 23:33:51 TP0] Prefill batch, #new-seq: 33, #new-token: 8192, #cached-token: 0, token usage: 0.07, #running-req: 207, #queue-req: 0, #pending-token: 4351, cuda graph: True, input throughput (token/s): 44398.60\n",
    "[2026-11-29 23:33:51 TP0] Decode batch, #running-req: 256, #token: 69887, token usage: 0.08, cuda graph: True, gen throughput (token/s): 6709.39, #queue-req: 0\n",
    "[2026-11-29 23:33:52] INFO:     127.0.0.1:39310 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n",
    "[2026-11-29 23:33:52] INFO:     10.42.0.17:51522 - \"GET /health HTTP/1.1\" 200 OK\n",
    "2026-11-29T23:33:52.647147641+08:00 stdout F [2026-11-29 23:33:52 DP1 TP3] Decode batch, #running-req: 31, #token: 901233, token usage: 0.57, accept len: 2.31, cuda graph: True, gen throughput (token/s): 1204.77, #queue-req: 4\n",
];

/// Relevant lines, as a start writes them.
pub const STARTING: &[&str] = &[
    "[2026-11-29 23:32:30 TP0] Load weight begin. avail mem=139.13 GB\n",
    "[2026-11-29 23:32:31 TP0] Load weight end. elapsed=0.32 s, type=LlamaForCausalLM, avail mem=124.11 GB, mem usage=15.02 GB.\n",
    "[2026-11-29 23:32:31 TP0] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 906051, K size: 55.30 GB, V size: 55.30 GB\n",
    "[2026-11-29 23:32:31 TP0] Memory pool end. avail mem=11.73 GB\n",
    "[2026-11-29 23:32:47 TP0] max_total_num_tokens=906051, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=3539, context_len=131072, available_gpu_mem=9.71 GB\n",
];

/// The file, made once.
pub fn generate() -> std::io::Result<PathBuf> {
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


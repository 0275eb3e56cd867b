//! Asks the other engines: one query line on standard input, one JSON object on standard output.
//!
//! ```text
//! echo 'engine=vllm&version=0.33.0&value=0.9&total_bytes=…' | cargo run --example engines
//! ```

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        // Bytes that are not UTF-8 become replacement characters, which the reader then names.
        let mut outcome = kv_budget::engines::evaluate(&String::from_utf8_lossy(&line));
        // As many decimals as the reference data has.
        // Ties go to the even digit, as there.
        let short = |times: f64| format!("{times:.6}").parse().unwrap_or(times);
        outcome.max_concurrency = outcome.max_concurrency.map(short);
        serde_json::to_writer(&mut output, &outcome)?;
        output.write_all(b"\n")?;
        line.clear();
    }
    output.flush()
}

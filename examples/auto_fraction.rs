//! One query a line on standard input, one JSON object a line on standard output.
//!
//! ```text
//! echo 'version=0.5.9&gpu_mem_mib=97887&tp=8&attention=MLA&vit=27x1152' | cargo run --example auto_fraction
//! ```

use std::io::{self, BufRead, Write};

use kv_budget::engines::sglang::auto_fraction::AutoAnswer;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let answer = AutoAnswer::of(&String::from_utf8_lossy(&line));
        serde_json::to_writer(&mut out, &answer)?;
        writeln!(out)?;
        line.clear();
    }
    Ok(())
}

//! One scenario query a line on standard input, one JSON object a line on standard output.
//!
//! ```text
//! echo 'f=0.88' | cargo run --example evaluate
//! ```

use std::io::{self, BufRead, Write};

use kv_budget::scenario::json::Evaluated;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    // Bytes, not lines of text: a line that is not UTF-8 is still an address with a bad value, not the end.
    while input.read_until(b'\n', &mut line)? > 0 {
        let query = String::from_utf8_lossy(&line);
        serde_json::to_writer(&mut out, &Evaluated::from_query(query.trim_end_matches(['\r', '\n'])))?;
        writeln!(out)?;
        line.clear();
    }
    Ok(())
}

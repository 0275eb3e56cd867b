//! A `config.json` on standard input, flags as arguments, one JSON object on standard output.
//!
//! ```text
//! cargo run --example cell_size -- --tp 8 --sglang 0.5.9 < config.json
//! ```

use std::env;
use std::io::{self, Read, Write};

use kv_budget::catalog::json::MOST_BYTES;
use kv_budget::engines::sglang::cell::CellAnswer;

fn main() -> io::Result<()> {
    let mut config = Vec::new();
    // One byte more than is believed, so that the reader can say that the text is too long without holding all of it.
    io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut config)?;
    let arguments: Vec<String> = env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect();
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, &CellAnswer::of(flags(&arguments), &config))?;
    writeln!(out)
}

/// `--name value` and `--name=value`.
fn flags(arguments: &[String]) -> Vec<(&str, &str)> {
    let mut flags = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let name = argument.trim_start_matches('-');
        match name.split_once('=') {
            Some(pair) => flags.push(pair),
            None => flags.push((name, rest.next().map_or("", String::as_str))),
        }
    }
    flags
}

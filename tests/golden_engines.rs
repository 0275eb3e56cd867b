//! The reference rows of the other engines: executed by the engines' own functions, or read from their source.

#![allow(clippy::unwrap_used, reason = "a row that cannot be read fails the test")]

use std::collections::HashMap;

use kv_budget::engines;

const INPUTS: [&str; 20] = [
    "engine",
    "version",
    "knob",
    "value",
    "total_bytes",
    "free_init_bytes",
    "consumed_bytes",
    "act_peak_bytes",
    "cudagraph_bytes",
    "free_after_load_bytes",
    "attn",
    "layers",
    "kv_heads",
    "head_dim",
    "kv_bytes_per_elem",
    "tp",
    "pp",
    "block_size",
    "max_model_len",
    "extra",
];

/// Memory columns from which `avail_bytes` follows; where none is given it is an input.
const MEMORY: [&str; 3] = ["total_bytes", "consumed_bytes", "free_after_load_bytes"];

type Row = HashMap<String, String>;

fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_path("tests/data/golden/engines.csv").unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

fn takes_available(row: &Row) -> bool {
    MEMORY.iter().all(|column| row[*column].is_empty()) && !row["avail_bytes"].is_empty()
}

fn query(row: &Row) -> String {
    let mut columns = INPUTS.to_vec();
    if takes_available(row) {
        columns.push("avail_bytes");
    }
    let given = columns.iter().filter(|column| !row[**column].is_empty());
    given.map(|column| format!("{column}={}", row[*column])).collect::<Vec<_>>().join("&")
}

fn whole(row: &Row, column: &str) -> Option<i64> {
    // One figure per rank: the smallest is the answer.
    row[column].split('|').filter(|text| !text.is_empty()).map(|text| text.parse::<i64>().unwrap()).min()
}

/// Every row is met, the read ones included. Row 118's text is the constant part of a sentence whose figures were not
/// read; the model gives that part and no figures.
#[test]
fn every_row_is_met() {
    let mut wrong = Vec::new();
    let rows = rows();
    assert_eq!(rows.len(), 98);
    for row in &rows {
        let query = query(row);
        let outcome = engines::evaluate(&query);
        let mut compare = |column: &str, got: String, expected: String| {
            if got != expected {
                wrong.push(format!("row {}: {column} is {got}, not {expected}\n  {query}", row["id"]));
            }
        };
        for (column, got) in [
            ("avail_bytes", outcome.avail_bytes),
            ("bytes_per_block", outcome.bytes_per_block),
            ("blocks", outcome.blocks),
            ("kv_bytes", outcome.kv_bytes),
            ("tokens", outcome.tokens),
        ] {
            // Where it is given, a row with a refusal repeats it.
            compare(column, format!("{got:?}"), format!("{:?}", whole(row, column)));
        }
        let times = (!row["max_concurrency"].is_empty()).then(|| row["max_concurrency"].parse::<f64>().unwrap());
        let got = outcome.max_concurrency.map(|times| (times * 1e6).round() / 1e6);
        compare("max_concurrency", format!("{got:?}"), format!("{times:?}"));
        compare("error", outcome.error.unwrap_or_default(), row["error"].clone());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An answer is not hedged where the rule is known: only upper bounds, doubtful wordings and automatic changes are noted.
#[test]
fn known_rows_raise_no_doubt() {
    for row in rows() {
        let issues = engines::evaluate(&query(&row)).issues;
        let fields: Vec<&str> = issues.iter().map(|issue| issue.field.as_str()).collect();
        let expected: &[&str] = match row["id"].as_str() {
            "51" | "52" => &["extra.backend"],
            "82" => &["extra.max_prefill_token_num"],
            _ => &[],
        };
        assert_eq!(fields, expected, "row {}: {issues:?}", row["id"]);
    }
}

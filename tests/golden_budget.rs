//! Every row that SGLang's own functions computed is reproduced to the byte and the token.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kv_budget::scenario::evaluate;
use kv_budget::scenario::json::Evaluated;
use kv_budget::scenario::query::decode;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Row {
    version: String,
    fraction: String,
    total_gib: String,
    available_gib: String,
    cell_size_bytes: String,
    page_size: i64,
    max_total_tokens_flag: String,
    rest_gib: f64,
    rest_bytes: i64,
    profiled_tokens_unrounded: Option<i64>,
    max_total_num_tokens: Option<i64>,
    error: String,
    error_type: String,
}

fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_path("tests/data/golden/budget.csv").expect("the golden file");
    reader.deserialize().collect::<Result<_, _>>().expect("every row has this shape")
}

#[test]
fn every_row_of_the_golden_budget() {
    let rows = rows();
    assert_eq!(rows.len(), 1506);
    for row in rows {
        let mut query = format!(
            "f={}&total={}&avail={}&cell={}&page={}&sglang={}",
            row.fraction, row.total_gib, row.available_gib, row.cell_size_bytes, row.page_size, row.version
        );
        if !row.max_total_tokens_flag.is_empty() {
            query.push_str(&format!("&cap={}", row.max_total_tokens_flag));
        }
        let ours = Evaluated::from_query(&query);
        let rest = evaluate(&decode(&query).scenario).report.breakdown.rest;
        assert!(ours.issues.iter().all(|issue| issue.field == "avail"), "{query}: {:?}", ours.issues);
        assert_eq!(rest.0, row.rest_gib, "{query}: to the last bit");
        assert!((ours.rest_gib - row.rest_gib).abs() < 1e-12, "{query}");
        assert_eq!(ours.rest_bytes, row.rest_bytes, "{query}");
        if let Some(tokens) = row.profiled_tokens_unrounded {
            assert_eq!(ours.tokens, tokens, "{query}");
        }
        let refused = row.error == "yes";
        assert_eq!(ours.verdict == "cannot_start", refused, "{query}");
        if refused {
            assert_eq!(ours.pool_tokens, 0, "{query}");
        } else {
            assert_eq!(Some(ours.pool_tokens), row.max_total_num_tokens, "{query}");
        }
        // The two errors of 0.5.23: the budget is used up, or it is there and holds not one page.
        match row.error_type.as_str() {
            "ValueError" => assert!(rest.0 <= 0.0, "{query}"),
            "RuntimeError" if row.version == "0.5.23" => assert!(rest.0 > 0.0, "{query}"),
            _ => {}
        }
    }
}

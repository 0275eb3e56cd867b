//! Addresses that are out in the world. `data/links.csv` may only grow: whoever opens one of them next year must see what
//! its sender saw. The expected values were computed from the formula apart from this program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kv_budget::scenario::evaluate;
use kv_budget::scenario::query::decode;

/// Rows when the file was last added to. With rows that are added, this and the digest below are renewed; no row changes.
const ROWS: usize = 56;

#[test]
fn every_link_shows_what_it_showed() {
    let mut rows = csv::Reader::from_path("tests/data/links.csv").unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), ROWS, "links may be added, not removed");
    for row in rows {
        let [query, rest, tokens, pool, verdict, suggested] = std::array::from_fn(|column| &row[column]);
        let report = evaluate(&decode(query).scenario).report;
        let found = &report.breakdown;
        assert_eq!(found.rest_bytes.0.to_string(), rest, "{query}: rest");
        assert_eq!(found.tokens.0.to_string(), tokens, "{query}: tokens");
        assert_eq!(found.pool_tokens.0.to_string(), pool, "{query}: pool");
        assert_eq!(report.verdict.id(), verdict, "{query}: verdict");
        let least = report.band.suggested.map(|fraction| fraction.get().to_string()).unwrap_or_default();
        assert_eq!(least, suggested, "{query}: the smallest fraction that starts");
    }
}

#[test]
fn the_file_begins_as_it_always_did() {
    let text = std::fs::read_to_string("tests/data/links.csv").unwrap();
    let digest = text.lines().take(ROWS + 1).fold(0xcbf2_9ce4_8422_2325_u64, |digest, line| {
        line.bytes().fold(digest, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    });
    assert_eq!(format!("{digest:016x}"), "0740b454fdc8d1aa", "a row that was published was altered");
}

//! Cells and states of public models, as SGLang's own functions computed them.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use std::fs;

use kv_budget::catalog::config::{self, ModelConfig};
use kv_budget::engines::sglang::Version;
use kv_budget::engines::sglang::cell::{self, Cell, CellKind, CellQuery, KvDtype};
use kv_budget::units::{Bytes, Gib};

fn rows(name: &str) -> Vec<csv::StringRecord> {
    let path = format!("{}/tests/data/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    csv::Reader::from_path(path).unwrap().records().map(Result::unwrap).collect()
}

fn model(name: &str) -> ModelConfig {
    let file = name.split(' ').next().unwrap().replace('/', "__");
    let path = format!("{}/tests/data/configs/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let reading = config::read(&fs::read(path).unwrap());
    assert!(reading.issues.is_empty(), "{name}: {:?}", reading.issues);
    reading.config.unwrap()
}

fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(row: &csv::StringRecord, column: usize) -> T {
    row[column].parse().unwrap()
}

fn query(row: &csv::StringRecord) -> CellQuery {
    CellQuery {
        version: Version::parse(&row[0]).unwrap(),
        kv_dtype: KvDtype::parse(&row[12]).unwrap(),
        tp: number(row, 13),
        pp: number(row, 14),
        dp: number(row, 15),
        draft_layers: number(row, 16),
        ..CellQuery::default()
    }
}

fn kind_fits(row: &csv::StringRecord, cell: &Cell) -> bool {
    match &row[3] {
        "MHA" => cell.kind == CellKind::Mha,
        "MLA" => cell.kind == CellKind::Mla,
        "DSA" => cell.kind == CellKind::Dsa,
        kind if kind.starts_with("GQA") => cell.kind == CellKind::Gqa,
        kind if kind.starts_with("hybrid SWA") => cell.kind == CellKind::SwaHybrid,
        _ => cell.kind == CellKind::LinearHybrid,
    }
}

#[test]
fn every_cell_is_exact() {
    let rows = rows("cell_size.csv");
    for row in &rows {
        let query = query(row);
        let cell = cell::cell(&model(&row[1]), &query);
        let expected: f64 = number(row, 17);
        assert_eq!(cell.bytes.unwrap().get(), expected, "{row:?}: {:?}", cell.terms);
        assert!(kind_fits(row, &cell), "{row:?}: {:?}", cell.kind);
        let sum: f64 = cell.terms.iter().map(|term| term.bytes).sum();
        assert!((sum - expected).abs() < 1e-6, "{row:?}: the terms must add up, {:?}", cell.terms);
        if let Some((full, sliding)) = row[18].split_once('/').filter(|(full, _)| full.parse::<i64>().is_ok()) {
            let tokens = Bytes(10 << 30).floor_div(cell.bytes.unwrap());
            let split = cell::swa_split(tokens, cell.bytes.unwrap(), &cell.swa.unwrap(), 1, query.version);
            assert_eq!(
                (split.full.0.to_string(), split.sliding.0.to_string()),
                (full.into(), sliding.into()),
                "{row:?}"
            );
        }
    }
    assert_eq!(rows.len(), 658);
}

#[test]
fn every_state_is_exact() {
    let rows = rows("mamba.csv");
    for row in &rows {
        let version = Version::parse(&row[0]).unwrap();
        let model = model(&row[1]);
        let query = CellQuery { version, tp: number(row, 2), ..CellQuery::default() };
        let cell = cell::cell(&model, &query);
        let per_request = cell.state_bytes_per_request.unwrap();
        assert_eq!(per_request, number::<u64>(row, 3), "{row:?}");
        let pool = cell::state_pool(Gib(number(row, 4)), number(row, 5), per_request, version);
        assert_eq!(pool.slots, number::<i64>(row, 6), "{row:?}");
        assert_eq!(pool.rest.0, number::<f64>(row, 7), "{row:?}");
        let tokens = pool.rest.truncate_to_bytes().floor_div(cell.bytes.unwrap());
        assert_eq!(tokens.0, number::<i64>(row, 8), "{row:?}");
        assert_eq!(pool.slots / 3, number::<i64>(row, 9), "{row:?}");
    }
    assert_eq!(rows.len(), 74);
}

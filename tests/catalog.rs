//! The rows of the model table against the public configs and the published counts of parameters.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use std::fs;

use kv_budget::catalog::config;
use kv_budget::catalog::models::{find, models};

#[test]
fn rows_equal_the_configs_they_were_taken_from() {
    let folder = format!("{}/tests/data/configs", env!("CARGO_MANIFEST_DIR"));
    let mut compared = 0;
    for model in models() {
        let path = format!("{folder}/{}.json", model.name.replace('/', "__"));
        let Ok(bytes) = fs::read(path) else { continue };
        let reading = config::read(&bytes);
        assert_eq!(reading.issues, [], "{}", model.id);
        assert_eq!(reading.config.unwrap(), model.config(), "{}", model.id);
        compared += 1;
    }
    assert_eq!(compared, fs::read_dir(folder).unwrap().count(), "every config has a row");
}

#[test]
fn parameters_add_up_to_the_published_counts() {
    for model in models() {
        let billions = model.parameters().total() / 1e9;
        let error = (billions / model.billions - 1.0).abs();
        assert!(error < 0.05, "{}: {billions:.2} against {}", model.id, model.billions);
    }
    let exact = models().filter(|model| (model.parameters().total() / 1e9 / model.billions - 1.0).abs() < 0.01);
    assert!(exact.count() >= 35, "most rows are exact to a percent");
}

#[test]
fn ids_are_unique_and_url_safe() {
    assert!(models().count() >= 30);
    for model in models() {
        let safe = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
        assert!(model.id.bytes().all(safe), "{}", model.id);
        assert_eq!(find(model.id).unwrap().name, model.name);
    }
}

//! The types that the JavaScript module declares are those of its answers: no key more, none less.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use kv_budget::engines;
use kv_budget::engines::sglang::cell::{CellAnswer, KvDtype};
use kv_budget::issue::IssueKind;
use kv_budget::logs;
use kv_budget::scenario::json::Evaluated;
use serde_json::Value;

/// The interfaces of `api/kv-budget.d.ts`: by name, their keys (with `?` where they may be absent) and types.
struct Types(BTreeMap<String, Vec<(String, String)>>);

impl Types {
    fn read() -> Self {
        let text = fs::read_to_string("api/kv-budget.d.ts").expect("the types");
        let mut pieces = text.split("/**");
        let first = pieces.next().unwrap_or_default().to_owned();
        let code = pieces.map(|piece| piece.split_once("*/").expect("a comment that ends").1);
        let code = first + &code.collect::<String>();
        let mut types = BTreeMap::new();
        for part in code.split("export interface ").skip(1) {
            let (name, rest) = part.split_once('{').expect("a body");
            let (body, _) = rest.split_once('}').expect("its end");
            let keys = body.split(';').filter_map(|line| line.split_once(':')).map(|(key, kind)| {
                let kind = kind.split_whitespace().collect::<Vec<_>>().join(" ");
                (key.trim().to_owned(), kind.trim_start_matches("| ").to_owned())
            });
            types.insert(name.trim().to_owned(), keys.collect());
        }
        Self(types)
    }

    /// Whether the value has this type; notes the keys of each interface that were met.
    fn fits(&self, value: &Value, kind: &str, met: &mut BTreeSet<String>) -> bool {
        if let Some(item) = kind.strip_suffix("[]") {
            return value.as_array().is_some_and(|items| items.iter().all(|value| self.fits(value, item, met)));
        }
        if let Some(item) = kind.strip_prefix("Record<string, ").and_then(|rest| rest.strip_suffix('>')) {
            return value.as_object().is_some_and(|items| items.values().all(|value| self.fits(value, item, met)));
        }
        let mut choices = kind.split(" | ");
        choices.any(|choice| match choice {
            "number" => value.is_number(),
            "string" => value.is_string(),
            "null" => value.is_null(),
            _ if choice.starts_with('"') => value.as_str() == Some(choice.trim_matches('"')),
            _ => value.is_object() && self.is_exactly(value, choice, met),
        })
    }

    fn is_exactly(&self, value: &Value, name: &str, met: &mut BTreeSet<String>) -> bool {
        let keys = self.0.get(name).unwrap_or_else(|| panic!("no interface {name}"));
        for given in value.as_object().expect("an object").keys() {
            assert!(keys.iter().any(|(key, _)| key.trim_end_matches('?') == given), "{name} declares no {given}");
        }
        for (key, kind) in keys {
            let plain = key.trim_end_matches('?');
            match value.get(plain) {
                Some(value) => assert!(self.fits(value, kind, met), "{name}.{key} is no {kind}: {value}"),
                None => assert_ne!(plain, key, "{name} has no {key}: {value}"),
            }
            if value.get(plain).is_some() {
                met.insert(format!("{name}.{plain}"));
            }
        }
        true
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn the_declared_types_are_those_of_the_answers() {
    let types = Types::read();
    let mut met = BTreeSet::new();
    let mut check = |value: Value, name: &str| assert!(types.fits(&value, name, &mut met));
    for query in ["", "f=0.88&dyn=9.5", "total=0&avail=0", "f=2&colour=red"] {
        check(serde_json::to_value(Evaluated::from_query(query)).unwrap(), "Evaluation");
    }
    let mut found = Vec::new();
    files(Path::new("tests/data/configs"), &mut found);
    let configs = found.iter().map(|path| fs::read(path).unwrap()).chain([b"{".to_vec()]);
    for config in configs {
        check(serde_json::to_value(CellAnswer::of([("tp", "8")], &config)).unwrap(), "CellSize");
    }
    found.clear();
    files(Path::new("tests/data/reports"), &mut found);
    files(Path::new("tests/data/h200/logs"), &mut found);
    for path in found.iter().filter(|path| path.extension().is_some_and(|ending| ending == "log")) {
        check(serde_json::to_value(logs::diagnose(&fs::read(path).unwrap())).unwrap(), "Diagnosis");
    }
    // What is declared and never there would be as wrong.
    let asked = ["CellOptions"];
    let declared = types.0.iter().filter(|(name, _)| !asked.contains(&name.as_str()));
    let declared = declared
        .flat_map(|(name, keys)| keys.iter().map(move |(key, _)| [name, ".", key.trim_end_matches('?')].concat()));
    assert_eq!(declared.filter(|key| !met.contains(key)).collect::<Vec<_>>(), Vec::<String>::new());
}

/// What may be absent is: a type that says less than is true costs its reader a check.
#[test]
fn what_may_be_absent_is_said() {
    let types = Types::read();
    let optional = types.0.iter().flat_map(|(name, keys)| keys.iter().map(move |(key, _)| format!("{name}.{key}")));
    let optional: Vec<String> = optional.filter(|key| key.ends_with('?') && !key.starts_with("CellOptions")).collect();
    assert_eq!(optional, ["Diagnosis.attempts?", "Fact.rank?"]);
}

/// The options of `cellSize` reach the flags of the command line, and a cache type is called as the flag calls it.
#[test]
fn the_options_are_those_that_are_read() {
    let types = Types::read();
    let module = fs::read_to_string("api/kv-budget.js").unwrap();
    for (key, kind) in &types.0["CellOptions"] {
        let key = key.trim_end_matches('?');
        let flag = module.split_once(&format!("{key}: \"")).and_then(|(_, rest)| rest.split('"').next());
        let flag = flag.unwrap_or_else(|| panic!("the module does not pass {key} on"));
        let answer = CellAnswer::of([(flag, "1")], b"{}");
        let unknown = answer.issues.iter().find(|issue| issue.kind == IssueKind::UnknownKey);
        assert_eq!(unknown, None, "{key} is no flag");
        if key == "kvDtype" {
            assert_eq!(*kind, KvDtype::NAMES.map(|(name, _)| format!("\"{name}\"")).join(" | "));
        }
    }
}

/// The engines whose logs are read have the names that the engines' own table has.
#[test]
fn an_engine_has_one_name() {
    use engines::Engine;
    for (of_a_log, engine) in [
        (logs::Engine::Sglang, Engine::Sglang),
        (logs::Engine::Vllm, Engine::Vllm),
        (logs::Engine::TensorrtLlm, Engine::TensorrtLlm),
        (logs::Engine::LmdeployPytorch, Engine::LmdeployPytorch),
        (logs::Engine::LmdeployTurbomind, Engine::LmdeployTurbomind),
        (logs::Engine::LlamaCpp, Engine::LlamaCpp),
    ] {
        assert_eq!(serde_json::to_value(of_a_log).unwrap(), engine.facts().name);
    }
}

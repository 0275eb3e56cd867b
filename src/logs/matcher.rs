//! Which patterns a record matches: only those whose key the search finds in it are tried.

use std::sync::{Arc, OnceLock};

use super::lines::{Record, exception};
use super::rules::Rule;
use super::search::{Search, word};
use super::sorted::insert;
use super::{common, llama_cpp, lmdeploy, sglang, tensorrt_llm, vllm};

/// Every pattern.
const TABLES: [&[Rule]; 6] =
    [sglang::RULES, vllm::RULES, tensorrt_llm::RULES, lmdeploy::RULES, llama_cpp::RULES, common::RULES];

/// What the patterns are looked up in: built once, not for each log.
struct Tables {
    search: Arc<Search>,
    /// The window of each rule's key with the rule's place in the tables, sorted.
    places: Vec<(u64, usize)>,
    rules: Vec<&'static Rule>,
}

static SHARED: OnceLock<Tables> = OnceLock::new();

fn tables() -> &'static Tables {
    SHARED.get_or_init(|| {
        let rules: Vec<&'static Rule> = TABLES.into_iter().flatten().collect();
        let mut places = Vec::new();
        for (place, rule) in rules.iter().enumerate() {
            if let Some(window) = word(rule.key.as_bytes()) {
                insert(&mut places, (window, place));
            }
        }
        // A header names the file that the lines after it come from.
        let keys = rules.iter().map(|rule| rule.key).chain([".log <==", ".out <==", ".txt <=="]);
        Tables { search: Arc::new(Search::new(keys)), places, rules }
    })
}

/// The search for the keys of all patterns.
pub fn search() -> Arc<Search> {
    tables().search.clone()
}

/// Finds the patterns of a record.
pub struct Matcher(&'static Tables);

impl Default for Matcher {
    fn default() -> Self {
        Self(tables())
    }
}

impl Matcher {
    /// The patterns that the record matches, in the order of the tables.
    pub fn of(&self, record: &Record) -> Vec<&'static Rule> {
        let matching = |rule: &&'static Rule| rule.matches(&record.flat);
        // A key that is broken over two lines is in neither, and blanks get lost: a record of several lines, or of an
        // exception, is tried against all.
        if record.lines > 1 || exception(&record.text).is_some() {
            return self.0.rules.iter().copied().filter(matching).collect();
        }
        let text = record.text.as_bytes();
        let mut places: Vec<usize> = Vec::new();
        for at in self.0.search.all(text, 0) {
            let Some(window) = text.get(at..).and_then(word) else { continue };
            let first = self.0.places.partition_point(|place| place.0 < window);
            let same = self.0.places.get(first..).unwrap_or_default().iter().take_while(|place| place.0 == window);
            for place in same {
                insert(&mut places, place.1);
            }
        }
        places.into_iter().filter_map(|place| self.0.rules.get(place).copied()).filter(matching).collect()
    }
}

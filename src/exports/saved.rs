//! A scenario as JSON: what programs and tickets keep. Reading it back gives the scenario that it was written from.

use serde::{Deserialize, Serialize};

use crate::scenario::Scenario;
use crate::scenario::json::Evaluated;
use crate::scenario::query::{decode, encode};

/// The form; field names are a contract. `scenario` alone carries the state, everything else follows from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Saved {
    /// Version of this form: 1.
    pub v: u64,
    /// The canonical query of the scenario, without `?`; empty for the default scenario.
    pub scenario: String,
    /// The link to it; null where nobody knows where the page is.
    pub url: Option<String>,
    /// `--mem-fraction-static`.
    pub fraction: f64,
    /// Free before the weights on the fullest GPU, GiB.
    pub total_gib: f64,
    /// Free after the weights on the fullest GPU, GiB.
    pub available_gib: f64,
    /// Bytes of KV cache for one token on one GPU.
    pub cell_bytes: f64,
    /// Tokens per page.
    pub page_size: u64,
    /// `--max-total-tokens`; null without it.
    pub max_total_tokens: Option<u64>,
    /// What activations and graphs are expected to need, GiB; null where it is not known.
    pub dynamic_need_gib: Option<f64>,
    /// What the formula gives, in the form of the `evaluate` example.
    pub result: Evaluated,
}

/// What is read back.
#[derive(Deserialize)]
struct Kept {
    v: u64,
    scenario: String,
}

impl Saved {
    /// Of a scenario that was evaluated.
    pub fn of(scenario: &Scenario, url: Option<String>) -> Self {
        Self {
            v: 1,
            scenario: encode(scenario),
            url,
            fraction: scenario.fraction.get(),
            total_gib: scenario.total.0,
            available_gib: scenario.available().0,
            cell_bytes: scenario.cell.get(),
            page_size: scenario.page_size,
            max_total_tokens: scenario.max_total_tokens,
            dynamic_need_gib: scenario.dynamic_need.map(|need| need.0),
            result: Evaluated::of(scenario, Vec::new()),
        }
    }

    /// Indented JSON with a line end.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// The scenario of a saved text.
///
/// # Errors
/// What is wrong with the text.
pub fn read(text: &str) -> Result<Scenario, String> {
    let kept: Kept = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if kept.v != 1 {
        return Err("a newer form than this program knows".to_owned());
    }
    Ok(decode(&kept.scenario).scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_as_it_went() {
        for query in [
            "",
            "preset=baseline-0.88&f=0.9",
            "model=kimi-k2.5&gpu=rtx-pro-6000&tp=8&ranks=21.7,20.9&vs=f:0.88",
            "cell=8294.4&dyn=9.5&cap=63&page=64",
        ] {
            let scenario = decode(query).scenario;
            let text = Saved::of(&scenario, None).text();
            assert_eq!(read(&text).as_ref(), Ok(&scenario), "{text}");
        }
    }

    #[test]
    fn the_worked_case_in_json() {
        let text = Saved::of(&Scenario::default(), Some("https://a.b/".to_owned())).text();
        for part in [
            "\"v\": 1,",
            "\"scenario\": \"\"",
            "\"url\": \"https://a.b/\"",
            "\"tokens\": -314803",
            "\"suggested_fraction\": 0.77",
            "\"max_total_tokens\": null",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn what_is_no_such_text_is_refused() {
        for text in ["", "{}", "[]", "{\"v\":2,\"scenario\":\"\"}", "{\"v\":1}"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

//! The model for other people's pages and notebooks: three functions, JSON out. `api/kv-budget.js` makes plain objects of it.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This is called from JavaScript: `cargo xtask build` makes dist/api/.");
}

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
}

#[cfg(target_arch = "wasm32")]
mod exports {
    use kv_budget::engines::sglang::cell::CellAnswer;
    use kv_budget::logs;
    use kv_budget::scenario::json::Evaluated;
    use serde::Serialize;
    use wasm_bindgen::prelude::wasm_bindgen;

    fn json(value: &impl Serialize) -> String {
        serde_json::to_string(value).unwrap_or_default()
    }

    /// One scenario's query, as in the page's address.
    #[wasm_bindgen]
    pub fn evaluate(query: &str) -> String {
        json(&Evaluated::from_query(query))
    }

    /// A server's log.
    #[wasm_bindgen]
    pub fn diagnose(log: &[u8]) -> String {
        json(&logs::diagnose(log))
    }

    /// A `config.json`, and flags as lines of `name=value`.
    #[wasm_bindgen]
    pub fn cell_size(config: &[u8], flags: &str) -> String {
        json(&CellAnswer::of(flags.lines().filter_map(|line| line.split_once('=')), config))
    }
}

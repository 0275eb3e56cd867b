//! The workshop: a second binary, fetched when a reader opens "My log", "Plan" or "Other engines", and run in a worker.
//!
//! It says `{ready: true}` once, then answers each message `{id, kind, payload, file}` by `{id, ok, payload}`. Payloads are
//! JSON both ways; what comes back is a sentence that says what was wrong where `ok` is false. `file` is a handle on a file
//! that the reader chose, or undefined.

// Natively only the tests call it.
#![cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]

use kv_budget::sections::{self, Ask, Source};
use serde::Serialize;

/// What the workshop is, for whoever asks.
#[derive(Serialize)]
struct Hello {
    name: &'static str,
    version: &'static str,
}

/// The answer to one request: the kinds are a closed set, and an unknown one is refused by name.
fn answer(kind: &str, payload: &str, file: Option<&dyn Source>) -> Result<String, String> {
    if kind == "hello" {
        return hello();
    }
    let ask: Ask = if payload.is_empty() {
        Ask::default()
    } else {
        serde_json::from_str(payload).map_err(|error| error.to_string())?
    };
    match sections::answer(kind, &ask, file) {
        Some(answer) => json(&answer),
        None => Err(["the workshop knows no request of kind \"", kind, "\""].concat()),
    }
}

fn hello() -> Result<String, String> {
    json(&Hello { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") })
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("The workshop runs in a worker of the page: `cargo xtask serve`.");
}

#[cfg(target_arch = "wasm32")]
fn main() {
    worker::start();
}

/// The wiring to the worker's messages.
#[cfg(target_arch = "wasm32")]
mod worker {
    use gloo::events::EventListener;
    use js_sys::{Object, Reflect, Uint8Array};
    use kv_budget::sections::Source;
    use wasm_bindgen::{JsCast as _, JsValue};
    use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReaderSync, MessageEvent};

    /// A file of the reader's, read where it lies.
    struct File(Blob);

    impl Source for File {
        fn size(&self) -> u64 {
            self.0.size() as u64
        }

        fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String> {
            let gone = |_| "the file cannot be read any more".to_owned();
            let part = self.0.slice_with_f64_and_f64(from as f64, to as f64).map_err(gone)?;
            let buffer = FileReaderSync::new().and_then(|reader| reader.read_as_array_buffer(&part)).map_err(gone)?;
            Ok(Uint8Array::new(&buffer).to_vec())
        }
    }

    pub fn start() {
        console_error_panic_hook::set_once();
        let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
        let answering = scope.clone();
        EventListener::new(&scope, "message", move |event| {
            let Some(event) = event.dyn_ref::<MessageEvent>() else { return };
            let request = event.data();
            let text = |key: &str| field(&request, key).as_string().unwrap_or_default();
            let file = field(&request, "file").dyn_into::<Blob>().ok().map(File);
            let file = file.as_ref().map(|file| file as &dyn Source);
            let outcome = super::answer(&text("kind"), &text("payload"), file);
            let ok = outcome.is_ok();
            let payload = outcome.unwrap_or_else(|sentence| sentence);
            send(&answering, &[("id", field(&request, "id")), ("ok", ok.into()), ("payload", payload.into())]);
        })
        .forget();
        send(&scope, &[("ready", true.into())]);
    }

    fn field(object: &JsValue, key: &str) -> JsValue {
        Reflect::get(object, &key.into()).unwrap_or_default()
    }

    fn send(scope: &DedicatedWorkerGlobalScope, fields: &[(&str, JsValue)]) {
        let message = Object::new();
        // Fields of a new object can be set, and plain strings posted: neither call has a way to fail.
        for (key, value) in fields {
            Reflect::set(&message, &(*key).into(), value).ok();
        }
        scope.post_message(&message).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hello_names_the_program() {
        let said = answer("hello", "", None).unwrap();
        assert!(said.contains("\"name\":\"kv-budget\""), "{said}");
    }

    #[test]
    fn an_unknown_kind_is_refused_by_name() {
        for kind in ["nonsense", "nonsense/open", "plan/nonsense"] {
            assert!(answer(kind, "", None).unwrap_err().contains(kind));
        }
    }

    #[test]
    fn a_section_is_asked_with_json() {
        let said = answer("plan/open", r#"{"scenario": "tp=8", "unknown": 1}"#, None).unwrap();
        assert!(said.starts_with(r#"{"replace":[{"into":"plan-body","view":[{"#), "{said}");
        assert!(answer("plan/open", "{", None).unwrap_err().contains("line 1"));
    }
}

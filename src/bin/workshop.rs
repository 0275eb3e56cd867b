//! The workshop: a second binary, fetched when a reader opens "My log", "Plan" or "Other engines", and run in a worker.
//!
//! It says `{ready: true}` once, then answers each message `{id, kind, payload}` by `{id, ok, payload}`. Payloads are
//! strings; what comes back is JSON where `ok` is true, else a sentence that says what was wrong.

// Natively only the tests call it.
#![cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]

use serde::Serialize;

/// What the workshop is, for whoever asks.
#[derive(Serialize)]
struct Hello {
    name: &'static str,
    version: &'static str,
}

/// The answer to one request: the kinds are a closed set, and an unknown one is refused by name.
fn answer(kind: &str, payload: &str) -> Result<String, String> {
    match kind {
        "hello" => hello(payload),
        _ => Err(format!("the workshop knows no request of kind {kind:?}")),
    }
}

fn hello(_payload: &str) -> Result<String, String> {
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
    use js_sys::{Object, Reflect};
    use wasm_bindgen::{JsCast as _, JsValue};
    use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

    pub fn start() {
        console_error_panic_hook::set_once();
        let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
        let answering = scope.clone();
        EventListener::new(&scope, "message", move |event| {
            let Some(event) = event.dyn_ref::<MessageEvent>() else { return };
            let request = event.data();
            let text = |key: &str| field(&request, key).as_string().unwrap_or_default();
            let outcome = super::answer(&text("kind"), &text("payload"));
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
        let said = answer("hello", "").unwrap();
        assert!(said.contains("\"name\":\"kv-budget\""), "{said}");
    }

    #[test]
    fn an_unknown_kind_is_refused_by_name() {
        assert!(answer("nonsense", "").unwrap_err().contains("\"nonsense\""));
    }
}

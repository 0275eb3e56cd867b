//! Copying text.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;

/// Copies `text` and says whether it worked. Insecure origins and sandboxed frames have no clipboard at all.
pub fn copy(text: &str, done: Box<dyn FnOnce(bool)>) {
    let clipboard = web_sys::window().map(|window| window.navigator()).filter(|navigator| {
        // The property itself is missing where the origin is not secure; asking for it through web-sys would throw later.
        Reflect::get(navigator, &JsValue::from_str("clipboard")).is_ok_and(|found| found.is_object())
    });
    let Some(navigator) = clipboard else { return done(false) };
    let promise = navigator.clipboard().write_text(text);
    // Kept promises come with nothing, refused ones with an error: one function serves both.
    let settled = Closure::once_into_js(move |outcome: JsValue| done(outcome.is_undefined()));
    if let Ok(then) = Reflect::get(&promise, &JsValue::from_str("then")) {
        js_sys::Function::from(then).call2(&promise, &settled, &settled).ok();
    }
}

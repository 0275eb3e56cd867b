//! Copying text.

use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;

/// Copies `text` and says whether it worked. Insecure origins and sandboxed frames have no clipboard at all.
pub fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    let clipboard = web_sys::window().map(|window| window.navigator()).filter(|navigator| {
        // The property itself is missing where the origin is not secure; asking for it through web-sys would throw later.
        Reflect::get(navigator, &JsValue::from_str("clipboard")).is_ok_and(|found| found.is_object())
    });
    let Some(navigator) = clipboard else { return done(false) };
    let promise = navigator.clipboard().write_text(text);
    let done = std::rc::Rc::new(std::cell::Cell::new(Some(done)));
    let finish = |worked: bool| {
        let done = std::rc::Rc::clone(&done);
        Closure::once_into_js(move |_: JsValue| {
            if let Some(done) = done.take() {
                done(worked);
            }
        })
    };
    let (worked, failed) = (finish(true), finish(false));
    then(&promise, &worked, &failed);
}

/// `promise.then(worked, failed)` with plain functions, which the collector frees with the promise.
fn then(promise: &js_sys::Promise, worked: &JsValue, failed: &JsValue) {
    let Ok(method) = Reflect::get(promise, &JsValue::from_str("then")) else { return };
    let method: js_sys::Function = method.into();
    method.call2(promise, worked, failed).ok();
}

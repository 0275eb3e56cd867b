//! Plain JavaScript objects, which page and workshop tell each other things in: written and read (`wasm32` only).
//!
//! Nothing here fails: a field that is not there, or is something else, reads as empty.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};

/// A new object with these fields.
pub fn object(fields: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (key, value) in fields {
        // A new object takes any field.
        Reflect::set(&object, &(*key).into(), value).ok();
    }
    object
}

/// A field; undefined where there is none.
pub fn field(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap_or_default()
}

/// A field that is a text; empty where it is none.
pub fn text(object: &JsValue, key: &str) -> String {
    field(object, key).as_string().unwrap_or_default()
}

/// A field that is a list; empty where it is none.
pub fn list(object: &JsValue, key: &str) -> Vec<JsValue> {
    field(object, key).dyn_into::<Array>().map(|list| list.to_vec()).unwrap_or_default()
}

/// A string of a list.
pub fn item(list: &JsValue, index: u32) -> Option<String> {
    list.dyn_ref::<Array>()?.get(index).as_string()
}

//! The wiring to messages: those of the worker, or of a channel where the page forbids workers.

use std::collections::BTreeMap;

use crate::sections::{Ask, Section, Source};
use gloo::events::EventListener;
use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReaderSync, MessageEvent, MessagePort};

use super::reading::Reader;

/// A file of the reader's, read where it lies.
pub struct File(pub Blob);

impl Source for File {
    fn size(&self) -> u64 {
        self.0.size() as u64
    }

    fn name(&self) -> String {
        text(&self.0, "name")
    }

    fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String> {
        let gone = |_| GONE.to_owned();
        let part = self.0.slice_with_f64_and_f64(from as f64, to as f64).map_err(gone)?;
        let buffer = FileReaderSync::new().and_then(|reader| reader.read_as_array_buffer(&part)).map_err(gone)?;
        Ok(Uint8Array::new(&buffer).to_vec())
    }
}

/// Why a file gives nothing.
pub const GONE: &str = "the file cannot be read any more";

/// The other end, for one request.
#[derive(Clone)]
pub struct Asker {
    port: MessagePort,
    id: JsValue,
}

impl Asker {
    /// Answers; with `more` the request stays open.
    pub fn answer(&self, outcome: Result<String, String>, more: bool) {
        let ok = outcome.is_ok();
        let payload = outcome.unwrap_or_else(|sentence| sentence);
        let fields = [("id", self.id.clone()), ("ok", ok.into()), ("payload", payload.into()), ("more", more.into())];
        send(&self.port, &fields);
    }
}

/// Whether this program runs where a section is asked: in a worker, or in a page that has prepared a channel.
pub fn is_asked() -> bool {
    let global = js_sys::global();
    global.has_type::<DedicatedWorkerGlobalScope>() || field(&global, "workshopPort").is_object()
}

/// Answers for these sections from now on; where one reads files, `reader` does.
pub fn start(sections: &'static [Section], reader: Option<Reader>) {
    console_error_panic_hook::set_once();
    let global = js_sys::global();
    // Either end takes messages and posts them by the same names.
    let port: MessagePort = if global.has_type::<DedicatedWorkerGlobalScope>() {
        global.unchecked_into()
    } else {
        let Ok(port) = field(&global, "workshopPort").dyn_into::<MessagePort>() else { return };
        port.start();
        port
    };
    let asking = port.clone();
    EventListener::new(&port, "message", move |event| {
        let Some(event) = event.dyn_ref::<MessageEvent>() else { return };
        let request = event.data();
        let (kind, ask) = (text(&request, "kind"), asked(&field(&request, "ask")));
        let asker = Asker { port: asking.clone(), id: field(&request, "id") };
        let files = field(&request, "files").dyn_into::<Array>().map(|list| list.to_vec()).unwrap_or_default();
        let files: Vec<File> = files.into_iter().filter_map(|file| file.dyn_into().ok().map(File)).collect();
        // A later request ends a reading.
        if let Some(reader) = reader {
            (reader.stop)();
            if kind.ends_with("/read") && !files.is_empty() {
                return (reader.start)(asker, &ask, files);
            }
        }
        let file = files.first().map(|file| file as &dyn Source);
        asker.answer(super::answer(sections, &kind, &ask, file), false);
    })
    .forget();
    send(&port, &[("ready", true.into())]);
}

/// What a reader did, as the page's plain object says it.
fn asked(question: &JsValue) -> Ask {
    let fields = field(question, "fields");
    let names = fields.dyn_ref::<Object>().map(Object::keys).unwrap_or_default();
    // One by one: collecting would bring a sorting algorithm along.
    let mut texts = BTreeMap::new();
    for name in names.iter().filter_map(|name| name.as_string()) {
        texts.insert(name.clone(), text(&fields, &name));
    }
    let files = field(question, "files").dyn_into::<Array>().unwrap_or_default();
    Ask {
        scenario: text(question, "scenario"),
        by: text(question, "by"),
        language: text(&field(&js_sys::global(), "navigator"), "language"),
        fields: texts,
        files: files.iter().filter_map(|name| name.as_string()).collect(),
        home: text(&field(&js_sys::global(), "location"), "href"),
    }
}

pub fn field(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap_or_default()
}

fn text(object: &JsValue, key: &str) -> String {
    field(object, key).as_string().unwrap_or_default()
}

fn send(port: &MessagePort, fields: &[(&str, JsValue)]) {
    let message = Object::new();
    // Fields of a new object can be set, and plain strings posted: neither call has a way to fail.
    for (key, value) in fields {
        Reflect::set(&message, &(*key).into(), value).ok();
    }
    port.post_message(&message).ok();
}

//! The wiring to messages: those of the worker, or of a channel where the page forbids workers.

use std::collections::BTreeMap;

use crate::catalog::json::MOST_BYTES;
use crate::js::{field, list, object, text};
use crate::sections::{Ask, FileBytes, Section};
use gloo::events::EventListener;
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReader, MessageEvent, MessagePort};

use super::reading::Reader;

/// A file of the reader's, read where it lies.
#[derive(Clone)]
pub struct File(pub Blob);

impl File {
    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.0.size() as u64
    }

    /// As whoever gave it calls it; empty for a text that was typed.
    pub fn name(&self) -> String {
        text(&self.0, "name")
    }

    /// Reads its first bytes, as many as a section looks at, and hands them on. Not at once: only workers could.
    fn read(&self, then: impl FnOnce(FileBytes) + 'static) {
        let part = self.0.slice_with_f64_and_f64(0.0, (MOST_BYTES + 1) as f64);
        let Ok((part, reader)) = part.and_then(|part| Ok((part, FileReader::new()?))) else { return then(Err(GONE)) };
        let read = reader.clone();
        EventListener::once(&reader, "loadend", move |_| match read.result() {
            Ok(buffer) if buffer.is_object() => then(Ok(&Uint8Array::new(&buffer).to_vec())),
            _ => then(Err(GONE)),
        })
        .forget();
        // Whatever becomes of it, it ends.
        reader.read_as_array_buffer(&part).ok();
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

/// Whether this program runs where one of these sections is asked: in a worker, or in a page that has prepared a channel.
pub fn is_asked(sections: &[Section]) -> bool {
    js_sys::global().has_type::<DedicatedWorkerGlobalScope>() || prepared(sections).is_some()
}

/// The channel that a page has prepared for one of these sections, and the name that it keeps it under.
fn prepared(sections: &[Section]) -> Option<(String, MessagePort)> {
    sections.iter().find_map(|section| {
        let name = ["workshopPort-", section.name].concat();
        let port = field(&js_sys::global(), &name).dyn_into().ok()?;
        Some((name, port))
    })
}

/// Answers for these sections from now on; where one reads files, `reader` does.
pub fn start(sections: &'static [Section], reader: Option<Reader>) {
    console_error_panic_hook::set_once();
    let global = js_sys::global();
    // Either end takes messages and posts them by the same names.
    let port: MessagePort = if global.has_type::<DedicatedWorkerGlobalScope>() {
        global.unchecked_into()
    } else {
        let Some((name, port)) = prepared(sections) else { return };
        // No other program gets it.
        Reflect::set(&global, &name.into(), &JsValue::UNDEFINED).ok();
        port.start();
        port
    };
    let asking = port.clone();
    EventListener::new(&port, "message", move |event| {
        let Some(event) = event.dyn_ref::<MessageEvent>() else { return };
        let request = event.data();
        let (kind, ask) = (text(&request, "kind"), asked(&field(&request, "ask")));
        let asker = Asker { port: asking.clone(), id: field(&request, "id") };
        let files: Vec<File> =
            list(&request, "files").into_iter().filter_map(|file| file.dyn_into().ok().map(File)).collect();
        // A later request ends a reading.
        if let Some(reader) = reader {
            (reader.stop)();
            if kind.ends_with("/read") && !files.is_empty() {
                return (reader.start)(asker, &ask, files);
            }
        }
        match files.first() {
            None => asker.answer(super::answer(sections, &kind, &ask, None), false),
            Some(file) => {
                file.read(move |bytes| asker.answer(super::answer(sections, &kind, &ask, Some(bytes)), false))
            }
        }
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
    Ask {
        scenario: text(question, "scenario"),
        by: text(question, "by"),
        language: text(&field(&js_sys::global(), "navigator"), "language"),
        fields: texts,
        files: list(question, "files").iter().filter_map(|name| name.as_string()).collect(),
        home: text(&field(&js_sys::global(), "location"), "href"),
    }
}

fn send(port: &MessagePort, fields: &[(&str, JsValue)]) {
    // Plain strings can be posted: the call has no way to fail.
    port.post_message(&object(fields)).ok();
}

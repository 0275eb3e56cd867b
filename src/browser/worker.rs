//! The page's end of the workshop: starts the worker at the first request and pairs each answer with who asked.

use std::cell::RefCell;
use std::fmt;
use std::mem;
use std::rc::{Rc, Weak};

use gloo::events::EventListener;
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{ErrorEvent, Event, MessageEvent, Worker};

/// Why the workshop gave no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkshopError {
    /// The page does not say where the workshop is.
    NotInPage,
    /// The browser did not start the worker.
    NotStarted(String),
    /// The worker died, before or during the request; the next request starts a new one.
    Died(String),
    /// The workshop answered that it cannot do this; the sentence says why.
    Refused(String),
}

impl fmt::Display for WorkshopError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInPage => out.write_str("this page comes without the workshop"),
            Self::NotStarted(why) | Self::Died(why) | Self::Refused(why) => out.write_str(why),
        }
    }
}

impl std::error::Error for WorkshopError {}

/// Who waits for an answer.
pub type Done = Box<dyn FnOnce(Result<String, WorkshopError>)>;

/// A handle on the workshop; clones share one worker. Dropping the last one ends it.
#[derive(Clone, Default)]
pub struct Workshop(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    worker: Option<Running>,
    last_id: u32,
    /// Asked and not yet answered, in order; few at any time.
    waiting: Vec<Request>,
}

struct Running {
    worker: Worker,
    /// What is posted before the worker listens would be lost.
    ready: bool,
    _listeners: [EventListener; 2],
}

struct Request {
    id: u32,
    message: Object,
    done: Done,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl Workshop {
    /// Asks the workshop; `done` gets the JSON of the answer, or why there is none. It is called exactly once, later.
    ///
    /// A `File` that goes along is a handle: nothing of it is read here.
    pub fn ask(&self, kind: &str, payload: &str, file: &JsValue, done: Done) {
        let mut state = self.0.borrow_mut();
        if state.worker.is_none() {
            match start(&Rc::downgrade(&self.0)) {
                Ok(running) => state.worker = Some(running),
                Err(error) => {
                    drop(state);
                    return done(Err(error));
                }
            }
        }
        state.last_id += 1;
        let id = state.last_id;
        let message = Object::new();
        let fields = [("id", id.into()), ("kind", kind.into()), ("payload", payload.into()), ("file", file.clone())];
        for (key, value) in fields {
            // A new object takes any field.
            Reflect::set(&message, &key.into(), &value).ok();
        }
        if let Some(running) = state.worker.as_ref().filter(|running| running.ready) {
            running.worker.post_message(&message).ok();
        }
        state.waiting.push(Request { id, message, done });
    }
}

/// Starts the worker that the page's script element names.
fn start(state: &Weak<RefCell<State>>) -> Result<Running, WorkshopError> {
    let url = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.query_selector("script[data-workshop]").ok().flatten())
        .and_then(|script| script.get_attribute("data-workshop"))
        .ok_or(WorkshopError::NotInPage)?;
    let worker = Worker::new(&url).map_err(|error| WorkshopError::NotStarted(sentence(&error)))?;
    let (heard, failed) = (state.clone(), state.clone());
    let listeners = [
        EventListener::new(&worker, "message", move |event| on_message(&heard, event)),
        EventListener::new(&worker, "error", move |event| on_error(&failed, event)),
    ];
    Ok(Running { worker, ready: false, _listeners: listeners })
}

fn on_message(state: &Weak<RefCell<State>>, event: &Event) {
    let (Some(state), Some(event)) = (state.upgrade(), event.dyn_ref::<MessageEvent>()) else { return };
    let answer = event.data();
    if field(&answer, "ready").is_truthy() {
        let mut state = state.borrow_mut();
        let State { worker: Some(running), waiting, .. } = &mut *state else { return };
        running.ready = true;
        for request in waiting {
            running.worker.post_message(&request.message).ok();
        }
        return;
    }
    let Some(request) = taken(&state, &field(&answer, "id")) else { return };
    let payload = field(&answer, "payload").as_string().unwrap_or_default();
    let outcome = if field(&answer, "ok").is_truthy() { Ok(payload) } else { Err(WorkshopError::Refused(payload)) };
    (request.done)(outcome);
}

/// The request with this id, no longer waiting. The borrow ends here, so that whoever is told may ask again.
fn taken(state: &RefCell<State>, id: &JsValue) -> Option<Request> {
    let mut state = state.borrow_mut();
    let at = state.waiting.iter().position(|request| id.as_f64() == Some(f64::from(request.id)))?;
    Some(state.waiting.remove(at))
}

fn on_error(state: &Weak<RefCell<State>>, event: &Event) {
    let Some(state) = state.upgrade() else { return };
    // A script that could not be fetched gives an event without a message.
    let why = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
    let (ended, waiting) = {
        let mut state = state.borrow_mut();
        (state.worker.take(), mem::take(&mut state.waiting))
    };
    drop(ended);
    for request in waiting {
        (request.done)(Err(WorkshopError::Died(why.clone())));
    }
}

fn field(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap_or_default()
}

fn sentence(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message())).unwrap_or_default()
}

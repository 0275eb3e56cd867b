//! The page's end of the workshop: starts the worker at the first request and pairs each answer with who asked.
//!
//! Where the browser forbids workers, or the worker ends before it is ready, the same program runs in the page and is
//! spoken to through a channel: it answers the same, and reads long files in portions so that the page stays responsive.

use std::cell::RefCell;
use std::fmt;
use std::mem;
use std::rc::{Rc, Weak};

use gloo::events::EventListener;
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{ErrorEvent, Event, EventTarget, MessageChannel, MessageEvent, MessagePort, Worker};

use crate::js::{field, object, text};

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
pub type Done = Rc<dyn Fn(Result<String, WorkshopError>)>;

/// A handle on the workshop of a section; clones share one worker. Dropping the last one ends it.
#[derive(Clone)]
pub struct Workshop(Rc<RefCell<State>>);

struct State {
    section: String,
    worker: Option<Running>,
    last_id: u32,
    /// Asked and not yet answered, in order; few at any time.
    waiting: Vec<Request>,
}

struct Running {
    /// The worker, or an end of the channel: both take messages by the same names.
    port: MessagePort,
    worker: Option<Worker>,
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
        if let Some(worker) = &self.worker {
            worker.terminate();
        }
    }
}

impl Workshop {
    /// Of this section; nothing is fetched before the first request.
    pub fn new(section: &str) -> Self {
        let state = State { section: section.to_owned(), worker: None, last_id: 0, waiting: Vec::new() };
        Self(Rc::new(RefCell::new(state)))
    }

    /// Asks the workshop; `done` gets the JSON of the answer, or why there is none. It is called later, and once for each
    /// answer: there are several where the workshop says how far it is.
    ///
    /// Files that go along are handles: nothing of them is read here.
    pub fn ask(&self, kind: &str, ask: &JsValue, files: &JsValue, done: Done) {
        let mut state = self.0.borrow_mut();
        if state.worker.is_none() {
            match start(&Rc::downgrade(&self.0), &state.section, Place::Apart) {
                Ok(running) => state.worker = Some(running),
                Err(error) => {
                    drop(state);
                    return done(Err(error));
                }
            }
        }
        state.last_id += 1;
        let id = state.last_id;
        let message =
            object(&[("id", id.into()), ("kind", kind.into()), ("ask", ask.clone()), ("files", files.clone())]);
        if let Some(running) = state.worker.as_ref().filter(|running| running.ready) {
            running.port.post_message(&message).ok();
        }
        state.waiting.push(Request { id, message, done });
    }
}

/// Where the program runs.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// In a worker, or in the page if there can be none.
    Apart,
    InPage,
}

/// Starts the worker that the page's script element names, or the same program in the page.
fn start(state: &Weak<RefCell<State>>, section: &str, place: Place) -> Result<Running, WorkshopError> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or(WorkshopError::NotInPage)?;
    let url = document
        .query_selector("script[data-workshop]")
        .ok()
        .flatten()
        .and_then(|script| script.get_attribute("data-workshop"))
        .ok_or(WorkshopError::NotInPage)?
        .replace('?', &["?", section, "&"].concat());
    let refused = |error: JsValue| WorkshopError::NotStarted(sentence(&error));
    let worker = if place == Place::Apart { Worker::new(&url).ok() } else { None };
    let (port, worker, failing): (MessagePort, _, EventTarget) = match worker {
        Some(worker) => (worker.clone().unchecked_into(), Some(worker.clone()), worker.into()),
        None => {
            let channel = MessageChannel::new().map_err(refused)?;
            let name = ["workshopPort-", section].concat();
            Reflect::set(&js_sys::global(), &name.into(), &channel.port2()).ok();
            let script = document.create_element("script").map_err(refused)?;
            script.set_attribute("src", &url).ok();
            document.query_selector("head").ok().flatten().and_then(|head| head.append_child(&script).ok());
            channel.port1().start();
            (channel.port1(), None, script.into())
        }
    };
    let (heard, failed) = (state.clone(), state.clone());
    let listeners = [
        EventListener::new(&port, "message", move |event| on_message(&heard, event)),
        EventListener::new(&failing, "error", move |event| on_error(&failed, event)),
    ];
    Ok(Running { port, worker, ready: false, _listeners: listeners })
}

fn on_message(state: &Weak<RefCell<State>>, event: &Event) {
    let (Some(state), Some(event)) = (state.upgrade(), event.dyn_ref::<MessageEvent>()) else { return };
    let answer = event.data();
    if field(&answer, "ready").is_truthy() {
        let mut state = state.borrow_mut();
        let State { worker: Some(running), waiting, .. } = &mut *state else { return };
        running.ready = true;
        for request in waiting {
            running.port.post_message(&request.message).ok();
        }
        return;
    }
    let last = !field(&answer, "more").is_truthy();
    let Some(done) = waiting(&state, &field(&answer, "id"), last) else { return };
    let payload = text(&answer, "payload");
    let outcome = if field(&answer, "ok").is_truthy() { Ok(payload) } else { Err(WorkshopError::Refused(payload)) };
    done(outcome);
}

/// Who waits for this answer; after the last one no longer. The borrow ends here, so that whoever is told may ask again.
fn waiting(state: &RefCell<State>, id: &JsValue, last: bool) -> Option<Done> {
    let waiting = &mut state.borrow_mut().waiting;
    let at = waiting.iter().position(|request| id.as_f64() == Some(f64::from(request.id)))?;
    if last { Some(waiting.remove(at).done) } else { waiting.get(at).map(|request| Rc::clone(&request.done)) }
}

fn on_error(state: &Weak<RefCell<State>>, event: &Event) {
    let Some(state) = state.upgrade() else { return };
    // A script that could not be fetched gives an event without a message.
    let why = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
    let waiting = {
        let mut here = state.borrow_mut();
        let ended = here.worker.take();
        // A worker that never came to be ready may not have been allowed what the page is.
        if ended.is_some_and(|ended| ended.worker.is_some() && !ended.ready)
            && let Ok(running) = start(&Rc::downgrade(&state), &here.section, Place::InPage)
        {
            here.worker = Some(running);
            return;
        }
        mem::take(&mut here.waiting)
    };
    for request in waiting {
        (request.done)(Err(WorkshopError::Died(why.clone())));
    }
}

fn sentence(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message())).unwrap_or_default()
}

//! Nothing is replaced under a pressed pointer: there is a click only where what was pressed is what is let go.
//!
//! Whoever types and then presses a link leaves the field first, and the answer to that arrives before the finger is up.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use leptos::prelude::window;
use web_sys::Element;

use super::dom;

/// Whether something within a section is pressed, and what waits until it is not.
#[derive(Default)]
pub struct Press {
    down: Cell<bool>,
    waiting: RefCell<Vec<Box<dyn FnOnce()>>>,
}

impl Press {
    /// Watches these elements for as long as the page is open.
    pub fn watch(elements: &[Element]) -> Rc<Self> {
        let press = Rc::new(Self::default());
        for element in elements {
            let press = Rc::clone(&press);
            dom::on(element, "pointerdown", move |_| press.down.set(true));
        }
        // A menu or a drag that begins may swallow what ends the press.
        for kind in ["pointerup", "pointercancel", "contextmenu", "blur"] {
            let press = Rc::clone(&press);
            dom::on(&window(), kind, move |_| {
                if press.down.replace(false) {
                    let press = Rc::clone(&press);
                    // The click follows in the same turn.
                    Timeout::new(0, move || press.waiting.take().into_iter().for_each(|act| act())).forget();
                }
            });
        }
        press
    }

    /// Does this now, or when nothing is pressed any more, after what waits for that already.
    pub fn when_released(&self, act: Box<dyn FnOnce()>) {
        let mut waiting = self.waiting.borrow_mut();
        if self.down.get() || !waiting.is_empty() {
            return waiting.push(act);
        }
        drop(waiting);
        act();
    }
}

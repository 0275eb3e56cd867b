//! The address bar and the link to send. The bar follows the scenario, and the scenario follows Back and Forward.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use web_sys::{Element, HtmlInputElement};

use super::dom;
use super::state::State;
use crate::browser::{clipboard, history, page};
use crate::scenario::query::{decode, encode};

/// Milliseconds within which edits make one change of the bar; Safari allows 100 changes in 30 s.
const SETTLE: u32 = 300;

/// Binds all of it.
pub fn bind(state: State) {
    dom::on(&window(), "popstate", move |_| state.follow_address());
    let (Some(field), Some(button), Some(said)) = (
        dom::by_id::<HtmlInputElement>("address"),
        dom::by_id::<Element>("copy-address"),
        dom::by_id::<Element>("share-said"),
    ) else {
        return;
    };
    let (shown, silent) = (field.clone(), said.clone());
    let mut timer: Option<Timeout> = None;
    let mut theme = None;
    State::watch(Box::new(move |first| {
        let query = state.scenario.with(encode);
        // Only where it changed: the page around an embed may have set another one since.
        let wanted = state.scenario.with(|scenario| scenario.view.theme);
        if theme != wanted {
            theme = wanted;
            page::set_root("data-theme", theme);
        }
        dom::set_text(&silent, "");
        // Dropping the older timer cancels it.
        timer.take();
        // Nothing is written on first load: it would break Back.
        if first {
            return shown.set_value(&history::address(&query));
        }
        let shown = shown.clone();
        timer = Some(Timeout::new(SETTLE, move || {
            shown.set_value(&history::address(&query));
            write(&query);
        }));
    }));
    dom::on(&button, "click", move |_| {
        let (field, said) = (field.clone(), said.clone());
        let address = history::address(&state.scenario.with_untracked(encode));
        field.set_value(&address);
        let copied = move |worked: bool| {
            if !worked {
                // Selecting is what is left where the browser lends no clipboard.
                field.select();
            }
            dom::set_text(&said, if worked { "Copied." } else { "Selected: press Ctrl C or ⌘ C." });
        };
        clipboard::copy(&address, Box::new(copied));
    });
    dom::enable(&button);
}

/// Brings the bar up to date with the scenario's query.
pub fn write(query: &str) {
    // Already there after a preset, or after Back.
    if query != encode(&decode(&history::query()).scenario) {
        // Refused means that the bar is stale; the share field still has the address.
        history::replace(query).ok();
    }
}

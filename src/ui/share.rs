//! The address of this scenario, to be sent.

use leptos::prelude::*;

use super::state::State;
use crate::browser::{clipboard, history};
use crate::scenario::query::encode;

/// The section.
#[component]
pub fn Share() -> impl IntoView {
    let state = State::here();
    let address = Memo::new(move |_| history::address(&state.scenario.with(encode)));
    let said = RwSignal::new("");
    let field = NodeRef::<leptos::html::Input>::new();
    let copy = move |_| {
        clipboard::copy(&address.get_untracked(), move |worked| {
            if worked {
                said.set("Copied.");
            } else {
                // Selecting is what is left where the browser lends no clipboard.
                if let Some(field) = field.get_untracked() {
                    field.select();
                }
                said.set("Selected: press Ctrl C or ⌘ C.");
            }
        });
    };
    view! {
        <section class="share" id="share" aria-labelledby="share-title">
            <h2 id="share-title">"Send this state"</h2>
            <div class="share__line">
                <label for="address" class="unseen">"Address of this scenario"</label>
                <input node_ref=field id="address" type="text" readonly prop:value=address />
                <button type="button" id="copy-address" on:click=copy>"Copy link"</button>
            </div>
            <p class="share__said" role="status">{said}</p>
        </section>
    }
}

//! The living page: binds the delivered HTML to the model. Nothing here computes a number or knows a sentence.
//!
//! The markup stays what it was: elements name what they show (`crate::live`), and one effect keeps them true. The notices,
//! which grow and shrink, are a Leptos view mounted into its place; sections that open on demand are composed by the
//! workshop and only built here (`workbench`, `tree`).

mod address;
mod announce;
mod controls;
mod curve;
mod dom;
mod live;
mod notices;
mod presets;
mod press;
mod state;
mod terms;
mod tree;
mod turns;
mod workbench;

use leptos::prelude::*;

use crate::browser::page;
use notices::Notices;
use state::State;
use turns::Turns;

/// Takes over the delivered page, for as long as it is open.
pub fn start() {
    let Some(place) = dom::by_id("notices") else { return };
    leptos::mount::mount_to(place, App).forget();
    // The delivered numbers were those of the default scenario; these are the address's own.
    page::set_root("data-pending", None);
}

/// The page's state and everything bound to it; its own view is the one list that the markup cannot hold.
#[component]
fn App() -> impl IntoView {
    let state = State::from_address();
    let turns = Turns::default();
    live::bind(state, &turns);
    controls::bind(state);
    presets::bind(state);
    curve::bind(state, &turns);
    announce::bind(state);
    address::bind(state);
    terms::link();
    workbench::bind(state);
    view! { <Notices state=state /> }
}

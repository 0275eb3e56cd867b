//! What contradicts itself in the scenario, and what could not be read in the address.

use leptos::prelude::*;
use web_sys::{Element, HtmlElement};

use super::dom;
use super::state::State;
use crate::issue::Issue;

/// The list, inside its place on the page, which is hidden while there is nothing to say.
#[component]
pub fn Notices(
    /// The page's state.
    state: State,
) -> impl IntoView {
    let mut shown: Vec<Issue> = Vec::new();
    State::watch(Box::new(move |_| {
        let mut issues = state.address_issues.get();
        issues.extend(state.evaluation.with(|evaluation| evaluation.issues.clone()));
        if shown != issues {
            show(&issues);
            shown = issues;
        }
    }));
    view! { <p>"Not everything could be taken as it stands:"</p> <ul id="notices-list"></ul> }
}

/// Plain text in elements made by hand: a keyed Leptos list would be 5 kB of the download for a rare guest.
fn show(issues: &[Issue]) {
    let (Some(place), Some(list)) = (dom::by_id::<HtmlElement>("notices"), dom::by_id::<Element>("notices-list"))
    else {
        return;
    };
    place.set_hidden(issues.is_empty());
    list.set_text_content(None);
    for issue in issues {
        let Ok(item) = document().create_element("li") else { continue };
        item.set_text_content(Some(&[issue.field.as_str(), ": ", &issue.message].concat()));
        list.append_child(&item).ok();
    }
}

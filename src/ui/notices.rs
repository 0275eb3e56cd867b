//! What contradicts itself in the scenario, and what could not be read in the address.

use leptos::prelude::*;
use web_sys::HtmlElement;

use super::dom;
use super::state::State;
use crate::issue::Issue;

/// The list, inside its place on the page, which is hidden while there is nothing to say.
#[component]
pub fn Notices(
    /// The page's state.
    state: State,
) -> impl IntoView {
    let issues = Memo::new(move |_| {
        let mut issues = state.address_issues.get();
        issues.extend(state.evaluation.with(|evaluation| evaluation.issues.clone()));
        issues
    });
    let place = dom::by_id::<HtmlElement>("notices");
    State::watch(Box::new(move |_| {
        if let Some(place) = &place {
            place.set_hidden(issues.with(Vec::is_empty));
        }
    }));
    let item = |issue: Issue| view! { <li><code>{issue.field}</code> ": " {issue.message}</li> };
    view! {
        <p>"Not everything could be taken as it stands:"</p>
        <ul>{move || issues.get().into_iter().map(item).collect_view()}</ul>
    }
}

//! Sentences with terms in them.

use leptos::prelude::*;

use crate::text::{Rich as Text, Span};

/// A sentence: plain words, words that stand for a term, and code.
#[component]
pub fn Rich(
    /// The sentence.
    text: Signal<Text>,
) -> impl IntoView {
    move || text.get().0.into_iter().map(span).collect_view()
}

fn span(span: Span) -> AnyView {
    let Span { text, term, code } = span;
    match term {
        Some(term) => view! { <span class="term" data-term=term.slug()>{text}</span> }.into_any(),
        None if code => view! { <code>{text}</code> }.into_any(),
        None => text.into_any(),
    }
}

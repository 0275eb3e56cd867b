//! A number field that lets people type: it commits on change and Enter, reverts on Escape, and never eats a minus or a
//! point on the way.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::issue::IssueKind;
use crate::scenario::fields::range;
use crate::scenario::typed::understand;
use crate::text::FieldText;
use crate::{decimal, format};

/// One text input for a number, with what it understood or refused under it.
#[component]
pub fn NumberField(
    /// Which field.
    field: FieldText,
    /// The current value; nothing where the field is empty.
    value: Signal<Option<f64>>,
    /// Takes a committed value; nothing where the reader emptied an optional field.
    on_commit: Callback<Option<f64>>,
    /// Decimals that are always shown.
    decimals: u32,
    /// The field may be empty.
    #[prop(optional)]
    optional: bool,
    /// The input has no visible label of its own.
    #[prop(optional)]
    unlabelled: bool,
) -> impl IntoView {
    let id = ["field-", field.key].concat();
    let note_id = ["note-", field.key].concat();
    let note = RwSignal::new(String::new());
    let refused = RwSignal::new(false);
    let input = NodeRef::<leptos::html::Input>::new();
    let shown = move || value.get().map(|value| decimal::write_trimmed(value, 9, decimals)).unwrap_or_default();
    let revert = move || {
        if let Some(input) = input.get_untracked() {
            input.set_value(&untrack(shown));
        }
        note.set(String::new());
        refused.set(false);
    };
    let commit = move || {
        let Some(input) = input.get_untracked() else { return };
        let typed = input.value();
        if typed.trim() == untrack(shown) {
            return revert();
        }
        if optional && typed.trim().is_empty() {
            on_commit.run(None);
            return revert();
        }
        match understand(field.key, &typed) {
            Ok(understood) => {
                on_commit.run(Some(understood.value));
                revert();
                if understood.remarkable {
                    note.set(["understood as ", &decimal::write_trimmed(understood.value, 9, 0)].concat());
                }
            }
            Err(kind) => {
                note.set(refusal(field, kind));
                refused.set(true);
            }
        }
    };
    let on_keydown = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => commit(),
        "Escape" => revert(),
        _ => {}
    };
    let label = unlabelled.then_some([field.label, ", as a number"].concat());
    view! {
        <span class="number">
            <input
                node_ref=input
                id=id
                type="text"
                inputmode="decimal"
                autocomplete="off"
                spellcheck="false"
                aria-label=label
                aria-describedby=note_id.clone()
                aria-invalid=move || refused.get().then_some("true")
                prop:value=shown
                on:change=move |_| commit()
                on:keydown=on_keydown
            />
            <span class="number__unit">{field.unit}</span>
            <span class="number__note" id=note_id role="status" data-refused=move || refused.get().then_some("true")>{note}</span>
        </span>
    }
}

/// Why a typed text was refused, and what would do.
fn refusal(field: FieldText, kind: IssueKind) -> String {
    let range = range(field.key);
    let (least, most) = (decimal::write_trimmed(range.least, 3, 0), format::whole(range.most as i64));
    match kind {
        IssueKind::OutOfRange => [field.label, " must be above ", &least].concat(),
        _ if range.whole => ["not a whole number; from ", &least, " to ", &most].concat(),
        _ => ["not a number; from ", &least, " to ", &most].concat(),
    }
}

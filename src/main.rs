//! The page.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("The page runs in a browser: `cargo xtask serve`.");
}

#[cfg(target_arch = "wasm32")]
fn main() {
    use kv_budget::browser::worker::Workshop;
    use leptos::prelude::*;

    console_error_panic_hook::set_once();
    mount_to_body(|| {
        let (said, set_said) = signal(String::new());
        let workshop = Workshop::default();
        let ask = move |_| {
            workshop.ask("hello", "", move |answer| set_said.set(answer.unwrap_or_else(|error| error.to_string())))
        };
        view! { <button id="hello" on:click=ask>"Hello"</button> <p id="said">{said}</p> }
    });
}

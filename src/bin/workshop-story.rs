//! The workshop of "The story", run in a worker of the page.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This runs in a worker of the page: `cargo xtask serve`.");
}

#[cfg(target_arch = "wasm32")]
fn main() {
    use kv_budget::workshop;

    workshop::start(&[kv_budget::sections::STORY], None);
}

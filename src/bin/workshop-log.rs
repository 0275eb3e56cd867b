//! The workshop of "My log", run in a worker of the page.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This runs in a worker of the page: `cargo xtask serve`.");
}

#[cfg(target_arch = "wasm32")]
fn main() {
    use kv_budget::workshop::{self, Reader};

    workshop::start(&[kv_budget::sections::LOG], Some(Reader::LOGS));
}

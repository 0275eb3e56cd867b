//! The page: `cargo xtask serve` builds and shows it.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("The page runs in a browser: `cargo xtask serve`.");
}

#[cfg(target_arch = "wasm32")]
fn main() {
    kv_budget::browser::page::on_panic();
    kv_budget::ui::start();
}

//! The page.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("The page runs in a browser: `cargo xtask serve`.");
}

#[cfg(target_arch = "wasm32")]
fn main() {}

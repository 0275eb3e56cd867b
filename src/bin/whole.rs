//! The program of the single file: the page, and every section's workshop, in one. Run in a page it is the page; run in a
//! worker, or asked by a channel of the page where that may have no workers, it answers for the sections.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This runs in a browser: `cargo xtask build` makes kv-budget.html.");
}

#[cfg(target_arch = "wasm32")]
fn main() {
    use kv_budget::sections::EVERY;
    use kv_budget::workshop::{self, Reader};

    if workshop::is_asked(&EVERY) {
        workshop::start(&EVERY, Some(Reader::LOGS));
    } else {
        kv_budget::browser::page::on_panic();
        kv_budget::ui::start();
    }
}

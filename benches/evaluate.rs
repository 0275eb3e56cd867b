//! How long one evaluation takes.
fn main() {}

//! The workshop: a second binary, fetched when a reader opens "My log", "Plan" or "Other engines", and run in a worker.

fn main() {}

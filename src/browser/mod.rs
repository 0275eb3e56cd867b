//! The browser's doors, each opened once: every call returns a `Result`, since any browser may refuse any of them.

pub mod worker;

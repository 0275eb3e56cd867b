//! The part of the project's tool that its browser tests use too: the static file server.

pub mod server;

//! End-to-end tests of the built page in a real browser.
//!
//! A test is one call of [`browse()`]: it serves `dist/` under a sub-path, starts a browser with a fresh profile, hands the
//! test a [`Page`], and afterwards fails it for any console error, policy report or request to another origin, too.
//! `cargo xtask test-browser` runs them.
//!
//! [`page`] and [`mod@pointer`] are what a person does, [`look`] what a person sees. [`engine`] and [`driver`] know how a
//! browser is started, [`emulate`] and [`watch`] what each engine's driver can do beside WebDriver; everything else is plain
//! WebDriver. What an engine lacks is [`lacking`].
//! [`measure`] is the clock that is held to this page and to others.

pub mod axe;
pub mod browse;
pub mod driver;
pub mod emulate;
pub mod engine;
pub mod host;
pub mod hostile;
pub mod lacking;
pub mod look;
pub mod measure;
pub mod page;
pub mod pointer;
mod profile;
pub mod tree;
pub mod watch;
pub mod week;

pub use axe::Violation;
pub use browse::{Setting, browse, session};
pub use emulate::Media;
pub use engine::Engine;
pub use fantoccini::key::Key;
pub use host::Host;
pub use hostile::corpus;
pub use look::Place;
pub use page::Page;
pub use pointer::Mouse;
pub use week::{ANOTHER_RUN, Run, WEEK};

/// What a step of a test gives: trouble is told in a sentence.
pub type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

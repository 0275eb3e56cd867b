//! KV Budget: the KV-cache memory budget of an SGLang server, explained and computed.
//!
//! Floors, an import only ever goes down:
//!
//! ```text
//! decimal, issue, units
//!   → format, budget, catalog
//!     → scenario, engines, plot, text
//!       → plan, logs, view, exports
//!         → sections → workshop
//!           → browser → ui → main
//! ```
//!
//! Everything above `browser` is a function from data to data and is tested natively; `browser` and `ui` exist only for
//! `wasm32`, and so do their dependencies.

pub mod budget;
pub mod catalog;
pub mod decimal;
pub mod engines;
pub mod exports;
pub mod format;
pub mod issue;
pub mod live;
pub mod logs;
pub mod plan;
pub mod plot;
pub mod scenario;
pub mod sections;
pub mod text;
pub mod units;
pub mod view;
pub mod workshop;

#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(target_arch = "wasm32")]
pub mod ui;

//! KV Budget: the KV-cache memory budget of an SGLang server, explained and computed.
//!
//! The library is a set of pure functions from data to data; the page, the command-line examples and the JavaScript module
//! are thin skins over it. Nothing fails: text from outside becomes values and [`issue::Issue`]s, any numbers become a
//! report.
//!
//! ```
//! use kv_budget::scenario::{evaluate, query::decode};
//!
//! let evaluation = evaluate(&decode("f=0.55&total=93.999&avail=21.697&cell=70272").scenario);
//! let report = &evaluation.report;
//! assert_eq!(report.verdict.id(), "cannot_start");
//! assert_eq!(report.breakdown.tokens.0, -314_803);
//! assert_eq!(report.band.suggested.map(|fraction| fraction.get()), Some(0.77));
//! ```
//!
//! # An order of reading
//!
//! 1. [`units`]: the quantities, with SGLang's own truncation and division.
//! 2. [`budget`]: the formula, the band of fractions that work, the difference between two runs.
//! 3. [`scenario`]: what a reader chose, and the address that carries it.
//! 4. [`engines`]: SGLang's rules beyond the subtraction ([`engines::sglang`]), and the same pool elsewhere.
//! 5. [`catalog`]: models, GPUs, and what a `config.json` says.
//! 6. [`plan`]: a server before it exists; [`logs`]: one after it died.
//! 7. [`plot`] and [`exports`]: what is drawn, and what a reader takes along.
//!
//! The rest belongs to the page: [`text`] and [`format`](mod@format) are what it says, [`live`] where it says so, [`view`],
//! [`sections`] and [`workshop`] what opens on demand; [`decimal`] reads and writes numbers at the price of a few hundred
//! bytes.
//!
//! Each rule names the file, function and release of the engine that it was read in. `docs/model.md` has all of them on
//! one page, with how each was checked and what is only estimated; `ARCHITECTURE.md` has the invariants.
//!
//! # Floors
//!
//! An import only ever goes down:
//!
//! ```text
//! decimal, issue, js, percent, units
//!   → format, budget, catalog
//!     → scenario, engines, plot, text
//!       → live, plan, logs, view, exports
//!         → sections → workshop
//!           → browser → ui → main
//! ```
//!
//! `js`, `browser` and `ui` exist only for `wasm32`, and so do their dependencies; everything else is tested natively.

pub mod budget;
pub mod catalog;
pub mod decimal;
pub mod engines;
pub mod exports;
pub mod format;
pub mod issue;
#[cfg(target_arch = "wasm32")]
pub mod js;
pub mod live;
pub mod logs;
pub mod percent;
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

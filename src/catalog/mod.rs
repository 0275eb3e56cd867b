//! Tables of the world, plain rows each with its source: [`presets`] and further record of the worked [`case`], [`models`],
//! [`gpus`]; and what a model's `config.json` says about memory ([`config`], [`attention`], [`weights`]).
//!
//! A `config.json` is decided by its keys, never by a name, and what is not known is refused with its reason:
//!
//! ```
//! use kv_budget::catalog::{config, gpus, models};
//!
//! let reading = config::read(br#"{"model_type": "something-new"}"#);
//! assert!(reading.config.is_none() && !reading.issues.is_empty());
//!
//! assert_eq!(models::find("kimi-k2.5").map(|model| model.name), Some("moonshotai/Kimi-K2.5"));
//! assert_eq!(gpus::find("h200").map(|gpu| gpu.mib), Some(143_771));
//! ```

pub mod attention;
pub mod case;
pub mod config;
pub mod gpus;
mod hybrid;
pub mod json;
pub mod models;
pub mod presets;
pub mod weights;

//! Tables of the world: presets of the worked case, models, GPUs, plain rows, each with its source; and what a model's
//! `config.json` says about memory.

pub mod attention;
pub mod case;
pub mod config;
pub mod gpus;
mod hybrid;
pub mod json;
pub mod models;
pub mod presets;
pub mod weights;

<<<<<<< HEAD
//! Models and GPUs: what a `config.json` says about memory, and tables of the ones that people use, each row with its
//! source.

pub mod attention;
pub mod config;
mod hybrid;
pub mod json;
=======
//! Tables of the world: presets of the worked case, models, GPUs. Plain rows, each with its source.

pub mod presets;
>>>>>>> main

//! Tables of the world: presets of the worked case, models, GPUs. Plain rows, each with its source.

pub mod presets;

//! What besides the model decides the cell: release, layout, type of the cache, draft.

use crate::engines::sglang::Version;

/// The type of the KV cache, `--kv-cache-dtype`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KvDtype {
    /// The model's own type, or fp8 where the checkpoint asks for it.
    Auto,
    /// `bfloat16`, 2 bytes.
    Bfloat16,
    /// `float16`, 2 bytes.
    Float16,
    /// `fp8_e4m3`, 1 byte.
    Fp8E4m3,
    /// `fp8_e5m2`, 1 byte.
    Fp8E5m2,
    /// `fp4_e2m1`, half a byte and a scale for 16 elements.
    Fp4,
    /// `mxfp8`, 1 byte and a scale for 32 elements.
    Mxfp8,
}

impl KvDtype {
    /// Every type under the name that the flag takes.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("auto", Self::Auto),
        ("bfloat16", Self::Bfloat16),
        ("float16", Self::Float16),
        ("fp8_e4m3", Self::Fp8E4m3),
        ("fp8_e5m2", Self::Fp8E5m2),
        ("fp4_e2m1", Self::Fp4),
        ("mxfp8", Self::Mxfp8),
    ];

    /// The type of this name; `bf16`, `half` and `fp16` are understood too.
    pub fn parse(name: &str) -> Option<Self> {
        let name = match name {
            "bf16" => "bfloat16",
            "fp16" | "half" => "float16",
            other => other,
        };
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
    }

    /// The flag's spelling.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, dtype)| *dtype == self).map_or("auto", |(name, _)| name)
    }
}

/// What besides the model decides the cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellQuery {
    /// Whose rules.
    pub version: Version,
    /// `--tp-size`.
    pub tp: u64,
    /// `--pp-size`.
    pub pp: u64,
    /// `--dp-size` with data-parallel attention, else 1.
    pub dp: u64,
    /// `--kv-cache-dtype`.
    pub kv_dtype: KvDtype,
    /// Layers of the draft model; 0 without speculative decoding.
    pub draft_layers: u64,
    /// `--swa-full-tokens-ratio`.
    pub swa_ratio: f64,
}

impl Default for CellQuery {
    fn default() -> Self {
        let (version, kv_dtype) = (Version::NEWEST, KvDtype::Auto);
        Self { version, tp: 1, pp: 1, dp: 1, kv_dtype, draft_layers: 0, swa_ratio: SWA_RATIO }
    }
}

impl CellQuery {
    /// GPUs that share the KV heads of one request: tp divided by the data-parallel attention groups.
    pub fn attention_tp(&self) -> u64 {
        (self.tp.max(1) / self.dp.max(1)).max(1)
    }
}

/// The default of `--swa-full-tokens-ratio` (`server_args.py`, 0.5.9 and 0.5.23).
pub const SWA_RATIO: f64 = 0.8;

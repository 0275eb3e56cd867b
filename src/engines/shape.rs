//! The attention of a model as far as its KV cache goes: how many values a token leaves behind, and in how many bytes.

use crate::decimal;

/// How a layer's KV cache grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// K and V of every token in every layer (MHA, GQA, MQA).
    Full,
    /// One latent per token and layer (`kv_lora_rank + qk_rope_head_dim`), shared by all heads.
    Mla,
    /// Full layers beside sliding-window layers.
    HybridSwa,
    /// The same model with vLLM's hybrid manager switched off: every layer counts as full.
    HybridSwaDisabled,
}

impl Attention {
    /// The names that the `attn` column uses.
    pub const NAMES: [(&str, Self); 4] = [
        ("full", Self::Full),
        ("mla", Self::Mla),
        ("hybrid_swa", Self::HybridSwa),
        ("hybrid_swa_disabled", Self::HybridSwaDisabled),
    ];
}

/// How K and V values are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// Bytes per value as a sum of at most two fractions: `2`, `0.5+1/16`, `1+4/128`.
    PerValue(Terms),
    /// Bytes per token and layer, all values together: the `656` of `fp8_ds_mla`.
    PerToken(i64),
    /// K and V in different formats; the engine's own option says which.
    Mixed,
    /// Named row formats for K and V (llama.cpp, Ollama).
    Rows(RowType, RowType),
}

/// A sum of two fractions `number / of`, each rounded up to whole bytes on its own: data beside scales.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms(pub [(i64, i64); 2]);

impl Terms {
    /// Bytes of `values` values; `None` if they cannot be counted in 63 bits.
    pub fn bytes(self, values: i64) -> Option<i64> {
        let [first, second] = self.0;
        let one = |(number, of): (i64, i64)| Some(ceil_div(values.checked_mul(number)?, of));
        one(first)?.checked_add(one(second)?)
    }

    /// Whole bytes per value, nothing else.
    pub const fn whole(bytes: i64) -> Self {
        Self([(bytes, 1), (0, 1)])
    }

    /// The number of bytes as a decimal, for comparisons.
    pub fn per_value(self) -> f64 {
        self.0.iter().map(|&(number, of)| number as f64 / of as f64).sum()
    }
}

/// A cache type of llama.cpp (`-ctk`, `-ctv`): `ggml/src/ggml-common.h` at 0c1e57098. All but the plain ones store
/// blocks of 32 values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowType {
    /// As on the command line.
    pub name: &'static str,
    /// Bytes of 32 values.
    pub bytes_of_32: i64,
    /// Stored in blocks of 32, so a row must be a multiple of them.
    pub blocked: bool,
}

impl RowType {
    /// The types that llama.cpp accepts for its cache.
    pub const ALL: [Self; 9] = [
        Self { name: "f32", bytes_of_32: 128, blocked: false },
        Self { name: "f16", bytes_of_32: 64, blocked: false },
        Self { name: "bf16", bytes_of_32: 64, blocked: false },
        Self { name: "q8_0", bytes_of_32: 34, blocked: true },
        Self { name: "q4_0", bytes_of_32: 18, blocked: true },
        Self { name: "q4_1", bytes_of_32: 20, blocked: true },
        Self { name: "iq4_nl", bytes_of_32: 18, blocked: true },
        Self { name: "q5_0", bytes_of_32: 22, blocked: true },
        Self { name: "q5_1", bytes_of_32: 24, blocked: true },
    ];

    /// By name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.name == name).copied()
    }

    /// Bytes of one row of `values` values; `None` if a blocked type cannot hold them, or too many to count.
    pub fn row(self, values: i64) -> Option<i64> {
        if self.blocked && values % 32 != 0 {
            return None;
        }
        values.checked_mul(self.bytes_of_32).map(|bytes| ceil_div(bytes, 32))
    }
}

/// The attention shape of a model on the GPUs it runs on. Counts are of the whole model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Kind of attention.
    pub attention: Attention,
    /// Layers with a KV cache.
    pub layers: i64,
    /// KV heads; 1 for MLA.
    pub kv_heads: i64,
    /// Values of K per head; the whole latent for MLA.
    pub head_dim: i64,
    /// Values of V per head; ignored for MLA.
    pub head_dim_v: i64,
    /// Storage format.
    pub stored: Stored,
    /// Tensor-parallel size.
    pub tp: i64,
    /// Pipeline-parallel size.
    pub pp: i64,
}

impl Shape {
    /// Layers of the fullest pipeline stage.
    pub fn layers_of_stage(&self) -> i64 {
        ceil_div(self.layers, self.pp)
    }

    /// `max(1, heads // tp)`: heads are replicated past `tp`.
    pub fn heads_floor(&self) -> i64 {
        (self.kv_heads / self.tp).max(1)
    }

    /// `ceil(heads / tp)`.
    pub fn heads_ceil(&self) -> i64 {
        ceil_div(self.kv_heads, self.tp)
    }

    /// Values per token and layer on one rank that holds `heads` heads.
    pub fn values_per_layer(&self, heads: i64) -> Option<i64> {
        match self.attention {
            Attention::Mla => Some(self.head_dim),
            _ => heads.checked_mul(self.head_dim.checked_add(self.head_dim_v)?),
        }
    }

    /// Bytes per token of one layer on one rank that holds `heads` heads; `None` where the format is not a number or
    /// the product cannot be counted.
    pub fn layer_bytes(&self, heads: i64) -> Option<i64> {
        self.bytes_of_layers(1, heads)
    }

    /// Bytes per token of `layers` layers on one rank that holds `heads` heads.
    pub fn bytes_of_layers(&self, layers: i64, heads: i64) -> Option<i64> {
        match self.stored {
            Stored::PerValue(terms) => terms.bytes(layers.checked_mul(self.values_per_layer(heads)?)?),
            Stored::PerToken(bytes) => layers.checked_mul(bytes),
            Stored::Mixed | Stored::Rows(..) => None,
        }
    }
}

/// `ceil(number / of)` for `of` above zero; rounds up on both sides of zero.
pub fn ceil_div(number: i64, of: i64) -> i64 {
    number.div_euclid(of) + i64::from(number.rem_euclid(of) != 0)
}

/// Reads the `kv_bytes_per_elem` column: `2`, `0.5`, `1+4/128`, `0.5+1/16`, `656/token`, `mixed`, `f16/f16`, `q8_0`.
pub fn read_stored(text: &str) -> Option<Stored> {
    if text == "mixed" {
        return Some(Stored::Mixed);
    }
    if let Some(bytes) = text.strip_suffix("/token") {
        return whole(bytes).filter(|bytes| *bytes > 0).map(Stored::PerToken);
    }
    let (k, v) = text.split_once('/').unwrap_or((text, text));
    if let (Some(k), Some(v)) = (RowType::from_name(k), RowType::from_name(v)) {
        return Some(Stored::Rows(k, v));
    }
    let (first, second) = text.split_once('+').unwrap_or((text, "0"));
    let terms = Terms([fraction(first)?, fraction(second)?]);
    (terms.per_value() > 0.0).then_some(Stored::PerValue(terms))
}

/// `4/128`, `0.5` or `2` as whole numerator and denominator.
fn fraction(text: &str) -> Option<(i64, i64)> {
    let (number, of) = text.split_once('/').unwrap_or((text, "1"));
    let of = whole(of).filter(|of| (1..=65_536).contains(of))?;
    let value = decimal::read(number).ok().filter(|value| (0.0..=65_536.0).contains(value))?;
    // No format is finer than a millionth of a byte per value; as whole numbers the sums stay exact.
    let millionths = (value * 1e6).round();
    if (millionths / 1e6 - value).abs() > 1e-9 {
        return None;
    }
    Some(if value.fract() == 0.0 { (value as i64, of) } else { (millionths as i64, of * 1_000_000) })
}

fn whole(text: &str) -> Option<i64> {
    let value = decimal::read(text).ok()?;
    (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, values: i64) -> Option<i64> {
        match read_stored(text)? {
            Stored::PerValue(terms) => terms.bytes(values),
            _ => None,
        }
    }

    #[test]
    fn formats_count_whole_bytes_per_term() {
        assert_eq!(bytes("2", 576), Some(1152));
        assert_eq!(bytes("2.0", 576), Some(1152));
        assert_eq!(bytes("0.5", 129), Some(65));
        assert_eq!(bytes("0.5625", 65_536), Some(36_864));
        assert_eq!(bytes("0.5+1/16", 65_536), Some(36_864), "TensorRT-LLM nvfp4");
        assert_eq!(bytes("1.0+4/128", 128), Some(132));
        assert_eq!(read_stored("656/token"), Some(Stored::PerToken(656)));
        assert_eq!(read_stored("mixed"), Some(Stored::Mixed));
        for text in ["", "0", "-2", "1/0", "2+", "fp7", "f16/xx", "1e3", "2/token/3", "0/token"] {
            assert_eq!(read_stored(text), None, "{text}");
        }
    }

    #[test]
    fn rows_of_llama_cpp() {
        let row = |name: &str, values| RowType::from_name(name).unwrap().row(values);
        assert_eq!(row("f16", 1024), Some(2048));
        assert_eq!(row("q8_0", 1024), Some(1088));
        assert_eq!(row("q4_0", 1024), Some(576));
        assert_eq!(row("q5_1", 1024), Some(768));
        assert_eq!(row("q8_0", 80), None, "blocks of 32");
        assert_eq!(row("f16", 80), Some(160));
    }
}

//! KV bytes per token and GPU in every engine for one attention shape: where they differ from SGLang's, and why.

use serde::Serialize;

use super::facts::Engine;
use super::lmdeploy;
use super::lmdeploy::ages::Age;
use super::mlc;
use super::outcome::Outcome;
use super::shape::{Attention, RowType, Shape, Stored, Terms};
use super::tensorrt_llm;
use super::tgi;

/// Bytes of one token's KV cache on one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cell {
    /// The bytes; `None` where the engine's rule for this shape is not known.
    pub bytes: Option<f64>,
    /// Whether SGLang takes the same.
    pub same: bool,
    /// Why, where it differs or is not known; empty where it is the same.
    pub why: &'static str,
}

/// Four bits and one byte of scale for 16 values: SGLang's `fp4_e2m1`, and nvfp4 elsewhere.
pub const FP4: Stored = Stored::PerValue(Terms([(1, 2), (1, 16)]));

/// Tokens that a block of LMDeploy holds; its rows are padded block by block.
const LMDEPLOY_BLOCK: i64 = 64;

/// Bytes per token on the fullest rank, as `engine` lays them out.
pub fn cell(engine: Engine, shape: &Shape) -> Cell {
    let (bytes, why) = bytes(engine, shape);
    let same = bytes.is_some() && bytes == plain(shape);
    Cell { bytes, same, why: if same { "" } else { why } }
}

/// SGLang's and vLLM's: own layers × heads of the rank × values × bytes.
fn plain(shape: &Shape) -> Option<f64> {
    let windows = matches!(shape.attention, Attention::HybridSwa);
    let bytes = shape.bytes_of_layers(shape.layers_of_stage(), shape.heads_floor()).filter(|_| !windows)?;
    Some(bytes as f64)
}

fn bytes(engine: Engine, shape: &Shape) -> (Option<f64>, &'static str) {
    let mla = shape.attention == Attention::Mla;
    match engine {
        Engine::LmdeployPytorch | Engine::LmdeployTurbomind | Engine::Tgi if shape.pp > 1 => {
            (None, "It has no pipeline parallelism.")
        }
        Engine::Sglang => (plain(shape), HYBRID),
        Engine::Vllm if mla && shape.stored == FP4 => (
            shape.layers_of_stage().checked_mul(352).map(|bytes| bytes as f64),
            "Its nvfp4_ds_mla layout takes 352 bytes a layer.",
        ),
        Engine::Vllm => (plain(shape), HYBRID),
        Engine::TensorrtLlm => (
            tensorrt_llm::pool_bytes_per_token(shape).filter(|_| plain(shape).is_some()).map(|bytes| bytes as f64),
            "KV heads per rank are rounded up, not down.",
        ),
        Engine::LmdeployPytorch | Engine::LmdeployTurbomind if shape.stored == FP4 => four_bits(shape, mla),
        Engine::LmdeployPytorch => {
            let block = lmdeploy::pytorch_block(None, shape, LMDEPLOY_BLOCK, Age::NEWEST, &mut Outcome::default());
            let bytes = block.filter(|_| plain(shape).is_some()).map(|block| block as f64 / LMDEPLOY_BLOCK as f64);
            (bytes, "Each row of a block is rounded up to 256 bytes.")
        }
        Engine::LmdeployTurbomind => {
            let one_byte = shape.stored == Stored::PerValue(Terms::whole(1));
            if one_byte && !mla {
                let stored = Stored::PerValue(Terms([(1, 1), (4, shape.head_dim)]));
                let why = "It has no fp8 cache: int8 keeps two 16-bit scales beside K and V of every head.";
                (plain(&Shape { stored, ..*shape }), why)
            } else {
                (plain(shape), HYBRID)
            }
        }
        Engine::Tgi if shape.stored == FP4 => (None, "It has no 4-bit cache."),
        Engine::Tgi if mla => (None, "It keeps K and V of every head, not the latent: many times as much."),
        Engine::Tgi if shape.attention == Attention::HybridSwa => (None, HYBRID),
        Engine::Tgi if shape.kv_heads > 1 && shape.kv_heads < shape.tp => (None, "It refuses more GPUs than KV heads."),
        Engine::Tgi => (
            tgi::bytes_per_token(shape).map(|bytes| bytes as f64),
            "K and V take the size of a K head each, whatever V needs.",
        ),
        Engine::LlamaCpp | Engine::Ollama => llama(shape),
        Engine::MlcLlm if shape.attention != Attention::Full => (None, "Its rule for this attention was not read."),
        Engine::MlcLlm if shape.kv_heads % shape.tp != 0 => (None, "It refuses KV heads that do not divide evenly."),
        Engine::MlcLlm => {
            (mlc::bytes_per_token(shape), "It always counts 2 bytes per value, and 1.25 bytes of bookkeeping.")
        }
    }
}

/// LMDeploy's nearest 4-bit format.
fn four_bits(shape: &Shape, mla: bool) -> (Option<f64>, &'static str) {
    if mla {
        return (None, "Its 4-bit layout for MLA was not read.");
    }
    let stored = Stored::PerValue(Terms([(1, 2), (4, shape.head_dim)]));
    (
        plain(&Shape { stored, ..*shape }),
        "It has no fp4 cache: int4 keeps two 16-bit scales beside K and V of every head.",
    )
}

const HYBRID: &str =
    "Full and sliding layers share one pool, so a token has no fixed size; it depends on the request length.";

/// llama.cpp splits layers over GPUs, not heads, and holds every value once.
fn llama(shape: &Shape) -> (Option<f64>, &'static str) {
    let Some(row) = row_type(shape.stored) else {
        return (None, "It has no cache type for this format.");
    };
    if shape.attention == Attention::HybridSwa {
        return (None, "Sliding layers get a smaller cache of their own, so a token has no fixed size.");
    }
    let layer = match shape.attention {
        Attention::Mla => row.row(shape.head_dim),
        _ => {
            let values = |dim: i64| dim.checked_mul(shape.kv_heads).and_then(|values| row.row(values));
            values(shape.head_dim).and_then(|k| k.checked_add(values(shape.head_dim_v)?))
        }
    };
    let whole = layer.and_then(|bytes| bytes.checked_mul(shape.layers)).map(|bytes| bytes as f64);
    let why = match row.name {
        "q8_0" => {
            "The nearest type is q8_0, 34 bytes for 32 values; and layers, not heads, are split: this is for all GPUs together."
        }
        "q4_0" => {
            "The nearest type is q4_0, 18 bytes for 32 values; and layers, not heads, are split: this is for all GPUs together."
        }
        _ => "Layers, not heads, are split over GPUs and nothing is replicated: this is for all GPUs together.",
    };
    (whole, why)
}

/// The cache type of llama.cpp that stands for a format.
pub(super) fn row_type(stored: Stored) -> Option<RowType> {
    let name = match stored {
        Stored::PerValue(terms) if terms == Terms::whole(4) => "f32",
        Stored::PerValue(terms) if terms == Terms::whole(2) => "f16",
        Stored::PerValue(terms) if terms == Terms::whole(1) => "q8_0",
        four_bits if four_bits == FP4 => "q4_0",
        _ => return None,
    };
    RowType::from_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIMI: Shape = Shape {
        attention: Attention::Mla,
        layers: 61,
        kv_heads: 1,
        head_dim: 576,
        head_dim_v: 576,
        stored: Stored::PerValue(Terms::whole(2)),
        tp: 8,
        pp: 1,
    };

    const LLAMA: Shape = Shape {
        attention: Attention::Full,
        layers: 32,
        kv_heads: 8,
        head_dim: 128,
        head_dim_v: 128,
        stored: Stored::PerValue(Terms::whole(2)),
        tp: 1,
        pp: 1,
    };

    #[test]
    fn a_latent_is_the_same_almost_everywhere() {
        for engine in Engine::ALL {
            let cell = cell(engine, &KIMI);
            let unread = matches!(engine, Engine::Tgi | Engine::MlcLlm);
            assert_eq!(cell.bytes, (!unread).then_some(70_272.0), "{engine:?}");
            assert_eq!(cell.same, !unread, "{engine:?}");
        }
    }

    #[test]
    fn one_byte_is_not_one_byte_everywhere() {
        let fp8 = Shape { stored: Stored::PerValue(Terms::whole(1)), ..LLAMA };
        for (engine, bytes) in [
            (Engine::Sglang, 65_536.0),
            (Engine::Vllm, 65_536.0),
            (Engine::LmdeployPytorch, 65_536.0),
            // 32 layers × 8 heads × 2 × (128 + 4).
            (Engine::LmdeployTurbomind, 67_584.0),
            // 65,536 × 34 / 32.
            (Engine::LlamaCpp, 69_632.0),
            (Engine::MlcLlm, 131_073.25),
        ] {
            assert_eq!(cell(engine, &fp8).bytes, Some(bytes), "{engine:?}");
        }
    }

    #[test]
    fn four_bits_have_scales_of_many_kinds() {
        let fp4 = Shape { stored: FP4, ..LLAMA };
        for (engine, bytes) in [
            // 65,536 values: half of them in bytes, and one for 16.
            (Engine::Sglang, 36_864.0),
            (Engine::Vllm, 36_864.0),
            (Engine::TensorrtLlm, 36_864.0),
            // 32 layers × 8 heads × 2 × (64 + 4).
            (Engine::LmdeployPytorch, 34_816.0),
            (Engine::LmdeployTurbomind, 34_816.0),
            // 65,536 × 18 / 32.
            (Engine::LlamaCpp, 36_864.0),
            (Engine::MlcLlm, 131_073.25),
        ] {
            assert_eq!(cell(engine, &fp4).bytes, Some(bytes), "{engine:?}");
        }
        let latent = Shape { stored: FP4, ..KIMI };
        assert_eq!(cell(Engine::Sglang, &latent).bytes, Some(61.0 * (288.0 + 36.0)));
        assert_eq!(cell(Engine::Vllm, &latent).bytes, Some(61.0 * 352.0));
        for engine in [Engine::LmdeployPytorch, Engine::Tgi] {
            let cell = cell(engine, &latent);
            assert!(cell.bytes.is_none() && !cell.why.is_empty(), "{engine:?}");
        }
    }

    #[test]
    fn heads_split_differently() {
        let six = Shape { kv_heads: 6, tp: 4, ..LLAMA };
        assert_eq!(cell(Engine::Sglang, &six).bytes, Some(16_384.0), "one head");
        assert_eq!(cell(Engine::TensorrtLlm, &six).bytes, Some(32_768.0), "two heads");
        assert_eq!(cell(Engine::LlamaCpp, &LLAMA).bytes, Some(131_072.0));
        let hybrid = Shape { attention: Attention::HybridSwa, ..LLAMA };
        for engine in Engine::ALL {
            let cell = cell(engine, &hybrid);
            assert!(cell.bytes.is_none() && !cell.why.is_empty(), "{engine:?}");
        }
    }
}

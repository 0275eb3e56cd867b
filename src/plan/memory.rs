//! Memory before a server exists: what is free at init, and what the weights leave.

use crate::catalog::attention::{Attention, Softmax};
use crate::catalog::config::ModelConfig;
use crate::catalog::gpus::{Gpu, Link};
use crate::catalog::weights::{Encoding, Parameters, product};
use crate::units::{Bytes, Gib};

/// An amount with the half-width of its estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The best guess.
    pub gib: Gib,
    /// How far nearly all real servers were from it.
    pub half_width: Gib,
}

/// Free at init: the nameplate less driver, CUDA context and communication buffers.
///
/// Fitted to 25 start-up logs on 10 kinds of cards, 13 with the size of the group (2025-02 to 2026-11): one GPU loses 0.75 GiB and 0.35 % of its size;
/// in a group 0.5 GiB more go over the bus, 1.3 over NVLink and about 2.8 over Infinity Fabric.
pub fn total(gpu: &Gpu, ranks: u64) -> Estimate {
    let nameplate = Gib::from_mib(gpu.mib as f64);
    let alone = 0.75 + 0.0035 * nameplate.0;
    let (group, half_width) = match gpu.link {
        _ if ranks <= 1 => (0.0, 0.7),
        Link::Pcie => (0.5, 0.8),
        Link::NvLink => (1.3, 1.0),
        Link::Xgmi => (2.8, 3.0),
    };
    Estimate { gib: nameplate - Gib(alone + group), half_width: Gib(half_width) }
}

/// The weights of one GPU, on the pipeline rank that has most. `checkpoint` is `metadata.total_size` of
/// `model.safetensors.index.json`, where it is known; else the parameters of the config count. `None` where neither does.
///
/// 18 real servers differ by 1 to 2 % in the middle; checkpoints of four bits differ most.
pub fn weights(model: &ModelConfig, checkpoint: Option<Bytes>, tp: u64, pp: u64, dp: u64) -> Option<Estimate> {
    let shape = model.shape?;
    let parameters = Parameters::of(&model.attention, &model.layers, &shape, model.vision);
    // Without a known encoding the checkpoint's size scales 16-bit parameters down.
    let encoding = match (model.encoding, checkpoint) {
        (Some(encoding), _) => encoding,
        (None, Some(_)) => Encoding::Half,
        (None, None) => return None,
    };
    let scale = checkpoint.map_or(1.0, |bytes| bytes.0 as f64 / parameters.bytes(encoding));
    let loaded = parameters.bytes_per_gpu(encoding, tp, model.most_layers(pp), dp) * scale;
    let gib = Gib::from_bytes(loaded + rotary_bytes(model) + absorbed_bytes(model, tp, pp, dp));
    // Kernels for four bits pad and reorder; embeddings of such checkpoints are often stored twice.
    let share = if matches!(encoding, Encoding::Half | Encoding::Fp8) { 0.05 } else { 0.2 };
    Some(Estimate { gib, half_width: Gib(0.3 + share * gib.0) })
}

/// MLA keeps its key and value projections a second time, in 16 bits, to fold them into the query and the output.
fn absorbed_bytes(model: &ModelConfig, tp: u64, pp: u64, dp: u64) -> f64 {
    let (Some(shape), Attention::Latent(latent) | Attention::Sparse { latent, .. }) = (model.shape, model.attention)
    else {
        return 0.0;
    };
    let layers = model.most_layers(pp);
    let heads = shape.query_heads / (tp / dp.max(1)).max(1);
    product(&[layers, latent.rank, heads, shape.key_nope + shape.value_dim, 2])
}

/// The table of rotary positions, 32-bit, in every model that was measured: 64 MiB for Llama-3.1.
fn rotary_bytes(model: &ModelConfig) -> f64 {
    let width = match model.attention {
        Attention::Heads(heads)
        | Attention::Sliding { full: heads, .. }
        | Attention::Linear { full: Softmax::Heads(heads), .. } => heads.key_dim,
        Attention::Latent(latent)
        | Attention::Sparse { latent, .. }
        | Attention::Linear { full: Softmax::Latent(latent), .. } => latent.rope,
    };
    model.context.unwrap_or_default() as f64 * width as f64 * 4.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::models;

    /// By hand, from the widths of the config: layers 30 to 60 of DeepSeek-V3, which has 3 dense layers before 58 with
    /// experts, and the output head; in fp8 over 8 GPUs, the head in 16 bits.
    #[test]
    fn the_last_pipeline_rank_of_two_has_31_of_61_layers() {
        let model = models::find("deepseek-v3").expect("in the catalog").config();
        assert_eq!([1, 2, 3, 61, 100].map(|pp| model.most_layers(pp)), [61, 31, 21, 1, 1]);
        let attention = 1536 * 128 * (128 + 64) + 512 * 128 * (128 + 128) + 128 * 128 * 7168;
        let experts = (256 + 1) * 3 * 7168 * 2048_u64;
        let everywhere = 7168 * (1536 + 512 + 64) + 256 * 7168;
        let head = 129_280 * 7168 / 8 * 2;
        let rotary = 163_840 * 64 * 4;
        let absorbed = 31 * 512 * 16 * (128 + 128) * 2;
        let bytes = 31 * ((attention + experts) / 8 + everywhere) + head + rotary + absorbed;
        let estimate = weights(&model, None, 8, 2, 1).expect("known widths");
        assert!((estimate.gib.0 - Gib::from_bytes(bytes as f64).0).abs() < 1e-9, "{estimate:?}");
    }
}

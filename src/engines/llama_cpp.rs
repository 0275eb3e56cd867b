//! llama.cpp: no fraction but a length; the whole cache is allocated at start.
//!
//! Read at 0c1e57098 (`common/arg.cpp`, `src/llama-context.cpp`, `src/llama-kv-cache.cpp`, `src/llama-kv-cache-iswa.cpp`).

use super::extra::Key;
use super::facts::{Accepts, Base, Edge, EngineFacts, Knob, KnobDefault, Refusal, Remedy, Rounding, Trust};
use super::inputs::Inputs;
use super::outcome::Outcome;
use super::shape::{Attention, RowType, Shape, Stored, ceil_div};
use crate::issue::IssueKind;

/// Lengths are rounded up to this many cells.
pub const CELLS: i64 = 256;

/// llama.cpp in the shared vocabulary.
pub const FACTS: EngineFacts = EngineFacts {
    name: "llama.cpp",
    title: "llama.cpp",
    checked: "0c1e57098",
    trust: Trust::Read,
    sources: "common/arg.cpp, common/fit.cpp, src/llama-context.cpp, src/llama-kv-cache.cpp, ggml/src/ggml-common.h",
    knobs: &[Knob {
        name: "--ctx-size",
        flag: "-c ",
        base: Base::Tokens,
        less: &[],
        rounding: Rounding::TokensUp(CELLS),
        defaults: &[KnobDefault { since: "", value: Some(0.0) }],
        accepts: Accepts::WholeOrAuto,
    }],
    refusals: &[
        Refusal {
            text: "failed to allocate buffer for kv cache",
            remedy: Remedy::Lower,
            when: "The cache does not fit.",
        },
        Refusal {
            text: "quantized V cache requires flash_attn to be enabled",
            remedy: Remedy::Other,
            when: "V is quantized without flash attention.",
        },
    ],
    too_low: Edge::ShortensContext,
    too_high: Edge::SpillsToHost,
};

/// Sizes llama.cpp's cache. Blocks are cells; tokens are the cells of all slots together.
pub fn size(inputs: &Inputs) -> Outcome {
    let mut out = Outcome::default();
    fill(inputs, &mut out);
    out
}

fn fill(inputs: &Inputs, out: &mut Outcome) -> Option<()> {
    if !inputs.version.contains("0c1e57098") {
        out.note("version", IssueKind::UnknownValue, "Not read; the rule of 0c1e57098 is used.");
    }
    let shape = inputs.shape(out)?;
    let Stored::Rows(k, v) = shape.stored else {
        out.note("kv_bytes_per_elem", IssueKind::UnknownValue, "Cache types are named here: f16/f16, q8_0/q5_1 …");
        return None;
    };
    let asked = inputs.accepted_value(Some(0.0), out)? as i64;
    let asked =
        if asked == 0 { out.need(inputs.max_model_len.filter(|length| *length > 0), "max_model_len")? } else { asked };
    let (slots, unified) = slots(inputs);
    if slots > MOST_SLOTS {
        out.note("extra.np", IssueKind::OutOfRange, "n_seq_max must be <= 256; the engine refuses this.");
        return None;
    }
    let per_slot = cells(asked, slots, unified);
    let streams = if unified { 1 } else { slots };
    let total = out.count(per_slot.checked_mul(streams), "value")?;
    let layer = layer_bytes(&shape, k, v, out)?;
    let (full, sliding) = layers(inputs, &shape, out)?;
    let windowed = match out_window(inputs, sliding, out)? {
        0 => 0,
        window => {
            let reach = window.saturating_mul(if unified { slots } else { 1 });
            let batch = ubatch(inputs, out);
            pad(reach.saturating_add(batch).min(per_slot)).saturating_mul(streams)
        }
    };
    let bytes = full.checked_mul(total).and_then(|cells| cells.checked_add(sliding.checked_mul(windowed)?));
    out.kv_bytes = Some(out.count(bytes.and_then(|cells| cells.checked_mul(layer)), "layers")?);
    out.blocks = Some(total);
    out.tokens = Some(total);
    Some(())
}

/// Slots at most (`LLAMA_MAX_SEQ`).
const MOST_SLOTS: i64 = 256;

/// `-b` where it is not given: a physical batch is never larger (`llama_context`).
const BATCH: i64 = 2_048;

/// Tokens of a physical batch.
fn ubatch(inputs: &Inputs, out: &mut Outcome) -> i64 {
    let asked = inputs.extra.whole(Key::UBatch).unwrap_or(512);
    if asked > BATCH {
        let message = "More than -b, which is 2048 unless it is set; 2048 is used.";
        out.note("extra.n_ubatch", IssueKind::NotMeasured, message);
    }
    asked.min(BATCH)
}

/// Slots and whether they share one pool: with `-np` unset the server takes four that share.
fn slots(inputs: &Inputs) -> (i64, bool) {
    let given = inputs.extra.whole(Key::Slots);
    let unified = inputs.extra.flag(Key::Unified).unwrap_or(given.is_none());
    (given.unwrap_or(4), unified)
}

/// Cells of one stream: all of them if slots share, else an equal part, each rounded up.
pub(super) fn cells(asked: i64, slots: i64, unified: bool) -> i64 {
    let whole = pad(asked);
    if unified { whole } else { pad(whole / slots) }
}

fn pad(cells: i64) -> i64 {
    ceil_div(cells, CELLS).saturating_mul(CELLS)
}

/// Bytes of one cell in one layer; an issue where the types cannot hold it.
fn layer_bytes(shape: &Shape, k: RowType, v: RowType, out: &mut Outcome) -> Option<i64> {
    let bytes = if shape.attention == Attention::Mla {
        if k != v {
            out.note("kv_bytes_per_elem", IssueKind::Conflict, "With MLA there is no V; both types must be the same.");
            return None;
        }
        k.row(shape.head_dim)
    } else {
        let values = |dim: i64| dim.checked_mul(shape.kv_heads);
        let row = |row: RowType, dim: i64| if row.blocked && dim % 32 != 0 { None } else { row.row(values(dim)?) };
        row(k, shape.head_dim).and_then(|bytes| bytes.checked_add(row(v, shape.head_dim_v)?))
    };
    if bytes.is_none() {
        let message = "Quantized types store blocks of 32 values; the head size must be a multiple of them.";
        out.note("head_dim", IssueKind::OutOfRange, message);
    }
    bytes
}

/// Layers with the full length, and layers with a window.
fn layers(inputs: &Inputs, shape: &Shape, out: &mut Outcome) -> Option<(i64, i64)> {
    if shape.attention != Attention::HybridSwa || inputs.extra.flag(Key::SwaFull).unwrap_or(false) {
        return Some((shape.layers, 0));
    }
    let full = out.need(inputs.extra.whole(Key::FullLayers), "extra.n_full")?;
    let sliding = out.need(inputs.extra.whole(Key::WindowLayers), "extra.n_swa")?;
    if full + sliding != shape.layers {
        out.note("layers", IssueKind::Conflict, "Not the sum of n_full and n_swa.");
        return None;
    }
    Some((full, sliding))
}

/// The window, 0 where no layer has one.
fn out_window(inputs: &Inputs, sliding: i64, out: &mut Outcome) -> Option<i64> {
    if sliding == 0 { Some(0) } else { out.need(inputs.extra.whole(Key::Window), "extra.window") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rest: &str) -> Outcome {
        let query = "engine=llama.cpp&version=0c1e57098&layers=32&kv_heads=8&head_dim=128&";
        let (inputs, issues) = Inputs::read(&[query, rest].concat());
        assert_eq!(issues, []);
        size(&inputs.unwrap())
    }

    #[test]
    fn separate_slots_can_take_more_than_asked() {
        let out = answer("attn=full&kv_bytes_per_elem=f16/f16&value=4096&extra=np=3;kv_unified=0");
        // 4096 / 3 = 1365, padded to 1536, times 3.
        assert_eq!((out.blocks, out.kv_bytes), (Some(4608), Some(4608 * 131_072)));
    }

    #[test]
    fn windows_get_a_cache_of_their_own() {
        let query = "attn=hybrid_swa&kv_bytes_per_elem=f16/f16&value=8192&extra=np=1;kv_unified=1;n_full=8;n_swa=24;window=1024";
        // Sliding layers: pad256(min(8192, 1024 + 512)) = 1536 cells.
        assert_eq!(answer(query).kv_bytes, Some((8 * 8192 + 24 * 1536) * 4096));
        assert_eq!(answer(&[query, ";swa_full=1"].concat()).kv_bytes, Some(32 * 8192 * 4096));
        // A physical batch of 4096 is cut to the logical one: 1024 + 2048 = 3072 cells.
        let large = answer(&[query, ";n_ubatch=4096"].concat());
        assert_eq!((large.kv_bytes, large.issues.len()), (Some((8 * 8192 + 24 * 3072) * 4096), 1));
    }

    #[test]
    fn too_many_slots_are_refused() {
        assert_eq!(answer("attn=full&kv_bytes_per_elem=f16/f16&value=65536&extra=np=256").blocks, Some(65_536));
        assert_eq!(answer("attn=full&kv_bytes_per_elem=f16/f16&value=65536&extra=np=257").blocks, None);
    }

    #[test]
    fn impossible_types_are_named() {
        for (rest, field) in [
            ("attn=full&kv_bytes_per_elem=2&value=8192", "kv_bytes_per_elem"),
            ("attn=full&kv_bytes_per_elem=q8_0&value=8192&extra=head_dim_v=80", "head_dim"),
            ("attn=mla&kv_bytes_per_elem=f16/q8_0&value=8192", "kv_bytes_per_elem"),
        ] {
            let out = answer(rest);
            assert_eq!(out.kv_bytes, None);
            assert_eq!(out.issues.first().map(|issue| issue.field.as_str()), Some(field), "{rest}");
        }
    }
}

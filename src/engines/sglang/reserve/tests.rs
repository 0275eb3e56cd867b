//! Each part of the need against sizes worked out by hand.

use super::*;
use crate::catalog::models::find;

/// On the server that was measured: one Hopper GPU, 0.5.15.
const QUERY: NeedQuery = NeedQuery {
    cell: CellQuery {
        version: Version::new(0, 5, 15),
        tp: 1,
        pp: 1,
        dp: 1,
        kv_dtype: super::super::cell::KvDtype::Auto,
        draft_layers: 0,
        swa_ratio: 0.8,
    },
    tokens: Tokens(906_051),
    sliding_tokens: Tokens(0),
    page: 1,
    context: 131_072,
    requests: Requests { running: 2048, rows: 2048, table_bytes: 0 },
    speculative: false,
    chunk: 8192,
    max_bs: 256,
    prefill_graphs: true,
    hopper: true,
};

fn model(id: &str) -> ModelConfig {
    find(id).expect("in the catalog").config()
}

fn part(model: &ModelConfig, query: &NeedQuery, label: &str) -> Option<f64> {
    need(model, query).terms.into_iter().find(|term| term.label.contains(label)).map(|term| term.mib)
}

#[test]
fn the_table_of_requests_is_in_mebibytes() {
    // 2,049 rows × 131,076 × 4 bytes.
    assert_eq!(part(&model("llama-3.1-8b"), &QUERY, "req_to_token"), Some(1024.531265258789));
}

#[test]
fn every_tensor_of_the_pools_ends_at_two_mebibytes() {
    let rounding = |id: &str, query: &NeedQuery| part(&model(id), query, "allocator rounding");
    let at =
        |tp, page, tokens| NeedQuery { cell: CellQuery { tp, ..QUERY.cell }, page, tokens: Tokens(tokens), ..QUERY };
    // 22 MiB of index arrays; 32 layers of keys and 32 of values, 906,052 rows × 8 heads × 128 × 2 bytes each.
    assert_eq!(rounding("llama-3.1-8b", &at(1, 1, 906_051)), Some(45.5));
    // One of the eight heads, 64 tokens a page.
    assert_eq!(rounding("llama-3.1-8b", &at(8, 64, 906_048)), Some(72.0));
    // Fewer heads than GPUs: each keeps one.
    assert_eq!(rounding("llama-3.1-8b", &at(16, 1, 906_051)), Some(72.9375));
    // One tensor a layer: 61 × 159,172 rows × (512 + 64) × 2 bytes, on every GPU.
    assert_eq!(rounding("deepseek-v3", &at(8, 1, 159_171)), Some(90.83349609375));
    // 12 full layers and 12 with windows, each with a pool of its own length.
    let windows = |tp, sliding_tokens| NeedQuery { sliding_tokens: Tokens(sliding_tokens), ..at(tp, 1, 1_000_000) };
    assert_eq!(rounding("gpt-oss-20b", &windows(1, 800_000)), Some(74.453125));
    assert_eq!(rounding("gpt-oss-20b", &windows(2, 800_001)), Some(96.21484375));
}

#[test]
fn up_to_0_5_13_drafts_have_a_pool_of_their_own() {
    let model = model("deepseek-v3");
    let drafts = |patch, draft_layers, pp| {
        let cell = CellQuery { version: Version::new(0, 5, patch), draft_layers, pp, tp: 8, ..QUERY.cell };
        let query = NeedQuery { cell, tokens: Tokens(159_171), ..QUERY };
        part(&model, &query, "draft layers")
    };
    // 576 × 2 bytes a token and layer, as many tokens as the target's pool has.
    assert_eq!(drafts(9, 1, 1), Some(174.8704833984375));
    assert_eq!(drafts(13, 2, 1), Some(349.740966796875));
    assert_eq!(drafts(9, 1, 4), Some(174.8704833984375), "the draft is not split into stages");
    assert_eq!((drafts(9, 0, 1), drafts(14, 1, 1)), (None, None));
}

#[test]
fn only_servers_of_the_measured_kind_are_called_measured() {
    let measured = |id: &str, query: &NeedQuery| need(&model(id), query).measured;
    let cell = |cell: CellQuery| NeedQuery { cell, ..QUERY };
    assert!(measured("llama-3.1-8b", &QUERY));
    for (patch, known) in [(13, false), (14, true), (17, true), (19, false)] {
        let query = cell(CellQuery { version: Version::new(0, 5, patch), ..QUERY.cell });
        assert_eq!(measured("llama-3.1-8b", &query), known, "0.5.{patch}");
    }
    assert!(!measured("llama-3.1-8b", &cell(CellQuery { tp: 2, ..QUERY.cell })));
    assert!(!measured("llama-3.1-8b", &cell(CellQuery { pp: 2, ..QUERY.cell })));
    assert!(!measured("llama-3.1-8b", &NeedQuery { speculative: true, ..QUERY }));
    assert!(!measured("llama-3.1-8b", &NeedQuery { hopper: false, ..QUERY }));
    assert!(!measured("deepseek-v3.2", &QUERY), "no indexer was measured");
    assert!(!measured("kimi-k2.5", &QUERY), "no pictures were");
    let shapeless = ModelConfig { shape: None, ..model("llama-3.1-8b") };
    assert!(!need(&shapeless, &QUERY).measured);
}

#[test]
fn input_logprobs_take_two_rows_of_logits_a_token() {
    // 2 × 4 bytes × 128,256; for 8,000 tokens 7,828 MiB, of the 7,954 that were seen.
    assert_eq!(logprob_mib_per_token(128_256), 0.978515625);
}

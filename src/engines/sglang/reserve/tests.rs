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
    // 9 full layers of 4 heads, 39 windows of 8: rows of 1,536 and 3,072 bytes.
    assert_eq!(rounding("mimo-v2-flash", &windows(1, 800_000)), Some(62.0576171875));
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

/// Prefill graphs, decode graphs, the dip of the captures and ordinary requests, MiB to two decimals; 0 for a part that is
/// not there.
fn graphs(id: &str, query: &NeedQuery) -> [f64; 4] {
    let model = model(id);
    ["prefill graphs", "decode graphs", "low point", "ordinary requests"]
        .map(|label| (part(&model, query, label).unwrap_or(0.0) * 100.0).round() / 100.0)
}

#[test]
fn graphs_grow_with_the_chunk_the_batch_and_the_model() {
    // 320 + (0.54 × 32 × 4,096 + 5.6 × 14,336) × 8,192 / 2²⁰; 60 + 1.4 × 256; 320 + (0.96 × 32 × 4,096 + 11 × 14,336) × …
    // less both; 110 + 0.0065 × 8,192.
    assert_eq!(graphs("llama-3.1-8b", &QUERY), [1500.16, 418.4, 616.48, 163.25]);
    // Without chunks a prefill has 16,384 tokens.
    for chunk in [-1, 0, 16_384] {
        let query = NeedQuery { chunk, max_bs: 0, ..QUERY };
        assert_eq!(graphs("llama-3.1-8b", &query), [2680.32, 0.0, 2069.76, 216.5], "{chunk}");
    }
    // Prefill without graphs needs memory of its own: 0.155 × 8,192 + 60.
    let eager = NeedQuery { prefill_graphs: false, ..QUERY };
    assert_eq!(graphs("llama-3.1-8b", &eager), [0.0, 418.4, 0.0, 1329.76]);
    assert_eq!(graphs("llama-3.1-8b", &NeedQuery { max_bs: 0, ..eager }), [0.0, 0.0, 0.0, 1329.76]);
    // Four experts of 2,880: 9.6 and 16.5 bytes of their width.
    assert_eq!(graphs("gpt-oss-20b", &QUERY), [1475.6, 559.2, 288.6, 163.25]);
    // Eight experts of 2,048 and the shared one, over eight GPUs; decode graphs dip by 300 and are the lower point.
    let eight = NeedQuery { cell: CellQuery { tp: 8, ..QUERY.cell }, ..QUERY };
    assert_eq!(graphs("deepseek-v3", &eight), [2337.44, 1340.0, 300.0, 163.25]);
    assert_eq!(graphs("deepseek-v3", &NeedQuery { max_bs: 0, ..eight }), [2337.44, 0.0, 1558.92, 163.25]);
    // Without any graph nothing dips, and a part that is not there is not listed.
    let none = NeedQuery { max_bs: 0, prefill_graphs: false, ..eight };
    assert_eq!(graphs("deepseek-v3", &none), [0.0, 0.0, 0.0, 1329.76]);
    assert!(need(&model("deepseek-v3"), &none).terms.iter().all(|term| term.mib > 0.0));
    // 86 and 209 bytes of the hidden size.
    assert_eq!(graphs("qwen3-next-80b-a3b", &QUERY), [1696.0, 776.8, 1191.2, 163.25]);
}

#[test]
fn of_a_model_without_a_shape_graphs_are_taken_large_and_said_to_be_uncertain() {
    let model = ModelConfig { shape: None, ..model("llama-3.1-8b") };
    let prefill = need(&model, &QUERY).terms.into_iter().find(|term| term.label == "prefill graphs").expect("captured");
    // 320 + 150,000 × 8,192 / 2²⁰.
    assert_eq!((prefill.mib, prefill.provenance), (1491.875, Provenance::Estimated(1491.875)));
}

#[test]
fn the_start_needs_the_lowest_point_and_requests_come_on_top_of_what_is_kept() {
    let need = need(&model("llama-3.1-8b"), &QUERY);
    let near = |value: f64, expected: f64| (value - expected).abs() < 0.01;
    // Table 1,024.53, rounding 45.5, backend 140, graphs 1,500.16 and 418.4; the dip 616.48; requests 163.25.
    assert!(near(need.kept_mib, 3128.59), "{}", need.kept_mib);
    assert!(near(need.start_mib, 3745.07), "{}", need.start_mib);
    assert!(near(need.load_mib, 3291.84), "{}", need.load_mib);
    assert_eq!(need.mib(), need.start_mib);
}

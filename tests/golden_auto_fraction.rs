//! The automatic fraction, as SGLang's own functions computed it.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use kv_budget::engines::sglang::auto_fraction::AutoAnswer;

/// The query that a row stands for.
fn query(header: &csv::StringRecord, row: &csv::StringRecord) -> String {
    let mut pairs = Vec::new();
    for (key, value) in header.iter().zip(row).take(13) {
        match key {
            "multimodal" => {
                // `InternViT-6B (45x3200)`, `Qwen2.5-VL (attr depth=32 -> 24 assumed, 1280)`
                let numbers = value.rsplit_once('(').map(|(_, numbers)| numbers.trim_end_matches(')'));
                let last = numbers.and_then(|numbers| numbers.rsplit(' ').next());
                pairs.extend(last.map(|last| format!("vit={}", if last == "1280" { "24x1280" } else { last })));
            }
            _ if value.is_empty() => {}
            _ => pairs.push(format!("{key}={value}")),
        }
    }
    pairs.join("&")
}

#[test]
fn every_fraction_is_exact() {
    let path = format!("{}/tests/data/golden/auto_fraction.csv", env!("CARGO_MANIFEST_DIR"));
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let mut rows = 0;
    for row in reader.records().map(Result::unwrap) {
        let query = query(&header, &row);
        let answer = AutoAnswer::of(&query);
        let column = |name: &str| &row[header.iter().position(|column| column == name).unwrap()];
        let number = |name: &str| column(name).parse::<i64>().ok();
        let fraction: f64 = column("mem_fraction_static").parse().unwrap();
        assert_eq!(answer.fraction, Some(fraction), "{query}: {:?}", answer.terms);
        assert_eq!(Some(answer.chunked_prefill_size_resolved), number("chunked_prefill_size_resolved"), "{query}");
        assert_eq!(Some(answer.cuda_graph_max_bs_resolved as i64), number("cuda_graph_max_bs_resolved"), "{query}");
        let divided = number("chunked_prefill_size_after_dp_division");
        assert_eq!(Some(answer.chunked_prefill_size_after_dp_division), divided, "{query}");
        assert_eq!(Some(answer.num_decode_capture_bs as i64), number("num_decode_capture_bs"), "{query}");
        let sizes = answer.num_prefill_capture_sizes.map(|sizes| sizes as i64);
        assert_eq!(sizes, number("num_prefill_capture_sizes"), "{query}");
        assert_eq!(answer.prefill_graph_backend.unwrap_or(""), column("prefill_graph_backend_0.5.23"), "{query}");
        assert_eq!(answer.prefill_graph_max_tokens, number("prefill_graph_max_tokens_0.5.23"), "{query}");
        if answer.reserve_mib > 0.0 && answer.multimodal_factor.is_none() {
            let mib = column("gpu_mem_mib").parse::<f64>().unwrap();
            assert!(
                (1.0 - answer.reserve_mib / mib - fraction).abs() <= 0.0005 + 1e-9,
                "the terms must add up: {query}"
            );
        }
        rows += 1;
    }
    assert_eq!(rows, 870);
}

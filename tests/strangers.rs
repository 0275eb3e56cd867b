//! What strangers write neither ends the program nor gives a number that cannot be one.

use kv_budget::catalog::config::{self, ModelConfig};
use kv_budget::catalog::gpus::GPUS;
use kv_budget::engines::sglang::Version;
use kv_budget::engines::sglang::auto_fraction::AutoAnswer;
use kv_budget::engines::sglang::cell::{CellAnswer, CellQuery, KvDtype, cell};
use kv_budget::plan::{PlanQuery, back, outlook, plan};
use proptest::prelude::*;

/// Every key that a reader of configs looks at, and a few others.
const KEYS: [&str; 54] = [
    "num_hidden_layers",
    "num_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "v_head_dim",
    "hidden_size",
    "kv_lora_rank",
    "qk_rope_head_dim",
    "qk_nope_head_dim",
    "q_lora_rank",
    "index_topk",
    "index_head_dim",
    "index_kpool",
    "index_topk_freq",
    "indexer_types",
    "layer_types",
    "hybrid_layer_pattern",
    "swa_head_dim",
    "swa_num_key_value_heads",
    "attention_chunk_size",
    "no_rope_layer_interval",
    "linear_attn_config",
    "linear_num_value_heads",
    "linear_num_key_heads",
    "linear_key_head_dim",
    "linear_value_head_dim",
    "linear_conv_kernel_dim",
    "full_attention_interval",
    "mamba_num_heads",
    "mamba_head_dim",
    "ssm_state_size",
    "n_groups",
    "conv_kernel",
    "hybrid_override_pattern",
    "mamba_n_heads",
    "mamba_d_head",
    "mamba_d_state",
    "mamba_n_groups",
    "mamba_d_conv",
    "vocab_size",
    "intermediate_size",
    "moe_intermediate_size",
    "n_routed_experts",
    "num_experts_per_tok",
    "n_shared_experts",
    "first_k_dense_replace",
    "moe_layer_freq",
    "torch_dtype",
    "quantization_config",
    "vision_config",
    "text_config",
    "max_position_embeddings",
    "zero_expert_num",
];

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (1_u64..300).prop_map(|number| number.to_string()),
        2 => prop::sample::select(vec!["16777216", "1", "0", "-1", "2.5", "1e20", "null", "true", "\"M-M*\"", "[]", "{}"])
            .prop_map(str::to_owned),
        1 => Just(r#"["full_attention", "sliding_attention", "linear_attention"]"#.to_owned()),
        1 => Just(r#"{"full_attn_layers": [1], "kda_layers": [2], "num_heads": 4, "head_dim": 8}"#.to_owned()),
    ]
}

fn config_text() -> impl Strategy<Value = String> {
    prop::collection::vec((prop::sample::select(KEYS.to_vec()), value()), 0..8).prop_map(|pairs| {
        let base = r#""num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 64, "vocab_size": 100"#;
        pairs.iter().fold(format!("{{{base}"), |text, (key, value)| format!("{text}, \"{key}\": {value}")) + "}"
    })
}

fn query() -> impl Strategy<Value = CellQuery> {
    let version = prop::sample::select(Version::KNOWN.to_vec());
    let dtype = prop::sample::select(KvDtype::NAMES.map(|(_, dtype)| dtype).to_vec());
    (version, dtype, 0_u64..4096, 0_u64..4096, 0_u64..4096, 0_u64..9).prop_map(
        |(version, kv_dtype, tp, pp, dp, draft_layers)| CellQuery {
            version,
            kv_dtype,
            tp,
            pp,
            dp,
            draft_layers,
            ..CellQuery::default()
        },
    )
}

fn check_plan(model: &ModelConfig, query: &CellQuery, gpu: usize, context: u64) {
    let request = PlanQuery {
        version: query.version,
        tp: query.tp,
        pp: query.pp,
        dp: query.dp,
        kv_dtype: query.kv_dtype,
        draft_layers: Some(query.draft_layers),
        context: Some(context),
        ..PlanQuery::new(model, GPUS.get(gpu % GPUS.len()))
    };
    if let Ok(plan) = plan(&request) {
        assert!(plan.pool.pool_tokens.0 >= 0);
        assert!((0.0..=1.0).contains(&plan.edge.fraction) && (0.0..=1.0).contains(&plan.fraction.value.get()));
        let _ = (outlook(&request, &plan), back(&request, &plan, context));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn configs_give_a_cell_or_a_reason(text in config_text(), query in query(), gpu in 0_usize..99, context in 0_u64..u64::MAX) {
        let reading = config::read(text.as_bytes());
        match reading.config {
            None => prop_assert!(!reading.issues.is_empty()),
            Some(model) => {
                let cell = cell(&model, &query);
                prop_assert!(cell.bytes.is_some() || !cell.issues.is_empty());
                check_plan(&model, &query, gpu, context);
            }
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), flag in "\\PC{0,12}", value in "\\PC{0,12}") {
        let answer = CellAnswer::of([(flag.as_str(), value.as_str())], &bytes);
        prop_assert!(answer.bytes_per_token_per_gpu.is_some() || !answer.issues.is_empty());
    }

    #[test]
    fn any_line_is_answered(line in "\\PC*", key in "[a-z_]{1,20}", number in any::<i64>()) {
        for line in [line.clone(), format!("{key}={number}&tp={number}&{line}"), format!("gpu_mem_mib={number}&dp={number}")] {
            let answer = AutoAnswer::of(&line);
            prop_assert!(answer.fraction.map_or(!answer.issues.is_empty(), f64::is_finite));
        }
    }
}

//! What is read, and what is refused.

use super::*;

fn read_text(text: &str) -> Reading {
    read(text.as_bytes())
}

fn refusal(text: &str) -> String {
    let reading = read_text(text);
    assert_eq!(reading.config, None, "{text}");
    reading.issues.last().expect("a reason").message.clone()
}

const GQA: &str = r#""num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64"#;

fn with(more: &str) -> String {
    format!("{{{GQA}, {more}}}")
}

#[test]
fn unknown_attention_is_refused_by_name_with_the_keys_seen() {
    for (key, config) in [
        ("compress_ratios", with(r#""compress_ratios": [0, 4, 128, 4]"#)),
        ("attn_type_list", with(r#""attn_type_list": [1, 0, 0, 1]"#)),
        ("layer_types retention", with(r#""layer_types": ["retention", "full_attention", "x", "y"]"#)),
        ("num_kv_shared_layers", with(r#""num_kv_shared_layers": 2"#)),
        ("block_types", with(r#""block_types": ["recurrent", "recurrent", "attention"]"#)),
        ("attn_layer_period", with(r#""attn_layer_period": 8, "mamba_d_state": 16"#)),
        ("attention_type", with(r#""attention_type": "hyena""#)),
        ("index_topk", with(r#""index_topk": 2048"#)),
        ("kda_heads", with(r#""kda_heads": 8"#)),
        ("encoder-decoder", with(r#""is_encoder_decoder": true"#)),
        ("layer_group_size", with(r#""layer_group_size": 8"#)),
        ("use_cla", with(r#""use_cla": true, "cla_share_factor": 2"#)),
        ("blocksparse_block_size", with(r#""blocksparse_block_size": 64"#)),
        ("cross_attention_layers", with(r#""cross_attention_layers": [3, 8]"#)),
        (
            "attention_layers",
            with(r#""attention_layers": ["global", "local"], "attention_types": [[["global", "local"], 2]]"#),
        ),
    ] {
        let message = refusal(&config);
        assert!(message.contains(key), "{key}: {message}");
        assert!(message.contains("seen: ") && message.contains("num_key_value_heads"), "{message}");
    }
    let rwkv = refusal(r#"{"num_hidden_layers": 4, "hidden_size": 64, "attention_hidden_size": 64}"#);
    assert!(rwkv.contains("num_attention_heads is missing; seen: attention_hidden_size"), "{rwkv}");
    assert!(refusal("{}").contains("num_hidden_layers is missing; no key of an attention was seen"));
    assert!(refusal(r#"{"model_type": "llama"}"#).contains("num_hidden_layers is missing"));
}

#[test]
fn no_name_decides() {
    for name in ["DeepseekV3ForCausalLM", "MambaForCausalLM", "KimiK25ForConditionalGeneration"] {
        let config = with(&format!(r#""architectures": ["{name}"], "model_type": "mamba", "_name_or_path": "rwkv""#));
        let config = read_text(&config).config.expect("read");
        let heads = Heads { query_heads: 8, kv_heads: 2, key_dim: 64, value_dim: 64 };
        assert_eq!(config.attention, Attention::Heads(heads));
    }
}

#[test]
fn keys_that_say_nothing_do_not_refuse() {
    let config = with(r#""layer_types": null, "sliding_window": 4096, "mamba_d_state": 0, "linear_attn_config": null"#);
    assert!(read_text(&config).config.is_some());
    assert!(read_text(&with(r#""attn_type_list": [1, 1, 1, 1]"#)).config.is_some());
}

#[test]
fn nested_configs_are_found() {
    let inner = format!("{{{GQA}}}");
    for config in [
        format!(r#"{{"text_config": {inner}}}"#),
        format!(r#"{{"llm_config": {inner}, "num_hidden_layers": null}}"#),
        format!(r#"{{"thinker_config": {{"text_config": {inner}}}}}"#),
        format!(r#"{{"text_config": {{"vocab_size": 5}}, {GQA}}}"#),
    ] {
        let config = read_text(&config).config.expect("read");
        assert_eq!(config.layers, [Layer::Full; 4]);
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    for (number, kind) in [
        ("-4", IssueKind::OutOfRange),
        ("0", IssueKind::OutOfRange),
        ("4.5", IssueKind::NotANumber),
        ("\"4\"", IssueKind::NotANumber),
        ("1e18", IssueKind::OutOfRange),
        ("18446744073709551615", IssueKind::OutOfRange),
        ("2049", IssueKind::OutOfRange),
    ] {
        let text = format!(r#"{{"num_hidden_layers": {number}, "num_attention_heads": 8, "hidden_size": 64}}"#);
        let reading = read_text(&text);
        assert_eq!(reading.config, None, "{number}");
        assert_eq!(reading.issues.last().map(|issue| issue.kind), Some(kind), "{number}");
    }
    let tiny = r#"{"num_hidden_layers": 1, "num_attention_heads": 8, "hidden_size": 4}"#;
    assert!(refusal(tiny).contains("smaller"));
}

#[test]
fn the_vision_tower_of_kimi_goes_by_other_names() {
    let vision = |text: &str| read_text(&with(text)).config.expect("read").vision;
    let kimi = vision(r#""vision_config": {"vt_num_hidden_layers": 27, "vt_hidden_size": 1152}"#);
    assert_eq!(kimi, Some(Vision { layers: 27, hidden: 1152 }));
    let qwen = vision(r#""vision_config": {"depth": 32, "hidden_size": 1280}"#);
    assert_eq!(qwen, Some(Vision { layers: 24, hidden: 1280 }));
    assert_eq!(vision(r#""vision_config": null"#), None);
}

#[test]
fn falcon_keeps_one_head_and_longcat_two_layers_a_block() {
    let falcon = r#"{"num_hidden_layers": 2, "num_attention_heads": 71, "hidden_size": 4544, "num_kv_heads": 71,
                     "multi_query": true, "new_decoder_architecture": false}"#;
    let heads = Heads { query_heads: 71, kv_heads: 1, key_dim: 64, value_dim: 64 };
    assert_eq!(read_text(falcon).config.expect("read").attention, Attention::Heads(heads));
    let longcat = r#"{"num_layers": 28, "num_attention_heads": 64, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
                      "attention_method": "MLA", "zero_expert_num": 256, "mla_scale_q_lora": true}"#;
    assert_eq!(read_text(longcat).config.expect("read").layers.len(), 56);
}

#[test]
fn a_scaled_rope_lengthens_the_context() {
    let context = |more: &str| read_text(&with(more)).config.expect("read").context;
    assert_eq!(context(r#""max_position_embeddings": 8192"#), Some(8192));
    let scaled = r#""max_position_embeddings": 131072, "rope_scaling": {"rope_type": "linear", "factor": 8.0}"#;
    assert_eq!(context(scaled), Some(1_048_576));
    let llama = r#""max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}"#;
    assert_eq!(context(llama), Some(131_072));
    let done = r#""max_position_embeddings": 131072,
        "rope_scaling": {"type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096}"#;
    assert_eq!(context(done), Some(131_072));
    for odd in ["-1", "\"8\"", "1e300", "null"] {
        let odd = format!(r#""max_position_embeddings": 4096, "rope_scaling": {{"factor": {odd}}}"#);
        assert_eq!(context(&odd), Some(4096));
    }
}

#[test]
fn a_checkpoint_may_ask_for_an_fp8_cache() {
    let asked = |quantization: &str| {
        let reading = read_text(&with(&format!(r#""quantization_config": {{{quantization}}}"#)));
        (reading.config.expect("read").fp8_kv, reading.issues.len())
    };
    assert_eq!(asked(r#""quant_method": "fp8""#), (false, 0));
    assert_eq!(asked(r#""kv_cache_quant_algo": "FP8""#), (true, 0));
    let scheme = r#""kv_cache_scheme": {"type": "float", "num_bits": 8}"#;
    assert_eq!(asked(&format!(r#""quant_method": "modelopt", "quant_algo": "NVFP4", {scheme}"#)), (true, 0));
    assert_eq!(asked(&format!(r#""quant_method": "compressed-tensors", {scheme}"#)), (false, 0));
    assert_eq!(asked(r#""kv_cache_quant_algo": "NVFP4""#), (false, 1), "said, not silent");
}

#[test]
fn published_keys_beside_a_state_are_known() {
    let nemotron = with(
        r#""mamba_num_heads": 8, "mamba_head_dim": 64, "ssm_state_size": 16, "n_groups": 1, "conv_kernel": 4,
        "hybrid_override_pattern": "M-*E", "use_mamba_kernels": true, "mamba_ssm_cache_dtype": "float32""#,
    );
    assert!(read_text(&nemotron).config.is_some());
}

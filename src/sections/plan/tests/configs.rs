//! What is pasted, dropped or chosen: configs, and the index of a checkpoint.

use super::*;

#[test]
fn hostile_config_text_is_only_text() {
    let evil = "<img src=x onerror=alert(1)>";
    let config = format!(
        r#"{{"architectures": ["{evil}"], "model_type": "{evil}", "{evil}": "javascript:alert(1)", "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 256, "vocab_size": 1000, "quantization_config": {{"quant_method": "{evil}"}}}}"#
    );
    for text in [config.as_str(), evil, "{\"num_hidden_layers\": \"<script>\"}"] {
        let answer = answered("change", &ask("", &[("config", text), ("gpu", "h100")]));
        for part in answer.replace.iter().flat_map(|part| &part.view).filter_map(Node::element) {
            for element in part.elements() {
                let json = serde_json::to_value(element).expect("plain data");
                let attributes = json.get("attributes").map(ToString::to_string).unwrap_or_default();
                assert!(!attributes.contains('<') && !attributes.contains("javascript"), "{attributes}");
            }
        }
        assert!(!query(&answer).contains('<') && !query(&answer).contains("img"), "{}", query(&answer));
    }
}

#[test]
fn a_config_that_cannot_be_read_says_where() {
    let answer =
        answered("change", &ask("", &[("config", "{\n  \"num_hidden_layers\": 61,\n  oops\n}"), ("gpu", "h100")]));
    let said = text(&answer, "plan-note-config");
    assert!(said.contains("line 3 column 3"), "{said}");
    let invalid = ("plan-config".to_owned(), Attribute::AriaInvalid, Some("true".to_owned()));
    assert!(answer.set.contains(&invalid), "{:?}", answer.set);
    assert!(answer.announce.is_some_and(|words| words.contains("line 3")));
}

#[test]
fn a_config_counts_until_a_model_is_chosen() {
    let example = answered("example", &ask("", &[("gpu", "h100"), ("model", "phi-4")]));
    assert!(text(&example, "plan-result").contains("262,144 bytes for one token"), "Qwen3-32B");
    assert!(!query(&example).contains("model="), "{}", query(&example));
    assert!(example.set.contains(&("plan-model".to_owned(), Attribute::Value, Some(String::new()))));
    assert!(example.set.contains(&("plan-config".to_owned(), Attribute::Value, Some(EXAMPLE.to_owned()))));
    let used = Ask { by: "model".to_owned(), ..ask("", &[("gpu", "h100"), ("model", "phi-4"), ("config", EXAMPLE)]) };
    let chosen = answered("change", &used);
    assert!(query(&chosen).contains("model=phi-4"), "{}", query(&chosen));
    assert!(chosen.set.contains(&("plan-config".to_owned(), Attribute::Value, Some(String::new()))));
}

#[test]
fn a_file_is_read_as_a_config() {
    let asked = ask("", &[("gpu", "h100")]);
    let file = EXAMPLE.as_bytes();
    let answer = answer("file", &asked, Some(Ok(file))).expect("a verb");
    assert!(text(&answer, "plan-result").contains("262,144 bytes"));
    let large = vec![b' '; (MOST_BYTES + 1) as usize];
    let refused = super::answer("file", &asked, Some(Ok(&large))).expect("a verb");
    assert!(text(&refused, "plan-note-config").contains("longer than 8 MiB"));
    assert_eq!(super::answer("file", &asked, None), Some(Answer::default()));
}

#[test]
fn kept_numbers_outlive_a_config_that_cannot_be_read() {
    let now = "f=0.6&total=80&avail=40&gpu=h100";
    let pairs = [("gpu", "h100"), ("config", "{"), ("was-total", "80"), ("pin-total", "1"), ("was-f", "0.6")];
    let broken = answered("change", &ask(now, &pairs));
    let mut form = sent(&broken);
    form.extend(fields(&[("gpu", "h100"), ("config", EXAMPLE)]));
    let mended = answered(
        "change",
        &Ask { scenario: query(&broken).to_owned(), fields: form, by: String::new(), ..Ask::default() },
    );
    assert!(query(&mended).contains("total=80&"), "{}", query(&mended));
}

#[test]
fn the_index_of_a_checkpoint_gives_its_size() {
    // Of Qwen/Qwen3-32B, shortened: 65,524,246,528 bytes in all.
    let index =
        r#"{"metadata": {"total_size": 65524246528}, "weight_map": {"lm_head.weight": "model-00017.safetensors"}}"#;
    let pairs = [("model", "qwen3-32b"), ("gpu", "h100"), ("tp", "2")];
    let file = PLAN.answer;
    let given = file("file", &ask("", &pairs), Some(Ok(index.as_bytes()))).expect("a verb of the section");
    let set = |answer: &Answer, id: &str| {
        let found = answer.set.iter().rev().find(|(name, kind, _)| name == id && *kind == Attribute::Value);
        found.and_then(|(_, _, value)| value.clone())
    };
    assert_eq!(set(&given, "plan-size").as_deref(), Some("65524246528"));
    assert_eq!(set(&given, "plan-config"), None, "the model stays chosen from the list");
    // 65,524,246,528 / 2 bytes are 30.512 GiB on each GPU, and what is replicated.
    let typed = [pairs.as_slice(), &[("size", "65524246528")]].concat();
    let typed = answered("change", &Ask { by: "size".to_owned(), ..ask("", &typed) });
    assert_eq!(query(&given), query(&typed));
    // The same in the box for the config.
    let pasted = [pairs.as_slice(), &[("config", index)]].concat();
    let pasted = answered("change", &Ask { by: "config".to_owned(), ..ask("", &pasted) });
    assert_eq!(query(&pasted), query(&typed));
    assert_eq!(set(&pasted, "plan-config").as_deref(), Some(""));
}

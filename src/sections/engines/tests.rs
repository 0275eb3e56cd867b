//! The section, asked as the page asks it.

use std::collections::BTreeMap;

use super::*;
use crate::sections::ENGINES;

fn ask(verb: &str, scenario: &str, by: &str, fields: &[(&str, &str)]) -> Answer {
    let fields: BTreeMap<String, String> = fields.iter().map(|(key, text)| ((*key).into(), (*text).into())).collect();
    let ask = Ask { scenario: scenario.to_owned(), fields, by: by.to_owned(), ..Ask::default() };
    (ENGINES.answer)(verb, &ask, None).unwrap()
}

const WORKING: &str = "preset=baseline-0.88";

/// What is in a part: the part as one element.
fn part(answer: &Answer, into: &str) -> Element {
    div().all(answer.view(into).unwrap().into_iter().cloned())
}

fn row(answer: &Answer, id: &str) -> Element {
    part(answer, "engines-result").find(&["engines-row-", id].concat()).unwrap().clone()
}

fn flag(answer: &Answer, id: &str) -> Option<String> {
    let row = row(answer, id);
    let copied = row.elements().into_iter().find_map(|element| element.get(Attribute::DataCopy));
    copied.map(str::to_owned)
}

#[test]
fn the_worked_case_in_every_engine() {
    let answer = ask("open", WORKING, "", &[]);
    let intro = part(&answer, "engines-intro").plain();
    assert!(intro.starts_with("SGLang’s 0.88 leaves 10.417 GiB for the KV cache, 159,171 tokens."), "{intro}");
    for (id, expected) in [
        ("sglang", "--mem-fraction-static 0.88"),
        ("vllm", "--gpu-memory-utilization 0.89178"),
        ("vllm-bytes", "--kv-cache-memory-bytes 11185297429"),
        ("tensorrt-llm", "--kv_cache_free_gpu_memory_fraction 0.52887"),
        ("tensorrt-llm-cpp", "kv_cache_free_gpu_mem_fraction: 0.48012"),
        ("tensorrt-llm-tokens", "kv_cache_config: {max_tokens: 159168}"),
        ("lmdeploy-pytorch", "--cache-max-entry-count 0.52979"),
        ("lmdeploy-pytorch-0.9", "--cache-max-entry-count 0.70421"),
        ("lmdeploy-turbomind", "--cache-max-entry-count 0.48012"),
        // 0.10965 would be 2,486 blocks of 64, one too few: a sixth decimal.
        ("lmdeploy-turbomind-0.2", "--cache-max-entry-count 0.109654"),
        ("tgi-0.95", "--cuda-memory-fraction 0.94981"),
        ("llama.cpp", "-c 158976 -ctk f16 -ngl all"),
        ("ollama", "OLLAMA_CONTEXT_LENGTH=158976 OLLAMA_NUM_PARALLEL=1"),
    ] {
        assert_eq!(flag(&answer, id).as_deref(), Some(expected), "{id}");
    }
    assert_eq!(flag(&answer, "tgi"), None);
    for (id, words) in [
        ("vllm", "2,487 blocks of 64"),
        ("vllm", "usable above 0.78213, up to 0.98946; 0.01 more is 0.950 GiB"),
        ("vllm", "of the whole card, 95.000 GiB; 74.302 GiB come off"),
        ("vllm", "0.88 copied gives9.298 GiB1.119 GiB less than SGLangits default 0.92: 13.098 GiB"),
        ("tensorrt-llm", "17.333 GiB6.916 GiB more than SGLang"),
        ("tensorrt-llm", "of what weights and activations leave free, 19.697 GiB; nothing comes off"),
        ("tensorrt-llm", "usable above 0, below 1"),
        ("lmdeploy-turbomind", "19.093 GiB"),
        ("lmdeploy-turbomind-0.2", "it asks for 83.600 GiB, more than is free: out of memory"),
        ("tgi", "unreachable: it would take 1.00257, and no more than 1 is accepted"),
        ("tgi", "too low: it starts with its warm-up blocks only, without an error"),
        ("tgi", "of 90 % of the whole card, 85.500 GiB; 75.303 GiB come off"),
        ("llama.cpp", "a number of tokens, no fraction"),
        ("llama.cpp", "158,976 tokens in 621 blocks of 256"),
        ("ollama", "nothing: it takes no fraction"),
    ] {
        let text = row(&answer, id).plain();
        assert!(text.contains(words), "{id}: {text}");
    }
}

#[test]
fn the_bars_stand_on_one_scale() {
    let answer = ask("open", WORKING, "", &[]);
    // Shares of 95 GiB, from start and size in GiB.
    for (id, term, start, size) in [
        ("sglang", "reserved", 95.0 - 93.999, 93.999),
        ("sglang", "weights", 95.0 - 93.999, 72.302),
        ("sglang", "rest", 95.0 - 21.697, 10.41712),
        ("vllm", "reserved", 0.0, 95.0),
        ("vllm", "weights", 0.0, 74.302),
        ("vllm", "rest", 74.302, 10.41712),
        ("tensorrt-llm", "reserved", 95.0 - 19.697, 19.697),
        ("tensorrt-llm", "rest", 95.0 - 19.697, 10.41712),
        // The pool sticks out of what is shared out: unreachable.
        ("tgi", "reserved", 0.0, 85.5),
        ("tgi", "rest", 75.303, 10.41712),
        ("llama.cpp", "rest", 95.0 - 21.697, 10.41712),
    ] {
        let row = row(&answer, id);
        let piece = row.elements().into_iter().find(|element| element.get(Attribute::DataTerm) == Some(term));
        let drawn = serde_json::to_value(piece.unwrap()).unwrap();
        let var = |at: usize| drawn["vars"][at][1].as_str().unwrap().parse::<f64>().unwrap();
        assert!((var(0) - start / 95.0).abs() < 2e-5 && (var(1) - size / 95.0).abs() < 2e-5, "{id} {term}: {drawn}");
    }
    let tensorrt = row(&answer, "tensorrt-llm");
    let weights = tensorrt.elements().into_iter().find(|element| element.get(Attribute::DataTerm) == Some("weights"));
    assert_eq!(weights, None, "nothing comes off");
}

#[test]
fn assumptions_move_the_values_and_are_in_the_address() {
    // Half a GiB of graphs: 74.802 + 10.41712 of 95 are 0.8970434; five decimals would be one block of 64 short.
    let answer = ask("change", WORKING, "cg", &[("cg", "0.5")]);
    assert_eq!(flag(&answer, "vllm").as_deref(), Some("--gpu-memory-utilization 0.897044"));
    assert_eq!(flag(&answer, "tensorrt-llm").as_deref(), Some("--kv_cache_free_gpu_memory_fraction 0.52887"));
    let query = "preset=baseline-0.88&cg=0.5".to_owned();
    assert_eq!(answer.scenario, Some(Destination { query, push: false }));
    // 10.41712 / (21.697 − 3).
    let answer = ask("change", WORKING, "act", &[("act", "3 GiB")]);
    assert_eq!(flag(&answer, "tensorrt-llm").as_deref(), Some("--kv_cache_free_gpu_memory_fraction 0.55715"));
    assert_eq!(answer.scenario.map(|to| to.query).as_deref(), Some("preset=baseline-0.88&act=3"));
    // What is typed again is no change; what is emptied goes.
    assert_eq!(ask("change", "f=0.88&act=3", "act", &[("act", "3")]).scenario, None);
    let emptied = ask("change", "f=0.88&act=3", "act", &[("act", "")]);
    assert_eq!(emptied.scenario.map(|to| to.query).as_deref(), Some("f=0.88"));
    // (10.41712 + 74.302) / 96.
    let answer = ask("change", WORKING, "card", &[("card", "96")]);
    assert_eq!(flag(&answer, "vllm").as_deref(), Some("--gpu-memory-utilization 0.88249"));
    assert_eq!(answer.scenario.map(|to| to.query).as_deref(), Some("preset=baseline-0.88&card=96"));
    let answer = ask("change", WORKING, "vocab", &[("vocab", "151,936")]);
    assert_eq!(answer.scenario.map(|to| to.query).as_deref(), Some("preset=baseline-0.88&vocab=151936"));
    // Who gets the address sees the same.
    let opened = ask("open", "preset=baseline-0.88&card=96", "", &[]);
    assert_eq!(flag(&opened, "vllm").as_deref(), Some("--gpu-memory-utilization 0.88249"));
    assert_eq!(part(&opened, "engines-body").find("engines-card").unwrap().get(Attribute::Value), Some("96"));
}

#[test]
fn what_is_not_understood_is_said_and_changes_nothing() {
    let answer = ask("change", "preset=baseline-0.88&act=3", "act", &[("act", "three")]);
    assert_eq!(answer.scenario, None);
    assert_eq!(part(&answer, "engines-note-act").plain(), "not a number; from 0 to 4,096");
    let invalid = ("engines-act".to_owned(), Attribute::AriaInvalid, Some("true".to_owned()));
    assert!(answer.set.contains(&invalid));
    assert_eq!(flag(&answer, "tensorrt-llm").as_deref(), Some("--kv_cache_free_gpu_memory_fraction 0.55715"));
    let small = ask("change", WORKING, "card", &[("card", "80")]);
    assert!(part(&small, "engines-result").plain().starts_with("The card cannot be smaller"));
}

#[test]
fn from_vllm_back_to_sglang() {
    let answer = ask("back", WORKING, "back-vllm", &[("back-vllm", "0.9")]);
    let said = part(&answer, "engines-said-vllm");
    assert_eq!(said.plain(), "--mem-fraction-static 0.88831: 11.198 GiB use itCopy");
    let link = said.find("engines-use-vllm").unwrap();
    assert_eq!(link.get(Attribute::Href), Some("?preset=baseline-0.88&f=0.88831"));
    for (name, typed, words) in [
        ("vllm", "90%", "--mem-fraction-static 0.88831: 11.198 GiB use itCopy"),
        ("vllm", "0.78", "too low: it refuses to start"),
        ("vllm", "0.99", "too high: it refuses to start"),
        ("vllm", "9", "a fraction is from 0 to 1"),
        ("vllm", "most", "not a number; from 0 to 1"),
        ("vllm", "", ""),
        ("vllm-bytes", "11,185,297,429", "--mem-fraction-static 0.88: 10.417 GiB use itCopy"),
        ("tensorrt-llm", "0.52887", "--mem-fraction-static 0.88: 10.417 GiB use itCopy"),
        ("llama.cpp", "158976", "--mem-fraction-static 0.87986: 10.404 GiB use itCopy"),
        ("tgi", "0.88", "too low: it starts with its warm-up blocks only, without an error"),
    ] {
        let by = ["back-", name].concat();
        let answer = ask("back", WORKING, &by, &[(&by, typed)]);
        assert_eq!(part(&answer, &["engines-said-", name].concat()).plain(), words, "{name} {typed}");
    }
}

#[test]
fn what_was_typed_on_the_way_back_stays() {
    let answer = ask("follow", "preset=baseline-0.88&f=0.88831", "", &[("back-vllm", "0.9"), ("act", "")]);
    let row = row(&answer, "vllm");
    assert_eq!(row.find("engines-back-vllm").unwrap().get(Attribute::Value), Some("0.9"));
    assert!(row.plain().contains("--mem-fraction-static 0.88831: 11.198 GiB"), "{}", row.plain());
    // An assumption that came by the address shows in its field.
    let answer = ask("follow", "preset=baseline-0.88&act=3", "", &[("act", "two")]);
    assert_eq!(part(&answer, "engines-note-act").plain(), "");
    assert!(answer.set.contains(&("engines-act".to_owned(), Attribute::Value, Some("3".to_owned()))));
}

#[test]
fn every_knob_has_a_way_back() {
    let result = part(&ask("open", WORKING, "", &[]), "engines-result");
    for way in crate::engines::Way::ALL {
        let field = result.find(&["engines-back-", way.id()].concat());
        assert_eq!(field.is_some(), way.id() != "sglang", "{}", way.id());
    }
}

#[test]
fn without_a_pool_there_is_nothing_to_translate() {
    let answer = ask("open", "", "", &[]);
    let intro = part(&answer, "engines-intro");
    assert_eq!(
        intro.plain(),
        "With these numbers SGLang has no pool: it is short by 20.603 GiB, so there is nothing to translate. Take 0.77, \
         the smallest that starts."
    );
    let link = intro.elements().into_iter().find_map(|element| element.get(Attribute::Href));
    assert_eq!(link, Some("?f=0.77"));
    assert_eq!(flag(&answer, "vllm"), None);
    assert!(row(&answer, "vllm").plain().contains("too low: it refuses to start"));
}

#[test]
fn vllm_refuses_in_two_directions() {
    let text = part(&ask("open", "preset=baseline-0.88&ctx=131072", "", &[]), "engines-result").plain();
    for words in [
        "0 to 0.78213: raise it. Weights, activations and graphs take more than the fraction allows. It says: No available \
         memory for the cache blocks.",
        "0.78213 to 0.87247: raise it.",
        "To serve at least one request with the model's max seq len (…)",
        "0.87247 to 0.98946: starts",
        "0.98946 to 1: lower it. The fraction asks for more than is free before the weights are loaded. It says: Free \
         memory on device … (…/… GiB) on startup is less than desired GPU memory utilization (…, … GiB).",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let text = part(&ask("open", "preset=baseline-0.88&act=21&ctx=131072", "", &[]), "engines-result").plain();
    assert!(text.contains("with these numbers no value starts"));
}

#[test]
fn trust_is_said_for_each() {
    let text = part(&ask("open", WORKING, "", &[]), "engines-result").plain();
    assert_eq!(text.matches("The rule was executed").count(), 3, "SGLang, vLLM, LMDeploy's PyTorch engine");
    assert_eq!(text.matches("The rule was read in the source").count(), 6);
    assert!(text.contains("less 2.034 GiB that it computes from 8,192 prefill tokens, a batch of 128"));
    assert!(text.contains("its own default on this card is 262,144 tokens"));
    assert!(text.contains("take about 18.697 GiB"));
}

#[test]
fn bytes_of_one_token_where_they_differ() {
    let of = |query| part(&ask("open", query, "", &[]), "engines-result").plain();
    assert!(of(WORKING).contains("SGLang takes 70,272 bytes on one GPU, for 61 layers of MLA, as in the worked case"));
    assert!(of(WORKING).contains("It keeps K and V of every head, not the latent: many times as much."));
    assert!(of("f=0.88&cell=131072").contains("choose a model in the plan"));
    // 32 layers × 8 heads × 2 × 128 × 1 byte on one GPU.
    let fp8 = of("f=0.88&cell=65536&model=llama-3.1-8b&gpu=h100&kv=fp8_e4m3");
    assert!(fp8.contains("SGLang takes 65,536 bytes on one GPU, for meta-llama/Llama-3.1-8B"), "{fp8}");
    assert!(fp8.contains("69,632") && fp8.contains("67,584") && fp8.contains("131,073.25"), "{fp8}");
    assert!(of("f=0.88&model=llama-3.1-8b").contains("the cell above is not the one of the model"));
}

#[test]
fn any_scenario_is_answered() {
    for query in
        ["total=0&avail=0", "avail=95", "total=4096&cell=0.1", "f=1&cap=1", "model=nonsense", "act=4096", "f=0"]
    {
        let answer = ask("open", query, "", &[("vocab", "9999999999999"), ("back-tgi", "1")]);
        assert!(!part(&answer, "engines-intro").plain().is_empty(), "{query}");
    }
    assert_eq!(super::answer("nonsense", &Ask::default(), None), None);
}

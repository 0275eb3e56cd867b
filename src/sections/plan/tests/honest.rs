//! What is not known is not said: models that do not load, estimates that decide, pools that hold nobody.

use super::*;

fn said(chosen: &[(&str, &str)]) -> String {
    text(&answered("change", &ask("", chosen)), "plan-result")
}

#[test]
fn a_model_may_be_named_by_its_repository() {
    let opened = answered("open", &ask("model=Qwen/Qwen3-8B&gpu=H100", &[]));
    assert!(text(&opened, "plan-body").contains("Starts at"));
    assert_eq!(sent(&opened).get("model").map(String::as_str), Some("qwen3-8b"));
    assert!(query(&opened).contains("&model=qwen3-8b&gpu=h100"), "{}", query(&opened));
}

#[test]
fn a_model_that_does_not_load_is_not_planned() {
    let answer = |chosen: &[(&str, &str)]| answered("change", &ask("", chosen));
    let older = answer(&[("model", "kimi-k2.5"), ("gpu", "h200"), ("tp", "8"), ("sglang", "0.5.3")]);
    let said = text(&older, "plan-result");
    let words = "SGLang 0.5.3 does not know KimiK25ForConditionalGeneration, which came with 0.5.9";
    assert!(said.contains("This cannot be planned:") && said.contains(words) && !said.contains("Starts at"), "{said}");
    assert!(older.announce.is_some_and(|announced| announced.contains(words)));
    // The numbers of the plan before it are not this server's.
    let before = "f=0.823&total=137.9&avail=120&cell=131072&model=llama-3.1-8b&gpu=h200";
    let split = answered("change", &ask(before, &[("model", "llama-3.1-8b"), ("gpu", "h200"), ("tp", "3")]));
    assert!(
        text(&split, "plan-result").contains("32 query heads cannot be split over 3 GPUs: the model will not load")
    );
    assert_eq!(query(&split), "model=llama-3.1-8b&gpu=h200&tp=3");
    let config = [("gpu", "h200"), ("config", "{\"num_hidden_layers\": ")];
    assert!(text(&answer(&config), "plan-result").contains("config.json: malformed JSON"));
}

#[test]
fn where_the_estimate_of_the_weights_decides_it_is_said() {
    // 70 thousand million parameters on two cards of 80 GB: 66 of 78 GiB, give or take what decides.
    let tight = said(&[("model", "llama-3.3-70b"), ("gpu", "a100-80"), ("tp", "2")]);
    assert!(tight.contains("May not start at ") || tight.contains("May start at "), "{tight}");
    assert!(tight.contains("The weights are estimated"));
    let roomy = said(&[("model", "llama-3.1-8b"), ("gpu", "h200")]);
    assert!(roomy.contains("Starts at ") && !roomy.contains("May "), "{roomy}");
}

#[test]
fn a_pool_too_small_for_one_request_says_so() {
    let small = [("model", "kimi-k2.5"), ("gpu", "rtx-pro-6000"), ("tp", "8"), ("sglang", "0.5.9")];
    let kept = [("f", "0.771456406"), ("total", "93.999"), ("avail", "21.697")];
    let query: Vec<String> = kept.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let pins = kept.map(|(name, _)| (format!("pin-{name}"), "1"));
    let was = kept.map(|(name, value)| (format!("was-{name}"), value));
    let fields = pins.iter().chain(&was).map(|(name, value)| (name.as_str(), *value));
    let chosen: Vec<(&str, &str)> = small.into_iter().chain(fields).collect();
    let said = text(&answered("change", &ask(&query.join("&"), &chosen)), "plan-result");
    assert!(said.contains(": not even one request of 262,144 tokens. SGLang runs"), "{said}");
}

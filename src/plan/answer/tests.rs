//! Requests as the page sends them.

use super::*;

fn answer(scenario: &str, pinned: &[&str]) -> PlanAnswer {
    let pinned = pinned.iter().map(|name| (*name).to_owned()).collect();
    PlanAnswer::of(&PlanRequest { scenario: scenario.to_owned(), pinned, ..PlanRequest::default() })
}

#[test]
fn the_worked_case_comes_back_as_its_scenario() {
    let asked = "total=93.999&avail=21.697&sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8&need=1";
    let plan = answer(asked, &["total", "avail"]).plan.expect("planned");
    assert_eq!((plan.cell.value, plan.cell.how), (70272.0, "exact"));
    assert!(plan.scenario.starts_with("f=0.771456406"), "{}", plan.scenario);
    assert_eq!(plan.total, Known { value: 93.999, how: "exact", half_width: None });
    assert!(!plan.back.expect("asked").works, "262144 tokens do not fit below the edge");
    let row = plan.fractions.iter().find(|row| row.scenario.contains("f=0.55") || row.label == "fraction 0.55");
    assert_eq!(row.map(|row| row.verdict), Some("cannot_start"));
    let estimated = answer("model=kimi-k2.5&gpu=rtx-pro-6000&tp=8", &[]).plan.expect("planned");
    assert_eq!(estimated.total.how, "estimated");
}

#[test]
fn the_page_says_what_the_plan_says() {
    for query in ["model=qwen3-235b-a22b&gpu=h100&tp=8", "model=deepseek-v3&gpu=h200&tp=8&dp=8"] {
        let plan = answer(query, &[]).plan.expect("planned");
        let page = crate::scenario::evaluate(&crate::scenario::query::decode(&plan.scenario).scenario).report;
        assert_eq!((plan.verdict, page.verdict.id()), ("starts", "starts"), "{query}");
    }
}

/// Of nine tenths and a whole the states of a hybrid take the nine tenths, so a token costs 1.9 cells of the budget.
#[test]
fn the_cell_of_a_hybrid_carries_its_states() {
    let evaluated = |scenario: &str| {
        let scenario = crate::scenario::query::decode(scenario).scenario;
        (scenario.cell.get(), crate::scenario::evaluate(&scenario).report.breakdown.pool_tokens.0)
    };
    let asked = "model=qwen3-next-80b-a3b&gpu=mi300x&tp=4";
    let plan = answer(asked, &[]).plan.expect("planned");
    // 12 of 48 layers, one of the two heads on each GPU: 2 × 256 × 2 bytes each.
    assert_eq!((plan.cell.value, plan.charged), (12_288.0, 12_288.0 * 1.9));
    let (cell, tokens) = evaluated(&plan.scenario);
    assert_eq!(cell, 23_347.2);
    assert!((tokens - plan.tokens).abs() < plan.tokens / 1000, "{tokens} {}", plan.tokens);
    // One that is kept as the page has it means the same pool.
    let kept = answer(&plan.scenario, &["cell"]).plan.expect("planned");
    assert!((kept.tokens - plan.tokens).abs() <= 1 && (kept.charged - plan.charged).abs() < 1e-6);
    let row = plan.changes.iter().find(|row| row.scenario.contains("kv=fp8_e4m3")).expect("half the cell");
    let (cell, tokens) = evaluated(&row.scenario);
    assert_eq!(cell, 11_673.6);
    assert!((tokens - row.tokens).abs() < row.tokens / 1000, "{tokens} {}", row.tokens);
}

#[test]
fn a_config_counts_instead_of_the_model() {
    let config = r#"{"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 256, "vocab_size": 1000}"#;
    let request = PlanRequest {
        scenario: "model=kimi-k2.5&gpu=h100&tp=2".to_owned(),
        config: Some(config.to_owned()),
        free: vec![78.0, 60.0],
        ..PlanRequest::default()
    };
    let plan = PlanAnswer::of(&request).plan.expect("planned");
    assert_eq!(plan.cell.value, 2.0 * 2.0 * 128.0 * 2.0);
    let ranks = plan.ranks.expect("given");
    assert_eq!((ranks.deciding, ranks.refused), (1, true));
    assert!(ranks.message.is_some_and(|message| message.starts_with("RuntimeError: The memory capacity")));
    // Two stages of a pipeline are not compared.
    let stages = PlanRequest { scenario: "model=kimi-k2.5&gpu=h100&pp=2".to_owned(), ..request };
    let plan = PlanAnswer::of(&stages).plan.expect("planned");
    assert_eq!(plan.cell.value, 4.0 * 128.0 * 2.0);
    let ranks = plan.ranks.expect("given");
    assert_eq!((ranks.deciding, ranks.compared, ranks.refused, ranks.message), (1, false, false, None));
}

/// Fields and messages that contain these words.
fn said(scenario: &str, pinned: &[&str], words: &str) -> Vec<String> {
    let issues = answer(scenario, pinned).issues.into_iter();
    issues.filter(|issue| issue.message.contains(words)).map(|issue| issue.field).collect()
}

#[test]
fn a_hybrid_of_kda_has_no_prefill_graphs() {
    let plan = |scenario| answer(scenario, &[]).plan.expect("planned");
    let kimi = plan("model=kimi-linear-48b-a3b&gpu=h100&tp=8");
    assert_eq!((kimi.reserve_mib, kimi.auto_fraction), (14848.0, 0.818));
    // Latent attention where graphs of it are captured, as in 0.5.14.
    let older = plan("model=kimi-linear-48b-a3b&gpu=h100&tp=8&sglang=0.5.14");
    assert_eq!((older.reserve_mib, older.auto_fraction), (16384.0, 0.799));
    // The gated delta rule is no KDA: 58 sizes of 8 MiB.
    assert_eq!(plan("model=qwen3-next-80b-a3b&gpu=h100&tp=8").reserve_mib, 15312.0);
}

#[test]
fn what_shrinks_a_given_fraction_too_is_said() {
    let amd = "model=llama-3.1-8b&gpu=mi300x";
    assert_eq!(said(amd, &[], "0.85"), ["gpu"]);
    assert_eq!(said("f=0.8&model=llama-3.1-8b&gpu=mi300x", &["f"], "0.85"), ["gpu"]);
    assert_eq!(said("model=llama-3.1-8b&gpu=mi300x&ctx=8192", &[], "0.85"), [""; 0]);
    assert_eq!(said("model=llama-3.1-8b&gpu=h100", &[], "0.85"), [""; 0]);
    // 512 + 24576 + 1024 + 128: no prefill graphs.
    assert_eq!(answer(amd, &[]).plan.expect("planned").reserve_mib, 26240.0);
    let kimi = "f=0.8&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8";
    assert_eq!(said(&[kimi, "&sglang=0.4.6"].concat(), &["f"], "0.90"), ["f"]);
    assert_eq!(said(&[kimi, "&sglang=0.4.6"].concat(), &[], "0.90"), [""; 0], "the automatic one has it");
    assert_eq!(said(&[kimi, "&sglang=0.5.3"].concat(), &["f"], "0.90"), [""; 0]);
}

#[test]
fn only_rules_that_are_known_are_exact() {
    let exact = |scenario: &str| {
        let plan = answer(scenario, &[]).plan.expect("planned");
        (plan.auto_exact, plan.fraction.how)
    };
    let of = |release: &str| exact(&["model=llama-3.1-8b&gpu=h100&sglang=", release].concat());
    for release in ["0.4.6", "0.4.8", "0.5.1", "0.5.2", "0.5.3", "0.5.9", "0.5.14", "0.5.15", "0.5.22", "0.5.23"] {
        assert_eq!(of(release), (true, "exact"), "{release}");
    }
    for release in ["0.4.5", "0.5.24", "0.6.0"] {
        assert_eq!(of(release), (false, "not_measured"), "{release}");
    }
    assert_eq!(exact("model=llama-3.1-8b&gpu=mi300x"), (false, "not_measured"));
    assert_eq!(exact("model=llama-3.1-8b&gpu=mi300x&ctx=8192"), (true, "exact"));
}

#[test]
fn states_of_tokens_that_are_only_proposed_are_named() {
    let words = "proposed";
    assert_eq!(said("model=qwen3-next-80b-a3b&gpu=h200&tp=4&spec=eagle", &[], words), ["spec"]);
    assert_eq!(said("model=qwen3-next-80b-a3b&gpu=h200&tp=4&spec=ngram", &[], words), ["spec"]);
    assert_eq!(said("model=qwen3-next-80b-a3b&gpu=h200&tp=4", &[], words), [""; 0]);
    assert_eq!(said("model=llama-3.1-8b&gpu=h200&spec=eagle", &[], words), [""; 0]);
}

#[test]
fn what_is_not_known_is_named() {
    for (scenario, field) in [("gpu=h100", "model"), ("model=nope&gpu=h100", "model"), ("model=phi-4&gpu=nope", "gpu")]
    {
        let answer = answer(scenario, &[]);
        assert_eq!(answer.plan, None);
        assert!(answer.issues.iter().any(|issue| issue.field == field), "{scenario}: {:?}", answer.issues);
    }
}

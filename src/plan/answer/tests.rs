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
fn a_config_counts_instead_of_the_model() {
    let config = r#"{"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 256, "vocab_size": 1000}"#;
    let request = PlanRequest {
        scenario: "model=kimi-k2.5&gpu=h100".to_owned(),
        config: Some(config.to_owned()),
        free: vec![78.0, 60.0],
        ..PlanRequest::default()
    };
    let plan = PlanAnswer::of(&request).plan.expect("planned");
    assert_eq!(plan.cell.value, 2.0 * 4.0 * 128.0 * 2.0);
    let ranks = plan.ranks.expect("given");
    assert_eq!((ranks.deciding, ranks.refused), (1, true));
    assert!(ranks.message.is_some_and(|message| message.starts_with("RuntimeError: The memory capacity")));
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

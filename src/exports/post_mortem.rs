//! The post-mortem: Markdown for a ticket, complete by itself.

use super::Home;
use super::command::command;
use crate::budget::Verdict;
use crate::format;
use crate::scenario::{Evaluation, Scenario};
use crate::text;

/// A table, the formula with its numbers, the verdict, the command, the link and the picture.
pub fn markdown(scenario: &Scenario, evaluation: &Evaluation, home: &Home) -> String {
    let report = &evaluation.report;
    let (inputs, parts) = (&report.inputs, &report.breakdown);
    let headline = text::headline_of(scenario, report).plain();
    let mut rows: Vec<(&str, String)> = vec![
        ("free at the start (`total`)", format::gib(inputs.total)),
        ("free after the weights (`available`)", format::gib(inputs.available)),
        ("weights", format::gib(parts.weights)),
        ("`--mem-fraction-static`", format::fraction(inputs.fraction)),
        ("reserved", format::gib(parts.reserved)),
        ("**left for the KV cache**", ["**", &format::gib(parts.rest), "**"].concat()),
        ("cell size", format::cell(inputs.cell) + " bytes"),
        ("tokens", format::whole(parts.tokens.0)),
    ];
    if report.verdict == Verdict::Starts && parts.pool_tokens != parts.tokens {
        rows.push(("tokens of the pool", format::whole(parts.pool_tokens.0)));
    }
    if let Some(need) = inputs.dynamic_need {
        rows.push(("needed by activations and graphs", format::gib(need)));
    }
    let table: String = rows.iter().map(|(name, value)| ["| ", name, " | ", value, " |\n"].concat()).collect();
    let (available, total) = (format::gib_number(inputs.available), format::gib_number(inputs.total));
    let command = command(scenario, evaluation);
    let shell = command.text.map(|text| ["```sh\n", &text, "\n```\n\n"].concat()).unwrap_or_default();
    let link = home.link(scenario);
    let issues: String =
        evaluation.issues.iter().map(|issue| ["- `", &issue.field, "`: ", &issue.message, "\n"].concat()).collect();
    let doubts = if issues.is_empty() { String::new() } else { ["\nCaveats:\n\n", &issues].concat() };
    [
        "## ",
        &headline,
        "\n\n",
        &text::lead_of(scenario, report).plain(),
        "\n\n| | |\n|---|---:|\n",
        &table,
        "\n```text\nrest   = available − total × (1 − fraction)\n       = ",
        &available,
        " − ",
        &total,
        " × (1 − ",
        &format::fraction(inputs.fraction),
        ")\n       = ",
        &available,
        " − ",
        &format::gib_number(parts.reserved),
        " = ",
        &format::gib(parts.rest),
        "\ntokens = ⌊",
        &format::whole(parts.rest_bytes.0),
        " bytes ÷ ",
        &format::cell(inputs.cell),
        "⌋ = ",
        &format::whole(parts.tokens.0),
        "\n```\n",
        &doubts,
        "\n",
        &command.why,
        "\n\n",
        &shell,
        "![",
        &text::summary(report),
        "](",
        &picture(scenario, home),
        ")\n\nThe same state, live: <",
        &link,
        ">\n",
    ]
    .concat()
}

/// The picture beside the page for a preset; otherwise the file that the reader saves and attaches.
pub fn picture(scenario: &Scenario, home: &Home) -> String {
    match scenario.preset.filter(|preset| home.is_known() && Scenario::from_preset(preset) == *scenario) {
        Some(preset) => home.with(&["p/", preset.id, "/card.png"].concat(), ""),
        None => "kv-budget-bars.svg".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::evaluate;
    use crate::scenario::query::decode;

    fn of(query: &str) -> String {
        let scenario = decode(query).scenario;
        markdown(&scenario, &evaluate(&scenario), &Home::of("https://a.b/kv/"))
    }

    #[test]
    fn the_failing_run() {
        let text = of("");
        for part in [
            "## Cannot start: the KV cache is short by 20.603 GiB. The smallest fraction that starts is 0.770.\n",
            "| free at the start (`total`) | 93.999 GiB |\n",
            "| **left for the KV cache** | **−20.603 GiB** |\n",
            "       = 21.697 − 93.999 × (1 − 0.55)\n       = 21.697 − 42.300 = −20.603 GiB\n",
            "tokens = ⌊−22,121,819,616 bytes ÷ 70,272⌋ = −314,803\n",
            "  --mem-fraction-static 0.770\n```",
            "](kv-budget-bars.svg)",
            "live: <https://a.b/kv/>\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_preset_has_its_picture_and_a_doubt_is_told() {
        assert!(of("preset=baseline-0.88").contains("](https://a.b/kv/p/baseline-0.88/card.png)"));
        assert!(of("preset=baseline-0.88&f=0.9").contains("](kv-budget-bars.svg)"));
        assert!(of("avail=95").contains("- `avail`: More memory is free"));
        assert!(of("f=0.88&cap=100&page=64").contains("| tokens of the pool | 64 |"));
    }
}

//! The launch command, with the fraction that works.

use crate::budget::Verdict;
use crate::catalog::models;
use crate::decimal;
use crate::engines::sglang::Version;
use crate::engines::sglang::cell::KvDtype;
use crate::format;
use crate::scenario::{Evaluation, Scenario};
use crate::text;

/// The first release whose decode graphs have a flag of their own.
const DECODE_FLAGS: Version = Version::new(0, 5, 23);

/// A command for a shell, and what to know about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command, a line a flag; none where no fraction would start it.
    pub text: Option<String>,
    /// Why its fraction is the one that it is, or why there is none.
    pub why: String,
}

/// The command that starts this scenario's server.
pub fn command(scenario: &Scenario, evaluation: &Evaluation) -> Command {
    let plan = &scenario.plan;
    let (fraction, why) = fraction(scenario, evaluation);
    let Some(fraction) = fraction else { return Command { text: None, why } };
    let count = |number: Option<u64>| number.map(|number| decimal::digits(u128::from(number)));
    let above_one = |number: Option<u64>| count(number.filter(|number| *number > 1));
    let model = match plan.model.as_deref() {
        Some(id) => quoted(models::find(id).map_or(id, |model| model.name)),
        None => "\"$MODEL\"".to_owned(),
    };
    let graphs = if scenario.sglang < DECODE_FLAGS { "--cuda-graph-max-bs" } else { "--cuda-graph-max-bs-decode" };
    let attention_ranks = above_one(plan.dp);
    let speculative = plan.speculative.filter(|name| *name != "none").map(str::to_uppercase);
    let chunk = plan.chunked_prefill_size.map(|size| decimal::canonical(size as f64));
    let dtype = plan.kv_dtype.filter(|dtype| *dtype != KvDtype::Auto).map(|dtype| dtype.name().to_owned());
    let flags: [(&str, Option<String>); 15] = [
        ("--model-path", Some(model)),
        ("--tp-size", above_one(plan.tp)),
        ("--pp-size", above_one(plan.pp)),
        ("--dp-size", attention_ranks.clone()),
        ("--enable-dp-attention", attention_ranks.map(|_| String::new())),
        ("--kv-cache-dtype", dtype),
        ("--speculative-algorithm", speculative),
        ("--chunked-prefill-size", chunk),
        (graphs, count(plan.cuda_graph_max_bs.filter(|size| *size > 0))),
        // For decode and prefill alike; 0.5.23 has a flag for each of them, and still takes this one for both.
        ("--disable-cuda-graph", (plan.cuda_graph_max_bs == Some(0)).then(String::new)),
        ("--page-size", above_one(Some(scenario.page_size))),
        ("--context-length", count(scenario.context)),
        ("--max-running-requests", count(plan.max_running)),
        ("--max-total-tokens", count(scenario.max_total_tokens)),
        ("--mem-fraction-static", Some(fraction)),
    ];
    let mut text = String::from("python3 -m sglang.launch_server");
    for (flag, value) in flags {
        let Some(value) = value else { continue };
        text.push_str(" \\\n  ");
        text.push_str(flag);
        if !value.is_empty() {
            text.push(' ');
            text.push_str(&value);
        }
    }
    Command { text: Some(text), why }
}

/// The fraction to type, and why; none where another value would not help.
fn fraction(scenario: &Scenario, evaluation: &Evaluation) -> (Option<String>, String) {
    let band = &evaluation.report.band;
    let own = format::fraction(scenario.fraction);
    let suggested = band.suggested.map(|least| format::fraction_to_type(least.get()));
    match (evaluation.report.verdict, suggested) {
        _ if scenario.is_unfilled() => (None, "The numbers of this server are not known yet.".to_owned()),
        (Verdict::Starts, _) => {
            let why = ["The fraction of this scenario, ", &own, ", starts."].concat();
            (Some(own), why)
        }
        (Verdict::CannotStart, Some(least)) if evaluation.report.breakdown.tokens.0 <= 0 => {
            let why = [
                &own,
                " cannot start; the command carries the smallest fraction that does, ",
                &least,
                ". Its pool is almost empty: raise it in steps of 0.01 until the pool is large enough.",
            ];
            let why = why.concat();
            (Some(least), why)
        }
        (Verdict::TooHigh, _) => {
            let most = text::highest(&evaluation.report);
            let why = [&own, " leaves too little for graphs; the command carries the largest that works, ", &most, "."];
            let why = why.concat();
            (Some(most), why)
        }
        (_, None) => (None, "No fraction starts it: the weights must become smaller on each GPU first.".to_owned()),
        (Verdict::NoFractionWorks, _) => {
            (None, "No fraction works here: smaller graphs, chunks or weights must come first.".to_owned())
        }
        (Verdict::CannotStart, _) => {
            (None, ["This cannot start, and not because of the fraction, ", &own, "."].concat())
        }
    }
}

/// A word as one word of a POSIX shell, whatever is in it.
pub fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    let mut quoted = String::from("'");
    for letter in word.chars() {
        match letter {
            '\'' => quoted.push_str("'\\''"),
            _ => quoted.push(letter),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::evaluate;
    use crate::scenario::query::decode;

    fn of(query: &str) -> Command {
        let scenario = decode(query).scenario;
        command(&scenario, &evaluate(&scenario))
    }

    fn text(query: &str) -> String {
        of(query).text.unwrap_or_default()
    }

    #[test]
    fn the_failing_run_gets_the_fraction_that_starts() {
        let command = of("");
        assert_eq!(
            command.text.as_deref(),
            Some("python3 -m sglang.launch_server \\\n  --model-path \"$MODEL\" \\\n  --mem-fraction-static 0.770")
        );
        assert_eq!(
            command.why,
            "0.55 cannot start; the command carries the smallest fraction that does, 0.770. Its pool is almost empty: raise it in steps of 0.01 until the pool is large enough."
        );
    }

    #[test]
    fn every_choice_is_a_flag() {
        let command = text(
            "model=kimi-k2.5&tp=8&pp=2&dp=4&kv=fp8_e4m3&chunk=-1&graph=64&spec=eagle3&running=48&page=64&cap=100000&ctx=32768&f=0.88",
        );
        assert_eq!(
            command,
            "python3 -m sglang.launch_server \\\n  --model-path moonshotai/Kimi-K2.5 \\\n  --tp-size 8 \\\n  --pp-size 2 \\\n  \
             --dp-size 4 \\\n  --enable-dp-attention \\\n  --kv-cache-dtype fp8_e4m3 \\\n  --speculative-algorithm EAGLE3 \\\n  \
             --chunked-prefill-size -1 \\\n  --cuda-graph-max-bs-decode 64 \\\n  --page-size 64 \\\n  --context-length 32768 \\\n  \
             --max-running-requests 48 \\\n  --max-total-tokens 100000 \\\n  --mem-fraction-static 0.88"
        );
        assert!(text("graph=64&sglang=0.5.9").contains("--cuda-graph-max-bs 64"));
        for release in ["0.5.9", "0.5.23"] {
            assert_eq!(
                text(&format!("graph=0&f=0.88&sglang={release}")),
                "python3 -m sglang.launch_server \\\n  --model-path \"$MODEL\" \\\n  --disable-cuda-graph \\\n  \
                 --mem-fraction-static 0.88"
            );
        }
    }

    #[test]
    fn each_verdict_says_why() {
        assert!(text("f=0.92&dyn=9.5").ends_with("--mem-fraction-static 0.898"));
        assert!(of("dyn=30").why.starts_with("No fraction works"));
        assert!(of("f=0.88&cap=63&page=64").why.contains("not because of the fraction"));
        assert!(of("f=0.88").why.contains("0.88, starts"));
        // Nothing to type would help.
        for query in ["dyn=30", "f=0.88&cap=63&page=64", "avail=0&dyn=1", "avail=0", "model=nope&gpu=h100"] {
            assert_eq!(of(query).text, None, "{query}");
        }
        assert!(of("avail=0&dyn=1").why.contains("weights must become smaller"));
        assert!(of("model=nope&gpu=h100").why.contains("not known yet"));
    }

    #[test]
    fn a_shell_reads_any_word_as_one() {
        for (word, expected) in [
            ("a/b-1.2", "a/b-1.2"),
            ("", "''"),
            ("two words", "'two words'"),
            ("it's", "'it'\\''s'"),
            ("$(rm)", "'$(rm)'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}

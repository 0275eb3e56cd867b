//! The verdict in words: one headline, one paragraph under it, and what a slider says aloud.

use super::Rich;
use crate::budget::{Report, Term, Verdict};
use crate::decimal;
use crate::format;
use crate::scenario::Scenario;
use crate::units::{Fraction, Gib, Tokens};

/// The flag, as it is typed.
const FLAG: &str = "--mem-fraction-static ";

/// The headline of the page: of the report, unless its numbers are not yet those of the server that is asked about.
pub fn headline_of(scenario: &Scenario, report: &Report) -> Rich {
    if scenario.is_unfilled() { Rich::new().say("No numbers for this server yet.") } else { headline(report) }
}

/// The paragraph under it. Of a plan the page does not know which numbers were measured; Plan does.
pub fn lead_of(scenario: &Scenario, report: &Report) -> Rich {
    if scenario.is_unfilled() {
        let words = "Below stand those of the failing run. Plan fills in your server’s own, or says what it lacks.";
        return Rich::new().say(words);
    }
    let lead = lead(report);
    if scenario.plan.gpu.is_some() && scenario.preset.is_none() {
        lead.say(" Plan says which of these numbers are estimates, and how far off.")
    } else {
        lead
    }
}

/// One line: what happens, with the number, and which fraction would do.
pub fn headline(report: &Report) -> Rich {
    if report.breakdown.weights.0 < 0.0 {
        return Rich::new()
            .say("These numbers contradict each other: ")
            .term(Term::Available, &format::gib(report.inputs.available))
            .say(" free after the weights, ")
            .term(Term::Total, &format::gib(report.inputs.total))
            .say(" before.");
    }
    match report.verdict {
        Verdict::NoFractionWorks => no_fraction_works(report),
        Verdict::CannotStart if cap_is_the_reason(report) => Rich::new()
            .say("Cannot start: ")
            .code("--max-total-tokens")
            .say(" allows ")
            .term(Tokens_, &format::tokens(cap(report)))
            .say(", and that is less than one page of ")
            .say(&format::tokens(page(report)))
            .say("."),
        Verdict::CannotStart => cannot_start(report),
        Verdict::TooHigh => Rich::new()
            .say("Starts, then runs out of memory: ")
            .term(Term::Reserved, &format::gib(report.breakdown.reserved))
            .say(" are set aside and ")
            .say(&format::gib(need(report)))
            .say(" are needed. The largest fraction that works is ")
            .term(Term::Fraction, &highest(report))
            .say("."),
        Verdict::Starts => Rich::new()
            .say("Starts with ")
            .term(Term::Rest, &format::gib(pool(report)))
            .say(" for the KV cache: ")
            .term(Tokens_, &format::tokens(report.breakdown.pool_tokens))
            .say("."),
    }
}

#[allow(non_upper_case_globals, reason = "reads as the term it is, beside the type of the same name")]
const Tokens_: Term = Term::Tokens;

fn cannot_start(report: &Report) -> Rich {
    let rest = report.breakdown.rest;
    let reason = if (-0.0005..=0.0).contains(&rest.0) {
        Rich::new().say("Cannot start: ").term(Term::Rest, "nothing is left").say(" for the KV cache. ")
    } else if rest.0 < 0.0 {
        Rich::new()
            .say("Cannot start: the KV cache is ")
            .term(Term::Rest, &(String::from("short by ") + &format::gib(-rest)))
            .say(". ")
    } else {
        let page = if report.inputs.page_size == 1 {
            "less than one token".to_owned()
        } else {
            String::from("less than one page of ") + &format::tokens(page(report))
        };
        Rich::new()
            .say("Cannot start: ")
            .term(Term::Rest, &format::mib(rest))
            .say(" for the KV cache hold ")
            .say(&page)
            .say(". ")
    };
    match report.band.suggested {
        Some(fraction) => reason
            .say("The smallest fraction that starts is ")
            .term(Term::Fraction, &format::fraction_to_type(fraction.get()))
            .say("."),
        None => reason.say("No fraction starts: the weights leave too little."),
    }
}

fn no_fraction_works(report: &Report) -> Rich {
    let start = Rich::new().say("No fraction works: ");
    match report.band.suggested {
        Some(fraction) => start
            .say("starting takes at least ")
            .term(Term::Fraction, &format::fraction_to_type(fraction.get()))
            .say(", and activations and graphs allow at most ")
            .say(&highest(report))
            .say("."),
        None => start.say("the weights leave too little for one page of KV cache, even with nothing set aside."),
    }
}

/// The paragraph under the headline: why, in the reader's own numbers.
pub fn lead(report: &Report) -> Rich {
    let mut lead = Rich::new();
    if report.breakdown.weights.0 > 0.0 {
        lead = lead
            .say("The ")
            .term(Term::Weights, "weights")
            .say(" fill ")
            .say(&format::percent(report.weights_share()))
            .say(" of what was ")
            .term(Term::Total, "free at the start")
            .say(". ");
    } else if report.breakdown.weights.0 < 0.0 {
        lead = lead.say("More is free after the weights than before: one of the two is wrong. ");
    }
    let only = if report.verdict == Verdict::CannotStart { "only " } else { "" };
    let share = String::from(only) + &format::percent(report.inputs.fraction.get());
    lead = lead
        .say("At ")
        .code(&(String::from(FLAG) + &format::fraction(report.inputs.fraction)))
        .say(", weights and KV cache together may use ")
        .term(Term::StaticBudget, &share);
    // Whoever says that graphs need nothing has an answer of their own.
    if report.verdict == Verdict::Starts && report.breakdown.reserved.0 <= 0.0 && report.inputs.dynamic_need.is_none() {
        return lead.say(" of it. Nothing is set aside: capturing CUDA graphs will run out of memory.");
    }
    lead.say(" of it; ")
        .term(Term::Reserved, &format::gib(report.breakdown.reserved))
        .say(" are set aside. ")
        .then(consequence(report))
}

fn consequence(report: &Report) -> Rich {
    let say = |text: &str| Rich::new().say(text);
    match report.verdict {
        Verdict::NoFractionWorks if report.band.suggested.is_none() => say("Only smaller weights on each GPU help."),
        Verdict::NoFractionWorks => {
            say("Only smaller graphs, smaller prefill chunks or smaller weights on each GPU make room between the two.")
        }
        Verdict::CannotStart if cap_is_the_reason(report) => say("Raise the cap, not the fraction."),
        Verdict::CannotStart => match report.band.suggested {
            None => say("Even with nothing set aside no page fits."),
            Some(least) => {
                let least = format::fraction_to_type(least.get());
                say(&["Raising it sets less aside; at ", &least, " the pool is tiny."].concat())
            }
        },
        Verdict::TooHigh => say("Lowering the fraction sets more aside."),
        Verdict::Starts => {
            let start = match report.inputs.dynamic_need {
                Some(need) => {
                    say("Activations and CUDA graphs are expected to take ").say(&format::gib(need)).say(" of that.")
                }
                None => say("Activations and CUDA graphs must fit into that."),
            };
            if is_cut(report) {
                start
                    .say(" ")
                    .code("--max-total-tokens")
                    .say(" cuts the pool from ")
                    .say(&format::tokens(report.breakdown.tokens))
                    .say(".")
            } else {
                start
            }
        }
    }
}

/// What the fraction's slider says: the value and what follows from it.
pub fn spoken(report: &Report) -> String {
    let value = format::fraction(report.inputs.fraction);
    let rest = report.breakdown.rest;
    let outcome = match report.verdict {
        Verdict::NoFractionWorks => ": no fraction works".to_owned(),
        Verdict::CannotStart if rest.0 <= 0.0 => [": short by ", &format::gib(-rest), ", will not start"].concat(),
        Verdict::CannotStart => ": holds not one page, will not start".to_owned(),
        Verdict::TooHigh => {
            [": starts, then runs out of memory, ", &format::gib(report.breakdown.reserved), " set aside"].concat()
        }
        Verdict::Starts => [
            ": starts, ",
            &format::gib(pool(report)),
            " for the KV cache, ",
            &format::tokens(report.breakdown.pool_tokens),
        ]
        .concat(),
    };
    value + &outcome
}

/// The cap takes less than what is left.
fn is_cut(report: &Report) -> bool {
    report.breakdown.pool_tokens < report.breakdown.tokens.floor_to_page(report.inputs.page_size)
}

/// What the pool takes: all that is left, unless the cap cuts it.
fn pool(report: &Report) -> Gib {
    if is_cut(report) { report.breakdown.pool_tokens.times(report.inputs.cell) } else { report.breakdown.rest }
}

fn cap_is_the_reason(report: &Report) -> bool {
    report.breakdown.tokens >= page(report)
}

fn page(report: &Report) -> Tokens {
    Tokens(i64::try_from(report.inputs.page_size).unwrap_or(i64::MAX))
}

fn cap(report: &Report) -> Tokens {
    Tokens(report.inputs.max_total_tokens.and_then(|cap| i64::try_from(cap).ok()).unwrap_or(i64::MAX))
}

fn need(report: &Report) -> Gib {
    report.inputs.dynamic_need.unwrap_or_default()
}

/// The largest fraction that works, as a value to type.
pub fn highest(report: &Report) -> String {
    format::fraction_to_type(report.band.largest().map_or(0.0, Fraction::get))
}

/// The value just below the smallest fraction that starts, for the words "cannot start up to".
pub(super) fn last_that_fails(least: Fraction) -> String {
    format::fraction_to_type(decimal::thousandths(least.get()) - 0.001)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{evaluate, query::decode};

    fn report(query: &str) -> Report {
        evaluate(&decode(query).scenario).report
    }

    #[test]
    fn headlines() {
        for (query, words) in [
            ("", "Cannot start: the KV cache is short by 20.603 GiB. The smallest fraction that starts is 0.770."),
            ("f=0.88", "Starts with 10.417 GiB for the KV cache: 159,171 tokens."),
            // 1000 × 70,272 bytes, whatever the fraction leaves.
            ("f=0.88&cap=1000", "Starts with 0.065 GiB for the KV cache: 1,000 tokens."),
            (
                "f=0.92&dyn=9.5",
                "Starts, then runs out of memory: 7.520 GiB are set aside and 9.500 GiB are needed. The largest \
                 fraction that works is 0.898.",
            ),
            (
                "f=0.95&total=80&avail=70&dyn=5.12",
                "Starts, then runs out of memory: 4.000 GiB are set aside and 5.120 GiB are needed. The largest \
                 fraction that works is 0.935.",
            ),
            (
                "dyn=30",
                "No fraction works: starting takes at least 0.770, and activations and graphs allow at most 0.680.",
            ),
            (
                "f=0.88&cap=63&page=64",
                "Cannot start: --max-total-tokens allows 63 tokens, and that is less than one page of 64 tokens.",
            ),
            ("avail=95", "These numbers contradict each other: 95.000 GiB free after the weights, 93.999 GiB before."),
            (
                "avail=0&f=1",
                "Cannot start: nothing is left for the KV cache. No fraction starts: the weights leave too little.",
            ),
        ] {
            assert_eq!(headline(&report(query)).plain(), words, "{query}");
        }
    }

    #[test]
    fn a_plan_says_that_it_is_one() {
        let told = |query: &str| {
            let scenario = decode(query).scenario;
            let report = evaluate(&scenario).report;
            (headline_of(&scenario, &report).plain(), lead_of(&scenario, &report).plain())
        };
        let planned = "Plan says which of these numbers are estimates, and how far off.";
        // A slider that was moved since makes them other numbers than those of that run.
        let mut moved = decode("model=nope&gpu=h100").scenario;
        moved.fraction = Fraction::clamped(0.6);
        assert!(!moved.is_unfilled());
        for query in ["model=nope&gpu=h100", "gpu=h100"] {
            let (headline, lead) = told(query);
            assert_eq!(headline, "No numbers for this server yet.", "{query}");
            assert!(lead.starts_with("Below stand those of the failing run.") && !lead.contains(planned));
        }
        let (headline, lead) = told("f=0.88&model=kimi-k2.5&gpu=h100");
        assert_eq!(headline, "Starts with 10.417 GiB for the KV cache: 159,171 tokens.");
        assert!(lead.ends_with(planned), "{lead}");
        for query in ["", "f=0.88", "preset=baseline-0.88&gpu=h100"] {
            assert!(!told(query).1.contains(planned), "{query}");
        }
    }

    #[test]
    fn leads() {
        assert_eq!(
            lead(&report("")).plain(),
            "The weights fill 76.9 % of what was free at the start. At --mem-fraction-static 0.55, weights \
             and KV cache together may use only 55 % of it; 42.300 GiB are set aside. Raising it sets less aside; at \
             0.770 the pool is tiny."
        );
        assert!(lead(&report("avail=0")).plain().ends_with("are set aside. Even with nothing set aside no page fits."));
        assert!(lead(&report("f=0.88&cap=1000")).plain().ends_with("cuts the pool from 159,171 tokens."));
        assert!(
            lead(&report("f=1"))
                .plain()
                .ends_with("may use 100 % of it. Nothing is set aside: capturing CUDA graphs will run out of memory.")
        );
        assert!(lead(&report("f=1&dyn=0")).plain().ends_with("are expected to take 0.000 GiB of that."));
        assert!(lead(&report("f=1&dyn=1")).plain().ends_with("Lowering the fraction sets more aside."));
        assert!(lead(&report("avail=95")).plain().starts_with("More is free after the weights than before"));
        assert!(lead(&report("f=0.88&dyn=9.5")).plain().contains("expected to take 9.500 GiB of that."));
    }

    #[test]
    fn the_slider_says_the_consequence() {
        assert_eq!(spoken(&report("")), "0.55: short by 20.603 GiB, will not start");
        assert_eq!(spoken(&report("f=0.88")), "0.88: starts, 10.417 GiB for the KV cache, 159,171 tokens");
    }
}

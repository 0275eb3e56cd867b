//! What the presets show, what changed since one, and what fits into the pool.

use super::Rich;
use crate::budget::{Inputs, Report, Rounding, Term, compare, evaluate};
use crate::catalog::case::PRINTED_TOKENS;
use crate::catalog::presets::Preset;
use crate::format;
use crate::scenario::Scenario;
use crate::units::{Fraction, Gib, Tokens};

/// The short name of a preset.
pub fn preset_name(preset: &Preset) -> &'static str {
    match preset.id {
        "custom-allreduce-0.55" => "0.55 custom all-reduce",
        "lowered-0.50" => "0.50 lowered",
        "misread-physical-96" => "“the card has 96 GB”",
        "by-hand-0.55" => "0.55 by hand",
        "by-hand-0.88" => "0.88 by hand",
        "ipc-buffers-24mb" => "24 MiB of buffers",
        "bar-mappings-224mb" => "224 MiB of mappings",
        "one-gpu-100mb-short" => "one GPU 100 MiB short",
        _ => "0.88 baseline",
    }
}

/// What a preset shows, with its own numbers.
pub fn caption(preset: &'static Preset) -> Rich {
    let inputs = Scenario::from_preset(preset).inputs();
    let report = evaluate(&inputs);
    let failing = Scenario::default().inputs();
    let moved = compare(&failing, &inputs);
    let say = |text: &str| Rich::new().say(text);
    match preset.id {
        "custom-allreduce-0.55" => {
            let rounding = Rounding::as_shown(&inputs);
            say("The failing run of the week. Its debug print said ")
                .say(&format::tokens(Tokens(PRINTED_TOKENS)))
                .say("; from the same print’s three decimals follow ")
                .term(Term::Tokens, &format::whole(report.breakdown.tokens.0))
                .say(". Three decimals leave ± ")
                .say(&format::whole(rounding.tokens_half_width().0))
                .say(" tokens open.")
        }
        "lowered-0.50" => say("Lowered “to free memory”, and it got worse: each 0.01 less sets another ")
            .say(&format::gib(Gib(inputs.total.0 / 100.0)))
            .say(" aside."),
        "misread-physical-96" => say("The tempting misreading: ")
            .term(Term::Total, "total")
            .say(" taken for the card’s 96 GB. It is what was free before the weights, ")
            .say(&format::gib(failing.total))
            .say("."),
        "by-hand-0.55" => say("The failing run by hand, from a log with two decimals: ")
            .say(&format::gib(moved.rest))
            .say(" off the print."),
        "by-hand-0.88" => {
            say("The working run by hand, from a log with two decimals. Its log said 10.42 GB, which is GiB.")
        }
        "ipc-buffers-24mb" => say("The first suspect: 24 MiB of all-reduce buffers. They move the rest by ")
            .term(Term::Rest, &format::difference(moved.rest))
            .say("; ")
            .say(&format::gib(-failing_rest(&failing)))
            .say(" are missing. Acquitted."),
        "bar-mappings-224mb" => say("The second suspect: 224 MiB of mapped peer memory. They move the rest by ")
            .term(Term::Rest, &format::difference(moved.rest))
            .say(". Acquitted."),
        "one-gpu-100mb-short" => {
            let both = Inputs { available: inputs.available - (failing.total - inputs.total), ..inputs };
            say("The fullest GPU counts for all. With 100 MiB less before the weights, less is set aside: the rest moves by ")
                .term(Term::Rest, &format::difference(moved.rest))
                .say(". If 100 MiB are missing after the weights too, by ")
                .say(&format::difference(compare(&failing, &both).rest))
                .say(".")
        }
        _ => say(
            "The working run. Nobody had typed a fraction: SGLang picked 0.88 itself. Its log said 10.42 GB and 159K tokens.",
        ),
    }
}

fn failing_rest(failing: &Inputs) -> Gib {
    evaluate(failing).breakdown.rest
}

/// What changed between two sets of inputs and which input did it; `None` where the rest is the same.
pub fn change(from: &Inputs, to: &Inputs) -> Option<Rich> {
    let difference = compare(from, to);
    if difference.rest.0 == 0.0 {
        return None;
    }
    let (was, is) = (evaluate(from).breakdown.rest, evaluate(to).breakdown.rest);
    let mut text = Rich::new()
        .say("was ")
        .say(&format::gib(was))
        .say(" → is ")
        .term(Term::Rest, &format::gib(is))
        .say(" (")
        .say(&format::difference(difference.rest))
        .say("): ");
    let parts = [
        (Term::Fraction, "fraction ", difference.fraction),
        (Term::Total, "total ", difference.total),
        (Term::Available, "available ", difference.available),
    ];
    for (position, (term, name, amount)) in parts.into_iter().enumerate() {
        let separator = if position == 0 { "" } else { " · " };
        let words = [name, &format::difference(amount)].concat();
        text = text.say(separator).term(term, &words);
    }
    Some(text)
}

/// How many requests of full context length the pool holds.
pub fn capacity(report: &Report, context: u64) -> String {
    let pool = report.breakdown.pool_tokens.0;
    let context = i64::try_from(context.max(1)).unwrap_or(i64::MAX);
    let length = format::tokens(Tokens(context));
    match pool / context {
        _ if pool == 0 => ["no pool: not one request of ", &length, " fits"].concat(),
        0 => ["not even one request of ", &length, " fits; a prompt longer than the pool is rejected"].concat(),
        1 => ["1 request of ", &length, " fits"].concat(),
        requests => [&format::whole(requests), " requests of ", &length, " fit"].concat(),
    }
}

/// One fraction in a few words: its outcome.
pub fn outcome(report: &Report) -> String {
    if report.breakdown.pool_tokens.0 == 0 {
        return "cannot start".to_owned();
    }
    if report.is_too_high() {
        return "starts, then runs out of memory".to_owned();
    }
    format::tokens(report.breakdown.pool_tokens)
}

/// One row of the curve's table: fraction, reserved, left, outcome.
pub fn point(inputs: &Inputs, fraction: Fraction) -> [String; 4] {
    let report = evaluate(&Inputs { fraction, ..*inputs });
    [
        format::fraction(fraction),
        format::gib_number(report.breakdown.reserved),
        format::gib_number(report.breakdown.rest),
        outcome(&report),
    ]
}

/// The read-out of the curve: `at 0.80: 2.897 GiB, 44,275 tokens`.
pub fn read_out(inputs: &Inputs, fraction: Fraction) -> String {
    let report = evaluate(&Inputs { fraction, ..*inputs });
    ["at ", &format::fraction(fraction), ": ", &format::gib(report.breakdown.rest), ", ", &outcome(&report)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::presets::{PRESETS, by_id};

    #[test]
    fn every_preset_has_its_own_name_and_caption() {
        let mut names: Vec<_> = PRESETS.iter().map(preset_name).collect();
        let mut captions: Vec<_> = PRESETS.iter().map(|preset| caption(preset).plain()).collect();
        names.sort_unstable();
        names.dedup();
        captions.sort_unstable();
        captions.dedup();
        assert_eq!((names.len(), captions.len()), (PRESETS.len(), PRESETS.len()));
    }

    #[test]
    fn captions_carry_the_numbers_of_the_week() {
        for (id, words) in [
            ("custom-allreduce-0.55", "−314,811 tokens; from the same print’s three decimals follow −314,803"),
            ("custom-allreduce-0.55", "± 11 tokens"),
            ("lowered-0.50", "another 0.940 GiB aside"),
            ("misread-physical-96", "93.999 GiB"),
            ("ipc-buffers-24mb", "by −13.2 MiB; 20.603 GiB are missing"),
            ("bar-mappings-224mb", "by −123.2 MiB"),
            ("one-gpu-100mb-short", "moves by +45.0 MiB. If 100 MiB are missing after the weights too, by −55.0 MiB"),
        ] {
            let text = caption(by_id(id).expect("a preset")).plain();
            assert!(text.contains(words), "{id}: {text}");
        }
    }

    #[test]
    fn the_change_names_its_cause() {
        let (from, to) =
            (Scenario::default().inputs(), Scenario::from_preset(by_id("baseline-0.88").expect("a preset")).inputs());
        assert_eq!(
            change(&from, &to).map(|text| text.plain()).as_deref(),
            Some("was −20.603 GiB → is 10.417 GiB (+31.020 GiB): fraction +31.020 GiB · total 0 GiB · available 0 GiB")
        );
        assert_eq!(change(&from, &from), None);
    }

    #[test]
    fn the_curve_reads_aloud() {
        let inputs = Scenario::default().inputs();
        let at = |share| read_out(&inputs, Fraction::new(share).expect("a share"));
        assert_eq!(at(0.88), "at 0.88: 10.417 GiB, 159,171 tokens");
        assert_eq!(at(0.5), "at 0.50: −25.303 GiB, cannot start");
    }

    #[test]
    fn requests() {
        let report = evaluate(&Scenario::from_preset(by_id("baseline-0.88").expect("a preset")).inputs());
        assert_eq!(capacity(&report, 32768), "4 requests of 32,768 tokens fit");
        assert_eq!(capacity(&report, 100_000), "1 request of 100,000 tokens fits");
        assert!(capacity(&report, 262_144).starts_with("not even one request"));
        assert!(capacity(&evaluate(&Scenario::default().inputs()), 1).starts_with("no pool"));
    }
}

//! What stands in the places of the texts: the week's numbers, each computed from a preset or read from the record, and
//! the numbers of the scenario.

use crate::budget::{Breakdown, Inputs, Report, Rounding, compare, evaluate};
use crate::catalog::case::{self, measured};
use crate::catalog::presets;
use crate::decimal;
use crate::engines::sglang::{Version, messages};
use crate::format;
use crate::scenario::Scenario;
use crate::units::{Fraction, Gib};

/// What a name stands for.
type Row<F> = (&'static str, F);
/// A number of the scenario.
type OfReport = fn(&Report) -> String;

/// The release that the case ran.
const RELEASE: Version = Version::new(0, 5, 9);
/// The first release that counts a draft model's weights before the pool.
const COUNTS_DRAFTS: Version = Version::new(0, 5, 14);

/// A run or a belief of the week, by its id.
pub fn run(id: &str) -> Scenario {
    Scenario::from_preset(presets::by_id(id).unwrap_or(presets::default()))
}

fn inputs(id: &str) -> Inputs {
    run(id).inputs()
}

fn parts(id: &str) -> Breakdown {
    Breakdown::of(&inputs(id))
}

/// The run that the story begins with.
pub const FAILING: &str = "custom-allreduce-0.55";
/// The run that they made of it.
pub const LOWERED: &str = "lowered-0.50";
/// The run that worked.
pub const WORKING: &str = "baseline-0.88";
/// `total` taken for the card.
pub const MISREAD: &str = "misread-physical-96";
/// The first suspect.
pub const BUFFERS: &str = "ipc-buffers-24mb";
/// The second suspect.
pub const MAPPINGS: &str = "bar-mappings-224mb";
/// One GPU with less memory than the others.
pub const ONE_SHORT: &str = "one-gpu-100mb-short";

/// The failing run with another fraction.
pub fn failing_at(fraction: f64) -> Inputs {
    Inputs { fraction: Fraction::clamped(fraction), ..inputs(FAILING) }
}

/// The fraction of the bet for more: as far up as they went down.
pub fn raised() -> Inputs {
    failing_at(2.0 * inputs(FAILING).fraction.get() - inputs(LOWERED).fraction.get())
}

/// How the rest of the failing run moves to that of another.
pub fn moved(id: &str) -> Gib {
    compare(&inputs(FAILING), &inputs(id)).rest
}

/// What the failing run lacks.
pub fn gap() -> Gib {
    -parts(FAILING).rest
}

/// How much less memory a suspect leaves before the weights.
pub fn size(id: &str) -> Gib {
    inputs(FAILING).total - inputs(id).total
}

/// Whole MiB.
pub fn mib(amount: Gib) -> String {
    format::number(amount.0 * 1024.0, 0) + " MiB"
}

fn edge(inputs: &Inputs) -> String {
    evaluate(inputs).band.suggested.map_or("1".to_owned(), |least| format::fraction_to_type(least.get()))
}

fn one_decimal(amount: f64) -> String {
    format::number(amount, 1) + " GiB"
}

/// The week's own numbers.
const WEEK: [Row<fn() -> String>; 55] = [
    ("gpus", || format::whole(case::GPUS)),
    ("card", || format::whole(case::CARD_GB)),
    ("spec_tps", || format::number(case::TOKENS_PER_SECOND[0], 1)),
    ("base_tps", || format::number(case::TOKENS_PER_SECOND[1], 1)),
    ("allreduces", || format::whole(case::ALL_REDUCES)),
    ("minutes", || format::whole(case::SECONDS_TO_PRINT / 60)),
    ("seconds", || format::whole(case::SECONDS_TO_PRINT)),
    ("handles", || format::whole(case::HANDLES)),
    ("days", || format::whole(case::DAYS_UNCHANGED)),
    ("mib8", || format::whole(case::BUFFER_MIB) + " MiB"),
    ("mib24", || mib(size(BUFFERS))),
    ("mib100", || mib(size(ONE_SHORT))),
    ("mib224", || mib(size(MAPPINGS))),
    ("f050", || format::fraction(inputs(LOWERED).fraction)),
    ("f055", || format::fraction(inputs(FAILING).fraction)),
    ("f060", || format::fraction(raised().fraction)),
    ("f088", || format::fraction(inputs(WORKING).fraction)),
    ("total", || format::gib(inputs(FAILING).total)),
    ("rest055", || format::gib(parts(FAILING).rest)),
    ("short055", || format::gib(gap())),
    ("rest050", || format::gib(parts(LOWERED).rest)),
    ("rest060", || format::gib(Breakdown::of(&raised()).rest)),
    ("rest088", || format::gib(parts(WORKING).rest)),
    ("rest096", || format::gib(parts(MISREAD).rest)),
    ("byhand055", || format::gib(parts("by-hand-0.55").rest)),
    ("reserved050", || format::gib(parts(LOWERED).reserved)),
    ("reserved055", || format::gib(parts(FAILING).reserved)),
    ("reserved088", || format::gib(parts(WORKING).reserved)),
    ("more050", || format::gib(-moved(LOWERED))),
    ("hundredth", || format::gib(Gib(inputs(FAILING).total.0 / 100.0))),
    ("edge", || edge(&inputs(FAILING))),
    ("minf", || format::number(evaluate(&inputs(FAILING)).band.min_fraction.unwrap_or(0.0), 4)),
    ("up100", || format::difference(moved(ONE_SHORT))),
    ("down100", || {
        let both = Inputs { available: inputs(FAILING).available - size(ONE_SHORT), ..inputs(ONE_SHORT) };
        format::difference(compare(&inputs(FAILING), &both).rest)
    }),
    ("move24", || format::difference(moved(BUFFERS))),
    ("move224", || format::difference(moved(MAPPINGS))),
    ("share24", || format::percent(size(BUFFERS).0 / gap().0)),
    ("gain", || format::gib(moved(WORKING))),
    ("kv088", || format::number(parts(WORKING).rest.0, 2)),
    ("tokens088", || format::whole(parts(WORKING).tokens.0)),
    ("tokens055", || format::whole(parts(FAILING).tokens.0)),
    ("printed", || format::whole(case::PRINTED_TOKENS)),
    ("rounding", || format::whole(Rounding::as_shown(&inputs(FAILING)).tokens_half_width().0)),
    ("refusal", || messages::refusal(RELEASE, &evaluate(&inputs(FAILING)))),
    ("print", || debug_print()),
    ("starts", || format::whole(measured::STARTS)),
    ("used", || format::number(measured::USED, 1)),
    ("kept", || one_decimal(measured::RESERVED)),
    ("capture_low", || format::number(measured::CAPTURE[0], 1)),
    ("capture_high", || one_decimal(measured::CAPTURE[1])),
    ("stays_low", || format::number(measured::STAYS[0], 1)),
    ("stays_high", || one_decimal(measured::STAYS[1])),
    ("logprob", || format::number(measured::LOGPROB_MIB, 0) + " MiB"),
    ("killed", || format::number(measured::KILLED_AT, 2)),
    ("v_draft", || COUNTS_DRAFTS.text()),
];

/// The numbers of the scenario.
const NOW: [Row<OfReport>; 20] = [
    ("fraction", |now| format::fraction(now.inputs.fraction)),
    ("total", |now| format::gib(now.inputs.total)),
    ("available", |now| format::gib(now.inputs.available)),
    ("weights", |now| format::gib(now.breakdown.weights)),
    ("weights_share", |now| format::percent(now.weights_share())),
    ("reserved", |now| format::gib(now.breakdown.reserved)),
    ("rest", |now| format::gib(now.breakdown.rest)),
    ("short", |now| format::gib(-now.breakdown.rest)),
    ("tokens", |now| format::whole(now.breakdown.tokens.0)),
    ("pool", |now| format::whole(now.breakdown.pool_tokens.0)),
    ("cell", |now| format::cell(now.inputs.cell) + " bytes"),
    ("hundredth", |now| format::gib(Gib(now.inputs.total.0 / 100.0))),
    ("moved", |now| format::difference(compare(&inputs(FAILING), &now.inputs).rest)),
    ("edge", |now| edge(&now.inputs)),
    ("total_log", |now| decimal::write(now.inputs.total.0, 2)),
    ("available_log", |now| decimal::write(now.inputs.available.0, 2)),
    ("weights_log", |now| decimal::write(now.breakdown.weights.0, 2)),
    ("pool_log", |now| messages::pool_allocated(now)),
    ("end_log", |now| messages::pool_end(now)),
    ("verdict_log", |now| {
        let fails = now.breakdown.pool_tokens.0 == 0;
        if fails { messages::refusal(Version::NEWEST, now) } else { messages::pool_allocated(now) }
    }),
];

/// A value of the week; `None` for a name that is none.
pub fn week(name: &str) -> Option<String> {
    WEEK.iter().find(|(known, _)| *known == name).map(|(_, value)| value())
}

/// A value of the scenario; `None` for a name that is none.
pub fn now(name: &str, report: &Report) -> Option<String> {
    NOW.iter().find(|(known, _)| *known == name).map(|(_, value)| value(report))
}

/// The line that they patched in, as it came out.
fn debug_print() -> String {
    let (inputs, parts) = (inputs(FAILING), parts(FAILING));
    let three = |amount: Gib| decimal::write_by_hand(amount.0, 3) + " GiB";
    [
        "avail=",
        &three(inputs.available),
        ", total=",
        &three(inputs.total),
        ", fraction=",
        &format::fraction(inputs.fraction),
        ", reserved=",
        &three(parts.reserved),
        ", rest=",
        &three(parts.rest),
        ", cell_size=",
        &decimal::write(inputs.cell.get(), 0),
        ", max_tokens=",
        &decimal::write(case::PRINTED_TOKENS as f64, 0),
    ]
    .concat()
}

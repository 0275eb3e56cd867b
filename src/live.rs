//! Everything on the page that follows from the scenario, by name.
//!
//! The page's HTML names what stands where: `data-words="reserved"`. These tables say what that is. The build reads them
//! to write the default scenario into the delivered HTML; the living page reads them to keep it true. So there is one
//! markup, nothing jumps when the program takes over, and every number on the page is a row here.

use crate::budget::{Report, Rounding, evaluate};
use crate::engines::sglang::{Version, messages};
use crate::plot::bars::{Bars, Segment};
use crate::plot::scene::{ZoneKind, zones};
use crate::scenario::query::encode;
use crate::scenario::slider::{self, SLIDERS};
use crate::scenario::{Scenario, Versus};
use crate::text::{self, Rich};
use crate::{decimal, format};

/// What the page is about right now.
pub struct Here<'a> {
    /// What the reader chose.
    pub scenario: &'a Scenario,
    /// What follows.
    pub report: &'a Report,
    bars: Bars,
    ghost: Bars,
}

impl<'a> Here<'a> {
    /// Lays out what several rows need.
    pub fn new(scenario: &'a Scenario, report: &'a Report) -> Self {
        let base = evaluate(&Scenario::from_preset(scenario.base()).inputs());
        Self { scenario, report, bars: Bars::of(report), ghost: Bars::of(&base) }
    }

    fn starts(&self) -> bool {
        self.report.breakdown.pool_tokens.0 > 0
    }
}

/// A name in the HTML and what it stands for.
pub type Row<T> = (&'static str, fn(&Here) -> T);

/// `data-words`: the element's text.
pub const WORDS: [Row<String>; 23] = [
    ("total", |here| format::gib(here.report.inputs.total)),
    ("total-number", |here| format::gib_number(here.report.inputs.total)),
    ("available", |here| format::gib_number(here.report.inputs.available)),
    ("weights", |here| format::gib_number(here.report.breakdown.weights)),
    ("fraction", |here| format::fraction(here.report.inputs.fraction)),
    ("budget", |here| format::gib_number(here.report.breakdown.static_budget)),
    ("reserved", |here| format::gib_number(here.report.breakdown.reserved)),
    ("rest", |here| format::gib(here.report.breakdown.rest)),
    ("rest-bytes", |here| format::whole(here.report.breakdown.rest_bytes.0)),
    ("room", |here| {
        if here.starts() {
            [" · ", &format::tokens(here.report.breakdown.pool_tokens)].concat()
        } else {
            String::new()
        }
    }),
    ("cell", |here| format::cell(here.report.inputs.cell)),
    ("tokens", |here| format::whole(here.report.breakdown.tokens.0)),
    ("rounding", |here| {
        let rounding = Rounding::as_shown(&here.report.inputs);
        let tokens = format::whole(rounding.tokens_half_width().0);
        let decimals = format::whole(i64::from(rounding.decimals));
        [" ± ", &tokens, ", if total and available were rounded to ", &decimals, " decimals"].concat()
    }),
    ("summary", |here| text::summary(here.report)),
    ("zones", |here| text::zones(here.report)),
    ("scale", |here| format::gib(here.bars.scale)),
    ("printed-by", |here| if here.starts() { "the log says" } else { "SGLang 0.5.9" }.to_owned()),
    ("printed", |here| {
        if here.starts() {
            messages::pool_allocated(here.report)
        } else {
            messages::refusal(Version::new(0, 5, 9), here.report)
        }
    }),
    ("printed-new-by", |here| {
        if here.starts() { "and then, at most".to_owned() } else { ["SGLang ", &Version::NEWEST.text()].concat() }
    }),
    ("printed-new", |here| {
        if here.starts() { messages::pool_end(here.report) } else { messages::refusal(Version::NEWEST, here.report) }
    }),
    ("since-name", |here| match here.scenario.versus {
        Some(Versus::Preset(preset)) => text::preset_name(preset).to_owned(),
        // It has no name; it is known by its fraction.
        Some(_) => here.scenario.versus_inputs().map(|other| format::fraction(other.fraction)).unwrap_or_default(),
        None => text::preset_name(here.scenario.base()).to_owned(),
    }),
    ("capacity", |here| {
        let words = here.scenario.context.map(|context| text::capacity(here.report, context)).unwrap_or_default();
        if !words.is_empty() && here.scenario.plan.dp > Some(1) { words + " on each DP rank" } else { words }
    }),
    ("sensitivity", |here| text::sensitivity(here.report)),
];

/// `data-sentence`: the element's text with terms in it.
pub const SENTENCES: [Row<Rich>; 4] = [
    ("headline", |here| text::headline_of(here.scenario, here.report)),
    ("lead", |here| text::lead_of(here.scenario, here.report)),
    ("caption", |here| text::caption(here.scenario.matching_preset().unwrap_or(here.scenario.base()))),
    ("since", |here| {
        let to = here.scenario.inputs();
        let from =
            here.scenario.versus_inputs().unwrap_or_else(|| Scenario::from_preset(here.scenario.base()).inputs());
        text::change(&from, &to).unwrap_or_default()
    }),
];

/// `data-from`, `data-size`, `data-until`: a share of a bar, as the custom property of that name.
pub const SHARES: [Row<f64>; 14] = [
    ("zero", |_| 0.0),
    ("weights-end", |here| here.bars.free[0].end),
    ("available-size", |here| size(here.bars.free[1])),
    ("available-end", |here| here.bars.free[1].end),
    ("budget-end", |here| here.bars.budget[0].end),
    ("reserved-size", |here| size(here.bars.budget[1])),
    ("reserved-end", |here| here.bars.budget[1].end),
    ("rest-start", |here| here.bars.rest.start),
    ("rest-end", |here| here.bars.rest.end),
    ("rest-words", |here| {
        let Segment { start, end, .. } = here.bars.rest;
        match (side(here), here.bars.overdraft) {
            (Side::After, false) | (Side::Before, true) => end,
            (Side::Before, false) | (Side::After, true) => start,
            (Side::Middle, _) => f64::midpoint(start, end),
        }
    }),
    ("ghost-weights", |here| here.ghost.free[0].end),
    ("ghost-budget", |here| here.ghost.budget[0].end),
    ("fraction", |here| here.report.inputs.fraction.get()),
    ("min-fraction", |here| here.report.band.suggested.map_or(1.0, |least| least.get())),
];

/// A name in the HTML, the attribute that it sets, and its value.
pub type MarkRow = (&'static str, &'static str, fn(&Here) -> Option<String>);

/// `data-mark`: an attribute of the element, by name of the row; absent where there is no value.
pub const MARKS: [MarkRow; 12] = [
    ("verdict", "data-verdict", |here| Some(here.report.verdict.id().to_owned())),
    ("overdraft", "data-overdraft", |here| Some(if here.bars.overdraft { "true" } else { "false" }.to_owned())),
    ("side", "data-side", |here| Some(side(here).name().to_owned())),
    ("since", "hidden", |here| {
        let unchanged = here.scenario.matching_preset() == Some(here.scenario.base()) && here.scenario.versus.is_none();
        unchanged.then(String::new)
    }),
    ("ghost-weights", "hidden", |here| (here.ghost.free[0] == here.bars.free[0]).then(String::new)),
    ("ghost-budget", "hidden", |here| (here.ghost.budget[0] == here.bars.budget[0]).then(String::new)),
    ("spoken-f", "aria-valuetext", |here| Some(text::spoken(here.report))),
    ("spoken-total", "aria-valuetext", |here| Some(format::gib(here.report.inputs.total))),
    ("spoken-avail", "aria-valuetext", |here| Some(format::gib(here.report.inputs.available))),
    ("spoken-cell", "aria-valuetext", |here| Some(format::cell(here.report.inputs.cell) + " bytes")),
    ("band", "data-band", |here| {
        let known = here.report.inputs.dynamic_need.is_some();
        Some(if known { "known" } else { "open" }.to_owned())
    }),
    // From an embed to the same state on the page.
    ("whole", "href", |here| Some(whole_page(&encode(here.scenario)))),
];

/// `data-value`: the value of an input.
pub const VALUES: [Row<String>; 13] = [
    ("f", |here| decimal::write_trimmed(here.report.inputs.fraction.get(), 9, 3)),
    ("total", |here| decimal::write_trimmed(here.report.inputs.total.0, 9, 3)),
    ("avail", |here| decimal::write_trimmed(here.report.inputs.available.0, 9, 3)),
    ("cell", |here| decimal::write_trimmed(here.report.inputs.cell.get(), 9, 0)),
    ("dyn", |here| optional(here.scenario.dynamic_need.map(|need| need.0))),
    ("ctx", |here| optional(here.scenario.context.map(|context| context as f64))),
    ("page", |here| optional(Some(here.scenario.page_size as f64))),
    ("cap", |here| optional(here.scenario.max_total_tokens.map(|cap| cap as f64))),
    ("slide-f", |here| step(here, "f")),
    ("slide-total", |here| step(here, "total")),
    ("slide-avail", |here| step(here, "avail")),
    ("slide-cell", |here| step(here, "cell")),
    ("handle", |here| step(here, "f")),
];

/// `data-turn`: the parts of the page that wait for a turn of their own after an edit; the others follow at once.
pub const TURNS: [&str; 3] = ["1", "2", "3"];

/// One piece of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What it is, as `data-zone`; empty where it is nothing special.
    pub kind: &'static str,
    /// Its share, as `--from`.
    pub share: f64,
    /// Its words.
    pub words: String,
}

/// `data-list`: as many children as there are items.
pub const LISTS: [Row<Vec<Item>>; 2] = [
    ("ticks", |here| {
        // The last tick would touch the label of the full scale, on a phone a long one sooner.
        let last = if here.bars.scale.0 < 1000.0 { 0.76 } else { 0.7 };
        let apart = here.bars.ticks.iter().filter(|tick| tick.at <= last);
        apart.map(|tick| Item { kind: "", share: tick.at, words: tick.label.clone() }).collect()
    }),
    ("zones", |here| {
        let item = |kind: ZoneKind, share| Item { kind: kind.id(), share, words: String::new() };
        zones(here.report).into_iter().map(|zone| item(zone.kind, zone.to - zone.from)).collect()
    }),
];

/// The row with this name.
pub fn row<T: Copy>(rows: &[(&str, T)], name: &str) -> Option<T> {
    rows.iter().find(|(key, _)| *key == name).map(|(_, of)| *of)
}

/// The address of a query on the page itself: without its last keys, which are those of the embed's shell.
fn whole_page(query: &str) -> String {
    let mut link = String::from("./");
    let shell = |pair: &&str| ["embed=", "theme=", "show="].iter().any(|key| pair.starts_with(key));
    for pair in query.split('&').take_while(|pair| !shell(pair)) {
        link.push(if link.len() == 2 { '?' } else { '&' });
        link.push_str(pair);
    }
    link
}

fn size(segment: Segment) -> f64 {
    segment.end - segment.start
}

/// Where the words of the rest stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Around the middle of it.
    Middle,
    /// Right of its right end; of an overdraft, its left one.
    After,
    /// Left of its left end; of an overdraft, its right one.
    Before,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Middle => "middle",
            Self::After => "after",
            Self::Before => "before",
        }
    }
}

/// So that the words never leave the bar: what is missing is written on the overdraft itself, and room that is too narrow
/// for its words has them beside it.
fn side(here: &Here) -> Side {
    let Segment { start, end, .. } = here.bars.rest;
    let middle = f64::midpoint(start, end);
    let (near, wide) = if here.bars.overdraft { (0.15, f64::INFINITY) } else { (0.38, 0.36) };
    if end - start >= wide {
        Side::Middle
    } else if middle < near {
        Side::After
    } else if middle > 1.0 - near {
        Side::Before
    } else {
        Side::Middle
    }
}

fn optional(value: Option<f64>) -> String {
    value.map(|value| decimal::write_trimmed(value, 9, 0)).unwrap_or_default()
}

fn step(here: &Here, key: &str) -> String {
    let slider = SLIDERS.iter().find(|slider| slider.key == key);
    slider.map(|slider| decimal::write(slider::step(slider, here.scenario), 0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_does_not_go_along_to_the_page() {
        assert_eq!(whole_page("f=0.88&lang=zh&embed=1&theme=dark&show=bars"), "./?f=0.88&lang=zh");
        assert_eq!(whole_page("embed=1"), "./");
        assert_eq!(whole_page("cap=5"), "./?cap=5");
        let last: Vec<&str> = crate::scenario::fields::FIELDS.iter().rev().take(3).map(|field| field.key).collect();
        assert_eq!(last, ["show", "theme", "embed"], "the shell's keys are the last");
    }
}

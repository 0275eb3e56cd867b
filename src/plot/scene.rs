//! The curve: the pool against the fraction, with the band, the current point and the runs of the worked case.

use super::scale::ticks;
use crate::budget::{self, Inputs, Report, sweep};
use crate::catalog::presets::{Kind, PRESETS};
use crate::scenario::Scenario;
use crate::units::{Fraction, within};
use crate::{decimal, format};

/// What the vertical axis counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axis {
    /// Tokens of the pool; zero where the server cannot start.
    #[default]
    Tokens,
    /// GiB left for the KV cache; negative where it cannot.
    Gib,
}

/// What happens in a range of fractions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneKind {
    /// SGLang refuses.
    CannotStart,
    /// It starts.
    Starts,
    /// It starts and runs out of memory for activations and graphs.
    TooHigh,
}

impl ZoneKind {
    /// The value of `data-zone`.
    pub fn id(self) -> &'static str {
        match self {
            Self::CannotStart => "short",
            Self::Starts => "room",
            Self::TooHigh => "high",
        }
    }
}

/// A range of fractions with one outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zone {
    /// The outcome.
    pub kind: ZoneKind,
    /// From this fraction.
    pub from: f64,
    /// To this one.
    pub to: f64,
}

/// A point in data coordinates with a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Fraction.
    pub x: f64,
    /// Tokens or GiB.
    pub y: f64,
    /// Short: the fraction and whether it starts.
    pub label: String,
}

/// Everything that the drawing needs, in data coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The lowest value on the vertical axis.
    pub bottom: f64,
    /// The highest.
    pub top: f64,
    /// Positions and labels below the plot.
    pub x_ticks: Vec<(f64, String)>,
    /// Positions and labels left of it.
    pub y_ticks: Vec<(f64, String)>,
    /// The curve.
    pub line: Vec<(f64, f64)>,
    /// The outcomes, from left to right, without gaps.
    pub zones: Vec<Zone>,
    /// Runs of the worked case; none where the scenario is another deployment.
    pub runs: Vec<Mark>,
    /// The current scenario.
    pub current: Mark,
}

/// Steps of the table beside the curve: a row every 0.05.
pub const TABLE_STEPS: u32 = 20;

/// Points of the curve; more than the widest plot has pixels between two.
const STEPS: u32 = 200;

/// The outcomes over all fractions, from left to right.
pub fn zones(report: &Report) -> Vec<Zone> {
    let band = &report.band;
    let starts = band.suggested.map_or(1.0, Fraction::get);
    let too_high = band.max_fraction.map_or(1.0, |most| within(most, 0.0, 1.0));
    let cannot = Zone { kind: ZoneKind::CannotStart, from: 0.0, to: starts };
    let works = Zone { kind: ZoneKind::Starts, from: starts, to: too_high.max(starts) };
    let dies = Zone { kind: ZoneKind::TooHigh, from: too_high.max(starts), to: 1.0 };
    [cannot, works, dies].into_iter().filter(|zone| zone.to > zone.from).collect()
}

impl Curve {
    /// The curve of a scenario.
    pub fn of(scenario: &Scenario, axis: Axis) -> Self {
        let inputs = scenario.inputs();
        let report = budget::evaluate(&inputs);
        let line: Vec<(f64, f64)> = sweep(&inputs, STEPS)
            .iter()
            .map(|point| {
                let value = match axis {
                    Axis::Tokens => point.pool_tokens.0 as f64,
                    Axis::Gib => point.rest.0,
                };
                (point.fraction.get(), value)
            })
            .collect();
        let highest = line.iter().fold(0.0_f64, |most, point| most.max(point.1));
        let lowest = line.iter().fold(0.0_f64, |least, point| least.min(point.1));
        let top = if highest > 0.0 { highest * 1.08 } else { 1.0 };
        let label = |value: f64| match axis {
            Axis::Tokens => format::tokens_short(value),
            Axis::Gib => format::number(value, 0),
        };
        Self {
            bottom: lowest,
            top,
            x_ticks: ticks(0.0, 1.0, 5).into_iter().map(|at| (at, decimal::write(at, 1))).collect(),
            y_ticks: ticks(lowest, top, 4).into_iter().map(|at| (at, label(at))).collect(),
            line: corners(&line),
            zones: zones(&report),
            runs: runs(&inputs, axis),
            current: mark(&inputs, axis),
        }
    }
}

/// The points at which the curve turns; what lies between two of them is straight to within a pixel.
///
/// Backends draw in whole pixels, and a straight line through rounded points would look like stairs.
fn corners(line: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let highest = line.iter().fold(0.0_f64, |most, point| most.max(point.1.abs()));
    let mut corners: Vec<(f64, f64)> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for &point in line {
        if let (Some(corner), Some(last)) = (corners.last(), before) {
            let straight = corner.1 + (point.1 - corner.1) * (last.0 - corner.0) / (point.0 - corner.0);
            if (straight - last.1).abs() > highest * 0.002 {
                corners.push(last);
            }
        } else {
            corners.push(point);
        }
        before = Some(point);
    }
    corners.extend(before);
    corners
}

/// The runs of the worked case, where the scenario is still that deployment.
fn runs(inputs: &Inputs, axis: Axis) -> Vec<Mark> {
    PRESETS
        .iter()
        .filter(|preset| preset.kind == Kind::Run)
        .map(|preset| Scenario::from_preset(preset).inputs())
        .filter(|run| run.total == inputs.total && run.available == inputs.available && run.cell == inputs.cell)
        .map(|run| {
            mark(&Inputs { page_size: inputs.page_size, max_total_tokens: inputs.max_total_tokens, ..run }, axis)
        })
        .collect()
}

fn mark(inputs: &Inputs, axis: Axis) -> Mark {
    let report = budget::evaluate(inputs);
    let starts = report.breakdown.pool_tokens.0 > 0;
    let y = match axis {
        Axis::Tokens => report.breakdown.pool_tokens.0 as f64,
        Axis::Gib => report.breakdown.rest.0,
    };
    let label = format::fraction(inputs.fraction) + if starts { " ✓" } else { " ✗" };
    Mark { x: inputs.fraction.get(), y, label }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::query::decode;

    fn curve(query: &str, axis: Axis) -> Curve {
        Curve::of(&decode(query).scenario, axis)
    }

    #[test]
    fn the_worked_case() {
        let curve = curve("", Axis::Tokens);
        assert_eq!(curve.line.first(), Some(&(0.0, 0.0)));
        assert_eq!(curve.line.last(), Some(&(1.0, 331525.0)));
        assert!((3..=5).contains(&curve.line.len()), "one bend: {:?}", curve.line);
        assert_eq!((curve.current.x, curve.current.y), (0.55, 0.0));
        let labels: Vec<_> = curve.runs.iter().map(|run| run.label.as_str()).collect();
        assert_eq!(labels, ["0.55 ✗", "0.50 ✗", "0.88 ✓"]);
        assert_eq!(curve.runs.last().map(|run| run.y), Some(159171.0));
        assert_eq!(
            curve.zones,
            [
                Zone { kind: ZoneKind::CannotStart, from: 0.0, to: 0.77 },
                Zone { kind: ZoneKind::Starts, from: 0.77, to: 1.0 },
            ]
        );
    }

    #[test]
    fn zones_cover_everything_once() {
        for query in ["", "dyn=9.5", "dyn=30", "dyn=0", "avail=0", "total=0", "dyn=4000"] {
            let zones = curve(query, Axis::Gib).zones;
            assert_eq!(zones.first().map(|zone| zone.from), Some(0.0), "{query}");
            assert_eq!(zones.last().map(|zone| zone.to), Some(1.0), "{query}");
            for pair in zones.windows(2) {
                assert_eq!(pair[0].to, pair[1].from, "{query}");
            }
        }
    }

    #[test]
    fn another_deployment_has_none_of_the_runs() {
        assert!(curve("total=78.7", Axis::Tokens).runs.is_empty());
    }

    #[test]
    fn gib_axis_reaches_below_zero() {
        let curve = curve("", Axis::Gib);
        assert!(curve.bottom < -72.0 && curve.top > 21.0);
        assert!(curve.y_ticks.iter().any(|(at, label)| *at == -50.0 && label == "−50"));
    }
}

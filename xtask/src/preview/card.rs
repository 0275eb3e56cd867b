//! The picture of a preset: its verdict and its bars with their numbers, 1200 × 630.

use kv_budget::exports::colors::{FREE, INK, PAPER, RESERVE, ROOM, ROOM_SOFT, SHORT, SHORT_SOFT, SOFT, WEIGHTS};
use kv_budget::format;
use kv_budget::plot::bars::{Bars, Segment};
use kv_budget::scenario::Evaluation;
use kv_budget::text;

use super::canvas::{Canvas, Ink, Style};
use crate::step::Result;

const LEFT: f32 = 60.0;
const SPAN: f32 = 1080.0;
const BAR: f32 = 56.0;

/// The picture as PNG.
pub fn png(evaluation: &Evaluation) -> Result<Vec<u8>> {
    let report = &evaluation.report;
    let parts = &report.breakdown;
    let bars = Bars::of(report);
    let mut canvas = Canvas::new(1200, 630, PAPER)?;
    let soft = Style { size: 24.0, bold: false, color: SOFT };
    let title = Style { size: 40.0, bold: true, color: INK };
    canvas.write((LEFT, 66.0), "KV Budget", Style { bold: true, ..soft });
    let flag = format!("--mem-fraction-static {}", format::fraction(report.inputs.fraction));
    canvas.write_to((LEFT + SPAN, 66.0), &flag, soft);
    // A number stays with its unit.
    let headline = text::headline(report).plain().replace(" GiB", "\u{a0}GiB").replace(" tokens", "\u{a0}tokens");
    for (index, line) in canvas.lines(&headline, title, SPAN).iter().take(3).enumerate() {
        canvas.write((LEFT, 138.0 + 54.0 * index as f32), line, title);
    }
    let [weights, available] = bars.free;
    let words = |name: &str, amount: String| format!("{name} {amount}");
    row(
        &mut canvas,
        330.0,
        [
            (weights, WEIGHTS, words("weights", format::gib_number(parts.weights))),
            (available, FREE, words("available", format::gib(report.inputs.available))),
        ],
    );
    let [budget, reserved] = bars.budget;
    row(
        &mut canvas,
        434.0,
        [
            (budget, ROOM_SOFT, words("weights + KV may use", format::gib_number(parts.static_budget))),
            (reserved, RESERVE, words("reserved", format::gib(parts.reserved))),
        ],
    );
    rest(&mut canvas, &bars, &format::gib(parts.rest));
    canvas.png()
}

fn at(share: f64) -> f32 {
    LEFT + share as f32 * SPAN
}

/// Two segments with their words above.
fn row(canvas: &mut Canvas, y: f32, [first, second]: [(Segment, Ink, String); 2]) {
    let soft = Style { size: 24.0, bold: false, color: SOFT };
    canvas.write((LEFT, y - 12.0), &first.2, soft);
    canvas.write_to((LEFT + SPAN, y - 12.0), &second.2, soft);
    for (segment, color, _) in [first, second] {
        canvas.fill((at(segment.start), y), (at(segment.end) - at(segment.start), BAR), color);
    }
}

/// What is left, or missing, and its words beside it.
fn rest(canvas: &mut Canvas, bars: &Bars, words: &str) {
    const Y: f32 = 510.0;
    let (from, to) = (at(bars.rest.start), at(bars.rest.end));
    let color = if bars.overdraft { SHORT } else { ROOM };
    if bars.overdraft {
        canvas.fill((from, Y), (to - from, BAR), SHORT_SOFT);
        canvas.hatch((from, Y), (to - from, BAR), SHORT);
    } else {
        canvas.fill((from, Y), (to - from, BAR), ROOM);
    }
    let style = Style { size: 34.0, bold: true, color };
    let width = canvas.width(words, style) + 20.0;
    if from - LEFT > LEFT + SPAN - to && from - LEFT > width {
        canvas.write_to((from - 20.0, Y + 40.0), words, style);
    } else {
        canvas.write((to + 20.0, Y + 40.0), words, style);
    }
}

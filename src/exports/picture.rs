//! Bars and curve as SVG files of their own: text as text, a title and a description, colours that hold on white.

use super::colors::{CARD, FREE, INK, LINE, RESERVE, RESERVE_EDGE, ROOM, ROOM_SOFT, SHORT, SHORT_SOFT, SOFT, WEIGHTS};
use super::escape;
use crate::decimal;
use crate::format;
use crate::plot::bars::{Bars, Segment};
use crate::plot::scene::{Axis, Curve, Mark, ZoneKind};
use crate::scenario::{Evaluation, Scenario};
use crate::text;

/// Pixels of a picture.
const WIDTH: f64 = 800.0;

/// A picture under way.
struct Picture(String);

impl Picture {
    /// Begins with its size, what it is, and white behind it.
    fn new(height: f64, title: &str, description: &str) -> Self {
        let mut picture = Self(String::new());
        let (width, height) = (number(WIDTH), number(height));
        picture.add(&[
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
            &width,
            " ",
            &height,
            "\" width=\"",
            &width,
            "\" height=\"",
            &height,
            "\" role=\"img\" aria-labelledby=\"title desc\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"14\">\
             <title id=\"title\">",
            &escape(title),
            "</title><desc id=\"desc\">",
            &escape(description),
            "</desc><rect width=\"100%\" height=\"100%\" fill=\"",
            CARD,
            "\"/>",
        ]);
        picture
    }

    fn add(&mut self, parts: &[&str]) {
        for part in parts {
            self.0.push_str(part);
        }
    }

    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        let parts = [
            "<rect x=\"",
            &x,
            "\" y=\"",
            &y,
            "\" width=\"",
            &width,
            "\" height=\"",
            &height,
            "\" fill=\"",
            fill,
            "\"/>",
        ];
        self.add(&parts);
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        self.add(&["<path d=\"M", &x1, " ", &y1, "L", &x2, " ", &y2, "\" stroke=\"", stroke, "\"/>"]);
    }

    /// Text whose anchor is `start`, `middle` or `end`.
    fn text(&mut self, (x, y): (f64, f64), anchor: &str, fill: &str, words: &str) {
        let [x, y] = [x, y].map(number);
        let words = escape(words);
        self.add(&[
            "<text x=\"",
            &x,
            "\" y=\"",
            &y,
            "\" text-anchor=\"",
            anchor,
            "\" fill=\"",
            fill,
            "\">",
            &words,
            "</text>",
        ]);
    }

    /// A title above everything.
    fn heading(&mut self, words: &str) {
        let words = escape(words);
        self.add(&[
            "<text x=\"24\" y=\"34\" font-size=\"17\" font-weight=\"600\" fill=\"",
            INK,
            "\">",
            &words,
            "</text>",
        ]);
    }

    fn end(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

fn number(value: f64) -> String {
    decimal::write_trimmed(value, 1, 0)
}

/// Where the bars begin and how wide they are.
const LEFT: f64 = 170.0;
const SPAN: f64 = WIDTH - LEFT - 30.0;
const BAR: f64 = 40.0;

/// The three bars on one scale, as on the page.
pub fn bars(evaluation: &Evaluation) -> String {
    let report = &evaluation.report;
    let parts = &report.breakdown;
    let bars = Bars::of(report);
    let at = |share: f64| LEFT + share * SPAN;
    let mut picture = Picture::new(300.0, &text::headline(report).plain(), &text::summary(report));
    picture.add(&[
        "<defs><pattern id=\"missing\" width=\"9\" height=\"9\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <rect width=\"9\" height=\"9\" fill=\"",
        SHORT_SOFT,
        "\"/><rect width=\"2\" height=\"9\" fill=\"",
        SHORT,
        "\"/></pattern></defs>",
    ]);
    picture.heading(&verdict(evaluation));
    let row = |picture: &mut Picture, y: f64, names: [&str; 2], segments: [(Segment, &str, &str, String); 2]| {
        picture.text((24.0, y + 17.0), "start", SOFT, names[0]);
        picture.text((24.0, y + 35.0), "start", INK, names[1]);
        let [first, second] = segments;
        picture.text((LEFT, y - 7.0), "start", SOFT, &[first.2, " ", &first.3].concat());
        picture.text((LEFT + SPAN, y - 7.0), "end", SOFT, &[second.2, " ", &second.3].concat());
        for (segment, fill, _, _) in [first, second] {
            picture.rect((at(segment.start), y), ((segment.end - segment.start) * SPAN, BAR), fill);
        }
    };
    let [weights, available] = bars.free;
    row(
        &mut picture,
        76.0,
        ["free at the start", &format::gib(report.inputs.total)],
        [
            (weights, WEIGHTS, "weights", format::gib_number(parts.weights)),
            (available, FREE, "available", format::gib_number(report.inputs.available)),
        ],
    );
    let [budget, reserved] = bars.budget;
    row(
        &mut picture,
        146.0,
        ["fraction", &format::fraction(report.inputs.fraction)],
        [
            (budget, ROOM_SOFT, "weights + KV may use", format::gib_number(parts.static_budget)),
            (reserved, RESERVE, "reserved", format::gib_number(parts.reserved)),
        ],
    );
    rest(&mut picture, &bars, &rest_words(evaluation));
    picture.line((LEFT, 250.0), (LEFT + SPAN, 250.0), LINE);
    for tick in bars.ticks.iter().filter(|tick| tick.at <= 0.85) {
        picture.line((at(tick.at), 250.0), (at(tick.at), 255.0), SOFT);
        picture.text((at(tick.at), 272.0), "middle", SOFT, &tick.label);
    }
    picture.text((LEFT + SPAN, 272.0), "end", SOFT, &format::gib(bars.scale));
    picture.end()
}

/// The third row: room, or what is missing, and its words where there is space for them.
fn rest(picture: &mut Picture, bars: &Bars, words: &str) {
    let Segment { start, end, .. } = bars.rest;
    let (from, to) = (LEFT + start * SPAN, LEFT + end * SPAN);
    picture.text((24.0, 222.0), "start", SOFT, "left for the KV cache");
    picture.rect((from, 198.0), (to - from, BAR), if bars.overdraft { "url(#missing)" } else { ROOM });
    let (x, anchor) = if start > 1.0 - end { (from - 8.0, "end") } else { (to + 8.0, "start") };
    picture.text((x, 223.0), anchor, if bars.overdraft { SHORT } else { ROOM }, words);
}

fn rest_words(evaluation: &Evaluation) -> String {
    let parts = &evaluation.report.breakdown;
    let rest = format::gib(parts.rest);
    if parts.pool_tokens.0 > 0 { [&rest, " · ", &format::tokens(parts.pool_tokens)].concat() } else { rest }
}

/// The first sentence of the headline: it has to fit into one line.
pub fn verdict(evaluation: &Evaluation) -> String {
    let headline = text::headline(&evaluation.report).plain();
    let end = headline
        .match_indices('.')
        .map(|(at, _)| at + 1)
        .find(|at| !headline.get(*at..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())));
    headline.get(..end.unwrap_or(headline.len())).unwrap_or_default().to_owned()
}

const PLOT_LEFT: f64 = 64.0;
const PLOT_TOP: f64 = 70.0;
const PLOT_BOTTOM: f64 = 350.0;

/// Tokens against the fraction, with the zones, the runs and the current point.
pub fn curve(scenario: &Scenario, evaluation: &Evaluation) -> String {
    let curve = Curve::of(scenario, Axis::Tokens);
    let span = WIDTH - 30.0 - PLOT_LEFT;
    let x = |fraction: f64| PLOT_LEFT + fraction * span;
    let y = |value: f64| PLOT_BOTTOM - (PLOT_BOTTOM - PLOT_TOP) * (value - curve.bottom) / (curve.top - curve.bottom);
    let about =
        ["Tokens of the KV cache against --mem-fraction-static. ", &text::zones(&evaluation.report), "."].concat();
    let mut picture = Picture::new(400.0, "Every fraction at once", &about);
    picture.heading(&verdict(evaluation));
    for zone in &curve.zones {
        let fill = match zone.kind {
            ZoneKind::CannotStart => SHORT_SOFT,
            ZoneKind::Starts => ROOM_SOFT,
            ZoneKind::TooHigh => RESERVE,
        };
        let edge = match zone.kind {
            ZoneKind::CannotStart => SHORT,
            ZoneKind::Starts => ROOM,
            ZoneKind::TooHigh => RESERVE_EDGE,
        };
        let width = x(zone.to) - x(zone.from);
        picture.rect((x(zone.from), PLOT_TOP), (width, PLOT_BOTTOM - PLOT_TOP), fill);
        picture.rect((x(zone.from), PLOT_BOTTOM - 4.0), (width, 4.0), edge);
    }
    for (value, label) in &curve.y_ticks {
        picture.line((PLOT_LEFT, y(*value)), (PLOT_LEFT + span, y(*value)), LINE);
        picture.text((PLOT_LEFT - 8.0, y(*value) + 5.0), "end", SOFT, label);
    }
    for (value, label) in &curve.x_ticks {
        picture.text((x(*value), PLOT_BOTTOM + 22.0), "middle", SOFT, label);
    }
    let points: String =
        curve.line.iter().map(|&(at, value)| [&number(x(at)), ",", &number(y(value)), " "].concat()).collect();
    picture.add(&[
        "<polyline points=\"",
        points.trim_end(),
        "\" fill=\"none\" stroke=\"",
        ROOM,
        "\" stroke-width=\"2.5\"/>",
    ]);
    let dot = |picture: &mut Picture, mark: &Mark, radius: &str, fill: &str| {
        let (at, value) = (number(x(mark.x)), number(y(mark.y)));
        picture.add(&[
            "<circle cx=\"",
            &at,
            "\" cy=\"",
            &value,
            "\" r=\"",
            radius,
            "\" fill=\"",
            fill,
            "\" stroke=\"",
            CARD,
            "\"/>",
        ]);
    };
    for run in curve.runs.iter().filter(|run| run.x != curve.current.x) {
        dot(&mut picture, run, "3.5", SOFT);
        if (run.x - curve.current.x).abs() > 0.08 {
            picture.text((x(run.x), PLOT_TOP - 8.0), "middle", SOFT, &run.label);
        }
    }
    picture.line((x(curve.current.x), PLOT_TOP), (x(curve.current.x), PLOT_BOTTOM), INK);
    dot(&mut picture, &curve.current, "5.5", INK);
    picture.text((x(curve.current.x), PLOT_TOP - 8.0), "middle", INK, &curve.current.label);
    picture.text((PLOT_LEFT + span, PLOT_BOTTOM + 42.0), "end", SOFT, "--mem-fraction-static");
    picture.text((PLOT_LEFT, PLOT_BOTTOM + 42.0), "start", SOFT, "tokens of KV cache");
    picture.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::evaluate;
    use crate::scenario::query::decode;

    fn both(query: &str) -> [String; 2] {
        let scenario = decode(query).scenario;
        let evaluation = evaluate(&scenario);
        [bars(&evaluation), curve(&scenario, &evaluation)]
    }

    #[test]
    fn the_numbers_are_text() {
        let [bars, curve] = both("");
        for words in [
            ">weights 72.302<",
            ">reserved 42.300<",
            ">−20.603 GiB<",
            ">93.999 GiB<",
            ">Cannot start: the KV cache is short by 20.603 GiB.<",
        ] {
            assert!(bars.contains(words), "{words}: {bars}");
        }
        assert!(bars.contains("<title id=\"title\">Cannot start") && bars.contains("<desc id=\"desc\">Of 93.999 GiB"));
        assert!(curve.contains(">0.55 ✗<") && curve.contains(">0.88 ✓<") && curve.contains("<desc"), "{curve}");
        assert!(both("f=0.88")[0].contains(">10.417 GiB · 159,171 tokens<"));
    }

    #[test]
    fn any_scenario_is_a_picture() {
        for query in
            ["avail=200", "total=0&avail=0", "f=1", "f=0", "dyn=30", "cell=0.001&cap=9007199254740992", "avail=0"]
        {
            for picture in both(query) {
                assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{query}");
                assert!(!picture.contains("NaN") && !picture.contains("inf"), "{query}: {picture}");
                assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
            }
        }
    }

    #[test]
    fn the_first_sentence() {
        assert_eq!(
            verdict(&evaluate(&decode("f=0.88").scenario)),
            "Starts with 10.417 GiB for the KV cache: 159,171 tokens."
        );
    }
}

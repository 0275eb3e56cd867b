//! The default scenario as plain HTML: the same words, numbers and boxes that the living page shows, so that nothing
//! jumps when it takes over. The bars are SVG with geometry in attributes, since the policy allows no inline style.

use std::fmt::Write as _;

use kv_budget::budget::{Inputs, Report, Rounding, Term, Verdict, evaluate, sweep};
use kv_budget::catalog::presets::{self, PRESETS, Preset};
use kv_budget::engines::sglang::{Version, messages};
use kv_budget::plot::bars::{Bars, Segment};
use kv_budget::plot::scene::{Axis, Curve, ZoneKind};
use kv_budget::scenario::Scenario;
use kv_budget::text::{self, Rich, Words, field_hint, field_text, preset_name};
use kv_budget::{decimal, format};

use super::escape;

/// The inside of `#app`.
pub fn default_scenario() -> String {
    let scenario = Scenario::default();
    let report = evaluate(&scenario.inputs());
    [
        verdict(&report),
        "<div class=\"bench\">".to_owned(),
        bars(&report),
        formula(&report),
        controls(&report),
        "<details class=\"more\"><summary>More: what graphs need, context length, pages, cap</summary></details></div>"
            .to_owned(),
        presets(),
        curve(&scenario),
    ]
    .concat()
}

fn rich(text: &Rich) -> String {
    text.0
        .iter()
        .map(|span| match span.term {
            Some(term) => format!("<span class=\"term\" data-term=\"{}\">{}</span>", term.slug(), escape(&span.text)),
            None if span.code => format!("<code>{}</code>", escape(&span.text)),
            None => escape(&span.text),
        })
        .collect()
}

fn verdict(report: &Report) -> String {
    let printed = |who: &str, version| {
        let words = escape(&messages::refusal(version, report));
        format!("<span class=\"printed__line\"><span class=\"printed__who\">{who}</span> <code>{words}</code></span>")
    };
    format!(
        "<section class=\"verdict\" data-verdict=\"{}\" aria-labelledby=\"headline\"><p class=\"printed\">{}{}</p>\
         <h1 id=\"headline\">{}</h1><p class=\"lead\">{}</p></section>",
        report.verdict.id(),
        printed("SGLang 0.5.9", Version::new(0, 5, 9)),
        printed("SGLang 0.5.23", Version::NEWEST),
        rich(&text::headline(report)),
        rich(&text::lead(report)),
    )
}

fn bars(report: &Report) -> String {
    let layout = Bars::of(report);
    let name = |term: Term, name: &str, value: &str| {
        format!("<p class=\"bars__name\"><span data-term=\"{}\">{name}</span> <b>{value}</b></p>", term.slug())
    };
    let plot = |segments: &[Segment; 2], names: [&str; 2]| {
        let labels: String = segments
            .iter()
            .zip(names)
            .map(|(segment, name)| {
                let amount = format::gib_number(segment.amount);
                format!("<span data-term=\"{}\">{name} <b>{amount}</b></span>", segment.term.slug())
            })
            .collect();
        let rects: String = segments.iter().map(rect).collect();
        format!(
            "<div class=\"bars__plot\"><div class=\"bars__labels\">{labels}</div><div class=\"bars__bar\">\
             <svg aria-hidden=\"true\">{rects}</svg></div></div>"
        )
    };
    let middle = f64::midpoint(layout.rest.start, layout.rest.end);
    let ticks: String = layout
        .ticks
        .iter()
        .filter(|tick| tick.at <= 0.86)
        .map(|tick| {
            let anchor = if tick.at == 0.0 { "start" } else { "middle" };
            format!("<text x=\"{}\" y=\"18\" text-anchor=\"{anchor}\">{}</text>", percent(tick.at), tick.label)
        })
        .collect();
    format!(
        "<figure class=\"bars\" data-overdraft=\"{}\"><div class=\"bars__row\">{}{}</div><div class=\"bars__row\">{}{}\
         </div><div class=\"bars__row bars__row--rest\"><p class=\"bars__name\"><span data-term=\"rest\">{}</span></p>\
         <div class=\"bars__plot\"><div class=\"rest\" data-term=\"rest\"><svg role=\"img\" aria-label=\"{}\">{}\
         <text class=\"svg-amount\" x=\"{}\" y=\"50%\" dy=\".35em\" text-anchor=\"middle\">{}</text></svg></div></div></div>\
         <div class=\"bars__row bars__axis\" aria-hidden=\"true\"><div></div><div class=\"bars__plot\"><svg width=\"100%\" \
         height=\"24\">{ticks}<text x=\"100%\" y=\"18\" text-anchor=\"end\">{}</text></svg></div></div></figure>",
        layout.overdraft,
        name(Term::Total, Words::FREE_AT_START, &format::gib(report.inputs.total)),
        plot(&layout.free, [Words::WEIGHTS, Words::AVAILABLE]),
        name(Term::Fraction, Words::FRACTION, &format::fraction(report.inputs.fraction)),
        plot(&layout.budget, [Words::STATIC_BUDGET, Words::RESERVED]),
        Words::LEFT,
        escape(&text::headline(report).plain()),
        rect(&layout.rest),
        percent(middle),
        format::gib(report.breakdown.rest),
        format::gib(layout.scale),
    )
}

fn rect(segment: &Segment) -> String {
    format!(
        "<rect class=\"svg-{}\" x=\"{}\" width=\"{}\" height=\"100%\"/>",
        segment.term.slug(),
        percent(segment.start),
        percent(segment.end - segment.start)
    )
}

fn percent(share: f64) -> String {
    decimal::write_trimmed(share * 100.0, 3, 0) + "%"
}

fn formula(report: &Report) -> String {
    let (inputs, parts) = (&report.inputs, &report.breakdown);
    let (available, total) = (format::gib_number(inputs.available), format::gib_number(inputs.total));
    let fraction = format::fraction(inputs.fraction);
    let op = |sign: &str| format!("<td class=\"op\">{sign}</td>");
    let term = |term: Term, words: &str| format!("<td data-term=\"{}\">{words}</td>", term.slug());
    let line = |first: &str, available: &str, total: &str, fraction: &str| {
        [
            first.to_owned(),
            op("="),
            term(Term::Available, available),
            op("−"),
            term(Term::Total, total),
            op("× (1 −"),
            term(Term::Fraction, fraction),
            op(")"),
        ]
        .concat()
    };
    let rounding = Rounding::as_shown(inputs);
    format!(
        "<section class=\"formula\" aria-label=\"The formula with these numbers\"><table><tbody><tr>{}</tr><tr>{}</tr>\
         <tr><td></td>{}{}{}{}{}<td class=\"result\" colspan=\"2\" data-term=\"rest\">{}</td></tr></tbody></table>\
         <p class=\"formula__tokens\"><span data-term=\"tokens\">tokens</span> = ⌊<span data-term=\"rest\">{}</span> bytes ÷ \
         <span data-term=\"cell\">{}</span>⌋ = <b data-term=\"tokens\">{}</b><small> ± {}, if total and available were \
         rounded to {} decimals</small></p></section>",
        line("<th scope=\"row\" data-term=\"rest\">rest</th>", "available", "total", "fraction"),
        line("<td></td>", &available, &total, &fraction),
        op("="),
        term(Term::Available, &available),
        op("−"),
        term(Term::Reserved, &format::gib_number(parts.reserved)),
        op("="),
        format::gib(parts.rest),
        format::whole(parts.rest_bytes.0),
        format::cell(inputs.cell),
        format::whole(parts.tokens.0),
        format::whole(rounding.tokens_half_width().0),
        rounding.decimals,
    )
}

/// The four numbers as they stand; moving them takes the program.
fn controls(report: &Report) -> String {
    let inputs = &report.inputs;
    let values = [
        ("f", decimal::write_trimmed(inputs.fraction.get(), 9, 3), inputs.fraction.get()),
        ("total", decimal::write_trimmed(inputs.total.0, 9, 3), inputs.total.0 / 320.0),
        ("avail", decimal::write_trimmed(inputs.available.0, 9, 3), inputs.available.0 / 320.0),
        ("cell", decimal::write_trimmed(inputs.cell.get(), 9, 0), inputs.cell.get().sqrt() / 1024.0),
    ];
    let mut html = String::from("<section class=\"controls\" aria-label=\"The four numbers\">");
    for (key, value, share) in values {
        let words = field_text(key);
        let label = if words.label.starts_with("--") {
            format!("<code>{}</code>", words.label)
        } else {
            words.label.to_owned()
        };
        let zones = if key == "f" { "<div class=\"zones\" aria-hidden=\"true\"></div>" } else { "" };
        let hint = if key == "f" { field_hint(report) } else { words.hint.to_owned() };
        let _ = write!(
            html,
            "<div class=\"control\" data-term=\"{}\"><label for=\"slider-{key}\">{label}</label><span class=\"number\">\
             <input type=\"text\" value=\"{value}\" aria-label=\"{}, as a number\" disabled><span class=\"number__unit\">{}\
             </span></span><input id=\"slider-{key}\" type=\"range\" min=\"0\" max=\"1000\" value=\"{}\" disabled>{zones}\
             <small>{}</small></div>",
            words.term.slug(),
            words.label,
            words.unit,
            decimal::write(share * 1000.0, 0),
            escape(&hint),
        );
    }
    html + "</section>"
}

fn presets() -> String {
    let chip = |preset: &'static Preset| {
        let report = evaluate(&Scenario::from_preset(preset).inputs());
        let starts = report.verdict == Verdict::Starts;
        let current = if preset == presets::default() { " aria-current=\"true\"" } else { "" };
        format!(
            "<li><a href=\"?preset={}\"{current}>{} <span class=\"chip__rest\" data-starts=\"{starts}\">{} {}</span></a></li>",
            preset.id,
            preset_name(preset),
            if starts { "✓" } else { "✗" },
            format::gib_number(report.breakdown.rest),
        )
    };
    format!(
        "<section class=\"presets\" aria-labelledby=\"presets-title\"><h2 id=\"presets-title\">The week, run by run</h2>\
         <ul class=\"chips\">{}</ul><p class=\"caption\">{}</p><p class=\"since\"></p></section>",
        PRESETS.iter().map(chip).collect::<String>(),
        rich(&text::caption(presets::default())),
    )
}

fn curve(scenario: &Scenario) -> String {
    let curve = Curve::of(scenario, Axis::Tokens);
    let point = |(x, y): &(f64, f64)| {
        format!(
            "{},{} ",
            decimal::write_trimmed(x * 1000.0, 1, 0),
            decimal::write_trimmed(1000.0 - y / curve.top * 1000.0, 1, 0)
        )
    };
    let zones: String = curve
        .zones
        .iter()
        .map(|zone| {
            let kind = match zone.kind {
                ZoneKind::CannotStart => "short",
                ZoneKind::Starts => "room",
                ZoneKind::TooHigh => "high",
            };
            let (from, size) = (zone.from * 1000.0, (zone.to - zone.from) * 1000.0);
            format!("<rect class=\"svg-zone-{kind}\" x=\"{from:.0}\" width=\"{size:.0}\" height=\"1000\"/>")
        })
        .collect();
    // The line is straight between its corners: the first point with a pool decides where it leaves zero.
    let points: String = curve.line.iter().step_by(5).map(point).collect();
    format!(
        "<section class=\"curve\" id=\"curve\" aria-labelledby=\"curve-title\"><h2 id=\"curve-title\">Every fraction at once</h2>\
         <div class=\"plot\"><svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Tokens of \
         KV cache against the fraction\">{zones}<polyline class=\"svg-line\" points=\"{points}\"/></svg></div>{}</section>",
        table(&scenario.inputs())
    )
}

fn table(inputs: &Inputs) -> String {
    let rows: String = sweep(inputs, 20)
        .iter()
        .map(|point| {
            let outcome =
                if point.pool_tokens.0 > 0 { format::tokens(point.pool_tokens) } else { "cannot start".to_owned() };
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{outcome}</td></tr>",
                format::fraction(point.fraction),
                format::gib_number(point.rest)
            )
        })
        .collect();
    format!(
        "<details class=\"points\"><summary>The same as a table</summary><table><thead><tr><th scope=\"col\">fraction</th>\
         <th scope=\"col\">left for the KV cache, GiB</th><th scope=\"col\">outcome</th></tr></thead><tbody>{rows}</tbody>\
         </table></details>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_in_the_delivered_html() {
        let html = default_scenario();
        for words in
            ["short by 20.603 GiB", "0.770", "42.300", "−20.603 GiB", "−314,803", "−22,121,819,616", "✓ 10.417"]
        {
            assert!(html.contains(words), "{words}");
        }
        assert!(!html.contains("style="), "the policy would drop it");
    }
}

//! Parts of the page that are lists: sliders, fields, presets, points of the curve.

use kv_budget::budget::{Verdict, evaluate, sweep};
use kv_budget::catalog::presets::{self, PRESETS, Preset};
use kv_budget::plot::scene::{Axis, Curve, TABLE_STEPS};
use kv_budget::scenario::Scenario;
use kv_budget::scenario::query::encode;
use kv_budget::scenario::slider::{OPTIONAL, SLIDERS, reach};
use kv_budget::text::{self, FieldText, field_text, preset_name};
use kv_budget::{decimal, format};

use super::escape;

fn label(words: &FieldText) -> String {
    if words.label.starts_with("--") { format!("<code>{}</code>", words.label) } else { words.label.to_owned() }
}

/// A number field; `named`: a label of its own is elsewhere.
fn field(words: &FieldText, named: bool) -> String {
    let key = words.key;
    let name = if named { String::new() } else { format!(" aria-label=\"{}, as a number\"", words.label) };
    format!(
        "<span class=\"number\"><input id=\"field-{key}\" type=\"text\" inputmode=\"decimal\" autocomplete=\"off\" \
         spellcheck=\"false\"{name} aria-describedby=\"note-{key}\" data-field=\"{key}\" data-value=\"{key}\" disabled>\
         <span class=\"number__unit\">{}</span><span class=\"number__note\" id=\"note-{key}\" role=\"status\"></span></span>",
        words.unit
    )
}

/// The four sliders, each with its number field.
pub fn sliders() -> String {
    let scenario = Scenario::default();
    SLIDERS
        .iter()
        .map(|slider| {
            let words = field_text(slider.key);
            let key = slider.key;
            let (zones, hint) = if key == "f" {
                ("<div class=\"zones\" aria-hidden=\"true\" data-list=\"zones\"></div>", "<small id=\"hint-f\" data-words=\"zones\"></small>".to_owned())
            } else {
                ("", format!("<small id=\"hint-{key}\">{}</small>", escape(words.hint)))
            };
            format!(
                "<div class=\"control\" data-term=\"{}\"><label for=\"slider-{key}\">{}</label>{}<input id=\"slider-{key}\" \
                 type=\"range\" min=\"{}\" max=\"{}\" step=\"1\" aria-describedby=\"hint-{key}\" data-slider=\"{key}\" \
                 data-mark=\"spoken-{key}\" data-value=\"slide-{key}\" disabled>{zones}{hint}</div>\n",
                words.term.slug(),
                label(&words),
                field(&words, false),
                decimal::write(slider.first, 0),
                decimal::write(reach(slider, &scenario), 0),
            )
        })
        .collect()
}

/// The fields under "More".
pub fn fields() -> String {
    OPTIONAL
        .map(|key| {
            let words = field_text(key);
            format!(
                "<div class=\"control\" data-term=\"{}\"><label for=\"field-{key}\">{}</label>{}<small>{}</small></div>\n",
                words.term.slug(),
                label(&words),
                field(&words, true),
                escape(words.hint),
            )
        })
        .concat()
}

/// The presets as links.
pub fn chips() -> String {
    let chip = |preset: &'static Preset| {
        let scenario = Scenario::from_preset(preset);
        let report = evaluate(&scenario.inputs());
        let starts = report.verdict == Verdict::Starts;
        let current = if preset == presets::default() { " aria-current=\"true\"" } else { "" };
        format!(
            "<li><a href=\"?{}\" data-preset=\"{}\"{current}>{} <span class=\"chip__rest\" data-starts=\"{starts}\">{} {}\
             </span></a></li>\n",
            encode(&scenario),
            preset.id,
            preset_name(preset),
            if starts { "✓" } else { "✗" },
            format::gib_number(report.breakdown.rest),
        )
    };
    PRESETS.iter().map(chip).collect()
}

/// The curve as a picture that needs no program: geometry in attributes.
pub fn curve(scenario: &Scenario) -> String {
    let curve = Curve::of(scenario, Axis::Tokens);
    let thousand = |share: f64| decimal::write_trimmed(share * 1000.0, 1, 0);
    let zones: String = curve
        .zones
        .iter()
        .map(|zone| {
            let (from, size) = (thousand(zone.from), thousand(zone.to - zone.from));
            format!("<rect class=\"svg-{}\" x=\"{from}\" y=\"0\" width=\"{size}\" height=\"1000\"/>", zone.kind.id())
        })
        .collect();
    let points: Vec<String> =
        curve.line.iter().map(|(x, y)| format!("{},{}", thousand(*x), thousand(1.0 - y / curve.top))).collect();
    format!(
        "<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Tokens of KV cache against \
         the fraction\">{zones}<polyline class=\"svg-line\" points=\"{}\"/></svg>",
        points.join(" ")
    )
}

/// The rows of the curve's table.
pub fn points(scenario: &Scenario) -> String {
    sweep(&scenario.inputs(), TABLE_STEPS)
        .iter()
        .map(|point| {
            let [fraction, reserved, rest, outcome] = text::point(&scenario.inputs(), point.fraction);
            format!("<tr><th scope=\"row\">{fraction}</th><td>{reserved}</td><td>{rest}</td><td>{outcome}</td></tr>\n")
        })
        .collect()
}

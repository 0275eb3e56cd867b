//! `docs/model.md` says what the code computes: its figures and every table between `<!-- computed: NAME -->` and
//! `<!-- end -->`. After a change that moves a number, write them again and read what changed:
//!
//! ```text
//! cargo test --test model_page -- --ignored
//! git diff docs
//! ```

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "estimates/logs.rs"]
mod logs;

use std::collections::HashMap;
use std::fs;

use kv_budget::budget::{Report, Rounding, Sensitivity};
use kv_budget::catalog::config::Vision;
use kv_budget::catalog::{gpus, models};
use kv_budget::decimal;
use kv_budget::engines::sglang::Version;
use kv_budget::engines::sglang::auto_fraction::{AutoQuery, Class, auto_fraction};
use kv_budget::engines::sglang::cell::{CellQuery, cell};
use kv_budget::engines::sglang::reserve::{Provenance, When};
use kv_budget::engines::translate::{Assumptions, Fate, Reach, Server, Try, translate};
use kv_budget::engines::{Engine, Trust};
use kv_budget::exports::picture;
use kv_budget::format;
use kv_budget::plan::{self, Plan, PlanQuery, plan};
use kv_budget::scenario::query::decode;
use kv_budget::scenario::{Scenario, evaluate};
use kv_budget::units::Gib;

const PAGE: &str = "docs/model.md";
const FIGURES: &str = "docs/figures";
const AGAIN: &str = "if that is intended: cargo test --test model_page -- --ignored";

/// The failing run, and the same server at the fraction that worked.
const FAILING: &str = "";
const WORKING: &str = "f=0.88";

#[test]
fn every_table_is_what_the_code_computes() {
    let page = fs::read_to_string(PAGE).unwrap();
    for (name, computed) in tables() {
        assert_eq!(table_of(&page, name), computed, "{PAGE}, {name}; {AGAIN}");
    }
    assert_eq!(page.matches("<!-- computed: ").count(), tables().len(), "a table that nobody computes");
}

#[test]
fn every_figure_is_what_the_code_draws() {
    for (name, svg) in figures() {
        let file = format!("{FIGURES}/{name}.svg");
        assert_eq!(fs::read_to_string(&file).unwrap(), svg, "{file}; {AGAIN}");
    }
    assert_eq!(fs::read_dir(FIGURES).unwrap().count(), figures().len(), "a figure that nobody draws");
}

/// What was known before this program: the log of the run that worked, and SGLang's own advice for the one that failed.
#[test]
fn the_worked_case_is_the_one_of_the_logs() {
    for number in ["−20.603", "−22,121,819,616", "10.417", "**159,171**", "**0.770**"] {
        assert!(worked().contains(number), "{number}");
    }
}

#[test]
#[ignore = "writes docs/model.md and docs/figures again"]
fn write_again() {
    let mut page = fs::read_to_string(PAGE).unwrap();
    for (name, computed) in tables() {
        page = page.replacen(&table_of(&page, name), &computed, 1);
    }
    fs::write(PAGE, page).unwrap();
    for (name, svg) in figures() {
        fs::write(format!("{FIGURES}/{name}.svg"), svg).unwrap();
    }
}

/// From its first marker to its last one, both included.
fn table_of(page: &str, name: &str) -> String {
    let start = page.find(&format!("<!-- computed: {name} -->")).unwrap_or_else(|| panic!("no table {name}"));
    let end = page[start..].find("<!-- end -->").expect("an end") + "<!-- end -->".len();
    page[start..start + end].to_owned()
}

/// A table in Markdown: words stand left, numbers right.
fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let is_number =
        |cell: &str| cell.trim_start_matches(['−', '*', '±', ' ']).starts_with(|c: char| c.is_ascii_digit());
    let column = |index: usize| if rows.iter().all(|row| is_number(&row[index])) { "---:" } else { "---" };
    let rule: Vec<String> = (0..N).map(|index| column(index).to_owned()).collect();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    line(&head.map(str::to_owned)) + &line(&rule) + &rows
}

/// A figure, with its verdict for whoever does not see it.
fn figure(name: &str, what: &str, query: &str) -> String {
    let verdict = picture::verdict(&evaluate(&decode(query).scenario));
    format!("![{what}. {verdict}](figures/{name}.svg)\n")
}

/// What stands between the markers, by name, markers included.
fn tables() -> Vec<(&'static str, String)> {
    let h200 = h200_query();
    let tables = vec![
        ("worked", [bars("failing-bars", FAILING), bars("working-bars", WORKING), worked()].join("\n")),
        ("curve", curve("worked-curve", FAILING)),
        ("automatic", automatic()),
        ("cells", cells()),
        ("errors", errors()),
        ("predicted", [bars("h200-bars", &h200), curve("h200-curve", &h200), predicted()].join("\n")),
        ("need", need()),
        ("engines", engines()),
        ("data", data()),
    ];
    tables
        .into_iter()
        .map(|(name, text)| (name, format!("<!-- computed: {name} -->\n\n{text}\n<!-- end -->")))
        .collect()
}

fn bars(name: &str, query: &str) -> String {
    figure(name, "Bars of a GPU's memory", query)
}

fn curve(name: &str, query: &str) -> String {
    figure(name, "Tokens of the pool at every fraction", query)
}

fn figures() -> Vec<(&'static str, String)> {
    let drawn_bars = |query: &str| picture::bars(&evaluate(&decode(query).scenario));
    let drawn_curve = |query: &str| {
        let scenario = decode(query).scenario;
        picture::curve(&scenario, &evaluate(&scenario))
    };
    let h200 = h200_query();
    vec![
        ("failing-bars", drawn_bars(FAILING)),
        ("working-bars", drawn_bars(WORKING)),
        ("worked-curve", drawn_curve(FAILING)),
        ("h200-bars", drawn_bars(&h200)),
        ("h200-curve", drawn_curve(&h200)),
    ]
}

fn report(query: &str) -> Report {
    evaluate(&decode(query).scenario).report
}

/// The formula, term by term, for the run that failed and the one that worked.
fn worked() -> String {
    let reports = [report(FAILING), report(WORKING)];
    let row = |term: &str, formula: &str, value: fn(&Report) -> String| {
        let [failing, working] = reports.each_ref().map(value);
        [term.to_owned(), formula.to_owned(), failing, working]
    };
    let rows = vec![
        row("free before the weights", "`T`", |r| format::gib(r.inputs.total)),
        row("free after the weights", "`A`", |r| format::gib(r.inputs.available)),
        row("fraction", "`f`", |r| format::fraction(r.inputs.fraction)),
        row("weights", "`T − A`", |r| format::gib(r.breakdown.weights)),
        row("weights and KV cache may use", "`T · f`", |r| format::gib(r.breakdown.static_budget)),
        row("reserved", "`T · (1 − f)`", |r| format::gib(r.breakdown.reserved)),
        row("rest", "`A − T · (1 − f)`", |r| format::gib(r.breakdown.rest)),
        row("the same in bytes", "`int(rest · 2³⁰)`", |r| format::bytes(r.breakdown.rest_bytes)),
        row("cell", "`c`", |r| format!("{} bytes", format::cell(r.inputs.cell))),
        row("tokens", "`bytes // c`", |r| format::whole(r.breakdown.tokens.0)),
        row("pool", "cap, then whole pages", |r| format!("**{}**", format::whole(r.breakdown.pool_tokens.0))),
        row("tokens that fit the printed decimals", "`rest ± h · (2 − f)`", |r| {
            let rounding = Rounding::as_shown(&r.inputs);
            format!("± {}", format::whole(rounding.tokens_half_width().0))
        }),
        row("rest for 0.01 more", "`0.01 · T`", |r| {
            format::difference(Gib(Sensitivity::of(&r.inputs).fraction.0 / 100.0))
        }),
        row("nothing is left up to", "`1 − A / T`", |r| decimal::write(r.band.min_fraction.unwrap(), 5)),
        row("smallest that starts", "k / 1000", |r| {
            format!("**{}**", format::fraction_to_type(r.band.suggested.unwrap().get()))
        }),
    ];
    table(["term", "formula", "at 0.55", "at 0.88"], &rows)
}

/// Releases whose rules were read or executed, on four servers.
fn automatic() -> String {
    let gpu = |id: &str| Some(gpus::find(id).unwrap().mib as f64);
    let text = |id, tp| AutoQuery { gpu_mib: gpu(id), tp, ..AutoQuery::default() };
    let mla = AutoQuery { mla: true, ..text("rtx-pro-6000", 8) };
    let vision = Some(Vision { layers: 27, hidden: 1152 });
    let releases = [(4, 6), (4, 7), (4, 9), (5, 3), (5, 4), (5, 10), (5, 15), (5, 16), (5, 18), (5, 20)];
    let rows = releases.map(|(minor, patch)| {
        let version = Version::new(0, minor, patch);
        let kimi = AutoQuery { vision, class: Class::of("KimiK25ForConditionalGeneration", version), ..mla };
        let servers = [text("rtx-pro-6000", 8), mla, kimi, text("h200", 1), text("l4", 1)];
        let cell = |query: &AutoQuery| {
            let auto = auto_fraction(&AutoQuery { version, ..*query });
            format!("{} MiB: {}", format::whole(auto.reserve_mib as i64), decimal::write_trimmed(auto.fraction, 5, 3))
        };
        let [a, b, c, d, e] = servers.each_ref().map(cell);
        [format!("from {}", version.text()), a, b, c, d, e]
    });
    let head = [
        "SGLang",
        "8 RTX PRO 6000, heads",
        "the same, MLA",
        "the same, Kimi-K2.5 (MLA, pictures)",
        "1 H200, heads",
        "1 L4, heads",
    ];
    table(head, &rows)
}

/// One model of each kind of attention, at tensor parallel 1 and 8.
fn cells() -> String {
    let rows = [
        ("MHA", "llama-2-7b"),
        ("GQA", "llama-3.1-8b"),
        ("MLA", "kimi-k2.5"),
        ("MLA with an indexer", "deepseek-v3.2"),
        ("windows in a pool of their own", "gpt-oss-120b"),
        ("linear hybrid", "qwen3-next-80b-a3b"),
        ("linear hybrid of MLA", "kimi-linear-48b-a3b"),
    ]
    .map(|(kind, id)| {
        let model = models::find(id).unwrap();
        let at = |tp| cell(&model.config(), &CellQuery { tp, ..CellQuery::default() });
        let (one, eight) = (at(1), at(8));
        let terms: Vec<&str> = eight.terms.iter().map(|term| term.label.as_str()).collect();
        let bytes = |cell: &kv_budget::engines::sglang::cell::Cell| format::cell(cell.bytes.unwrap());
        let state = eight.state_bytes_per_request.map_or("none".to_owned(), format_bytes);
        [kind.to_owned(), model.name.to_owned(), bytes(&one), bytes(&eight), terms.join("; "), state]
    });
    let head = ["attention", "model", "bytes, tp 1", "bytes, tp 8", "terms at tp 8", "state of a request, tp 8"];
    table(head, &rows)
}

fn format_bytes(bytes: u64) -> String {
    format!("{} bytes", format::whole(bytes as i64))
}

/// Median and worst of the relative errors, and how many lie within the band that is shown beside the estimate.
fn error_row(what: &str, of: &str, mut errors: Vec<(f64, bool)>) -> [String; 5] {
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let within = errors.iter().filter(|(_, within)| *within).count();
    let percent = |error: f64| format!("{:.2} %", error * 100.0);
    let (median, worst) = (errors[errors.len() / 2].0, errors[errors.len() - 1].0);
    [what.into(), of.into(), percent(median), percent(worst), format!("{within} of {}", errors.len())]
}

fn errors() -> String {
    let error = |estimate: plan::Estimate, measured: f64| {
        let off = (estimate.gib.0 - measured).abs();
        (off / measured, off <= estimate.half_width.0)
    };
    let totals = logs::TOTALS.map(|(_, card, ranks, measured)| {
        let estimate = plan::total(gpus::find(card).unwrap(), ranks);
        ((card, ranks), error(estimate, measured))
    });
    // A card with many logs does not count for all.
    let mut kinds = HashMap::new();
    for (kind, error) in totals {
        kinds.entry(kind).or_insert(error);
    }
    let weights: Vec<_> = logs::measured_weights()
        .into_iter()
        .map(|(_, model, tp, measured)| error(plan::weights(&model, None, tp, 1, 1).unwrap(), measured))
        .collect();
    let [logs, first, loaded] = [
        format!("{} logs", totals.len()),
        format!("the first log of each of {} cards and group sizes", kinds.len()),
        format!("{} logs", weights.len()),
    ];
    let before = "free before the weights";
    let rows = [
        error_row(before, &logs, totals.map(|(_, error)| error).to_vec()),
        error_row(before, &first, kinds.into_values().collect()),
        error_row("weights", &loaded, weights),
    ];
    table(["estimate", "against", "median error", "worst", "within the band shown"], &rows)
}

/// Start `L-auto` of `tests/data/h200/runs.csv`: Llama-3.1-8B with defaults on one H200, SGLang 0.5.15.
fn h200<T>(known: bool, of: impl Fn(&Plan) -> T) -> T {
    let run = runs().into_iter().find(|run| &run["id"] == "L-auto").unwrap();
    let gib = |column: &str| known.then(|| Gib::from_bytes(run[column].parse().unwrap()));
    let model = models::find("llama-3.1-8b").unwrap().config();
    let query = PlanQuery {
        version: Version::new(0, 5, 15),
        total: gib("total_bytes"),
        available: gib("avail_bytes"),
        ..PlanQuery::new(&model, gpus::find("h200"))
    };
    of(&plan(&query).unwrap())
}

type Row = HashMap<String, String>;

fn rows_of(file: &str) -> Vec<Row> {
    csv::Reader::from_path(format!("tests/data/{file}")).unwrap().deserialize().map(Result::unwrap).collect()
}

fn runs() -> Vec<Row> {
    rows_of("h200/runs.csv")
}

fn golden_engines() -> Vec<Row> {
    rows_of("golden/engines.csv")
}

/// That start as a scenario of the page, with the need that the plan gives.
fn h200_query() -> String {
    h200(true, |plan| {
        let kept_back = decimal::write_trimmed(plan.total.value.0 * (1.0 - plan.edge.fraction), 3, 0);
        let [fraction, total, available] =
            [plan.fraction.value.get(), plan.total.value.0, plan.available.value.0].map(decimal::canonical);
        format!("f={fraction}&total={total}&avail={available}&cell=131072&dyn={kept_back}&sglang=0.5.15")
    })
}

/// What would have been said of that start before it, beside what it printed.
fn predicted() -> String {
    let run = runs().into_iter().find(|run| &run["id"] == "L-auto").unwrap();
    let read = |column: &str| run[column].parse::<f64>().unwrap();
    let gib = |column: &str| format::gib(Gib::from_bytes(read(column)));
    let rows = h200(false, |guess| {
        h200(true, |known| {
            let estimate = |value: plan::Valued<Gib>| match value.provenance {
                Provenance::Estimated(half) => format!("{} ± {half:.2} GiB", format::gib_number(value.value)),
                _ => format::gib(value.value),
            };
            let row =
                |what: &str, guess: String, known: String, measured: String| [what.into(), guess, known, measured];
            let tokens = |plan: &Plan| format::whole(plan.pool.pool_tokens.0);
            let share = |value: f64| decimal::write_trimmed(value, 4, 3);
            let need = |plan: &Plan| format!("{:.2} GiB", plan.need.kept_mib / 1024.0);
            let running = |plan: &Plan| format::whole(plan.pool.requests.running as i64);
            vec![
                row("free before the weights", estimate(guess.total), "given".into(), gib("total_bytes")),
                row("free after the weights", estimate(guess.available), "given".into(), gib("avail_bytes")),
                row(
                    "automatic fraction",
                    share(guess.auto.fraction),
                    share(known.auto.fraction),
                    run["fraction"].clone(),
                ),
                row("tokens", tokens(guess), tokens(known), format::whole(read("tokens_log") as i64)),
                row(
                    "requests at once",
                    running(guess),
                    running(known),
                    format::whole(read("max_running_requests_log") as i64),
                ),
                row(
                    "used beside weights and pool",
                    need(guess),
                    need(known),
                    format!("{:.2} GiB", read("slack_used_at_end_gib")),
                ),
                row(
                    "largest fraction that starts",
                    share(guess.edge.start),
                    share(known.edge.start),
                    "0.965 ran, 0.968 failed".into(),
                ),
            ]
        })
    });
    let address = format!("On the page: `?{}`.\n\n", h200_query());
    address + &table(["Llama-3.1-8B on one H200", "from model and card", "from its exact bytes", "measured"], &rows)
}

/// The parts of that need.
fn need() -> String {
    let rows = h200(true, |plan| {
        let part = |term: &kv_budget::engines::sglang::reserve::NeedTerm| {
            let when = match term.when {
                When::Kept => "from the start on",
                When::Capture => "while graphs are captured",
                When::Load => "under requests",
            };
            let how = match term.provenance {
                Provenance::Exact => "exact".to_owned(),
                Provenance::Estimated(half) => format!("± {half:.0} MiB"),
                Provenance::Table | Provenance::NotMeasured => "not measured".to_owned(),
            };
            [term.label.clone(), when.into(), format!("{:.0} MiB", term.mib), how]
        };
        let mut rows: Vec<[String; 4]> = plan.need.terms.iter().map(part).collect();
        let sum = |what: &str, mib: f64| [what.into(), "sum".into(), format!("{mib:.0} MiB"), String::new()];
        rows.push(sum("lowest point of the start", plan.need.start_mib));
        rows.push(sum("under ordinary requests", plan.need.load_mib));
        rows
    });
    table(["part", "when", "size", "known"], &rows)
}

/// The pool of the working run in every engine, and what each was checked against.
fn engines() -> String {
    let scenario: Scenario = decode(WORKING).scenario;
    let inputs = scenario.inputs();
    let server = Server {
        fraction: inputs.fraction,
        total: inputs.total,
        available: inputs.available,
        cell: inputs.cell,
        max_total_tokens: None,
    };
    let golden = golden_engines();
    let pool = |tried: Option<Try>| match tried {
        None => "no fraction".to_owned(),
        Some(Try { fate: Fate::Starts, pool_gib, .. }) => format::gib(Gib(pool_gib)),
        Some(Try { fate: Fate::Collapses, .. }) => "next to nothing".to_owned(),
        Some(Try { fate: Fate::OutOfMemory, .. }) => "out of memory".to_owned(),
        Some(Try { .. }) => "refused".to_owned(),
    };
    let rows = translate(&server, &Assumptions { physical: Some(Gib(95.0)), ..Assumptions::default() }).rows;
    let rows = rows.iter().map(|row| {
        let facts = row.engine.facts();
        let checks = if row.engine == Engine::Sglang {
            "see below".to_owned()
        } else {
            let how = if facts.trust == Trust::Executed { "executed" } else { "read" };
            let count = golden.iter().filter(|line| line["engine"] == facts.name).count();
            format!("{how}, {count} rows")
        };
        let value = match row.reach {
            Reach::Reachable => row.value_text.clone(),
            _ => format!("out of reach ({})", row.value_text),
        };
        let name =
            if row.holds_for.is_empty() { facts.title.into() } else { format!("{}, {}", facts.title, row.holds_for) };
        let default = row.default.map_or("none".to_owned(), |tried| {
            format!("{}: {}", decimal::write_trimmed(tried.value, 2, 1), pool(Some(tried)))
        });
        [name, format!("`{}`", row.knob), value, pool(row.copied), default, facts.checked.into(), checks]
    });
    let head = ["engine", "knob", "for 10.417 GiB", "0.88 gives", "default", "version", "checked"];
    table(head, &rows.collect::<Vec<_>>())
}

/// How many rows each file of test data has.
fn data() -> String {
    let rows = |file: &str| rows_of(file).len();
    let row = |what: &str, file: &str, test: &str, how: &str| {
        [
            what.to_owned(),
            format!("`tests/data/{file}`"),
            rows(file).to_string(),
            format!("`tests/{test}`"),
            how.to_owned(),
        ]
    };
    let executed = golden_engines().iter().filter(|row| row["how"] == "executed").count();
    let automatic = runs().iter().filter(|run| run["fraction_how"] == "auto").count();
    let with_tokens = runs().iter().filter(|run| run["tokens_log"].parse::<i64>().is_ok()).count();
    let all = vec![
        row(
            "rest, tokens, pages, cap, refusal",
            "golden/budget.csv",
            "golden_budget.rs",
            "exact, the rest to its last bit",
        ),
        row("automatic fraction and its defaults", "golden/auto_fraction.csv", "golden_auto_fraction.rs", "exact"),
        row("bytes of one token", "golden/cell_size.csv", "golden_cell_size.rs", "exact"),
        row("state of one request and its pool", "golden/mamba.csv", "golden_cell_size.rs", "exact"),
        row(
            "other engines",
            "golden/engines.csv",
            "golden_engines.rs",
            &format!("exact, {executed} of the rows executed"),
        ),
        row(
            "vLLM and LMDeploy, release by release",
            "golden/engines_by_release.csv",
            "golden_engines.rs",
            "exact, refusals word for word, all executed",
        ),
        row(
            "whole starts",
            "h200/runs.csv",
            "h200.rs",
            &format!(
                "exact from their bytes: tokens in all {with_tokens} that print them, the automatic fraction in all \
                 {automatic} without the flag; the edge within 0.01"
            ),
        ),
        row("published addresses", "links.csv", "links.rs", "exact, computed apart from this program"),
    ];
    table(["what", "file", "rows", "test", "how near"], &all)
}

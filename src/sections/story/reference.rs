//! The reference: an article that needs no program, with every figure from the model.

use std::cell::Cell;

use super::prose::Prose;
use super::puzzles::GOALS;
use super::values::{FAILING, WORKING, failing_at, mib, run};
use crate::budget::{Breakdown, Rounding, evaluate};
use crate::catalog::attention::Attention;
use crate::catalog::case::measured;
use crate::catalog::models;
use crate::engines::sglang::{Version, messages};
use crate::format;
use crate::scenario::Scenario;
use crate::text::reference::{Chapter, DIRECTIONS, Direction, Entry, Reference, words};
use crate::text::story::Language;
use crate::units::{GIB, Gib};
use crate::view::{
    Attribute, Element, a, b, code, div, h2, h3, li, p, section, span, table, tbody, td, th, thead, tr, ul,
};

/// A part: its id and its heading.
type Part = (&'static str, fn(&Reference) -> &'static str);

/// The parts in order.
const PARTS: [Part; 8] = [
    ("formula", |words| words.formula.title),
    ("terms", |words| words.terms_title),
    ("units", |words| words.units.title),
    ("band", |words| words.band.title),
    ("errors", |words| words.errors.title),
    ("measured", |words| words.measured.title),
    ("questions", |words| words.questions_title),
    ("glossary", |words| words.glossary_title),
];

/// Writes a text with the values of the reference.
struct Writer<'a> {
    prose: Prose<'a>,
    own: Vec<(&'static str, String)>,
}

impl Writer<'_> {
    fn fill(&self, element: Element, text: &'static str) -> Element {
        self.prose.fill_with(element, text, &self.own)
    }

    fn part(&self, id: &str, title: &'static str) -> Element {
        section().class("article__part").with(self.fill(h2().id(id), title))
    }

    fn chapter(&self, id: &str, chapter: &Chapter) -> Element {
        self.part(id, chapter.title).all(chapter.told.iter().map(|text| self.fill(p(), text)))
    }
}

/// The title, as words.
pub fn title(language: Language) -> &'static str {
    words(language).title
}

/// What search engines show.
pub fn description(language: Language) -> &'static str {
    words(language).description
}

/// What stands under the title.
pub fn lead(language: Language) -> Element {
    written(language, |writer| writer.fill(p().class("lead"), words(language).lead))
}

/// The whole article.
pub fn article(language: Language) -> Vec<Element> {
    let text = words(language);
    written(language, |writer| {
        vec![
            contents(writer, text),
            formula(writer, text),
            terms(writer, text),
            writer.chapter("units", &text.units),
            writer.chapter("band", &text.band),
            errors(writer, text),
            writer.chapter("measured", &text.measured),
            questions(writer, text),
            glossary(writer, text),
            writer.chapter("sources", &text.sources),
        ]
    })
}

fn written<T>(language: Language, write: impl FnOnce(&Writer) -> T) -> T {
    let scenario = Scenario::default();
    let report = evaluate(&scenario.inputs());
    let prose = Prose {
        prefix: "reference",
        kind: "",
        scenario: &scenario,
        report: &report,
        words: language.words(),
        still: true,
        live: Cell::new(0),
    };
    write(&Writer { prose, own: values() })
}

/// The figures that only the reference has.
fn values() -> Vec<(&'static str, String)> {
    let (failing, working) = (run(FAILING).inputs(), Breakdown::of(&run(WORKING).inputs()));
    let (report, parts) = (evaluate(&failing), Breakdown::of(&failing));
    let refusal = |minor, patch| messages::refusal(Version::new(0, minor, patch), &report);
    let [_, _, hard] = GOALS;
    let reach = hard.reach(&failing);
    let whole = |count: u64| format::whole(i64::try_from(count).unwrap_or(i64::MAX));
    let mut values = vec![
        ("gib_bytes", format::whole(GIB as i64)),
        ("total_n", format::gib_number(failing.total)),
        ("avail_n", format::gib_number(failing.available)),
        ("avail", format::gib(failing.available)),
        ("weights", format::gib(parts.weights)),
        ("reserved055n", format::gib_number(parts.reserved)),
        ("reserved088", format::gib(working.reserved)),
        ("rest055n", format::gib_number(parts.rest)),
        ("bytes055", format::bytes(parts.rest_bytes)),
        ("budget055", format::gib(parts.static_budget)),
        ("cell", format::cell(failing.cell)),
        ("half_log", format::number(0.5 / 100.0, 3)),
        ("log_rounding", format::gib(Rounding::of(&failing_at(failing.fraction.get()), 2).rest)),
        ("begin_bias", mib(Gib::from_mib(measured::BEGIN_BIAS_MIB))),
        ("goal_requests", whole(hard.requests)),
        ("goal_context", whole(hard.context)),
        ("goal_kept", format::gib(hard.kept)),
        ("goal_least", format::fraction_to_type(reach.least)),
        ("goal_most", format::fraction_to_type(reach.most)),
        ("refusal_046", refusal(4, 6)),
        ("refusal_059", refusal(5, 9)),
        ("refusal_0510", refusal(5, 10)),
        ("refusal_0523", refusal(5, 23)),
        ("v_before_draft", Version::new(0, 5, 13).text()),
    ];
    if let Some(model) = models::find("kimi-k2.5")
        && let Attention::Latent(latent) = model.attention
    {
        values.extend([("layers", whole(model.layers)), ("rank", whole(latent.rank)), ("rope", whole(latent.rope))]);
    }
    values
}

fn contents(writer: &Writer, text: &Reference) -> Element {
    let link = |(id, title): &Part| {
        li().with(writer.fill(a().class("own").set(Attribute::Href, ["#", id].concat()), title(text)))
    };
    section().class("article__contents").set(Attribute::AriaLabel, text.contents).with(ul().all(PARTS.iter().map(link)))
}

fn formula(writer: &Writer, text: &Reference) -> Element {
    let [what, numbers, then] = text.formula.told;
    let lines = |lines: &[&'static str]| {
        div().class("article__formula").all(lines.iter().map(|line| p().with(writer.fill(code(), line))))
    };
    writer
        .part("formula", text.formula.title)
        .with(lines(&text.formula.lines))
        .with(writer.fill(p(), what))
        .with(writer.fill(p(), numbers))
        .with(lines(&text.formula.filled))
        .with(writer.fill(p(), then))
}

fn terms(writer: &Writer, text: &Reference) -> Element {
    let term = |entry: &Entry| {
        div()
            .class("article__term")
            .set(Attribute::DataTerm, entry.head)
            .with(
                h3().id(&["term-", entry.head].concat())
                    .with(span().class("term").set(Attribute::DataTerm, entry.head).text(entry.head)),
            )
            .with(writer.fill(p(), entry.told))
    };
    writer.part("terms", text.terms_title).all(text.terms.iter().map(term))
}

fn errors(writer: &Writer, text: &Reference) -> Element {
    let words = &text.errors;
    let row = |(error, direction): (&crate::text::reference::ErrorText, &Direction)| {
        let (way, kind) = match direction {
            Direction::Raise => (["↑ ", words.raise].concat(), "raise"),
            Direction::Lower => (["↓ ", words.lower].concat(), "lower"),
            Direction::Neither => (words.neither.to_owned(), "neither"),
        };
        tr().with(writer.fill(th().set(Attribute::Scope, "row"), error.message))
            .with(writer.fill(td(), error.releases))
            .with(td().with(b().class("article__way").set(Attribute::DataHow, kind).text(way)))
            .with(writer.fill(td(), error.cure))
    };
    let head = |title: &&'static str| writer.fill(th().set(Attribute::Scope, "col"), title);
    writer.part("errors", words.title).with(writer.fill(p(), words.lead)).with(
        div()
            .class("article__scroll")
            .set(Attribute::Tabindex, "0")
            .set(Attribute::Role, "region")
            .set(Attribute::AriaLabelledby, "errors")
            .with(
                table()
                    .with(thead().with(tr().all(words.columns.iter().map(head))))
                    .with(tbody().all(words.rows.iter().zip(&DIRECTIONS).map(row))),
            ),
    )
}

fn questions(writer: &Writer, text: &Reference) -> Element {
    let question = |entry: &Entry| {
        div().class("article__question").with(writer.fill(h3(), entry.head)).with(writer.fill(p(), entry.told))
    };
    writer.part("questions", text.questions_title).all(text.questions.iter().map(question))
}

fn glossary(writer: &Writer, text: &Reference) -> Element {
    let entry = |entry: &Entry| li().with(writer.fill(b(), entry.head)).text(" ").with(writer.fill(span(), entry.told));
    writer
        .part("glossary", text.glossary_title)
        .with(ul().class("article__glossary").all(text.glossary.iter().map(entry)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the record of the week and from sums done by hand: 93.999 × 0.55 = 51.699; 0.005 × (2 − 0.55) = 0.00725;
    /// 8 × 32,768 × 70,272 bytes are 17.156 GiB.
    const SAID: [&str; 32] = [
        "1,073,741,824",
        "42.300 = 93.999 × (1 − 0.55)",
        "−20.603 = 21.697 − 42.300",
        "−314,803 = ⌊−22,121,819,616 bytes ÷ 70,272⌋",
        "10.417 GiB",
        "159,171",
        "0.770",
        "93.999 GiB",
        "96 GB",
        "70 MiB",
        "21.697 GiB",
        "72.302 GiB",
        "51.699 GiB",
        "42.300 GiB",
        "11.280 GiB",
        "61",
        "(512 + 64)",
        "0.005 GiB",
        "0.007 GiB",
        "0.7692",
        "0.940 GiB",
        "0.952",
        "0.936",
        "6.000 GiB",
        "32,768",
        "Current value: self.server_args.mem_fraction_static=0.55",
        "Current value: mem_fraction_static=0.55",
        "above 0.770 (minimum viable = 1 - available/pre = 0.7692)",
        "13.9 GiB",
        "0.5.14",
        "0.5.13",
        "1 MiB",
    ];

    #[test]
    fn every_figure_in_both_languages() {
        for language in Language::ALL {
            let text: String = article(language).iter().map(|part| part.plain() + "\n").collect();
            for figure in SAID {
                assert!(text.contains(figure), "{}: {figure}", language.key());
            }
            assert!(!text.contains(['{', '}', '`', '|']), "{text}");
        }
    }

    #[test]
    fn every_part_is_linked_and_every_term_has_a_place() {
        let parts = article(Language::English);
        for (id, _) in PARTS {
            assert!(parts.iter().any(|part| part.find(id).is_some()), "{id}");
        }
        for term in ["fraction", "total", "available", "weights", "budget", "reserved", "rest", "cell", "tokens"] {
            let id = ["term-", term].concat();
            assert!(parts.iter().any(|part| part.find(&id).is_some()), "{id}");
        }
    }

    #[test]
    fn an_answer_has_two_sentences() {
        for language in Language::ALL {
            for entry in &words(language).questions {
                let ends = entry.told.matches(['.', '。']).count() - entry.told.matches("0.0").count();
                assert_eq!(ends, 2, "{}", entry.told);
            }
        }
    }
}

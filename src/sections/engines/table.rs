//! The table: one row a knob.

use super::gauge::gauge;
use super::parts::{base, fate, five, range};
use super::returning;
use super::setup::Setup;
use super::tokens;
use crate::engines::translate::{Fate, Reach, Row, Translation, Try};
use crate::engines::{Engine, Way};
use crate::format;
use crate::sections::Ask;
use crate::units::Gib;
use crate::view::{
    Attribute, Element, b, button, code, details, div, i, p, small, span, summary, table as table_of, tbody, td, th,
    thead, tr,
};

/// Other knobs and other ages of engines that are in the table already.
fn is_second(id: &str) -> bool {
    let seconds = [
        Way::VllmBytes,
        Way::TensorrtLlmCpp,
        Way::TensorrtLlmTokens,
        Way::LmdeployPytorch09,
        Way::LmdeployTurbomindOld,
        Way::Tgi95,
    ];
    seconds.iter().any(|way| way.id() == id)
}

/// The table and, folded, its second half.
pub fn table(setup: &Setup, all: &Translation, ask: &Ask) -> Element {
    let (second, first): (Vec<&Row>, Vec<&Row>) = all.rows.iter().partition(|row| is_second(row.id));
    div()
        .class("engines__tables")
        .with(one("The same pool in every engine", &first, setup, all, ask))
        .with(key(setup))
        .with(
            details()
                .id("engines-more")
                .with(summary().text("Other knobs, backends and older versions of these engines"))
                .with(one("The same pool by other knobs and in older versions", &second, setup, all, ask)),
        )
}

fn one(name: &str, rows: &[&Row], setup: &Setup, all: &Translation, ask: &Ask) -> Element {
    let scale = ["what it is a share of, in a card of ", &format::gib(setup.physical())].concat();
    let copied = copied_words(setup);
    let head = ["engine", "type this", &scale, &copied, "and back to SGLang"];
    let head = head.map(|column| th().set(Attribute::Scope, "col").text(column));
    table_of()
        .class("engines__table")
        .set(Attribute::AriaLabel, name)
        .with(thead().with(tr().all(head)))
        .with(tbody().all(rows.iter().map(|row| line(row, setup, all, ask))))
}

fn copied_words(setup: &Setup) -> String {
    [&format::fraction(setup.server.fraction), " copied gives"].concat()
}

fn line(row: &Row, setup: &Setup, all: &Translation, ask: &Ask) -> Element {
    let back = Way::from_id(row.id).filter(|way| way.engine() != Engine::Sglang);
    tr().id(&["engines-row-", row.id].concat())
        .with(th().set(Attribute::Scope, "row").with(b().text(row.title)).all(holds_for(row)))
        .with(td().all(value(row)))
        .with(
            td().with(gauge(row, all.pool_gib, all.physical_gib, setup.server.available.0))
                .with(small().text(base(row))),
        )
        .with(td().with(small().class("engines__label").text(copied_words(setup))).all(copied(row, all.pool_gib)))
        .with(td().all(back.map(|way| returning::field(way, row, setup, ask))))
}

fn holds_for(row: &Row) -> Option<Element> {
    (!row.holds_for.is_empty()).then(|| small().text(row.holds_for))
}

/// The value to type, or why there is none.
fn value(row: &Row) -> Vec<Element> {
    let size = row.blocks.zip(row.tokens).filter(|_| row.block_tokens > 1).map(|(blocks, count)| {
        let block = format::whole(row.block_tokens);
        [&tokens(count), " in ", &format::whole(blocks), " blocks of ", &block].concat()
    });
    let size = size.filter(|_| row.reach == Reach::Reachable);
    let notes = div().all(size.into_iter().chain(range(row)).map(|words| small().text(words)));
    let id = ["engines-flag-", row.id].concat();
    match row.reach {
        Reach::Reachable => {
            let copy = button()
                .set(Attribute::Type, "button")
                .set(Attribute::DataCopy, row.flag.clone())
                .set(Attribute::AriaDescribedby, id.clone())
                .text("Copy");
            vec![words_of(&row.flag).id(&id), div().class("engines__copy").with(copy).with(notes)]
        }
        Reach::AboveRange => vec![span().with(b().text("unreachable")).text(above(row)), notes],
        Reach::NothingLeft => {
            let why = ": nothing is left that the value could be a share of";
            vec![span().with(b().text("unreachable")).text(why), notes]
        }
        Reach::TooSmall => {
            vec![span().with(b().text("unreachable")).text(": the pool is too small for it to start as asked"), notes]
        }
        Reach::NotKnown => {
            vec![span().with(b().text("not known")).text(": what one token takes here"), notes]
        }
        Reach::NoPool => vec![span().text("no pool to translate: ").with(code().text(row.knob)), notes],
    }
}

/// A flag that breaks between its words only, where there is room for them.
fn words_of(flag: &str) -> Element {
    flag.split(' ').enumerate().fold(code().class("engines__flag"), |code, (at, word)| {
        let code = if at > 0 { code.text(" ") } else { code };
        code.with(span().text(word))
    })
}

/// What the pool would take, and what stands against it.
fn above(row: &Row) -> String {
    let Some(upper) = row.upper else {
        return ": the default fraction applies as well, and the smaller of the two wins".to_owned();
    };
    let most = if upper >= 1.0 { " is accepted" } else { " is free" };
    [": it would take ", &row.value_text, ", and no more than ", &five(upper), most].concat()
}

/// What the number of SGLang would do here.
fn copied(row: &Row, pool: f64) -> Vec<Element> {
    if row.engine == Engine::Sglang {
        return vec![span().text("this server")];
    }
    let Some(tried) = row.copied else {
        return vec![span().text("nothing: it takes no fraction")];
    };
    let mut parts = match fate(tried) {
        Some(words) => vec![span().text(words)],
        None => vec![b().text(format::gib(Gib(tried.pool_gib)))],
    };
    if tried.fate == Fate::Starts && pool > 0.0 {
        parts.push(small().text(compared(tried.pool_gib - pool)));
    }
    parts.extend(row.default.map(|usual| small().text(by_default(usual))));
    parts
}

fn compared(more: f64) -> String {
    let amount = format::gib(Gib(more.abs()));
    match more {
        _ if more.abs() < 0.0005 => "the same".to_owned(),
        _ if more > 0.0 => [&amount, " more than SGLang"].concat(),
        _ => [&amount, " less than SGLang"].concat(),
    }
}

fn by_default(usual: Try) -> String {
    let outcome = fate(usual).unwrap_or_else(|| format::gib(Gib(usual.pool_gib)));
    ["its default ", &five(usual.value), ": ", &outcome].concat()
}

/// What the pieces of the bars mean.
fn key(setup: &Setup) -> Element {
    let copied = ["where ", &format::fraction(setup.server.fraction), " copied would end"].concat();
    let entry = |term: &str, words: &str| span().with(i().set(Attribute::DataTerm, term)).text(words);
    p().class("legend engines__key")
        .with(entry("weights", "comes off first"))
        .with(entry("rest", "KV cache, the same pool"))
        .with(entry("reserved", "the rest of what is shared out"))
        .with(span().with(i().class("gauge__copied")).text(copied))
}

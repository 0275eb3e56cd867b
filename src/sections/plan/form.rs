//! The form: model, GPU, layout and flags.

use super::choices::{Choices, OTHERS};
use crate::catalog::gpus::{Architecture, GPUS, Gpu};
use crate::catalog::models;
use crate::engines::sglang::Version;
use crate::engines::sglang::cell::KvDtype;
use crate::format;
use crate::issue::shorten;
use crate::view::{Attribute, Element, button, details, div, input, label, optgroup, option, p, select, small};
use crate::view::{code, summary, textarea};

/// A control that is typed into: name, label, what an empty one means.
struct Typed(&'static str, &'static str, &'static str);

const LAYOUT: [Typed; 3] =
    [Typed("tp", "--tp-size", "1"), Typed("pp", "--pp-size", "1"), Typed("dp", "--dp-size with DP attention", "1")];

const FLAGS: [Typed; 4] = [
    Typed("chunk", "--chunked-prefill-size", "SGLang’s own"),
    Typed("graph", "--cuda-graph-max-bs", "SGLang’s own"),
    Typed("ctx", "--context-length", "the model’s"),
    Typed("need", "full-length requests to fit", "not asked"),
];

const RUNNING: Typed = Typed("running", "--max-running-requests", "SGLang’s own");

const SPECULATION: [(&str, &str); 6] = [
    ("", "none"),
    ("eagle", "EAGLE"),
    ("eagle3", "EAGLE3"),
    ("nextn", "NEXTN (MTP)"),
    ("standalone", "STANDALONE"),
    ("ngram", "NGRAM"),
];

/// Types of the KV cache; an address without one means `auto`.
fn kv() -> [(&'static str, &'static str); KvDtype::NAMES.len()] {
    KvDtype::NAMES.map(|(name, dtype)| if dtype == KvDtype::Auto { ("", "the model’s own") } else { (name, name) })
}

/// The id of a control.
pub fn control_id(name: &str) -> String {
    ["plan-", name].concat()
}

/// The id of what is said about a control.
pub fn note_id(name: &str) -> String {
    ["plan-note-", name].concat()
}

/// The whole form, with what the choices say in it.
pub fn form(choices: &Choices) -> Element {
    div()
        .class("plan__form")
        .asks("plan/change", "change input")
        .with(
            div()
                .class("plan__fields")
                .with(selected("model", "model", models(choices)))
                .with(selected("gpu", "GPU", gpus(choices)))
                .with(selected("sglang", "SGLang", releases(choices)))
                .all(LAYOUT.iter().map(|field| typed(field, choices)))
                .with(selected("kv", "--kv-cache-dtype", pairs(&kv(), &choices.text("kv"))))
                .with(selected("spec", "--speculative-algorithm", pairs(&SPECULATION, &choices.text("spec"))))
                .all(FLAGS.iter().map(|field| typed(field, choices))),
        )
        .with(small().id("plan-defaults").class("aside"))
        .with(config(choices))
        .with(more(choices))
}

fn field(name: &str, words: &str, control: Element) -> Element {
    let label = label().set(Attribute::For, control_id(name));
    let label = if words.starts_with("--") { label.with(code().text(words)) } else { label.text(words) };
    div().class("plan__field").with(label).with(control).with(note(name))
}

fn note(name: &str) -> Element {
    small().id(&note_id(name)).class("plan__note").set(Attribute::Role, "status")
}

fn named(element: Element, name: &str) -> Element {
    element.id(&control_id(name)).set(Attribute::Name, name).set(Attribute::AriaDescribedby, note_id(name))
}

fn typed(Typed(name, words, empty): &Typed, choices: &Choices) -> Element {
    let text = choices.text(name);
    let control = text_input(name, empty).set(Attribute::Value, if text == *empty { String::new() } else { text });
    field(name, words, control)
}

fn text_input(name: &str, placeholder: &str) -> Element {
    named(input(), name)
        .set(Attribute::Type, "text")
        .set(Attribute::Inputmode, "decimal")
        .set(Attribute::Autocomplete, "off")
        .set(Attribute::Spellcheck, "false")
        .set(Attribute::Placeholder, placeholder)
}

fn selected(name: &str, words: &str, options: Vec<Element>) -> Element {
    field(name, words, named(select(), name).all(options))
}

fn choice(value: &str, words: &str, chosen: bool) -> Element {
    option().set(Attribute::Value, value).flag(Attribute::Selected, chosen).text(words)
}

fn pairs(pairs: &[(&str, &str)], chosen: &str) -> Vec<Element> {
    pairs.iter().map(|(value, words)| choice(value, words, *value == chosen)).collect()
}

fn group(words: &str, options: impl IntoIterator<Item = Element>) -> Element {
    optgroup().set(Attribute::Label, words).all(options)
}

/// Models by who publishes them.
fn models(choices: &Choices) -> Vec<Element> {
    let chosen = choices.text("model");
    let mut owners: Vec<(&str, Vec<Element>)> = Vec::new();
    for model in models::models() {
        let (owner, name) = model.name.split_once('/').unwrap_or(("", model.name));
        let option = choice(model.id, name, model.id == chosen);
        match owners.iter_mut().find(|(known, _)| *known == owner) {
            Some((_, options)) => options.push(option),
            None => {
                // By name, whatever its capitals.
                let later = |(known, _): &(&str, _)| known.to_ascii_lowercase() > owner.to_ascii_lowercase();
                let place = owners.iter().position(later).unwrap_or(owners.len());
                owners.insert(place, (owner, vec![option]));
            }
        }
    }
    let mut options = vec![choice("", "— choose —", chosen.is_empty())];
    options.extend(stranger(&chosen, models::find(&chosen).is_some()));
    options.extend(owners.into_iter().map(|(owner, options)| group(owner, options)));
    options
}

/// Cards by generation, the newest first.
fn gpus(choices: &Choices) -> Vec<Element> {
    let chosen = choices.text("gpu");
    let mut options = vec![choice("", "— choose —", chosen.is_empty())];
    options.extend(stranger(&chosen, GPUS.iter().any(|gpu| gpu.id == chosen)));
    let generations = || GPUS.chunk_by(|one, next| generation(one) == generation(next)).rev();
    let newest = generations().filter(|cards| words_of(cards) != AMD);
    let others = generations().filter(|cards| words_of(cards) == AMD);
    for cards in newest.chain(others) {
        let options_of = cards.iter().map(|gpu| choice(gpu.id, gpu.name, gpu.id == chosen));
        options.push(group(words_of(cards), options_of));
    }
    options
}

const AMD: &str = "AMD Instinct";

fn words_of(cards: &[Gpu]) -> &'static str {
    cards.first().map_or("", generation)
}

fn generation(gpu: &Gpu) -> &'static str {
    match gpu.architecture {
        Architecture::Volta => "Volta",
        Architecture::Turing => "Turing",
        Architecture::Ampere => "Ampere",
        Architecture::Ada => "Ada",
        Architecture::Hopper => "Hopper",
        Architecture::BlackwellDatacenter => "Blackwell, data center",
        Architecture::BlackwellWorkstation => "Blackwell, workstation",
        Architecture::Cdna3 | Architecture::Cdna4 => AMD,
    }
}

/// A choice of the address that no table has: it stays visible.
fn stranger(chosen: &str, known: bool) -> Option<Element> {
    let words = || [&shorten(chosen, 40), " (not in the table)"].concat();
    (!known && !chosen.is_empty()).then(|| choice(chosen, &words(), true))
}

fn releases(choices: &Choices) -> Vec<Element> {
    let chosen = choices.scenario.sglang;
    let mut releases = Version::KNOWN.to_vec();
    if !releases.contains(&chosen) {
        let place = releases.iter().position(|known| *known > chosen).unwrap_or(releases.len());
        releases.insert(place, chosen);
    }
    releases.iter().rev().map(|release| choice(&release.text(), &release.text(), *release == chosen)).collect()
}

/// A config of the reader's own, which counts instead of the model.
fn config(choices: &Choices) -> Element {
    let text = choices.config.clone().unwrap_or_default();
    let most = format::whole((crate::catalog::json::MOST_BYTES >> 20) as i64);
    details()
        .id("plan-own")
        .flag(Attribute::Open, choices.config.is_some())
        .with(summary().text("Another model: read its config.json"))
        .with(
            div()
                .class("plan__config")
                .asks("plan/file", "drop")
                .with(label().set(Attribute::For, control_id("config")).text("config.json, pasted or dropped here"))
                .with(
                    named(textarea(), "config")
                        .set(Attribute::Rows, "8")
                        .set(Attribute::Spellcheck, "false")
                        .set(Attribute::Autocomplete, "off")
                        .text(text),
                )
                .with(note("config"))
                .with(
                    div()
                        .class("plan__buttons")
                        .with(
                            button()
                                .set(Attribute::Type, "button")
                                .id("plan-example")
                                .asks("plan/example", "click")
                                .text("Show an example"),
                        )
                        .with(
                            label().class("plan__file").text("or choose a file ").with(
                                input()
                                    .set(Attribute::Type, "file")
                                    .set(Attribute::Name, "file")
                                    .set(Attribute::Accept, ".json")
                                    .asks("plan/file", "change"),
                            ),
                        )
                        .with(
                            button()
                                .set(Attribute::Type, "button")
                                .asks("plan/forget", "click")
                                .text("Use the list instead"),
                        ),
                )
                .with(
                    small().class("aside").text(
                        [
                            "The checkpoint’s model.safetensors.index.json is understood here, too. Files are read in your browser and sent nowhere; at most ",
                            &most,
                            " MiB. A link to this page carries what follows from it, not the file.",
                        ]
                        .concat(),
                    ),
                ),
        )
}

/// What is rarely known.
fn more(choices: &Choices) -> Element {
    let [free, size] = OTHERS;
    details()
        .id("plan-more")
        .with(summary().text("More: unequal GPUs, the checkpoint’s size, a limit on requests"))
        .with(
            div()
                .class("plan__fields")
                .with(field(
                    free,
                    "free on each GPU at the start, GiB",
                    text_input(free, "93.9, 93.9, 80.2").set(Attribute::Value, choices.unequal()),
                ))
                .with(field(
                    size,
                    "metadata.total_size of model.safetensors.index.json, bytes; or give that file above",
                    text_input(size, "from the config"),
                ))
                .with(typed(&RUNNING, choices)),
        )
        .with(p().class("aside").text(
            "The address carries what follows from the first two: what is free on each GPU after the weights, and the \
             weights.",
        ))
}

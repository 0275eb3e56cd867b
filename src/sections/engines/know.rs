//! What to know of each engine, how its rule became known, and the bytes of one token where they differ.

use super::parts::{edge, part};
use super::setup::{Setup, ShapeFrom};
use super::tokens;
use crate::engines::lmdeploy::newest_reserve;
use crate::engines::translate::{self, Row, Translation};
use crate::engines::{Engine, Trust};
use crate::format;
use crate::units::{Bytes, BytesPerToken, Gib};
use crate::view::{Attribute, Element, b, div, li, p, small, table, tbody, td, th, thead, tr, ul};

/// One sentence an engine, and how far it can be trusted.
pub fn engines(setup: &Setup) -> Element {
    let item = |engine: Engine| {
        let facts = engine.facts();
        li().with(b().text(facts.title)).with(p().text(sentence(engine, setup))).with(small().text(
            ["Too low: ", edge(facts.too_low), ". Too high: ", edge(facts.too_high), ". ", &trust(engine)].concat(),
        ))
    };
    part("know", "What to know of each").with(ul().class("engines__know").all(Engine::ALL.map(item)))
}

fn trust(engine: Engine) -> String {
    let facts = engine.facts();
    let how = match facts.trust {
        Trust::Executed => "The rule was executed: the engine’s own functions ran on given numbers, version ",
        Trust::Read => "The rule was read in the source and not executed, version ",
    };
    [how, facts.checked, "."].concat()
}

fn sentence(engine: Engine, setup: &Setup) -> String {
    match engine {
        Engine::Sglang => {
            "The fraction is of what was free before the weights, and weights and KV cache share it.".to_owned()
        }
        Engine::Vllm => "The fraction is of the whole card. Memory that others already hold is not charged to it, but vLLM refuses to start if less than that share is free; since \
                         0.20.0 an estimate of CUDA-graph memory comes off as well, so an upgrade can shrink the pool. For MLA blocks of 64 \
                         tokens are assumed; by its attention backend they are 16, 32, 64 or 128."
            .to_owned(),
        Engine::TensorrtLlm => "The fraction is of what weights and activations leave free: 0.9 is not 90 % of the \
                                GPU, and of two servers with 0.5 the second gets half of the rest."
            .to_owned(),
        Engine::LmdeployPytorch => {
            let assumed = &setup.assumed;
            let reserve = newest_reserve(assumed.prefill, assumed.batch, assumed.vocab).unwrap_or(i64::MAX);
            [
                "The ratio is of what is free after the weights, less ",
                &format::gib(Bytes(reserve).to_gib()),
                " that it computes from ",
                &format::whole(assumed.prefill),
                " prefill tokens, a batch of ",
                &format::whole(assumed.batch),
                " and a vocabulary of ",
                &format::whole(assumed.vocab),
                "; nothing is measured.",
            ]
            .concat()
        }
        Engine::LmdeployTurbomind => "The ratio is of what the weights leave free, and what activations need must fit \
                                      into the other part; in 0.2.0 and 0.2.1 it was a fraction of the whole card."
            .to_owned(),
        Engine::Tgi => "The fraction is of the whole card times TGI_WIGGLE_ROOM, which is 0.90 since 3.3.0 unless the \
                        environment says otherwise, and a value that is too low gives no error."
            .to_owned(),
        Engine::LlamaCpp => {
            let fit = translate::llama_cpp_fit(&setup.server, &setup.assumed);
            [
                "You ask for tokens and the whole cache is allocated at the start; without -c, --fit would leave 1 GiB \
                 free and take about ",
                &format::gib(Gib(fit.0.max(0.0))),
                ".",
            ]
            .concat()
        }
        Engine::Ollama => [
            "You ask for tokens, multiplied by OLLAMA_NUM_PARALLEL, and it starts llama.cpp with them; its own default \
             on this card is ",
            &tokens(translate::ollama_default(&setup.server, &setup.assumed)),
            ", or the model’s own length where that is shorter.",
        ]
        .concat(),
        Engine::MlcLlm => "The fraction is of the whole card and nothing is measured: weights and buffers are \
                           counted from the model’s metadata, and only --mode server uses all of it."
            .to_owned(),
    }
}

/// Bytes of one token where an engine differs from SGLang.
pub fn cells(setup: &Setup, all: &Translation) -> Element {
    let own = format::cell(setup.server.cell);
    let part = part("cells", "Bytes of one token");
    let whose = match setup.shape_from {
        ShapeFrom::Plan(model) => ["for ", model].concat(),
        ShapeFrom::WorkedCase => "for 61 layers of MLA, as in the worked case".to_owned(),
        ShapeFrom::NoModel => {
            return part.with(p().text(
                "Not compared: choose a model in the plan, and the engines’ own sizes are shown. Until then one token \
                 counts the same everywhere.",
            ));
        }
        ShapeFrom::OtherCell => {
            return part.with(p().text(
                "Not compared: the cell above is not the one of the model in the plan. One token counts the same \
                 everywhere.",
            ));
        }
        ShapeFrom::NotCovered(why) => {
            return part.with(
                p().text(["Not compared: ", why, ". In the table one token counts the same everywhere."].concat()),
            );
        }
    };
    let mut rows: Vec<&Row> = all.rows.iter().filter(|row| row.cell.is_some_and(|cell| !cell.same)).collect();
    rows.dedup_by_key(|row| row.engine);
    if rows.is_empty() {
        return part.with(p().text([&own, " bytes in every engine, ", &whose, "."].concat()));
    }
    let head = ["engine", "bytes", "why"].map(|column| th().set(Attribute::Scope, "col").text(column));
    part.with(
        p().text(["SGLang takes ", &own, " bytes on one GPU, ", &whose, "; so do all that are not listed."].concat()),
    )
    .with(
        div()
            .class("engines__scroll")
            .set(Attribute::Tabindex, "0")
            .set(Attribute::Role, "region")
            .set(Attribute::AriaLabel, "Engines with other bytes of one token")
            .with(
                table().with(thead().with(tr().all(head))).with(tbody().all(rows.iter().filter_map(|row| cell(row)))),
            ),
    )
}

fn cell(row: &Row) -> Option<Element> {
    let cell = row.cell?;
    let bytes = cell.bytes.and_then(BytesPerToken::new).map_or_else(|| "not known".to_owned(), format::cell);
    let name = th().set(Attribute::Scope, "row").text(row.title);
    Some(tr().with(name).with(td().text(bytes)).with(td().text(cell.why)))
}

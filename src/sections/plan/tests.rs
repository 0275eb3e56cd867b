//! The section as the page asks for it.

use std::collections::BTreeMap;

use super::*;
use crate::plan::answer::PlanRequest;
use crate::sections::PLAN;
use crate::view::{Node, Tag};

mod configs;
mod honest;

const KIMI: [(&str, &str); 4] = [("model", "kimi-k2.5"), ("gpu", "rtx-pro-6000"), ("tp", "8"), ("sglang", "0.5.9")];

fn fields(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn ask(scenario: &str, pairs: &[(&str, &str)]) -> Ask {
    Ask { scenario: scenario.to_owned(), fields: fields(pairs), by: String::new(), ..Ask::default() }
}

fn answered(verb: &str, ask: &Ask) -> Answer {
    (PLAN.answer)(verb, ask, None).expect("a verb of the section")
}

fn text(answer: &Answer, into: &str) -> String {
    answer.view(into).expect("replaced").iter().map(|element| element.plain() + "\n").collect()
}

fn query(answer: &Answer) -> &str {
    &answer.scenario.as_ref().expect("a scenario").query
}

/// What the form of a body would send.
fn sent(answer: &Answer) -> BTreeMap<String, String> {
    let mut sent = BTreeMap::new();
    for element in answer.replace.iter().flat_map(|part| &part.view).filter_map(Node::element) {
        for control in element.elements() {
            let Some(name) = control.get(Attribute::Name) else { continue };
            let value = match control.tag() {
                Tag::Select => {
                    let chosen = |option: &&&Element| option.get(Attribute::Selected).is_some();
                    control.elements().iter().find(chosen).and_then(|option| option.get(Attribute::Value)).unwrap_or("")
                }
                Tag::Textarea => &control.plain(),
                _ if control.get(Attribute::Type) == Some("checkbox") && control.get(Attribute::Checked).is_none() => {
                    continue;
                }
                _ => control.get(Attribute::Value).unwrap_or(""),
            };
            sent.insert(name.to_owned(), value.to_owned());
        }
    }
    sent
}

#[test]
fn the_worked_case_is_planned() {
    let answer = answered("change", &ask("", &KIMI));
    let said = text(&answer, "plan-result");
    for words in [
        "Cell size: 70,272 bytes for one token on one GPU",
        "61 layers × (512 + 64) × 2 bytes",
        "The automatic fraction: 0.7715",
        "0.7714564",
        "(95.593 GiB − 14.500 GiB) ÷ 95.593 GiB",
        "its log shows 0.88, not 0.7715",
        "would have made it 0.8006",
        "it takes 0.88 instead",
        "No server of this kind was measured",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    assert!(query(&answer).starts_with("f=0.771456406&total="), "{}", query(&answer));
    assert!(query(&answer).ends_with("&ctx=262144&sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8"));
    assert!(answer.scenario.as_ref().is_some_and(|there| there.push), "Back returns");
    assert_eq!(
        text(&answer, "plan-defaults"),
        "In force: prefill chunks 8,192 tokens, decode graphs up to 512 requests, context 262,144 tokens, pages of \
         1 token, if the attention backend forces no other size.\n"
    );
}

#[test]
fn where_auto_cannot_start_it_is_said() {
    let known = "total=93.999&avail=21.697&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8&f=0.75";
    let kept = [("pin-total", "1"), ("was-total", "93.999"), ("pin-avail", "1"), ("was-avail", "21.697")];
    let chosen = [("model", "kimi-k2.5"), ("gpu", "rtx-pro-6000"), ("tp", "8")];
    let said = text(&answered("change", &ask(known, &[&chosen[..], &kept].concat())), "plan-result");
    assert!(said.contains("It cannot start: auto picks 0.758, the weights need 0.771."), "{said}");
    assert!(said.contains("Nothing: there is no pool at this fraction."), "{said}");
    assert!(said.contains("Cannot start at 0.7578: the weights need 0.771."), "{said}");
}

#[test]
fn the_numbers_shown_are_the_models() {
    for (model, gpu, tp) in [
        ("llama-3.1-8b", "h200", "1"),
        ("qwen3-235b-a22b", "h100", "8"),
        ("gpt-oss-120b", "b200", "1"),
        ("qwen3-next-80b-a3b", "h200", "4"),
    ] {
        let chosen =
            [("model", model), ("gpu", gpu), ("tp", tp), ("sglang", "0.5.15"), ("ctx", "32768"), ("need", "16")];
        let answer = answered("change", &ask("", &chosen));
        let said = text(&answer, "plan-result");
        let scenario = format!("sglang=0.5.15&model={model}&gpu={gpu}&tp={tp}&ctx=32768&need=16");
        let plan = PlanAnswer::of(&PlanRequest { scenario, ..PlanRequest::default() }).plan.expect("planned");
        assert_eq!(query(&answer), plan.scenario);
        let gib = |value: f64| format::gib(crate::units::Gib(value));
        for words in [
            parts::with_spread(&plan.total),
            parts::with_spread(&plan.available),
            format::whole(plan.tokens),
            format!("{} requests of 32,768 tokens each", plan.requests),
            format::number(plan.max_fraction, 3),
            gib(plan.need_kept_mib / 1024.0),
            gib(plan.reserve_mib / 1024.0),
        ] {
            assert!(said.contains(&words), "{model}: {words}\n{said}");
        }
        for row in plan.fractions.iter().chain(&plan.changes) {
            assert!(
                said.contains(&row.label) && said.contains(&format::gib_number(crate::units::Gib(row.headroom_gib)))
            );
        }
        let links: Vec<&str> = answer
            .view("plan-result")
            .expect("replaced")
            .into_iter()
            .flat_map(Element::elements)
            .filter_map(|element| element.get(Attribute::Href))
            .collect();
        assert!(links.len() >= 20 && links.iter().all(|link| link.starts_with('?')), "{links:?}");
    }
}

#[test]
fn an_address_without_numbers_is_filled_and_reopens_the_same() {
    let bare = "sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8";
    let opened = answered("open", &ask(bare, &[]));
    let filled = query(&opened).to_owned();
    assert!(opened.scenario.as_ref().is_some_and(|there| !there.push));
    assert_eq!(filled, query(&answered("change", &ask("", &KIMI))));
    let again = answered("open", &ask(&filled, &[]));
    assert_eq!(again.scenario, None, "nothing moves");
    assert!(!text(&again, "plan-body").contains("given by hand"));
    assert!(again.view("plan-body").expect("replaced").first().is_some_and(|body| body.find("plan-tp").is_some()));
    assert_eq!(sent(&again).get("ctx").map(String::as_str), Some(""), "the model's own");
}

#[test]
fn numbers_of_an_address_that_differ_are_kept() {
    let given = "f=0.88&total=93.5&avail=21.6&cell=70272&sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8";
    let opened = answered("open", &ask(given, &[]));
    assert_eq!(opened.scenario, None);
    let sent = sent(&opened);
    let kept = |name: &str| sent.contains_key(&["pin-", name].concat());
    assert_eq!([kept("f"), kept("total"), kept("avail"), kept("cell")], [true, true, true, false]);
    assert_eq!(text(&opened, "plan-body").matches("given by hand").count(), 3);
}

#[test]
fn numbers_that_are_given_stay_even_at_their_defaults() {
    let given = "f=0.55&total=93.999&avail=21.697&cell=70272&sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8";
    let canonical = encode(&decode(given).scenario);
    assert_eq!(canonical, given, "beside a plan a default that was chosen is written");
    let opened = answered("open", &ask(given, &[]));
    assert_eq!(opened.scenario, None);
    assert_eq!(text(&opened, "plan-body").matches("given by hand").count(), 3, "the cell is what the plan gives");
    // What is not given is filled.
    let one = answered("open", &ask("f=0.55&sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8", &[]));
    assert!(query(&one).starts_with("f=0.55&total=94.00"), "{}", query(&one));
    assert_eq!(text(&one, "plan-body").matches("given by hand").count(), 1);
}

#[test]
fn unequal_gpus_travel_in_the_address() {
    let typed = [("free", "93.9, 93.9, 80.2")];
    let answer = answered("change", &ask("", &[&KIMI[..], &typed].concat()));
    let said = text(&answer, "plan-result");
    for words in [
        "GPU 2 with 80.200 GiB",
        "RuntimeError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes. \
         min_per_gpu_memory=80.2, local_gpu_memory=93.9, local_gpu_memory * 0.9=84.51",
        "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK=0",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let there = query(&answer).to_owned();
    let ranks = decode(&there).scenario.ranks;
    assert_eq!(ranks.len(), 3);
    assert!((ranks[0].0 - ranks[2].0 - 13.7).abs() < 1e-6, "{ranks:?}");
    let again = answered("open", &ask(&there, &[]));
    assert_eq!(again.scenario, None, "nothing moves");
    let shown = sent(&again);
    assert_eq!(shown.get("free").map(String::as_str), Some("93.9, 93.9, 80.2"));
    assert!(text(&again, "plan-body").contains("GPU 2 with 80.200 GiB"));
    // Without a total the fullest GPU is an empty card.
    let ranks = "ranks=21.7,8.1&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8&sglang=0.5.9";
    let opened = answered("open", &ask(ranks, &[]));
    assert!(text(&opened, "plan-body").contains("GPU 1 with 80.408 GiB"), "{}", text(&opened, "plan-body"));
    // The other layouts have other GPUs.
    let plan =
        PlanAnswer::of(&PlanRequest { scenario: there.clone(), ..PlanRequest::default() }).plan.expect("planned");
    assert!(plan.changes.iter().all(|row| !row.scenario.contains("ranks=")));
    // The page tells the section where it went; the form is as it was.
    let follow = Ask { scenario: there, fields: shown, ..Ask::default() };
    assert_eq!(answered("follow", &follow).view("plan-body"), None, "the form stays");
}

#[test]
fn every_row_is_a_link_and_the_band_is_drawn() {
    let chosen = [("model", "llama-3.1-8b"), ("gpu", "h200"), ("sglang", "0.5.15")];
    let answer = answered("change", &ask("", &chosen));
    let view = answer.view("plan-result").expect("replaced");
    let elements: Vec<&Element> = view.into_iter().flat_map(Element::elements).collect();
    let rows =
        elements.iter().filter(|element| element.get(Attribute::DataVerdict).is_some() && element.tag() == Tag::Tr);
    for row in rows.clone() {
        assert!(row.elements().iter().any(|part| part.tag() == Tag::A), "{}", row.plain());
    }
    assert!(rows.count() >= 16);
    let zones: Vec<&str> = elements.iter().filter_map(|element| element.get(Attribute::DataZone)).collect();
    assert_eq!(zones, ["short", "room", "high"]);
    let running = answered("open", &ask("running=64&model=llama-3.1-8b&gpu=h200&sglang=0.5.15", &[]));
    assert!(query(&running).contains("&running=64"));
    assert!(text(&running, "plan-body").contains("SGLang runs at most 64 requests at once"));
    let sparse = answered("open", &ask("model=deepseek-v3.2&gpu=h200&tp=8", &[]));
    assert!(text(&sparse, "plan-defaults").contains("pages of 64 tokens: its sparse attention"));
    assert!(query(&sparse).contains("&page=64"));
}

#[test]
fn a_slider_that_was_moved_is_kept_and_can_be_given_back() {
    let planned = answered("change", &ask("", &KIMI));
    let mut form = sent(&planned);
    form.extend(fields(&KIMI));
    let moved = query(&planned).replace("f=0.771456406", "f=0.88");
    let follow = Ask { scenario: moved.clone(), fields: form.clone(), by: String::new(), ..Ask::default() };
    let followed = answered("follow", &follow);
    assert_eq!(followed.view("plan-body"), None, "the form stays");
    assert_eq!(followed.scenario, None);
    assert_eq!(text(&followed, "plan-result").matches("given by hand").count(), 1);
    // Another flag changes; the fraction stays.
    let mut form = sent(&followed);
    form.extend(fields(&[&KIMI[..], &[("kv", "fp8_e4m3")]].concat()));
    let changed = answered(
        "change",
        &Ask { scenario: moved.clone(), fields: form.clone(), by: "kv".to_owned(), ..Ask::default() },
    );
    assert!(query(&changed).starts_with("f=0.88&"), "{}", query(&changed));
    assert!(query(&changed).contains("&cell=35136&"), "{}", query(&changed));
    assert!(!changed.scenario.as_ref().is_some_and(|there| there.push));
    // Not ticked any more, it is filled again.
    form.remove("pin-f");
    let back = answered("change", &Ask { scenario: moved, fields: form, by: "pin-f".to_owned(), ..Ask::default() });
    assert!(query(&back).starts_with("f=0.771456406&"), "{}", query(&back));
}

#[test]
fn a_link_to_another_layout_shows_another_form() {
    let planned = answered("change", &ask("", &KIMI));
    let mut form = sent(&planned);
    form.extend(fields(&KIMI));
    let link = |label: &str| {
        let parts = planned.view("plan-result").expect("replaced");
        let mut links = parts.into_iter().flat_map(Element::elements).filter(|element| element.plain() == label);
        links.find_map(|element| element.get(Attribute::Href)).expect("a link").trim_start_matches('?').to_owned()
    };
    let doubled = answered(
        "follow",
        &Ask { scenario: link("twice the tensor parallelism"), fields: form, by: String::new(), ..Ask::default() },
    );
    assert_eq!(sent(&doubled).get("tp").map(String::as_str), Some("16"));
    assert!(!text(&doubled, "plan-body").contains("given by hand"), "its numbers came along");
    assert_eq!(doubled.scenario, None);
}

#[test]
fn unequal_gpus_are_drawn_and_the_deciding_one_is_marked() {
    let chosen = [("model", "llama-3.1-8b"), ("gpu", "h100"), ("tp", "4"), ("free", "78, 78, 60.5 78")];
    let answer = answered("change", &ask("", &chosen));
    let said = text(&answer, "plan-result");
    assert!(said.contains("GPU 2 with 60.500 GiB"), "{said}");
    assert!(said.contains("RuntimeError: The memory capacity is unbalanced"), "{said}");
    assert!(query(&answer).contains("total=60.5"), "{}", query(&answer));
    let wrong = answered("change", &ask("", &[&chosen[..3], &[("free", "78, x")]].concat()));
    assert!(text(&wrong, "plan-note-free").contains("not a list of numbers"));
}

#[test]
fn stages_of_a_pipeline_are_not_refused_for_imbalance() {
    let chosen = [("model", "llama-3.1-8b"), ("gpu", "h100"), ("pp", "2"), ("free", "78, 60.5")];
    let said = text(&answered("change", &ask("", &chosen)), "plan-result");
    assert!(said.contains("GPU 1 with 60.500 GiB"), "{said}");
    assert!(said.contains("SGLang compares them only under tensor parallelism"), "{said}");
    assert!(!said.contains("unbalanced") && !said.contains("within ten percent"), "{said}");
}

#[test]
fn a_fraction_by_the_rules_of_another_release_is_not_called_exact() {
    let said = |release: &str| {
        let chosen = [("model", "llama-3.1-8b"), ("gpu", "h100"), ("sglang", release)];
        text(&answered("change", &ask("", &chosen)), "plan-result")
    };
    for release in ["0.4.6", "0.5.15", "0.5.23"] {
        let exact = ["exact: what SGLang ", release, " picks"].concat();
        assert!(said(release).contains(&exact), "{release}");
    }
    for release in ["0.4.5", "0.5.24"] {
        assert!(!said(release).contains("exact: what SGLang"), "{release}");
        assert!(said(release).contains("not certain (see the notes)"), "{release}");
        assert!(said(release).contains("The automatic fraction of this release is not known"), "{release}");
    }
}

#[test]
fn the_way_back_is_answered() {
    let chosen = [("model", "llama-3.1-8b"), ("gpu", "h200"), ("sglang", "0.5.15"), ("ctx", "8192")];
    let said =
        |need: &str| text(&answered("change", &ask("", &[&chosen[..], &[("need", need)]].concat())), "plan-result");
    assert!(
        said("64").contains("64 requests of 8,192 tokens are 524,288 tokens. The fraction that holds them is 0.568."),
        "{}",
        said("64")
    );
    assert!(said("200").contains("It would work with an fp8 KV cache"), "{}", said("200"));
}

/// The numbers of the plan's own test: one of 8 ranks has 521,866 tokens, and each must take 8 of 64 requests.
#[test]
fn with_dp_attention_it_is_said_what_a_rank_holds_and_what_the_server_holds() {
    let given = "f=0.886&total=139&avail=50&ctx=32768&model=deepseek-v3&gpu=h200&tp=8&dp=8&need=64&graph=64";
    let said = text(&answered("open", &ask(given, &[])), "plan-body");
    for words in [
        "The pool on each DP rank holds 521,866 tokens: 15 requests of 32,768 tokens each. SGLang runs at most 4,096 \
         requests at once on each DP rank. All 8 hold 4,174,928 tokens: 120 requests.",
        "64 requests of 32,768 tokens are 2,097,152 tokens. The fraction that holds them is 0.764.",
        "521,866 tokens on each DP rank",
        "outcometokens on each DP rank",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    assert!(!text(&answered("change", &ask("", &KIMI)), "plan-result").contains("DP rank"));
}

#[test]
fn what_is_not_a_number_is_said_at_its_control() {
    let answer = answered("change", &ask("", &[&KIMI[..2], &[("tp", "eight")]].concat()));
    assert_eq!(text(&answer, "plan-note-tp"), "not a whole number; from 1 to 4,096\n");
    assert_eq!(text(&answer, "plan-note-pp"), "");
}

#[test]
fn what_is_missing_is_asked_for() {
    let said = |pairs: &[(&str, &str)]| text(&answered("change", &ask("", pairs)), "plan-result");
    assert_eq!(said(&[]), "Choose a model and a GPU; everything else has a default.\n");
    assert_eq!(said(&KIMI[..1]), "Choose a GPU.\n");
    assert_eq!(said(&KIMI[1..2]), "Choose a model, or paste its config.json.\n");
    let unknown = answered("open", &ask("model=nope&gpu=h100", &[]));
    assert!(text(&unknown, "plan-body").contains("nope is not in the table"));
    assert_eq!(sent(&unknown).get("model").map(String::as_str), Some("nope"));
}

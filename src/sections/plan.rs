//! "Plan": from a model, GPUs and flags to the four numbers.
//!
//! The form is the source of the planner's keys, the page's scenario that of the four numbers. A plan fills those of them
//! that were not pinned by hand; everything else that it says is below the form.

mod capacity;
mod choices;
mod form;
mod memory;
mod numbers;
mod parts;

use super::{Answer, Ask, Destination, FileBytes};
use crate::catalog::{config, json::MOST_BYTES, weights::checkpoint_size};
use crate::decimal;
use crate::format;
use crate::issue::{Issue, IssueKind};
use crate::plan::answer::{PlanAnswer, Planned};
use crate::scenario::Scenario;
use crate::scenario::query::{decode, encode};
use crate::view::{Attribute, Element, code, div, li, p, ul};
use choices::{Choices, KEYS, NUMBERS, OTHERS};
use form::{control_id, note_id};

/// The config behind "show an example": Qwen3-32B as published.
const EXAMPLE: &str = include_str!("plan/example.json");

/// Answers `open`, `follow`, `change`, `file`, `example` and `forget`.
pub fn answer(verb: &str, ask: &Ask, file: Option<FileBytes>) -> Option<Answer> {
    let now = decode(&ask.scenario).scenario;
    Some(match verb {
        "open" => opened(&now, None),
        "follow" => followed(&now, ask),
        "change" => changed(&now, ask),
        "example" => with_config(&now, ask, EXAMPLE),
        "forget" => with_config(&now, ask, ""),
        "file" => match file.map(text_of) {
            Some(Ok(text)) => match checkpoint_size(&text) {
                Some(size) => with_size(&now, ask, size),
                None => with_config(&now, ask, &text),
            },
            Some(Err(words)) => told(Answer::default(), "config", &words),
            None => Answer::default(),
        },
        _ => return None,
    })
}

/// The text of a file, if it can be a config.
fn text_of(file: FileBytes) -> Result<String, String> {
    let bytes = file?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = format::whole((MOST_BYTES >> 20) as i64);
        return Err(["the file is longer than ", &most, " MiB; a config.json has a few kilobytes"].concat());
    }
    // What is not UTF-8 becomes visible, and the reader of the config says what it stumbles over.
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn opened(now: &Scenario, config: Option<String>) -> Answer {
    let mut choices = Choices::of_scenario(now, config);
    // What an address gives is shown as it is; a number that it does not give is filled in.
    let fills = NUMBERS.iter().any(|name| choices.is_bare(name));
    choices.take_ranks();
    choices.pin_what_differs();
    let found = Found::of(&choices);
    let body = body(&choices, &found);
    let plan = found.plan.as_ref();
    let answer = told_defaults(Answer::default().replace("plan-body", [body]), plan);
    let scenario = found.filled.filter(|_| fills).map(|filled| destination(&filled, false));
    Answer { scenario, ..answer }
}

/// The scenario changed elsewhere on the page.
fn followed(now: &Scenario, ask: &Ask) -> Answer {
    let mut choices = Choices::of_form(now, ask);
    let config = choices.config.clone().filter(|_| now.plan.model.is_none() && now.plan.gpu.is_some());
    let mut there = Choices::of_scenario(now, config.clone());
    there.take_ranks();
    if config != choices.config || !choices.look_like(&there) {
        return opened(now, config);
    }
    // A number that is the plan's own again is not kept by hand any more.
    choices.pinned.retain(|name| !ask.field(&["pin-", name].concat()).is_empty());
    choices.pin_what_differs();
    let found = Found::of(&choices);
    shown(Answer::default(), &choices, &found)
}

/// A control of the form was used.
fn changed(now: &Scenario, ask: &Ask) -> Answer {
    if ask.by == "config"
        && let Some(size) = checkpoint_size(ask.field("config"))
    {
        let answer = with_size(now, &without_config(ask), size);
        return answer.set(&control_id("config"), Attribute::Value, Some(""));
    }
    let mut choices = Choices::of_form(now, ask);
    let mut answer = Answer::default();
    if ask.by == "model" && choices.config.is_some() {
        // The last word counts.
        choices = Choices::of_form(now, &without_config(ask));
        answer = answer.set(&control_id("config"), Attribute::Value, Some(""));
    } else if choices.config.is_some() {
        answer = answer.set(&control_id("model"), Attribute::Value, Some(""));
    }
    let found = Found::of(&choices);
    // Back returns to what was before the first plan.
    let first = found.plan.is_some() && !ask.fields.keys().any(|name| name.starts_with("was-"));
    answer.scenario = Some(match &found.filled {
        Some(filled) => destination(filled, first),
        None => destination(&choices.unfilled(), false),
    });
    answer.announce = found.trouble();
    shown(answer, &choices, &found)
}

/// The same with an empty config. A removal would bring the other half of the map's code along.
fn without_config(ask: &Ask) -> Ask {
    let mut ask = ask.clone();
    ask.fields.insert("config".to_owned(), String::new());
    ask
}

fn with_config(now: &Scenario, ask: &Ask, text: &str) -> Answer {
    let mut fields = ask.fields.clone();
    fields.insert("config".to_owned(), text.to_owned());
    let ask = Ask { fields, by: "config".to_owned(), ..ask.clone() };
    let answer = changed(now, &ask).set(&control_id("config"), Attribute::Value, Some(text));
    if text.is_empty() { answer } else { answer.set("plan-own", Attribute::Open, Some("")) }
}

/// The index of a checkpoint was given in place of a config: its size is what counts.
fn with_size(now: &Scenario, ask: &Ask, size: u64) -> Answer {
    let size = decimal::write(size as f64, 0);
    let mut fields = ask.fields.clone();
    fields.insert("size".to_owned(), size.clone());
    let ask = Ask { fields, by: "size".to_owned(), ..ask.clone() };
    let answer = changed(now, &ask).set(&control_id("size"), Attribute::Value, Some(&size));
    answer.set("plan-more", Attribute::Open, Some(""))
}

fn destination(scenario: &Scenario, push: bool) -> Destination {
    Destination { query: encode(scenario), push }
}

/// What the choices come to.
struct Found {
    plan: Option<Planned>,
    /// The scenario that the plan fills in.
    filled: Option<Scenario>,
    /// What is wrong with the config.
    config: Vec<Issue>,
    issues: Vec<Issue>,
}

impl Found {
    fn of(choices: &Choices) -> Self {
        let config = choices.config.as_ref().map(|text| config::read(text.as_bytes()).issues).unwrap_or_default();
        if !choices.are_enough() {
            return Self { plan: None, filled: None, config, issues: Vec::new() };
        }
        let PlanAnswer { plan, mut issues } = choices.plan();
        issues.retain(|issue| !config.contains(issue));
        issues.dedup();
        let plan = plan.filter(|_| !issues.iter().any(stops));
        let filled = plan.as_ref().map(|plan| decode(&plan.scenario).scenario);
        Self { plan, filled, config, issues }
    }

    /// Why there is no plan, for whoever does not see it.
    fn trouble(&self) -> Option<String> {
        let issue = self
            .config
            .first()
            .or(self.issues.iter().find(|issue| stops(issue)))
            .or(self.issues.last())
            .filter(|_| self.plan.is_none())?;
        Some([&issue.field, ": ", &issue.message].concat())
    }
}

fn body(choices: &Choices, found: &Found) -> Element {
    div()
        .class("plan")
        .set(Attribute::DataForm, "plan")
        .with(form::form(choices))
        .with(div().id("plan-result").class("plan__result").asks("plan/change", "change").all(result(choices, found)))
}

/// Replaces the result and what is said about the controls; the form itself stays, with focus and caret.
fn shown(answer: Answer, choices: &Choices, found: &Found) -> Answer {
    let answer = answer.replace("plan-result", result(choices, found));
    let answer = KEYS.iter().chain(&OTHERS).fold(answer, |answer, name| {
        let words = choices.notes.iter().find(|note| note.name == *name).map_or("", |note| note.words.as_str());
        told(answer, name, words)
    });
    let words: Vec<String> = found.config.iter().map(|issue| [&issue.field, ": ", &issue.message].concat()).collect();
    let answer = told(answer, "config", &words.join(". "));
    told_defaults(answer, found.plan.as_ref())
}

/// Says something about a control, or nothing any more.
fn told(answer: Answer, name: &str, words: &str) -> Answer {
    let said = if words.is_empty() { Vec::new() } else { vec![crate::view::span().text(words)] };
    let invalid = (!words.is_empty()).then_some("true");
    answer.replace(&note_id(name), said).set(&control_id(name), Attribute::AriaInvalid, invalid)
}

/// What the flags that were left out come to.
fn told_defaults(answer: Answer, plan: Option<&Planned>) -> Answer {
    let words = plan.map(|plan| {
        let count = |number: u64| format::whole(i64::try_from(number).unwrap_or(i64::MAX));
        let chunk = if plan.chunk > 0 { format::whole(plan.chunk) + " tokens" } else { "off".to_owned() };
        let graphs =
            if plan.max_bs > 0 { ["up to ", &count(plan.max_bs), " requests"].concat() } else { "off".to_owned() };
        let context = count(plan.context);
        let tokens = count(plan.page);
        let page = [
            tokens.as_str(),
            if plan.page == 1 { " token" } else { " tokens" },
            if plan.page_why.is_empty() { ", if the attention backend forces no other size" } else { ": " },
            plan.page_why,
        ];
        let words = [
            "In force: prefill chunks ",
            &chunk,
            ", decode graphs ",
            &graphs,
            ", context ",
            &context,
            " tokens, pages of ",
            &page.concat(),
            ".",
        ];
        crate::view::span().text(words.concat())
    });
    answer.replace("plan-defaults", words)
}

fn result(choices: &Choices, found: &Found) -> Vec<Element> {
    let (Some(plan), Some(filled)) = (&found.plan, &found.filled) else { return missing(choices, found) };
    let mut parts = vec![numbers::numbers(choices, plan, filled)];
    // That the need was not measured is said where the need is.
    let issues: Vec<Issue> = found.issues.iter().filter(|issue| issue.field != "dyn").cloned().collect();
    parts.extend(uncertain(&issues));
    parts.extend(memory::ranks(choices, plan));
    parts.extend([
        numbers::cell(plan),
        numbers::automatic(plan, filled),
        memory::need(plan),
        memory::band(plan),
        capacity::capacity(plan, filled),
        capacity::what_if(plan),
    ]);
    parts
}

/// Whether the server cannot load the model, whatever its memory is.
fn stops(issue: &Issue) -> bool {
    issue.kind == IssueKind::Conflict && matches!(issue.field.as_str(), "tp" | "dp" | "version")
}

/// What is still to be chosen, or why nothing can be said.
fn missing(choices: &Choices, found: &Found) -> Vec<Element> {
    let model = choices.config.is_some() || choices.scenario.plan.model.is_some();
    let words = match (model, choices.scenario.plan.gpu.is_some()) {
        (false, false) => "Choose a model and a GPU; everything else has a default.",
        (false, true) => "Choose a model, or paste its config.json.",
        (true, false) => "Choose a GPU.",
        (true, true) => "This cannot be planned:",
    };
    let mut parts = vec![p().class("plan__missing").text(words)];
    parts.extend(uncertain(&found.config));
    parts.extend(uncertain(&found.issues));
    parts.extend(choices.pinned.iter().map(|name| numbers::kept(name, &choices.scenario)));
    parts
}

fn uncertain(issues: &[Issue]) -> Option<Element> {
    let item = |issue: &Issue| li().with(code().text(issue.field.clone())).text([": ", &issue.message].concat());
    (!issues.is_empty()).then(|| ul().class("plan__issues").all(issues.iter().map(item)))
}

#[cfg(test)]
mod tests;

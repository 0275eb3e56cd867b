//! "The story" and "What happens at start-up": nine steps and five, told with the page's own bars.
//!
//! Each step of the story sets the scenario of the page, so that bars, formula and curve move by themselves; the sentences
//! that follow the scenario are recomputed when anything moves. All of it are functions from a step, a scenario and a
//! language to trees; the build makes pages of the same trees.

mod bet;
mod figures;
mod frame;
pub mod pages;
mod prose;
mod puzzles;
pub mod reference;
mod steps;
mod values;
mod walk;

use std::cell::Cell;

use super::{Answer, Ask, Destination, FileBytes};
use crate::budget::Report;
use crate::scenario::fields::field;
use crate::scenario::query::{decode, encode};
use crate::scenario::{Scenario, View, evaluate};
use crate::text::story::{Language, Words};
use crate::view::{Attribute, Element, Node};
use prose::{LIVE, Prose, TYPED};

/// What is asked about, and what it is answered for.
struct Turn<'a> {
    ask: &'a Ask,
    scenario: Scenario,
    language: Language,
}

/// One of the two: which step of the address it reads, how many steps it has, where it stands.
struct Path {
    /// What its ids begin with.
    prefix: &'static str,
    /// What it is asked as.
    kind: &'static str,
    /// The element that holds it.
    body: &'static str,
    steps: fn(&Words) -> usize,
    get: fn(&View) -> Option<u64>,
    set: fn(&mut View, u64),
    /// The whole of it at one step.
    tree: fn(&Prose, u64, Language) -> Element,
}

const STORY: Path = Path {
    prefix: "story",
    kind: "story",
    body: "story-body",
    steps: |words| words.steps.len(),
    get: |view| view.step,
    set: |view, step| view.step = Some(step),
    tree: frame::story,
};

const WALK: Path = Path {
    prefix: "walk",
    kind: "story/walk",
    body: "walk-body",
    steps: |words| words.walk.steps.len(),
    get: |view| view.walk,
    set: |view, step| view.walk = Some(step),
    tree: walk::tree,
};

/// Answers for the story, and as `walk/…` for the walk: `open`, `follow`, `go` and `step` to another step, `type` for a
/// number, `take` for a button that moves the bars, `return` to the step's own numbers, `language`, `bet` and `claim`.
pub fn answer(verb: &str, ask: &Ask, _file: Option<FileBytes>) -> Option<Answer> {
    let (path, verb) = match verb.strip_prefix("walk/") {
        Some(verb) => (&WALK, verb),
        None => (&STORY, verb),
    };
    let scenario = decode(&ask.scenario).scenario;
    let language = Language::of(scenario.view.lang, &ask.language);
    let turn = Turn { ask, scenario, language };
    Some(match verb {
        "open" => turn.opened(path),
        "follow" => turn.followed(path),
        "go" | "step" => turn.went(path, verb == "go"),
        "type" => turn.typed(path),
        "take" => turn.took(path, ask.by.split('=').next_back().unwrap_or_default()),
        "return" => turn.took(path, ""),
        "language" => turn.spoke(path),
        "bet" => turn.bet(),
        "claim" => turn.claimed(),
        _ => return None,
    })
}

impl Turn<'_> {
    /// The step of the address. Without one it is the first, as before the first move; but numbers of the reader's own
    /// do not end a story that is under way.
    fn step(&self, path: &Path) -> u64 {
        let shown = self.ask.field("shown").split(' ').next().and_then(|step| step.parse().ok());
        let away = path.prefix == "story" && !steps::numbers_equal(&self.scenario, &steps::scenario(1));
        let step = (path.get)(&self.scenario.view).or(shown.filter(|_| away)).unwrap_or(1);
        self.within(path, step)
    }

    /// The step, or the nearest that there is.
    fn within(&self, path: &Path, step: u64) -> u64 {
        step.clamp(1, (path.steps)(self.language.words()) as u64)
    }

    fn opened(mut self, path: &Path) -> Answer {
        let asked = (path.get)(&self.scenario.view);
        let step = self.step(path);
        if path.prefix != "story" {
            return self.whole(path, step).focusing(asked.map(|_| "walk-title"));
        }
        // `step=3` alone means that step with its numbers; other numbers are the reader's own.
        let bare = Scenario { view: View::default(), ..self.scenario.clone() } == Scenario::default();
        if bare && asked.is_some() {
            self.scenario = steps::arrive(step, &self.scenario);
            return self.whole(path, step).focusing(Some("story-title")).going(&self.scenario, false);
        }
        self.whole(path, step).focusing(asked.map(|_| "story-title"))
    }

    fn followed(&self, path: &Path) -> Answer {
        let step = self.step(path);
        if self.ask.field("shown") == shown(step, self.language) {
            self.parts(path, step)
        } else {
            self.whole(path, step)
        }
    }

    /// To another step, by a button or by the row of steps; by a button the focus goes to the heading.
    fn went(mut self, path: &Path, by_button: bool) -> Answer {
        let chosen = [path.prefix, "-step"].concat();
        let wanted =
            if by_button { self.ask.by.rsplit('-').next().unwrap_or_default() } else { self.ask.field(&chosen) };
        let step = self.within(path, wanted.parse().unwrap_or(1));
        if path.prefix == "story" {
            self.scenario = steps::arrive(step, &self.scenario);
        } else {
            (path.set)(&mut self.scenario.view, step);
        }
        let title = [path.prefix, "-title"].concat();
        let answer = self.whole(path, step).going(&self.scenario, true);
        let words = answer.view(path.body).and_then(|view| view.first()?.find(&title).map(Element::plain));
        let answer = answer.focusing(by_button.then_some(title.as_str()));
        // The row of steps keeps the focus, so the heading is said.
        Answer { announce: words.filter(|_| !by_button), ..answer }
    }

    /// A number was typed; what is no number changes nothing yet.
    fn typed(mut self, path: &Path) -> Answer {
        if let Some(field) = field(&self.ask.by) {
            // Out of range it is clamped, and the other numbers show what counts.
            field.read(&mut self.scenario, self.ask.field(&self.ask.by)).ok();
        }
        let step = self.step(path);
        self.parts(path, step).going(&self.scenario, false)
    }

    /// A button moved the bars to a run or a belief; none of that name means back to the step's own numbers.
    fn took(mut self, path: &Path, id: &str) -> Answer {
        let step = self.step(path);
        let mut taken = match crate::catalog::presets::by_id(id) {
            Some(preset) => steps::on_failing(&Scenario::from_preset(preset)),
            None => steps::scenario(step),
        };
        taken.view = self.scenario.view.clone();
        (path.set)(&mut taken.view, step);
        self.scenario = taken;
        self.parts(path, step).going(&self.scenario, id.is_empty())
    }

    fn spoke(mut self, path: &Path) -> Answer {
        let wanted = Language::ALL.into_iter().find(|language| self.ask.by.ends_with(language.key()));
        self.language = wanted.unwrap_or(self.language);
        self.scenario.view.lang = Some(self.language);
        self.whole(path, self.step(path)).going(&self.scenario, false)
    }

    fn bet(mut self) -> Answer {
        let raised = self.ask.by == "raise";
        self.scenario.fraction = bet::fraction(raised);
        let step = self.step(&STORY);
        let said = self.with_prose(&STORY, |prose| bet::said(prose, raised));
        self.parts(&STORY, step).replace("story-said", [said]).going(&self.scenario, false)
    }

    fn claimed(self) -> Answer {
        let number = self.ask.by.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        let said = self.with_prose(&STORY, |prose| puzzles::said(prose, number));
        Answer::default().replace(&puzzles::place(number), said)
    }

    fn with_prose<T>(&self, path: &Path, write: impl FnOnce(&Prose) -> T) -> T {
        let report = evaluate(&self.scenario).report;
        write(&prose(path, &self.scenario, &report, self.language))
    }

    fn tree(&self, path: &Path, step: u64) -> Element {
        self.with_prose(path, |prose| (path.tree)(prose, step, self.language))
    }

    fn whole(&self, path: &Path, step: u64) -> Answer {
        Answer::default().replace(path.body, [self.tree(path, step)])
    }

    /// What follows the scenario, and nothing else: the reader keeps place, focus and caret.
    fn parts(&self, path: &Path, step: u64) -> Answer {
        let tree = self.tree(path, step);
        let mut answer = Answer::default();
        for element in tree.elements() {
            let Some(id) = element.get(Attribute::Id) else { continue };
            if id.contains(LIVE) {
                answer.replace.push(super::Replacement { into: id.to_owned(), view: element.children().to_vec() });
                if let Some(verdict) = element.get(Attribute::DataVerdict) {
                    answer = answer.set(id, Attribute::DataVerdict, Some(verdict));
                }
            } else if let Some((_, key)) = id.split_once(TYPED) {
                // What somebody is typing stays as it is typed.
                let own = if self.ask.by == key { self.ask.fields.get(key).map(String::as_str) } else { None };
                answer = answer.set(id, Attribute::Value, own.or(element.get(Attribute::Value)));
            } else if let Some(pressed) = element.get(Attribute::AriaPressed) {
                answer = answer.set(id, Attribute::AriaPressed, Some(pressed));
            }
        }
        answer
    }
}

/// What is shown, as the form keeps it.
fn shown(step: u64, language: Language) -> String {
    [&crate::decimal::digits(u128::from(step)), " ", language.key()].concat()
}

fn prose<'a>(path: &Path, scenario: &'a Scenario, report: &'a Report, language: Language) -> Prose<'a> {
    Prose {
        prefix: path.prefix,
        kind: path.kind,
        scenario,
        report,
        words: language.words(),
        still: false,
        live: Cell::new(0),
    }
}

impl Answer {
    fn focusing(mut self, id: Option<&str>) -> Self {
        self.focus = id.map(str::to_owned);
        self
    }

    fn going(mut self, scenario: &Scenario, push: bool) -> Self {
        self.scenario = Some(Destination { query: encode(scenario), push });
        self
    }
}

/// Nodes as children.
fn all(element: Element, nodes: impl IntoIterator<Item = Node>) -> Element {
    nodes.into_iter().fold(element, Element::node)
}

#[cfg(test)]
mod tests;

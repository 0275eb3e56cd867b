//! Sections that open on demand: the workshop composes them, this builds what it composed.
//!
//! A `<details data-section="plan">` of the page is asked for as `plan/open` when it is first opened. Inside, an element
//! with `data-ask="plan/change" data-on="change"` sends the named controls of the nearest `data-form`, its files and the
//! scenario; the answer (`crate::sections::Answer`) says which parts are replaced, and what scenario the page goes to. When
//! the scenario changes elsewhere on the page, an open section with `data-follows` is asked to follow.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::{Array, JSON, Object, Reflect};
use leptos::prelude::{With as _, WithUntracked as _, document, window};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Element, Event, EventTarget, HtmlElement, Node};

use super::dom;
use super::press::Press;
use super::state::State;
use super::tree::{built, set};
use crate::browser::worker::{Workshop, WorkshopError};
use crate::browser::{clipboard, history};
use crate::js::{field, item, list, object, text};
use crate::scenario::Scenario;
use crate::scenario::query::{decode, encode};

/// Milliseconds without typing or dragging before the workshop is asked.
const QUIET: u32 = 250;

struct Section {
    state: State,
    press: Rc<Press>,
    workshop: Workshop,
    root: Element,
    /// Where it says that it is loading or why it failed.
    said: Element,
    name: String,
    opened: Cell<bool>,
    /// The answer to the opening is shown: there is something to bring up to date.
    filled: Cell<bool>,
    /// Counts the asks: only the answer to the last one is shown.
    asked: Cell<u32>,
    /// The scenario that it shows.
    shown: RefCell<String>,
    waiting: RefCell<Option<Timeout>>,
}

/// Binds every section of the page.
pub fn bind(state: State) {
    let roots = dom::all("[data-section]");
    let press = Press::watch(&roots);
    for root in roots {
        let Ok(Some(said)) = root.query_selector("[role=status]") else { continue };
        let name = root.get_attribute("data-section").unwrap_or_default();
        let section = Rc::new(Section {
            state,
            press: Rc::clone(&press),
            // `story/walk` is a part of the program of `story`.
            workshop: Workshop::new(name.split('/').next().unwrap_or_default()),
            root,
            said,
            name,
            opened: Cell::default(),
            filled: Cell::default(),
            asked: Cell::default(),
            shown: RefCell::default(),
            waiting: RefCell::default(),
        });
        let (page, root): (EventTarget, EventTarget) = (window().into(), section.root.clone().into());
        for (place, kinds) in [(&root, &["toggle", "click", "change", "input"][..]), (&page, &["drop", "dragover"])] {
            for kind in kinds {
                let section = Rc::clone(&section);
                dom::on(place, kind, move |event| section.heard(event));
            }
        }
        let following = Rc::clone(&section);
        State::watch(Box::new(move |_| following.follow(&state.scenario.with(encode))));
        let carries = match section.name.as_str() {
            "plan" => Scenario::is_planned,
            "engines" => Scenario::assumes,
            "story" => Scenario::is_told,
            "story/walk" => Scenario::is_walked,
            _ => continue,
        };
        if state.scenario.with_untracked(carries) {
            section.root.set_attribute("open", "").ok();
        }
    }
    open_linked();
    dom::on(&window(), "hashchange", |_| open_linked());
}

/// Opens the section that the address points at.
fn open_linked() {
    for root in dom::all("[data-section]").iter().filter(|root| history::is_at(&root.id())) {
        root.set_attribute("open", "").ok();
        // The browser went there before it was open: what stays in view above an open one has its room only now.
        root.scroll_into_view();
    }
}

impl Section {
    fn heard(self: &Rc<Self>, event: &Event) {
        let kind = event.type_();
        if kind == "toggle" {
            if self.root.has_attribute("open") && !self.opened.replace(true) {
                self.ask("open", None);
            }
            return;
        }
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let nearest = |selector: &str| target.closest(selector).ok().flatten();
        if kind == "click"
            && let Some(link) = nearest("a[href^='?']")
        {
            if !dom::wants_new_tab(event) {
                event.prevent_default();
                let query = link.get_attribute("href").unwrap_or_default();
                self.state.go(decode(&query).scenario);
            }
            return;
        }
        if kind == "click"
            && let Some(button) = nearest("[data-copy]")
        {
            return copy(button);
        }
        let awaited = if kind == "dragover" { "drop" } else { &kind };
        let asks = ["[data-ask][data-on~=", awaited, "]"].concat();
        let mut asking = nearest(&asks);
        let dropped = field(event, "dataTransfer");
        if awaited == "drop" {
            // Dragged text goes where it always goes.
            if !list(&dropped, "types").iter().any(|kind| kind.as_string().as_deref() == Some("Files")) {
                return;
            }
            // Wherever it falls: the browser would leave the page and open the file.
            event.prevent_default();
            if asking.is_none() && self.name == "log" && self.root.has_attribute("open") {
                asking = self.root.query_selector(&asks).ok().flatten();
            }
        }
        let Some(asking) = asking.filter(|asking| self.root.contains(Some(asking))) else { return };
        let mut target = target;
        if awaited == "drop" {
            let Some(input) = asking.query_selector("input[type=file]").ok().flatten() else { return };
            if kind == "dragover" {
                return;
            }
            Reflect::set(&input, &"files".into(), &field(&dropped, "files")).ok();
            target = input;
        }
        let ask = asking.get_attribute("data-ask").unwrap_or_default();
        let verb = ask.split('/').next_back().unwrap_or_default().to_owned();
        let section = Rc::clone(self);
        let send = move || section.ask(&verb, Some(&target));
        // Dropping the older timer cancels it.
        self.waiting.take();
        if kind == "input" {
            *self.waiting.borrow_mut() = Some(Timeout::new(QUIET, send));
        } else {
            send();
        }
    }

    /// The scenario changed, here or elsewhere on the page.
    fn follow(self: &Rc<Self>, query: &str) {
        if !self.opened.get() || !self.root.has_attribute("data-follows") || *self.shown.borrow() == query {
            return;
        }
        let section = Rc::clone(self);
        self.waiting.take();
        let follow = move || section.ask(if section.filled.get() { "follow" } else { "open" }, None);
        *self.waiting.borrow_mut() = Some(Timeout::new(QUIET, follow));
    }

    fn ask(self: &Rc<Self>, verb: &str, by: Option<&Element>) {
        let query = self.state.scenario.with_untracked(encode);
        let form = match by {
            Some(control) => control.closest("[data-form]").ok().flatten(),
            None => self.root.query_selector("[data-form]").ok().flatten(),
        };
        let by = by.and_then(|control| control.get_attribute("name")).unwrap_or_default();
        let (fields, names, files) = form.map(|form| controls(&form)).unwrap_or_default();
        let scenario = query.as_str().into();
        let question =
            object(&[("scenario", scenario), ("by", by.into()), ("fields", fields.into()), ("files", names.into())]);
        *self.shown.borrow_mut() = query;
        self.asked.set(self.asked.get() + 1);
        if verb == "open" {
            fetch_sheet();
            if let Some(address) = self.root.get_attribute("data-script") {
                fetch("script", &[&self.name, "-script"].concat(), &[("src", &address)]);
            }
            dom::set_text(&self.said, "Loading this section …");
        }
        let (section, turn, asked) = (Rc::clone(self), self.asked.get(), verb.to_owned());
        let done = move |outcome| {
            let (section, asked) = (Rc::clone(&section), asked.clone());
            let press = Rc::clone(&section.press);
            press.when_released(Box::new(move || {
                if section.asked.get() == turn {
                    section.answered(&asked, outcome);
                }
            }));
        };
        self.workshop.ask(&[&self.name, "/", verb].concat(), &question, &files, Rc::new(done));
    }

    fn answered(self: &Rc<Self>, asked: &str, outcome: Result<String, WorkshopError>) {
        match outcome {
            Ok(text) => {
                dom::set_text(&self.said, "");
                self.filled.set(true);
                self.show(&JSON::parse(&text).unwrap_or_default());
            }
            Err(error) => self.failed(asked, &error),
        }
    }

    fn failed(self: &Rc<Self>, asked: &str, error: &WorkshopError) {
        let why = error.to_string();
        dom::set_text(&self.said, &["This section could not be computed. ", &why, " "].concat());
        let Ok(button) = document().create_element("button") else { return };
        button.set_attribute("type", "button").ok();
        button.set_text_content(Some("Try again"));
        let (section, verb) = (Rc::clone(self), asked.to_owned());
        dom::on(&button, "click", move |_| section.ask(&verb, None));
        self.said.append_child(&button).ok();
    }

    /// The element of this section with this id.
    fn part<T: JsCast>(&self, id: &str) -> Option<T> {
        dom::by_id::<Element>(id).filter(|part| self.root.contains(Some(part)))?.dyn_into().ok()
    }

    fn show(&self, answer: &JsValue) {
        let had = document().active_element();
        let (place_of_focus, arrived) = self.replace(answer, had.as_ref());
        for change in list(answer, "set") {
            if let Some(element) = item(&change, 0).and_then(|id| self.part::<Element>(&id)) {
                set(&element, &item(&change, 1).unwrap_or_default(), item(&change, 2).as_deref());
            }
        }
        // An answer that stands below the window would be taken for none; the focus stays where it is.
        if let Some(place) = arrived {
            place.scroll_into_view();
        }
        self.focus(&text(answer, "focus"), had, place_of_focus);
        let words = text(answer, "announce");
        if !words.is_empty() {
            announce(&words);
        }
        let destination = field(answer, "scenario");
        if destination.is_object() {
            self.go(&destination);
        }
    }

    /// Puts new children into the parts that get some; gives the part within which the focus was, and the one that has an
    /// answer for the first time.
    fn replace(&self, answer: &JsValue, had: Option<&Element>) -> (Option<HtmlElement>, Option<HtmlElement>) {
        let (mut place_of_focus, mut arrived) = (None, None);
        for replacement in list(answer, "replace") {
            let Some(place) = self.part::<HtmlElement>(&text(&replacement, "into")) else { continue };
            if had != Some(&*place) && place.contains(had.map(AsRef::as_ref)) {
                place_of_focus = Some(place.clone());
            }
            if place.first_child().is_none() && place.has_attribute("data-arrives") {
                arrived = Some(place.clone());
            }
            let children: Vec<Node> = list(&replacement, "view").iter().filter_map(built).collect();
            place.set_text_content(None);
            for child in children {
                place.append_child(&child).ok();
            }
        }
        (place_of_focus, arrived)
    }

    /// Moves the focus to the element that was asked for, or keeps it where it was.
    fn focus(&self, asked: &str, had: Option<Element>, place_of_focus: Option<HtmlElement>) {
        let focused = had.as_ref().map(Element::id).unwrap_or_default();
        let wanted = if asked.is_empty() { &focused } else { asked };
        if document().active_element().is_none_or(|element| element.id() != *wanted)
            && let Some(element) = self.part::<HtmlElement>(wanted)
        {
            element.focus().ok();
            // Where reading goes on stands at the top of the window.
            if !asked.is_empty() {
                element.scroll_into_view();
            }
        } else if let Some(place) = place_of_focus
            && had.is_some_and(|had| !had.is_connected())
        {
            // What had the focus is gone: reading goes on where it was.
            place.set_attribute("tabindex", "-1").ok();
            place.focus().ok();
        }
    }

    /// Takes the page to a scenario, which this section shows already.
    fn go(&self, destination: &JsValue) {
        let scenario = decode(&text(destination, "query")).scenario;
        *self.shown.borrow_mut() = encode(&scenario);
        if field(destination, "push").is_truthy() {
            self.state.go(scenario);
        } else {
            self.state.edit(|now| *now = scenario);
        }
    }
}

/// Says something to screen readers.
fn announce(words: &str) {
    if let Some(place) = dom::by_id::<Element>("announcement") {
        dom::set_text(&place, words);
    }
}

/// Copies what a button holds, and says so on it.
fn copy(button: Element) {
    let text = button.get_attribute("data-copy").unwrap_or_default();
    clipboard::copy(
        &text,
        Box::new(move |worked| {
            let words = if worked { "Copied" } else { "Copy it by hand" };
            dom::set_text(&button, words);
            announce(words);
        }),
    );
}

/// Fetches the style of the sections, once.
fn fetch_sheet() {
    let address = dom::all("script[data-sheet]").first().and_then(|script| script.get_attribute("data-sheet"));
    if let Some(address) = address {
        fetch("link", "sheet", &[("rel", "stylesheet"), ("href", &address)]);
    }
}

/// Fetches a file of the page's own by an element of the head: once, and again where it did not arrive.
fn fetch(tag: &str, id: &str, attributes: &[(&str, &str)]) {
    if dom::by_id::<Element>(id).is_some() {
        return;
    }
    let Ok(element) = document().create_element(tag) else { return };
    element.set_id(id);
    let failed = element.clone();
    dom::on(&element, "error", move |_| failed.remove());
    for (name, value) in attributes {
        element.set_attribute(name, value).ok();
    }
    // Where reading goes on was scrolled to before it had its place.
    dom::on(&element, "load", |_| {
        let heading = document().active_element().filter(|element| element.tag_name() == "H3");
        if let Some(place) = heading.or_else(|| dom::all("[data-section]:target").into_iter().next()) {
            place.scroll_into_view();
        }
    });
    if let Some(first) = dom::all("head").first() {
        first.append_child(&element).ok();
    }
}

/// The named controls of a form, by name: their text, or the value of what is ticked. Then its files, what was typed into
/// a control with `data-file` among them, and before them the names of their controls.
fn controls(form: &Element) -> (Object, Array, Array) {
    let (fields, names, files) = (Object::new(), Array::new(), Array::new());
    let Ok(found) = form.query_selector_all("[name]") else { return (fields, names, files) };
    for index in 0..found.length() {
        let Some(control) = found.item(index) else { continue };
        let (name, value, kind) = (field(&control, "name"), field(&control, "value"), text(&control, "type"));
        let typed = control.dyn_ref::<Element>().is_some_and(|control| control.has_attribute("data-file"));
        if kind == "file" || typed {
            let given = if typed { Array::of1(&value) } else { Array::from(&field(&control, "files")) };
            for file in given.iter().filter(|file| !typed || file.is_truthy()) {
                names.push(&name);
                let file = if typed { Blob::new_with_str_sequence(&given).map_or(file, JsValue::from) } else { file };
                files.push(&file);
            }
        } else if kind != "checkbox" && kind != "radio" || field(&control, "checked").is_truthy() {
            Reflect::set(&fields, &name, &value).ok();
        }
    }
    (fields, names, files)
}

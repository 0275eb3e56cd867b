//! "Send this state": what a reader leaves with, and the lines that embed it.
//!
//! Every text and picture is an export (`crate::exports`); this only lays them out with their buttons. The form keeps what
//! belongs to the embed: its place, its parts, its colours, and where the page is hosted.

mod parts;

use super::{Answer, Ask, FileBytes};
use crate::exports::saved::Saved;
use crate::exports::snippets::{PLACES, SHOWN, embedded, place, snippet};
use crate::exports::{Home, badge, command, picture, post_mortem, sweep};
use crate::scenario::query::{decode, encode};
use crate::scenario::{Evaluation, Scenario, View, evaluate};
use crate::view::{Attribute, Element, details, div, input, label, option, p, pre, section, select, summary};
use parts::{Take, copies, heading, saves};

/// The parts that an embed can show, and what they are called.
const PARTS: [(&str, &str); 7] = [
    ("verdict", "verdict"),
    ("bars", "bars"),
    ("formula", "formula"),
    ("sliders", "sliders"),
    ("curve", "curve"),
    ("presets", "presets"),
    ("log", "my log"),
];

/// Answers `open`, `follow` and `change`.
pub fn answer(verb: &str, ask: &Ask, _: Option<FileBytes>) -> Option<Answer> {
    let scenario = decode(&ask.scenario).scenario;
    // The scenario may change before the form is there.
    let fresh = verb == "open" || verb == "follow" && ask.fields.is_empty();
    let out = Out::of(&scenario, ask, fresh);
    Some(match verb {
        "open" | "follow" if fresh => Answer::default().replace("share-more-body", [out.body()]),
        "follow" | "change" => Answer::default()
            .replace("share-takes", out.takes())
            .replace("share-lines", out.lines())
            .set("share-preview", Attribute::DataPreview, out.preview().as_deref()),
        _ => return None,
    })
}

/// A scenario, what follows from it, and what the form says about its embed.
struct Out {
    scenario: Scenario,
    evaluation: Evaluation,
    home: Home,
    place: String,
    /// As it is embedded.
    framed: Scenario,
}

impl Out {
    fn of(scenario: &Scenario, ask: &Ask, fresh: bool) -> Self {
        let typed = ask.field("home");
        let home = Home::of(if typed.is_empty() { &ask.home } else { typed });
        let scenario = Scenario { view: View { lang: scenario.view.lang, ..View::default() }, ..scenario.clone() };
        let ticked = |name: &&str| !ask.field(&["show-", name].concat()).is_empty();
        let show = if fresh { SHOWN.to_vec() } else { PARTS.iter().map(|(name, _)| *name).filter(ticked).collect() };
        let theme = ["light", "dark"].into_iter().find(|theme| ask.field("theme") == *theme);
        let framed = Scenario { view: View { theme, show, ..View::default() }, ..scenario.clone() };
        let evaluation = evaluate(&scenario);
        Self { scenario, evaluation, home, place: ask.field("place").to_owned(), framed }
    }

    fn body(&self) -> Element {
        let takes = section()
            .class("takes")
            .set(Attribute::AriaLabelledby, "share-take-title")
            .with(heading("share-take-title", "Take it along"))
            .with(div().id("share-takes").class("takes__list").all(self.takes()));
        let embed = section()
            .class("embedding")
            .set(Attribute::AriaLabelledby, "share-embed-title")
            .with(heading("share-embed-title", "Embed it"))
            .with(self.form())
            .with(div().id("share-lines").class("embedding__lines").all(self.lines()))
            .with(self.frame());
        div().class("share-out").set(Attribute::DataForm, "share").with(takes).with(embed)
    }

    /// What can be copied and saved.
    fn takes(&self) -> Vec<Element> {
        let (scenario, evaluation) = (&self.scenario, &self.evaluation);
        let command = command::command(scenario, evaluation);
        let launch = Take::new("Launch command", &command.why);
        let launch = match &command.text {
            Some(text) => launch.shown(text).with(copies("take-command", "Copy command", text)),
            None => launch,
        };
        let report = post_mortem::markdown(scenario, evaluation, &self.home);
        let url = self.home.is_known().then(|| self.home.link(scenario));
        let json = Saved::of(scenario, url).text();
        let table = sweep::csv(scenario);
        let (bars, curve) = (picture::bars(evaluation), picture::curve(scenario, evaluation));
        let badge = badge::svg(evaluation);
        let takes = [
            launch,
            Take::new("Post-mortem", "Markdown for a ticket: table, formula, verdict, command, link, picture.")
                .with(copies("take-report", "Copy Markdown", &report))
                .with(saves("Save .md", "kv-budget.md", &report)),
            Take::new("JSON", "For programs; reading it back gives the same scenario.")
                .with(copies("take-json", "Copy JSON", &json))
                .with(saves("Save .json", "kv-budget.json", &json)),
            Take::new("Sweep", "Every hundredth of the fraction as CSV.")
                .with(copies("take-sweep", "Copy CSV", &table))
                .with(saves("Save .csv", "kv-budget-sweep.csv", &table)),
            Take::new("Bars", "The picture of this state, with selectable text.")
                .with(copies("take-bars", "Copy SVG", &bars))
                .with(saves("Save .svg", "kv-budget-bars.svg", &bars))
                .with(saves("Save .png", "kv-budget-bars.png", &bars)),
            Take::new("Curve", "Tokens against the fraction.")
                .with(copies("take-curve", "Copy SVG", &curve))
                .with(saves("Save .svg", "kv-budget-curve.svg", &curve))
                .with(saves("Save .png", "kv-budget-curve.png", &curve)),
            Take::new("Badge", &["“KV budget: ", &badge::words(evaluation).0, "”, for a README."].concat())
                .with(copies("take-badge", "Copy SVG", &badge))
                .with(saves("Save .svg", "kv-budget-badge.svg", &badge)),
        ];
        takes.into_iter().map(Take::element).collect()
    }

    fn form(&self) -> Element {
        let places = PLACES.iter().map(|place| option().set(Attribute::Value, place.id).text(place.name));
        let themes = [("auto", "like the page around it"), ("light", "light"), ("dark", "dark")];
        let themes = themes.map(|(id, name)| option().set(Attribute::Value, id).text(name));
        let part = |(id, name): &(&str, &str)| {
            let control = ["share-show-", id].concat();
            let ticked = SHOWN.contains(id);
            label()
                .class("embedding__part")
                .with(
                    input()
                        .id(&control)
                        .set(Attribute::Type, "checkbox")
                        .set(Attribute::Name, ["show-", id].concat())
                        .set(Attribute::Value, "1")
                        .flag(Attribute::Checked, ticked),
                )
                .text([" ", name].concat())
        };
        let parts = div()
            .class("embedding__parts")
            .set(Attribute::Role, "group")
            .set(Attribute::AriaLabel, "Parts that it shows")
            .all(PARTS.iter().map(part));
        let home = input()
            .id("share-home")
            .set(Attribute::Name, "home")
            .set(Attribute::Type, "text")
            .set(Attribute::Spellcheck, "false")
            .set(Attribute::Autocomplete, "off")
            .set(Attribute::Placeholder, Home::default().text())
            .set(Attribute::Value, if self.home.is_known() { self.home.text() } else { "" });
        let field = |id: &str, name: &str, control: Element| {
            div().class("embedding__field").with(label().set(Attribute::For, id).text(name)).with(control)
        };
        let pick = |id: &str, name: &str| select().id(id).set(Attribute::Name, name);
        div()
            .class("embedding__form")
            .asks("share/change", "change")
            .with(field("share-place", "Where it goes", pick("share-place", "place").all(places)))
            .with(field("share-theme", "Colours", pick("share-theme", "theme").all(themes)))
            .with(field("share-home", "Where this page is hosted", home))
            .with(parts)
    }

    /// The lines to copy, and where they go.
    fn lines(&self) -> Vec<Element> {
        let place = place(&self.place);
        let text = snippet(place, &self.framed, &self.evaluation, &self.home);
        vec![
            p().class("aside").text(place.note),
            pre()
                .id("share-lines-text")
                .class("lines")
                .set(Attribute::Tabindex, "0")
                .set(Attribute::AriaLabel, "Lines to copy")
                .text(text.clone()),
            div().class("take__buttons").with(copies("copy-snippet", "Copy these lines", &text)),
        ]
    }

    fn frame(&self) -> Element {
        let frame = div().id("share-preview").class("embedding__preview");
        let frame = match self.preview() {
            Some(query) => frame.set(Attribute::DataPreview, query),
            None => frame,
        };
        // The frame is fetched by whoever wants to see it.
        details().id("share-look").with(summary().id("share-look-title").text("How it looks")).with(frame)
    }

    /// The query of what is embedded; nothing to show where nobody knows where the page is.
    fn preview(&self) -> Option<String> {
        self.home.is_known().then(|| encode(&embedded(&self.framed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Node;

    fn asked(verb: &str, scenario: &str, fields: &[(&str, &str)]) -> Answer {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let home = "https://a.b/kv/workshop-boot.js?share".to_owned();
        answer(verb, &Ask { scenario: scenario.to_owned(), fields, home, ..Ask::default() }, None).unwrap()
    }

    fn copied(answer: &Answer, id: &str) -> String {
        let elements = answer.replace.iter().flat_map(|part| part.view.iter().filter_map(Node::element));
        let found = elements.into_iter().find_map(|element| element.find(id)).unwrap();
        found.get(Attribute::DataCopy).unwrap().to_owned()
    }

    #[test]
    fn it_opens_with_everything() {
        let answer = asked("open", "f=0.88", &[]);
        assert!(copied(&answer, "take-command").ends_with("--mem-fraction-static 0.88"));
        assert!(copied(&answer, "take-report").contains("live: <https://a.b/kv/?f=0.88>"));
        assert!(copied(&answer, "take-json").contains("\"pool_tokens\": 159171"));
        assert!(copied(&answer, "take-sweep").starts_with("fraction,"));
        for id in ["take-bars", "take-curve", "take-badge"] {
            assert!(copied(&answer, id).starts_with("<svg "), "{id}");
        }
        assert!(copied(&answer, "copy-snippet").contains("<kv-budget f=\"0.88\"><a href=\"https://a.b/kv/?f=0.88\">"));
    }

    #[test]
    fn the_form_decides_about_the_embed() {
        let fields = [
            ("place", "iframe"),
            ("theme", "dark"),
            ("show-bars", "1"),
            ("show-curve", "1"),
            ("home", "https://c.d/x/index.html"),
        ];
        let answer = asked("change", "f=0.88&theme=light&step=2", &fields);
        let text = copied(&answer, "copy-snippet");
        assert!(text.contains("src=\"https://c.d/x/embed.html?f=0.88&amp;theme=dark&amp;show=bars,curve\""), "{text}");
        assert_eq!(answer.set[0].2.as_deref(), Some("f=0.88&theme=dark&show=bars,curve"));
        assert!(copied(&answer, "take-report").contains("<https://c.d/x/?f=0.88>"));
    }

    #[test]
    fn a_change_before_the_form_is_there_opens_it() {
        assert!(asked("follow", "f=0.88", &[]).view("share-more-body").is_some());
        assert!(asked("follow", "f=0.88", &[("home", "")]).view("share-takes").is_some());
    }

    #[test]
    fn without_a_place_there_is_no_preview() {
        let answer = answer("open", &Ask { home: "blob:null/1".to_owned(), ..Ask::default() }, None).unwrap();
        let body = answer.view("share-more-body").unwrap();
        assert_eq!(body[0].find("share-preview").unwrap().get(Attribute::DataPreview), None);
        assert!(copied(&answer, "copy-snippet").contains("https://YOUR-HOST/kv-budget/embed.js"));
        assert_eq!(super::answer("nonsense", &Ask::default(), None), None);
    }
}

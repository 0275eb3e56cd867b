//! The lines that put the living scenario into other people's pages: one table of places, one text each.

use super::post_mortem::picture;
use super::{Home, escape};
use crate::scenario::fields::FIELDS;
use crate::scenario::query::encode;
use crate::scenario::{Evaluation, Scenario, View};
use crate::text;

/// What an embed shows where nobody chose.
pub const SHOWN: [&str; 3] = ["verdict", "bars", "sliders"];

/// What a frame may do: run the page and open its links; it has no origin, and so reaches nothing of its host.
pub const SANDBOX: &str = "allow-scripts allow-popups allow-popups-to-escape-sandbox";

/// A place to put it.
pub struct Place {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Where the lines go and what else is needed.
    pub note: &'static str,
    text: fn(&Parts) -> String,
}

/// What every text is made of.
struct Parts<'a> {
    home: &'a Home,
    /// As the page itself shows it.
    page: Scenario,
    /// As the frame is asked for it.
    framed: Scenario,
    /// Alternative text: the headline.
    words: String,
    /// `<kv-budget …>…</kv-budget>`.
    element: String,
}

impl Parts<'_> {
    fn script(&self) -> String {
        ["<script async src=\"", &self.home.with("embed.js", ""), "\"></script>"].concat()
    }

    fn html(&self) -> String {
        [&self.script(), "\n", &self.element, "\n"].concat()
    }
}

/// The places, in the order in which they are offered.
pub const PLACES: [Place; 8] = [
    Place {
        id: "html",
        name: "HTML",
        note: "The script is needed once a page, however many elements there are. What stands inside the element is shown where scripts are off.",
        text: |parts| parts.html(),
    },
    Place {
        id: "iframe",
        name: "A bare frame",
        note: "For places that allow frames and no scripts. Its height stays as it is written here.",
        text: |parts| {
            let height = crate::decimal::digits(u128::from(height(&parts.framed.view.show)));
            let source = escape(&parts.home.with("embed.html", &encode(&parts.framed)));
            [
                "<iframe src=\"",
                &source,
                "\" title=\"KV cache budget\" loading=\"lazy\" sandbox=\"",
                SANDBOX,
                "\" width=\"100%\" height=\"",
                &height,
                "\" style=\"border: 0\"></iframe>\n",
            ]
            .concat()
        },
    },
    Place {
        id: "markdown",
        name: "Markdown",
        note: "A picture that leads to the living scenario, for places that allow neither frames nor scripts. Save the bars as SVG beside the text, unless it is a preset, which has its picture here.",
        text: |parts| {
            let picture = picture(&parts.page, parts.home);
            ["[![", &parts.words, "](", &picture, ")](", &parts.home.link(&parts.page), ")\n"].concat()
        },
    },
    Place {
        id: "mkdocs",
        name: "MkDocs",
        note: "Into any page: HTML passes through as it is.",
        text: |parts| [&parts.script(), "\n\n<div>\n", &parts.element, "\n</div>\n"].concat(),
    },
    Place {
        id: "docusaurus",
        name: "Docusaurus (MDX)",
        note: "The element into the page; the script into docusaurus.config.js, since MDX runs none.",
        text: |parts| {
            let script = parts.home.with("embed.js", "");
            let config = ["// docusaurus.config.js\nscripts: [{ src: \"", &script, "\", async: true }],\n\n"].concat();
            [&config, "{/* the page */}\n", &parts.element, "\n"].concat()
        },
    },
    Place {
        id: "mdbook",
        name: "mdBook",
        note: "Into any chapter: HTML passes through as it is.",
        text: |parts| [&parts.script(), "\n\n<div>\n", &parts.element, "\n</div>\n"].concat(),
    },
    Place {
        id: "sphinx",
        name: "Sphinx (reStructuredText)",
        note: "Into any page.",
        text: |parts| {
            let lines = parts.html();
            let lines: String = lines.lines().map(|line| ["   ", line, "\n"].concat()).collect();
            [".. raw:: html\n\n", &lines].concat()
        },
    },
    Place {
        id: "link",
        name: "Notion, Confluence, chat",
        note: "Paste it as a link. A preset unfolds into its title and picture; another scenario is a link.",
        text: |parts| parts.home.preview(&parts.page) + "\n",
    },
];

/// The place with this id; the first for any other.
pub fn place(id: &str) -> &'static Place {
    let [first, ..] = &PLACES;
    PLACES.iter().find(|place| place.id == id).unwrap_or(first)
}

/// The lines for a place. The scenario's `theme` and `show` are those of the embed.
pub fn snippet(place: &Place, scenario: &Scenario, evaluation: &Evaluation, home: &Home) -> String {
    let framed = embedded(scenario);
    let page = Scenario { view: View::default(), ..scenario.clone() };
    let words = text::headline_of(scenario, &evaluation.report).plain();
    let fallback = ["<a href=\"", &escape(&home.link(&page)), "\">", &escape(&words), "</a>"].concat();
    let element = ["<kv-budget", &attributes(&framed), ">", &fallback, "</kv-budget>"].concat();
    (place.text)(&Parts { home, page, framed, words, element })
}

/// The scenario as the embed gets it: no choice of parts where it is the usual one.
pub fn embedded(scenario: &Scenario) -> Scenario {
    let mut show = scenario.view.show.clone();
    if show == SHOWN {
        show.clear();
    }
    let theme = scenario.view.theme.filter(|theme| *theme != "auto");
    Scenario { view: View { theme, show, ..View::default() }, ..scenario.clone() }
}

/// The keys of an address as attributes.
pub fn attributes(scenario: &Scenario) -> String {
    let query = encode(scenario);
    let mut text = String::new();
    for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        debug_assert!(FIELDS.iter().any(|field| field.key == key));
        text.push_str(&[" ", key, "=\"", &escape(value), "\""].concat());
    }
    text
}

/// How high an embed is in a column of 720 pixels with its section open; Plan, Other engines and Share have more to show
/// than anyone gives a frame, and scroll.
fn height(show: &[&str]) -> u32 {
    let parts = [
        ("verdict", 136),
        ("bars", 258),
        ("formula", 158),
        ("sliders", 418),
        ("curve", 406),
        ("presets", 274),
        ("compare", 80),
        ("log", 530),
        ("plan", 900),
        ("engines", 900),
        ("share", 600),
    ];
    let shown = |part: &&(&str, u32)| if show.is_empty() { SHOWN.contains(&part.0) } else { show.contains(&part.0) };
    68 + parts.iter().filter(shown).map(|part| part.1).sum::<u32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::evaluate;
    use crate::scenario::fields::SECTIONS;
    use crate::scenario::query::decode;

    fn of(id: &str, query: &str) -> String {
        let scenario = decode(query).scenario;
        snippet(place(id), &scenario, &evaluate(&scenario), &Home::of("https://a.b/kv/"))
    }

    const WORKS: &str = "Starts with 10.417 GiB for the KV cache: 159,171 tokens.";

    #[test]
    fn an_element_for_any_page() {
        let element = format!(
            "<kv-budget preset=\"baseline-0.88\"><a href=\"https://a.b/kv/?preset=baseline-0.88\">{WORKS}</a></kv-budget>"
        );
        let script = "<script async src=\"https://a.b/kv/embed.js\"></script>";
        let query = "preset=baseline-0.88";
        assert_eq!(of("html", query), format!("{script}\n{element}\n"));
        assert_eq!(of("mkdocs", query), format!("{script}\n\n<div>\n{element}\n</div>\n"));
        assert_eq!(of("mdbook", query), of("mkdocs", query));
        assert_eq!(of("sphinx", query), format!(".. raw:: html\n\n   {script}\n   {element}\n"));
        assert_eq!(
            of("docusaurus", query),
            format!(
                "// docusaurus.config.js\nscripts: [{{ src: \"https://a.b/kv/embed.js\", async: true }}],\n\n{{/* the page */}}\n{element}\n"
            )
        );
    }

    #[test]
    fn parts_and_theme_go_along_to_the_frame_only() {
        let text = of("html", "f=0.88&theme=dark&show=bars,curve&step=3&embed=1");
        assert!(
            text.contains(
                "<kv-budget f=\"0.88\" theme=\"dark\" show=\"bars,curve\"><a href=\"https://a.b/kv/?f=0.88\">"
            ),
            "{text}"
        );
        let usual = of("html", "f=0.88&theme=auto&show=verdict,bars,sliders");
        assert!(usual.contains("<kv-budget f=\"0.88\"><a"), "{usual}");
    }

    #[test]
    fn a_frame_without_a_script() {
        assert_eq!(
            of("iframe", "f=0.88&page=64&show=verdict,bars"),
            "<iframe src=\"https://a.b/kv/embed.html?f=0.88&amp;page=64&amp;show=verdict,bars\" title=\"KV cache budget\" \
             loading=\"lazy\" sandbox=\"allow-scripts allow-popups allow-popups-to-escape-sandbox\" width=\"100%\" \
             height=\"462\" style=\"border: 0\"></iframe>\n"
        );
    }

    #[test]
    fn a_frame_has_room_for_each_section() {
        for section in SECTIONS {
            let own = height(&[section]) - 68;
            assert!(own >= 60, "{section}");
            assert_eq!(
                height(&["verdict", section]),
                68 + own + if section == "verdict" { 0 } else { 136 },
                "{section}"
            );
        }
        assert!(of("iframe", "show=log").contains(" height=\"598\" "));
    }

    #[test]
    fn links_and_pictures() {
        assert_eq!(
            of("markdown", "preset=baseline-0.88"),
            format!("[![{WORKS}](https://a.b/kv/p/baseline-0.88/card.png)](https://a.b/kv/?preset=baseline-0.88)\n")
        );
        assert_eq!(of("markdown", "f=0.88"), format!("[![{WORKS}](kv-budget-bars.svg)](https://a.b/kv/?f=0.88)\n"));
        assert_eq!(of("link", "preset=baseline-0.88"), "https://a.b/kv/p/baseline-0.88/\n");
        assert_eq!(of("link", "f=0.88"), "https://a.b/kv/?f=0.88\n");
        let nowhere = snippet(place("link"), &Scenario::default(), &evaluate(&Scenario::default()), &Home::default());
        assert_eq!(nowhere, "https://YOUR-HOST/kv-budget/\n");
    }
}

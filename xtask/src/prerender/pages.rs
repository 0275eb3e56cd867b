//! Pages beside the page: the story and the reference, in each language. Plain HTML that runs nothing: for search engines,
//! for paper, and for whoever has no WebAssembly.

use kv_budget::sections::story::{pages, reference};
use kv_budget::text::reference::words;
use kv_budget::text::story::Language;

use super::html::Writer;
use super::{escape, policy, style};
use crate::step::Result;

/// Which of the two.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Story,
    Reference,
}

impl Kind {
    fn file(self) -> &'static str {
        match self {
            Self::Story => "story.html",
            Self::Reference => "reference.html",
        }
    }
}

/// All pages: their place under `dist/` and their HTML. `icon` is the name of the page's icon there.
pub fn all(icon: &str) -> Result<Vec<(String, String)>> {
    let kinds = [Kind::Story, Kind::Reference];
    kinds.iter().flat_map(|kind| Language::ALL.map(|language| page(*kind, language, icon))).collect()
}

/// The page itself is in English, and so is what stands beside it; any other language has a folder under its key.
fn folder(language: Language) -> String {
    if language == Language::English { String::new() } else { format!("{}/", language.key()) }
}

fn page(kind: Kind, language: Language, icon: &str) -> Result<(String, String)> {
    let home = if folder(language).is_empty() { "./" } else { "../" };
    let (links, story) = (&words(language).links, language.words());
    let mut writer = Writer::new(home);
    let (title, description, lead, parts) = match kind {
        Kind::Story => {
            let parts = pages::story(language).into_iter().chain(pages::walk(language)).collect::<Vec<_>>();
            (story.title, story.lead, format!("<p class=\"lead\">{}</p>", escape(story.lead)), parts)
        }
        Kind::Reference => {
            let lead = writer.element(&reference::lead(language));
            (reference::title(language), reference::description(language), lead, reference::article(language))
        }
    };
    let body: String = parts.iter().map(|part| writer.element(part) + "\n").collect();
    let other = |wanted: Kind, text: &str| {
        let current = if wanted == kind { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{}\"{current}>{}</a>", wanted.file(), escape(text))
    };
    let languages = Language::ALL.map(|to| {
        let (tag, name) = (to.tag(), to.words().name);
        if to == language {
            return format!("<span aria-current=\"true\">{name}</span>");
        }
        format!("<a href=\"{home}{}{}\" lang=\"{tag}\" hreflang=\"{tag}\">{name}</a>", folder(to), kind.file())
    });
    let alternates: String = Language::ALL
        .map(|to| {
            format!("<link rel=\"alternate\" hreflang=\"{}\" href=\"{home}{}{}\">\n", to.tag(), folder(to), kind.file())
        })
        .concat();
    let html = format!(
        "<!doctype html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src <!-- kv:style-hashes -->; \
         img-src 'self'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title} · KV Budget</title>\n<meta name=\"description\" content=\"{description}\">\n\
         <link rel=\"icon\" href=\"{home}{icon}\" type=\"image/svg+xml\">\n{alternates}<style>{sheet}{rules}</style>\n</head>\n\
         <body>\n<header class=\"top\">\n<a class=\"top__name\" href=\"{home}{query}\">{name}</a>\n<nav aria-label=\"{name}\">{story} {reference} \
         {languages}</nav>\n</header>\n<main class=\"article\">\n<h1>{title}</h1>\n{lead}\n{body}</main>\n\
         <footer class=\"foot\"><p>{foot}</p></footer>\n</body>\n</html>\n",
        tag = language.tag(),
        title = escape(title),
        description = escape(description),
        sheet = style::article()?,
        rules = writer.rules(),
        query = if language == Language::English { String::new() } else { format!("?lang={}", language.key()) },
        name = escape(links.page),
        story = other(Kind::Story, links.story),
        reference = other(Kind::Reference, links.reference),
        languages = languages.join(" "),
        foot = escape(links.foot),
    );
    Ok((format!("{}{}", folder(language), kind.file()), policy::fill(&html)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_pages_that_run_nothing() {
        let pages = all("favicon.svg").unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["story.html", "zh/story.html", "reference.html", "zh/reference.html"]);
        for (name, html) in &pages {
            assert!(!html.contains("<script") && !html.contains(" style=") && !html.contains("kv:"), "{name}");
            assert!(!html.contains("<button") && !html.contains("<input"), "{name}");
            assert!(html.contains("style-src 'sha256-"), "{name}");
            let home = if name.starts_with("zh/") { "\"../" } else { "\"./" };
            assert!(html.contains(home), "{name}");
        }
    }

    #[test]
    fn ids_are_given_once_and_links_lead_to_them() {
        for (name, html) in all("favicon.svg").unwrap() {
            let mut ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
            let count = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), count, "{name}");
            for link in html.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(ids.contains(&link), "{name}: #{link}");
            }
        }
    }
}

//! Link previews: for each preset a small page with its own title, description and picture, and its oEmbed answer.
//!
//! Chats and wikis run no script: what they unfold must be in a file. `KV_BUDGET_URL` names where the page will be hosted;
//! without it the addresses are relative, which some readers of such pages do not follow.

mod canvas;
mod card;

use kv_budget::catalog::presets::{PRESETS, Preset};
use kv_budget::exports::snippets::SANDBOX;
use kv_budget::exports::{Home, badge, escape};
use kv_budget::scenario::{Evaluation, Scenario, evaluate};
use kv_budget::text;
use serde_json::json;

use crate::prerender::policy;
use crate::project;
use crate::step::{Result, say};

/// Enough to read it on a phone and in the dark, in the page's own colours.
const STYLE: &str = "body{max-width:42rem;margin:2rem auto;padding:0 1rem;font:1.0625rem/1.55 Charter,'Sitka Text',serif;\
                     color:light-dark(#1d2228,#e8e6df);background:light-dark(#fbfaf6,#14171b)}\
                     h1{font-size:1.6rem;line-height:1.2;text-wrap:balance}img{max-width:100%;height:auto}a{color:inherit}";

/// What oEmbed calls the frame's size, pixels.
const FRAME: (u32, u32) = (760, 780);

/// Writes `p/PRESET/` for each preset.
pub fn write() -> Result<()> {
    let step = "write the link previews";
    say(step);
    let home = std::env::var("KV_BUDGET_URL").map(|url| Home::of(&url)).unwrap_or_default();
    for preset in &PRESETS {
        let folder = project::dist().join("p").join(preset.id);
        std::fs::create_dir_all(&folder).map_err(|error| project::unreadable(step, &folder, &error))?;
        let scenario = Scenario::from_preset(preset);
        let preview = Preview { preset, evaluation: evaluate(&scenario), home: &home };
        project::write(step, &folder.join("index.html"), &preview.page())?;
        project::write(step, &folder.join("oembed.json"), &preview.oembed())?;
        let picture = folder.join("card.png");
        std::fs::write(&picture, card::png(&preview.evaluation)?)
            .map_err(|error| project::unreadable(step, &picture, &error))?;
    }
    Ok(())
}

struct Preview<'a> {
    preset: &'static Preset,
    evaluation: Evaluation,
    home: &'a Home,
}

impl Preview<'_> {
    /// An address beside this page, absolute where that is known.
    fn address(&self, file: &str) -> String {
        if self.home.is_known() {
            self.home.with(&format!("p/{}/{file}", self.preset.id), "")
        } else if file.is_empty() {
            "./".to_owned()
        } else {
            file.to_owned()
        }
    }

    fn title(&self) -> String {
        text::headline(&self.evaluation.report).plain()
    }

    fn page(&self) -> String {
        let title = escape(&self.title());
        let caption = escape(&text::caption(self.preset).plain());
        let lead = escape(&text::lead(&self.evaluation.report).plain());
        let summary = escape(&text::summary(&self.evaluation.report));
        let name = escape(text::preset_name(self.preset));
        let (picture, own, oembed) = (self.address("card.png"), self.address(""), self.address("oembed.json"));
        let id = self.preset.id;
        let html = format!(
            "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src <!-- kv:style-hashes -->; img-src 'self' data:; base-uri 'none'; form-action 'none'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<link rel=\"icon\" href=\"data:,\">
<title>{title} KV Budget</title>
<style>{STYLE}</style>
<meta name=\"description\" content=\"{caption}\">
<link rel=\"canonical\" href=\"{own}\">
<link rel=\"alternate\" type=\"application/json+oembed\" href=\"{oembed}\" title=\"{title}\">
<meta property=\"og:type\" content=\"website\">
<meta property=\"og:site_name\" content=\"KV Budget\">
<meta property=\"og:title\" content=\"{title}\">
<meta property=\"og:description\" content=\"{caption}\">
<meta property=\"og:url\" content=\"{own}\">
<meta property=\"og:image\" content=\"{picture}\">
<meta property=\"og:image:width\" content=\"1200\">
<meta property=\"og:image:height\" content=\"630\">
<meta property=\"og:image:alt\" content=\"{summary}\">
<meta name=\"twitter:card\" content=\"summary_large_image\">
</head>
<body>
<main>
<h1>{title}</h1>
<p>{lead}</p>
<p>{caption}</p>
<p><img src=\"card.png\" width=\"600\" height=\"315\" alt=\"{summary}\"></p>
<p><a href=\"../../?preset={id}\">Open “{name}” in KV Budget</a>, where every number can be moved.</p>
</main>
</body>
</html>
"
        );
        policy::fill(&html)
    }

    /// The answer of an oEmbed provider, as a file.
    fn oembed(&self) -> String {
        let up = |file: &str| {
            if self.home.is_known() { self.home.with(file, "") } else { format!("../../{file}") }
        };
        let (width, height) = FRAME;
        let frame = format!(
            "<iframe src=\"{}?preset={}\" title=\"KV cache budget\" width=\"{width}\" height=\"{height}\" loading=\"lazy\" \
             sandbox=\"{SANDBOX}\" style=\"border:0\"></iframe>",
            up("embed.html"),
            self.preset.id
        );
        let answer = json!({
            "version": "1.0",
            "type": "rich",
            "provider_name": "KV Budget",
            "provider_url": up(""),
            "title": self.title(),
            "author_name": format!("KV budget: {}", badge::words(&self.evaluation).0),
            "width": width,
            "height": height,
            "thumbnail_url": self.address("card.png"),
            "thumbnail_width": 1200,
            "thumbnail_height": 630,
            "html": frame,
        });
        answer.to_string() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview(home: &Home) -> (String, String) {
        let preset =
            kv_budget::catalog::presets::by_id("baseline-0.88").unwrap_or(kv_budget::catalog::presets::default());
        let preview = Preview { preset, evaluation: evaluate(&Scenario::from_preset(preset)), home };
        (preview.page(), preview.oembed())
    }

    #[test]
    fn a_hosted_preset_has_absolute_addresses() {
        let (page, oembed) = preview(&Home::of("https://a.b/kv/"));
        for part in [
            "<meta property=\"og:image\" content=\"https://a.b/kv/p/baseline-0.88/card.png\">",
            "<meta property=\"og:title\" content=\"Starts with 10.417 GiB for the KV cache: 159,171 tokens.\">",
            "href=\"https://a.b/kv/p/baseline-0.88/oembed.json\"",
            "href=\"../../?preset=baseline-0.88\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("http-equiv=\"refresh\""), "nobody is redirected");
        assert!(oembed.contains("<iframe src=\\\"https://a.b/kv/embed.html?preset=baseline-0.88\\\""), "{oembed}");
        assert!(oembed.contains("\"author_name\":\"KV budget: 159k tokens at 0.88\""));
    }

    #[test]
    fn an_unknown_host_leaves_them_relative() {
        let (page, oembed) = preview(&Home::default());
        assert!(page.contains("content=\"card.png\"") && oembed.contains("\"thumbnail_url\":\"card.png\""));
    }
}

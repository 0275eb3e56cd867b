//! "Send this state": what every copy button copies, what every save button saves, and the embed that is shown.

use browser_tests::{Media, Page, Result, Setting, browse};
use serde_json::Value;

async fn opened(page: &Page, query: &str) -> Result {
    page.allow_clipboard().await?;
    // What a click on a link with a file would save is kept here instead.
    let keep = "window.saved = []; const own = URL.createObjectURL;
        URL.createObjectURL = (blob) => { window.last = blob; return own.call(URL, blob); };
        HTMLAnchorElement.prototype.click = function () { saved.push([this.download, last]); }";
    page.before_all(keep).await?;
    page.open(query).await?;
    page.script("document.getElementById('share-more').open = true", vec![]).await?;
    page.find("#take-command").await.map(drop)
}

/// Presses a copy button and gives what is on the clipboard.
async fn copied(page: &Page, id: &str) -> Result<String> {
    let css = format!("#{id}");
    page.script("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", vec![css.as_str().into()])
        .await?;
    page.click(&css).await?;
    page.shows(&css, "Copied").await?;
    page.clipboard().await
}

#[tokio::test]
async fn every_copy_button_copies_what_it_says() {
    browse(Setting::new("share-copy"), async |page| {
        opened(page, "preset=baseline-0.88").await?;
        let base = page.base();
        assert_eq!(
            copied(page, "take-command").await?,
            "python3 -m sglang.launch_server \\\n  --model-path \"$MODEL\" \\\n  --mem-fraction-static 0.88"
        );
        let report = copied(page, "take-report").await?;
        assert!(report.starts_with("## Starts with 10.417 GiB for the KV cache: 159,171 tokens.\n"), "{report}");
        assert!(
            report.contains(
                "       = 21.697 − 11.280 = 10.417 GiB\ntokens = ⌊11,185,297,429 bytes ÷ 70,272⌋ = 159,171\n"
            )
        );
        assert!(report.contains(&format!("]({base}p/baseline-0.88/card.png)")));
        assert!(report.contains(&format!("live: <{base}?preset=baseline-0.88>\n")));
        let json: Value = serde_json::from_str(&copied(page, "take-json").await?)?;
        assert_eq!(json["scenario"], "preset=baseline-0.88");
        assert_eq!(json["url"], format!("{base}?preset=baseline-0.88"));
        assert_eq!(json["result"]["pool_tokens"], 159_171);
        let table = copied(page, "take-sweep").await?;
        assert!(table.contains("\n0.88,11.27988,10.41712,11185297429,159171,159171,starts\n"), "{table}");
        for (id, words) in [
            ("take-bars", ">10.417 GiB · 159,171 tokens</text>"),
            ("take-curve", ">0.88 ✓</text>"),
            ("take-badge", ">159k tokens at 0.88</text>"),
        ] {
            let svg = copied(page, id).await?;
            assert!(svg.starts_with("<svg ") && svg.contains(words), "{id}: {svg}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_place_has_its_lines() {
    browse(Setting::new("share-lines"), async |page| {
        opened(page, "preset=baseline-0.88").await?;
        let base = page.base();
        let words = "Starts with 10.417 GiB for the KV cache: 159,171 tokens.";
        let script = format!("<script async src=\"{base}embed.js\"></script>");
        let element = format!("<kv-budget preset=\"baseline-0.88\"><a href=\"{base}?preset=baseline-0.88\">{words}</a></kv-budget>");
        let framed = format!("{script}\n\n<div>\n{element}\n</div>\n");
        let places = [
            ("html", format!("{script}\n{element}\n")),
            (
                "iframe",
                format!(
                    "<iframe src=\"{base}embed.html?preset=baseline-0.88\" title=\"KV cache budget\" loading=\"lazy\" sandbox=\"allow-scripts allow-popups allow-popups-to-escape-sandbox\" width=\"100%\" height=\"880\" style=\"border: 0\"></iframe>\n"
                ),
            ),
            ("markdown", format!("[![{words}]({base}p/baseline-0.88/card.png)]({base}?preset=baseline-0.88)\n")),
            ("mkdocs", framed.clone()),
            (
                "docusaurus",
                format!("// docusaurus.config.js\nscripts: [{{ src: \"{base}embed.js\", async: true }}],\n\n{{/* the page */}}\n{element}\n"),
            ),
            ("mdbook", framed),
            ("sphinx", format!(".. raw:: html\n\n   {script}\n   {element}\n")),
            ("link", format!("{base}p/baseline-0.88/\n")),
        ];
        assert_eq!(page.count("#share-place option").await?, places.len());
        for (place, lines) in places {
            let choose = "const s = document.getElementById('share-place'); if (s.value === arguments[0]) return;
                s.value = arguments[0]; s.dispatchEvent(new Event('change', { bubbles: true }))";
            page.script(choose, vec![place.into()]).await?;
            let shown = format!("return document.querySelector('#share-lines pre')?.textContent === {}", serde_json::to_string(&lines)?);
            page.until(&format!("the lines of {place} are shown"), &shown).await?;
            assert_eq!(copied(page, "copy-snippet").await?, lines, "{place}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_save_button_saves_what_it_says() {
    browse(Setting::new("share-save"), async |page| {
        opened(page, "").await?;
        let names = [
            "kv-budget.md",
            "kv-budget.json",
            "kv-budget-sweep.csv",
            "kv-budget-bars.svg",
            "kv-budget-bars.png",
            "kv-budget-curve.svg",
            "kv-budget-curve.png",
            "kv-budget-badge.svg",
        ];
        assert_eq!(page.count("[data-save]").await?, names.len());
        for (count, name) in names.into_iter().enumerate() {
            let css = format!("[data-save='{name}']");
            page.script(
                "document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })",
                vec![css.as_str().into()],
            )
            .await?;
            page.click(&css).await?;
            page.until(&format!("{name} is saved"), &format!("return saved.length === {}", count + 1)).await?;
            page.shows(&css, "Saved").await?;
        }
        // Its name, its type, how it begins, and how wide it is if it is a picture of pixels.
        let read =
            "return Promise.all(saved.map(async ([name, blob]) => [name, blob.type, (await blob.text()).slice(0, 40),
            blob.type === 'image/png' ? (await createImageBitmap(blob)).width : 0]))";
        let saved: Vec<(String, String, String, u32)> = serde_json::from_value(page.script(read, vec![]).await?)?;
        assert_eq!(saved.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), names);
        for (name, kind, start, width) in saved {
            let (expected, begins) = match name.rsplit('.').next().unwrap_or_default() {
                "md" => ("text/markdown;charset=utf-8", "## Cannot start"),
                "json" => ("application/json;charset=utf-8", "{\n  \"v\": 1,"),
                "csv" => ("text/csv;charset=utf-8", "fraction,reserved_gib"),
                "svg" => ("image/svg+xml;charset=utf-8", "<svg xmlns"),
                _ => ("image/png", "\u{fffd}PNG"),
            };
            assert_eq!(kind, expected, "{name}");
            assert!(start.starts_with(begins), "{name}: {start}");
            assert_eq!(width, if kind == "image/png" { 1600 } else { 0 }, "{name}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_embed_is_shown_as_it_will_be() {
    browse(Setting::new("share-preview"), async |page| {
        opened(page, "f=0.88").await?;
        let frame = "return document.querySelector('#share-preview kv-budget')?.shadowRoot.querySelector('iframe')";
        assert!(!page.requests().await?.iter().any(|url| url.contains("embed.")), "it is fetched by whoever wants to see it");
        page.click("#share-look > summary").await?;
        page.script("document.getElementById('share-preview').scrollIntoView()", vec![]).await?;
        page.enter(frame).await?;
        page.shows("#headline", "159,171 tokens").await?;
        page.leave().await?;
        // The page moves on, and so do the lines and the preview.
        page.type_into("#field-f", "0.9").await?;
        page.until("the lines follow", "return document.querySelector('#share-lines pre').textContent.includes('f=\"0.9\"')").await?;
        page.script("document.getElementById('share-preview').scrollIntoView()", vec![]).await?;
        page.until("the preview follows", "return document.querySelector('#share-preview kv-budget').getAttribute('f') === '0.9'").await?;
        page.script("document.getElementById('share-show-curve').click()", vec![]).await?;
        page.until("the part is in the lines", "return document.querySelector('#share-lines pre').textContent.includes('show=\"verdict,bars,sliders,curve\"')").await?;
        page.enter(frame).await?;
        page.until("the curve is there", "return document.querySelector('.plot').checkVisibility()").await?;
        page.leave().await
    })
    .await;
}

#[tokio::test]
async fn it_is_for_everyone_at_any_width() {
    for (width, dark) in [(1280, false), (360, true)] {
        browse(Setting::new("share-access").size(width, 900).media(Media { dark, ..Media::default() }), async |page| {
            opened(page, "model=kimi-k2.5&gpu=rtx-pro-6000&tp=8").await?;
            page.shows("#share-lines", "kv-budget").await?;
            assert_eq!(page.sideways().await?, [] as [String; 0]);
            page.is_accessible().await?;
            page.picture(&format!("share-{width}")).await.map(drop)
        })
        .await;
    }
}

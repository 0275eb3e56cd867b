//! Embeds: in a sandbox without an origin, on sites that send no CORS header, with strangers around them.

use browser_tests::{Engine, Host, Media, Page, Result, Setting, browse, corpus};
use serde_json::Value;

/// A page with one element, and the frame that this element makes.
const ONE: &str = "<meta charset=utf-8><title>Host</title><script async src='HOME/embed.js'></script>
    <h1>Our docs</h1><kv-budget id=it preset='baseline-0.88'><a href='HOME/?preset=baseline-0.88'>The budget</a></kv-budget>";
const FRAME: &str = "document.querySelector('kv-budget').shadowRoot.querySelector('iframe')";

fn found(frame: &str) -> String {
    format!("return {frame}")
}

/// The page asks for nothing but these files of ours.
async fn asks_only_for(page: &Page, files: &[&str]) -> Result {
    let base = page.base();
    for url in page.requests().await? {
        let Some(file) = url.strip_prefix(&base).and_then(|rest| rest.split(['?', '#']).next()) else { continue };
        assert!(files.contains(&file), "{url}");
    }
    Ok(())
}

#[tokio::test]
async fn one_line_shows_the_scenario_at_its_own_height() {
    browse(Setting::new("embed-one"), async |page| {
        let host = Host::with(page, "one", ONE)?;
        page.visit_host(&host, "").await?;
        page.enter(&found(FRAME)).await?;
        page.shows("#headline", "159,171 tokens").await?;
        assert_eq!(page.script("return self.origin", vec![]).await?, "null");
        let steps = page.script("return history.length", vec![]).await?;
        // It lives: a slider moves the verdict, and the link to the whole page follows.
        page.type_into("#field-f", "0.55").await?;
        page.shows("#headline", "short by 20.603 GiB").await?;
        let link = page.attribute(".whole a", "href").await?;
        assert_eq!(link.as_deref(), Some("./?preset=baseline-0.88&f=0.55"));
        assert_eq!(page.attribute(".whole a", "target").await?.as_deref(), Some("_blank"));
        assert_eq!(page.script("return history.length", vec![]).await?, steps, "an embed makes no steps for Back");
        page.leave().await?;
        page.fits(FRAME).await?;
        asks_only_for(page, &["embed.js", "embed.html"]).await
    })
    .await;
}

#[tokio::test]
async fn three_on_a_page_are_three_scenarios() {
    browse(Setting::new("embed-three"), async |page| {
        let html = "<meta charset=utf-8><title>Host</title><script src='HOME/embed.js'></script>
            <kv-budget id=a></kv-budget><kv-budget id=b f=0.88 show=verdict,bars></kv-budget>
            <kv-budget id=c preset='lowered-0.50' show=verdict,bars,formula,sliders,curve theme=dark></kv-budget>";
        let host = Host::with(page, "three", html)?;
        for width in [1280, 320] {
            page.resize(width, 900).await?;
            page.visit_host(&host, "").await?;
            for (id, words) in [("a", "short by 20.603"), ("b", "159,171 tokens"), ("c", "short by 25.303")] {
                let frame = format!("document.getElementById('{id}').shadowRoot.querySelector('iframe')");
                page.script(&format!("document.getElementById('{id}').scrollIntoView()"), vec![]).await?;
                page.enter(&found(&frame)).await?;
                page.shows("#headline", words).await?;
                assert_eq!(page.sideways().await?, [] as [String; 0]);
                assert_eq!(page.cut_off().await?, [] as [String; 0], "{id} at {width}");
                // In other colours than its host's a frame has a ground of its own, which the rules cannot see.
                if id != "c" {
                    page.is_accessible().await?;
                }
                let shown = page.script("return ['.control', '.formula', '.plot'].map((css) => document.querySelector(css).checkVisibility())", vec![]).await?;
                let expected = match id {
                    "a" => [true, false, false],
                    "b" => [false, false, false],
                    _ => [true, true, true],
                };
                assert_eq!(shown, serde_json::json!(expected), "{id}");
                page.leave().await?;
                page.fits(&frame).await?;
            }
            page.script("scrollTo(0, 0)", vec![]).await?;
            page.picture(&format!("embed-three-{width}")).await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn it_takes_the_theme_of_its_host_and_of_its_attribute() {
    for dark in [false, true] {
        browse(Setting::new("embed-theme").media(Media { dark, ..Media::default() }), async |page| {
            let html = ONE.replace("<h1>", "<style>:root{color-scheme:light dark}</style><h1>");
            let host = Host::with(page, &format!("theme-{dark}"), &html)?;
            page.visit_host(&host, "").await?;
            let scheme = async |expected: &str| -> Result {
                page.enter(&found(FRAME)).await?;
                page.until(
                    "the scheme is there",
                    &format!(
                        "const ink = getComputedStyle(document.body).color; return ink === '{}'",
                        if expected == "dark" { "rgb(232, 230, 223)" } else { "rgb(29, 34, 40)" }
                    ),
                )
                .await?;
                assert_eq!(page.style("body", "background-color").await?, "rgba(0, 0, 0, 0)");
                page.leave().await
            };
            scheme(if dark { "dark" } else { "light" }).await?;
            page.screenshot(&format!("embed-theme-{dark}")).await?;
            for theme in ["dark", "light", "nonsense"] {
                page.script("document.getElementById('it').setAttribute('theme', arguments[0])", vec![theme.into()])
                    .await?;
                scheme(if theme == "dark" { "dark" } else { "light" }).await?;
            }
            page.script("document.getElementById('it').setAttribute('theme', 'auto')", vec![]).await?;
            scheme(if dark { "dark" } else { "light" }).await?;
            // The host's own switch.
            page.script("document.documentElement.style.colorScheme = 'dark'", vec![]).await?;
            scheme("dark").await
        })
        .await;
    }
}

#[tokio::test]
async fn a_bare_frame_in_the_strictest_sandbox_works() {
    browse(Setting::new("embed-bare"), async |page| {
        let html = "<meta charset=utf-8><title>Host</title>
            <iframe id=it sandbox='allow-scripts' src='HOME/embed.html?f=0.5&colour=blue' title=Budget height=420 width=600></iframe>";
        let host = Host::with(page, "bare", html)?;
        page.visit_host(&host, "").await?;
        page.enter("return document.getElementById('it')").await?;
        page.shows("#headline", "short by 25.303").await?;
        page.shows("#notices", "colour").await?;
        page.leave().await?;
        asks_only_for(page, &["embed.html"]).await
    })
    .await;
}

#[tokio::test]
async fn the_default_state_can_be_read_without_scripts() {
    browse(Setting::new("embed-no-scripts"), async |page| {
        let html = "<meta charset=utf-8><title>Host</title>
            <iframe id=it sandbox src='HOME/embed.html' title=Budget height=700 width=900></iframe>";
        let host = Host::with(page, "no-scripts", html)?;
        page.visit_host(&host, "").await?;
        page.settle().await?;
        page.step_into("return document.getElementById('it')").await?;
        page.shows("#headline", "short by 20.603 GiB").await?;
        page.shows("noscript", "default scenario").await?;
        page.leave().await?;
        page.screenshot("embed-no-scripts").await.map(drop)
    })
    .await;
}

#[tokio::test]
async fn the_page_with_embed_in_its_address_is_the_same_shell() {
    browse(Setting::new("embed-key"), async |page| {
        page.visit("embed=1&f=0.88&show=verdict,formula&theme=dark").await?;
        page.until("the shell is there", "return location.pathname.endsWith('/embed.html')").await?;
        page.runs().await?;
        page.shows("#headline", "159,171").await?;
        assert_eq!(page.attribute("html", "data-show").await?.as_deref(), Some("verdict formula"));
        assert_eq!(page.attribute("html", "data-theme").await?.as_deref(), Some("dark"));
        assert_eq!(page.count(".top").await?, 0);
        assert_eq!(page.attribute(".whole a", "href").await?.as_deref(), Some("./?f=0.88"));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn hostile_values_are_text_and_a_notice() {
    browse(Setting::new("embed-hostile"), async |page| {
        let html = "<meta charset=utf-8><title>Host</title><script src='HOME/embed.js'></script>
            <kv-budget id=it preset='\"><img src=x onerror=parent.intruder=1>' f='javascript:alert(1)' total='1e999'
                theme='red;}body{display:none' show='../../,<script>' height='1000000' onnonsense='intruder=1'></kv-budget>";
        let host = Host::with(page, "hostile", html)?;
        page.visit_host(&host, "").await?;
        page.enter(&found(FRAME)).await?;
        page.shows("#headline", "short by 20.603").await?;
        for field in ["preset", "f", "total", "theme", "show"] {
            page.shows("#notices", &format!("{field}: ")).await?;
        }
        assert_eq!(page.count("#notices img, #notices script").await?, 0);
        assert_eq!(page.script("return typeof intruder", vec![]).await?, "undefined");
        page.leave().await?;
        assert_eq!(page.script("return typeof intruder", vec![]).await?, "undefined");
        page.fits(FRAME).await
    })
    .await;
}

#[tokio::test]
async fn strangers_are_not_listened_to() {
    browse(Setting::new("embed-strangers"), async |page| {
        let stranger = "<!doctype html><script>setInterval(() => { for (const height of [1e6, -5, 'tall', NaN])
            parent.postMessage({ type: 'kvbudget:height', v: 1, height }, '*'); }, 10)</script>";
        let html = format!("{ONE}<iframe id=stranger src=stranger.html title=Stranger></iframe>");
        let host = Host::with(page, "strangers", &html)?;
        host.write("stranger.html", stranger)?;
        page.visit_host(&host, "").await?;
        page.enter(&found(FRAME)).await?;
        // Another window than the parent speaks to the embed.
        let speak = "const frame = document.createElement('iframe'); document.body.append(frame);
            frame.contentWindow.eval?.(\"parent.postMessage({ type: 'kvbudget:theme', v: 1, theme: 'dark' }, '*')\"); frame.remove()";
        page.script(speak, vec![]).await.ok();
        page.settle().await?;
        assert_eq!(page.attribute("html", "data-theme").await?, None);
        page.leave().await?;
        page.fits(FRAME).await?;
        // What our own frame says is kept within reason.
        page.enter(&found(FRAME)).await?;
        page.script("parent.postMessage({ type: 'kvbudget:height', v: 1, height: 1e6 }, '*')", vec![]).await?;
        page.leave().await?;
        page.until("it is clamped", &format!("return {FRAME}.getBoundingClientRect().height === 4000")).await
    })
    .await;
}

#[tokio::test]
async fn a_host_that_forbids_frames_shows_what_stands_inside_the_element() {
    browse(Setting::new("embed-forbidden").expecting_trouble(), async |page| {
        let base = page.base();
        let (origin, _) = base.split_once("/some").unwrap_or_default();
        let policy = format!("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src {origin}\">");
        let host = Host::with(page, "forbidden", &ONE.replace("<title>", &format!("{policy}<title>")))?;
        page.visit_host(&host, "").await?;
        page.until("the link is shown", "const link = document.querySelector('kv-budget a'); return link.checkVisibility() && link.getBoundingClientRect().height > 0").await?;
        assert_eq!(page.script(&format!("return getComputedStyle({FRAME}).display"), vec![]).await?, "none");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_strict_host_that_allows_the_frame_needs_no_inline_style() {
    browse(Setting::new("embed-strict"), async |page| {
        let base = page.base();
        let (origin, _) = base.split_once("/some").unwrap_or_default();
        let policy = format!(
            "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src {origin}; frame-src {origin}; require-trusted-types-for 'script'\">"
        );
        let host = Host::with(page, "strict", &ONE.replace("<title>", &format!("{policy}<title>")))?;
        page.visit_host(&host, "").await?;
        page.enter(&found(FRAME)).await?;
        page.shows("#headline", "159,171 tokens").await?;
        page.leave().await?;
        page.fits(FRAME).await
    })
    .await;
}

#[tokio::test]
async fn attributes_that_change_change_the_scenario() {
    browse(Setting::new("embed-change"), async |page| {
        let host = Host::with(page, "change", ONE)?;
        page.visit_host(&host, "").await?;
        page.enter(&found(FRAME)).await?;
        page.leave().await?;
        let before = page.script("return history.length", vec![]).await?;
        let change = "const it = document.getElementById('it'); it.removeAttribute('preset'); it.setAttribute('f', '0.8'); it.setAttribute('show', 'bars')";
        page.script(change, vec![]).await?;
        page.until("the frame is another one", &format!("return {FRAME}.src.endsWith('?embed=1&f=0.8&show=bars')")).await?;
        page.enter(&found(FRAME)).await?;
        page.until("it shows the other scenario", "return document.querySelector('[data-words=rest]').textContent === '2.897 GiB'").await?;
        page.leave().await?;
        assert_eq!(page.script("return history.length", vec![]).await?, before);
        page.fits(FRAME).await?;
        let frames: Value = page.script("return document.querySelector('kv-budget').shadowRoot.querySelectorAll('iframe').length", vec![]).await?;
        assert_eq!(frames, 1);
        // Gone from the page, it hears nothing any more.
        page.script("document.getElementById('it').remove()", vec![]).await.map(drop)
    })
    .await;
}

#[tokio::test]
async fn nothing_of_the_host_is_taken_from_it() {
    browse(Setting::new("embed-manners").size(1280, 500), async |page| {
        let html = ONE.replace("<h1>", "<input id=own autofocus><div><p>text</p></div><h1>")
            + "<p style='height:3000px'>More</p>";
        let host = Host::with(page, "manners", &html)?;
        page.visit_host(&host, "").await?;
        page.enter(&found(FRAME)).await?;
        page.leave().await?;
        page.fits(FRAME).await?;
        assert_eq!(page.focused().await?, "input#own", "no focus is stolen");
        assert_eq!(page.script("return scrollY", vec![]).await?, 0, "nothing scrolls");
        if page.setting.engine != Engine::Chromium {
            return Err(page.lacks("wheel in its driver"));
        }
        // The wheel over the frame scrolls the host.
        let place = page
            .script(&format!("const r = {FRAME}.getBoundingClientRect(); return [r.left + 200, r.top + 60]"), vec![])
            .await?;
        let (x, y): (f64, f64) = serde_json::from_value(place)?;
        let wheel = serde_json::json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": 200 });
        page.devtools("Input.dispatchMouseEvent", wheel).await?;
        page.until("the host scrolls", "return scrollY > 100").await
    })
    .await;
}

#[tokio::test]
async fn text_from_strangers_in_attributes_and_messages_does_nothing() {
    browse(Setting::new("embed-corpus"), async |page| {
        let host = Host::with(page, "corpus", ONE)?;
        page.visit_host(&host, "").await?;
        // A number is no stranger: it is brought within its range.
        for (name, text) in corpus().into_iter().filter(|(name, _)| *name != "a number without end") {
            let outcome = async {
                // Every attribute at once, and one under a name of its own.
                let attributes = "const it = document.getElementById('it'), fresh = document.createElement('kv-budget');
                    for (const key of ['preset', 'f', 'total', 'model', 'show', 'lang', 'step', 'vs', 'home', 'title', 'height', 'unheard'])
                        fresh.setAttribute(key, arguments[0].slice(0, 600));
                    fresh.id = 'it'; it.replaceWith(fresh);
                    for (const type of ['kvbudget:height', arguments[0]]) for (const height of [arguments[0], [arguments[0]], { valueOf: 1 }])
                        postMessage({ type, v: 1, height, theme: arguments[0] }, '*')";
                page.script(attributes, vec![text.clone().into()]).await?;
                page.enter(&found(FRAME)).await?;
                page.shows(".rest__words", "20.603").await?;
                page.shows("#notices", "preset: ").await?;
                page.is_unharmed().await?;
                page.leave().await?;
                // To the frame, from the window it listens to.
                let speak = format!("const frame = {FRAME}.contentWindow;
                    for (const message of [arguments[0], {{ type: arguments[0] }}, {{ type: 'kvbudget:theme', v: 1, theme: arguments[0] }}, {{ type: 'kvbudget:theme', v: arguments[0], theme: 'dark' }}, null, 1, []])
                        frame.postMessage(message, '*')");
                page.script(&speak, vec![text.into()]).await?;
                page.enter(&found(FRAME)).await?;
                page.settle().await?;
                assert_eq!(page.attribute("html", "data-theme").await?, None);
                page.is_unharmed().await?;
                page.leave().await?;
                assert_eq!(page.script("return typeof intruder", vec![]).await?, "undefined");
                page.fits(FRAME).await
            };
            outcome.await.map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    })
    .await;
}

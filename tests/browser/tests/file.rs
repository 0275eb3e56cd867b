//! The single file: from a disk, with everything in it, and as a frame that shows what opens on demand.

use browser_tests::{ANOTHER_RUN, Engine, Host, Page, Result, Setting, browse};
use serde_json::json;

/// Opens every section, waits for what is in it, and has a log explained.
async fn uses_everything(page: &Page) -> Result {
    for (section, words) in [
        ("story", "A server that used to start"),
        ("walk", "Load weight begin"),
        ("plan", "Choose a model"),
        ("engines", "What to know of each"),
        ("log", "never leaves this browser"),
        ("share-more", "sglang.launch_server"),
    ] {
        page.click(&format!("#{section} > summary")).await?;
        page.shows(&format!("#{section}-body"), words).await.map_err(|error| format!("{section}: {error}"))?;
    }
    let write = "const box = document.querySelector('#log-body textarea'); box.value = arguments[0];
        box.dispatchEvent(new Event('input', { bubbles: true }))";
    let log = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.";
    page.script(write, vec![log.into()]).await?;
    page.shows("#log-result", "no room for the KV cache; raise the fraction").await
}

#[tokio::test]
async fn it_opens_from_the_disk_with_all_features() {
    browse(Setting::new("file"), async |page| {
        page.open_file("f=0.88").await?;
        page.shows("#headline", "159,171 tokens").await?;
        page.type_into("#field-f", "0.5").await?;
        page.shows("#headline", "short by 25.303").await?;
        uses_everything(page).await?;
        // Nothing is fetched but what the file itself made.
        let fetched = "return performance.getEntriesByType('resource').map((r) => r.name).filter((name) => !name.startsWith('blob:'))";
        assert_eq!(page.script(fetched, vec![]).await?, json!([]));
        page.picture("file").await.map(drop)
    })
    .await;
}

#[tokio::test]
async fn without_workers_it_computes_in_the_page() {
    browse(Setting::new("file-no-workers"), async |page| {
        if page.setting.engine != Engine::Chromium {
            return Err(page.lacks("way to run a script before those of a file on the disk"));
        }
        page.before_all("window.Worker = class { constructor() { throw new DOMException('no', 'SecurityError'); } }")
            .await?;
        page.open_file("").await?;
        uses_everything(page).await
    })
    .await;
}

#[tokio::test]
async fn an_embed_that_shows_a_section_on_demand_is_this_file() {
    browse(Setting::new("file-embed"), async |page| {
        let html = "<meta charset=utf-8><title>Host</title><script src='HOME/embed.js'></script><kv-budget show=verdict,log></kv-budget>";
        let host = Host::with(page, "file-embed", html)?;
        page.visit_host(&host, "").await?;
        let frame = "document.querySelector('kv-budget').shadowRoot.querySelector('iframe')";
        page.enter(&format!("return {frame}")).await?;
        page.until("it is the single file", "return location.pathname.endsWith('/kv-budget.html') && document.documentElement?.dataset.show === 'verdict log'").await?;
        assert_eq!(page.script("return document.querySelector('.bars').checkVisibility()", vec![]).await?, false);
        for id in ["story", "walk", "plan", "curve"] {
            let shown = page.script("return document.getElementById(arguments[0]).checkVisibility()", vec![id.into()]).await?;
            assert_eq!(shown, false, "{id} was not asked for");
        }
        page.click("#log > summary").await?;
        page.shows("#log-body", "log").await?;
        // Its links within the page are no steps to another scenario.
        let write = "const box = document.querySelector('#log-body textarea'); box.value = arguments[0];
            box.dispatchEvent(new Event('input', { bubbles: true }))";
        page.script(write, vec![ANOTHER_RUN.into()]).await?;
        page.shows("#headline", "10.603").await?;
        page.script("location.hash = 'headline'", vec![]).await?;
        page.settle().await?;
        page.shows("#headline", "10.603").await?;
        page.leave().await?;
        page.fits(frame).await?;
        // The line for a bare frame says no more than what is shown.
        page.client.goto(&format!("{}embed.html?show=log", page.base())).await?;
        page.until("it is an embed here too", "return location.pathname.endsWith('/kv-budget.html') && document.documentElement?.dataset.show === 'log'").await?;
        page.runs().await?;
        assert_eq!(page.script("return document.querySelector('.bars').checkVisibility()", vec![]).await?, false);
        assert_eq!(page.count("#notices li").await?, 0, "nothing about the address");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn its_digest_is_on_the_page() {
    browse(Setting::new("file-digest"), async |page| {
        if page.setting.engine != Engine::Chromium {
            return Err(page.lacks("file that the test's server hands out unchanged"));
        }
        page.open("").await?;
        let script = "return (async () => {
            const bytes = await (await fetch('kv-budget.html')).arrayBuffer();
            const digest = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))];
            return digest.map((byte) => byte.toString(16).padStart(2, '0')).join('');
        })()";
        let digest = page.script(script, vec![]).await?;
        page.shows("#share", digest.as_str().unwrap_or("no digest")).await
    })
    .await;
}

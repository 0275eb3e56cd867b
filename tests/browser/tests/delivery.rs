//! What reaches the reader: the page starts under a strict policy, at any path, and asks nobody else for anything.

use browser_tests::{Setting, browse};

#[tokio::test]
async fn the_page_starts_and_stays_silent() {
    browse(Setting::new("starts"), async |page| {
        page.open("").await?;
        let requests = page.requests().await?;
        assert!(requests.iter().any(|url| url.ends_with(".wasm")), "the program is fetched: {requests:?}");
        assert!(!requests.iter().any(|url| url.contains("workshop")), "the workshop is not, yet: {requests:?}");
        assert_eq!(page.attribute("#crash", "hidden").await?.as_deref(), Some("true"));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_policy_is_in_force() {
    browse(Setting::new("policy").expecting_trouble(), async |page| {
        page.open("").await?;
        let script = "const s = document.createElement('script'); s.textContent = 'window.intruder = true';
            document.body.append(s); return window.intruder === true";
        assert_eq!(page.script(script, vec![]).await?, false);
        let console = page.console().await?;
        assert!(console.iter().any(|line| line.contains("Content Security Policy")), "{console:?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_program_that_does_not_arrive_is_told_in_a_sentence() {
    browse(Setting::new("no-program").expecting_trouble(), async |page| {
        page.devtools("Network.enable", serde_json::json!({})).await?;
        page.devtools("Network.setBlockedURLs", serde_json::json!({ "urls": ["*.wasm"] })).await?;
        page.client.goto(&page.base()).await?;
        page.until("the page says that it stopped", "return !document.getElementById('crash').hidden").await?;
        page.shows("#crash", "Reload").await
    })
    .await;
}

#[tokio::test]
async fn a_program_that_panics_is_told_in_a_sentence() {
    browse(Setting::new("panic").expecting_trouble(), async |page| {
        page.open("").await?;
        // What a panic comes to in the browser; the program itself has none to offer.
        let script = "dispatchEvent(new ErrorEvent('error', { error: new WebAssembly.RuntimeError('unreachable') }))";
        page.script(script, vec![]).await?;
        page.until("the page says that it stopped", "return !document.getElementById('crash').hidden").await?;
        page.shows("#crash", "Reload").await
    })
    .await;
}

//! What reaches the reader: the page starts under a strict policy, at any path, and asks nobody else for anything.

use browser_tests::{Key, Setting, browse};

#[tokio::test]
async fn the_page_starts_and_stays_silent() {
    browse(Setting::new("starts"), async |page| {
        page.open("").await?;
        let requests = page.requests().await?;
        assert!(requests.iter().any(|url| url.ends_with(".wasm")), "the program is fetched: {requests:?}");
        assert!(!requests.iter().any(|url| url.contains("workshop")), "the workshop is not, yet: {requests:?}");
        assert_eq!(page.attribute("#crash", "hidden").await?.as_deref(), Some(""));
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
        page.settle().await?;
        let console = page.console().await?;
        assert!(console.iter().any(|line| line.contains("Content Security Policy")), "{console:?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_program_that_does_not_arrive_is_told_in_a_sentence() {
    browse(Setting::new("no-program").expecting_trouble(), async |page| {
        page.block(&[".wasm"]).await?;
        page.visit("").await?;
        page.until("the page says that it stopped", "return !document.getElementById('crash').hidden").await?;
        let sentence = page.find("#crash").await?;
        assert!(sentence.is_displayed().await?);
        page.shows("#crash", "The page stopped").await?;
        // What was delivered is still there to be read.
        page.shows("#headline", "short by 20.603 GiB").await?;
        page.shows(".formula__tokens", "−314,803").await?;
        assert_eq!(page.style("#app", "opacity").await?, "1");
        assert!(!page.find("#slider-f").await?.is_enabled().await?, "what does not work does not look as if it did");
        // The link tries again.
        page.block(&[]).await?;
        page.click("#crash a").await?;
        page.runs().await?;
        assert_eq!(page.attribute("#crash", "hidden").await?.as_deref(), Some(""));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_program_that_somebody_altered_does_not_run() {
    // The program itself, and the JavaScript that stands between it and the page; each in a browser that never saw the true one.
    for ending in [".wasm", ".js"] {
        browse(Setting::new(&format!("altered{ending}")).expecting_trouble(), async |page| {
            page.server().alter(ending);
            page.visit("").await?;
            page.until("the page says that it stopped", "return !document.getElementById('crash').hidden").await?;
            assert_eq!(page.attribute("html", "data-program").await?.as_deref(), Some("failed"));
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_program_is_fetched_once() {
    browse(Setting::new("once"), async |page| {
        page.open("").await?;
        page.settle().await?;
        let asked = page.server().take_asked();
        assert_eq!(asked.iter().filter(|target| target.contains(".wasm")).count(), 1, "{asked:?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_link_to_reload_keeps_the_scenario() {
    browse(Setting::new("no-program-shared").expecting_trouble(), async |page| {
        page.block(&[".wasm"]).await?;
        page.visit("f=0.88").await?;
        page.until("the page says that it stopped", "return !document.getElementById('crash').hidden").await?;
        page.block(&[]).await?;
        page.click("#crash a").await?;
        page.runs().await?;
        page.shows("#headline", "159,171").await
    })
    .await;
}

#[tokio::test]
async fn a_program_that_stops_dead_is_told_in_a_sentence() {
    browse(Setting::new("panic").expecting_trouble(), async |page| {
        page.open("").await?;
        // The program has no panic to offer; a door of the browser that ends in WebAssembly's own `unreachable` is one.
        let throwing = "const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 116, 0, 0, 10, 5, 1, 3, 0, 0, 11];
            const { t } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports;
            const get = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').get;
            Object.defineProperty(HTMLInputElement.prototype, 'value', { get, set: t })";
        page.script(throwing, vec![]).await?;
        page.focus("#slider-f").await?;
        page.press(&[Key::PageUp]).await?;
        page.until("the page says that it stopped", "return !document.getElementById('crash').hidden").await?;
        page.shows("#crash", "Reload").await?;
        assert_eq!(page.attribute("html", "data-program").await?.as_deref(), Some("failed"));
        assert_eq!(page.attribute("#crash", "role").await?.as_deref(), Some("alert"));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn nothing_is_asked_of_anybody_else_and_nothing_is_stored() {
    browse(Setting::new("private"), async |page| {
        page.open("f=0.8").await?;
        page.unfold().await?;
        page.type_into("#field-f", "0.88").await?;
        page.click(".chips a[data-preset='lowered-0.50']").await?;
        page.shows("#headline", "25.303").await?;
        let kept = "return [document.cookie, localStorage.length, sessionStorage.length, performance.getEntriesByType('resource').map((r) => r.name)]";
        let (cookie, local, session, asked): (String, u32, u32, Vec<String>) =
            serde_json::from_value(page.script(kept, vec![]).await?)?;
        assert_eq!((cookie.as_str(), local, session), ("", 0, 0));
        assert!(asked.iter().all(|url| url.starts_with(&page.base()) && !url.contains("0.8")), "{asked:?}");
        Ok(())
    })
    .await;
}

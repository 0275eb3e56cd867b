//! The scenario in the address: written after edits, shared, restored, and refused by some browsers.

use browser_tests::{Key, Setting, browse};

#[tokio::test]
async fn a_shared_address_opens_the_same_state_elsewhere() {
    let shared = std::sync::Mutex::new((String::new(), String::new()));
    browse(Setting::new("share"), async |page| {
        page.open("").await?;
        page.type_into("#field-f", "0.81").await?;
        page.type_into("#field-cell", "35136").await?;
        page.type_into("#field-avail", "22.5").await?;
        // In the order of the contract, defaults left out.
        let query = "f=0.81&avail=22.5&cell=35136".to_owned();
        page.until("the address follows", &format!("return location.search === '?{query}'")).await?;
        let link = format!("{}?{query}", page.base());
        page.until("the link follows", &format!("return document.getElementById('address').value === '{link}'"))
            .await?;
        let state = page.text("#headline").await?;
        *shared.lock().unwrap() = (query, state);
        Ok(())
    })
    .await;
    let (query, state) = shared.into_inner().unwrap();
    browse(Setting::new("shared"), async |page| {
        page.open(&query).await?;
        page.shows("#headline", &state).await?;
        assert_eq!(page.value("#field-f").await?, "0.810");
        assert_eq!(page.value("#slider-f").await?, "810");
        assert_eq!(page.value("#field-avail").await?, "22.500");
        assert_eq!(page.value("#field-cell").await?, "35136");
        assert_eq!(page.query().await?, query, "opening an address does not rewrite it");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_shared_address_never_shows_the_default_numbers() {
    browse(Setting::new("no-flash"), async |page| {
        // Every frame until the program runs: whether the page is held back, how visible it is, what it says.
        let look = "window.seen = [];
            const look = () => {
                const root = document.documentElement, headline = document.getElementById('headline');
                const style = headline && getComputedStyle(headline);
                if (style) seen.push([style.visibility === 'visible' ? style.opacity : '0', headline.textContent]);
                if (root?.dataset.program !== 'running') requestAnimationFrame(look);
            };
            requestAnimationFrame(look)";
        page.before_all(look).await?;
        for query in ["f=0.88", "preset=baseline-0.88"] {
            page.open(query).await?;
            page.shows("#headline", "159,171").await?;
            page.settle().await?;
            let seen: Vec<(String, String)> = serde_json::from_value(page.script("return seen", vec![]).await?)?;
            let held: Vec<f64> =
                seen.iter().filter(|(_, words)| words.contains("20.603")).flat_map(|(at, _)| at.parse()).collect();
            assert!(!held.is_empty(), "no frame came before the program: {seen:?}");
            assert!(held.iter().all(|opacity| *opacity == 0.0), "{query}: {seen:?}");
            assert_eq!(page.attribute("html", "data-pending").await?, None);
            assert_eq!(page.style("#app", "visibility").await?, "visible");
        }
        page.open("").await?;
        let seen: Vec<(String, String)> = serde_json::from_value(page.script("return seen", vec![]).await?)?;
        assert!(seen.iter().all(|(opacity, _)| opacity == "1"), "the default page is never held back: {seen:?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn many_edits_are_one_change_of_the_address() {
    browse(Setting::new("debounced"), async |page| {
        let counted = "window.written = []; const own = history.replaceState;
            history.replaceState = (...all) => { written.push(all[2].split('?')[1]); return own.apply(history, all); };";
        page.before_all(counted).await?;
        page.open("").await?;
        let before = page.script("return history.length", vec![]).await?;
        let drag = "const s = document.getElementById('slider-f');
            for (let step = 560; step <= 880; step += 1) { s.value = step; s.dispatchEvent(new Event('input', { bubbles: true })); }";
        page.script(drag, vec![]).await?;
        page.shows("#headline", "159,171").await?;
        page.until("the address follows", "return location.search === '?f=0.88'").await?;
        assert_eq!(page.script("return written", vec![]).await?, serde_json::json!(["f=0.88"]));
        assert_eq!(page.script("return history.length", vec![]).await?, before, "edits are no entries");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn copying_the_link_copies_it_and_says_so() {
    browse(Setting::new("copy"), async |page| {
        page.allow_clipboard().await?;
        page.open("preset=lowered-0.50").await?;
        page.type_into("#field-total", "80").await?;
        // At once, before the address bar has followed.
        page.click("#copy-address").await?;
        page.shows("#share-said", "Copied").await?;
        assert_eq!(page.attribute("#share-said", "role").await?.as_deref(), Some("status"));
        let copied = page.clipboard().await?;
        assert_eq!(copied, format!("{}?preset=lowered-0.50&total=80", page.base()));
        page.type_into("#field-total", "81").await?;
        page.until(
            "the words are gone when they are no longer true",
            "return document.getElementById('share-said').textContent === ''",
        )
        .await
    })
    .await;
}

#[tokio::test]
async fn a_link_within_the_page_keeps_the_scenario() {
    browse(Setting::new("fragment"), async |page| {
        // Values behind `#`, whose place the link takes.
        page.client.goto(&format!("{}#f=0.88", page.base())).await?;
        page.runs().await?;
        page.shows("#headline", "159,171").await?;
        page.click("nav a[href='#curve']").await?;
        page.until("the part is pointed at", "return location.hash === '#curve'").await?;
        page.settle().await?;
        page.shows("#headline", "159,171").await?;
        // An edit that the address bar has not followed yet.
        let script = "const s = document.getElementById('slider-f'); s.value = 800;
            s.dispatchEvent(new Event('input', { bubbles: true })); document.querySelector(\"nav a[href='#week']\").click()";
        page.script(script, vec![]).await?;
        page.until("the address follows", "return location.search === '?f=0.8'").await?;
        assert_eq!(page.value("#field-f").await?, "0.800");
        // Steps between scenarios are still followed, also to one whose address points at a part.
        page.open("").await?;
        page.click("nav a[href='#curve']").await?;
        page.click(".chips a[data-preset='baseline-0.88']").await?;
        page.shows("#headline", "159,171").await?;
        page.client.back().await?;
        page.shows("#headline", "short by 20.603").await
    })
    .await;
}

#[tokio::test]
async fn without_a_clipboard_the_link_is_selected() {
    browse(Setting::new("no-clipboard"), async |page| {
        for refusal in [
            "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })",
            "Object.defineProperty(navigator, 'clipboard', { get() { throw new DOMException('no', 'SecurityError'); } })",
            "Clipboard.prototype.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))",
        ] {
            page.before_all(refusal).await?;
            page.open("f=0.88").await?;
            page.click("#copy-address").await?;
            page.shows("#share-said", "Selected").await?;
            let selected =
                "const f = document.getElementById('address'); return f.value.slice(f.selectionStart, f.selectionEnd)";
            assert_eq!(page.script(selected, vec![]).await?, format!("{}?f=0.88", page.base()));
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_browser_that_refuses_the_history_still_shows_everything() {
    browse(Setting::new("refused-history"), async |page| {
        // By name: on a slow machine the bar is tried once more before the edit.
        let refuse = "window.refused = new Set(); for (const name of ['pushState', 'replaceState']) {
            history[name] = () => { refused.add(name); throw new DOMException('no', 'SecurityError'); }; }";
        page.before_all(refuse).await?;
        page.open("").await?;
        page.click(".chips a[data-preset='baseline-0.88']").await?;
        page.shows("#headline", "159,171").await?;
        page.type_into("#field-f", "0.9").await?;
        page.until("both were refused", "return refused.size === 2").await?;
        page.type_into("#field-f", "0.55").await?;
        page.shows("#headline", "20.603").await?;
        assert_eq!(page.query().await?, "");
        let link = format!("{}?preset=baseline-0.88&f=0.55", page.base());
        page.until("the link follows", &format!("return document.getElementById('address').value === '{link}'"))
            .await?;
        assert_eq!(page.attribute("#crash", "hidden").await?.as_deref(), Some(""));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn back_after_edits_returns_to_them() {
    browse(Setting::new("back"), async |page| {
        page.open("").await?;
        page.type_into("#field-f", "0.8").await?;
        page.until("the address follows", "return location.search === '?f=0.8'").await?;
        page.click(".chips a[data-preset='baseline-0.88']").await?;
        page.shows("#headline", "159,171").await?;
        page.client.back().await?;
        page.until("the edit is back", "return document.getElementById('field-f').value === '0.800'").await?;
        assert_eq!(page.query().await?, "f=0.8");
        page.client.forward().await?;
        page.shows("#headline", "159,171").await
    })
    .await;
}

#[tokio::test]
async fn an_edit_is_not_lost_when_a_preset_follows_at_once() {
    browse(Setting::new("edit-then-preset"), async |page| {
        page.open("").await?;
        // Back passes over what happened before the reader touched anything.
        page.press(&[Key::Tab]).await?;
        // Both within the time that edits take to reach the address.
        let script = "const s = document.getElementById('slider-f'); s.value = 800;
            s.dispatchEvent(new Event('input', { bubbles: true }));
            document.querySelector(\".chips a[data-preset='baseline-0.88']\").click()";
        page.script(script, vec![]).await?;
        page.shows("#headline", "159,171").await?;
        page.client.back().await?;
        page.until("Back returns to the edit", "return document.getElementById('field-f').value === '0.800'").await
    })
    .await;
}

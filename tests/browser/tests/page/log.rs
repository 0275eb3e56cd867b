//! "Explain my log": given in every way, read in the workshop, shown as text, taken over into the page.

use browser_tests::{Key, Media, Page, Result, Setting, browse};

use super::files::{LARGE, endless, give};

/// A run that is no preset: 31.697 GiB free after the weights.
pub(crate) const LOG: &str = "[2026-02-27 12:40:05 TP5] DEBUG profile_max_num_token: avail=31.697 GiB, total=93.999 GiB, fraction=0.55, reserved=42.300 GiB, rest=-10.603 GiB, cell_size=70272, max_tokens=-162012
RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: self.server_args.mem_fraction_static=0.55
";

/// What the page opens on says this instead.
const SHORT: &str = "short by 10.603 GiB";

pub(crate) const RESULT: &str = "#log-result h3";

pub(crate) async fn opened(page: &Page, query: &str) -> Result {
    page.open(query).await?;
    page.click("#log > summary").await?;
    page.find("#log-control-log").await.map(drop)
}

/// Pastes a text, as the browser would: all of it at once.
async fn paste(page: &Page, control: &str, text: &str) -> Result {
    let script = "const area = document.getElementById(arguments[0]); area.focus(); area.value = arguments[1];
        area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))";
    page.script(script, vec![control.into(), text.into()]).await.map(drop)
}

#[tokio::test]
async fn a_pasted_log_fills_the_page_and_back_returns() {
    browse(Setting::new("log-paste"), async |page| {
        page.allow_clipboard().await?;
        opened(page, "").await?;
        assert_eq!(page.count("#log-result *").await?, 0);
        paste(page, "log-control-log", LOG).await?;
        page.shows(RESULT, "It is short by 10.603 GiB; the smallest fraction that starts is above 0.6628").await?;
        page.shows(".log__proof", "−10.603 GiB, we compute −10.603 GiB").await?;
        page.shows("#headline", SHORT).await?;
        assert_eq!(page.query().await?, "avail=31.697");
        page.shows("#log-1-available", "31.697").await?;
        // What is typed is what is copied.
        page.click("[data-copy]").await?;
        page.shows("[data-copy]", "Copied").await?;
        let copied = page.clipboard().await?;
        assert_eq!(copied, "--mem-fraction-static 0.663");
        page.client.back().await?;
        page.shows("#headline", "20.603 GiB").await?;
        page.shows(RESULT, "10.603 GiB").await?;
        page.client.forward().await?;
        page.shows("#headline", SHORT).await?;
        page.click(".log__opened a[href='?']").await?;
        page.shows("#headline", "20.603 GiB").await?;
        // Emptied, it says nothing.
        paste(page, "log-control-log", "").await?;
        page.until("the result is gone", "return !document.querySelector('#log-result *')").await
    })
    .await;
}

/// Whoever pastes sees that something happened, on a laptop and on a phone, and can go on typing.
#[tokio::test]
async fn what_a_paste_says_comes_into_view() {
    for (width, height) in [(1280, 720), (360, 640)] {
        browse(Setting::new("log-arrives").size(width, height), async |page| {
            opened(page, "").await?;
            paste(page, "log-control-log", LOG).await?;
            page.shows(RESULT, "raise the fraction").await?;
            let seen = "const at = document.querySelector('#log-result h3').getBoundingClientRect();
                return at.top >= 0 && at.bottom <= innerHeight";
            page.until("the result is in the window", seen).await?;
            page.until("the focus stays", "return document.activeElement.id === 'log-control-log'").await?;
            // What is mended in the text afterwards moves nothing.
            page.script("scrollTo(0, 0)", vec![]).await?;
            paste(page, "log-control-log", &LOG.replace("31.697", "30.697")).await?;
            page.shows(RESULT, "It is short by").await?;
            page.shows("#log-1-available", "30.697").await?;
            page.until("the window stays", "return scrollY === 0").await
        })
        .await;
    }
}

#[tokio::test]
async fn a_number_points_at_its_line_and_at_the_bars() {
    browse(Setting::new("log-terms"), async |page| {
        opened(page, "").await?;
        paste(page, "log-control-log", LOG).await?;
        page.shows("#log-1-line-1 mark[data-term=available]", "31.697").await?;
        page.point_at("#log-1-line-1 mark[data-term=available]").await?;
        assert_eq!(page.attribute("html", "data-pointed").await?.as_deref(), Some("available"));
        assert_eq!(page.style("#log-1-available", "outline-style").await?, "solid");
        assert_eq!(page.style(".segment[data-term=available]", "outline-style").await?, "solid");
        page.click("#log-1-available a").await?;
        assert!(page.find("#log-1-line-1:target").await?.is_displayed().await?);
        page.click("#log-1-line-1 .log__gives a").await?;
        page.find("tr:target").await?;
        page.shows("#headline", SHORT).await
    })
    .await;
}

#[tokio::test]
async fn every_sample_is_one_click_away() {
    browse(Setting::new("log-samples"), async |page| {
        opened(page, "f=0.7").await?;
        for (name, result, headline, query) in [
            ("sample-debug", "It is short by 20.603 GiB", "short by 20.603 GiB", ""),
            (
                "sample-baseline",
                "It started: 159,288 tokens",
                "Starts with 10.430 GiB",
                "f=0.88&total=94&avail=21.71&cell=70240",
            ),
            (
                "sample-lowered",
                "raise the fraction",
                "Starts with 10.430 GiB",
                "f=0.88&total=94&avail=21.71&cell=70240",
            ),
            ("sample-sanity", "It is short by 20.60 GiB", "short by 20.600 GiB", "total=94&avail=21.7"),
        ] {
            page.click(&format!("button[name={name}]")).await?;
            page.shows(RESULT, result).await?;
            page.shows("#headline", headline).await?;
            assert_eq!(page.query().await?, query, "{name}");
            assert!(!page.value("#log-control-log").await?.is_empty());
        }
        page.click("button[name=sample-debug]").await?;
        page.shows("#headline", "The smallest fraction that starts is 0.770").await?;
        assert_eq!(page.attribute("[data-copy]", "data-copy").await?.as_deref(), Some("--mem-fraction-static 0.770"));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn two_logs_are_compared_in_one_line() {
    let line = "the fraction went from 0.88 to 0.55 and explains all of it";
    browse(Setting::new("log-two"), async |page| {
        opened(page, "").await?;
        page.click("button[name=sample-both]").await?;
        page.shows("#log-versus", line).await?;
        page.shows(".log__versus", "−31.020 GiB").await?;
        page.shows(".log__versus tbody tr:last-child", "not by itself").await?;
        let expected = "total=94&avail=21.7&cell=70240&vs=f:0.88,total:94,avail:21.71,cell:70240";
        assert_eq!(page.query().await?, expected);
        // The same as files, given at once.
        let both = "return ['log-control-log', 'log-control-other'].map((id) => document.getElementById(id).value)";
        let (working, failing): (String, String) = serde_json::from_value(page.script(both, vec![]).await?)?;
        opened(page, "").await?;
        give(page, serde_json::json!([["bad.log", [failing]], ["good.log", [working]]]), false).await?;
        page.shows("#log-versus", line).await?;
        page.shows(".log__versus thead", "good.log").await?;
        assert_eq!(page.query().await?, expected);
        // And pasted into the two places.
        opened(page, "").await?;
        paste(page, "log-control-log", &failing).await?;
        page.shows(RESULT, "20.60 GiB").await?;
        page.click("#log-second summary").await?;
        paste(page, "log-control-other", &working).await?;
        page.shows("#log-versus", line).await
    })
    .await;
}

#[tokio::test]
async fn hostile_text_is_text() {
    let hostile = format!(
        "<script>window.intruder = 1</script><img src=x onerror=\"window.intruder = 2\">\u{202e}\0\u{1b}[31m {LOG}KV cache of 3 GB <b>bold</b>\n"
    );
    browse(Setting::new("log-hostile"), async |page| {
        opened(page, "").await?;
        let bytes = hostile.into_bytes();
        let name = "<img src=x onerror='window.intruder = 3'>.log";
        give(page, serde_json::json!([[name, [bytes]]]), false).await?;
        page.shows(RESULT, "10.603 GiB").await?;
        page.shows(".log__name", "<img src=x").await?;
        page.shows("#log-1-line-1", "<script>window.intruder = 1</script>").await?;
        assert_eq!(page.count("#log-result :is(script, img, b)").await?, 0);
        assert_eq!(page.script("return window.intruder === undefined", vec![]).await?, true);
        let text = page.words("#log-result").await?;
        assert!(!text.contains(['\u{202e}', '\0', '\u{1b}']), "{text}");
        assert_eq!(page.style("#log-1-line-1 .log__words", "unicode-bidi").await?, "isolate");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_text_goes_nowhere() {
    browse(Setting::new("log-private"), async |page| {
        opened(page, "").await?;
        page.shows("#log-private", "never leaves this browser").await?;
        paste(page, "log-control-log", &format!("secret-token-of-mine\n{LOG}")).await?;
        page.shows(RESULT, "10.603 GiB").await?;
        page.shows("#headline", SHORT).await?;
        let kept = "return [document.cookie, localStorage.length + sessionStorage.length, location.href,
            JSON.stringify(history.state), performance.getEntriesByType('resource').map((r) => r.name).join(' ')]";
        let kept = page.script(kept, vec![]).await?;
        assert_eq!((&kept[0], &kept[1], &kept[3]), (&"".into(), &0.into(), &"null".into()));
        assert!(!kept.to_string().contains("secret"), "{kept}");
        assert!(page.requests().await?.iter().all(|url| !url.contains("secret")));
        let databases = page.script("return indexedDB.databases().then((all) => all.length)", vec![]).await?;
        assert_eq!(databases, 0);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn where_workers_are_forbidden_the_page_reads_it_itself() {
    browse(Setting::new("log-no-worker"), async |page| {
        page.before_all("window.Worker = class { constructor() { throw new DOMException('no', 'SecurityError'); } }")
            .await?;
        opened(page, "").await?;
        paste(page, "log-control-log", LOG).await?;
        page.shows(RESULT, "10.603 GiB").await?;
        page.shows("#headline", SHORT).await?;
        let line = "[2026-11-29 23:33:52] INFO:     10.42.0.17:51522 - \"GET /health HTTP/1.1\" 200 OK\n";
        let mib = endless(page);
        page.script(LARGE, vec![mib.into(), line.into(), LOG.into()]).await?;
        page.shows("#log-said", &format!("of {mib}.0 MiB read")).await?;
        // The page has its turn in between.
        page.type_into("#field-f", "0.6").await?;
        page.shows("#headline", "5.903").await?;
        page.click("#log-progress button").await?;
        page.shows("#log-progress", "Cancelled").await
    })
    .await;
}

#[tokio::test]
async fn a_log_is_explained_without_a_mouse() {
    browse(Setting::new("log-keyboard"), async |page| {
        page.allow_clipboard().await?;
        page.open("").await?;
        page.focus("#log > summary").await?;
        page.press(&[Key::Enter]).await?;
        page.find("#log-control-log").await?;
        page.press(&[Key::Tab]).await?;
        assert_eq!(page.focused().await?, "textarea#log-control-log");
        page.client.active_element().await?.send_keys(LOG.lines().next().unwrap_or_default()).await?;
        page.shows(RESULT, "10.603 GiB").await?;
        assert_eq!(page.focused().await?, "textarea#log-control-log", "what is shown does not take the focus");
        page.until("it is announced", "return announcement.textContent.includes('Cannot start')").await?;
        for _ in 0..20 {
            page.press(&[Key::Tab]).await?;
            let copies = "return document.activeElement.dataset.copy ?? ''";
            if page.script(copies, vec![]).await? == "--mem-fraction-static 0.663" {
                page.press(&[Key::Enter]).await?;
                page.shows("[data-copy]", "Copied").await?;
                return Ok(());
            }
        }
        Err("Tab never reaches the button that copies".into())
    })
    .await;
}

#[tokio::test]
async fn it_is_accessible_and_fits_every_screen() {
    for (width, dark) in [(1280, false), (1280, true), (360, false), (320, true)] {
        let setting = Setting::new(&format!("log-screen-{width}-{dark}")).size(width, 800);
        let media = if dark { Media::DARK } else { Media::default() };
        browse(setting.media(media), async |page| {
            opened(page, "").await?;
            page.click("button[name=sample-both]").await?;
            page.shows("#log-versus", "0.88").await?;
            assert_eq!(page.sideways().await?, Vec::<String>::new(), "{width}");
            page.is_accessible().await?;
            page.click("button[name=sample-debug]").await?;
            page.until("one log is left", "return !document.getElementById('log-versus')").await?;
            assert_eq!(page.sideways().await?, Vec::<String>::new(), "{width}");
            page.picture(&format!("log-{width}-{}", if dark { "dark" } else { "light" })).await?;
            page.is_accessible().await
        })
        .await;
    }
}

//! Logs as files: chosen and dropped, packed and broken, and larger than memory.

use browser_tests::{Engine, Key, Page, Result, Setting, browse};
use serde_json::Value;

use super::log::{LOG, RESULT, opened};

/// Gives files made of these parts, each `[name, [part, …]]`, by choosing or by dropping them.
const GIVE: &str = "const [files, dropped] = arguments, held = new DataTransfer();
    const bytes = (part) => typeof part === 'string' ? part : new Uint8Array(part);
    for (const [name, parts] of files) held.items.add(new File(parts.map(bytes), name));
    if (dropped) {
        const zone = document.querySelector('.log__slot');
        const over = new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: held });
        const drop = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: held });
        return [zone.dispatchEvent(over), zone.dispatchEvent(drop)];
    }
    const input = document.getElementById('log-control-log-files');
    input.files = held.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
    return []";

pub(crate) async fn give(page: &Page, files: Value, dropped: bool) -> Result<Value> {
    page.script(GIVE, vec![files, dropped.into()]).await
}

#[tokio::test]
async fn files_are_chosen_and_dropped() {
    browse(Setting::new("log-files"), async |page| {
        opened(page, "").await?;
        let path = std::env::temp_dir().join(format!("kv-budget-{}.log", std::process::id()));
        std::fs::write(&path, LOG)?;
        page.find("#log-control-log-files").await?.send_keys(&path.to_string_lossy()).await?;
        page.shows(RESULT, "10.603 GiB").await?;
        page.shows(".log__name", ".log · SGLang · 2 lines, 1 KiB").await?;
        std::fs::remove_file(&path)?;
        let dropped = LOG.replace("avail=31.697", "avail=33.697").replace("rest=-10.603", "rest=-8.603");
        let undone = give(page, serde_json::json!([["dropped.log", [dropped]]]), true).await?;
        assert_eq!(undone, serde_json::json!([false, false]), "the browser must not open the file itself");
        page.shows(RESULT, "8.603 GiB").await?;
        page.shows(".log__name", "dropped.log").await?;
        page.shows("#headline", "short by 8.603 GiB").await
    })
    .await;
}

#[tokio::test]
async fn packed_wide_and_broken_files_are_read_or_refused() {
    let pack = "const [text, cut] = arguments;
        const packed = new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
        return packed.then((bytes) => [...new Uint8Array(bytes)].slice(0, cut || undefined))";
    browse(Setting::new("log-packed"), async |page| {
        opened(page, "").await?;
        let packed = page.script(pack, vec![LOG.into(), 0.into()]).await?;
        give(page, serde_json::json!([["server.log.gz", [packed]]]), false).await?;
        page.shows(RESULT, "10.603 GiB").await?;
        page.shows(".log__name", "server.log.gz").await?;
        let long =
            format!("{LOG}{}", (0..20_000).map(|line| format!("{}\n", line * 7919 % 10_007)).collect::<String>());
        let torn = page.script(pack, vec![long.into(), 20_000.into()]).await?;
        give(page, serde_json::json!([["torn.log.gz", [torn]]]), false).await?;
        page.shows(".log__trouble", "the rest is damaged, or no gzip").await?;
        page.shows(RESULT, "10.603 GiB").await?;
        let wide: Vec<u8> = format!("\u{feff}{LOG}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        give(page, serde_json::json!([["wide.log", [wide]]]), false).await?;
        page.shows(".log__name", "wide.log · SGLang · 2 lines").await?;
        page.shows("#log-1-line-1 mark[data-term=available]", "31.697").await?;
        let mut broken = vec![0xc3, 0x28, 0xff, 0xfe, b'\n'];
        broken.extend_from_slice(LOG.as_bytes());
        give(page, serde_json::json!([["broken.log", [broken]]]), false).await?;
        page.shows(".log__name", "broken.log · SGLang · 3 lines").await?;
        page.shows(RESULT, "10.603 GiB").await?;
        for (name, bytes, refusal) in [
            ("core", vec![0_u8; 5000], "This is not text"),
            ("log.zst", vec![0x28, 0xb5, 0x2f, 0xfd, 0, 1], "This is zstd"),
            ("empty", Vec::new(), "There is nothing in it"),
            ("torn.gz", vec![0x1f, 0x8b, 8, 0], "damaged"),
        ] {
            give(page, serde_json::json!([[name, [bytes]]]), false).await?;
            page.shows(RESULT, refusal).await?;
        }
        // The scenario of the last good one stays.
        assert_eq!(page.query().await?, "avail=31.697");
        Ok(())
    })
    .await;
}

/// Gives a log of this many MiB, whose parts are all the same blob, with a whole run at its end.
pub(crate) const LARGE: &str = "const [mib, filler, end] = arguments, held = new DataTransfer();
    const part = new Blob([filler.repeat(Math.ceil((1 << 20) / filler.length)).slice(0, 1 << 20)]);
    held.items.add(new File([...Array(mib).fill(part), end], 'large.log'));
    const input = document.getElementById('log-control-log-files');
    input.files = held.files;
    input.dispatchEvent(new Event('change', { bubbles: true }))";

/// MiB of a file that no engine reads within seconds. What a script makes, WebKit holds in memory more than once.
pub(crate) fn endless(page: &Page) -> u32 {
    if page.setting.engine == Engine::WebKit { 1024 } else { 4096 }
}

#[tokio::test]
async fn a_large_file_shows_its_progress_and_can_be_cancelled() {
    let line = "[2026-11-29 23:33:52] INFO:     127.0.0.1:39310 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n";
    browse(Setting::new("log-large"), async |page| {
        opened(page, "").await?;
        let mib = endless(page);
        page.script(LARGE, vec![mib.into(), line.into(), LOG.into()]).await?;
        page.shows("#log-said", "large.log: ").await?;
        page.shows("#log-said", &format!("of {mib}.0 MiB read")).await?;
        page.until("the bar moves", "return document.getElementById('log-bar').value > 0.002").await?;
        // The page answers meanwhile, and the reading goes on.
        page.type_into("#field-f", "0.6").await?;
        page.shows("#headline", "15.903").await?;
        page.find("#log-progress button").await?;
        page.focus("#log-progress button").await?;
        page.press(&[Key::Enter]).await?;
        page.shows("#log-progress", "Cancelled").await?;
        assert_eq!(page.focused().await?, "div#log-progress", "reading goes on where the button was");
        assert_eq!(page.count("#log-result *").await?, 0);
        // A smaller one reads to its end.
        page.script(LARGE, vec![48.into(), line.into(), format!("\n{LOG}").into()]).await?;
        page.shows(RESULT, "10.603 GiB").await?;
        page.shows(".log__name", "48.0 MiB").await?;
        page.shows(".log__text", "lines …").await?;
        // One line of 200 MB is no trouble.
        page.script(LARGE, vec![200.into(), "x".into(), format!("\n{LOG}").into()]).await?;
        page.shows(".log__name", "3 lines, 200.0 MiB").await?;
        page.shows(RESULT, "10.603 GiB").await
    })
    .await;
}

/// Drops a file somewhere on the page; tells whether the browser would have opened it.
async fn drop_on(page: &Page, css: &str, text: &str) -> Result<Value> {
    let script = "const [css, text] = arguments, held = new DataTransfer();
        if (text) held.items.add(new File([text], 'beside.log'));
        else held.setData('text/plain', 'words');
        return ['dragover', 'drop'].map((kind) => document.querySelector(css).dispatchEvent(
            new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: held })))";
    page.script(script, vec![css.into(), text.into()]).await
}

#[tokio::test]
async fn a_file_that_falls_beside_the_box_is_not_lost() {
    browse(Setting::new("log-beside"), async |page| {
        page.open("f=0.6").await?;
        // Nobody reads it there, and nothing is lost either.
        for css in ["header", "#plot", "body", "#log > summary"] {
            assert_eq!(drop_on(page, css, LOG).await?, serde_json::json!([false, false]), "{css}");
        }
        page.shows("#headline", "short by 15.903").await?;
        assert_eq!(drop_on(page, "header", "").await?, serde_json::json!([true, true]), "text is none of our business");
        // With the section open it is read, wherever it falls.
        opened(page, "").await?;
        assert_eq!(drop_on(page, "header", LOG).await?, serde_json::json!([false, false]));
        page.shows(RESULT, "10.603 GiB").await?;
        page.shows(".log__name", "beside.log").await?;
        // Another section's box keeps what falls into it.
        page.click("#plan > summary").await?;
        page.find("#plan input[type=file]").await?;
        page.script("document.querySelector('#plan details:has(textarea)').open = true", vec![]).await?;
        let config = LOG.replace("avail=31.697", "avail=33.697");
        assert_eq!(drop_on(page, "#plan textarea", &config).await?, serde_json::json!([false, false]));
        page.until("it is there", "return document.querySelector('#plan textarea').value.includes('avail=33.697')")
            .await?;
        page.shows(RESULT, "10.603 GiB").await
    })
    .await;
}

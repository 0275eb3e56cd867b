//! How fast the built page reads a log: from the file that is chosen to the diagnosis that is shown, how much memory that
//! takes, and how long the page is busy meanwhile.

#[path = "../../../../benches/scan/log.rs"]
#[allow(dead_code, reason = "the lines are shared with the native benchmark")]
mod log;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use browser_tests::{Page, Result, Setting, session};

const RUNS: usize = 3;
/// Bytes in a second that are aimed at.
const AIM: f64 = 250e6;
/// MiB over the page that are aimed at.
const MEMORY_AIM: f64 = 64.0;

/// Installed before the choice: when the change came, when the result did, and the longest pause between two frames.
const WATCH: &str = "window.begun = 0; window.ended = 0; window.pause = 0;
    const input = document.getElementById('log-control-log-files');
    input.addEventListener('change', () => { begun = performance.now(); ended = 0; pause = 0; last = begun; }, true);
    new MutationObserver(() => { if (begun && !ended) ended = performance.now(); })
        .observe(document.getElementById('log-result'), { childList: true });
    let last = performance.now();
    const frame = () => { const now = performance.now(); if (!ended) pause = Math.max(pause, now - last); last = now;
        requestAnimationFrame(frame); };
    requestAnimationFrame(frame);";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match session(Setting::new("bench-log"), measure).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(page: &Page) -> Result {
    let path = log::generate()?.canonicalize()?;
    page.open("").await?;
    page.click("#log > summary").await?;
    page.find("#log-control-log-files").await?;
    page.script(WATCH, vec![]).await?;
    let before = renderers();
    let mut most = before;
    for _ in 0..RUNS {
        // The same file again is no change.
        page.script("document.getElementById('log-control-log-files').value = ''; begun = 0", vec![]).await?;
        page.find("#log-control-log-files").await?.send_keys(&path.to_string_lossy()).await?;
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            most = most.max(renderers());
            let told: (f64, f64, f64) =
                serde_json::from_value(page.script("return [begun, ended, pause]", vec![]).await?)?;
            let (begun, ended, pause) = told;
            if begun > 0.0 && ended > 0.0 {
                let speed = log::SIZE as f64 / (ended - begun) * 1e3;
                println!(
                    "{} MiB, file to diagnosis: {:.0} ms, {:.0} MB/s (aim {:.0}); longest pause between frames {pause:.0} ms",
                    log::SIZE >> 20,
                    ended - begun,
                    speed / 1e6,
                    AIM / 1e6
                );
                break;
            }
        }
    }
    println!("memory over the page: at most {:.0} MiB (aim {MEMORY_AIM})", most - before);
    Ok(())
}

/// MiB that the page's processes hold: the renderers among this program's descendants.
fn renderers() -> f64 {
    let mut parents = BTreeMap::new();
    let mut held = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let read = |name: &str| std::fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        let status = read("status");
        let field = |key: &str| {
            let line = status.lines().find(|line| line.starts_with(key))?;
            line.split_whitespace().nth(1)?.parse::<u32>().ok()
        };
        parents.insert(id, field("PPid:").unwrap_or(0));
        if read("cmdline").contains("--type=renderer") {
            held.push((id, f64::from(field("RssAnon:").unwrap_or(0)) / 1024.0));
        }
    }
    let own = std::process::id();
    let descends = |mut id: u32| {
        while let Some(parent) = parents.get(&id) {
            if *parent == own {
                return true;
            }
            id = *parent;
        }
        false
    };
    held.into_iter().filter(|(id, _)| descends(*id)).map(|(_, mib)| mib).sum()
}

//! How fast the built page answers a slider, and how long its frames are on a slow machine.
//!
//! The first argument is the slider's CSS selector; the first slider of the page is taken without one.

use std::process::ExitCode;

use browser_tests::measure::{SLOWER, at, sorted};
use browser_tests::{Page, Result, Setting, session};
use serde_json::{Value, json};

const EVENTS: u32 = 1_000;
const FRAMES: u32 = 300;
/// One frame of a 60 Hz screen, in milliseconds.
const FRAME: f64 = 16.7;

/// One input event at a time: from before it is sent until all that it set off at once is in the document.
///
/// A message to oneself arrives after every microtask, so after the last effect; the canvas waits for the next frame and
/// is measured there.
const INPUT_TO_DOM: &str = "return (async () => {
    const slider = document.querySelector(arguments[0]);
    const { port1, port2 } = new MessageChannel();
    const turn = () => new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const low = Number(slider.min), high = Number(slider.max), times = [];
    for (let i = 0; i < arguments[1]; i += 1) {
        slider.value = low + (high - low) * ((i * 37) % 100) / 100;
        const before = performance.now();
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await turn();
        times.push(performance.now() - before);
        if (i % 10 === 9) await frame();
    }
    return times;
})()";

/// One input event a frame: its own work, and that of the frame that shows it, from the first animation callback (the
/// curve is drawn in one) through style, layout and paint; and how far frames are apart.
///
/// A message sent in a frame's first callback arrives when the frame is done.
const FRAME_TIMES: &str = "return (async () => {
    const slider = document.querySelector(arguments[0]);
    const { port1, port2 } = new MessageChannel();
    const turn = () => new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
    const frame = () => new Promise((done) => requestAnimationFrame(() => done(performance.now())));
    const low = Number(slider.min), high = Number(slider.max), work = [], apart = [];
    let last = await frame();
    for (let i = 0; i < arguments[1]; i += 1) {
        await turn();
        const next = frame(), before = performance.now();
        slider.value = low + (high - low) * (i % 100) / 100;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await turn();
        const input = performance.now() - before;
        const start = await next;
        await turn();
        work.push(input + performance.now() - start);
        apart.push(start - last);
        last = start;
    }
    return [work, apart];
})()";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let slider = std::env::args().nth(1).unwrap_or_else(|| "input[type=range]".to_owned());
    match session(Setting::new("bench"), async |page| measure(page, &slider).await).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(page: &Page, slider: &str) -> Result {
    page.open("").await?;
    page.find(slider).await?;
    page.settle().await?;

    let answer = page.script(INPUT_TO_DOM, vec![slider.into(), EVENTS.into()]).await?;
    tell(&format!("{EVENTS} input events, event to updated document"), times(&answer)?, 2.0, 8.0);

    // The processor's time, which other programs on the machine do not lengthen.
    page.devtools("Performance.enable", json!({ "timeDomain": "threadTicks" })).await?;
    let before = worked(page).await?;
    page.script(FRAME_TIMES, vec![slider.into(), FRAMES.into()]).await?;
    let after = worked(page).await?;
    let [all, script, style, layout] =
        std::array::from_fn(|part| (after[part] - before[part]) * 1000.0 / f64::from(FRAMES));
    println!("{FRAMES} frames, processor time of one on average, this harness included:");
    println!(
        "    {all:.2} ms, of which script {script:.2}, style {style:.2}, layout {layout:.2}; the rest is mostly paint"
    );

    page.slow_down(SLOWER).await?;
    let answer = page.script(FRAME_TIMES, vec![slider.into(), FRAMES.into()]).await?;
    page.slow_down(1).await?;
    let work = times(&answer[0])?;
    let late = work.iter().filter(|time| **time > FRAME).count();
    tell(&format!("{FRAMES} frames, processor {SLOWER} times slower, work of a frame"), work, FRAME, FRAME);
    tell("    the same, from frame to frame", times(&answer[1])?, FRAME, 2.0 * FRAME);
    println!("    frames whose work exceeds {FRAME} ms: {late}");
    Ok(())
}

/// Seconds that the page's thread has worked: all of it, in scripts, on styles, on layout.
async fn worked(page: &Page) -> Result<[f64; 4]> {
    let mut all = [0.0; 4];
    for (seconds, name) in
        all.iter_mut().zip(["TaskDuration", "ScriptDuration", "RecalcStyleDuration", "LayoutDuration"])
    {
        *seconds = page.metric(name).await?;
    }
    Ok(all)
}

fn times(answer: &Value) -> Result<Vec<f64>> {
    let times: Vec<f64> = serde_json::from_value(answer.clone())?;
    if times.is_empty() { Err("nothing was measured".into()) } else { Ok(sorted(times)) }
}

/// Prints median, 99th percentile and maximum of sorted times beside what is aimed at.
fn tell(what: &str, times: Vec<f64>, median_aim: f64, p99_aim: f64) {
    println!(
        "{what}:\n    median {:.2} ms (aim {median_aim}), p99 {:.2} ms (aim {p99_aim}), longest {:.2} ms",
        at(&times, 50),
        at(&times, 99),
        at(&times, 100)
    );
}

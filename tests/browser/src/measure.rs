//! How fast a page is, this one or another: what it loads, when something is seen, how soon it answers, what it holds.
//!
//! A script before the page's own listens to the browser's own measures; Chromium alone can be slowed down and asked for
//! its memory.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Page, Result};

/// The network of Lighthouse's mobile setting: milliseconds of latency, bits a second down and up.
pub const SLOW_4G: (u32, u32, u32) = (150, 1_638_400, 768_000);
/// How often slower its processor is.
pub const SLOWER: u32 = 4;

/// Listens from before the page's own first script. `NUMBER` and `INPUT` are what is waited for.
///
/// No service worker is registered: what it fetches for later visits is no part of this one.
const LISTEN: &str = "{
    const seen = window.measured = { fcp: 0, lcp: 0, cls: 0, blocks: [], number: 0, alive: 0, memories: [] };
    const on = (type, tell) => new PerformanceObserver((list) => list.getEntries().forEach(tell)).observe({ type, buffered: true });
    on('paint', (entry) => { if (entry.name === 'first-contentful-paint') seen.fcp = entry.startTime; });
    on('largest-contentful-paint', (entry) => { seen.lcp = entry.startTime; });
    on('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.cls += entry.value; });
    on('longtask', (entry) => seen.blocks.push([entry.startTime, entry.duration]));
    if (window.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error('measured without'));
    const keep = (instance) => seen.memories.push(...Object.values(instance.exports ?? {}).filter((item) => item instanceof WebAssembly.Memory));
    const { Instance } = WebAssembly;
    WebAssembly.Instance = function (...all) { const made = new Instance(...all); keep(made); return made; };
    WebAssembly.Instance.prototype = Instance.prototype;
    for (const name of ['instantiate', 'instantiateStreaming']) {
        const own = WebAssembly[name];
        WebAssembly[name] = (...all) => own.apply(WebAssembly, all).then((made) => { keep(made.instance ?? made); return made; });
    }
    const visible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
    const stands = () => {
        if (!document.body) return false;
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) if (texts.currentNode.data.includes(NUMBER) && visible(texts.currentNode.parentElement)) return true;
        return [...document.querySelectorAll('input, output')].some((field) => String(field.value).includes(NUMBER) && visible(field));
    };
    const answers = () => document.readyState !== 'loading' && Boolean(document.querySelector(INPUT)?.matches(':enabled'));
    const { port1, port2 } = new MessageChannel();
    const painted = [];
    port1.onmessage = () => { for (const name of painted.splice(0)) seen[name] = performance.now(); };
    const looked = new Set(NUMBER ? [] : ['number']);
    const look = () => {
        for (const [name, there] of [['number', stands], ['alive', answers]]) if (!looked.has(name) && there()) {
            looked.add(name);
            painted.push(name);
        }
        if (painted.length) port2.postMessage(0);
        if (looked.size < 2) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}";

/// How long it has been quiet since the last that happened, in milliseconds; 0 while it loads.
const QUIET: &str = "const last = Math.max(measured.lcp, measured.number, measured.alive, ...measured.blocks.map(([start, length]) => start + length),
    ...performance.getEntriesByType('resource').map((entry) => entry.responseEnd));
    return document.readyState === 'complete' ? performance.now() - last : 0";

/// One change of a control, at any moment of a frame: from the event to when the frame that shows it is done, and the work
/// in it without the wait for the frame.
///
/// A message sent in a frame's first callback arrives after style, layout and paint. What the compositor and the screen
/// add comes on top, and is the same for every page.
const CHANGES: &str = "return (async () => {
    const [selector, count] = arguments, control = document.querySelector(selector);
    const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value').set;
    const { port1, port2 } = new MessageChannel();
    const turn = () => new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
    const frame = () => new Promise((done) => requestAnimationFrame(() => done(performance.now())));
    const now = Number(control.value) || 1, bound = (name, other) => control[name] === '' || control[name] === undefined ? other : Number(control[name]);
    const low = bound('min', now / 2), high = bound('max', now * 2), whole = control.type === 'range' ? 0 : 1;
    const all = [], work = [], apart = [];
    let last = 0, chance = 1;
    for (let i = 0; i < count; i += 1) {
        chance = (chance * 16807) % 2147483647;
        await new Promise((done) => setTimeout(done, chance / 2147483647 * 16));
        const to = low + (high - low) * (i % 100) / 100, before = performance.now();
        set.call(control, control.options ? control.options[i % control.options.length].value : String(whole ? Math.round(to) : to));
        control.dispatchEvent(new Event('input', { bubbles: true }));
        if (control.type !== 'range') control.dispatchEvent(new Event('change', { bubbles: true }));
        const shown = frame();
        await turn();
        const input = performance.now() - before, start = await shown;
        await turn();
        const end = performance.now();
        all.push(end - before);
        // Where the frame began within the input's own time, nothing is counted twice.
        work.push(input + end - Math.max(start, before + input));
    }
    return [all, work];
})()";

/// What is measured, and of what.
#[derive(Clone, Debug)]
pub struct Subject {
    /// As the table calls it.
    pub name: String,
    /// The folder that is served.
    pub folder: std::path::PathBuf,
    /// The page within it, as its address says it.
    pub file: String,
    /// A text that only the right number brings; nothing is waited for without one.
    pub number: String,
    /// The control that is moved, as a CSS selector.
    pub input: String,
}

/// How a page comes: milliseconds since the navigation began, and bytes.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Load {
    /// Over the wire, with the heads of the answers.
    pub bytes: u64,
    pub requests: usize,
    /// Requests to others.
    pub elsewhere: usize,
    pub first_paint: f64,
    pub largest_paint: f64,
    /// What of long tasks is beyond 50 ms each, after the first paint.
    pub blocked: f64,
    /// All shifts in sum.
    pub shift: f64,
    /// The number stands there and is painted; 0 where it was not waited for, or did not come.
    pub number: f64,
    /// The control takes input.
    pub alive: f64,
}

/// How a page answers: milliseconds at the median and at the 98th percentile.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Answers {
    /// From the event until the frame that shows it is done.
    pub painted: [f64; 2],
    /// The page's own part of it: handlers, animation callbacks, style, layout, paint.
    pub work: [f64; 2],
    /// Processor time of its thread for a change, this harness included; other programs do not lengthen it.
    pub processor: f64,
}

/// What a page holds after a forced collection, in bytes.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
pub struct Memory {
    pub heap: u64,
    /// Of WebAssembly, of which nothing is ever given back.
    pub program: u64,
}

impl Page {
    /// Listens in every page that is opened from now on.
    pub async fn listen(&self, number: &str, input: &str) -> Result {
        let script = LISTEN.replace("NUMBER", &json!(number).to_string()).replace("INPUT", &json!(input).to_string());
        self.before_all(&script).await
    }

    /// From now on as over slow 4G, or as it is.
    pub async fn slow_network(&self, slow: bool) -> Result {
        let (latency, down, up) = SLOW_4G;
        let bytes = |bits: u32| if slow { f64::from(bits) / 8.0 } else { -1.0 };
        let conditions = json!({
            "offline": false,
            "latency": if slow { latency } else { 0 },
            "downloadThroughput": bytes(down),
            "uploadThroughput": bytes(up),
        });
        self.devtools("Network.enable", json!({})).await?;
        self.devtools("Network.emulateNetworkConditions", conditions).await.map(drop)
    }

    /// Waits until nothing has happened for two seconds, at most half a minute, and tells how the page came.
    pub async fn loaded(&self, home: &str) -> Result<Load> {
        for _ in 0..100 {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            if self.script(QUIET, vec![]).await?.as_f64().unwrap_or_default() > 2000.0 {
                break;
            }
        }
        let (bytes, asked) = self.traffic().await?;
        let seen = self.script("const { memories, ...seen } = measured; return seen", vec![]).await?;
        let at = |name: &str| seen[name].as_f64().unwrap_or_default();
        let blocks: Vec<(f64, f64)> = serde_json::from_value(seen["blocks"].clone())?;
        let first_paint = at("fcp");
        let after = blocks.iter().filter(|(start, length)| start + length > first_paint);
        Ok(Load {
            bytes,
            requests: asked.len(),
            elsewhere: asked.iter().filter(|url| !url.starts_with(home) && !url.starts_with("data:")).count(),
            first_paint,
            largest_paint: at("lcp"),
            blocked: after.map(|(start, length)| (length.min(start + length - first_paint) - 50.0).max(0.0)).sum(),
            shift: at("cls"),
            // Nobody sees it before anything is painted.
            number: if at("number") > 0.0 { at("number").max(first_paint) } else { 0.0 },
            alive: at("alive"),
        })
    }

    /// Changes a control so many times and tells how the page answers.
    pub async fn answers(&self, input: &str, changes: u32) -> Result<Answers> {
        // The processor's time, which other programs on the machine do not lengthen.
        self.devtools("Performance.enable", json!({ "timeDomain": "threadTicks" })).await?;
        let before = self.metric("TaskDuration").await?;
        let told = self.script(CHANGES, vec![input.into(), changes.into()]).await?;
        let after = self.metric("TaskDuration").await?;
        let [all, work]: [Vec<f64>; 2] = serde_json::from_value(told)?;
        let ends = |times| {
            let times = sorted(times);
            [at(&times, 50), at(&times, 98)]
        };
        Ok(Answers { painted: ends(all), work: ends(work), processor: (after - before) * 1000.0 / f64::from(changes) })
    }

    /// What the page holds after a forced collection; the memory of programs only where [`Page::listen`] came first.
    pub async fn memory(&self) -> Result<Memory> {
        // What the first collection finalises, the second one frees.
        for _ in 0..2 {
            self.devtools("HeapProfiler.collectGarbage", json!({})).await?;
        }
        self.devtools("Performance.enable", json!({ "timeDomain": "threadTicks" })).await?;
        let held =
            "return (window.measured?.memories ?? []).reduce((sum, memory) => sum + memory.buffer.byteLength, 0)";
        let program = self.script(held, vec![]).await?.as_u64().unwrap_or_default();
        Ok(Memory { heap: self.metric("JSHeapUsedSize").await? as u64, program })
    }

    /// One of the browser's own figures about the page.
    pub async fn metric(&self, name: &str) -> Result<f64> {
        let answer = self.devtools("Performance.getMetrics", json!({})).await?;
        let metrics = answer["metrics"].as_array().ok_or("the browser tells no figures")?;
        let found = metrics.iter().find(|metric| metric["name"] == name).and_then(|metric| metric["value"].as_f64());
        found.ok_or_else(|| format!("the browser does not tell {name}").into())
    }

    /// The browser's name and version.
    pub async fn browser(&self) -> Result<String> {
        let version = self.devtools("Browser.getVersion", Value::Object(Default::default())).await?;
        Ok(version["product"].as_str().unwrap_or_default().to_owned())
    }
}

/// In order.
pub fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

/// A percentile of what is in order; 0 of nothing.
pub fn at(times: &[f64], percent: usize) -> f64 {
    times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
}

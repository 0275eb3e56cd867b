//! What the page looks like, as far as numbers can tell: places, styles, shifts, pixels of the canvas.

use serde::Deserialize;
use serde_json::Value;

use crate::engine::Engine;
use crate::{Page, Result};

/// Where an element is, in CSS pixels from the page's top left corner.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Place {
    /// Which element, for the reader of a failure.
    pub name: String,
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Place {
    /// The same to within a twentieth of a pixel: positions are computed in floating point.
    pub fn is_at(&self, other: &Self) -> bool {
        let pairs =
            [(self.left, other.left), (self.top, other.top), (self.width, other.width), (self.height, other.height)];
        self.name == other.name && pairs.iter().all(|(a, b)| (a - b).abs() < 0.05)
    }
}

/// What is on a canvas.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Pixels {
    /// Of the canvas's own pixels.
    pub width: u32,
    pub height: u32,
    /// Of its box on the page.
    pub css_width: f64,
    pub css_height: f64,
    /// Share of pixels with anything on them.
    pub drawn: f64,
    /// How many different colours there are.
    pub colors: u32,
    /// Equal for equal pictures.
    pub digest: u32,
}

/// Installed before the page: keeps every shift of its layout.
const KEEP_SHIFTS: &str =
    "window.shifts = []; window.shiftObserver = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
    shiftObserver.observe({ type: 'layout-shift', buffered: true });";

impl Page {
    /// Where all elements are that a selector finds, in the order of the page.
    pub async fn places(&self, css: &str) -> Result<Vec<Place>> {
        let script = "return [...document.querySelectorAll(arguments[0])].map((e) => {
            const r = e.getBoundingClientRect();
            const name = e.tagName.toLowerCase() + (e.id && '#' + e.id) + [...e.classList].map((c) => '.' + c).join('');
            return { name, left: r.left + scrollX, top: r.top + scrollY, width: r.width, height: r.height };
        })";
        Ok(serde_json::from_value(self.script(script, vec![css.into()]).await?)?)
    }

    /// A computed style of the first element that the selector finds.
    pub async fn style(&self, css: &str, property: &str) -> Result<String> {
        let script = "return getComputedStyle(document.querySelector(arguments[0])).getPropertyValue(arguments[1])";
        let value = self.script(script, vec![css.into(), property.into()]).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// From the next page on, keeps every layout shift for [`Page::shifts`].
    pub async fn keep_shifts(&self) -> Result {
        if self.setting.engine != Engine::Chromium {
            return Err(self.lacks("record of layout shifts"));
        }
        self.before_all(KEEP_SHIFTS).await
    }

    /// The layout shifts since the page was opened: each one's score and what moved.
    pub async fn shifts(&self) -> Result<Vec<(f64, String)>> {
        self.settle().await?;
        let script = "shifts.push(...shiftObserver.takeRecords());
            const name = (n) => n ? (n.nodeType === 1 ? n.outerHTML.slice(0, 60) : '“' + n.textContent.slice(0, 40) + '”') : 'removed';
            return shifts.map((s) => [s.value, s.sources.map((x) => name(x.node)).join(', ')])";
        Ok(serde_json::from_value(self.script(script, vec![]).await?)?)
    }

    /// What makes the page scroll sideways; empty if it does not.
    pub async fn sideways(&self) -> Result<Vec<String>> {
        let script = "const root = document.documentElement, w = root.clientWidth;
            if (root.scrollWidth <= w) return [];
            const clipped = (e) => { for (let p = e.parentElement; p !== document.body; p = p.parentElement)
                if (getComputedStyle(p).overflowX !== 'visible') return true; return false; };
            const wide = [...document.querySelectorAll('body *')]
                .filter((e) => e.getBoundingClientRect().right > w + 0.5 && !clipped(e));
            return [`${root.scrollWidth} pixels of page in ${w} of window`, ...wide.slice(0, 8).map((e) =>
                `${Math.round(e.getBoundingClientRect().right)}: ${e.outerHTML.slice(0, 80)} in .${e.parentElement.className}`)]";
        Ok(serde_json::from_value(self.script(script, vec![]).await?)?)
    }

    /// Text that is cut off: it does not fit into its box, and the box hides what sticks out; or it is outside the window.
    /// What scrolls within its own box (the formula on the smallest screens, the table) is not.
    pub async fn cut_off(&self) -> Result<Vec<String>> {
        let script = "const w = document.documentElement.clientWidth, found = [];
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            const skipped = 'script, style, noscript, option, .unseen, [aria-hidden=true], .points__scroll, .lines';
            while (walker.nextNode()) {
                const node = walker.currentNode, e = node.parentElement;
                if (!node.textContent.trim() || e.closest(skipped) || !e.checkVisibility()) continue;
                const range = document.createRange();
                range.selectNodeContents(node);
                const box = range.getBoundingClientRect();
                if (!box.width) continue;
                let hidden = false;
                for (let p = e; p !== document.body && !hidden; p = p.parentElement) {
                    const style = getComputedStyle(p), r = p.getBoundingClientRect();
                    if (['auto', 'scroll'].includes(style.overflowX)) break;
                    if (style.overflowX !== 'visible') hidden = box.left < r.left - 1 || box.right > r.right + 1;
                }
                if (!e.closest('.formula')) hidden ||= box.left < -0.5 || box.right > w + 0.5;
                if (hidden) found.push(`${node.textContent.trim().slice(0, 60)} (${Math.round(box.left)} to ${Math.round(box.right)})`);
            }
            return found";
        Ok(serde_json::from_value(self.script(script, vec![]).await?)?)
    }

    /// The pixels of a canvas, once it has been drawn for the page as it is now.
    pub async fn pixels(&self, css: &str) -> Result<Pixels> {
        self.settle().await?;
        let script = "const c = document.querySelector(arguments[0]), r = c.getBoundingClientRect();
            const data = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
            let drawn = 0, digest = 17;
            const colors = new Set();
            for (const pixel of data) { if (pixel >>> 24) drawn += 1; colors.add(pixel); digest = (digest * 31 + pixel) >>> 0; }
            return { width: c.width, height: c.height, css_width: r.width, css_height: r.height,
                     drawn: drawn / data.length, colors: colors.size, digest }";
        let pixels: Value = self.script(script, vec![css.into()]).await?;
        Ok(serde_json::from_value(pixels)?)
    }
}

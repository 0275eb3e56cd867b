//! The whole page without a mouse.

use browser_tests::{ANOTHER_RUN, Key, Page, Result, Setting, browse};
use serde::Deserialize;

/// More than the page has places to stop at.
const ENOUGH: usize = 150;

/// Where Tab stopped.
#[derive(Clone, Debug, Deserialize, PartialEq)]
struct Stop {
    name: String,
    /// Its outline in pixels.
    ring: f64,
    /// What lies over its middle, if it is neither the element itself nor its label.
    covered: Option<String>,
}

/// What has the focus; nothing where the focus is outside the page.
async fn stop(page: &Page) -> Result<Option<Stop>> {
    let script = "return (async () => {
        // The browser scrolls to it in the next frame.
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        await frame(); await frame();
        const e = document.activeElement, style = getComputedStyle(e);
        if (!e || e === document.body) return null;
        (window.stops ??= []).push(e);
        const called = (n) => n ? n.tagName.toLowerCase() + (n.id && '#' + n.id) + [...n.classList].map((c) => '.' + c).join('')
            + (n.dataset.preset ? '=' + n.dataset.preset : '') + (n.getAttribute('href') ?? '') : 'the edge of the window';
        const box = e.getClientRects()[0];
        const middle = (a, b, most) => (Math.max(a, 0) + Math.min(b, most)) / 2;
        const at = document.elementFromPoint(middle(box.left, box.right, innerWidth), middle(box.top, box.bottom, innerHeight));
        return { name: called(e), ring: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth),
                 covered: at && (e.contains(at) || at.closest('label')?.control === e) ? null : called(at) };
    })()";
    Ok(serde_json::from_value(page.script(script, vec![]).await?)?)
}

/// All stops, these first, until the focus leaves the page, or comes round to the first again.
async fn walk(page: &Page, keys: &[Key], mut stops: Vec<Stop>) -> Result<Vec<Stop>> {
    while stops.len() < ENOUGH {
        page.press(keys).await?;
        let Some(stop) = stop(page).await? else { return Ok(stops) };
        if stops.first().is_some_and(|first: &Stop| first.name == stop.name) {
            return Ok(stops);
        }
        stops.push(stop);
    }
    Err(format!("Tab is trapped at {:?}", stops.last()).into())
}

/// Tab until this has the focus.
async fn tab_to(page: &Page, name: &str) -> Result {
    for _ in 0..ENOUGH {
        if page.focused().await?.contains(name) {
            return Ok(());
        }
        page.press(&[Key::Tab]).await?;
    }
    Err(format!("Tab never reaches {name}").into())
}

/// Tab until an expression is true.
async fn tab_until(page: &Page, reached: &str) -> Result {
    for _ in 0..ENOUGH {
        if page.script(&format!("return {reached}"), vec![]).await? == true {
            return Ok(());
        }
        page.press(&[Key::Tab]).await?;
    }
    Err(format!("Tab never comes to where {reached}").into())
}

/// From 0.55 up to 0.88 by the keys of the slider.
async fn to_the_working_fraction(page: &Page) -> Result {
    tab_to(page, "#slider-f").await?;
    for _ in 0..33 {
        page.press(&[Key::PageUp]).await?;
    }
    page.shows("#headline", "159,171 tokens").await
}

async fn every_stop_is_seen(name: &str, width: u32, height: u32) {
    browse(Setting::new(name).size(width, height), async |page| {
        page.open("total=90&avail=95").await?;
        page.unfold().await?;
        let there = walk(page, &[Key::Tab], Vec::new()).await?;
        for wanted in [
            "#slider-f",
            "#field-f",
            "#slider-cell",
            "#field-dyn",
            "#field-cap",
            "baseline-0.88",
            "#reset",
            "#plot",
            "#axis-gib",
            "#address",
            "#copy-address",
        ] {
            assert!(there.iter().any(|stop| stop.name.contains(wanted)), "{wanted} is never reached: {there:?}");
        }
        assert!(!there.iter().any(|stop| stop.name.contains("bars__handle")), "the handle is the slider again");
        for stop in &there {
            assert!(stop.ring >= 2.0, "at {width}: no ring: {stop:?}");
            assert_eq!(stop.covered, None, "at {width}: {stop:?} is hidden");
        }
        // Where the focus is once it has left the page differs; the way back begins at the last stop.
        page.script("stops[arguments[0]].focus()", vec![(there.len() - 1).into()]).await?;
        let back = walk(page, &[Key::Shift, Key::Tab], there.last().cloned().into_iter().collect()).await?;
        let names = |stops: &[Stop]| stops.iter().map(|stop| stop.name.clone()).collect::<Vec<_>>();
        let mut back_names = names(&back);
        back_names.reverse();
        assert_eq!(names(&there), back_names, "the same way back");
        for stop in &back {
            assert_eq!(stop.covered, None, "at {width}, backwards: {stop:?} is hidden");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_stop_is_seen_and_none_is_a_trap() {
    every_stop_is_seen("tab", 1280, 900).await;
}

#[tokio::test]
async fn on_a_phone_the_bars_in_view_hide_no_stop() {
    every_stop_is_seen("tab-phone", 360, 640).await;
}

#[tokio::test]
async fn on_the_smallest_phone_neither() {
    every_stop_is_seen("tab-small", 320, 568).await;
}

#[tokio::test]
async fn from_the_failing_run_to_a_copied_link_without_a_mouse() {
    browse(Setting::new("keyboard"), async |page| {
        page.allow_clipboard().await?;
        page.open("").await?;
        to_the_working_fraction(page).await?;
        tab_to(page, "#copy-address").await?;
        page.press(&[Key::Enter]).await?;
        page.shows("#share-said", "Copied").await?;
        let copied = page.clipboard().await?;
        assert_eq!(copied, format!("{}?f=0.88", page.base()));
        // Back to the presets, and on from there.
        for _ in 0..ENOUGH {
            let preset = page.script("return document.activeElement.dataset.preset ?? ''", vec![]).await?;
            if preset == "lowered-0.50" {
                break;
            }
            page.press(&[Key::Shift, Key::Tab]).await?;
        }
        page.press(&[Key::Enter]).await?;
        page.shows("#headline", "25.303").await?;
        let focused = page.script("return document.activeElement.dataset.preset", vec![]).await?;
        assert_eq!(focused, "lowered-0.50", "choosing moves neither the focus nor the page");
        tab_to(page, "#plot").await?;
        page.press(&[Key::End]).await?;
        page.shows("#read-out", "331,525 tokens").await?;
        tab_to(page, "summary").await
    })
    .await;
}

#[tokio::test]
async fn details_open_and_buttons_work_by_keyboard() {
    browse(Setting::new("keyboard-details"), async |page| {
        page.open("").await?;
        page.focus(".more summary").await?;
        page.press(&[Key::Enter]).await?;
        page.until("it is open", "return document.querySelector('.more').open").await?;
        page.press(&[Key::Tab]).await?;
        assert_eq!(page.focused().await?, "input#field-dyn");
        page.client.active_element().await?.send_keys("9.5").await?;
        page.press(&[Key::Enter]).await?;
        page.shows("#hint-f", "0.898").await?;
        page.focus("#axis-gib").await?;
        page.press(&[Key::Space]).await?;
        page.until("it is pressed", "return document.getElementById('axis-gib').ariaPressed === 'true'").await?;
        page.type_into("#field-f", "0.6").await?;
        page.settle().await?;
        page.focus("#reset").await?;
        page.press(&[Key::Enter]).await?;
        page.shows("#headline", "20.603").await
    })
    .await;
}

#[tokio::test]
async fn after_a_reset_the_focus_is_not_lost() {
    browse(Setting::new("reset-focus"), async |page| {
        page.open("f=0.6").await?;
        page.focus("#reset").await?;
        page.press(&[Key::Enter]).await?;
        page.shows("#headline", "20.603").await?;
        page.settle().await?;
        // The button is gone with what it took back; the next stop is what followed it, not the top of the page.
        page.press(&[Key::Tab]).await?;
        let next = page.focused().await?;
        assert!(!next.contains("top__name"), "Tab starts again at {next}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_whole_visit_without_a_mouse() {
    browse(Setting::new("keyboard-visit"), async |page| {
        page.allow_clipboard().await?;
        // Open it, and change the fraction.
        page.open("").await?;
        to_the_working_fraction(page).await?;
        // Have a log explained.
        tab_until(page, "document.activeElement.matches('#log > summary')").await?;
        page.press(&[Key::Enter]).await?;
        page.find("#log-control-log").await?;
        tab_to(page, "#log-control-log").await?;
        page.client.active_element().await?.send_keys(ANOTHER_RUN).await?;
        page.shows("#log-result h3", "10.603 GiB").await?;
        page.shows("#headline", "short by 10.603").await?;
        // Take the command along.
        tab_until(page, "document.activeElement.dataset.copy === '--mem-fraction-static 0.663'").await?;
        page.press(&[Key::Enter]).await?;
        page.until("the command is copied", "return document.activeElement.textContent.includes('Copied')").await?;
        assert_eq!(page.clipboard().await?, "--mem-fraction-static 0.663");
        // And send the state to somebody.
        tab_to(page, "#copy-address").await?;
        page.press(&[Key::Enter]).await?;
        page.shows("#share-said", "Copied").await?;
        assert_eq!(page.clipboard().await?, format!("{}?avail=31.697", page.base()));
        Ok(())
    })
    .await;
}

//! The runs of the week, each by its link; what changed since one; the way back.

use browser_tests::{Key, Page, Result, Run, Setting, WEEK, browse, week};

fn link(run: &Run) -> String {
    format!(".chips a[data-preset='{}']", run.id)
}

/// The page shows this run, in words, numbers and marks.
async fn is_shown(page: &Page, run: &Run) -> Result {
    let Run { id, rest, .. } = *run;
    page.shows("#headline", rest.trim_start_matches('−')).await.map_err(|error| format!("{id}: {error}"))?;
    page.settle().await?;
    assert_eq!(page.text(".formula .result").await?, format!("{rest} GiB"), "{id}");
    assert_eq!(page.text(".formula__tokens b").await?, week::grouped(run.tokens()), "{id}");
    let verdict = if run.starts() { "starts" } else { "cannot_start" };
    assert_eq!(page.attribute(".verdict", "data-verdict").await?.as_deref(), Some(verdict), "{id}");
    assert_eq!(
        page.attribute(".bars", "data-overdraft").await?.as_deref(),
        Some(if run.starts() { "false" } else { "true" })
    );
    for (field, value) in [("f", run.fraction), ("total", run.total), ("avail", run.available), ("cell", Run::CELL)] {
        let shown: f64 = page.value(&format!("#field-{field}")).await?.parse()?;
        assert!((shown - value).abs() < 1e-9, "{id}: {field} is {shown}, not {value}");
    }
    let current =
        "return [...document.querySelectorAll('[data-preset][aria-current]')].map((a) => a.dataset.preset).join()";
    assert_eq!(page.script(current, vec![]).await?, id, "one preset is the current one");
    Ok(())
}

#[tokio::test]
async fn each_opens_by_its_link_and_back_returns() {
    browse(Setting::new("presets"), async |page| {
        page.open("").await?;
        let entries = async || page.script("return history.length", vec![]).await.map(|length| length.as_u64());
        for run in &WEEK {
            let before = entries().await?;
            page.click(&link(run)).await?;
            is_shown(page, run).await?;
            assert_eq!(page.query().await?, format!("preset={}", run.id));
            assert_eq!(entries().await?, before.map(|length| length + 1), "{}: one entry", run.id);
            let focused = page.script("return document.activeElement.dataset.preset", vec![]).await?;
            assert_eq!(focused, run.id, "the focus stays on the link");
        }
        for run in WEEK.iter().rev().skip(1) {
            page.client.back().await?;
            is_shown(page, run).await?;
        }
        page.client.back().await?;
        is_shown(page, &WEEK[0]).await?;
        assert_eq!(page.query().await?, "", "the first entry is the address that was opened");
        for run in WEEK.iter().take(3) {
            page.client.forward().await?;
            is_shown(page, run).await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn each_address_opens_its_run_directly() {
    browse(Setting::new("preset-addresses"), async |page| {
        for run in &WEEK {
            page.open(&format!("preset={}", run.id)).await?;
            is_shown(page, run).await?;
            assert_eq!(page.query().await?, format!("preset={}", run.id), "opening rewrites nothing");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_changed_since_a_preset_is_told_and_taken_back() {
    browse(Setting::new("since"), async |page| {
        page.open("").await?;
        let hidden = "return document.querySelector('[data-mark=since]').hidden";
        assert_eq!(page.script(hidden, vec![]).await?, true, "nothing has changed yet");
        page.click(&link(&WEEK[1])).await?;
        is_shown(page, &WEEK[1]).await?;
        page.type_into("#field-f", "0.6").await?;
        page.until("the address keeps the preset", "return location.search === '?preset=lowered-0.50&f=0.6'").await?;
        // 0.1 more of 93.999 GiB.
        page.shows(".since", "was −25.303 GiB → is −15.903 GiB (+9.400 GiB): fraction +9.400 GiB").await?;
        // The place that the run had is marked on the bar that moved, and only there.
        page.settle().await?;
        let ghosts = "return [...document.querySelectorAll('.ghost')].map((ghost) => {
            const bar = ghost.parentElement.getBoundingClientRect();
            return ghost.hidden ? null : Math.round((ghost.getBoundingClientRect().left - bar.left) / bar.width * 1000);
        })";
        assert_eq!(page.script(ghosts, vec![]).await?, serde_json::json!([null, 500]));
        page.click("#reset").await?;
        is_shown(page, &WEEK[1]).await?;
        assert_eq!(page.script(hidden, vec![]).await?, true);
        assert_eq!(page.query().await?, "preset=lowered-0.50");
        page.client.back().await?;
        page.shows(".formula .result", "−15.903").await
    })
    .await;
}

#[tokio::test]
async fn reached_by_hand_it_is_the_current_one_too() {
    browse(Setting::new("by-hand"), async |page| {
        page.open("").await?;
        page.type_into("#field-f", "0.88").await?;
        is_shown(page, &WEEK[8]).await?;
        page.type_into("#field-f", "0.881").await?;
        page.until("none is current", "return !document.querySelector('[data-preset][aria-current]')").await
    })
    .await;
}

#[tokio::test]
async fn how_the_page_looks_survives_a_preset() {
    browse(Setting::new("preset-theme"), async |page| {
        page.open("theme=dark").await?;
        page.focus(&link(&WEEK[8])).await?;
        page.press(&[Key::Enter]).await?;
        is_shown(page, &WEEK[8]).await?;
        assert_eq!(page.query().await?, "preset=baseline-0.88&theme=dark");
        assert_eq!(page.attribute("html", "data-theme").await?.as_deref(), Some("dark"));
        Ok(())
    })
    .await;
}

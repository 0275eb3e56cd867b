//! What a reader sees first: the failing run, with the program, before it, and without it.

use browser_tests::{Engine, Page, Place, Result, Setting, WEEK, browse, week};

/// Parts whose text and place must be the same before and after the program takes over.
const PARTS: &str = ".printed, #headline, .lead, .bars, .bars__name, .bars__labels, .bars__bar, .segment, .edge, .ghost, \
                     .rest, .rest__fill, .rest__words, .tick, .formula, .formula th, .formula td, .formula__tokens, \
                     .control, .control input, .zones i, .more, .chips a, .caption, .since, #plot, .points, .share";

const DESKTOP: (u32, u32) = (1280, 900);
const PHONE: (u32, u32) = (360, 640);

/// The page opened with or without scripts, when it has come to rest.
async fn parts(page: &Page, scripts: bool) -> Result<Vec<Place>> {
    page.scripts(scripts).await?;
    page.visit("").await?;
    if scripts {
        page.runs().await?;
        page.settle().await?;
    }
    page.places(PARTS).await
}

async fn numbers(page: &Page) -> Result {
    page.shows("#headline", "short by 20.603 GiB").await?;
    page.shows("#headline", "0.770").await?;
    page.shows(".verdict", "42.300 GiB").await?;
    page.shows(".rest__words", "−20.603 GiB").await?;
    page.shows(".formula .result", "−20.603 GiB").await?;
    page.shows(".formula__tokens", &week::grouped(WEEK[0].tokens())).await?;
    page.shows(".bars", "42.300").await?;
    assert_eq!(page.attribute(".verdict", "data-verdict").await?.as_deref(), Some("cannot_start"));
    for (field, number) in [("f", "0.550"), ("total", "93.999"), ("avail", "21.697"), ("cell", "70272")] {
        assert_eq!(page.value(&format!("#field-{field}")).await?, number, "{field}");
    }
    Ok(())
}

#[tokio::test]
async fn it_opens_on_the_failing_run_and_writes_nothing_into_the_address() {
    browse(Setting::new("opens"), async |page| {
        let counted = "window.written = 0; for (const name of ['pushState', 'replaceState']) {
            const own = history[name]; history[name] = (...all) => { written += 1; return own.apply(history, all); }; }";
        page.before_all(counted).await?;
        page.open("").await?;
        numbers(page).await?;
        page.settle().await?;
        // Longer than edits take to reach the address: an edit that is undone must be the first thing written.
        page.type_into("#field-f", "0.56").await?;
        page.until("the edit is in the address", "return location.search === '?f=0.56'").await?;
        assert_eq!(page.script("return written", vec![]).await?, 1, "only the edit was written");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_same_numbers_stand_in_the_page_without_scripts() {
    browse(Setting::new("no-scripts"), async |page| {
        page.scripts(false).await?;
        page.visit("").await?;
        numbers(page).await?;
        // The other drivers cannot switch scripts off: there a policy forbids them, which browsers do not count as off.
        if page.setting.engine == Engine::Chromium {
            page.shows(".foot noscript", "JavaScript").await?;
        }
        assert!(!page.find("#slider-f").await?.is_enabled().await?, "a slider that does nothing says so");
        assert!(page.places("#plot svg").await?[0].width > 500.0, "the curve is a picture");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn everything_stays_where_it_was_when_the_program_takes_over() {
    for (width, height) in [DESKTOP, PHONE] {
        browse(Setting::new("in-place").size(width, height), async |page| {
            let before = parts(page, false).await?;
            let after = parts(page, true).await?;
            assert!(before.len() > 60, "only {} parts", before.len());
            assert_eq!(before.len(), after.len(), "no part comes or goes");
            let moved: Vec<_> = before.iter().zip(&after).filter(|(before, after)| !before.is_at(after)).collect();
            assert!(moved.is_empty(), "at {width} pixels: {moved:#?}");
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn nothing_jumps_while_the_page_opens() {
    for (width, height) in [DESKTOP, PHONE] {
        browse(Setting::new("shifts").size(width, height), async |page| {
            page.keep_shifts().await?;
            for query in ["f=0.88&avail=24.125&dyn=9.5&ctx=32768", "preset=bar-mappings-224mb", ""] {
                page.open(query).await?;
                assert_eq!(page.shifts().await?, [], "{query:?} at {width} pixels");
            }
            // A measure that never strikes would prove nothing.
            let jump = "const p = document.createElement('p'); p.textContent = 'late'; document.body.prepend(p)";
            page.script(jump, vec![]).await?;
            assert!(!page.shifts().await?.is_empty(), "a late paragraph is a jump");
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_sliders_do_not_run_away_while_the_fraction_moves() {
    for (width, height) in [DESKTOP, (768, 1024), PHONE] {
        browse(Setting::new("stays-put").size(width, height), async |page| {
            page.open("").await?;
            let sliders = ".bars, .bars__bar, .formula, [data-slider]";
            // Whoever types has scrolled to the field, and on a phone the bars are held in view.
            page.type_into("#field-f", "0.55").await?;
            page.settle().await?;
            let before = page.places(sliders).await?;
            for fraction in ["0.88", "0.5", "0", "1", "0.77"] {
                page.type_into("#field-f", fraction).await?;
                page.settle().await?;
                let after = page.places(sliders).await?;
                let moved: Vec<_> = before.iter().zip(&after).filter(|(before, after)| !before.is_at(after)).collect();
                assert!(moved.is_empty(), "{fraction} at {width} pixels: {moved:#?}");
            }
            Ok(())
        })
        .await;
    }
}

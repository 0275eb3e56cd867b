//! Movement: short, by transform only, and none for who asked for none.

use browser_tests::{Media, Page, Result, Setting, browse};

/// Moves the fraction to 0.88, lets the thumb go or holds it, and says which properties are then on their way.
async fn moving(page: &Page, held: bool) -> Result<Vec<String>> {
    let script = "return (async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        const slider = document.getElementById('slider-f');
        slider.value = 880;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        if (!arguments[0]) slider.dispatchEvent(new Event('change', { bubbles: true }));
        await frame(); await frame();
        return [...new Set(document.getAnimations().map((a) => a.transitionProperty ?? a.animationName))];
    })()";
    Ok(serde_json::from_value(page.script(script, vec![held.into()]).await?)?)
}

#[tokio::test]
async fn a_held_thumb_has_the_bars_under_it() {
    browse(Setting::new("held"), async |page| {
        page.open("").await?;
        page.settle().await?;
        assert_eq!(moving(page, true).await?, Vec::<String>::new());
        page.shows(".rest__words", "10.417 GiB").await
    })
    .await;
}

#[tokio::test]
async fn bars_move_by_transform_only_and_quickly() {
    browse(Setting::new("motion"), async |page| {
        page.open("").await?;
        page.settle().await?;
        assert_eq!(moving(page, false).await?, ["transform"]);
        let seconds: f64 = page.style(".segment", "transition-duration").await?.trim_end_matches('s').parse()?;
        assert!((0.15..=0.25).contains(&seconds), "{seconds} s");
        // Interrupted on its way it ends where it was sent last.
        page.script("const s = document.getElementById('slider-f'); s.value = 550; s.dispatchEvent(new Event('input', { bubbles: true }))", vec![]).await?;
        page.settle().await?;
        let script = "const bar = document.querySelector('.bars__handle').closest('.bars__bar').getBoundingClientRect();
            return document.querySelector('.segment[data-term=budget]').getBoundingClientRect().width / bar.width";
        let share = page.script(script, vec![]).await?.as_f64().unwrap_or_default();
        assert!((share - 0.55).abs() < 0.002, "{share}");
        // Nothing keeps moving.
        assert_eq!(page.script("return document.getAnimations().length", vec![]).await?, 0);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn whoever_wants_no_movement_gets_words() {
    let calm = Media { reduced_motion: true, ..Media::default() };
    browse(Setting::new("calm").media(calm), async |page| {
        page.open("").await?;
        page.settle().await?;
        assert_eq!(moving(page, false).await?, Vec::<String>::new());
        let script = "return [...document.querySelectorAll('*')].filter((e) => {
            const style = getComputedStyle(e);
            return style.transitionProperty !== 'none' && style.transitionDuration.split(', ').some((t) => parseFloat(t) > 0) || style.animationName !== 'none';
        }).map((e) => e.className)";
        assert_eq!(page.script(script, vec![]).await?, serde_json::json!([]));
        page.shows(".since", "was −20.603 GiB → is 10.417 GiB").await?;
        assert_eq!(page.style("html", "scroll-behavior").await?, "auto");
        Ok(())
    })
    .await;
}

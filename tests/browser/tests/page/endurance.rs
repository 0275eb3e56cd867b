//! A page that stays open all day holds no more than in the morning.

use browser_tests::{Setting, browse};

/// Moves the slider and goes through the presets, with a frame for the page after every twenty.
const USE: &str = "return (async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const slider = document.getElementById('slider-f'), chips = document.querySelectorAll('.chips a[data-preset]');
    for (let i = 0; i < arguments[0]; i += 1) {
        slider.value = (i * 37) % 1001;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        if (i % 20 === 19) await frame();
    }
    slider.dispatchEvent(new Event('change', { bubbles: true }));
    for (let i = 0; i < arguments[1]; i += 1) {
        chips[i % chips.length].click();
        if (i % 20 === 19) await frame();
    }
    return chips.length;
})()";

#[tokio::test]
async fn ten_thousand_moves_and_a_thousand_presets_leave_nothing_behind() {
    browse(Setting::new("endurance"), async |page| {
        page.listen("", "#slider-f").await?;
        page.open("").await?;
        // Code that ran often is compiled once more, which is no leak.
        let chips = page.script(USE, vec![500.into(), 50.into()]).await?;
        assert_eq!(chips, 9, "every preset is a chip");
        page.settle().await?;
        let before = page.memory().await?;
        assert!(before.program >= 1 << 16, "the program's memory is seen: {before:?}");
        page.script(USE, vec![10_000.into(), 1_000.into()]).await?;
        page.settle().await?;
        let after = page.memory().await?;
        assert_eq!(after.program, before.program, "the program's memory has grown");
        assert!(after.heap <= before.heap + 256 * 1024, "{before:?}, {after:?}");
        // A measure that sees nothing would prove nothing.
        page.script("window.kept = Array.from({ length: 100_000 }, (_, i) => ({ i }))", vec![]).await?;
        assert!(page.memory().await?.heap > after.heap + 256 * 1024, "a list of a hundred thousand is seen");
        // And the page is still the page.
        page.click(".chips a[data-preset='baseline-0.88']").await?;
        page.shows("#headline", "159,171").await
    })
    .await;
}

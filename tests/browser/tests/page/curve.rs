//! The curve: crisp, true to theme and size, readable by mouse, keyboard and table.

use browser_tests::{Key, Media, Mouse, Page, Result, Setting, browse, look::Pixels};

const CANVAS: &str = "#plot canvas";

async fn read_out(page: &Page) -> Result<String> {
    page.text("#read-out").await
}

/// The fraction at the curve's cursor.
async fn cursor(page: &Page) -> Result<f64> {
    Ok(page.attribute("#plot", "aria-valuenow").await?.unwrap_or_default().parse()?)
}

fn is_crisp(pixels: &Pixels, scale: f64) {
    for (own, css) in [(pixels.width, pixels.css_width), (pixels.height, pixels.css_height)] {
        // The box may end within a pixel.
        assert!((f64::from(own) - css * scale).abs() <= 1.0, "{pixels:?} at {scale}");
    }
    assert!(pixels.drawn > 0.1 && pixels.colors > 5, "hardly anything is drawn: {pixels:?}");
}

#[tokio::test]
async fn it_is_crisp_on_every_screen_and_after_every_zoom() {
    for scale in [1.0, 2.0] {
        browse(Setting::new("crisp").scale(scale), async |page| {
            page.open("").await?;
            is_crisp(&page.pixels(CANVAS).await?, scale);
            // Zoom in and out, another window, another screen.
            for (width, height, scale) in [(853, 600, 1.5), (1920, 1080, 1.0), (640, 450, 2.0), (360, 640, 3.0)] {
                page.rescale(width, height, scale).await?;
                let crisp = format!(
                    "const c = document.querySelector('{CANVAS}'); return Math.abs(c.width - c.clientWidth * {scale}) <= 1"
                );
                page.until("the canvas fits", &crisp).await?;
                is_crisp(&page.pixels(CANVAS).await?, scale);
            }
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn it_is_drawn_anew_for_every_theme_and_number() {
    browse(Setting::new("redraw"), async |page| {
        page.open("").await?;
        let light = page.pixels(CANVAS).await?;
        page.emulate(Media::DARK).await?;
        let dark = page.pixels(CANVAS).await?;
        assert_ne!(light.digest, dark.digest, "dark has other colours");
        page.emulate(Media::default()).await?;
        assert_eq!(page.pixels(CANVAS).await?.digest, light.digest, "the same again, nothing left of the dark one");
        page.type_into("#field-f", "0.88").await?;
        page.shows("#headline", "159,171").await?;
        let moved = page.pixels(CANVAS).await?;
        assert_ne!(light.digest, moved.digest, "the point has moved");
        page.type_into("#field-f", "0.55").await?;
        page.shows("#headline", "20.603").await?;
        assert_eq!(page.pixels(CANVAS).await?.digest, light.digest, "drawings do not pile up");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_tap_takes_over_what_is_under_it() {
    browse(Setting::new("curve-tap"), async |page| {
        page.open("").await?;
        // A finger does not point before it taps, and has left when the click is told.
        let tap = "const p = document.getElementById('plot'), r = p.getBoundingClientRect();
            const at = { bubbles: true, clientX: r.left + r.width * arguments[0], clientY: r.top + 90 };
            for (const kind of ['pointerdown', 'pointerup', 'pointerleave']) p.dispatchEvent(new PointerEvent(kind, { ...at, pointerType: 'touch' }));
            p.dispatchEvent(new MouseEvent('click', at))";
        page.script(tap, vec![0.5.into()]).await?;
        page.until("the field follows", "return Math.abs(document.getElementById('field-f').value - 0.485) <= 0.005").await?;
        // A click without a place, as assistive technology makes it, is none of the plot's.
        page.script("document.getElementById('plot').click()", vec![]).await?;
        page.settle().await?;
        page.until("nothing changed", "return Math.abs(document.getElementById('field-f').value - 0.485) <= 0.005").await
    })
    .await;
}

#[tokio::test]
async fn the_mouse_reads_it_and_a_click_takes_over() {
    browse(Setting::new("curve-mouse"), async |page| {
        page.open("").await?;
        page.point_within("#plot", 0.5).await?;
        page.until("the cursor is there", "return !document.querySelector('.plot__cursor').hidden").await?;
        for share in [0.2, 0.5, 0.9] {
            page.point_within("#plot", share).await?;
            let script = format!("const p = document.getElementById('plot').getBoundingClientRect(), c = document.querySelector('.plot__cursor').getBoundingClientRect();
                return Math.abs(c.left - (p.left + p.width * {share})) <= 1.5");
            page.until("the line is under the pointer", &script).await?;
            let at = cursor(page).await?;
            assert!(read_out(page).await?.contains(&format!("{at}")), "the words are of the cursor's fraction");
        }
        // Outside the frame it stays within 0 and 1.
        page.point_within("#plot", 0.001).await?;
        page.until("the left end", "return document.getElementById('plot').ariaValueNow === '0'").await?;
        page.point_within("#plot", 0.999).await?;
        page.until("the right end", "return document.getElementById('plot').ariaValueNow === '1'").await?;
        page.point_within("#plot", 0.8).await?;
        let at = cursor(page).await?;
        page.mouse(&[Mouse::Down, Mouse::Up]).await?;
        page.until("the field follows", &format!("return Number(document.getElementById('field-f').value) === {at}")).await?;
        page.point_at("footer p").await?;
        page.until("the cursor goes", "return document.querySelector('.plot__cursor').hidden").await
    })
    .await;
}

#[tokio::test]
async fn the_keyboard_reads_it_and_enter_takes_over() {
    browse(Setting::new("curve-keys"), async |page| {
        page.open("").await?;
        page.focus("#plot").await?;
        for (key, at) in [
            (Key::Right, "0.555"),
            (Key::Left, "0.55"),
            (Key::PageDown, "0.50"),
            (Key::PageUp, "0.55"),
            (Key::Home, "0.00"),
            (Key::End, "1.00"),
            (Key::Down, "0.995"),
            (Key::Up, "1.00"),
        ] {
            page.press(&[key]).await?;
            let words = read_out(page).await?;
            assert!(words.starts_with(&format!("at {at}:")), "after {key:?}: {words}");
            assert_eq!(page.attribute("#plot", "aria-valuetext").await?.as_deref(), Some(words.as_str()));
        }
        // Everything that is free after the weights.
        assert_eq!(read_out(page).await?, "at 1.00: 21.697 GiB, 331,525 tokens");
        page.shows("#headline", "20.603").await?;
        page.press(&[Key::Escape]).await?;
        page.shows("#read-out", "at 0.55: −20.603 GiB, cannot start").await?;
        for _ in 0..7 {
            page.press(&[Key::PageUp]).await?;
        }
        for _ in 0..4 {
            page.press(&[Key::Left]).await?;
        }
        page.shows("#read-out", "at 0.88: 10.417 GiB, 159,171 tokens").await?;
        page.press(&[Key::Enter]).await?;
        page.shows("#headline", "159,171").await?;
        assert_eq!(page.focused().await?, "div#plot.plot", "the focus stays");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn its_axis_counts_tokens_or_gib() {
    browse(Setting::new("axis"), async |page| {
        page.open("").await?;
        let pressed = async |id: &str| page.attribute(&format!("#axis-{id}"), "aria-pressed").await;
        assert_eq!(pressed("tokens").await?.as_deref(), Some("true"));
        let tokens = page.pixels(CANVAS).await?;
        page.click("#axis-gib").await?;
        assert_eq!(pressed("gib").await?.as_deref(), Some("true"));
        assert_eq!(pressed("tokens").await?.as_deref(), Some("false"));
        assert_ne!(page.pixels(CANVAS).await?.digest, tokens.digest);
        page.click("#axis-tokens").await?;
        assert_eq!(page.pixels(CANVAS).await?.digest, tokens.digest);
        Ok(())
    })
    .await;
}

/// The table's row of a fraction.
async fn row(page: &Page, fraction: &str) -> Result<Vec<String>> {
    let script = "return [...document.querySelectorAll('#points-body tr')].map((row) => [...row.cells].map((cell) => cell.textContent))
        .find((cells) => cells[0] === arguments[0])";
    Ok(serde_json::from_value(page.script(script, vec![fraction.into()]).await?)?)
}

#[tokio::test]
async fn its_table_says_the_same() {
    browse(Setting::new("points"), async |page| {
        page.open("").await?;
        page.click("#points summary").await?;
        assert_eq!(page.count("#points-body tr").await?, 21, "from 0 to 1 in steps of 0.05");
        assert_eq!(row(page, "0.55").await?, ["0.55", "42.300", "−20.603", "cannot start"]);
        assert_eq!(row(page, "0.50").await?, ["0.50", "47.000", "−25.303", "cannot start"]);
        assert_eq!(row(page, "1.00").await?, ["1.00", "0.000", "21.697", "331,525 tokens"]);
        // It is the same point that the curve reads out.
        page.focus("#plot").await?;
        for _ in 0..7 {
            page.press(&[Key::PageUp]).await?;
        }
        let [fraction, _, rest, outcome] = row(page, "0.90").await?.try_into().map_err(|_| "a row has four cells")?;
        assert_eq!(read_out(page).await?, format!("at {fraction}: {rest} GiB, {outcome}"));
        // Open it follows; closed it is brought up to date when it is opened again.
        page.type_into("#field-total", "80").await?;
        page.until(
            "open",
            "return document.querySelector('#points-body tr:last-child').cells[1].textContent === '0.000'
            && document.querySelector('#points-body tr').cells[1].textContent === '80.000'",
        )
        .await?;
        page.click("#points summary").await?;
        page.type_into("#field-total", "90").await?;
        page.click("#points summary").await?;
        page.until("opened again", "return document.querySelector('#points-body tr').cells[1].textContent === '90.000'")
            .await
    })
    .await;
}

#[tokio::test]
async fn it_says_where_a_server_dies_later() {
    browse(Setting::new("curve-zones"), async |page| {
        page.open("f=0.88").await?;
        let open = page.pixels(CANVAS).await?;
        page.open("f=0.88&dyn=9.5").await?;
        assert_ne!(page.pixels(CANVAS).await?.digest, open.digest, "the upper zone is drawn");
        page.focus("#plot").await?;
        page.press(&[Key::End]).await?;
        page.shows("#read-out", "runs out of memory").await
    })
    .await;
}

#[tokio::test]
async fn its_legend_names_the_outcomes_that_there_are() {
    let shown = "return [...document.querySelectorAll('.legend span')].filter((e) => getComputedStyle(e).visibility === 'visible')
        .map((e) => e.textContent)";
    let (short, room, high) = ("cannot start", "starts", "starts, then runs out of memory");
    browse(Setting::new("legend"), async |page| {
        for (query, named) in [
            ("", vec![short, room]),
            ("dyn=9.5", vec![short, room, high]),
            ("dyn=30", vec![short, high]),
            ("avail=0", vec![short]),
        ] {
            page.open(query).await?;
            page.settle().await?;
            assert_eq!(page.script(shown, vec![]).await?, serde_json::json!(named), "{query}");
        }
        Ok(())
    })
    .await;
}

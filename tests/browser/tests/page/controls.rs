//! Sliders, their number fields, and the handle on the bar.

use browser_tests::{Key, Mouse, Page, Result, Setting, browse};

const WORKING: [&str; 2] = ["10.417 GiB", "159,171 tokens"];

async fn starts(page: &Page) -> Result {
    for words in WORKING {
        page.shows("#headline", words).await?;
    }
    assert_eq!(page.attribute(".verdict", "data-verdict").await?.as_deref(), Some("starts"));
    Ok(())
}

/// Moves a slider that has the focus by single steps: the last pixel, as a person would.
async fn nudge(page: &Page, css: &str, to: i32) -> Result {
    let at: i32 = page.value(css).await?.parse()?;
    let key = if at < to { Key::Right } else { Key::Left };
    for _ in 0..(at - to).abs() {
        page.press(&[key]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn typing_the_working_fraction_starts_the_server() {
    browse(Setting::new("typing"), async |page| {
        page.open("").await?;
        for (typed, said) in [("0.88", ""), ("88%", "0.88"), ("0,88", "0.88"), (" 88 % ", "0.88"), (".88", "")] {
            page.type_into("#field-f", "0.55").await?;
            page.shows("#headline", "20.603").await?;
            page.type_into("#field-f", typed).await?;
            starts(page).await.map_err(|error| format!("{typed}: {error}"))?;
            assert_eq!(page.value("#slider-f").await?, "880", "typed as {typed}");
            let note = page.words("#note-f").await?;
            assert!(if said.is_empty() { note.is_empty() } else { note.contains(said) }, "{typed}: {note}");
        }
        page.until("the address follows", "return location.search === '?f=0.88'").await
    })
    .await;
}

#[tokio::test]
async fn leaving_a_field_commits_it_and_escape_does_not() {
    browse(Setting::new("leaving"), async |page| {
        page.open("").await?;
        page.write_into("#field-f", "0.88").await?;
        page.shows("#headline", "20.603").await?;
        page.press(&[Key::Escape]).await?;
        assert_eq!(page.value("#field-f").await?, "0.550");
        page.press(&[Key::Tab]).await?;
        page.shows("#headline", "20.603").await?;
        page.write_into("#field-f", "0.88").await?;
        page.press(&[Key::Tab]).await?;
        starts(page).await
    })
    .await;
}

#[tokio::test]
async fn a_field_eats_nothing_that_is_typed_and_says_what_it_refuses() {
    browse(Setting::new("refuses"), async |page| {
        page.open("").await?;
        let mut typed = String::new();
        for key in ["-", ".", "x"] {
            page.find("#field-f").await?;
            if typed.is_empty() {
                page.write_into("#field-f", key).await?;
            } else {
                page.client.active_element().await?.send_keys(key).await?;
            }
            typed.push_str(key);
            assert_eq!(page.value("#field-f").await?, typed, "nothing is eaten");
        }
        assert_eq!(page.attribute("#field-f", "aria-invalid").await?, None, "nobody is scolded while typing");
        page.press(&[Key::Enter]).await?;
        assert_eq!(page.value("#field-f").await?, "-.x", "what was typed stays until it is mended");
        assert_eq!(page.attribute("#field-f", "aria-invalid").await?.as_deref(), Some("true"));
        let described = page.attribute("#field-f", "aria-describedby").await?.unwrap_or_default();
        let why = page.text(&format!("#{described}")).await?;
        assert!(why.contains("not a number") && why.contains("0 to 1"), "{why}");
        page.shows("#headline", "20.603").await?;
        page.press(&[Key::Escape]).await?;
        assert_eq!(page.value("#field-f").await?, "0.550");
        assert_eq!(page.attribute("#field-f", "aria-invalid").await?, None);
        assert_eq!(page.words("#note-f").await?, "");
        // Mended without Escape it is fine as well.
        page.type_into("#field-f", "nonsense").await?;
        page.type_into("#field-f", "0.88").await?;
        starts(page).await?;
        assert_eq!(page.attribute("#field-f", "aria-invalid").await?, None);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_note_goes_when_its_number_does() {
    browse(Setting::new("notes"), async |page| {
        page.open("").await?;
        for typed in ["nonsense", "60%"] {
            page.type_into("#field-f", typed).await?;
            page.until("it is noted", "return document.getElementById('note-f').textContent !== ''").await?;
            // Another number leaves the note alone, the same one takes it away, wherever it is changed.
            page.type_into("#field-cell", if typed == "60%" { "70272" } else { "70000" }).await?;
            page.shows(".formula__tokens", if typed == "60%" { "70,272" } else { "70,000" }).await?;
            page.settle().await?;
            assert_ne!(page.words("#note-f").await?, "", "{typed}");
            page.focus("#slider-f").await?;
            page.press(&[Key::Right]).await?;
            page.until("the note is gone", "return document.getElementById('note-f').textContent === ''").await?;
            assert_eq!(page.attribute("#field-f", "aria-invalid").await?, None);
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_number_outside_its_range_is_brought_inside_and_said() {
    browse(Setting::new("clamped"), async |page| {
        page.open("").await?;
        page.click(".more summary").await?;
        page.type_into("#field-page", "70000").await?;
        assert_eq!(page.value("#field-page").await?, "65536");
        page.shows("#note-page", "understood as 65536").await?;
        // Nobody means 1 by 88: it is refused, with what may be meant.
        page.type_into("#field-page", "1").await?;
        for (typed, said) in [("88", "a fraction is at most 1; 88 % is 0.88"), ("-1", "a fraction is not below 0")] {
            page.type_into("#field-f", typed).await?;
            page.shows("#note-f", said).await?;
            assert_eq!(page.attribute("#field-f", "aria-invalid").await?.as_deref(), Some("true"));
            assert_eq!(page.value("#field-f").await?, typed, "what is typed stays");
            page.shows("#headline", "short by 20.603 GiB").await?;
        }
        page.type_into("#field-cell", "0").await?;
        page.shows("#note-cell", "above 0").await?;
        assert_eq!(page.attribute("#field-cell", "aria-invalid").await?.as_deref(), Some("true"));
        // More memory after the weights than before them: said, with what to change, and nothing is lost.
        page.type_into("#field-avail", "95").await?;
        page.shows("#notices", "avail").await?;
        page.shows("#notices", "lower available or raise total").await?;
        page.type_into("#field-total", "96").await?;
        page.until("the notice is gone", "return document.getElementById('notices').hidden").await
    })
    .await;
}

#[tokio::test]
async fn dragging_the_slider_moves_the_verdict() {
    browse(Setting::new("dragging"), async |page| {
        page.open("").await?;
        page.grab("#slider-f", 0.88).await?;
        page.shows("#headline", "Starts with").await?;
        page.mouse(&[Mouse::Up]).await?;
        let dragged: i32 = page.value("#slider-f").await?.parse()?;
        assert!((870..=890).contains(&dragged), "dragged to {dragged}");
        nudge(page, "#slider-f", 880).await?;
        starts(page).await?;
        assert_eq!(page.value("#field-f").await?, "0.880");
        page.until("the address follows", "return location.search === '?f=0.88'").await
    })
    .await;
}

#[tokio::test]
async fn the_boundary_on_the_bar_is_a_handle() {
    browse(Setting::new("handle"), async |page| {
        page.open("").await?;
        page.drag(".bars__handle", 0.88).await?;
        page.shows("#headline", "Starts with").await?;
        let dragged: f64 = page.value("#field-f").await?.parse()?;
        assert!((dragged - 0.88).abs() < 0.01, "dragged to {dragged}");
        page.settle().await?;
        let script = "const edge = document.querySelector('.edge[data-from=budget-end]').getBoundingClientRect().left;
            const bar = document.querySelector('.bars__handle').closest('.bars__bar').getBoundingClientRect();
            return (edge - bar.left) / bar.width";
        let edge = page.script(script, vec![]).await?.as_f64().unwrap_or_default();
        assert!((edge - dragged).abs() < 0.002, "the boundary at {edge} stands where the handle was let go, {dragged}");
        assert_eq!(page.value("#slider-f").await?, page.value(".bars__handle").await?);
        assert_eq!(page.attribute(".bars__handle", "aria-hidden").await?.as_deref(), Some("true"));
        assert_eq!(page.attribute(".bars__handle", "tabindex").await?.as_deref(), Some("-1"));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn each_slider_is_worked_by_its_keys() {
    browse(Setting::new("slider-keys"), async |page| {
        page.open("").await?;
        // Where each stands, and the first and last step that it can be moved to.
        for (slider, start, first, last) in
            [("f", 550, 0, 1000), ("total", 940, 0, 3200), ("avail", 217, 0, 3200), ("cell", 265, 1, 1024)]
        {
            let css = format!("#slider-{slider}");
            page.focus(&css).await?;
            for (key, expected) in [
                (Key::Right, start + 1),
                (Key::Left, start),
                (Key::Up, start + 1),
                (Key::Down, start),
                (Key::PageUp, start + 10),
                (Key::PageDown, start),
                (Key::End, last),
                (Key::Home, first),
            ] {
                page.press(&[key]).await?;
                assert_eq!(page.value(&css).await?, expected.to_string(), "{slider} after {key:?}");
            }
        }
        Ok(())
    })
    .await;
}

async fn spoken(page: &Page) -> Result<String> {
    Ok(page.attribute("#slider-f", "aria-valuetext").await?.unwrap_or_default())
}

#[tokio::test]
async fn the_slider_speaks_the_consequence() {
    browse(Setting::new("spoken"), async |page| {
        page.open("").await?;
        assert_eq!(spoken(page).await?, "0.55: short by 20.603 GiB, will not start");
        page.type_into("#field-f", "0.88").await?;
        page.shows("#headline", "10.417").await?;
        let words = spoken(page).await?;
        assert!(words.starts_with("0.88: starts"), "{words}");
        assert!(WORKING.iter().all(|number| words.contains(number)), "{words}");
        // The announcement follows when the verdict stands still.
        page.until("the verdict is announced", "return announcement.textContent.includes('159,171')").await?;
        assert_eq!(page.attribute("#announcement", "role").await?.as_deref(), Some("status"));
        Ok(())
    })
    .await;
}

//! The scenario in the page: what it opens on, what sliders, fields and presets make of it.

use browser_tests::{Key, Setting, browse};

#[tokio::test]
async fn it_opens_on_the_failing_run() {
    browse(Setting::new("opens"), async |page| {
        page.open("").await?;
        page.shows("#headline", "20.603").await?;
        page.shows("#headline", "0.770").await?;
        page.shows(".verdict", "42.300").await?;
        assert_eq!(page.query().await?, "", "nothing is written into the address at first");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_numbers_stand_in_the_page_without_the_program() {
    let html = std::env::var_os("KV_BUDGET_DIST")
        .map(|folder| std::fs::read_to_string(folder.to_string_lossy().into_owned() + "/index.html"));
    let html = html.unwrap().unwrap();
    for number in ["20.603", "0.770", "42.300"] {
        assert!(html.contains(number), "{number} is missing");
    }
}

#[tokio::test]
async fn typing_the_working_fraction_starts_the_server() {
    browse(Setting::new("typing"), async |page| {
        page.open("").await?;
        for typed in ["0.88", "88%", "0,88"] {
            page.type_into("#field-f", "0.55").await?;
            page.shows("#headline", "20.603").await?;
            page.type_into("#field-f", typed).await?;
            page.shows("#headline", "10.417").await?;
            page.shows("#headline", "159,171").await?;
            assert_eq!(page.value("#slider-f").await?, "880", "typed as {typed}");
        }
        page.until("the address follows", "return location.search === '?f=0.88'").await
    })
    .await;
}

#[tokio::test]
async fn what_is_no_number_is_refused_and_escape_reverts() {
    browse(Setting::new("refuses"), async |page| {
        page.open("").await?;
        page.type_into("#field-f", "-.").await?;
        assert_eq!(page.value("#field-f").await?, "-.", "what was typed stays until it is mended");
        assert_eq!(page.attribute("#field-f", "aria-invalid").await?.as_deref(), Some("true"));
        page.press(&[Key::Escape]).await?;
        assert_eq!(page.value("#field-f").await?, "0.550");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn dragging_the_slider_moves_the_verdict() {
    browse(Setting::new("dragging"), async |page| {
        page.open("").await?;
        page.drag("#slider-f", 0.88).await?;
        let dragged: i32 = page.value("#slider-f").await?.parse()?;
        assert!((860..=900).contains(&dragged), "dragged to {dragged}");
        // The last pixel by keyboard, as a person would.
        page.focus("#slider-f").await?;
        let key = if dragged < 880 { Key::Right } else { Key::Left };
        for _ in 0..(dragged - 880).abs() {
            page.press(&[key]).await?;
        }
        page.shows("#headline", "159,171").await
    })
    .await;
}

#[tokio::test]
async fn the_slider_is_worked_by_keyboard_alone() {
    browse(Setting::new("keyboard"), async |page| {
        page.open("").await?;
        for _ in 0..60 {
            page.press(&[Key::Tab]).await?;
            if page.focused().await?.contains("#slider-f") {
                break;
            }
        }
        assert!(page.focused().await?.contains("#slider-f"), "Tab never reached the slider");
        for (key, expected) in [
            (Key::Right, "551"),
            (Key::Left, "550"),
            (Key::PageUp, "560"),
            (Key::PageDown, "550"),
            (Key::End, "1000"),
            (Key::Home, "0"),
        ] {
            page.press(&[key]).await?;
            assert_eq!(page.value("#slider-f").await?, expected, "after {key:?}");
        }
        let spoken = page.attribute("#slider-f", "aria-valuetext").await?.unwrap_or_default();
        assert!(spoken.contains("will not start"), "{spoken}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn each_preset_opens_by_its_link() {
    let presets = [
        ("custom-allreduce-0.55", "20.603"),
        ("lowered-0.50", "25.303"),
        ("misread-physical-96", "21.500"),
        ("by-hand-0.55", "20.590"),
        ("by-hand-0.88", "10.430"),
        ("baseline-0.88", "10.417"),
    ];
    browse(Setting::new("presets"), async |page| {
        page.open("").await?;
        for (id, rest) in presets {
            let link = format!(".chips a[href*='{id}'], .chips a[href='?']");
            let link = if id == "custom-allreduce-0.55" { ".chips li:first-child a".to_owned() } else { link };
            page.click(&link).await?;
            page.shows("#headline", rest).await.map_err(|error| format!("{id}: {error}"))?;
        }
        Ok(())
    })
    .await;
}

//! The story in nine steps and the start-up in five: by keyboard, by address, in both languages; and the plain pages of
//! the same.

use browser_tests::{Key, Media, Page, Result, Setting, browse};

/// Each step: its address, what is left at it, and something that only it tells.
const STEPS: [(&str, &str, &str); 9] = [
    ("step=1", "−20.603", "122"),
    ("step=2", "−20.603", "--mem-fraction-static"),
    ("f=0.5&step=3", "−25.303", "47.000 GiB"),
    ("total=96&avail=21.7&step=4", "−21.500", "−55.0 MiB"),
    ("total=93.9755625&avail=21.6735625&step=5", "−20.615", "−123.2 MiB"),
    ("step=6", "−20.603", "max_tokens=-314811"),
    ("step=7", "−20.603", "NCCL"),
    ("f=0.88&step=8", "10.417", "−31.020 GiB"),
    ("step=9", "−20.603", "0.7692"),
];

const LANGUAGES: [(&str, &str); 2] = [("en", "en"), ("zh", "zh-Hans")];

/// With the language as the address has it.
fn address(query: &str, lang: &str) -> String {
    format!("{query}&lang={lang}")
}

/// The step is there, and the whole page with it.
async fn is_at(page: &Page, step: usize, tag: &str) -> Result {
    let (_, rest, told) = STEPS[step];
    page.until(
        "the step is told",
        &format!("return document.querySelector('#story-at-{}')?.checked === true", step + 1),
    )
    .await?;
    page.shows("#story-told", told).await?;
    page.shows(".formula .result", rest).await?;
    assert_eq!(page.attribute("#story-told", "lang").await?.as_deref(), Some(tag));
    Ok(())
}

#[tokio::test]
async fn told_by_keyboard_alone_in_both_languages() {
    for (lang, tag) in LANGUAGES {
        browse(Setting::new(&format!("story-keyboard-{lang}")), async |page| {
            page.open(&format!("lang={lang}")).await?;
            page.focus("#story > summary").await?;
            page.press(&[Key::Enter]).await?;
            is_at(page, 0, tag).await?;
            for (step, (query, ..)) in STEPS.iter().enumerate().skip(1) {
                page.focus("#story-next").await?;
                page.press(&[Key::Enter]).await?;
                is_at(page, step, tag).await?;
                assert_eq!(page.query().await?, address(query, lang));
                assert_eq!(page.focused().await?, "h3#story-title", "reading goes on at the heading");
            }
            assert_eq!(page.count("#story-next").await?, 0, "the last step has no next one");
            // Each step is an entry of the history.
            for step in (1..STEPS.len() - 1).rev() {
                page.client.back().await?;
                is_at(page, step, tag).await?;
            }
            page.client.back().await?;
            is_at(page, 0, tag).await?;
            page.client.forward().await?;
            is_at(page, 1, tag).await
        })
        .await;
    }
}

#[tokio::test]
async fn each_step_opens_by_its_address_in_both_languages() {
    browse(Setting::new("story-addresses").size(1280, 800), async |page| {
        for (lang, tag) in LANGUAGES {
            for (step, (query, ..)) in STEPS.iter().enumerate() {
                page.open(&format!("step={}&lang={lang}", step + 1)).await?;
                is_at(page, step, tag).await?;
                page.until("the address is whole", &format!("return location.search === '?{}'", address(query, lang))).await?;
                page.has_every_style().await?;
                page.until("reading begins there", "return document.activeElement.id === 'story-title'").await?;
                page.settle().await?;
                // The one picture stays in view, and hides neither the heading nor where one is.
                let script = "const box = (css) => document.querySelector(css).getBoundingClientRect();
                    const bars = box('.bars'), title = box('#story-title'), row = box('.story__row');
                    return [bars.top >= -1, bars.bottom <= row.top + 1, row.bottom <= title.top, title.bottom < innerHeight * 0.6]";
                let fits = page.script(script, vec![]).await?;
                assert_eq!(fits, serde_json::json!([true, true, true, true]), "step {} in {lang}", step + 1);
            }
        }
        Ok(())
    })
    .await;
}

/// The bars stay in view above the open story, and must not stand on its beginning.
#[tokio::test]
async fn a_link_to_the_story_shows_its_heading() {
    browse(Setting::new("story-link"), async |page| {
        page.open("").await?;
        page.click("nav a[href='#story']").await?;
        page.find("#story-body h3").await?;
        let clear = "const [bars, heading] = ['.bars', '#story h2'].map((css) => document.querySelector(css).getBoundingClientRect());
            return getComputedStyle(document.querySelector('.bars')).position === 'sticky'
                && heading.top >= bars.bottom && heading.bottom < innerHeight";
        page.until("the heading stands under the bars", clear).await
    })
    .await;
}

#[tokio::test]
async fn the_arrows_move_between_the_steps() {
    browse(Setting::new("story-arrows"), async |page| {
        page.open("step=1&lang=en").await?;
        is_at(page, 0, "en").await?;
        page.focus("#story-at-1").await?;
        for (key, step) in [(Key::Right, 1), (Key::Right, 2), (Key::Left, 1), (Key::Right, 2), (Key::Right, 3)] {
            page.press(&[key]).await?;
            is_at(page, step, "en").await?;
            page.until(
                "the row keeps the focus",
                &format!("return document.activeElement.id === 'story-at-{}'", step + 1),
            )
            .await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_bars_answer_the_bet() {
    browse(Setting::new("story-bet"), async |page| {
        page.open("step=2&lang=en").await?;
        is_at(page, 1, "en").await?;
        page.focus("#story-bet-lower").await?;
        page.press(&[Key::Enter]).await?;
        page.shows("#story-said", "−25.303 GiB. That was their bet, too.").await?;
        page.shows(".formula .result", "−25.303").await?;
        page.click("#story-bet-raise").await?;
        page.shows(
            "#story-said",
            "Still short, but less. Each 0.01 gives 0.940 GiB back, and from 0.770 on the server starts.",
        )
        .await?;
        page.shows(".formula .result", "−15.903").await?;
        page.shows(".story__now", "short by 15.903 GiB").await?;
        page.until("the address follows", "return location.search === '?f=0.6&step=2&lang=en'").await?;
        // Nobody has to bet.
        page.click("#story-next").await?;
        is_at(page, 2, "en").await
    })
    .await;
}

#[tokio::test]
async fn numbers_are_typed_in_the_sentence_and_follow_the_page() {
    browse(Setting::new("story-numbers"), async |page| {
        page.open("step=3&lang=en").await?;
        is_at(page, 2, "en").await?;
        page.write_into("#story-type-f", "0.88").await?;
        page.shows(".story__now", "10.417 GiB are left for the KV cache, 159,171 tokens: the server starts").await?;
        page.shows("#headline", "Starts with 10.417 GiB").await?;
        assert_eq!(page.value("#field-f").await?, "0.880");
        assert_eq!(page.focused().await?, "input#story-type-f.story__number", "who types goes on typing");
        assert_eq!(page.value("#story-type-f").await?, "0.88");
        // An arrow key moves it in place.
        page.press(&[Key::Down]).await?;
        page.shows(".story__now", "9.947 GiB").await?;
        // And from elsewhere on the page.
        page.type_into("#field-f", "0.6").await?;
        page.shows(".story__now", "short by 15.903 GiB").await?;
        page.until("the number in the sentence too", "return document.getElementById('story-type-f').value === '0.60'")
            .await
    })
    .await;
}

#[tokio::test]
async fn whoever_leaves_finds_back() {
    browse(Setting::new("story-back"), async |page| {
        page.open("step=5&lang=en").await?;
        is_at(page, 4, "en").await?;
        assert_eq!(page.count("#story-return").await?, 0);
        page.click("[name='take=bar-mappings-224mb']").await?;
        page.shows(".story__now", "−20.723 GiB; it moved by −123.2 MiB").await?;
        page.shows(".formula .result", "−20.723").await?;
        assert_eq!(page.attribute("[name='take=bar-mappings-224mb']", "aria-pressed").await?.as_deref(), Some("true"));
        // The focus is never hidden behind the bars.
        page.focus(".chips a[data-preset='baseline-0.88']").await?;
        page.settle().await?;
        let script = "const bars = document.querySelector('.bars').getBoundingClientRect();
            return document.activeElement.getBoundingClientRect().top >= bars.bottom";
        assert_eq!(page.script(script, vec![]).await?, true);
        page.press(&[Key::Enter]).await?;
        page.shows(".story__away", "The bars above show your own numbers.").await?;
        page.shows("#story-title", "24 MiB against 20.603 GiB").await?;
        page.click("#story-return").await?;
        is_at(page, 4, "en").await?;
        page.until("there is nothing to return to", "return !document.getElementById('story-return')").await
    })
    .await;
}

#[tokio::test]
async fn the_puzzles_are_checked() {
    browse(Setting::new("story-puzzles"), async |page| {
        page.open("step=9&lang=en").await?;
        is_at(page, 8, "en").await?;
        let state = |number: u32| format!(".story__puzzles li:nth-child({number}) .story__state");
        page.shows(&state(1), "✗ it does not start yet").await?;
        page.write_into("#story-type-f", "0.77").await?;
        page.shows(&state(1), "✓ solved").await?;
        page.shows(&state(2), "✗ there is room for 0 of 4 requests").await?;
        page.write_into("#story-type-f", "0.92").await?;
        page.shows(&state(2), "✗ only 7.520 GiB are set aside").await?;
        page.write_into("#story-type-f", "0.87").await?;
        page.shows(&state(2), "✓ solved").await?;
        page.click("#story-claim-1").await?;
        page.shows("#story-claimed-1", "One can: anything from 0.861 to 0.904.").await?;
        page.click("#story-claim-2").await?;
        page.shows("#story-claimed-2", "Right. The room takes at least 0.952, the graphs leave at most 0.936.").await?;
        page.write_into("#story-type-cell", "35136").await?;
        page.shows(&state(3), "✓ solved, and not by the fraction alone").await
    })
    .await;
}

#[tokio::test]
async fn the_language_is_chosen_and_kept() {
    browse(Setting::new("story-language"), async |page| {
        page.open("step=8&lang=en").await?;
        is_at(page, 7, "en").await?;
        page.click("#story-in-zh").await?;
        is_at(page, 7, "zh-Hans").await?;
        page.shows("#story-title", "两份日志，并排来看").await?;
        page.shows(".story__beliefs", "不成立：").await?;
        page.until("the address keeps it", "return location.search === '?f=0.88&step=8&lang=zh'").await?;
        assert_eq!(page.attribute("#story-in-zh", "aria-pressed").await?.as_deref(), Some("true"));
        page.click("#story-in-en").await?;
        is_at(page, 7, "en").await
    })
    .await;
}

#[tokio::test]
async fn the_start_up_with_the_numbers_of_the_bars() {
    browse(Setting::new("walk"), async |page| {
        page.open("walk=1&lang=en").await?;
        page.until("reading begins there", "return document.activeElement.id === 'walk-title'").await?;
        page.shows("#walk-title", "Step 1 of 5").await?;
        page.shows(".walk__legend", "free 93.999 GiB").await?;
        let told: [(&str, &[&str]); 4] = [
            ("Step 2 of 5", &["weights 72.302 GiB", "free 21.697 GiB", "mem usage=72.30 GB"]),
            (
                "Step 3 of 5",
                &["missing −20.603 GiB", "set aside 42.300 GiB", "Raise --mem-fraction-static above 0.770"],
            ),
            ("Step 4 of 5", &["This server does not get here. From 0.770 on it would."]),
            ("Step 5 of 5", &["13.9 GiB", "input logprobs"]),
        ];
        for (title, words) in told {
            page.focus("#walk-next").await?;
            page.press(&[Key::Enter]).await?;
            page.shows("#walk-title", title).await?;
            for words in words {
                page.shows("#walk-body", words).await?;
            }
            assert_eq!(page.focused().await?, "h3#walk-title");
        }
        assert_eq!(page.query().await?, "walk=5&lang=en");
        page.click("[id='walk-take-baseline-0.88']").await?;
        page.shows(".walk__legend", "KV pool 10.417 GiB").await?;
        page.shows("#walk-body", "Memory pool end. avail mem=11.28 GB").await?;
        page.type_into("#field-f", "0.8").await?;
        page.shows(".walk__legend", "KV pool 2.897 GiB").await?;
        page.client.back().await?;
        page.shows("#walk-title", "Step 4 of 5").await
    })
    .await;
}

#[tokio::test]
async fn it_fits_and_breaks_no_rule() {
    let light = Media::default();
    for (name, width, media, lang) in [
        ("story-axe", 1280, light, "en"),
        ("story-axe-dark", 1280, Media::DARK, "zh"),
        ("story-phone", 320, light, "en"),
        ("story-phone-dark", 360, Media::DARK, "zh"),
        ("story-forced", 1280, Media { forced_colors: true, ..light }, "en"),
    ] {
        browse(Setting::new(name).size(width, 800).media(media), async |page| {
            for step in 1..=9 {
                page.open(&format!("step={step}&walk={}&lang={lang}", step.min(5))).await?;
                is_at(page, step - 1, if lang == "en" { "en" } else { "zh-Hans" }).await?;
                page.until("the walk is there", "return !!document.getElementById('walk-title')").await?;
                page.has_every_style().await?;
                page.is_accessible().await.map_err(|error| format!("step {step}: {error}"))?;
                assert_eq!(page.sideways().await?, Vec::<String>::new(), "step {step}");
                assert_eq!(page.cut_off().await?, Vec::<String>::new(), "step {step}");
            }
            // Large enough for a finger.
            let script = "return [...document.querySelectorAll(':is(#story, #walk) :is(button, input, summary)')]
                .filter((e) => e.checkVisibility() && e.type !== 'hidden').map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
                .filter(([, r]) => r.width < 24 || r.height < 24).map(([e, r]) => [e, r.width, r.height])";
            assert_eq!(page.script(script, vec![]).await?, serde_json::json!([]));
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_plain_pages_run_nothing() {
    browse(Setting::new("plain-pages"), async |page| {
        for (name, heading, words) in [
            (
                "reference.html",
                "The KV-cache budget of an SGLang server",
                "−314,803 = ⌊−22,121,819,616 bytes ÷ 70,272⌋",
            ),
            ("zh/reference.html", "SGLang 服务的 KV cache 预算", "−314,803 = ⌊−22,121,819,616 bytes ÷ 70,272⌋"),
            ("story.html", "The case of the negative memory", "max_tokens=-314811"),
            ("zh/story.html", "负显存疑案", "max_tokens=-314811"),
        ] {
            page.client.goto(&(page.base() + name)).await?;
            page.shows("h1", heading).await?;
            page.shows("main", words).await?;
            assert_eq!(page.count("script:not([data-injected])").await?, 0);
            page.is_accessible().await.map_err(|error| format!("{name}: {error}"))?;
            assert_eq!(page.sideways().await?, Vec::<String>::new(), "{name}");
            // No link leads away.
            let outside =
                "return [...document.links].filter((a) => !a.href.startsWith(arguments[0])).map((a) => a.href)";
            assert_eq!(page.script(outside, vec![page.base().into()]).await?, serde_json::json!([]), "{name}");
        }
        // From the page to each of them and back.
        page.open("").await?;
        page.click(".foot a[href='reference.html']").await?;
        page.shows("h1", "The KV-cache budget").await?;
        page.click("nav a[href='story.html']").await?;
        page.shows("h1", "The case of the negative memory").await?;
        page.click("nav a[lang='zh-Hans']").await?;
        page.shows("h1", "负显存疑案").await?;
        page.click("nav a[href='reference.html']").await?;
        page.shows("h1", "SGLang 服务").await?;
        page.client.goto(&(page.base() + "story.html")).await?;
        page.click("a[href='./?f=0.5&step=3']").await?;
        page.runs().await?;
        page.shows("#story-title", "Lowered to 0.50").await
    })
    .await;
}

#[tokio::test]
async fn the_plain_pages_fit_a_phone_and_paper() {
    for (name, media) in [("plain-phone", Media::DARK), ("plain-print", Media { print: true, ..Media::default() })] {
        browse(Setting::new(name).size(if media.print { 794 } else { 360 }, 740).media(media), async |page| {
            for name in ["reference.html", "zh/story.html", "story.html"] {
                page.client.goto(&(page.base() + name)).await?;
                page.find("h1").await?;
                assert_eq!(page.sideways().await?, Vec::<String>::new(), "{name}");
            }
            Ok(())
        })
        .await;
    }
}

/// A laptop, the same at 200 %, a phone, and a phone that lies on its side.
#[tokio::test]
async fn each_step_has_its_picture_in_view() {
    for (width, height) in [(1280, 720), (640, 400), (360, 640), (844, 390)] {
        browse(Setting::new("story-picture").size(width, height), async |page| {
            let seen = "const [picture, title] = [...arguments].map((css) => document.querySelector(css)?.getBoundingClientRect());
                return !!picture && !!title && picture.top >= 0 && picture.bottom <= title.top + 1 && title.bottom <= innerHeight";
            let until = async |picture: &str, title: &str, what: String| -> Result {
                for _ in 0..200 {
                    if page.script(seen, vec![picture.into(), title.into()]).await? == true {
                        return Ok(());
                    }
                    tokio::time::sleep(std::time::Duration::from_millis(30)).await;
                }
                Err(what.into())
            };
            for step in 1..=5 {
                page.open(&format!("walk={step}")).await?;
                until(".walk__picture", "#walk-title", format!("walk {step} at {width} by {height}")).await?;
            }
            for step in 1..=9 {
                page.open(&format!("step={step}")).await?;
                until(".bars", "#story-title", format!("step {step} at {width} by {height}")).await?;
            }
            page.focus("#story-back").await?;
            page.press(&[Key::Enter]).await?;
            is_at(page, 7, "en").await?;
            until(".bars", "#story-title", "after a button".to_owned()).await
        })
        .await;
    }
}

//! For everyone: the rules of accessibility, in every state that the page can be in.

use browser_tests::{Media, Page, Result, Setting, browse};

/// One query for each verdict, and one with notices.
const STATES: [&str; 5] = ["", "f=0.88", "f=0.92&dyn=9.5&ctx=32768", "dyn=30", "f=NaN&colour=blue&avail=95"];

const LIGHT: Media = Media { dark: false, reduced_motion: false, forced_colors: false, print: false };

/// No rule is broken in any of these states, with every part open.
async fn every_state(page: &Page) -> Result {
    for query in STATES {
        page.open(query).await?;
        page.unfold().await?;
        page.is_accessible().await.map_err(|error| format!("{query:?}: {error}"))?;
    }
    Ok(())
}

#[tokio::test]
async fn no_rule_is_broken_by_any_verdict_in_light() {
    browse(Setting::new("axe-light"), every_state).await;
}

#[tokio::test]
async fn no_rule_is_broken_by_any_verdict_in_the_dark() {
    browse(Setting::new("axe-dark").media(Media::DARK), every_state).await;
}

#[tokio::test]
async fn no_rule_is_broken_with_colours_of_the_readers_own() {
    for dark in [false, true] {
        browse(Setting::new("axe-forced").media(Media { forced_colors: true, dark, ..LIGHT }), async |page| {
            page.open("f=0.92&dyn=9.5").await?;
            page.unfold().await?;
            page.is_accessible().await?;
            // Pieces of the bars are told apart by more than backgrounds, which are gone here.
            let piece = async |term: &str| page.style(&format!(".segment[data-term={term}]"), "background").await;
            assert_ne!(piece("weights").await?, piece("available").await?);
            assert_ne!(piece("budget").await?, piece("reserved").await?);
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn no_rule_is_broken_on_a_phone() {
    for media in [LIGHT, Media::DARK] {
        browse(Setting::new("axe-phone").size(360, 640).media(media), async |page| {
            page.open("").await?;
            page.is_accessible().await?;
            page.type_into("#field-f", "nonsense").await?;
            page.type_into("#field-total", "1%").await?;
            page.focus("#plot").await?;
            page.is_accessible().await
        })
        .await;
    }
}

#[tokio::test]
async fn no_rule_is_broken_with_every_section_open() {
    for media in [LIGHT, Media::DARK, Media { forced_colors: true, ..LIGHT }] {
        browse(Setting::new("axe-everything").media(media), async |page| {
            page.open("preset=baseline-0.88&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8&step=2&walk=3").await?;
            for section in ["story", "walk", "log", "plan", "engines", "share-more"] {
                page.script("document.getElementById(arguments[0]).open = true", vec![section.into()]).await?;
                page.until(
                    "the section is filled",
                    &format!("return !!document.querySelector('#{section}-body').childElementCount"),
                )
                .await?;
            }
            page.has_every_style().await?;
            page.click("button[name=sample-both]").await?;
            page.shows("#log-versus", "0.88").await?;
            page.unfold().await?;
            page.is_accessible().await
        })
        .await;
    }
}

#[tokio::test]
async fn names_say_what_is_seen() {
    browse(Setting::new("names"), async |page| {
        page.open("").await?;
        page.unfold().await?;
        // The visible label is part of the accessible name, so that it can be spoken to.
        let script = "return [...document.querySelectorAll('.control')].flatMap((control) => {
            const seen = control.querySelector('label').textContent;
            return [...control.querySelectorAll('input')].filter((input) => {
                const name = input.ariaLabel ?? input.labels[0]?.textContent ?? '';
                return !name.includes(seen) || !input.ariaDescribedByElements?.length;
            }).map((input) => input.id);
        })";
        assert_eq!(page.script(script, vec![]).await?, serde_json::json!([]));
        let summary = page.words(".bars figcaption").await?;
        for number in ["93.999 GiB", "42.300 GiB", "−20.603 GiB"] {
            assert!(summary.contains(number), "the bars in words: {summary}");
        }
        assert_eq!(page.attribute("html", "lang").await?.as_deref(), Some("en"));
        Ok(())
    })
    .await;
}

//! Addresses that are broken: each bad value costs its own field only, and is named.

use browser_tests::{Page, Result, Setting, browse};

/// The fields that the notice names, in its order.
async fn named(page: &Page) -> Result<Vec<String>> {
    let script = "return [...document.querySelectorAll('#notices:not([hidden]) li')].map((item) => item.textContent.split(': ')[0])";
    Ok(serde_json::from_value(page.script(script, vec![]).await?)?)
}

async fn is_whole(page: &Page) -> Result {
    page.shows("#headline", ".").await?;
    assert_eq!(page.attribute("#crash", "hidden").await?.as_deref(), Some(""));
    let verdict = page.attribute(".verdict", "data-verdict").await?.unwrap_or_default();
    assert!(["starts", "cannot_start", "too_high", "no_fraction_works"].contains(&verdict.as_str()), "{verdict}");
    Ok(())
}

#[tokio::test]
async fn a_broken_value_costs_only_its_field_and_is_named() {
    // The default fraction stays, unless the notice says which one was used.
    let broken: [(&str, &[&str], &str); 15] = [
        ("f=NaN&avail=30", &["f"], "0.550"),
        ("f=inf&avail=30", &["f"], "0.550"),
        ("f=1e999&avail=30", &["f"], "0.550"),
        ("f=0,55&avail=30", &["f"], "0.550"),
        ("f=55%25&avail=30", &["f"], "0.550"),
        ("f=55%&avail=30", &["f"], "0.550"),
        ("f=%ZZ&avail=30", &["f"], "0.550"),
        ("f=%FF&avail=30", &["f"], "0.550"),
        ("f=&avail=30", &["f"], "0.550"),
        ("f=\u{ff10}.\u{ff15}&avail=30", &["f"], "0.550"),
        ("f=7&avail=30", &["f"], "1.000"),
        ("f=0.6&avail=30&f=0.7", &["f"], "0.700"),
        ("preset=unheard-of&f=0.6&avail=30", &["preset"], "0.600"),
        ("avail=30&colour=blue&f=0.6", &["colour"], "0.600"),
        ("cell=0&total=lots&avail=30&page=1.5&f=x", &["f", "total", "cell", "page"], "0.550"),
    ];
    browse(Setting::new("broken"), async |page| {
        for (query, fields, fraction) in broken {
            page.open(query).await?;
            assert_eq!(named(page).await?, fields, "{query}");
            assert_eq!(page.value("#field-f").await?, fraction, "{query}");
            assert_eq!(page.value("#field-avail").await?, "30.000", "{query}: nothing else is lost");
            is_whole(page).await.map_err(|error| format!("{query}: {error}"))?;
        }
        // The notice is about the address: another scenario has none.
        page.click(".chips a[data-preset='baseline-0.88']").await?;
        page.shows("#headline", "159,171").await?;
        assert_eq!(named(page).await?, Vec::<String>::new());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn contradictions_are_named_too() {
    browse(Setting::new("contradictions"), async |page| {
        for (query, field, words) in [
            ("avail=95", "avail", "lower available or raise total"),
            ("ranks=21.7,20.9&avail=22", "avail", "20.900 GiB"),
            ("sglang=0.5.8", "sglang", "0.5.3"),
        ] {
            page.open(query).await?;
            assert_eq!(named(page).await?, [field], "{query}");
            page.shows("#notices", words).await?;
            is_whole(page).await?;
        }
        // The fullest GPU counts.
        page.open("ranks=21.7,20.9,21.5").await?;
        assert_eq!(named(page).await?, Vec::<String>::new());
        assert_eq!(page.value("#field-avail").await?, "20.900");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn no_junk_stops_the_page() {
    let kilobytes = |count: usize| "x".repeat(count * 1000);
    let long_value = format!("f={}", kilobytes(50));
    let many_keys: String = (0..4000).map(|key| format!("k{key}=1&")).collect();
    let junk: [(&str, usize); 9] = [
        ("&&&===???", 1),
        ("%", 1),
        ("%00=%00&\u{202e}=1", 2),
        (&kilobytes(50), 1),
        (&long_value, 1),
        (&many_keys, 21),
        ("<img src=x onerror=alert(1)>=<script>alert(1)</script>", 1),
        ("f=<img src=x onerror=alert(1)>", 1),
        ("v=99", 1),
    ];
    browse(Setting::new("junk"), async |page| {
        for (query, notices) in junk {
            let start: String = query.chars().take(40).collect();
            page.open(query).await.map_err(|error| format!("{start}: {error}"))?;
            page.shows("#headline", "20.603").await?;
            is_whole(page).await?;
            assert_eq!(named(page).await?.len(), notices, "{start}");
            assert_eq!(page.sideways().await?, Vec::<String>::new(), "{start}");
            assert_eq!(page.count("#notices img, #notices script").await?, 0, "text from outside is text");
        }
        // A server may refuse so long an address; behind # it never gets there.
        let behind_the_hash = format!("{}#f=0.88&x={}", page.base(), kilobytes(100));
        page.client.goto("about:blank").await?;
        page.client.goto(&behind_the_hash).await?;
        page.runs().await?;
        page.shows("#headline", "159,171").await?;
        assert_eq!(named(page).await?, ["x"]);
        is_whole(page).await
    })
    .await;
}

#[tokio::test]
async fn extreme_numbers_are_shown_whole() {
    let extremes = [
        "f=0&total=0&avail=0",
        "f=1&total=4096&avail=4096&cell=0.001",
        "f=0&total=4096&avail=0&cell=0.000000001",
        "f=0.123456789&total=4095.123456789&avail=1.987654321&cell=8294.4",
        "f=1&page=65536&cap=9007199254740992&ctx=9007199254740992&dyn=4096",
    ];
    browse(Setting::new("extremes").size(320, 640), async |page| {
        for query in extremes {
            page.open(query).await?;
            is_whole(page).await?;
            page.unfold().await?;
            let text = page.text("main").await?;
            assert!(!text.contains("NaN") && !text.contains("inf"), "{query}: {text}");
            assert_eq!(named(page).await?, Vec::<String>::new(), "{query}: everything is within its range");
            assert_eq!(page.sideways().await?, Vec::<String>::new(), "{query}");
        }
        Ok(())
    })
    .await;
}

//! The scenario in the address: shared, restored, broken, and left alone.

use browser_tests::{Setting, browse};

#[tokio::test]
async fn a_shared_address_opens_the_same_state_elsewhere() {
    let shared = std::sync::Mutex::new(String::new());
    browse(Setting::new("share"), async |page| {
        page.open("").await?;
        page.type_into("#field-f", "0.81").await?;
        page.type_into("#field-cell", "35136").await?;
        page.until("the address follows", "return location.search.includes('cell=35136')").await?;
        let address = page.value("#address").await?;
        assert!(address.starts_with(&page.base()), "{address}");
        let query = page.query().await?;
        assert!(address.ends_with(&query), "{address} against {query}");
        *shared.lock().unwrap() = query;
        Ok(())
    })
    .await;
    let query = shared.into_inner().unwrap();
    browse(Setting::new("shared"), async |page| {
        page.open(&query).await?;
        assert_eq!(page.value("#field-f").await?, "0.810");
        assert_eq!(page.value("#slider-f").await?, "810");
        assert_eq!(page.value("#field-cell").await?, "35136");
        assert_eq!(page.query().await?, query, "opening an address does not rewrite it");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn back_and_forward_restore_the_preset() {
    browse(Setting::new("back"), async |page| {
        page.open("").await?;
        page.click(".chips a[href*='baseline-0.88']").await?;
        page.shows("#headline", "159,171").await?;
        page.client.back().await?;
        page.shows("#headline", "20.603").await?;
        page.client.forward().await?;
        page.shows("#headline", "159,171").await
    })
    .await;
}

#[tokio::test]
async fn a_broken_address_costs_only_the_broken_field() {
    let broken = [
        ("f=NaN&avail=30", "f"),
        ("f=1e999&avail=30", "f"),
        ("f=%ZZ&avail=30", "f"),
        ("f=0.5&f=&avail=30", "f"),
        ("f=\u{ff10}.\u{ff15}&avail=30", "f"),
        ("total=lots&avail=30", "total"),
    ];
    browse(Setting::new("broken"), async |page| {
        for (query, field) in broken {
            page.open(query).await?;
            page.shows(".notices", field).await.map_err(|error| format!("{query}: {error}"))?;
            assert_eq!(page.value("#field-avail").await?, "30.000", "{query}: nothing else is lost");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn no_junk_stops_the_page() {
    let junk = [
        "&&&===???",
        "%",
        "x".repeat(50_000).as_str(),
        "f=0,55",
        "f=55%25",
        "v=99&f=0.6",
        "theme=dark&lang=zh&embed=1",
    ]
    .map(str::to_owned);
    browse(Setting::new("junk"), async |page| {
        for query in &junk {
            page.open(query).await.map_err(|error| format!("{:.40}: {error}", query))?;
            page.shows("#headline", "start").await?;
        }
        Ok(())
    })
    .await;
}

//! What stands under "More": memory that graphs need, context length, pages, a cap.

use browser_tests::{Page, Result, Setting, browse};

async fn verdict(page: &Page, id: &str) -> Result {
    let shown = page.attribute(".verdict", "data-verdict").await?;
    if shown.as_deref() == Some(id) { Ok(()) } else { Err(format!("the verdict is {shown:?}, not {id}").into()) }
}

async fn unfolded(page: &Page, query: &str) -> Result {
    page.open(query).await?;
    page.click(".more summary").await
}

#[tokio::test]
async fn a_known_need_of_graphs_gives_the_upper_edge() {
    browse(Setting::new("need"), async |page| {
        unfolded(page, "f=0.92").await?;
        verdict(page, "starts").await?;
        page.type_into("#field-dyn", "9.5").await?;
        // 1 − 9.5 / 93.999 = 0.8989, typed with three decimals and rounded down.
        page.shows("#headline", "runs out of memory").await?;
        page.shows("#headline", "7.520 GiB").await?;
        page.shows("#headline", "0.898").await?;
        verdict(page, "too_high").await?;
        let zones = "return [...document.querySelectorAll('.zones i')].map((zone) => zone.dataset.zone).join()";
        assert_eq!(page.script(zones, vec![]).await?, "short,room,high");
        let shares = "const zones = [...document.querySelectorAll('.zones i')].map((zone) => zone.getBoundingClientRect().width);
            const all = zones.reduce((sum, width) => sum + width); return zones.map((width) => width / all)";
        let shares: Vec<f64> = serde_json::from_value(page.script(shares, vec![]).await?)?;
        for (share, expected) in shares.iter().zip([0.770, 0.129, 0.101]) {
            assert!((share - expected).abs() < 0.01, "{shares:?}");
        }
        page.shows("#hint-f", "cannot start up to 0.769 · works up to 0.898 · too high above").await?;
        page.type_into("#field-f", "0.88").await?;
        page.shows("#headline", "159,171").await?;
        verdict(page, "starts").await?;
        page.until("the address follows", "return location.search === '?f=0.88&dyn=9.5'").await?;
        // An emptied field is one that nobody filled in.
        page.type_into("#field-dyn", "\u{e003}").await?;
        page.until("the address follows", "return location.search === '?f=0.88'").await?;
        assert_eq!(page.script(zones, vec![]).await?, "short,room");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn where_no_fraction_works_it_says_so_whatever_the_fraction() {
    browse(Setting::new("no-fraction"), async |page| {
        unfolded(page, "").await?;
        page.type_into("#field-dyn", "30").await?;
        // At least 0.770 to start; at most 1 − 30 / 93.999 = 0.6808.
        page.shows("#headline", "No fraction works").await?;
        page.shows("#headline", "0.770").await?;
        page.shows("#headline", "0.680").await?;
        for fraction in ["0", "0.72", "0.88", "1"] {
            page.type_into("#field-f", fraction).await?;
            page.shows("#headline", "No fraction works").await?;
            verdict(page, "no_fraction_works").await?;
        }
        page.shows(".lead", "smaller graphs").await
    })
    .await;
}

#[tokio::test]
async fn context_length_counts_requests() {
    browse(Setting::new("context"), async |page| {
        unfolded(page, "f=0.88").await?;
        // 159,171 tokens hold four requests of 32,768, one of 131,072, none of 262,144.
        for (typed, said) in [("32768", "4 requests"), ("131,072", "1 request"), ("262 144", "not even one request")] {
            page.type_into("#field-ctx", typed).await?;
            page.shows(".capacity", said).await?;
        }
        page.type_into("#field-f", "0.55").await?;
        page.shows(".capacity", "no pool").await?;
        page.until("the address follows", "return location.search === '?ctx=262144'").await
    })
    .await;
}

#[tokio::test]
async fn pages_and_a_cap_cut_the_pool() {
    browse(Setting::new("pages"), async |page| {
        unfolded(page, "f=0.88").await?;
        // 2,487 whole pages of 64.
        page.type_into("#field-page", "64").await?;
        page.shows("#headline", "159,168 tokens").await?;
        page.type_into("#field-cap", "100,000").await?;
        page.shows("#headline", "99,968 tokens").await?;
        page.shows(".lead", "--max-total-tokens").await?;
        page.type_into("#field-cap", "63").await?;
        page.shows("#headline", "less than one page of 64 tokens").await?;
        verdict(page, "cannot_start").await?;
        page.type_into("#field-page", "1").await?;
        page.shows("#headline", "63 tokens").await?;
        page.type_into("#field-cap", "\u{e003}").await?;
        page.shows("#headline", "159,171 tokens").await?;
        page.type_into("#field-page", "1.5").await?;
        page.shows("#note-page", "whole number").await?;
        page.until("the address follows", "return location.search === '?f=0.88'").await
    })
    .await;
}

#[tokio::test]
async fn a_larger_value_stretches_its_slider() {
    browse(Setting::new("stretch"), async |page| {
        page.open("").await?;
        page.type_into("#field-total", "500").await?;
        page.until("the thumb tells the truth", "return document.getElementById('slider-total').value === '5000'")
            .await?;
        page.type_into("#field-total", "93.999").await?;
        page.until("and again", "return document.getElementById('slider-total').value === '940'").await?;
        assert_eq!(page.attribute("#slider-total", "max").await?.as_deref(), Some("3200"));
        Ok(())
    })
    .await;
}

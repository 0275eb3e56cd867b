//! From the smallest phone to the widest screen, enlarged, spread out, and on paper.

use browser_tests::{Media, Page, Result, Setting, browse};

const WIDTHS: [u32; 6] = [320, 360, 768, 1024, 1280, 2560];
/// One query for each verdict.
const VERDICTS: [&str; 4] = ["", "f=0.88", "f=0.92&dyn=9.5&ctx=32768", "dyn=30"];

/// Neither scrolls the page sideways nor is any text cut off.
async fn fits(page: &Page, what: &str) -> Result {
    assert_eq!(page.sideways().await?, Vec::<String>::new(), "{what}");
    assert_eq!(page.cut_off().await?, Vec::<String>::new(), "{what}");
    Ok(())
}

/// Fits at each of these widths with every verdict, after a script has dressed the page.
async fn fits_everywhere(page: &Page, widths: &[u32], dress: &str) -> Result {
    for query in VERDICTS {
        page.open(query).await?;
        page.unfold().await?;
        page.script(dress, vec![]).await?;
        for width in widths {
            page.resize(*width, 800).await?;
            page.settle().await?;
            fits(page, &format!("{query:?} at {width} pixels")).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn it_fits_every_width() {
    browse(Setting::new("widths"), async |page| fits_everywhere(page, &WIDTHS, "").await).await;
}

#[tokio::test]
async fn it_fits_when_zoomed_or_enlarged() {
    browse(Setting::new("zoom"), async |page| {
        page.open("").await?;
        page.unfold().await?;
        // A laptop's window at 200 % and at 400 %.
        for (width, height, zoom) in [(640, 450, 2.0), (320, 225, 4.0)] {
            page.rescale(width, height, zoom).await?;
            page.settle().await?;
            fits(page, &format!("zoom {zoom}")).await?;
        }
        Ok(())
    })
    .await;
    // The browser's own size of text, doubled.
    browse(Setting::new("large-text").text(32), async |page| {
        page.open("").await?;
        assert_eq!(page.style("html", "font-size").await?, "32px");
        page.unfold().await?;
        for width in [1280, 640] {
            page.resize(width, 900).await?;
            page.settle().await?;
            fits(page, &format!("text of double size in {width} pixels")).await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn it_fits_with_the_text_spread_out() {
    let spread = "const sheet = new CSSStyleSheet();
        sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }');
        document.adoptedStyleSheets = [sheet]";
    browse(Setting::new("spacing"), async |page| fits_everywhere(page, &[320, 768, 1280], spread).await).await;
}

#[tokio::test]
async fn targets_are_large_enough_for_a_finger() {
    browse(Setting::new("targets").size(360, 640), async |page| {
        page.open("f=0.6").await?;
        page.unfold().await?;
        // Links within a sentence are exempt.
        let script = "return [...document.querySelectorAll('a, button, input, summary, [tabindex=\"0\"]')]
            .filter((e) => e.checkVisibility() && !e.matches('p a'))
            .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect().width, e.getBoundingClientRect().height])
            .filter(([, width, height]) => width < 24 || height < 24)";
        assert_eq!(page.script(script, vec![]).await?, serde_json::json!([]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn on_paper_it_is_the_article_in_full() {
    browse(Setting::new("print").size(794, 1123), async |page| {
        page.open("").await?;
        page.type_into("#field-f", "0.88").await?;
        page.shows("#headline", "159,171").await?;
        assert_eq!(page.attribute("#points", "open").await?, None);
        // The whole way through the printer, as the reader's menu would.
        page.paper("print-test").await?;
        page.emulate(Media { print: true, ..Media::default() }).await?;
        for section in ["#headline", ".lead", ".bars", ".formula", ".presets", "#plot canvas"] {
            assert!(page.find(section).await?.is_displayed().await?, "{section} is on paper");
        }
        for control in ["nav", ".controls", ".bars__handle", "#copy-address", ".curve__axis", "#reset"] {
            assert!(!page.find(control).await?.is_displayed().await?, "{control} is not");
        }
        fits(page, "on paper").await
    })
    .await;
}

#[tokio::test]
async fn the_table_is_open_on_paper_and_closed_again_on_the_screen() {
    browse(Setting::new("print-table"), async |page| {
        page.before_all("addEventListener('beforeprint', () => setTimeout(() => {
            const row = document.querySelector('#points-body tr:last-child');
            window.printed = [document.getElementById('points').open, row.cells[1].textContent, document.querySelector('#points-body tr').cells[1].textContent];
        }))").await?;
        page.open("total=80").await?;
        page.script("window.before = true; dispatchEvent(new Event('beforeprint'))", vec![]).await?;
        page.until("it was printed", "return !!window.printed").await?;
        assert_eq!(page.script("return printed", vec![]).await?, serde_json::json!([true, "0.000", "80.000"]));
        page.script("dispatchEvent(new Event('afterprint'))", vec![]).await?;
        assert_eq!(page.attribute("#points", "open").await?, None, "the screen is as it was");
        // Who had it open keeps it open.
        page.click("#points summary").await?;
        page.script("dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'))", vec![]).await?;
        assert!(page.attribute("#points", "open").await?.is_some());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_is_left_is_written_within_the_bar_and_not_over_a_narrow_rest() {
    let script = "const box = (css) => document.querySelector(css).getBoundingClientRect();
        const range = document.createRange();
        range.selectNodeContents(document.querySelector('.rest__words'));
        const [words, bar] = [range.getBoundingClientRect(), box('.rest')];
        const at = (css) => Number(document.querySelector(css).style.getPropertyValue('--from')) * bar.width + bar.left;
        const [start, end] = [...document.querySelectorAll('.edge--rest')].map((e) =>
            Number(e.style.getPropertyValue('--from')) * bar.width + bar.left);
        return { out: Math.max(bar.left - words.left, words.right - bar.right), beside: words.left >= end || words.right <= start,
                 within: words.left >= start && words.right <= end }";
    browse(Setting::new("rest-words"), async |page| {
        for width in [320, 360, 721, 961, 1280] {
            page.resize(width, 800).await?;
            for query in
                ["", "f=0.88", "f=1", "f=0.3", "f=0", "f=0.77", "avail=60&f=0.3", "avail=80&f=0.9", "avail=45&f=0.4"]
            {
                page.open(query).await?;
                page.settle().await?;
                let found = page.script(script, vec![]).await?;
                let what = format!("{query:?} at {width}: {found}");
                // The card around it is wider by this much.
                assert!(found["out"].as_f64().is_some_and(|out| out <= 6.0), "{what}");
                assert!(found["beside"] == true || found["within"] == true, "{what}");
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn on_a_phone_the_messages_are_read_whole_where_they_stand() {
    let last = "const range = document.createRange(), code = [...document.querySelectorAll('.printed code')].at(-1);
        range.selectNodeContents(code);
        const words = range.getBoundingClientRect();
        return words.height > 60 && words.bottom <= code.closest('.printed__line').getBoundingClientRect().bottom + 2";
    for width in [320, 360, 640] {
        browse(Setting::new("printed").size(width, 640), async |page| {
            page.open("").await?;
            let parts = ".printed, #headline, .lead, .bars, .controls";
            let before = page.places(parts).await?;
            assert_eq!(page.script(last, vec![]).await?, false, "two lines of each");
            page.click(".printed p").await?;
            assert_eq!(page.focused().await?, "p");
            page.until("all of it is there", last).await?;
            assert_eq!(page.places(parts).await?, before, "nothing moves");
            page.focus("#field-f").await?;
            assert_eq!(page.script(last, vec![]).await?, false);
            Ok(())
        })
        .await;
    }
}

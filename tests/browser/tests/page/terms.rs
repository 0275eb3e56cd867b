//! One meaning, one outline: word, formula, bar and slider point at each other.

use browser_tests::{Page, Result, Setting, browse};
use serde_json::Value;

/// Of all rendered elements: those of this term without an outline, and those of other terms with one.
async fn wrong(page: &Page, term: &str) -> Result<Value> {
    let script = "const wrong = [];
        for (const e of document.querySelectorAll('[data-term]')) {
            if (!e.checkVisibility()) continue;
            const style = getComputedStyle(e), outlined = style.outlineStyle === 'solid' && parseFloat(style.outlineWidth) >= 1;
            if (outlined !== (e.dataset.term === arguments[0])) wrong.push(`${outlined ? 'outlined' : 'not outlined'}: ${e.outerHTML.slice(0, 100)}`);
        }
        return wrong";
    page.script(script, vec![term.into()]).await
}

#[tokio::test]
async fn pointing_at_a_term_outlines_all_that_mean_the_same() {
    browse(Setting::new("terms"), async |page| {
        page.open("").await?;
        for term in ["fraction", "total", "available", "weights", "budget", "reserved", "rest", "cell", "tokens"] {
            let css = format!("[data-term={term}]");
            let count = page.count(&css).await?;
            assert!(count >= 2, "{term} stands alone");
            page.point_at(&css).await?;
            page.until(term, &format!("return document.documentElement.dataset.pointed === '{term}'")).await?;
            assert_eq!(wrong(page, term).await?, serde_json::json!([]), "{term}");
        }
        page.point_at("footer p").await?;
        page.until("the outlines go", "return !('pointed' in document.documentElement.dataset)").await?;
        assert_eq!(wrong(page, "none").await?, serde_json::json!([]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn each_way_of_showing_a_term_points_at_the_others() {
    browse(Setting::new("term-kinds"), async |page| {
        page.open("").await?;
        // A word of the verdict, a piece of the formula, a piece of a bar, a slider's own block.
        for (css, term) in [
            ("#headline [data-term=rest]", "rest"),
            (".lead [data-term=weights]", "weights"),
            (".formula th[data-term=rest]", "rest"),
            (".formula td[data-term=total]", "total"),
            (".segment[data-term=reserved]", "reserved"),
            (".control[data-term=cell] small", "cell"),
        ] {
            page.point_at(css).await?;
            page.until(css, &format!("return document.documentElement.dataset.pointed === '{term}'")).await?;
            assert_eq!(wrong(page, term).await?, serde_json::json!([]), "{css}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_focus_points_as_the_mouse_does() {
    browse(Setting::new("term-focus"), async |page| {
        page.open("").await?;
        for (css, term) in [
            ("#slider-f", "fraction"),
            ("#field-total", "total"),
            ("#slider-avail", "available"),
            ("#field-cell", "cell"),
        ] {
            page.focus(css).await?;
            page.until(css, &format!("return document.documentElement.dataset.pointed === '{term}'")).await?;
            // The focused element wears the ring of the focus; everything else of its term the outline.
            let formula = format!(".formula [data-term={term}]");
            assert_eq!(page.style(&formula, "outline-style").await?, "solid", "{css}");
        }
        Ok(())
    })
    .await;
}

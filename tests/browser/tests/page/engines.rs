//! Other engines: the same pool elsewhere, assumptions, copying, and the way back to SGLang.

use std::time::Duration;

use browser_tests::{Key, Media, Mouse, Page, Result, Setting, browse};

const WORKING: &str = "preset=baseline-0.88";

/// Opens the page with the section open and filled.
async fn opened(page: &Page, query: &str) -> Result {
    page.open(query).await?;
    page.click("#engines > summary").await?;
    page.shows("#engines-intro", "SGLang").await?;
    page.has_every_style().await
}

/// The row of a knob.
fn row(id: &str) -> String {
    format!("[id='engines-row-{id}']")
}

#[tokio::test]
async fn the_working_run_in_every_engine() {
    browse(Setting::new("engines"), async |page| {
        opened(page, WORKING).await?;
        page.shows("#engines-intro", "10.417 GiB for the KV cache, 159,171 tokens").await?;
        for (id, words) in [
            ("vllm", "--gpu-memory-utilization 0.89178"),
            ("vllm", "9.298 GiB"),
            ("vllm", "of the whole card, 95.000 GiB; 74.302 GiB come off"),
            ("tensorrt-llm", "--kv_cache_free_gpu_memory_fraction 0.52887"),
            ("tensorrt-llm", "17.333 GiB"),
            ("lmdeploy-pytorch", "--cache-max-entry-count 0.52979"),
            ("lmdeploy-turbomind", "--cache-max-entry-count 0.48012"),
            ("tgi", "unreachable: it would take 1.00257, and no more than 1 is accepted"),
            ("llama.cpp", "-c 158976"),
            ("ollama", "OLLAMA_CONTEXT_LENGTH=158976"),
        ] {
            page.shows(&row(id), words).await?;
        }
        page.click("#engines-more > summary").await?;
        page.shows(&row("vllm-bytes"), "--kv-cache-memory-bytes 11185297429").await?;
        page.shows(&row("lmdeploy-turbomind-0.2"), "0.10965").await?;
        page.shows(&row("tgi-0.95"), "0.94981").await?;
        // The same pool is as wide in every bar, and the bases are not.
        let script = "return ['vllm', 'tensorrt-llm'].map((id) => ['reserved', 'rest'].map((term) => {
            const bar = document.querySelector(`#engines-row-${id} .gauge`).getBoundingClientRect();
            const piece = document.querySelector(`#engines-row-${id} .gauge [data-term=${term}]`).getBoundingClientRect();
            return piece.width / bar.width * 95; }))";
        let sizes: [[f64; 2]; 2] = serde_json::from_value(page.script(script, vec![]).await?)?;
        let expected = [[95.0, 10.417], [19.697, 10.417]];
        let near = |a: &[f64; 2], b: &[f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.3);
        assert!(sizes.iter().zip(&expected).all(|(a, b)| near(a, b)), "{sizes:?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_failing_run_has_nothing_to_translate() {
    browse(Setting::new("engines-none"), async |page| {
        opened(page, "").await?;
        page.shows("#engines-intro", "it is short by 20.603 GiB, so there is nothing to translate").await?;
        assert_eq!(page.count("#engines [data-copy]").await?, 0);
        page.click("#engines-intro a").await?;
        page.shows(&row("vllm"), "--gpu-memory-utilization").await?;
        assert_eq!(page.query().await?, "f=0.77");
        page.client.back().await?;
        page.shows("#engines-intro", "nothing to translate").await
    })
    .await;
}

#[tokio::test]
async fn assumptions_change_the_values_and_the_address() {
    browse(Setting::new("engines-assumed"), async |page| {
        opened(page, WORKING).await?;
        page.write_into("#engines-cg", "0.5").await?;
        page.shows(&row("vllm"), "--gpu-memory-utilization 0.89704").await?;
        page.type_into("#engines-act", "3").await?;
        // (3 + 72.302 + 0.5 + 10.41712) / 95, and 10.41712 / 18.697.
        page.shows(&row("vllm"), "--gpu-memory-utilization 0.90757").await?;
        page.shows(&row("tensorrt-llm"), "0.55715").await?;
        page.until("the address follows", "return location.search === '?preset=baseline-0.88&act=3&cg=0.5'").await?;
        // Who gets the address sees the same.
        page.open("preset=baseline-0.88&act=3&cg=0.5").await?;
        page.shows(&row("vllm"), "--gpu-memory-utilization 0.90757").await?;
        assert_eq!(page.value("#engines-act").await?, "3");
        page.type_into("#engines-act", "three").await?;
        page.shows("#engines-note-act", "not a number").await?;
        assert_eq!(page.attribute("#engines-act", "aria-invalid").await?.as_deref(), Some("true"));
        page.shows(&row("vllm"), "--gpu-memory-utilization 0.90757").await?;
        // The card and the vocabulary too: (10.41712 + 74.302) / 96.
        page.open("preset=baseline-0.88&card=96&vocab=151936").await?;
        page.shows(&row("vllm"), "--gpu-memory-utilization 0.88249").await?;
        assert_eq!(page.value("#engines-card").await?, "96");
        assert_eq!(page.value("#engines-vocab").await?, "151936");
        page.write_into("#engines-card", "95").await?;
        page.shows(&row("vllm"), "--gpu-memory-utilization 0.89178").await?;
        page.until("the address follows", "return location.search === '?preset=baseline-0.88&card=95&vocab=151936'")
            .await
    })
    .await;
}

#[tokio::test]
async fn from_vllm_to_sglang_in_two_actions() {
    browse(Setting::new("engines-back"), async |page| {
        page.open("").await?;
        // One: open. Two: type.
        page.click("#engines > summary").await?;
        page.write_into("#engines-back-vllm", "0.9").await?;
        page.shows("#engines-said-vllm", "--mem-fraction-static 0.88831: 11.198 GiB").await?;
        assert_eq!(
            page.attribute("#engines-said-vllm [data-copy]", "data-copy").await?.as_deref(),
            Some("--mem-fraction-static 0.88831")
        );
        assert_eq!(page.query().await?, "", "it is only said");
        page.click("#engines-use-vllm").await?;
        page.until("it is used", "return location.search === '?f=0.88831'").await?;
        page.shows("#headline", "Starts").await?;
        assert_eq!(page.value("#field-f").await?, "0.88831");
        // The table follows, and what was typed stays.
        page.shows(&row("vllm"), "--gpu-memory-utilization 0.90").await?;
        assert_eq!(page.value("#engines-back-vllm").await?, "0.9");
        page.client.back().await?;
        page.shows("#headline", "short by 20.603 GiB").await
    })
    .await;
}

#[tokio::test]
async fn a_press_as_long_as_a_hand_needs_still_clicks() {
    browse(Setting::new("engines-press"), async |page| {
        page.open("").await?;
        page.click("#engines > summary").await?;
        page.write_into("#engines-back-vllm", "0.9").await?;
        page.shows("#engines-said-vllm", "0.88831").await?;
        // Pressing the link leaves the field, which asks anew; the answer is there before the finger is up.
        page.point_at("#engines-use-vllm").await?;
        page.mouse(&[Mouse::Down]).await?;
        tokio::time::sleep(Duration::from_millis(400)).await;
        page.mouse(&[Mouse::Up]).await?;
        page.until("it is used", "return location.search === '?f=0.88831'").await?;
        page.shows("#headline", "Starts").await?;
        // What was held back meanwhile is shown.
        page.shows(&row("vllm"), "--gpu-memory-utilization 0.90").await
    })
    .await;
}

#[tokio::test]
async fn too_much_for_vllm_is_refused_where_it_is_typed() {
    browse(Setting::new("engines-too-high"), async |page| {
        page.open("").await?;
        page.click("#engines > summary").await?;
        page.write_into("#engines-back-vllm", "0.99").await?;
        page.shows("#engines-said-vllm", "too high: it refuses to start").await
    })
    .await;
}

#[tokio::test]
async fn a_flag_is_copied_as_it_stands() {
    browse(Setting::new("engines-copy"), async |page| {
        page.allow_clipboard().await?;
        opened(page, WORKING).await?;
        for (id, flag) in [("vllm", "--gpu-memory-utilization 0.89178"), ("llama.cpp", "-c 158976 -ctk f16 -ngl all")] {
            let button = format!("{} button", row(id));
            page.focus(&button).await?;
            page.press(&[Key::Enter]).await?;
            page.shows(&button, "Copied").await?;
            assert_eq!(page.clipboard().await?, flag);
        }
        assert_eq!(page.words("#announcement").await?, "Copied");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn vllm_refuses_in_two_directions() {
    browse(Setting::new("engines-strip"), async |page| {
        opened(page, "preset=baseline-0.88&ctx=131072").await?;
        for words in [
            "0 to 0.78213: raise it",
            "0.78213 to 0.87247: raise it",
            "0.87247 to 0.98946: starts",
            "0.98946 to 1: lower it",
        ] {
            page.shows(".strip__words", words).await?;
        }
        assert_eq!(page.count("#engines .strip .zones i").await?, 4);
        // Drawn, the two ask for opposite moves.
        page.shows("#engines .strip__says", "raise it →").await?;
        page.shows("#engines .strip__says", "← lower it").await?;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn it_fits_and_breaks_no_rule() {
    const DARK: Media = Media::DARK;
    let light = Media::default();
    for (name, width, media) in [
        ("engines-axe", 1280, light),
        ("engines-axe-dark", 1280, DARK),
        ("engines-phone", 320, light),
        ("engines-phone-dark", 360, DARK),
        ("engines-forced", 1280, Media { forced_colors: true, ..light }),
        ("engines-tablet", 800, light),
    ] {
        browse(Setting::new(name).size(width, 800).media(media), async |page| {
            for query in ["preset=baseline-0.88&ctx=131072", ""] {
                opened(page, query).await?;
                page.click("#engines-more > summary").await?;
                page.write_into("#engines-back-vllm", "0.9").await?;
                page.shows("#engines-said-vllm", "0.88831").await?;
                page.write_into("#engines-back-tgi", "two").await?;
                page.shows("#engines-said-tgi", "not a number").await?;
                page.is_accessible().await.map_err(|error| format!("{query:?}: {error}"))?;
                assert_eq!(page.sideways().await?, Vec::<String>::new(), "{query:?}");
                assert_eq!(page.cut_off().await?, Vec::<String>::new(), "{query:?}");
            }
            // Large enough for a finger.
            let script = "return [...document.querySelectorAll('#engines :is(button, input, summary, .engines__use)')]
                .filter((e) => e.checkVisibility()).map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
                .filter(([, r]) => r.width < 24 || r.height < 24).map(([e, r]) => [e, r.width, r.height])";
            assert_eq!(page.script(script, vec![]).await?, serde_json::json!([]));
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn on_paper_it_is_read_and_not_worked_with() {
    browse(Setting::new("engines-print").size(794, 1123), async |page| {
        opened(page, WORKING).await?;
        page.emulate(Media { print: true, ..Media::default() }).await?;
        page.shows(&row("vllm"), "0.89178").await?;
        for control in ["#engines button", ".engines__back"] {
            assert!(!page.find(control).await?.is_displayed().await?, "{control}");
        }
        assert_eq!(page.sideways().await?, Vec::<String>::new());
        Ok(())
    })
    .await;
}

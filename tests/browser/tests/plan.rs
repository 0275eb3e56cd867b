//! The section "Plan": from a model and GPUs to the four numbers, and to the address.

use std::time::Duration;

use browser_tests::{Key, Media, Page, Result, Setting, browse};

const KIMI: &str = "sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8";

/// Opens the section by its heading.
async fn unfold_plan(page: &Page) -> Result {
    page.click("#plan > summary").await?;
    page.find("#plan-model").await.map(drop)
}

/// Chooses in a list, as a person would by typing into it.
async fn choose(page: &Page, css: &str, value: &str) -> Result {
    let script = "const s = document.querySelector(arguments[0]); s.focus(); s.value = arguments[1];
        s.dispatchEvent(new Event('input', { bubbles: true })); s.dispatchEvent(new Event('change', { bubbles: true }))";
    page.find(css).await?;
    page.script(script, vec![css.into(), value.into()]).await.map(drop)
}

/// Gives the section a file, dropped on it.
async fn drop_file(page: &Page, text: &str) -> Result {
    let script = "const data = new DataTransfer();
        data.items.add(new File([arguments[0]], 'config.json', { type: 'application/json' }));
        document.getElementById('plan-config').dispatchEvent(
            new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }))";
    page.script(script, vec![text.into()]).await.map(drop)
}

#[tokio::test]
async fn the_worked_case_fills_the_sliders_and_the_address() {
    browse(Setting::new("plan-kimi"), async |page| {
        page.open("").await?;
        unfold_plan(page).await?;
        page.shows("#plan-result", "Choose a model and a GPU").await?;
        choose(page, "#plan-model", "kimi-k2.5").await?;
        page.shows("#plan-result", "Choose a GPU").await?;
        choose(page, "#plan-gpu", "rtx-pro-6000").await?;
        page.shows("#plan-result", "Where the four numbers come from").await?;
        choose(page, "#plan-sglang", "0.5.9").await?;
        page.write_into("#plan-tp", "8").await?;
        page.shows("#plan-result", "70,272 bytes for one token").await?;
        page.shows("#plan-result", "The automatic fraction: 0.7715").await?;
        page.shows("#plan-worked-case", "its log shows 0.88, not 0.7715").await?;
        assert_eq!(page.focused().await?, "input#plan-tp", "what is typed into keeps the focus");
        assert_eq!(page.value("#field-f").await?, "0.771456406");
        assert_eq!(page.value("#slider-f").await?, "771");
        assert_eq!(page.value("#field-cell").await?, "70272");
        page.shows("#headline", "Starts").await?;
        page.until("the address follows", "return location.search.includes('gpu=rtx-pro-6000&tp=8')").await?;
        let query = page.query().await?;
        assert!(
            query.starts_with("f=0.771456406&total=9") && query.contains("sglang=0.5.9&model=kimi-k2.5"),
            "{query}"
        );
        page.client.back().await?;
        page.until("Back returns", "return document.getElementById('field-f').value === '0.550'").await
    })
    .await;
}

#[tokio::test]
async fn an_address_with_a_model_opens_the_section_filled() {
    browse(Setting::new("plan-address"), async |page| {
        page.open(KIMI).await?;
        page.shows("#plan-result", "0.7715").await?;
        assert_eq!(page.value("#plan-model").await?, "kimi-k2.5");
        assert_eq!(page.value("#plan-tp").await?, "8");
        page.shows("#headline", "9,046 tokens").await?;
        // The address that it leads to shows the same.
        page.until("the address follows", "return location.search.startsWith('?f=')").await?;
        let query = page.query().await?;
        page.open(&query).await?;
        page.shows("#plan-result", "0.7715").await?;
        assert!(!page.text("#plan-result").await?.contains("given by hand"));
        assert_eq!(page.query().await?, query);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_slider_that_is_moved_stays_and_can_be_given_back() {
    browse(Setting::new("plan-pin"), async |page| {
        page.open(KIMI).await?;
        page.shows("#headline", "9,046 tokens").await?;
        page.type_into("#field-f", "0.8").await?;
        page.shows("#plan-result", "given by hand").await?;
        choose(page, "#plan-kv", "fp8_e4m3").await?;
        page.shows("#plan-result", "35,136 bytes for one token").await?;
        assert_eq!(page.value("#field-f").await?, "0.800");
        page.focus("#plan-pin-f").await?;
        page.press(&[Key::Space]).await?;
        page.until("it is filled again", "return document.getElementById('field-f').value === '0.771456406'").await?;
        assert_eq!(page.focused().await?, "input#plan-pin-f", "the focus is where it was");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_row_of_the_table_is_a_link_that_the_page_answers() {
    browse(Setting::new("plan-link"), async |page| {
        page.open(KIMI).await?;
        page.shows("#headline", "9,046 tokens").await?;
        page.script("window.stayed = true", vec![]).await?;
        let script =
            "[...document.querySelectorAll('#plan-result a')].find((a) => a.textContent === arguments[0]).click()";
        page.script(script, vec!["fraction 0.80".into()]).await?;
        page.until("it is taken over", "return document.getElementById('field-f').value === '0.800'").await?;
        page.script(script, vec!["twice the tensor parallelism".into()]).await?;
        page.until("the form shows it", "return document.getElementById('plan-tp').value === '16'").await?;
        assert_eq!(page.script("return window.stayed", vec![]).await?, true, "the page was not loaded again");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_band_is_drawn_and_says_what_widens_it() {
    browse(Setting::new("plan-band"), async |page| {
        page.open("model=llama-3.1-8b&gpu=h200&sglang=0.5.15").await?;
        page.shows("#plan-band", "by parts that were measured").await?;
        for words in ["cannot start, the weights need more", "works", "while graphs are captured"] {
            page.shows("#plan .strip__words", words).await?;
        }
        // The boxes are as wide as the stretches.
        let script = "const all = document.querySelector('#plan .zones').getBoundingClientRect().width;
            return [...document.querySelectorAll('#plan .zones i')].map((box) => box.getBoundingClientRect().width / all)";
        let widths: Vec<f64> = serde_json::from_value(page.script(script, vec![]).await?)?;
        assert_eq!(widths.len(), 3);
        assert!(widths[1] > 0.8, "{widths:?}");
        page.shows("#plan-result", "band wider by").await?;
        // Every row of the tables leads somewhere.
        let bare = "return [...document.querySelectorAll('#plan-result tr[data-verdict]')]
            .filter((row) => !row.querySelector('a[href^=\"?\"]')).map((row) => row.textContent)";
        assert_eq!(page.script(bare, vec![]).await?, serde_json::json!([]));
        // An automatic fraction that cannot start is named.
        page.open("total=93.999&avail=21.697&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8").await?;
        page.shows("#plan-auto-trouble", "auto picks 0.758, the weights need 0.771").await?;
        // An empty band has no green.
        page.open("total=93.999&avail=8.1&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8").await?;
        page.shows("#plan-band", "Empty. The weights need 0.915").await?;
        page.shows("#plan-band", "These open it: twice the tensor parallelism").await?;
        assert_eq!(page.count("#plan .zones [data-zone=room]").await?, 0);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_was_kept_by_hand_survives_the_address() {
    browse(Setting::new("plan-kept"), async |page| {
        let pinned = "f=0.55&total=93.999&avail=21.697&cell=70272&sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8";
        page.open(pinned).await?;
        page.shows("#plan-result", "given by hand").await?;
        page.shows("#headline", "short by 20.603 GiB").await?;
        assert_eq!(page.query().await?, pinned);
        // A limit of requests and unequal GPUs travel too.
        page.open(KIMI).await?;
        page.shows("#plan-result", "0.7715").await?;
        page.click("#plan-more > summary").await?;
        page.write_into("#plan-running", "64").await?;
        page.write_into("#plan-free", "93.9, 93.9, 80.2").await?;
        page.shows("#plan-result", "GPU 2 with 80.200 GiB").await?;
        page.shows("#plan-result", "local_gpu_memory * 0.9=84.51").await?;
        assert_eq!(page.focused().await?, "input#plan-free", "what is typed into keeps the focus");
        page.until("the address follows", "return /running=64&ranks=/.test(location.search)").await?;
        let query = page.query().await?;
        page.open(&query).await?;
        page.shows("#plan-result", "GPU 2 with 80.200 GiB").await?;
        assert_eq!(page.value("#plan-free").await?, "93.9, 93.9, 80.2");
        assert_eq!(page.value("#plan-running").await?, "64");
        assert_eq!(page.query().await?, query);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_config_is_typed_dropped_or_shown_as_an_example() {
    let config = r#"{"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 256, "vocab_size": 1000,
        "architectures": ["<img src=x onerror=alert(1)>"]}"#;
    browse(Setting::new("plan-config"), async |page| {
        page.open("gpu=h100").await?;
        page.shows("#plan-result", "Choose a model").await?;
        page.click("#plan-own > summary").await?;
        page.click("#plan-example").await?;
        page.shows("#plan-result", "262,144 bytes for one token").await?;
        assert!(page.value("#plan-config").await?.contains("Qwen3ForCausalLM"));
        page.write_into("#plan-config", "[61]").await?;
        page.shows("#plan-note-config", "a JSON object is expected").await?;
        assert_eq!(page.focused().await?, "textarea#plan-config");
        drop_file(page, "{\n  \"num_hidden_layers\": 61,\n  oops\n}").await?;
        page.shows("#plan-note-config", "line 3 column 3").await?;
        assert_eq!(page.attribute("#plan-config", "aria-invalid").await?.as_deref(), Some("true"));
        drop_file(page, config).await?;
        page.shows("#plan-result", "2,048 bytes for one token").await?;
        assert_eq!(page.attribute("#plan-config", "aria-invalid").await?, None);
        assert_eq!(page.count("#plan img").await?, 0);
        page.until("the address follows", "return location.search.includes('cell=2048')").await?;
        assert!(!page.query().await?.contains("img"));
        // A model of the list counts again.
        choose(page, "#plan-model", "phi-4").await?;
        page.shows("#plan-result", "204,800 bytes for one token").await?;
        assert_eq!(page.value("#plan-config").await?, "");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_keyboard_alone_is_enough() {
    browse(Setting::new("plan-keyboard"), async |page| {
        page.open("").await?;
        page.focus("#plan > summary").await?;
        page.press(&[Key::Enter]).await?;
        page.find("#plan-model").await?;
        page.press(&[Key::Tab]).await?;
        assert_eq!(page.focused().await?, "select#plan-model");
        page.client.active_element().await?.send_keys("phi").await?;
        page.press(&[Key::Tab]).await?;
        assert_eq!(page.focused().await?, "select#plan-gpu");
        page.client.active_element().await?.send_keys("h200").await?;
        page.shows("#plan-result", "204,800 bytes for one token").await?;
        page.press(&[Key::Tab, Key::Tab]).await?;
        assert_eq!(page.focused().await?, "input#plan-tp");
        page.client.active_element().await?.send_keys("2").await?;
        page.shows("#plan-result", "102,400 bytes for one token").await?;
        page.client.active_element().await?.send_keys("/").await?;
        page.shows("#plan-note-tp", "not a whole number").await
    })
    .await;
}

#[tokio::test]
async fn no_rule_of_accessibility_is_broken() {
    browse(Setting::new("plan-axe"), async |page| {
        for dark in [false, true] {
            page.emulate(Media { dark, ..Media::default() }).await?;
            page.open(KIMI).await?;
            page.shows("#plan-result", "What if").await?;
            page.unfold().await?;
            page.write_into("#plan-free", "93.9 93.9 80.2").await?;
            page.shows("#plan-result", "GPU by GPU").await?;
            page.is_accessible().await?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn it_fits_a_phone() {
    browse(Setting::new("plan-phone").size(320, 640), async |page| {
        page.open(KIMI).await?;
        page.shows("#plan-result", "What if").await?;
        page.unfold().await?;
        page.settle().await?;
        assert_eq!(page.sideways().await?, Vec::<String>::new());
        assert_eq!(page.cut_off().await?, Vec::<String>::new());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_worker_that_ends_before_it_is_ready_is_done_without() {
    browse(Setting::new("plan-no-worker").expecting_trouble(), async |page| {
        page.open("").await?;
        let script = "const Whole = Worker; window.Worker = function () { return new Whole('nowhere.js'); }";
        page.script(script, vec![]).await?;
        page.click("#plan > summary").await?;
        page.shows("#plan-result", "Choose a model and a GPU").await?;
        // A second program in the same page, and a file that is read there.
        page.click("#engines > summary").await?;
        page.shows("#engines-intro", "SGLang").await?;
        drop_file(
            page,
            r#"{"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 256, "vocab_size": 1000}"#,
        )
        .await?;
        page.until("the file is read", "return document.getElementById('plan-config').value.includes('hidden_size')")
            .await
    })
    .await;
}

#[tokio::test]
async fn a_scenario_that_moves_while_a_section_loads_is_what_it_opens_on() {
    browse(Setting::new("plan-moved"), async |page| {
        page.open("").await?;
        // The program comes later than the page waits for the slider to rest.
        page.server().hold("workshop-engines_bg.wasm", Duration::from_millis(900));
        page.click("#engines > summary").await?;
        page.type_into("#field-f", "0.88").await?;
        page.shows("#engines-intro", "SGLang").await?;
        page.shows("#engines-result", "--gpu-memory-utilization").await?;
        page.shows("#engines-result", "0.88 copied gives").await
    })
    .await;
}

#[tokio::test]
async fn a_workshop_that_does_not_arrive_is_told_and_asked_again() {
    browse(Setting::new("plan-retry").expecting_trouble(), async |page| {
        page.open("").await?;
        // Neither the worker nor the page itself gets what is missing.
        page.block(&["workshop-plan.js"]).await?;
        page.click("#plan > summary").await?;
        page.shows("#plan [role=status]", "could not be computed").await?;
        page.block(&["workshop-plan_bg.wasm"]).await?;
        page.click("#plan [role=status] button").await?;
        page.until("it was tried", "return !document.querySelector('#plan [role=status] button')").await?;
        page.shows("#plan [role=status]", "could not be computed").await?;
        page.block(&[]).await?;
        page.click("#plan [role=status] button").await?;
        page.shows("#plan-result", "Choose a model and a GPU").await?;
        assert_eq!(page.text("#plan [role=status]").await?, "");
        Ok(())
    })
    .await;
}

//! Text from strangers, wherever the page takes text: it is shown as text or refused in a sentence, and does nothing.

use browser_tests::{ANOTHER_RUN, Page, Result, Setting, browse, corpus};
use kv_budget::scenario::fields::FIELDS;

/// What stands where when all of it was refused; a number that is too large is brought within its range instead. A name
/// that may be a model's leaves the numbers, and the headline says that they are no plan's.
fn shown(name: &str, what: &str) -> (&'static str, &'static str) {
    if name == "a number without end" && what != "keys" {
        ("#headline", "No fraction works")
    } else {
        (".rest__words", "−20.603 GiB")
    }
}

/// As a link would carry it.
fn escaped(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

/// The program runs and has lost nothing but what was refused.
async fn stands(page: &Page) -> Result {
    assert_eq!(page.attribute("#crash", "hidden").await?.as_deref(), Some(""));
    assert_eq!(page.sideways().await?, Vec::<String>::new());
    page.is_unharmed().await
}

#[tokio::test]
async fn in_an_address_it_is_refused_and_named() {
    browse(Setting::new("hostile-address"), async |page| {
        for (name, text) in corpus() {
            // A server may refuse so long a request; behind # an address never gets there.
            let value = escaped(&text.chars().take(600).collect::<String>());
            let (values, keys): (Vec<_>, Vec<_>) = FIELDS
                .iter()
                .map(|field| field.key)
                .chain(["unheard-of"])
                .map(|key| (format!("{key}={value}"), format!("{value}{key}=1")))
                .unzip();
            for (what, query) in [("values", values.join("&")), ("keys", keys.join("&"))] {
                page.client.goto("about:blank").await?;
                page.client.goto(&format!("{}#{query}", page.base())).await?;
                let outcome = async {
                    page.runs().await?;
                    let (place, words) = shown(name, what);
                    page.shows(place, words).await?;
                    page.settle().await?;
                    assert!(page.count("#notices li").await? >= 20, "each is named: {}", page.text("#notices").await?);
                    stands(page).await
                };
                outcome.await.map_err(|error| format!("{name} as {what}: {error}"))?;
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn in_a_log_it_is_text() {
    browse(Setting::new("hostile-log"), async |page| {
        page.open("").await?;
        page.click("#log > summary").await?;
        page.find("#log-control-log").await?;
        for (name, text) in corpus() {
            let log = format!(
                "{text}\n[2026-02-27 12:40:05 TP5] server_args=ServerArgs(model_path='{text}', mem_fraction_static={text}, tp_size=8)\n{text} {ANOTHER_RUN} {text}\nKV cache of 3 GB {text}\nRuntimeError: {text}\n"
            );
            let paste = "const area = document.getElementById('log-control-log'); area.value = arguments[0];
                area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))";
            let outcome = async {
                page.script(paste, vec!["".into()]).await?;
                page.until("it is empty", "return !document.querySelector('#log-result *')").await?;
                page.script(paste, vec![log.into()]).await?;
                page.shows("#log-result h3", ".").await?;
                page.shows("#headline", "short by 10.603").await?;
                page.script("document.querySelectorAll('#log details').forEach((e) => { e.open = true; })", vec![]).await?;
                page.settle().await?;
                stands(page).await
            };
            outcome.await.map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn in_a_config_it_is_refused_by_name() {
    let known = r#""num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 256"#;
    browse(Setting::new("hostile-config"), async |page| {
        page.open("gpu=h100&tp=8").await?;
        page.find("#plan-config").await?;
        for (name, text) in corpus() {
            let quoted = serde_json::to_string(&text)?;
            let configs = [
                text.clone(),
                format!("{{{known}, \"model_type\": {quoted}, \"architectures\": [{quoted}], \"torch_dtype\": {quoted}}}"),
                format!("{{{quoted}: {quoted}, \"model_type\": \"llama\", \"layer_types\": [{quoted}], \"num_hidden_layers\": {quoted}}}"),
                format!("{{\"text_config\": {{{quoted}: [{{{quoted}: 1}}]}}}}"),
            ];
            for config in configs {
                let type_it = "const area = document.getElementById('plan-config'); area.value = arguments[0];
                    area.dispatchEvent(new Event('input', { bubbles: true })); area.dispatchEvent(new Event('change', { bubbles: true }))";
                let start: String = config.chars().take(50).collect();
                let outcome = async {
                    page.script(type_it, vec!["".into()]).await?;
                    page.until("it is empty", "return !document.getElementById('plan-note-config')?.textContent").await?;
                    page.script(type_it, vec![config.into()]).await?;
                    page.until("it is refused in words", "return !!document.getElementById('plan-note-config')?.textContent || !!document.querySelector('#plan-result')?.textContent.includes('unknown')").await?;
                    page.settle().await?;
                    stands(page).await
                };
                outcome.await.map_err(|error| format!("{name} in {start}: {error}"))?;
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn in_a_field_it_is_refused_and_stays_to_be_mended() {
    browse(Setting::new("hostile-field"), async |page| {
        for (name, text) in corpus() {
            page.open("").await?;
            page.unfold().await?;
            let type_it = "for (const id of ['field-f', 'field-total', 'field-cell', 'field-dyn', 'field-ctx']) {
                const field = document.getElementById(id); field.focus(); field.value = arguments[0];
                field.dispatchEvent(new Event('input', { bubbles: true })); field.dispatchEvent(new Event('change', { bubbles: true })); }
                document.activeElement.blur()";
            page.script(type_it, vec![text.into()]).await?;
            page.settle().await?;
            let (place, words) = shown(name, "fields");
            page.shows(place, words).await.map_err(|error| format!("{name}: {error}"))?;
            stands(page).await.map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    })
    .await;
}

//! The page without a network, its previews, and its module for other pages.

use browser_tests::{Engine, Host, Setting, browse};
use serde_json::{Value, json};

#[tokio::test]
async fn the_next_visit_needs_no_network() {
    browse(Setting::new("offline").expecting_trouble(), async |page| {
        if page.setting.engine != Engine::Chromium {
            return Err(page.lacks("way to take the network away in its driver"));
        }
        page.open("").await?;
        page.until("the worker is ready", "return navigator.serviceWorker.getRegistration().then((r) => Boolean(r?.active))").await?;
        // The page that is open is left alone.
        assert_eq!(page.script("return navigator.serviceWorker.controller", vec![]).await?, Value::Null);
        page.open("f=0.8").await?;
        page.script("document.getElementById('plan').open = true", vec![]).await?;
        page.shows("#plan-body", "Choose a model").await?;
        page.until("it is kept", "return caches.keys().then(async ([name]) => (await (await caches.open(name)).keys()).some((r) => r.url.includes('workshop-plan_bg.wasm')))").await?;
        page.devtools("Network.enable", json!({})).await?;
        page.devtools("Network.emulateNetworkConditions", json!({ "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 })).await?;
        page.open("preset=baseline-0.88").await?;
        page.shows("#headline", "159,171 tokens").await?;
        page.script("document.getElementById('plan').open = true", vec![]).await?;
        page.shows("#plan-body", "Choose a model").await
    })
    .await;
}

#[tokio::test]
async fn an_embed_registers_no_worker() {
    browse(Setting::new("offline-embed"), async |page| {
        page.visit("embed=1").await?;
        page.until("the shell is there", "return location.pathname.endsWith('/embed.html')").await?;
        page.runs().await?;
        tokio::time::sleep(std::time::Duration::from_secs(5)).await;
        assert_eq!(
            page.script("return navigator.serviceWorker.getRegistrations().then((all) => all.length)", vec![]).await?,
            0
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn every_preset_has_a_preview_without_scripts() {
    browse(Setting::new("preview"), async |page| {
        page.client.goto(&format!("{}p/baseline-0.88/", page.base())).await?;
        page.shows("h1", "Starts with 10.417 GiB for the KV cache: 159,171 tokens.").await?;
        page.is_accessible().await?;
        let size = "const image = document.querySelector('img'); return [image.naturalWidth, image.naturalHeight]";
        page.until("the picture is there", "return document.querySelector('img').complete").await?;
        assert_eq!(page.script(size, vec![]).await?, json!([1200, 630]));
        let property = async |name: &str| page.attribute(&format!("meta[property='{name}']"), "content").await;
        assert_eq!(property("og:image").await?.as_deref(), Some("card.png"));
        assert!(property("og:title").await?.is_some_and(|title| title.contains("159,171")));
        page.screenshot("preview").await?;
        page.click("a").await?;
        page.runs().await?;
        assert_eq!(page.query().await?, "preset=baseline-0.88");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_module_gives_plain_objects() {
    browse(Setting::new("api"), async |page| {
        page.client.goto(&format!("{}api/example.html", page.base())).await?;
        page.shows("#evaluated", "\"tokens\": 159171").await?;
        page.shows("#diagnosed", "\"cause\": \"no_room_at_start\"").await?;
        // 2 × 8 heads ÷ 8 GPUs × 128 × 2 bytes × 64 layers.
        page.shows("#sized", "\"bytes_per_token_per_gpu\": 32768").await?;
        page.is_accessible().await?;
        page.script("const q = document.getElementById('query'); q.value = ''; q.dispatchEvent(new Event('input'))", vec![]).await?;
        page.shows("#evaluated", "\"tokens\": -314803").await?;
        let script = "return import('./kv-budget.js').then(({ evaluate, diagnose, cellSize }) => [
            evaluate('f=NaN').issues[0].kind, diagnose(new Uint8Array([0, 255])).cause, cellSize({}, { tp: '8\\nevil=1' }).bytes_per_token_per_gpu])";
        assert_eq!(page.script(script, vec![]).await?, json!(["not_a_number", "reason_missing", null]));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn another_site_takes_the_module_with_it() {
    browse(Setting::new("api-elsewhere"), async |page| {
        // A module of another origin needs that origin's leave; a copy needs nobody's.
        let folder = std::path::PathBuf::from(std::env::var("KV_BUDGET_DIST")?).join("api");
        let host = Host::of(page, folder)?;
        page.visit_host(&host, "example.html").await?;
        page.shows("#evaluated", "\"tokens\": 159171").await
    })
    .await;
}

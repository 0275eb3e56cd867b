//! The workshop: fetched on demand, run in a worker, answers by kind.

use browser_tests::{Page, Result, Setting, browse};
use serde_json::{Value, json};

/// Starts a workshop of the test's own beside the page's and asks it, as the page would.
async fn ask(page: &Page, kind: &str) -> Result<Value> {
    let script = "return new Promise((done, fail) => {
        const worker = new Worker(document.querySelector('script[data-workshop]').dataset.workshop.replace('?', '?plan&'));
        worker.onerror = (event) => fail(new Error(event.message || 'the workshop did not start'));
        worker.onmessage = ({ data }) => data.ready
            ? worker.postMessage({ id: 7, kind: arguments[0], ask: {} })
            : (worker.terminate(), done(data));
    })";
    page.script(script, vec![kind.into()]).await
}

#[tokio::test]
async fn it_answers_what_it_knows() {
    browse(Setting::new("workshop-answer"), async |page| {
        page.open("").await?;
        let answer = ask(page, "plan/open").await?;
        assert_eq!((&answer["id"], &answer["ok"]), (&json!(7), &json!(true)));
        let opened: Value = serde_json::from_str(answer["payload"].as_str().unwrap_or_default())?;
        assert_eq!(opened["replace"][0]["into"], "plan-body");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn it_refuses_by_name_what_it_does_not_know() {
    browse(Setting::new("workshop-unknown"), async |page| {
        page.open("").await?;
        let answer = ask(page, "nonsense").await?;
        assert_eq!(answer["ok"], false);
        assert!(answer["payload"].as_str().is_some_and(|text| text.contains("nonsense")), "{answer}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn its_parts_carry_the_version_of_the_build() {
    browse(Setting::new("workshop-version"), async |page| {
        page.open("").await?;
        let url = page.attribute("script[data-workshop]", "data-workshop").await?.unwrap_or_default();
        let (_, version) = url.split_once("?v=").ok_or("the workshop's address has no version")?;
        assert!(version.len() == 16 && version.bytes().all(|byte| byte.is_ascii_hexdigit()), "{url}");
        Ok(())
    })
    .await;
}

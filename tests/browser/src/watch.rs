//! What the browser had to say: console errors, policy reports, requests to anyone else.
//!
//! Chromium's driver keeps logs of all of it. In the other engines a script before the page's own listens for the same and
//! tells the test's server, which also knows what was asked for.

use std::sync::{MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::emulate::Vendor;
use crate::engine::Engine;
use crate::{Page, Result};

/// Stands before the page's own scripts where the driver keeps no log: tells the server of every error.
pub(crate) const LISTEN: &str = "{
    const tell = (text) => { new Image().src = '/heard?' + encodeURIComponent(text); };
    const error = console.error;
    console.error = (...all) => { tell(all.join(' ')); error(...all); };
    addEventListener('error', (e) => tell(e.message || 'cannot load ' + (e.target.src || e.target.href)), true);
    addEventListener('unhandledrejection', (e) => tell('unhandled: ' + e.reason));
    addEventListener('securitypolicyviolation', (e) => {
        if (!e.blockedURI.includes('/heard?')) tell('Content Security Policy: ' + e.violatedDirective + ' refuses ' + (e.blockedURI || e.sample));
    });
}";

/// What was heard so far: the driver tells each entry only once.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    errors: Vec<String>,
    strangers: Vec<String>,
}

impl Page {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What speaks against the page since the test began, one line each; policy reports are console errors here.
    ///
    /// What a test read in between with [`Page::console`] or [`Page::requests`] counts as well.
    pub async fn troubles(&self) -> Result<Vec<String>> {
        self.console().await?;
        let mut troubles = self.heard().errors.clone();
        troubles.extend(self.strangers().await?);
        Ok(troubles)
    }

    /// Requests to another place since the test began, one line each.
    pub async fn strangers(&self) -> Result<Vec<String>> {
        self.requests().await?;
        Ok(self.heard().strangers.clone())
    }

    /// Errors on the console since the last call.
    pub async fn console(&self) -> Result<Vec<String>> {
        let errors: Vec<String> = if self.setting.engine == Engine::Chromium {
            let entries = self.log("browser").await?;
            let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
            severe.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
        } else {
            self.server().take_heard()
        };
        self.heard().errors.extend_from_slice(&errors);
        Ok(errors)
    }

    /// The addresses that the page asked for since the last call.
    pub async fn requests(&self) -> Result<Vec<String>> {
        let urls = if self.setting.engine == Engine::Chromium { self.logged().await? } else { self.timed().await? };
        let strange = urls.iter().filter(|url| !self.is_own(url));
        let lines: Vec<String> = strange.map(|url| format!("request to another place: {url}")).collect();
        self.heard().strangers.extend(lines);
        Ok(urls)
    }

    /// By the driver's log.
    async fn logged(&self) -> Result<Vec<String>> {
        Ok(asked(&self.events().await?))
    }

    /// Bytes that arrived since the last call, with the heads of the answers, and the addresses that were asked for.
    pub(crate) async fn traffic(&self) -> Result<(u64, Vec<String>)> {
        let events = self.events().await?;
        let finished = events.iter().filter(|event| event["method"] == "Network.loadingFinished");
        let bytes: f64 = finished.filter_map(|event| event["params"]["encodedDataLength"].as_f64()).sum();
        Ok((bytes as u64, asked(&events)))
    }

    /// What the driver's log holds of the network since the last call.
    async fn events(&self) -> Result<Vec<Value>> {
        let mut events = Vec::new();
        for entry in self.log("performance").await? {
            let mut event: Value = serde_json::from_str(entry["message"].as_str().unwrap_or("null"))?;
            events.push(event["message"].take());
        }
        Ok(events)
    }

    /// By the server's log, and the page's own record of what it asked elsewhere.
    async fn timed(&self) -> Result<Vec<String>> {
        let server = self.server();
        let origin = server.origin();
        let mut urls: Vec<String> = server.take_asked().into_iter().map(|target| format!("{origin}{target}")).collect();
        let script = "return performance.getEntriesByType('resource').map((entry) => entry.name)
            .filter((name) => !name.startsWith(arguments[0]))";
        let elsewhere: Vec<String> = serde_json::from_value(self.script(script, vec![origin.into()]).await?)?;
        urls.extend(elsewhere);
        Ok(urls)
    }

    /// The entries of one of the driver's logs since the last call.
    async fn log(&self, kind: &str) -> Result<Vec<Value>> {
        let answer = self.client.issue_cmd(Vendor { path: "se/log", body: json!({ "type": kind }) }).await?;
        Ok(answer.as_array().cloned().unwrap_or_default())
    }
}

/// The addresses of all requests among the browser's events.
fn asked(events: &[Value]) -> Vec<String> {
    let sent = events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
    sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned()).collect()
}

//! What the browser had to say: console errors, policy reports, requests to anyone else.

use serde_json::{Value, json};

use crate::emulate::Vendor;
use crate::{Page, Result};

impl Page {
    /// What speaks against the page since the last call, one line each; policy reports are console errors here.
    pub async fn troubles(&self) -> Result<Vec<String>> {
        let mut troubles = self.console().await?;
        for url in self.requests().await? {
            if !self.is_own(&url) {
                troubles.push(format!("request to another place: {url}"));
            }
        }
        Ok(troubles)
    }

    /// Errors on the console since the last call.
    pub async fn console(&self) -> Result<Vec<String>> {
        let entries = self.log("browser").await?;
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        Ok(severe.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect())
    }

    /// The addresses that the page asked for since the last call.
    pub async fn requests(&self) -> Result<Vec<String>> {
        let mut urls = Vec::new();
        for entry in self.log("performance").await? {
            let event: Value = serde_json::from_str(entry["message"].as_str().unwrap_or("null"))?;
            let event = &event["message"];
            if event["method"] == "Network.requestWillBeSent" {
                urls.push(event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
        }
        Ok(urls)
    }

    /// The entries of one of the driver's logs since the last call.
    async fn log(&self, kind: &str) -> Result<Vec<Value>> {
        let answer = self.client.issue_cmd(Vendor { path: "se/log", body: json!({ "type": kind }) }).await?;
        Ok(answer.as_array().cloned().unwrap_or_default())
    }
}

//! The browsers that the tests can drive: how each is started and asked for.

use std::process::Command;

use serde_json::{Value, json};

use crate::{Result, Setting};

/// A browser engine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Engine {
    #[default]
    Chromium,
}

impl Engine {
    /// Its driver, told to take a free port, and the text that stands before that port on the driver's output.
    pub fn driver(self) -> (Command, &'static str) {
        match self {
            Self::Chromium => {
                let mut command = Command::new(std::env::var_os("CHROMEDRIVER").unwrap_or("chromedriver".into()));
                command.arg("--port=0");
                (command, "started successfully on port ")
            }
        }
    }

    /// What a new session asks of the driver.
    pub fn capabilities(self, setting: &Setting) -> Result<serde_json::Map<String, Value>> {
        let wanted = match self {
            Self::Chromium => {
                let prefs = json!({ "webkit": { "webprefs": { "default_font_size": setting.text } } });
                let mut options = json!({ "args": chromium_arguments(setting), "prefs": prefs });
                // Without it the driver looks in its usual places.
                if let Some(browser) = std::env::var_os("CHROME") {
                    options["binary"] = browser.to_string_lossy().into();
                }
                json!({
                    "browserName": "chrome",
                    "goog:chromeOptions": options,
                    "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
                })
            }
        };
        match wanted {
            Value::Object(map) => Ok(map),
            _ => Err("capabilities are an object".into()),
        }
    }
}

/// Quiet and closed: the browser asks nobody for anything but the page, and could reach nobody if the page did.
fn chromium_arguments(setting: &Setting) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "--headless=new",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-quic",
        "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--no-first-run",
        "--hide-scrollbars",
    ]
    .map(str::to_owned)
    .into();
    arguments.push(format!("--window-size={},{}", setting.width, setting.height));
    // Chromium refuses its own sandbox to root, who runs containers and CI.
    if is_root() {
        arguments.push("--no-sandbox".to_owned());
    }
    arguments
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

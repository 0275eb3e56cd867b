//! The browsers that the tests can drive: how each is started and asked for.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::{Result, Setting};

/// A browser engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Chromium by chromedriver.
    Chromium,
    /// Firefox by geckodriver.
    Firefox,
    /// WebKitGTK's MiniBrowser by WebKitWebDriver, on a screen that nobody sees.
    WebKit,
}

/// Each with the name that `KV_BUDGET_ENGINE` and the command line call it.
pub const ENGINES: [(Engine, &str); 3] =
    [(Engine::Chromium, "chromium"), (Engine::Firefox, "firefox"), (Engine::WebKit, "webkit")];

impl Engine {
    /// The one that this run drives.
    ///
    /// # Panics
    /// If the environment names one that does not exist.
    pub fn current() -> Self {
        let Ok(wanted) = std::env::var("KV_BUDGET_ENGINE") else { return Self::Chromium };
        let found = ENGINES.iter().find(|(_, name)| *name == wanted);
        found.map(|(engine, _)| *engine).unwrap_or_else(|| panic!("KV_BUDGET_ENGINE: no engine {wanted:?}"))
    }

    /// As the command line calls it.
    pub fn name(self) -> &'static str {
        ENGINES.iter().find(|(engine, _)| *engine == self).map_or("", |(_, name)| name)
    }

    /// Its driver, told to listen on this port.
    pub(crate) fn driver(self, port: u16) -> Command {
        let (variable, program) = match self {
            Self::Chromium => ("CHROMEDRIVER", "chromedriver"),
            Self::Firefox => ("GECKODRIVER", "geckodriver"),
            Self::WebKit => ("WEBKITDRIVER", "WebKitWebDriver"),
        };
        let mut command = Command::new(std::env::var_os(variable).unwrap_or(program.into()));
        command.arg(format!("--port={port}"));
        if self == Self::Firefox {
            // Themes, motion and narrow windows are set from the browser's own side.
            command.args(["--allow-system-access", "--websocket-port=0", "--log=fatal"]);
        }
        command
    }

    /// What a new session asks of the driver.
    pub(crate) fn capabilities(self, setting: &Setting, profile: Option<&Path>) -> Result<Map<String, Value>> {
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
            Self::Firefox => {
                let prefs = json!({
                    "font.size.variable.x-western": setting.text,
                    "font.size.variable.x-unicode": setting.text,
                    // As on a phone, and as the other two come.
                    "ui.useOverlayScrollbars": 1,
                    // Tests read what a button copied.
                    "dom.events.testing.asyncClipboard": true,
                });
                let mut options = json!({ "args": ["-headless"], "prefs": prefs });
                if let Some(profile) = profile {
                    options["args"] = json!(["-headless", "-profile", profile]);
                }
                if let Some(browser) = std::env::var_os("FIREFOX") {
                    options["binary"] = browser.to_string_lossy().into();
                }
                json!({ "browserName": "firefox", "moz:firefoxOptions": options })
            }
            Self::WebKit => {
                let browser = mini_browser().ok_or("no MiniBrowser beside the library of WebKitGTK")?;
                let options = json!({ "binary": browser.to_string_lossy(), "args": ["--automation"] });
                json!({ "browserName": "MiniBrowser", "webkitgtk:browserOptions": options })
            }
        };
        match wanted {
            Value::Object(map) => Ok(map),
            _ => Err("capabilities are an object".into()),
        }
    }
}

/// The browser that comes with WebKitGTK; it lives beside the library, in a folder named after the machine.
fn mini_browser() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("MINIBROWSER") {
        return Some(PathBuf::from(given));
    }
    let below = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let libraries = [PathBuf::from("/usr/lib"), PathBuf::from("/usr/libexec")];
    let mut places: Vec<PathBuf> = libraries.iter().flat_map(|folder| below(folder)).collect();
    places.extend(libraries);
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("webkit2gtk"));
    let homes = places.iter().flat_map(|place| below(place)).filter(named);
    homes.map(|home| home.join("MiniBrowser")).find(|browser| browser.is_file())
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

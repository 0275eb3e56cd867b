//! Screens, paper, tastes and slow machines, emulated by Chromium's own protocol beside WebDriver.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

use crate::{Page, Result};

/// What the reader's system says about taste and medium.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Media {
    pub dark: bool,
    pub reduced_motion: bool,
    pub forced_colors: bool,
    pub print: bool,
}

impl Media {
    pub const DARK: Self = Self { dark: true, reduced_motion: false, forced_colors: false, print: false };
}

/// A command of Chromium's driver that WebDriver itself does not have: its path below the session, and its body.
#[derive(Debug)]
pub(crate) struct Vendor {
    pub path: &'static str,
    pub body: Value,
}

impl WebDriverCompatibleCommand for Vendor {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> std::result::Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _url: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

impl Page {
    /// One command of the Chrome DevTools Protocol.
    pub async fn devtools(&self, method: &str, parameters: Value) -> Result<Value> {
        let body = json!({ "cmd": method, "params": parameters });
        Ok(self.client.issue_cmd(Vendor { path: "goog/cdp/execute", body }).await?)
    }

    /// Another size of the window's inside, in CSS pixels, at the setting's scale.
    pub async fn resize(&self, width: u32, height: u32) -> Result {
        self.rescale(width, height, self.setting.scale).await
    }

    /// Another number of device pixels for one CSS pixel, as after a zoom or on another screen.
    pub async fn rescale(&self, width: u32, height: u32, scale: f64) -> Result {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await.map(drop)
    }

    /// Runs this script in every page that is opened from now on, before anything of its own.
    pub async fn before_all(&self, script: &str) -> Result {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await.map(drop)
    }

    /// Pages opened from now on run no script of their own.
    pub async fn scripts(&self, allowed: bool) -> Result {
        self.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": !allowed })).await.map(drop)
    }

    /// Requests for these addresses (with `*`) fail from now on; none are blocked after an empty list.
    pub async fn block(&self, addresses: &[&str]) -> Result {
        self.devtools("Network.enable", json!({})).await?;
        self.devtools("Network.setBlockedURLs", json!({ "urls": addresses })).await.map(drop)
    }

    /// The reader allows reading and writing the clipboard.
    pub async fn allow_clipboard(&self) -> Result {
        let permissions = json!(["clipboardReadWrite", "clipboardSanitizedWrite"]);
        self.devtools("Browser.grantPermissions", json!({ "permissions": permissions })).await.map(drop)
    }

    /// Theme, motion, forced colours, print.
    pub async fn emulate(&self, media: Media) -> Result {
        let feature = |name: &str, value: &str| json!({ "name": name, "value": value });
        let features = [
            feature("prefers-color-scheme", if media.dark { "dark" } else { "light" }),
            feature("prefers-reduced-motion", if media.reduced_motion { "reduce" } else { "no-preference" }),
            feature("forced-colors", if media.forced_colors { "active" } else { "none" }),
        ];
        let medium = if media.print { "print" } else { "screen" };
        self.devtools("Emulation.setEmulatedMedia", json!({ "media": medium, "features": features })).await.map(drop)
    }

    /// A processor slower by this factor (1 is the machine's own speed).
    pub async fn slow_down(&self, factor: u32) -> Result {
        self.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": factor })).await.map(drop)
    }

    /// The picture of the whole page, also below the window, into `target/screenshots/NAME.png`.
    pub async fn picture(&self, name: &str) -> Result<PathBuf> {
        self.settle().await?;
        let taken = self.devtools("Page.captureScreenshot", json!({ "captureBeyondViewport": true })).await?;
        self.keep(&format!("{name}.png"), &decoded(&taken)?)
    }

    /// The page as printed on A4, into `target/screenshots/NAME.pdf`.
    pub async fn paper(&self, name: &str) -> Result<PathBuf> {
        let a4 = json!({ "printBackground": false, "paperWidth": 8.27, "paperHeight": 11.69 });
        let printed = self.devtools("Page.printToPDF", a4).await?;
        self.keep(&format!("{name}.pdf"), &decoded(&printed)?)
    }
}

fn decoded(answer: &Value) -> Result<Vec<u8>> {
    Ok(STANDARD.decode(answer["data"].as_str().ok_or("the browser sent no picture")?)?)
}

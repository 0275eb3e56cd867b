//! Screens, paper, tastes and slow machines: what each engine's driver can do beside WebDriver.

use std::path::PathBuf;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

use crate::engine::Engine;
use crate::lacking::Lacking;
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

/// A command that WebDriver's client does not have: its path below the session, and its body.
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
    /// The window and the reader's settings, before the test begins.
    pub(crate) async fn prepare(&self) -> Result {
        let setting = &self.setting;
        if setting.engine == Engine::WebKit && setting.text != 16 {
            return Err(self.lacks("setting for the size of text in its driver"));
        }
        if setting.engine != Engine::Chromium {
            self.server().inject(crate::watch::LISTEN);
        }
        self.resize(setting.width, setting.height).await?;
        self.emulate(setting.media).await
    }

    /// The error that skips a test in this engine.
    pub fn lacks(&self, what: &'static str) -> Box<dyn std::error::Error + Send + Sync> {
        Lacking { engine: self.setting.engine, what }.into()
    }

    /// One command of the Chrome DevTools Protocol.
    pub async fn devtools(&self, method: &str, parameters: Value) -> Result<Value> {
        if self.setting.engine != Engine::Chromium {
            return Err(self.lacks("DevTools protocol in its driver"));
        }
        let body = json!({ "cmd": method, "params": parameters });
        Ok(self.client.issue_cmd(Vendor { path: "goog/cdp/execute", body }).await?)
    }

    /// Runs a script on Firefox's own side, where `browser` is the page's frame and `context` its browsing context.
    async fn firefox(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        let context = |name: &str| Vendor { path: "moz/context", body: json!({ "context": name }) };
        self.client.issue_cmd(context("chrome")).await?;
        let script = format!("const browser = gBrowser.selectedBrowser, context = browser.browsingContext; {script}");
        let outcome = self.client.execute(&script, arguments).await;
        self.client.issue_cmd(context("content")).await?;
        Ok(outcome?)
    }

    /// Another size of the window's inside, in CSS pixels, at the setting's scale.
    pub async fn resize(&self, width: u32, height: u32) -> Result {
        self.rescale(width, height, self.setting.scale).await
    }

    /// Another number of device pixels for one CSS pixel, as after a zoom or on another screen.
    pub async fn rescale(&self, width: u32, height: u32, scale: f64) -> Result {
        match self.setting.engine {
            Engine::Chromium => {
                let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
                self.devtools("Emulation.setDeviceMetricsOverride", metrics).await.map(drop)
            }
            Engine::Firefox => {
                // The window is large enough for any of them; the frame within it is as large as wanted.
                let script = "window.resizeTo(Math.max(600, arguments[0] + 40), arguments[1] + 200);
                    browser.style.width = arguments[0] + 'px'; browser.style.height = arguments[1] + 'px';
                    browser.style.flex = 'none'; browser.style.minWidth = 0; context.overrideDPPX = arguments[2];";
                self.firefox(script, vec![width.into(), height.into(), scale.into()]).await?;
                self.has_size(width, height).await
            }
            #[expect(clippy::float_cmp, reason = "given by the test, not computed")]
            Engine::WebKit if scale != 1.0 => Err(self.lacks("scale of its screen in its driver")),
            Engine::WebKit => {
                // The page hears of its window's size late; what the window has around it is known when it stands still.
                let mut extra = 0;
                for _ in 0..20 {
                    self.client.set_window_rect(0, 0, width, height + extra).await?;
                    let inner = self.still_size().await?;
                    if inner == (width, height) {
                        break;
                    }
                    extra = (extra + height).saturating_sub(inner.1);
                }
                self.has_size(width, height).await
            }
        }
    }

    /// The inside of the window, once two looks at it agree.
    async fn still_size(&self) -> Result<(u32, u32)> {
        let mut last = (0, 0);
        loop {
            let now = serde_json::from_value(self.script("return [innerWidth, innerHeight]", vec![]).await?)?;
            if now == last {
                return Ok(now);
            }
            last = now;
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
    }

    async fn has_size(&self, width: u32, height: u32) -> Result {
        self.until("the window has its size", &format!("return innerWidth === {width} && innerHeight === {height}"))
            .await
    }

    /// Runs this script in every page that is opened from now on, before anything of its own.
    pub async fn before_all(&self, script: &str) -> Result {
        if self.setting.engine == Engine::Chromium {
            let source = json!({ "source": script });
            return self.devtools("Page.addScriptToEvaluateOnNewDocument", source).await.map(drop);
        }
        self.server().inject(script);
        Ok(())
    }

    /// Pages opened from now on run no script of their own.
    pub async fn scripts(&self, allowed: bool) -> Result {
        if self.setting.engine == Engine::Chromium {
            let value = json!({ "value": !allowed });
            return self.devtools("Emulation.setScriptExecutionDisabled", value).await.map(drop);
        }
        self.server().allow_scripts(allowed);
        Ok(())
    }

    /// Requests for files with this ending fail from now on; none are blocked after an empty list.
    pub async fn block(&self, endings: &[&str]) -> Result {
        self.server().block(endings);
        Ok(())
    }

    /// The reader allows reading and writing the clipboard.
    pub async fn allow_clipboard(&self) -> Result {
        if self.setting.engine != Engine::Chromium {
            return Ok(());
        }
        let permissions = json!(["clipboardReadWrite", "clipboardSanitizedWrite"]);
        self.devtools("Browser.grantPermissions", json!({ "permissions": permissions })).await.map(drop)
    }

    /// Theme, motion, forced colours, print.
    pub async fn emulate(&self, media: Media) -> Result {
        let choose = |on: bool, yes: &'static str, no: &'static str| if on { yes } else { no };
        match self.setting.engine {
            Engine::Chromium => {
                let feature = |name: &str, value: &str| json!({ "name": name, "value": value });
                let features = [
                    feature("prefers-color-scheme", choose(media.dark, "dark", "light")),
                    feature("prefers-reduced-motion", choose(media.reduced_motion, "reduce", "no-preference")),
                    feature("forced-colors", choose(media.forced_colors, "active", "none")),
                ];
                let medium = choose(media.print, "print", "screen");
                let all = json!({ "media": medium, "features": features });
                self.devtools("Emulation.setEmulatedMedia", all).await.map(drop)
            }
            Engine::Firefox => {
                let script = "[context.prefersColorSchemeOverride, context.prefersReducedMotionOverride,
                    context.forcedColorsOverride, context.mediumOverride] = arguments;";
                let arguments = vec![
                    choose(media.dark, "dark", "light").into(),
                    choose(media.reduced_motion, "reduce", "no-preference").into(),
                    choose(media.forced_colors, "active", "none").into(),
                    choose(media.print, "print", "").into(),
                ];
                self.firefox(script, arguments).await.map(drop)
            }
            Engine::WebKit if media.forced_colors => Err(self.lacks("forced colours")),
            Engine::WebKit if media != self.setting.media || media.print => {
                Err(self.lacks("way to change the medium or the theme while it runs"))
            }
            // The desktop was set before the browser started.
            Engine::WebKit => Ok(()),
        }
    }

    /// A processor slower by this factor (1 is the machine's own speed).
    pub async fn slow_down(&self, factor: u32) -> Result {
        self.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": factor })).await.map(drop)
    }

    /// The picture of the whole page (of the window, where the driver can do no more) into `target/screenshots/NAME.png`.
    pub async fn picture(&self, name: &str) -> Result<PathBuf> {
        self.settle().await?;
        if self.setting.engine != Engine::Chromium {
            return self.screenshot(name).await;
        }
        let taken = self.devtools("Page.captureScreenshot", json!({ "captureBeyondViewport": true })).await?;
        self.keep(&format!("{name}.png"), &decoded(&taken["data"])?)
    }

    /// The page as printed on A4, into `target/screenshots/NAME.pdf`.
    pub async fn paper(&self, name: &str) -> Result<PathBuf> {
        let printed = match self.setting.engine {
            Engine::Chromium => {
                let a4 = json!({ "printBackground": false, "paperWidth": 8.27, "paperHeight": 11.69 });
                self.devtools("Page.printToPDF", a4).await?["data"].take()
            }
            Engine::Firefox => {
                let a4 = json!({ "background": false, "page": { "width": 21.0, "height": 29.7 } });
                self.client.issue_cmd(Vendor { path: "print", body: a4 }).await?
            }
            Engine::WebKit => return Err(self.lacks("printing in its driver")),
        };
        self.keep(&format!("{name}.pdf"), &decoded(&printed)?)
    }
}

fn decoded(text: &Value) -> Result<Vec<u8>> {
    Ok(STANDARD.decode(text.as_str().ok_or("the browser sent no picture")?)?)
}

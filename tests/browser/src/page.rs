//! The page in its browser: what a person would do to it and read from it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use serde_json::Value;
use xtask::server::Server;

use crate::engine::Engine;
use crate::watch::Heard;
use crate::{Result, Setting};

/// How long the page may take for what a person would call at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// The page in its browser.
#[derive(Debug)]
pub struct Page {
    pub client: Client,
    pub setting: Setting,
    pub(crate) heard: Mutex<Heard>,
    friends: Mutex<Vec<String>>,
    server: Server,
}

impl Page {
    pub(crate) fn new(client: Client, server: Server, setting: Setting) -> Self {
        Self { client, setting, heard: Mutex::default(), friends: Mutex::default(), server }
    }

    pub(crate) async fn close(self) -> Result {
        Ok(self.client.close().await?)
    }

    /// What serves the page.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The text on the clipboard.
    pub async fn clipboard(&self) -> Result<String> {
        if self.setting.engine != Engine::WebKit {
            let text = self.script("return navigator.clipboard.readText()", vec![]).await?;
            return Ok(text.as_str().unwrap_or_default().to_owned());
        }
        // Nobody reads it there but by pasting.
        self.script(
            "const t = document.createElement('textarea'); t.id = 'pasted'; document.body.append(t); t.focus()",
            vec![],
        )
        .await?;
        let control = char::from(Key::Control);
        let keys = [
            KeyAction::Down { value: control },
            KeyAction::Down { value: 'v' },
            KeyAction::Up { value: 'v' },
            KeyAction::Up { value: control },
        ];
        let paste = keys.into_iter().fold(KeyActions::new("keyboard".to_owned()), KeyActions::then);
        self.client.perform_actions(paste).await?;
        let text = self.value("#pasted").await?;
        self.script("document.querySelector('#pasted').remove()", vec![]).await?;
        Ok(text)
    }

    /// The address of the page without a query: of its server, or of the single file where that is what is tested.
    pub fn base(&self) -> String {
        std::env::var("KV_BUDGET_FILE").map_or_else(|_| self.server.url(), |file| format!("file://{file}"))
    }

    /// Opens the single file from the disk with a query, and waits until the program runs.
    pub async fn open_file(&self, query: &str) -> Result {
        let dist = std::env::var("KV_BUDGET_DIST")?;
        let mark = if query.is_empty() { "" } else { "?" };
        self.befriend(&format!("file://{dist}/kv-budget.html"));
        self.client.goto(&format!("file://{dist}/kv-budget.html{mark}{query}")).await?;
        self.runs().await
    }

    /// Opens the page with a query (`f=0.55`, without the `?`; empty for none) and waits until the program runs.
    pub async fn open(&self, query: &str) -> Result {
        self.visit(query).await?;
        self.runs().await
    }

    /// Waits until the program runs.
    pub async fn runs(&self) -> Result {
        self.until("the program runs", "return document.documentElement.dataset.program === 'running'").await
    }

    /// Waits until the sections that open on demand have their style sheet; the single file carries it within itself.
    pub async fn has_every_style(&self) -> Result {
        let script =
            "return !document.querySelector('script[data-sheet]') || !!document.getElementById('sheet')?.sheet";
        self.until("the sections have their style", script).await
    }

    /// Opens the page with a query and does not wait for the program: it may be held back.
    pub async fn visit(&self, query: &str) -> Result {
        let mark = if query.is_empty() { "" } else { "?" };
        Ok(self.client.goto(&format!("{}{mark}{query}", self.base())).await?)
    }

    /// Runs JavaScript in the page; a promise is waited for.
    pub async fn script(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        Ok(self.client.execute(script, arguments).await?)
    }

    /// Waits until the script returns true.
    pub async fn until(&self, what: &str, script: &str) -> Result {
        let since = Instant::now();
        loop {
            match self.script(script, vec![]).await {
                Ok(Value::Bool(true)) => return Ok(()),
                // The page went elsewhere meanwhile; WebKit says so.
                Err(error) if !error.to_string().contains("before the unload event") => return Err(error),
                _ => {}
            }
            if since.elapsed() > PATIENCE {
                return Err(format!("waited {PATIENCE:?} in vain until {what}").into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until nothing moves any more: fonts, finite animations and two frames.
    pub async fn settle(&self) -> Result {
        let script = "return (async () => {
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            await document.fonts.ready; await frame(); await frame();
            const finite = (a) => a.effect.getComputedTiming().iterations !== Infinity;
            await Promise.all(document.getAnimations().filter(finite).map((a) => a.finished.catch(() => 0)));
            // What is not under the finger follows one part a frame.
            for (let i = 0; i < 10; i += 1) await frame();
        })()";
        self.script(script, vec![]).await.map(drop)
    }

    /// The element that a CSS selector finds, waited for.
    pub async fn find(&self, css: &str) -> Result<Element> {
        let since = Instant::now();
        loop {
            match self.client.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await {
                Err(error) if is_gone(&error) && since.elapsed() < PATIENCE => {}
                found => return found.map_err(|error| format!("no element {css:?}: {error}").into()),
            }
        }
    }

    /// Does this to the element that a CSS selector finds, and anew where that was replaced in between.
    async fn on<T>(&self, css: &str, act: impl AsyncFn(Element) -> std::result::Result<T, CmdError>) -> Result<T> {
        let since = Instant::now();
        loop {
            match act(self.find(css).await?).await {
                Err(error) if is_gone(&error) && since.elapsed() < PATIENCE => {}
                Err(CmdError::Standard(told)) => {
                    return Err(format!("{css:?}: {}: {}", told.error, told.message).into());
                }
                outcome => return Ok(outcome?),
            }
        }
    }

    pub async fn count(&self, css: &str) -> Result<usize> {
        Ok(self.client.find_all(Locator::Css(css)).await?.len())
    }

    /// The text of an element as it is rendered.
    pub async fn text(&self, css: &str) -> Result<String> {
        self.on(css, async |element| element.text().await).await
    }

    /// An attribute as it is written, not as a browser resolves it.
    pub async fn attribute(&self, css: &str, name: &str) -> Result<Option<String>> {
        self.find(css).await?;
        let script = "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null";
        Ok(self.script(script, vec![css.into(), name.into()]).await?.as_str().map(str::to_owned))
    }

    /// The current value of a field or slider.
    pub async fn value(&self, css: &str) -> Result<String> {
        Ok(self.on(css, async |element| element.prop("value").await).await?.unwrap_or_default())
    }

    /// Waits until the text of an element contains `expected`.
    pub async fn shows(&self, css: &str, expected: &str) -> Result {
        let since = Instant::now();
        loop {
            let text = self.text(css).await?;
            if text.contains(expected) {
                return Ok(());
            }
            if since.elapsed() > PATIENCE {
                return Err(format!("{css:?} does not show {expected:?} but {text:?}").into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The text of an element whether it is rendered or not.
    pub async fn words(&self, css: &str) -> Result<String> {
        Ok(self.on(css, async |element| element.prop("textContent").await).await?.unwrap_or_default())
    }

    pub async fn click(&self, css: &str) -> Result {
        if self.setting.engine == Engine::WebKit {
            // Its driver scrolls no further than to the edge, where the bars in view may lie over it.
            let middle = "document.querySelector(arguments[0])?.scrollIntoView({ block: 'center' })";
            self.find(css).await?;
            self.script(middle, vec![css.into()]).await?;
        }
        self.on(css, async |element| element.click().await).await
    }

    /// Presses keys in whatever has the focus; Shift, Control, Alt and Meta are held until the last one.
    pub async fn press(&self, keys: &[Key]) -> Result {
        let held = |key: &&Key| matches!(key, Key::Shift | Key::Control | Key::Alt | Key::Meta);
        let mut keyboard = KeyActions::new("keyboard".to_owned());
        for key in keys {
            keyboard = keyboard.then(KeyAction::Down { value: char::from(*key) });
            if !held(&key) {
                keyboard = keyboard.then(KeyAction::Up { value: char::from(*key) });
            }
        }
        for key in keys.iter().filter(held) {
            keyboard = keyboard.then(KeyAction::Up { value: char::from(*key) });
        }
        Ok(self.client.perform_actions(keyboard).await?)
    }

    pub async fn focus(&self, css: &str) -> Result {
        self.find(css).await?;
        self.script("document.querySelector(arguments[0]).focus()", vec![css.into()]).await.map(drop)
    }

    /// What has the focus, as `tag#id.class`.
    pub async fn focused(&self) -> Result<String> {
        let script = "const e = document.activeElement;
            return e.tagName.toLowerCase() + (e.id && '#' + e.id) + [...e.classList].map((c) => '.' + c).join('')";
        Ok(self.script(script, vec![]).await?.as_str().unwrap_or_default().to_owned())
    }

    /// Replaces the text of a field, key by key, and commits it with Enter.
    pub async fn type_into(&self, css: &str, text: &str) -> Result {
        self.write_into(css, text).await?;
        self.press(&[Key::Enter]).await
    }

    /// Replaces the text of a field, key by key, and leaves it uncommitted.
    pub async fn write_into(&self, css: &str, text: &str) -> Result {
        let field = self.find(css).await?;
        let select = "const f = document.querySelector(arguments[0]); f.focus(); f.select(); return f === document.activeElement";
        if self.script(select, vec![css.into()]).await? != Value::Bool(true) {
            // A frame from elsewhere gets the focus in WebKit only by the reader's own hand.
            field.click().await?;
            self.script(select, vec![css.into()]).await?;
        }
        Ok(field.send_keys(text).await?)
    }

    /// Opens every part that a reader can unfold.
    pub async fn unfold(&self) -> Result {
        let script = "document.querySelectorAll('details').forEach((details) => { details.open = true; })";
        self.script(script, vec![]).await.map(drop)
    }

    /// Address, without scheme and host, so with path and query.
    pub async fn address(&self) -> Result<String> {
        let url = self.client.current_url().await?;
        Ok(url.as_str().trim_start_matches(&self.server.origin()).to_owned())
    }

    /// The query of the address, without the `?`.
    pub async fn query(&self) -> Result<String> {
        Ok(self.client.current_url().await?.query().unwrap_or_default().to_owned())
    }

    /// Requests to this place are no trouble.
    pub fn befriend(&self, place: &str) {
        self.friends.lock().unwrap_or_else(PoisonError::into_inner).push(place.to_owned());
    }

    /// Whether requests go to the page's own place, or one that the test set up.
    pub(crate) fn is_own(&self, url: &str) -> bool {
        let friends = self.friends.lock().unwrap_or_else(PoisonError::into_inner);
        [self.base().as_str(), "data:", "blob:"].iter().any(|start| url.starts_with(start))
            || friends.iter().any(|friend| url.starts_with(friend))
    }

    /// The picture of the window, into `target/screenshots/NAME.png`.
    pub async fn screenshot(&self, name: &str) -> Result<PathBuf> {
        self.keep(&format!("{name}.png"), &self.client.screenshot().await?)
    }

    /// Writes a picture to where pictures go.
    pub(crate) fn keep(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/screenshots"));
        std::fs::create_dir_all(&folder)?;
        let file = folder.canonicalize()?.join(name);
        std::fs::write(&file, bytes)?;
        Ok(file)
    }

    /// What helps to understand a failure: the trouble, the address, the picture and the browser's own words.
    pub(crate) async fn last_look(&self, trouble: &str) -> String {
        let address = self.address().await.unwrap_or_default();
        let picture = match self.screenshot(&format!("failed-{}", self.setting.name)).await {
            Ok(file) => file.display().to_string(),
            Err(error) => error.to_string(),
        };
        let mut report = format!("{trouble}\n  address: {address}\n  picture: {picture}");
        for line in self.console().await.unwrap_or_default() {
            report.push_str(&format!("\n  console: {line}"));
        }
        report
    }
}

/// What was found was replaced before it was used; then nothing happened to it yet. WebKit's driver has a second name for it.
fn is_gone(error: &CmdError) -> bool {
    error.is_stale_element_reference() || error.to_string().contains("Stale element")
}

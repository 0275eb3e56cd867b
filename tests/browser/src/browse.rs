//! One test, from the start of its browser to the last look at what the browser had to say.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

use fantoccini::ClientBuilder;
use fantoccini::wd::TimeoutConfiguration;
use futures_util::FutureExt as _;
use hyper_util::client::legacy::connect::HttpConnector;
use std::time::Duration;
use xtask::server::Server;

use crate::driver::Driver;
use crate::engine::Engine;
use crate::lacking::Lacking;
use crate::profile::Profile;
use crate::{Media, Page, Result};

/// Where the page is served: any path must do.
const SUB_PATH: &str = "/some/sub/path/";

/// What a test wants of its browser; [`Setting::new`] is a desktop window, and the rest can be changed field by field.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Of the test; the picture of a failure carries it.
    pub name: String,
    /// In CSS pixels.
    pub width: u32,
    pub height: u32,
    /// Device pixels for one CSS pixel.
    pub scale: f64,
    /// The reader's own size of text in pixels; 16 is what browsers come with.
    pub text: u32,
    pub media: Media,
    pub engine: Engine,
    /// The test provokes console errors or policy reports on purpose and looks at them itself.
    pub expects_trouble: bool,
}

impl Setting {
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            width: 1280,
            height: 900,
            scale: 1.0,
            text: 16,
            media: Media::default(),
            engine: Engine::current(),
            expects_trouble: false,
        }
    }

    pub fn size(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    pub fn text(mut self, text: u32) -> Self {
        self.text = text;
        self
    }

    pub fn media(mut self, media: Media) -> Self {
        self.media = media;
        self
    }

    pub fn expecting_trouble(mut self) -> Self {
        self.expects_trouble = true;
        self
    }
}

/// Runs one test in a browser of its own; one that needs what the engine lacks is skipped and counted.
///
/// # Panics
/// If the test fails, or the browser reports trouble that the test did not expect.
pub async fn browse(setting: Setting, test: impl AsyncFnOnce(&Page) -> Result) {
    let name = setting.name.clone();
    if let Err(trouble) = session(setting, test).await {
        if let Some(lacking) = trouble.downcast_ref::<Lacking>() {
            return lacking.note(&name);
        }
        panic!("{name}: {trouble}");
    }
}

/// Opens a browser, runs `visit` in it, and ends it whatever happens.
///
/// # Errors
/// What `visit` gives, or that the browser reported trouble or could not be started.
pub async fn session(setting: Setting, visit: impl AsyncFnOnce(&Page) -> Result) -> Result {
    let dist = dist()?;
    let server = Server::start(&dist, SUB_PATH, 0).map_err(|error| format!("{}: {error}", dist.display()))?;
    let driver = Driver::start(&setting)?;
    let client = ClientBuilder::new(HttpConnector::new())
        .capabilities(setting.engine.capabilities(&setting, driver.profile().map(Profile::folder))?)
        .connect(&driver.url())
        .await?;
    driver.focus()?;
    let patience = Some(Duration::from_secs(180));
    client.update_timeouts(TimeoutConfiguration::new(patience, patience, None)).await?;
    let page = Page::new(client, server, setting);
    let outcome = match AssertUnwindSafe(visited(&page, visit)).catch_unwind().await {
        Ok(outcome) => outcome,
        Err(panic) => Err(said(panic.as_ref()).into()),
    };
    let outcome = match outcome {
        Ok(()) => Ok(()),
        Err(lacking) if lacking.is::<Lacking>() => Err(lacking),
        Err(trouble) => Err(page.last_look(&trouble.to_string()).await.into()),
    };
    page.close().await?;
    driver.profile().map_or(Ok(()), Profile::keep)?;
    outcome
}

async fn visited(page: &Page, visit: impl AsyncFnOnce(&Page) -> Result) -> Result {
    page.prepare().await?;
    visit(page).await?;
    let mut troubles = page.troubles().await?;
    if page.setting.expects_trouble {
        // Errors were provoked; asking somebody else for anything never is.
        troubles = page.strangers().await?;
    }
    if troubles.is_empty() { Ok(()) } else { Err(format!("the browser reports:\n{}", troubles.join("\n")).into()) }
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the test panicked").to_owned()
}

fn dist() -> Result<PathBuf> {
    let folder = std::env::var_os("KV_BUDGET_DIST")
        .ok_or("KV_BUDGET_DIST names no built page: run `cargo xtask test-browser`, which builds it")?;
    Ok(PathBuf::from(folder))
}

//! Firefox takes five seconds to start: a test hands its browser on to the next one of the same program.
//!
//! Every test has a server of its own, so an origin of its own: nothing that one stored is seen by another. What they share
//! is the history of the tab, which is made long enough for all.

use std::sync::{LazyLock, Mutex, PoisonError};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use tokio::runtime::{Builder, Runtime};

use crate::driver::Driver;
use crate::engine::Engine;
use crate::{Result, Setting};

/// A running browser.
#[derive(Debug)]
pub struct Browser {
    pub client: Client,
    driver: Driver,
}

/// Those that no test has at the moment.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// What speaks to the drivers outlives the test that began it.
static TALK: LazyLock<std::io::Result<Runtime>> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(1).enable_all().build());

impl Browser {
    /// One for this setting: one that another test is done with, or a new one.
    ///
    /// # Errors
    /// If none can be started.
    pub async fn for_setting(setting: &Setting) -> Result<Self> {
        let idle = if is_kept(setting) { IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop() } else { None };
        match idle {
            Some(browser) => Ok(browser),
            None => Self::start(setting).await,
        }
    }

    async fn start(setting: &Setting) -> Result<Self> {
        let driver = Driver::start(setting)?;
        let (url, capabilities) = (driver.url(), setting.engine.capabilities(setting)?);
        let talk = TALK.as_ref().map_err(ToString::to_string)?;
        let connecting = talk.spawn(async move {
            ClientBuilder::new(HttpConnector::new()).capabilities(capabilities).connect(&url).await
        });
        let client = connecting.await??;
        driver.focus()?;
        Ok(Self { client, driver })
    }

    /// For the next test, or ended where it is not worth keeping or a test failed in it.
    ///
    /// # Errors
    /// If it does not end.
    pub async fn done_with(self, setting: &Setting, passed: bool) -> Result {
        if passed && is_kept(setting) && self.client.windows().await?.len() == 1 {
            // What the test left running ends.
            self.client.goto("about:blank").await?;
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
            return Ok(());
        }
        self.client.close().await?;
        drop(self.driver);
        Ok(())
    }
}

/// Theme, motion and size can be changed while it runs, the size of text only at its start.
fn is_kept(setting: &Setting) -> bool {
    setting.engine == Engine::Firefox && setting.text == 16
}

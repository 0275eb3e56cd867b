//! Somebody else's site, with our embeds in it: another origin, served by a host that sends no CORS header.

use std::path::PathBuf;

use fantoccini::elements::{Element, ElementRef};
use xtask::server::Server;

use crate::{Page, Result};

/// Otherwise the browser would look for one, in vain.
const NO_ICON: &str = "<!doctype html><link rel=icon href=data:,>";

/// A site of another origin.
#[derive(Debug)]
pub struct Host {
    server: Server,
    folder: PathBuf,
}

impl Host {
    /// Serves this folder; the page under test may ask it for files.
    pub fn of(page: &Page, folder: PathBuf) -> Result<Self> {
        let server = Server::start(&folder, "/", 0)?;
        page.befriend(&server.url());
        Ok(Self { server, folder })
    }

    /// A site of one page: `HOME` in its markup is the address of the page under test.
    pub fn with(page: &Page, name: &str, html: &str) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("kv-budget-host-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let host = Self::of(page, folder)?;
        host.write("index.html", &(NO_ICON.to_owned() + html).replace("HOME/", &page.base()))?;
        Ok(host)
    }

    /// Adds a file to the site.
    pub fn write(&self, name: &str, text: &str) -> Result {
        Ok(std::fs::write(self.folder.join(name), text)?)
    }

    pub fn url(&self) -> String {
        self.server.url()
    }
}

impl Page {
    /// Goes to a page of a site.
    pub async fn visit_host(&self, host: &Host, path: &str) -> Result {
        Ok(self.client.goto(&format!("{}{path}", host.url())).await?)
    }

    /// Steps into the frame that a script finds, once the program runs in it; what follows happens there.
    pub async fn enter(&self, script: &str) -> Result {
        self.step_into(script).await?;
        self.runs().await
    }

    /// Steps into the frame that a script finds.
    pub async fn step_into(&self, script: &str) -> Result {
        self.until("the frame is there", &format!("return Boolean((() => {{ {script} }})())")).await?;
        let found = self.script(script, vec![]).await?;
        let id = found.as_object().and_then(|found| found.values().next()).and_then(|id| id.as_str());
        let id = id.ok_or_else(|| format!("no element but {found}"))?.to_owned();
        Ok(Element::from_element_id(self.client.clone(), ElementRef::from(id)).enter_frame().await?)
    }

    /// Back to the page around all frames.
    pub async fn leave(&self) -> Result {
        Ok(self.client.enter_parent_frame().await?)
    }

    /// Waits until a frame is as high as what is in it, to within a pixel: `frame` is an expression for the element.
    pub async fn fits(&self, frame: &str) -> Result {
        self.until("the frame has told its height", &format!("return {frame}.getBoundingClientRect().height !== 480"))
            .await?;
        let mut last = String::new();
        for _ in 0..100 {
            let outside = self.script(&format!("return {frame}.getBoundingClientRect().height"), vec![]).await?;
            self.step_into(&format!("return {frame}")).await?;
            let inside = "const root = document.documentElement; return [root.getBoundingClientRect().height, root.scrollHeight - innerHeight]";
            let (height, hidden): (f64, f64) = serde_json::from_value(self.script(inside, vec![]).await?)?;
            self.leave().await?;
            let outside = outside.as_f64().unwrap_or_default();
            if (outside - height).abs() <= 1.0 && hidden <= 0.0 {
                return Ok(());
            }
            last = format!("the frame has {outside} pixels, what is in it {height}, and {hidden} are out of sight");
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        }
        Err(last.into())
    }
}

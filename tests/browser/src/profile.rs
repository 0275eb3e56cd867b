//! A profile for each Firefox, with what the first one found out about itself: with it, a start takes half the time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Result;

/// Compiled scripts of the browser's own window, the version they are of, and the add-ons it comes with. A Firefox of
/// another version does not use them. Nothing that a page could have left is among them.
const KEPT: [&str; 4] = ["startupCache", "compatibility.ini", "addonStartup.json.lz4", "extensions.json"];

/// A folder that ends with its handle.
#[derive(Debug)]
pub(crate) struct Profile(PathBuf);

impl Profile {
    /// Empty but for what an earlier Firefox found out.
    pub(crate) fn new() -> Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let profile = Self(place(&format!("{}-{number}", std::process::id())));
        std::fs::create_dir_all(&profile.0)?;
        take_over(&place("kept"), &profile.0)?;
        Ok(profile)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Keeps what this Firefox found out, where no other was first. It must have ended.
    pub(crate) fn keep(&self) -> Result {
        let kept = place("kept");
        if kept.is_dir() {
            return Ok(());
        }
        let parts = Self(self.0.with_extension("kept"));
        std::fs::create_dir_all(&parts.0)?;
        take_over(&self.0, &parts.0)?;
        // In one step, so that nobody takes half of it over. Where another was first meanwhile, its parts are as good.
        std::fs::rename(&parts.0, kept).ok();
        Ok(())
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn place(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/firefox")).join(name)
}

fn take_over(from: &Path, to: &Path) -> Result {
    KEPT.iter().try_for_each(|name| copy(&from.join(name), &to.join(name)))
}

/// Copies a file or a folder of files; what is not there is left out.
fn copy(from: &Path, to: &Path) -> Result {
    if from.is_file() {
        std::fs::copy(from, to)?;
    } else if from.is_dir() {
        std::fs::create_dir_all(to)?;
        for entry in std::fs::read_dir(from)? {
            let name = entry?.file_name();
            copy(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

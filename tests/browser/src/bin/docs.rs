//! Looks at built documentation sites that embed a scenario: the right number, the right height, narrow and wide.
//!
//! Arguments are folders of sites; `cargo xtask test-docs` builds them with the real tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use browser_tests::{Host, Page, Result, Setting, session};

/// Stands in the examples for where the page is hosted.
const HOME: &str = "https://kv-budget.example/";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let sites: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if sites.is_empty() {
        eprintln!("no site to look at: `cargo xtask test-docs` builds them");
        return ExitCode::FAILURE;
    }
    for site in &sites {
        let name = site.iter().rev().nth(1).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if let Err(trouble) =
            session(Setting::new(&format!("docs-{name}")), async |page| look(page, &name, site).await).await
        {
            eprintln!("{name}: {trouble}");
            return ExitCode::FAILURE;
        }
        println!("  {name}: 159,171 tokens, as high as it is, at 1280 and at 360 pixels");
    }
    ExitCode::SUCCESS
}

async fn look(page: &Page, name: &str, site: &Path) -> Result {
    let served = std::env::temp_dir().join(format!("kv-budget-docs-{}-{name}", std::process::id()));
    copied(site, &served, &page.base())?;
    let host = Host::of(page, served)?;
    let frame = "document.querySelector('kv-budget').shadowRoot?.querySelector('iframe')";
    for width in [1280, 360] {
        page.resize(width, 900).await?;
        page.visit_host(&host, "").await?;
        page.find("kv-budget").await?;
        page.script("document.querySelector('kv-budget').scrollIntoView()", vec![]).await?;
        page.enter(&format!("return {frame}")).await?;
        page.shows("#headline", "159,171 tokens").await?;
        let sideways = page.sideways().await?;
        if !sideways.is_empty() {
            return Err(format!("at {width} pixels: {sideways:?}").into());
        }
        page.leave().await?;
        page.fits(frame).await?;
        page.screenshot(&format!("docs-{name}-{width}")).await?;
    }
    Ok(())
}

/// The site with the page's real address in it.
fn copied(from: &Path, to: &Path, home: &str) -> Result {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copied(&path, &target, home)?;
        } else if path.extension().is_some_and(|end| end == "html" || end == "js") {
            std::fs::write(&target, std::fs::read_to_string(&path)?.replace(HOME, home))?;
        } else {
            std::fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

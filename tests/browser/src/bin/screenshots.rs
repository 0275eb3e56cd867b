//! Pictures of the built page for whoever wants to look at it: each theme, width and medium of each scenario.
//!
//! Arguments are scenario queries, with a section (`f=0.88#plan`) if that is to be open; none means the page as it opens.

use std::process::ExitCode;

use browser_tests::{Media, Page, Result, Setting, session};

/// What one picture shows.
struct View {
    name: &'static str,
    width: u32,
    media: Media,
}

const LIGHT: Media = Media { dark: false, reduced_motion: false, forced_colors: false, print: false };

const FILLED: &str = "return [...document.querySelectorAll('[data-section][open] .bench-section__body')].every((body) => body.firstChild)";

const VIEWS: &[View] = &[
    View { name: "light", width: 1280, media: LIGHT },
    View { name: "dark", width: 1280, media: Media::DARK },
    View { name: "phone", width: 360, media: LIGHT },
    View { name: "phone-dark", width: 360, media: Media::DARK },
    View { name: "wide", width: 2560, media: LIGHT },
    View { name: "forced-colors", width: 1280, media: Media { forced_colors: true, ..LIGHT } },
    View { name: "print", width: 794, media: Media { print: true, ..LIGHT } },
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut queries: Vec<String> = std::env::args().skip(1).collect();
    if queries.is_empty() {
        queries.push(String::new());
    }
    // Trouble of the page must not keep anyone from looking at it.
    let setting = Setting::new("screenshots").expecting_trouble();
    match session(setting, async |page| take(page, &queries).await).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    }
}

async fn take(page: &Page, queries: &[String]) -> Result {
    for query in queries {
        let prefix = if query.is_empty() { String::new() } else { format!("{}-", file_name(query)) };
        for view in VIEWS {
            page.emulate(view.media).await?;
            page.resize(view.width, 900).await?;
            page.open(query).await?;
            // `#plan` opens that section, and the workshop fills it.
            page.until("open sections are filled", FILLED).await?;
            println!("  {}", page.picture(&format!("{prefix}{}", view.name)).await?.display());
        }
        page.emulate(LIGHT).await?;
        println!("  {}", page.paper(&format!("{prefix}paper")).await?.display());
    }
    for trouble in page.troubles().await? {
        println!("  the browser reports: {trouble}");
    }
    Ok(())
}

/// A query as part of a file's name.
fn file_name(query: &str) -> String {
    query.chars().map(|letter| if letter.is_alphanumeric() || ".-".contains(letter) { letter } else { '_' }).collect()
}

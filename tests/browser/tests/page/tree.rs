//! What a screen reader is given, line by line, as it was read aloud and found good: `trees/` holds it.

use browser_tests::{Setting, browse};

#[tokio::test]
async fn the_page_reads_as_it_was_written_down() {
    browse(Setting::new("tree"), async |page| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/trees/");
        let mut changed = Vec::new();
        for (query, css, name) in [
            ("", ".verdict", "verdict-short"),
            ("f=0.88", ".verdict", "verdict-starts"),
            ("f=0.92&dyn=9.5", ".verdict", "verdict-too-high"),
            ("", ".bars", "bars"),
            ("f=0.88", ".controls", "sliders"),
            ("f=nonsense", ".controls", "sliders-refused"),
            ("f=0.88", "#curve", "curve"),
        ] {
            page.open(query).await?;
            page.settle().await?;
            let tree = page.tree(css).await?;
            let file = format!("{folder}{name}.txt");
            if std::fs::read_to_string(&file).unwrap_or_default() != tree {
                let new = std::env::temp_dir().join(format!("{name}.txt"));
                std::fs::write(&new, &tree)?;
                changed.push(format!("diff {file} {}", new.display()));
            }
        }
        if changed.is_empty() { Ok(()) } else { Err(format!("it reads otherwise:\n{}", changed.join("\n")).into()) }
    })
    .await;
}

//! `kv-budget.html`: the page with everything in it, for machines without a network. It opens from a disk.
//!
//! Page and sections are one program here: they share more than half of what they are, so one is 291 kB of gzip, packed
//! by LZMA, where the six separate ones are 561.

use sha2::{Digest as _, Sha256};

use crate::program::{self, Glue};
use crate::step::{Failure, Result, say};
use crate::{embed, glue, inline, prerender, project};

/// The file's name, which links and downloads use.
pub const NAME: &str = "kv-budget.html";

/// Writes the file from the page as Trunk left it, and gives its SHA-256 in hex.
pub fn write(page: &str) -> Result<String> {
    let program = program::build("whole", Glue::Script)?;
    let step = "write the single file";
    say(step);
    let damaged = |what: &str| Failure::new(step, format!("the page has no {what}")).cure("look at index.html");
    let html = prerender::blocks(page, &["page", "embed"]);
    // The program may be run from a blob: by a worker, or by a script where workers are refused.
    let more = "; worker-src blob:; img-src data: blob:";
    let html = inline::with_policy(&html, more).ok_or_else(|| damaged("policy"))?;
    let html = inline::without_fetches(&html)
        .replace("script-src 'wasm-unsafe-eval'", "script-src 'wasm-unsafe-eval' blob:")
        .replace("href=\"./\"", "href=\"?\"")
        .replace(" data-script=\"share.js?v=VERSION-OF-SHARE\"", "");
    let hands = project::read(step, &project::root().join("public/share.js"))?;
    let hands = glue::small(step, &hands, &[])?;
    let early = embed::early(step, &inline::source(step, "early.js")?)?;
    let before = inline::source(step, "workshop.js")?;
    let starting = inline::source(step, "start.js")?.replace("BEFORE;", &before).replace("START", "wasm_bindgen");
    let starting = glue::small(
        step,
        &[inline::source(step, "shell.js")?, starting, inline::source(step, "unpack-lzma.js")?].concat(),
        &["--module"],
    )?;
    let html = html.replace("</head>", &format!("<script>{early}</script>\n</head>")).replace(
        "</body>",
        &format!(
            "<script>{hands}</script>\n<script id=\"glue\">{}</script>\n{}<script type=\"module\">{starting}</script>\n</body>",
            program.glue,
            inline::data(&inline::lzma(&program.wasm)?)
        ),
    );
    let html = prerender::fill(&html, &prerender::every_sheet()?);
    project::write(step, &project::dist().join(NAME), &html)?;
    let digest = Sha256::digest(&html).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    say(format!("sha256 {digest}  {NAME}"));
    Ok(digest)
}

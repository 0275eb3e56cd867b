//! `dist/api/`: the model as a JavaScript module, its types, and a page that shows it at work.

use crate::program::{self, Glue};
use crate::project;
use crate::step::{Result, say};

/// Written by hand; the program and its glue are built.
const FILES: [&str; 5] = ["kv-budget.js", "kv-budget.d.ts", "example.html", "example.css", "example.js"];

pub fn write() -> Result<()> {
    let built = program::build("api", Glue::Module)?;
    let step = "write the JavaScript module";
    say(step);
    let folder = project::dist().join("api");
    let fail = |error| project::unreadable(step, &folder, &error);
    std::fs::create_dir_all(&folder).map_err(fail)?;
    for name in FILES {
        let text = project::read(step, &project::root().join("api").join(name))?;
        project::write(step, &folder.join(name), &text)?;
    }
    project::write(step, &folder.join("program.js"), &(built.glue + "\n"))?;
    std::fs::write(folder.join("program_bg.wasm"), built.wasm).map_err(fail)
}

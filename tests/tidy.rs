//! The invariants that a text search can guard.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the project") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a text file")
}

/// Source without its comment lines.
fn code(path: &Path) -> String {
    let text = read(path);
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_pure(path: &Path) -> bool {
    let text = path.to_string_lossy();
    const OUTSIDE: [&str; 7] = [
        "src/browser",
        "src/ui",
        "src/main.rs",
        "src/bin",
        "src/js.rs",
        "src/workshop/wiring.rs",
        "src/workshop/reading.rs",
    ];
    !OUTSIDE.iter().any(|outside| text.starts_with(outside))
}

#[test]
fn every_file_says_what_it_is() {
    for path in sources() {
        assert!(read(&path).starts_with("//!"), "{} has no header", path.display());
    }
}

/// Everything in Rust that is the project's own.
fn sources() -> impl Iterator<Item = PathBuf> {
    let folders = ["src", "tests", "examples", "benches", "fuzz/fuzz_targets", "xtask/src"];
    folders.into_iter().flat_map(|folder| files(folder, "rs"))
}

/// `ls src` shows each module once: a folder's face is its `mod.rs`.
#[test]
fn a_folder_has_its_face_inside() {
    for entry in fs::read_dir("src").unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let beside = entry.with_extension("rs");
        assert!(!beside.exists(), "{} stands beside its folder", beside.display());
        assert!(entry.join("mod.rs").exists() || entry.ends_with("bin"), "{} has no mod.rs", entry.display());
    }
}

/// A module is one thought; a longer file needs a reason.
#[test]
fn no_file_is_long_without_a_reason() {
    const LONGEST: usize = 400;
    const REASONS: [(&str, &str); 2] = [
        ("tests/logs_more.rs", "a table of lines that people pasted"),
        ("tests/model_page.rs", "one function for each table of docs/model.md"),
    ];
    let long: Vec<String> = sources()
        .filter(|path| read(path).lines().count() > LONGEST)
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    for path in &long {
        assert!(REASONS.iter().any(|(known, _)| known == path), "{path} has more than {LONGEST} lines");
    }
    for (path, why) in REASONS {
        assert!(long.iter().any(|long| long == path), "{path} is not long any more ({why})");
    }
}

#[test]
fn the_model_cannot_see_the_browser() {
    for path in files("src", "rs").into_iter().filter(|path| is_pure(path)) {
        let code = code(&path);
        for word in ["web_sys", "js_sys", "leptos", "wasm_bindgen", "gloo", "Instant::now", "SystemTime", "std::thread"]
        {
            assert!(!code.contains(word), "{} names {word}", path.display());
        }
    }
}

/// The modules of the crate that a source names: `crate::a::b`, and each of `crate::{a, b::{c, d}}`.
fn named_modules(code: &str) -> Vec<&str> {
    let name = |text: &'_ str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            names.push(&rest[..name(rest)]);
            continue;
        };
        let (mut depth, mut starts) = (1, true);
        for (at, letter) in list.char_indices() {
            if starts && depth == 1 && letter.is_alphabetic() {
                names.push(&list[at..at + name(&list[at..])]);
                starts = false;
            }
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => starts = true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

#[test]
fn no_way_of_importing_hides_a_module() {
    assert_eq!(named_modules("use crate::view::Node;\nlet x = crate::format::gib(y);"), ["view", "format"]);
    let nested = "use crate::{\n    sections::{ui, Ask},\n    decimal, text as t,\n};\nlet z = { ui };";
    assert_eq!(named_modules(nested), ["sections", "decimal", "text"]);
}

/// From the lowest to the highest.
const FLOORS: [&[&str]; 8] = [
    &["decimal", "issue", "js", "percent", "units"],
    &["format", "budget", "catalog"],
    &["scenario", "engines", "plot", "text"],
    &["live", "plan", "logs", "view", "exports"],
    &["sections"],
    &["workshop"],
    &["browser"],
    &["ui"],
];

#[test]
fn the_floors_are_those_that_the_documents_name() {
    let floors = FLOORS.map(|floor| floor.join(", ")).join(" → ");
    for document in ["ARCHITECTURE.md", "src/lib.rs"] {
        let words: Vec<String> =
            read(Path::new(document)).lines().map(|line| line.trim_start_matches("//!").trim().to_owned()).collect();
        let text = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&floors), "{document} has other floors than {floors}");
    }
}

#[test]
fn imports_only_go_down() {
    let floor = |module: &str| FLOORS.iter().position(|floor| floor.contains(&module));
    for path in files("src", "rs") {
        let relative = path.strip_prefix("src").expect("below src");
        let module =
            relative.components().next().expect("a component").as_os_str().to_string_lossy().replace(".rs", "");
        // The programs, and the list of the modules, are above all floors.
        if ["main", "bin", "lib"].contains(&module.as_str()) {
            continue;
        }
        let own = floor(&module).unwrap_or_else(|| panic!("{module} is on no floor"));
        let code = code(&path);
        // Tests may look at their subject from above.
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        for name in named_modules(code) {
            if let Some(other) = floor(name) {
                assert!(other <= own, "{}: {module} imports {name}, which is above it", path.display());
            }
        }
    }
}

#[test]
fn no_quantity_is_as_wide_as_the_machine() {
    for path in
        files("src/budget", "rs").into_iter().chain(files("src/scenario", "rs")).chain([PathBuf::from("src/units.rs")])
    {
        // Lengths of texts and lists are; what a type holds or a function takes is not.
        let code = code(&path);
        let held = code.lines().find(|line| line.contains("pub ") && line.contains("usize"));
        assert_eq!(held, None, "{} holds a usize", path.display());
    }
}

#[test]
fn text_from_outside_stays_text() {
    const WORDS: [&str; 8] = [
        "inner_html",
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "insert_adjacent_html",
        "setHTML",
        "createContextualFragment",
        "document.write",
    ];
    // Whatever becomes a part of what is delivered.
    let programs = ["src", "xtask/src"].into_iter().flat_map(|folder| files(folder, "rs"));
    let scripts = ["public", "embed", "api"].into_iter().flat_map(|folder| files(folder, "js"));
    let pages = files("api", "html").into_iter().chain([PathBuf::from("index.html")]);
    for path in programs.chain(scripts).chain(pages) {
        let code = code(&path);
        for word in WORDS {
            assert!(!code.contains(word), "{} uses {word}", path.display());
        }
    }
}

#[test]
fn every_name_in_the_markup_is_a_row() {
    use kv_budget::live::{LISTS, MARKS, SENTENCES, SHARES, TURNS, VALUES, WORDS};
    let mut sources = read(Path::new("index.html"));
    for path in files("xtask/src/prerender", "rs") {
        sources += &read(&path).split("#[cfg(test)]").next().unwrap_or_default().replace('\\', "");
    }
    let names = |kind: &str| -> Vec<String> {
        let start = format!("data-{kind}=\"");
        let found = sources.match_indices(&start).map(|(at, _)| &sources[at + start.len()..]);
        found.map(|rest| rest[..rest.find('"').expect("a closing quote")].to_owned()).collect()
    };
    let check = |kind: &str, rows: Vec<&str>| {
        for name in names(kind).into_iter().filter(|name| !name.contains(['{', '$'])) {
            assert!(rows.contains(&name.as_str()), "data-{kind}=\"{name}\" is no row of live.rs");
        }
    };
    check("words", WORDS.iter().map(|row| row.0).collect());
    check("sentence", SENTENCES.iter().map(|row| row.0).collect());
    check("list", LISTS.iter().map(|row| row.0).collect());
    check("value", VALUES.iter().map(|row| row.0).collect());
    check("mark", MARKS.iter().map(|row| row.0).collect());
    check("turn", TURNS.to_vec());
    assert!(!names("turn").is_empty(), "nothing waits for a turn");
    for kind in ["from", "size", "until"] {
        check(kind, SHARES.iter().map(|row| row.0).collect());
    }
}

#[test]
fn style_sheets_use_the_tokens() {
    for path in files("style", "css") {
        if path.ends_with("1-tokens.css") {
            continue;
        }
        let css = read(&path);
        let colour = css.lines().find(|line| line.contains(": #") || line.contains("rgb("));
        assert_eq!(colour, None, "{}: a colour that is no token", path.display());
    }
}

#[test]
fn the_tests_that_the_table_of_accessibility_names_are_there() {
    let document = read(Path::new("docs/accessibility.md"));
    let tests: String = files("tests", "rs").iter().map(|path| read(path)).collect();
    let named: Vec<&str> = document.split('`').skip(1).step_by(2).filter(|name| name.contains('_')).collect();
    assert!(named.len() > 40, "{named:?}");
    for name in named {
        assert!(tests.contains(&format!("fn {name}()")), "docs/accessibility.md names {name}, which is no test");
    }
}

#[test]
fn every_path_that_a_document_names_is_there() {
    const FOLDERS: [&str; 12] = [
        ".ci/",
        "api/",
        "benches/",
        "docs/",
        "embed/",
        "examples/",
        "fuzz/",
        "public/",
        "src/",
        "style/",
        "tests/",
        "xtask/",
    ];
    let documents =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(PathBuf::from);
    for document in documents.into_iter().chain(files("docs", "md")) {
        let text = read(&document);
        let quoted = text.split('`').skip(1).step_by(2);
        let linked = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        let folder = document.parent().expect("a folder");
        for (named, path) in quoted.map(|path| (path, Path::new(path).to_path_buf())).filter(|(path, _)| {
            FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.contains([' ', '{', '*', '…'])
        }) {
            assert!(path.exists(), "{} names {named}", document.display());
        }
        for link in linked.filter(|link| !link.is_empty() && !link.contains("://")) {
            assert!(folder.join(link).exists(), "{} links to {link}", document.display());
        }
    }
}

//! Files that carry their program within themselves: a frame in a sandbox, or a file opened from a disk, may fetch nothing.
//!
//! The program is packed and then in base64, which is smaller than base64 alone even after the host's own compression
//! (measured: 131 kB against 139 kB). An embed carries gzip, which the browser unpacks by itself; the single file, which is
//! near its limit, LZMA: 67 kB less than `gzip -9`, for a third of a second more.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lzma_rust2::{LzmaOptions, LzmaWriter};
use std::io::Write as _;

use crate::project;
use crate::step::{Failure, Result};

/// A JavaScript or HTML source in `embed/`.
pub fn source(step: &str, name: &str) -> Result<String> {
    project::read(step, &project::root().join("embed").join(name))
}

/// The program as an element that holds data: no script, so the policy has nothing to allow.
pub fn data(packed: &[u8]) -> String {
    format!("<script type=\"text/plain\" id=\"program\">{}</script>\n", STANDARD.encode(packed))
}

/// For `embed/unpack-gzip.js`.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    // More blocks than usual: a program's parts differ.
    let options = zopfli::Options { maximum_block_splits: 60, ..zopfli::Options::default() };
    zopfli::compress(options, zopfli::Format::Gzip, bytes, &mut packed)
        .map_err(|error| Failure::new("compress the program", error))?;
    Ok(packed)
}

/// For `embed/unpack-lzma.js`, which knows no end marker: the size stands in the head.
pub fn lzma(bytes: &[u8]) -> Result<Vec<u8>> {
    let fail = |error| Failure::new("compress the program", error);
    let mut options = LzmaOptions::with_preset(9);
    // Larger than any program of ours; the usual 64 MiB would only cost memory.
    options.dict_size = 1 << 20;
    (options.lc, options.pb) = (4, 0);
    let size = u64::try_from(bytes.len()).ok();
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, size).map_err(fail)?;
    writer.write_all(bytes).map_err(fail)?;
    writer.finish().map_err(fail)
}

/// The glue of a module as statements of another one, and the name of the function in it that starts the program.
pub fn statements(glue: &str) -> Option<(String, String)> {
    let (body, exports) = glue.trim_end().trim_end_matches(';').rsplit_once("export{")?;
    let exports = exports.strip_suffix('}')?;
    let start = exports.split(',').find_map(|export| export.trim().strip_suffix(" as default"))?;
    let body = body.replace("export class ", "class ").replace("export function ", "function ");
    Some((body, start.to_owned()))
}

/// The policy of a file that asks nobody for anything; `more` is for what this one needs besides.
pub fn with_policy(html: &str, more: &str) -> Option<String> {
    let (before, rest) = html.split_once("http-equiv=\"Content-Security-Policy\" content=\"")?;
    let (_, after) = rest.split_once('"')?;
    let policy = "default-src 'none'; script-src 'wasm-unsafe-eval' <!-- kv:script-hashes -->; style-src \
                  <!-- kv:style-hashes -->; base-uri 'none'; form-action 'none'";
    Some([before, "http-equiv=\"Content-Security-Policy\" content=\"", policy, more, "\"", after].concat())
}

/// Without the lines that fetch something.
pub fn without_fetches(html: &str) -> String {
    let fetches = |line: &str| {
        line.starts_with("<link rel=\"") && !line.contains("rel=\"canonical\"")
            || line.starts_with("<script type=\"module\" src=")
    };
    // Trunk puts its last links and the end of the head into one line.
    let lines = html.replace("</head>", "\n</head>");
    lines.lines().filter(|line| !fetches(line)).collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_becomes_statements() {
        let glue = "export class A{}let b;export{c as initSync,d as default};\n";
        assert_eq!(statements(glue), Some(("class A{}let b;".to_owned(), "d".to_owned())));
        assert_eq!(statements("let b"), None);
    }

    #[test]
    fn nothing_is_fetched() {
        let html = "<link rel=\"icon\" href=\"a\">\n<script type=\"module\" src=\"b\"></script>\n<link rel=\"preload\"></head>\n<p>c</p>";
        assert_eq!(without_fetches(html), "</head>\n<p>c</p>\n");
    }

    #[test]
    fn the_policy_is_replaced() {
        let html = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src *\">";
        let strict = with_policy(html, "; img-src data:").unwrap_or_default();
        assert!(strict.contains("default-src 'none'") && strict.ends_with("; img-src data:\">"), "{strict}");
    }
}

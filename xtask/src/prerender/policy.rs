//! The Content-Security-Policy's hashes of inline scripts and styles.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::glue::between;

/// Puts the hashes of all inline scripts and styles where the policy asks for them.
pub fn fill(html: &str) -> String {
    let scripts = hashes(html, "<script", "</script>");
    let styles = hashes(html, "<style", "</style>");
    html.replace("<!-- kv:script-hashes -->", &scripts).replace("<!-- kv:style-hashes -->", &styles)
}

/// Whether a page's policy forbids all that it does not name, and names nothing unsafe but WebAssembly.
pub fn is_strict(html: &str) -> bool {
    let policy = between(html, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    policy.is_some_and(|policy| {
        policy.starts_with("default-src 'none'") && !policy.replace("'wasm-unsafe-eval'", "").contains("unsafe")
    })
}

/// Of everything inline between these; what is fetched, or is no script but data, needs none.
fn hashes(html: &str, open: &str, close: &str) -> String {
    let inline = |rest: &str| {
        let (attributes, rest) = rest.split_once('>')?;
        let runs = !attributes.contains(" src=") && !attributes.contains("text/plain");
        runs.then(|| rest.split(close).next().map(hash))?
    };
    html.split(open).skip(1).filter_map(inline).collect::<Vec<_>>().join(" ")
}

/// `'sha256-…'` of a text, as the policy spells it.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_hash() {
        // The example of the Content-Security-Policy specification.
        assert_eq!(hash("alert('Hello, world.');"), "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
    }

    #[test]
    fn what_is_unsafe_is_not_strict() {
        let page = |policy: &str| format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
        assert!(is_strict(&page("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'")));
        for policy in [
            "default-src 'self'",
            "default-src 'none'; script-src 'unsafe-eval'",
            "default-src 'none'; style-src 'unsafe-inline'",
        ] {
            assert!(!is_strict(&page(policy)), "{policy}");
        }
        assert!(!is_strict("<p>no policy</p>"));
    }

    #[test]
    fn everything_inline_is_listed() {
        let html = "<!-- kv:script-hashes -->;<!-- kv:style-hashes --><script>a</script><script src=x></script><script type=\"text/plain\">c</script><style>b</style>";
        let filled = fill(html);
        assert!(filled.starts_with(&format!("{};{}", hash("a"), hash("b"))), "{filled}");
    }
}

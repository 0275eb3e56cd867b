//! What strangers put where text is taken, and how one sees that none of it did anything.

use crate::{Page, Result};

/// A text, and what it tries. All that runs would set `intruder` on the window.
const CORPUS: [(&str, &str); 20] = [
    ("a script", "<script>window.intruder = 1</script>"),
    ("a picture", "\"><img src=x onerror=\"window.intruder = 1\">"),
    ("a drawing", "<svg onload=\"window.intruder = 1\"><animate onbegin=\"window.intruder = 1\"></svg>"),
    ("a drawing's link", "<svg><a xlink:href=\"javascript:window.intruder=1\"><text y=20>click</text></a></svg>"),
    ("a frame", "<iframe srcdoc=\"<script>parent.intruder = 1</script>\"></iframe>"),
    ("an attribute", "' autofocus onfocus='window.intruder=1' x='"),
    ("an address", "javascript:window.intruder=1"),
    ("a document in an address", "data:text/html,<script>opener.intruder=1</script>"),
    ("a style", "</style><style>*{display:none!important}</style>"),
    ("a rule", "red;}body{display:none}x{a:url(//stranger.example/a)"),
    ("a base", "<base href=\"//stranger.example/\"><meta http-equiv=refresh content=\"0;url=//stranger.example/\">"),
    ("the end of a comment", "--><script>window.intruder = 1</script><!--"),
    ("a template", "{{constructor.constructor('window.intruder=1')()}}${window.intruder=1}"),
    ("a prototype", "__proto__"),
    ("right to left", "\u{202e}88.0\u{202c} \u{2066}f=0.9\u{2069}\u{200f}"),
    ("nothing to see", "0\u{200b}.\u{200d}8\u{2060}8\u{feff}\u{ad}"),
    ("controls", "0.88\0\u{1}\u{7}\u{8}\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m"),
    ("other digits", "\u{ff10}.\u{ff18}\u{ff18} \u{661}\u{66b}\u{665}"),
    ("another folder", "../../../../etc/passwd?x#y"),
    ("a line of its own", "0.88\r\nSet-Cookie: intruder=1\r\n\r\n<script>window.intruder = 1</script>"),
];

/// The corpus, and what is too large to be written down.
pub fn corpus() -> Vec<(&'static str, String)> {
    let towers = ["0.88", &"\u{335}\u{489}\u{301}".repeat(300)].concat();
    let grown = [
        ("a tower of accents", towers),
        ("a number without end", "9".repeat(5000)),
        ("depth", "[".repeat(5000)),
        ("a word without end", "intruder".repeat(600)),
    ];
    CORPUS.iter().map(|&(name, text)| (name, text.to_owned())).chain(grown).collect()
}

impl Page {
    /// Fails if anything of the corpus ran, became an element or an attribute that could, or turned the text around it.
    pub async fn is_unharmed(&self) -> Result {
        let script = r"
            const found = [];
            if (typeof intruder !== 'undefined') found.push('a script ran');
            for (const e of document.querySelectorAll('*')) for (const { name, value } of e.attributes) {
                if (/^on/.test(name)) found.push(e.tagName + ' listens: ' + name);
                if (/^(href|src|action|formaction|xlink:href)$/.test(name) && /^\s*(javascript|data):/i.test(value) && e.tagName !== 'LINK')
                    found.push(e.tagName + ' leads to ' + value.slice(0, 40));
            }
            const strange = document.querySelectorAll('body base, body meta, body object, body embed, body style, iframe[srcdoc], img[src=x]');
            for (const e of strange) found.push(e.outerHTML.slice(0, 80));
            const turned = document.body.innerText.match(/[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/);
            if (turned) found.push('unseen U+' + turned[0].codePointAt(0).toString(16) + ' in ' + JSON.stringify(document.body.innerText.slice(Math.max(0, turned.index - 60), turned.index + 20)));
            if (self.origin !== 'null' && document.cookie) found.push('a cookie: ' + document.cookie);
            if (!document.body.checkVisibility()) found.push('the page is hidden');
            return found";
        let found: Vec<String> = serde_json::from_value(self.script(script, vec![]).await?)?;
        if found.is_empty() { Ok(()) } else { Err(format!("harmed:\n{}", found.join("\n")).into()) }
    }
}

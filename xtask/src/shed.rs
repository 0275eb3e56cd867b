//! What a dependency exports and nobody here calls.
//!
//! Leptos brings `wasm-streams` along, for servers; its classes are exported, so no tool may drop them by itself: 1.4 % of the
//! gzip of each program, and a twentieth of its JavaScript.

use crate::wasm::{self, leb, number, vector};

/// How the exports of its three classes begin.
const UNUSED: [&str; 2] = ["intounderlying", "__wbg_intounderlying"];

/// The program without these exports; `None` for what is no program. What only they needed is wasm-opt's to remove.
pub fn exports(program: &[u8]) -> Option<Vec<u8>> {
    let mut shed = wasm::HEAD.to_vec();
    for (kind, section) in wasm::sections(program)? {
        let section = if kind == wasm::EXPORTS { used(section)? } else { section.to_vec() };
        shed.extend(wasm::section(kind, &section));
    }
    Some(shed)
}

/// The section of exports with those that are used.
fn used(section: &[u8]) -> Option<Vec<u8>> {
    let (count, mut rest) = number(section)?;
    let mut kept: Vec<&[u8]> = Vec::new();
    for _ in 0..count {
        let (name, after) = vector(rest)?;
        // A kind, then an index.
        let (_, next) = number(after.get(1..)?)?;
        if !UNUSED.iter().any(|start| name.starts_with(start.as_bytes())) {
            kept.push(rest.get(..rest.len() - next.len())?);
        }
        rest = next;
    }
    Some([leb(kept.len()), kept.concat()].concat())
}

/// The JavaScript as wasm-bindgen writes it, without the classes of those exports.
pub fn classes(glue: &str) -> String {
    const NAME: &str = "IntoUnderlying";
    let mut kept = Vec::new();
    let mut until: Option<fn(&str) -> bool> = None;
    for line in glue.lines() {
        if let Some(ends) = until {
            if ends(line) {
                until = None;
            }
            continue;
        }
        let says = |what: &str| line.contains(&[what, NAME].concat());
        if says("class ") {
            until = Some(|line| line.contains("if (Symbol.dispose)"));
        } else if says("const ") {
            until = Some(|line| line.ends_with(");"));
        } else if !says("exports.") {
            kept.push(line);
        }
    }
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_goes_and_the_others_stay() {
        let entry = |name: &str| [leb(name.len()), name.as_bytes().to_vec(), vec![0, 3]].concat();
        let section = |names: &[&str]| {
            let entries = [leb(names.len()), names.iter().flat_map(|name| entry(name)).collect()].concat();
            [wasm::HEAD, &wasm::section(wasm::EXPORTS, &entries)].concat()
        };
        let names = ["main", "intounderlyingsink_write", "__wbg_intounderlyingsink_free", "memory"];
        assert_eq!(exports(&section(&names)), Some(section(&["main", "memory"])));
        assert_eq!(exports(b"nothing"), None);
    }

    #[test]
    fn its_class_goes_from_the_script() {
        let script = "a;\nexport class IntoUnderlyingSink {\n    free() {}\n}\n\
            if (Symbol.dispose) IntoUnderlyingSink.prototype[Symbol.dispose] = 1;\nb;\n\
            exports.IntoUnderlyingSink = IntoUnderlyingSink;\n\
            const IntoUnderlyingSinkFinalization = (typeof F === 'undefined')\n    ? { r: () => {} }\n    : new F(p => w(p, 1));\nc;";
        assert_eq!(classes(script), "a;\nb;\nc;");
    }
}

//! Where the program's bytes are: its functions by name, the copies of a generic one together.
//!
//! Read from what wasm-bindgen leaves for wasm-opt, which still has names; sizes shrink afterwards, shares hardly do.

use std::collections::BTreeMap;

use crate::step::{Failure, Result, say};
use crate::{project, wasm};

const SHOWN: usize = 40;

/// Prints the largest groups of functions of a program.
pub fn report(program: &str) -> Result<()> {
    let step = "read the program's functions";
    let file = project::target().join("wasm-bindgen/release").join(format!("{program}_bg.wasm"));
    let bytes = std::fs::read(&file).map_err(|error| {
        project::unreadable(step, &file, &error).cure("`cargo xtask build` makes it, if something changed")
    })?;
    let functions = functions(&bytes).ok_or_else(|| Failure::new(step, "this is no WebAssembly with names"))?;
    let whole: usize = functions.iter().map(|(_, size)| size).sum();
    let mut groups: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (name, size) in &functions {
        let group = groups.entry(without_hash(name)).or_default();
        *group = (group.0 + size, group.1 + 1);
    }
    let mut sorted: Vec<_> = groups.into_iter().collect();
    sorted.sort_by_key(|(_, (size, _))| std::cmp::Reverse(*size));
    say(format!("{} bytes of code in {} functions of {program}, before wasm-opt", whole, functions.len()));
    println!("  {:>8} {:>6} {:>6}", "bytes", "share", "copies");
    for (name, (size, copies)) in sorted.into_iter().take(SHOWN) {
        let permille = size * 1000 / whole.max(1);
        println!("  {size:>8} {:>4}.{} % {copies:>6}  {name:.120}", permille / 10, permille % 10);
    }
    Ok(())
}

/// Without the compiler's hash at its end, the copies of one function have one name.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((plain, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => plain,
        _ => name,
    }
}

/// Name and size of each function that the program itself has.
fn functions(program: &[u8]) -> Option<Vec<(String, usize)>> {
    let (mut imported, mut sizes, mut names) = (0, Vec::new(), BTreeMap::new());
    for (kind, section) in wasm::sections(program)? {
        match kind {
            wasm::IMPORTS => imported = wasm::imported_functions(section)?,
            wasm::CODE => {
                for function in wasm::functions(section)? {
                    sizes.push(wasm::vector(function)?.0.len());
                }
            }
            wasm::CUSTOM => {
                let (kind, rest) = wasm::vector(section)?;
                if kind == b"name" {
                    names = read_names(rest)?;
                }
            }
            _ => {}
        }
    }
    let named = |(at, size)| (names.get(&(imported + at)).cloned().unwrap_or_else(|| "(no name)".to_owned()), size);
    Some(sizes.into_iter().enumerate().map(named).collect())
}

/// The names of functions, by their index.
fn read_names(mut rest: &[u8]) -> Option<BTreeMap<usize, String>> {
    let mut names = BTreeMap::new();
    while let Some((&kind, after)) = rest.split_first() {
        let (part, next) = wasm::vector(after)?;
        // 1 holds the functions' names.
        if kind == 1 {
            let (count, mut entries) = wasm::number(part)?;
            for _ in 0..count {
                let (at, entry) = wasm::number(entries)?;
                let (name, after) = wasm::vector(entry)?;
                names.insert(at, String::from_utf8_lossy(name).into_owned());
                entries = after;
            }
        }
        rest = next;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_read_with_their_names() {
        // One imported function, one of its own with a body of two bytes, and both names.
        let program = b"\0asm\x01\0\0\0\x02\x07\x01\x01a\x01b\0\0\x0a\x04\x01\x02\0\x0b\0\x0e\x04name\x01\x07\x02\0\x01i\x01\x01f";
        assert_eq!(functions(program), Some(vec![("f".to_owned(), 2)]));
        assert_eq!(functions(b"<html>"), None);
    }

    #[test]
    fn copies_of_a_function_have_one_name() {
        assert_eq!(without_hash("a::b::h0123456789abcdef"), "a::b");
        assert_eq!(without_hash("a::here"), "a::here");
    }
}

//! The functions of a program, ordered so that it compresses better.
//!
//! The compressor of the transfer looks back 32 KiB. Functions that share pieces of code are put near each other: always the
//! one next that has most in common with the last few. Nothing else about the program changes; wasm-opt, which can sort
//! functions by name, does the moving. Measured on the page's program: 1.4 % of its gzip.

use std::collections::HashMap;
use std::path::Path;

use crate::step::{self, Failure, Result};
use crate::wasm::{self, leb};
use crate::{project, shed};

/// Features that the programs use; wasm-opt refuses what it is not told of.
pub const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Bytes of a piece of code that two functions have in common or not.
const PIECE: usize = 6;
/// A piece that more functions have is in everybody's reach anyway.
const COMMON: usize = 60;
/// How many functions, and how many bytes of them, the compressor is taken to remember.
const RECENT: (usize, usize) = (12, 24_000);

/// Reorders the functions of a program in place, and drops what nobody calls.
pub fn tighten(program: &Path) -> Result<()> {
    let step = "order a program's functions for the compressor";
    rewrite(step, program, shed::exports, "--remove-unused-module-elements")?;
    rewrite(step, program, named, "--reorder-functions-by-name")
}

/// Changes a program in place: first its bytes, then what wasm-opt makes of that.
fn rewrite(step: &str, program: &Path, change: fn(&[u8]) -> Option<Vec<u8>>, pass: &str) -> Result<()> {
    let bytes = std::fs::read(program).map_err(|error| project::unreadable(step, program, &error))?;
    let changed = change(&bytes).ok_or_else(|| {
        Failure::new(step, format!("{} is no program", program.display())).cure("look at what wasm-opt wrote")
    })?;
    let file = project::target().join("changed.wasm");
    std::fs::write(&file, changed).map_err(|error| project::unreadable(step, &file, &error))?;
    let mut command = project::command("wasm-opt");
    command.args(FEATURES).arg(pass).arg(&file).arg("-o").arg(program);
    step::captured(step, &mut command, "remove node_modules and run this again").map(drop)
}

/// The program with names that sort its functions into the better order.
fn named(program: &[u8]) -> Option<Vec<u8>> {
    let (mut imported, mut bodies) = (0, Vec::new());
    for (kind, section) in wasm::sections(program)? {
        match kind {
            wasm::IMPORTS => imported = wasm::imported_functions(section)?,
            wasm::CODE => bodies = wasm::functions(section)?,
            _ => {}
        }
    }
    let mut places = vec![0; bodies.len()];
    for (place, function) in order(&bodies).into_iter().enumerate() {
        *places.get_mut(function)? = place;
    }
    let mut names = leb(places.len());
    for (function, place) in places.iter().enumerate() {
        names.extend(leb(imported + function));
        let name = format!("{place:05}");
        names.extend(leb(name.len()));
        names.extend(name.as_bytes());
    }
    let content = [&[4][..], b"name", &wasm::section(1, &names)].concat();
    Some([program, &wasm::section(wasm::CUSTOM, &content)].concat())
}

/// The functions in their better order, by index.
fn order(bodies: &[&[u8]]) -> Vec<usize> {
    let mut holders: HashMap<&[u8], Vec<usize>> = HashMap::new();
    let mut pieces: Vec<Vec<&[u8]>> = Vec::new();
    for (function, body) in bodies.iter().enumerate() {
        let mut own: Vec<&[u8]> = body.windows(PIECE).collect();
        own.sort_unstable();
        own.dedup();
        for piece in &own {
            holders.entry(piece).or_default().push(function);
        }
        pieces.push(own);
    }
    holders.retain(|_, functions| (2..=COMMON).contains(&functions.len()));
    let size = |function: usize| bodies.get(function).map_or(0, |body| body.len());
    let count = |scores: &mut [i64], function: usize, by: i64| {
        for piece in pieces.get(function).into_iter().flatten() {
            for other in holders.get(piece).into_iter().flatten() {
                if let Some(score) = scores.get_mut(*other) {
                    *score += by;
                }
            }
        }
    };
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    let (mut ordered, mut remembered): (Vec<usize>, usize) = (Vec::new(), 0);
    let mut scores = vec![0_i64; bodies.len()];
    while !left.is_empty() {
        // Shares of a thousand; the largest function where nothing is shared.
        let value = |function: usize| {
            let score = scores.get(function).copied().unwrap_or_default();
            let pieces = pieces.get(function).map_or(0, Vec::len) as i64;
            (score * 1000 / (pieces + 20), size(function))
        };
        let Some(best) = (0..left.len()).max_by_key(|index| left.get(*index).map(|function| value(*function))) else {
            break;
        };
        let next = left.swap_remove(best);
        ordered.push(next);
        count(&mut scores, next, 1);
        remembered += 1;
        let reach = ordered.iter().rev().take(remembered).map(|function| size(*function)).sum::<usize>();
        if remembered > RECENT.0 || reach > RECENT.1 && remembered > 1 {
            if let Some(forgotten) = ordered.get(ordered.len() - remembered).copied() {
                count(&mut scores, forgotten, -1);
            }
            remembered -= 1;
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_stands_together() {
        let (a, b) = ([1_u8, 2, 3, 4, 5, 6, 7, 8, 9], [11_u8, 12, 13, 14, 15, 16, 17, 18]);
        let (a2, b2) = ([1_u8, 2, 3, 4, 5, 6, 7, 8, 0], [11_u8, 12, 13, 14, 15, 16, 17, 0]);
        let ordered = order(&[&a, &b, &a2, &b2]);
        let place = |function: usize| ordered.iter().position(|other| *other == function).unwrap();
        assert_eq!(place(0).abs_diff(place(2)), 1);
        assert_eq!(place(1).abs_diff(place(3)), 1);
    }

    #[test]
    fn what_is_no_program_is_told() {
        assert_eq!(named(b"\0asm\x01\0\0\0\x0a\xff"), None);
    }
}

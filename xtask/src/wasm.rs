//! WebAssembly as bytes: the little of its binary format that the build reads and writes.

/// How every program begins: its magic word, and version 1.
pub const HEAD: &[u8] = b"\0asm\x01\0\0\0";

/// Kinds of sections.
pub const CUSTOM: u8 = 0;
pub const IMPORTS: u8 = 2;
pub const EXPORTS: u8 = 7;
pub const CODE: u8 = 10;

/// The sections of a program in order, each with its kind; `None` for what is no program.
pub fn sections(program: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut sections = Vec::new();
    let mut rest = program.strip_prefix(HEAD)?;
    while let Some((&kind, after)) = rest.split_first() {
        let (section, next) = vector(after)?;
        sections.push((kind, section));
        rest = next;
    }
    Some(sections)
}

/// A section with its kind and its length before it.
pub fn section(kind: u8, content: &[u8]) -> Vec<u8> {
    [&[kind][..], &leb(content.len()), content].concat()
}

/// A number in LEB128 and what follows it.
pub fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0)? + 1;
    let (digits, rest) = bytes.split_at_checked(length)?;
    let value = digits.iter().rev().fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some((usize::try_from(value).ok()?, rest))
}

/// Bytes with their length before them, and what follows them.
pub fn vector(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = number(bytes)?;
    rest.split_at_checked(length)
}

/// A number in LEB128.
pub fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// How many functions the section of imports has: they come first in the index.
pub fn imported_functions(section: &[u8]) -> Option<usize> {
    let (count, mut rest) = number(section)?;
    let mut functions = 0;
    for _ in 0..count {
        // The names of a module and of a thing in it.
        rest = vector(vector(rest)?.1)?.1;
        let (&kind, after) = rest.split_first()?;
        rest = match kind {
            0 => {
                functions += 1;
                number(after)?.1
            }
            // A table's type and limits, a memory's limits, a global's type.
            1 => limits(after.get(1..)?)?,
            2 => limits(after)?,
            3 => after.get(2..)?,
            _ => return None,
        };
    }
    Some(functions)
}

fn limits(bytes: &[u8]) -> Option<&[u8]> {
    let (&flags, rest) = bytes.split_first()?;
    let rest = number(rest)?.1;
    if flags & 1 == 1 { Some(number(rest)?.1) } else { Some(rest) }
}

/// The functions of the section of code, each with its length before it.
pub fn functions(section: &[u8]) -> Option<Vec<&[u8]>> {
    let (count, mut rest) = number(section)?;
    let mut functions = Vec::new();
    for _ in 0..count {
        let (_, next) = vector(rest)?;
        functions.push(rest.get(..rest.len() - next.len())?);
        rest = next;
    }
    Some(functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 127, 128, 300, 624_485] {
            assert_eq!(number(&leb(value)), Some((value, &[][..])));
        }
        assert_eq!(leb(624_485), [0xe5, 0x8e, 0x26]);
        assert_eq!(number(&[0x80]), None);
    }

    #[test]
    fn a_section_is_read_as_it_was_written() {
        let program = [HEAD, &section(CUSTOM, b"ab"), &section(CODE, b"\x01\x02\0\x0b")].concat();
        assert_eq!(sections(&program), Some(vec![(CUSTOM, &b"ab"[..]), (CODE, &b"\x01\x02\0\x0b"[..])]));
        assert_eq!(functions(b"\x01\x02\0\x0b"), Some(vec![&b"\x02\0\x0b"[..]]));
        assert_eq!(sections(b"<html>"), None);
        assert_eq!(sections(&[HEAD, b"\x0a\xff"].concat()), None);
    }

    #[test]
    fn only_functions_are_counted_among_the_imports() {
        // A function, a memory with a limit, a table, a global, and another function.
        let section =
            b"\x05\x01a\x01b\0\0\x01a\x01c\x02\x01\x01\x02\x01a\x01d\x01\x70\0\x01\x01a\x01e\x03\x7f\0\x01a\x01f\0\x01";
        assert_eq!(imported_functions(section), Some(2));
    }
}

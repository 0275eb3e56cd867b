//! Bytes to the few lines that matter, in constant memory.
//!
//! A log is mostly lines of batches and requests. None of them is looked at by itself: the search runs over the bytes, and
//! only around a hit are line ends looked for. A few lines before a hit and some after it are handed on too, because
//! terminals and chat windows wrap.

use std::sync::Arc;

use super::search::Search;

/// Lines before a hit that are handed on.
const BEFORE: usize = 4;

/// Lines after a hit that are handed on.
const AFTER: u32 = 12;

/// A longer line is handed on in pieces of this size.
const LONGEST: usize = 1 << 16;

/// How much is looked at in one go.
const SLICE: usize = 1 << 18;

/// A line that is handed on.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Counted from 1.
    pub number: u64,
    /// The bytes without the line feed.
    pub text: &'a [u8],
    /// A line feed ended it: it is neither cut nor a piece of a longer line.
    pub ended: bool,
    /// A key begins in it; else it only stands near one that has.
    pub hit: bool,
}

/// What receives the lines.
pub type Sink<'a> = dyn FnMut(Line<'_>) + 'a;

/// How the bytes spell characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// The first bytes have not come yet.
    Unknown,
    /// UTF-8, or anything that ASCII stands out in.
    Bytes,
    /// UTF-16 after a byte order mark; the flag says big-endian, the byte is the first half of a unit.
    Wide(bool, Option<u8>),
    /// gzip: nothing can be read.
    Compressed,
}

/// Finds the lines that hold a key. Push bytes in any portions, then finish.
pub struct Scanner {
    search: Arc<Search>,
    encoding: Encoding,
    /// Bytes that may still be handed on: up to four whole lines and the line that has not ended.
    kept: Vec<u8>,
    /// Before this, everything in `kept` was handed on or is not wanted.
    handed: usize,
    /// The search starts here.
    searched: usize,
    /// Line number at the beginning of `kept`.
    line: u64,
    /// Lines after the last hit that are still to be handed on.
    owed: u32,
    /// The last byte so far ends no line.
    open: bool,
}

impl Scanner {
    /// A scanner for lines with any key of the search.
    pub fn new(search: Arc<Search>) -> Self {
        Self {
            search,
            encoding: Encoding::Unknown,
            kept: Vec::new(),
            handed: 0,
            searched: 0,
            line: 1,
            owed: 0,
            open: false,
        }
    }

    /// Whether the bytes were gzip, which is not read here.
    pub fn is_compressed(&self) -> bool {
        self.encoding == Encoding::Compressed
    }

    /// Lines of the whole input, after [`Scanner::finish`].
    pub fn lines(&self) -> u64 {
        self.line - 1 + feeds(&self.kept) + u64::from(self.open)
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        for slice in bytes.chunks(SLICE) {
            self.take(slice);
            self.search(false, sink);
        }
    }

    /// Hands on what is left, and the last lines of all: they say whether the server was at work.
    pub fn finish(&mut self, sink: &mut Sink<'_>) {
        self.search(true, sink);
        let tail = self.kept.split_inclusive(|&byte| byte == b'\n');
        (self.line..).zip(tail).for_each(|(number, text)| hand(number, text, false, sink));
    }

    fn take(&mut self, slice: &[u8]) {
        if self.encoding == Encoding::Unknown {
            self.kept.extend_from_slice(slice);
            self.encoding = match *self.kept {
                [0xff, 0xfe, ..] => Encoding::Wide(false, None),
                [0xfe, 0xff, ..] => Encoding::Wide(true, None),
                [0x1f, 0x8b, ..] => Encoding::Compressed,
                [] | [_] => Encoding::Unknown,
                _ => Encoding::Bytes,
            };
            if let Encoding::Wide(..) = self.encoding {
                let wide = std::mem::take(&mut self.kept);
                self.widen(wide.get(2..).unwrap_or_default());
            }
            return;
        }
        match self.encoding {
            Encoding::Compressed => {}
            Encoding::Wide(..) => self.widen(slice),
            _ => self.kept.extend_from_slice(slice),
        }
    }

    /// UTF-16 to bytes. The words looked for are ASCII, so other units become a question mark.
    fn widen(&mut self, slice: &[u8]) {
        let Encoding::Wide(big, mut half) = self.encoding else { return };
        for &byte in slice {
            match half.take() {
                None => half = Some(byte),
                Some(first) => {
                    let unit = if big { [first, byte] } else { [byte, first] };
                    self.kept.push(if let [0, low @ ..=0x7f] = unit { low } else { b'?' });
                }
            }
        }
        self.encoding = Encoding::Wide(big, half);
    }

    fn search(&mut self, last: bool, sink: &mut Sink<'_>) {
        if self.encoding == Encoding::Compressed {
            self.kept.clear();
            return;
        }
        let mut kept = std::mem::take(&mut self.kept);
        self.open = kept.last().map_or(self.open, |last| *last != b'\n');
        let end = match kept.iter().rposition(|&byte| byte == b'\n') {
            _ if last => kept.len(),
            Some(feed) => feed + 1,
            None if kept.len() >= LONGEST => kept.len(),
            None => 0,
        };
        let complete = kept.get(..end).unwrap_or_default();
        let (mut handed, mut at) = (self.handed, self.searched.min(end));
        let mut hits = self.search.all(complete, at).into_iter();
        // Line numbers are counted once, from the last line that was handed on.
        let (mut counted, mut line) = (0, self.line);
        let mut number = |start: usize, counted_line: &mut u64| {
            if start > counted {
                *counted_line += feeds(complete.get(counted..start).unwrap_or_default());
                counted = start;
            }
            *counted_line
        };
        loop {
            while self.owed > 0 && handed < end {
                let stop = line_end(complete, handed);
                let text = complete.get(handed..stop).unwrap_or_default();
                let hit = !self.search.all(text, 0).is_empty();
                hand(number(handed, &mut line), text, hit, sink);
                handed = stop;
                at = at.max(handed);
                // A hit among the lines that are owed renews the debt.
                // So does a command's line that goes on in the next, as long as it does.
                let goes_on = text.trim_ascii_end().ends_with(b"\\");
                self.owed = if hit { AFTER } else { self.owed - u32::from(!goes_on) };
            }
            let Some(hit) = hits.find(|hit| *hit >= at) else { break };
            let mut start = line_start(complete, hit);
            let stop = line_end(complete, hit);
            at = stop;
            for _ in 0..BEFORE {
                start = if start > handed { line_start(complete, start - 1) } else { start };
            }
            handed = handed.max(start);
            while handed < stop {
                let next = line_end(complete, handed);
                hand(number(handed, &mut line), complete.get(handed..next).unwrap_or_default(), next == stop, sink);
                handed = next;
            }
            self.owed = AFTER;
        }
        // Keep the lines before the end for the next hit's sake, unless they were handed on.
        let mut keep = end;
        for _ in 0..BEFORE {
            keep = if keep > 0 { line_start(complete, keep - 1) } else { 0 };
        }
        let keep = keep.max(handed).max(end.saturating_sub(LONGEST));
        self.line = number(keep, &mut line);
        self.handed = 0;
        self.searched = end - keep;
        // The buffer is used again: it never grows over a slice and a line.
        kept.drain(..keep);
        self.kept = kept;
    }
}

fn hand(number: u64, bytes: &[u8], hit: bool, sink: &mut Sink<'_>) {
    for (index, piece) in bytes.chunks(LONGEST).enumerate() {
        match piece.strip_suffix(b"\n") {
            Some(text) if !text.is_empty() || index == 0 => sink(Line { number, text, ended: true, hit }),
            Some(_) => {}
            None => sink(Line { number, text: piece, ended: false, hit }),
        }
    }
}

fn line_start(text: &[u8], at: usize) -> usize {
    text.get(..at).and_then(|before| before.iter().rposition(|&byte| byte == b'\n')).map_or(0, |feed| feed + 1)
}

fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().position(|&byte| byte == b'\n').map_or(text.len(), |feed| at + feed + 1)
}

/// Counts line feeds eight bytes at a time: a byte of the word is zero where the text has a line feed. The counts of
/// each of the eight places add up in their own byte, for as many words as a byte can count.
fn feeds(text: &[u8]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (words, rest) = text.as_chunks::<8>();
    let mut count = 0;
    for words in words.chunks(255) {
        let mut places = 0_u64;
        for bytes in words {
            let word = u64::from_le_bytes(*bytes) ^ 0x0a0a_0a0a_0a0a_0a0a;
            places += !(((word & LOW) + LOW) | word | LOW) >> 7;
        }
        count += places.to_le_bytes().iter().map(|place| u64::from(*place)).sum::<u64>();
    }
    count + rest.iter().filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanner(keys: &[&'static str]) -> Scanner {
        Scanner::new(Arc::new(Search::new(keys.iter().copied())))
    }

    fn lines(text: &[u8], portion: usize) -> Vec<(u64, String, bool)> {
        let mut found = Vec::new();
        let mut sink = |line: Line<'_>| {
            found.push((line.number, String::from_utf8_lossy(line.text).into_owned(), line.ended));
        };
        let mut scanner = scanner(&["avail mem", "out of memory"]);
        for bytes in text.chunks(portion) {
            scanner.push(bytes, &mut sink);
        }
        scanner.finish(&mut sink);
        found
    }

    #[test]
    fn hands_on_hits_with_their_neighbours_whatever_the_portions() {
        let mut text = String::new();
        for index in 1..=100 {
            text.push_str(match index {
                40 => "Load weight end. avail mem=1 GB\n",
                42 => "CUDA out of memory\n",
                _ => "Decode batch, #running-req: 1\n",
            });
        }
        text.push_str("an end without a line feed: avail mem=");
        for portion in [1, 7, 64, 4096] {
            let found = lines(text.as_bytes(), portion);
            let numbers: Vec<u64> = found.iter().map(|found| found.0).collect();
            let expected: Vec<u64> = (36..=54).chain(97..=101).collect();
            assert_eq!(numbers, expected, "portions of {portion}");
            assert!(!found.last().unwrap().2);
        }
    }

    #[test]
    fn a_huge_line_is_handed_on_in_pieces_and_memory_stays_small() {
        let mut scanner = scanner(&["avail mem"]);
        let mut most = 0;
        let mut sink = |line: Line<'_>| most = most.max(line.text.len());
        for _ in 0..64 {
            scanner.push(&[b'x'; 1 << 17], &mut sink);
            assert!(scanner.kept.capacity() < 1 << 20);
        }
        scanner.push(b" avail mem=", &mut sink);
        scanner.finish(&mut sink);
        assert!(most <= LONGEST && most > 0);
    }

    #[test]
    fn utf_16_is_read_and_gzip_is_not() {
        let wide: Vec<u8> = "\u{feff}x\navail mem=3 GB\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(lines(&wide, 3).len(), 2);
        let mut scanner = scanner(&["avail mem"]);
        scanner.push(&[0x1f, 0x8b, 8, 0], &mut |_| {});
        assert!(scanner.is_compressed());
    }

    #[test]
    fn counts_the_lines_of_the_whole() {
        for (text, lines) in
            [("", 0), ("\n", 1), ("a", 1), ("a\nb", 2), ("avail mem", 1), ("a\navail mem\n", 2), ("avail mem\nb", 2)]
        {
            for portion in [1, 100] {
                let mut scanner = scanner(&["avail mem"]);
                text.as_bytes().chunks(portion).for_each(|bytes| scanner.push(bytes, &mut |_| {}));
                scanner.finish(&mut |_| {});
                assert_eq!(scanner.lines(), lines, "{text:?} in portions of {portion}");
            }
        }
    }

    #[test]
    fn counts_line_feeds() {
        for text in ["", "\n", "\n\n\n\n\n\n\n\n\n", "a\nb\x0b\x09\n\u{8a}\n"] {
            assert_eq!(feeds(text.as_bytes()), text.matches('\n').count() as u64);
        }
    }
}

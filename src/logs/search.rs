//! Looking for any of a few hundred words at more than a byte a cycle.
//!
//! The window of a key slides over the text and skips ahead as far as its last three bytes allow (the shift table of Wu
//! and Manber's search for many words), about five bytes a step.

use super::sorted::insert;

/// Bytes of each key that the fast search compares; keys must have at least these.
const WINDOW: usize = 8;

/// Bytes that index the shift table.
const BLOCK: usize = 3;

/// Entries of the shift table; a hash of three bytes indexes it.
const TABLE: usize = 1 << 13;

/// Places of the text that are searched at the same time.
const LANES: usize = 4;

/// The fast search for any of a set of keys.
pub struct Search {
    shift: Box<[u8; TABLE]>,
    /// Which values of [`spread`] a key has: nearly every block that looks like the end of a key is ruled out by it.
    possible: Box<[bool; TABLE]>,
    /// First eight bytes of each key, sorted.
    keys: Vec<u64>,
}

fn hash(a: u8, b: u8, c: u8) -> usize {
    (usize::from(a) ^ (usize::from(b) << 3) ^ (usize::from(c) << 6)) & (TABLE - 1)
}

/// A hash of a whole window.
fn spread(word: u64) -> usize {
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize & (TABLE - 1)
}

/// The window at the beginning of `bytes`.
pub fn word(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk::<WINDOW>().map(|chunk| u64::from_le_bytes(*chunk))
}

impl Search {
    /// A search for the first eight bytes of each key; shorter keys are never found.
    pub fn new(keys: impl Iterator<Item = &'static str>) -> Self {
        let mut shift = Box::new([(WINDOW - BLOCK + 1) as u8; TABLE]);
        let mut possible = Box::new([false; TABLE]);
        let mut table = Vec::new();
        for key in keys {
            let Some(window) = key.as_bytes().get(..WINDOW) else { continue };
            for (index, block) in window.windows(BLOCK).enumerate() {
                if let [a, b, c] = *block
                    && let Some(entry) = shift.get_mut(hash(a, b, c))
                {
                    *entry = (*entry).min((WINDOW - BLOCK - index) as u8);
                }
            }
            if let Some(value) = word(window) {
                insert(&mut table, value);
                if let Some(entry) = possible.get_mut(spread(value)) {
                    *entry = true;
                }
            }
        }
        Self { shift, possible, keys: table }
    }

    /// Where each key begins in `text`, ascending, from `from` on.
    ///
    /// One step waits for the load before it, so four places of the text are searched at the same time.
    pub fn all(&self, text: &[u8], from: usize) -> Vec<usize> {
        let mut found = [const { Vec::new() }; LANES];
        let part = text.len().saturating_sub(from) / LANES;
        let begin = |lane: usize| from + lane * part + WINDOW - BLOCK;
        let last = text.len().saturating_sub(BLOCK - 1);
        let [mut a, mut b, mut c, mut d] = [begin(0), begin(1), begin(2), begin(3)];
        let [end_a, end_b, end_c, end_d] = [begin(1).min(last), begin(2).min(last), begin(3).min(last), last];
        let [in_a, in_b, in_c, in_d] = &mut found;
        while a < end_a && b < end_b && c < end_c && d < end_d {
            a = self.step(text, a, in_a);
            b = self.step(text, b, in_b);
            c = self.step(text, c, in_c);
            d = self.step(text, d, in_d);
        }
        for (at, end, hits) in [(a, end_a, in_a), (b, end_b, in_b), (c, end_c, in_c), (d, end_d, in_d)] {
            let mut at = at;
            while at < end {
                at = self.step(text, at, hits);
            }
        }
        found.concat()
    }

    /// Looks at the block at `at`; gives the next place to look at.
    #[inline(always)]
    fn step(&self, text: &[u8], at: usize, hits: &mut Vec<usize>) -> usize {
        let Some(&[a, b, c]) = text.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) else { return text.len() };
        let index = hash(a, b, c);
        let step = self.shift.get(index).copied().unwrap_or(1);
        if step == 0 {
            self.stop(text, at, hits);
            return at + 1;
        }
        at + usize::from(step)
    }

    /// The block ends some key's window: is it that key?
    #[inline(never)]
    fn stop(&self, text: &[u8], at: usize, hits: &mut Vec<usize>) {
        let start = at + BLOCK - WINDOW;
        if let Some(found) = text.get(start..).and_then(word)
            && self.possible.get(spread(found)).copied().unwrap_or(false)
            && self.keys.binary_search(&found).is_ok()
        {
            hits.push(start);
        }
    }
}

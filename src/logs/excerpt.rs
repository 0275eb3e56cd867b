//! The few lines of a log that are shown beside what was read from them.
//!
//! Which lines count is known only at the end, so every line that the scan hands on is kept until there are too many;
//! then only those stay that something was read from, with their neighbours. Memory does not grow with the log.

use super::attempt::Attempt;
use super::plain::plain;
use super::scan::Line;

/// Bytes of text that are kept before the ones without use go.
const MOST_BYTES: usize = 8 << 20;

/// Bytes of one line that are kept.
const LONGEST: usize = 1 << 15;

/// Lines around a used one that are shown.
const AROUND: u64 = 2;

/// Newest lines that always stay: what is read from them may not be known yet.
const NEWEST: usize = 64;

/// One line of a log, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    /// Counted from 1.
    pub number: u64,
    /// The text without colours. Untrusted: to be shown as text only.
    pub text: String,
}

/// The lines that a diagnosis rests on, with their neighbours.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Ascending.
    pub lines: Vec<TextLine>,
    /// Lines of the whole log.
    pub total: u64,
}

/// The lines that something of an attempt was read from.
pub fn used(attempt: &Attempt) -> Vec<u64> {
    let mut lines: Vec<u64> = attempt.readings.iter().map(|reading| reading.line).collect();
    lines.extend(attempt.pools.iter().map(|pool| pool.line));
    lines.extend(attempt.signals.iter().map(|(_, seen)| seen.first));
    lines.extend(attempt.exception.iter().map(|(_, line)| *line));
    lines.extend(attempt.unread.iter().map(|unread| unread.line));
    lines
}

/// Collects lines while a log is read.
#[derive(Debug, Default)]
pub struct Keeper {
    lines: Vec<(u64, Vec<u8>)>,
    bytes: usize,
    full: bool,
}

impl Keeper {
    /// Takes a line; `used` tells which lines something was read from so far, where that is needed.
    pub fn keep(&mut self, line: Line<'_>, used: impl FnOnce() -> Vec<u64>) {
        // Pieces of a longer line come one after the other.
        if self.full || self.lines.last().is_some_and(|(number, _)| *number == line.number) {
            return;
        }
        let text = line.text.get(..LONGEST).unwrap_or(line.text);
        self.lines.push((line.number, text.to_vec()));
        self.bytes += text.len();
        if self.bytes > MOST_BYTES {
            let newest = self.lines.len().saturating_sub(NEWEST);
            let first = self.lines.get(newest).map_or(u64::MAX, |(number, _)| *number);
            self.drop_others(&used(), first);
            self.full = self.bytes > MOST_BYTES / 2;
        }
    }

    /// The lines around the used ones, as text.
    pub fn finish(mut self, used: &[u64], total: u64) -> Excerpt {
        self.drop_others(used, u64::MAX);
        let lines = self.lines.into_iter().map(|(number, bytes)| TextLine { number, text: plain(&bytes) });
        Excerpt { lines: lines.collect(), total }
    }

    fn drop_others(&mut self, used: &[u64], newest: u64) {
        let near = |number: u64| used.iter().any(|used| used.abs_diff(number) <= AROUND);
        self.lines.retain(|(number, _)| *number >= newest || near(*number));
        self.bytes = self.lines.iter().map(|(_, text)| text.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64, text: &str) -> Line<'_> {
        Line { number, text: text.as_bytes(), ended: true, hit: true }
    }

    #[test]
    fn used_lines_stay_with_their_neighbours() {
        let mut keeper = Keeper::default();
        for number in 1..=20 {
            keeper.keep(line(number, "\u{1b}[31mred\u{1b}[0m"), Vec::new);
        }
        let excerpt = keeper.finish(&[1, 10], 30);
        let numbers: Vec<u64> = excerpt.lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [1, 2, 3, 8, 9, 10, 11, 12]);
        assert_eq!((excerpt.lines[0].text.as_str(), excerpt.total), ("red", 30));
    }

    #[test]
    fn memory_does_not_grow_with_the_lines() {
        let mut keeper = Keeper::default();
        let text = "x".repeat(1 << 20);
        for number in 1..=2000 {
            keeper.keep(line(number, &text), || vec![1000]);
            assert!(keeper.bytes <= MOST_BYTES + LONGEST);
        }
        assert_eq!(keeper.finish(&[1000], 2000).lines.len(), 5);
    }
}

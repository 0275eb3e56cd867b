//! SGLang releases: which rule applies to which.

use std::fmt;

use crate::decimal;
use crate::issue::{Issue, IssueKind};

/// A release number, `major.minor.patch`. Suffixes such as `.post1` and `rc0` do not change a rule and are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u16,
    minor: u16,
    patch: u16,
}

impl Version {
    /// The newest release whose rules are known: the default, also of an address that names none. No rule is tied to it: a
    /// rule names the release that brought it.
    pub const NEWEST: Self = Self::new(0, 5, 23);

    /// The releases whose memory rules were read or executed, oldest first.
    pub const KNOWN: [Self; 17] = [
        Self::new(0, 4, 6),
        Self::new(0, 5, 3),
        Self::new(0, 5, 9),
        Self::new(0, 5, 10),
        Self::new(0, 5, 11),
        Self::new(0, 5, 12),
        Self::new(0, 5, 13),
        Self::new(0, 5, 14),
        Self::new(0, 5, 15),
        Self::new(0, 5, 16),
        Self::new(0, 5, 17),
        Self::new(0, 5, 18),
        Self::new(0, 5, 19),
        Self::new(0, 5, 20),
        Self::new(0, 5, 21),
        Self::new(0, 5, 22),
        Self::NEWEST,
    ];

    /// A release by its three numbers.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// Reads `0.5.10`, `v0.5.10` or `0.5.10.post1`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let mut next = || {
            let part = parts.next()?;
            let end = part.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(part.len());
            number(part.get(..end)?)
        };
        Some(Self::new(next()?, next()?, next()?))
    }

    /// `0.5.23`, without the formatting machinery.
    pub fn text(self) -> String {
        let part = |number: u16| decimal::digits(u128::from(number));
        [part(self.major), part(self.minor), part(self.patch)].join(".")
    }

    /// The issue of a release whose rules were not read: which ones stand in for them.
    pub fn unread(self) -> Option<Issue> {
        let rules = self.rules();
        (rules != self).then(|| {
            let parts = ["The rules of this release are not known; those of ", &rules.text(), " are used."];
            Issue::new("sglang", IssueKind::UnknownValue, parts.concat())
        })
    }

    /// The newest known release that is not newer than this one: the one whose rules are used. The oldest known one
    /// stands for everything before it.
    pub fn rules(self) -> Self {
        let [oldest, ..] = Self::KNOWN;
        Self::KNOWN.iter().rev().copied().find(|known| *known <= self).unwrap_or(oldest)
    }
}

fn number(digits: &str) -> Option<u16> {
    if digits.is_empty() {
        return None;
    }
    digits.bytes().try_fold(0_u16, |sum, digit| sum.checked_mul(10)?.checked_add(u16::from(digit - b'0')))
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_releases_and_drops_suffixes() {
        assert_eq!(Version::parse("0.5.9"), Some(Version::new(0, 5, 9)));
        assert_eq!(Version::parse("0.5.10.post1"), Some(Version::new(0, 5, 10)));
        assert_eq!(Version::parse("v0.4.6.post5"), Some(Version::new(0, 4, 6)));
        assert_eq!(Version::parse("0.5.4rc0"), Some(Version::new(0, 5, 4)));
        for text in ["", "0.5", "0.5.", "0.5.x", "a.b.c", "0.5.99999"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn unknown_releases_use_the_older_rule() {
        assert_eq!(Version::new(0, 5, 8).rules(), Version::new(0, 5, 3));
        assert_eq!(Version::new(0, 5, 40).rules(), Version::NEWEST);
        assert_eq!(Version::new(0, 1, 0).rules(), Version::new(0, 4, 6));
        assert_eq!(Version::new(0, 5, 9).rules(), Version::new(0, 5, 9));
    }

    #[test]
    fn a_release_that_was_not_read_says_whose_rules_stand_in() {
        let issue = Version::new(0, 5, 99).unread().expect("an issue");
        assert_eq!(issue.message, "The rules of this release are not known; those of 0.5.23 are used.");
        assert_eq!(Version::NEWEST.unread(), None);
        assert_eq!(Version::NEWEST.to_string(), "0.5.23");
    }
}

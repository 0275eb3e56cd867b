//! Release numbers of the other engines, as a reader or a table of rules writes them.

/// A release number, `major.minor.patch`; a missing patch is 0 and suffixes (`rc27`, `.post1`) are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub u16, pub u16, pub u16);

impl Release {
    /// Reads the release that `text` stands for: `0.33.0`, `v1.3.0rc27`, `0.15.0+` and, as its newest member, the range
    /// `0.2.2..0.14.0`. `None` for commits, tree names and anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let newest = text.rsplit("..").next().unwrap_or(text);
        let mut parts = newest.strip_prefix('v').unwrap_or(newest).splitn(3, '.');
        let major = whole(parts.next()?)?;
        let minor = whole(parts.next()?)?;
        let patch = parts.next().map_or(Some(0), leading)?;
        Some(Self(major, minor, patch))
    }

    /// The newest of `known` (oldest first) that is not newer than this one; the oldest for everything before it.
    pub fn rule_among(self, known: &[Self]) -> Option<Self> {
        known.iter().rev().find(|release| **release <= self).or_else(|| known.first()).copied()
    }

    /// `0.33.0`.
    pub fn text(self) -> String {
        let digits = |part: u16| crate::decimal::digits(u128::from(part));
        [digits(self.0), digits(self.1), digits(self.2)].join(".")
    }
}

fn whole(text: &str) -> Option<u16> {
    if text.is_empty() {
        return None;
    }
    text.bytes().try_fold(0_u16, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u16::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

/// The number that `text` begins with.
fn leading(text: &str) -> Option<u16> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    whole(text.get(..end)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_releases_ranges_and_suffixes() {
        for (text, release) in [
            ("0.33.0", Release(0, 33, 0)),
            ("v1.3.0rc27", Release(1, 3, 0)),
            ("0.2.2..0.14.0", Release(0, 14, 0)),
            ("0.15.0+", Release(0, 15, 0)),
            ("3.3.7", Release(3, 3, 7)),
            ("0.33", Release(0, 33, 0)),
        ] {
            assert_eq!(Release::parse(text), Some(release), "{text}");
        }
        for text in ["", "main 0004396720", "0c1e57098", "1", "1.x.0", "0.99999.0", "docs reference/memory.md log"] {
            assert_eq!(Release::parse(text), None, "{text}");
        }
    }

    #[test]
    fn between_two_known_releases_the_older_rule_counts() {
        let known = [Release(0, 8, 5), Release(0, 11, 0), Release(0, 33, 0)];
        assert_eq!(Release(0, 12, 1).rule_among(&known), Some(Release(0, 11, 0)));
        assert_eq!(Release(0, 40, 0).rule_among(&known), Some(Release(0, 33, 0)));
        assert_eq!(Release(0, 1, 0).rule_among(&known), Some(Release(0, 8, 5)));
        assert_eq!(Release(0, 33, 0).text(), "0.33.0");
    }
}

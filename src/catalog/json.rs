//! JSON that strangers wrote: size, depth, encoding and numbers are refused as values with their place in the text.

use serde_json::{Map, Value};

use crate::decimal;
use crate::issue::{Issue, IssueKind, shorten};

/// A real `config.json` has a few kilobytes; lists of unquantised modules make the longest ones a few megabytes.
pub const MOST_BYTES: u64 = 8 << 20;

/// Larger than any context, vocabulary or width, and small enough that their products stay within 64 bits.
const MOST: u64 = 1 << 24;

/// Reads one JSON object.
///
/// # Errors
/// An [`Issue`] with line and column for anything that is not one.
pub fn object(bytes: &[u8], what: &str) -> Result<Map<String, Value>, Issue> {
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("longer than {} MiB; a {what} has a few kilobytes", MOST_BYTES >> 20);
        return Err(Issue::new(what, IssueKind::TooLong, message));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes.iter().take(error.valid_up_to()).filter(|&&byte| byte == b'\n').count() + 1;
        Issue::new(what, IssueKind::BadEncoding, format!("not UTF-8 at line {line}"))
    })?;
    let text = python_numbers(text.trim_start_matches('\u{feff}'));
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => {
            Err(Issue::new(what, IssueKind::UnknownValue, format!("a JSON object is expected, not {}", kind(&other))))
        }
        Err(error) => Err(malformed(&error, what)),
    }
}

fn malformed(error: &serde_json::Error, what: &str) -> Issue {
    let place = format!("line {} column {}", error.line(), error.column());
    let cause = error.to_string();
    let cause = cause.strip_suffix(&*place).and_then(|cause| cause.strip_suffix(" at ")).unwrap_or(&cause);
    let kind = match cause {
        "number out of range" => IssueKind::OutOfRange,
        "recursion limit exceeded" => IssueKind::TooLong,
        _ => IssueKind::BadEncoding,
    };
    Issue::new(what, kind, format!("malformed JSON at {place}: {}", shorten(cause, 80)))
}

/// Whether a word stands somewhere in a text. Texts here are short, and the standard search brings 3 kB along.
pub(super) fn holds(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|part| part == word.as_bytes())
}

/// Python writes `NaN` and `Infinity`, which are no JSON. None of the numbers that count here may be one, so they become
/// zeros of the same width: line and column stay right.
fn python_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !quoted && let Some(word) = ["NaN", "Infinity"].into_iter().find(|word| rest.starts_with(word)) {
            out.push('0');
            out.extend(word.chars().skip(1).map(|_| ' '));
            rest = rest.get(word.len()..).unwrap_or_default();
            continue;
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        out.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    out
}

/// A value for a message. Not as JSON: its printer of floats is a tenth of the workshop's download.
fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(whole), ..) => whole.to_string(),
            (_, Some(whole), _) => whole.to_string(),
            (_, _, other) => decimal::write_trimmed(other.unwrap_or_default(), 9, 0),
        },
        Value::String(text) => format!("\"{}\"", shorten(text, 38)),
        other => kind(other).to_owned(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The keys of one object, read one by one; what cannot be read becomes an issue and counts as absent.
pub struct Keys<'a> {
    map: &'a Map<String, Value>,
    /// What was wrong so far.
    pub issues: Vec<Issue>,
}

impl<'a> Keys<'a> {
    /// Reads from `map`.
    pub fn new(map: &'a Map<String, Value>) -> Self {
        Self { map, issues: Vec::new() }
    }

    /// A second reader of the same object.
    pub fn again(&self) -> Self {
        Self::new(self.map)
    }

    /// The names of all keys.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.map.keys().map(String::as_str)
    }

    /// The value, unless absent or null.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Whether the key says something: neither absent nor null, false, zero or empty.
    pub fn says(&self, key: &str) -> bool {
        match self.get(key) {
            None | Some(Value::Bool(false) | Value::Null) => false,
            Some(Value::Number(number)) => number.as_f64() != Some(0.0),
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(list)) => !list.is_empty(),
            Some(Value::Object(map)) => !map.is_empty(),
            Some(Value::Bool(true)) => true,
        }
    }

    /// A whole number above zero under one of several names, the first that is there.
    pub fn count(&mut self, keys: &[&str]) -> Option<u64> {
        let (key, value) = keys.iter().find_map(|key| Some((*key, self.get(key)?)))?;
        match whole(value) {
            Ok(0) => {
                self.issues.push(Issue::new(key, IssueKind::OutOfRange, format!("{key} must be above zero")));
                None
            }
            Ok(number) => Some(number),
            Err(kind) => {
                let message = format!("{key} must be a whole number, not {}", shown(value));
                self.issues.push(Issue::new(key, kind, message));
                None
            }
        }
    }

    /// A string.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    /// Whether the key is `true`.
    pub fn is_true(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool) == Some(true)
    }

    /// A list.
    pub fn list(&self, key: &str) -> Option<&'a [Value]> {
        self.get(key)?.as_array().map(Vec::as_slice)
    }

    /// An object inside.
    pub fn inner(&self, key: &str) -> Option<Keys<'a>> {
        self.get(key)?.as_object().map(Keys::new)
    }
}

fn whole(value: &Value) -> Result<u64, IssueKind> {
    let number = value.as_number().ok_or(IssueKind::NotANumber)?;
    let whole = match number.as_u64() {
        Some(whole) => whole,
        None => {
            let real = number.as_f64().unwrap_or(f64::NAN);
            if real < 0.0 || real > MOST as f64 {
                return Err(IssueKind::OutOfRange);
            }
            if real.fract() != 0.0 || !real.is_finite() {
                return Err(IssueKind::NotANumber);
            }
            real as u64
        }
    };
    if whole > MOST { Err(IssueKind::OutOfRange) } else { Ok(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> Issue {
        object(text.as_bytes(), "config.json").expect_err("refused")
    }

    #[test]
    fn malformed_text_is_refused_with_its_place() {
        let issue = refusal("{\n \"a\": 1,\n \"b\" 2}");
        assert_eq!(issue.kind, IssueKind::BadEncoding);
        assert!(issue.message.contains("line 3 column 6"), "{}", issue.message);
        assert!(refusal("{\"a\": 1").message.contains("line 1 column 7"));
        assert_eq!(refusal("[1]").message, "a JSON object is expected, not a list");
        assert_eq!(refusal("").kind, IssueKind::BadEncoding);
        assert_eq!(object(b"{\"a\":\n\"\xff\"}", "config.json").expect_err("bytes").message, "not UTF-8 at line 2");
    }

    #[test]
    fn bombs_are_refused() {
        assert_eq!(refusal(&"[".repeat(1_000_000)).kind, IssueKind::TooLong);
        assert_eq!(refusal(&"{\"a\":".repeat(100_000)).kind, IssueKind::TooLong);
        assert_eq!(refusal(&" ".repeat(50_000_000)).kind, IssueKind::TooLong);
        assert_eq!(refusal("{\"a\": 1e999}").kind, IssueKind::OutOfRange);
    }

    #[test]
    fn the_numbers_of_python_are_read() {
        let map = object(b"\xef\xbb\xbf{\"a\": [0.0, Infinity, -Infinity, NaN], \"NaN\": \"Infinity \\\" NaN\"}", "x");
        let map = map.expect("read");
        assert_eq!(map.get("NaN").and_then(Value::as_str), Some("Infinity \" NaN"));
    }

    #[test]
    fn numbers_that_cannot_count_are_issues() {
        let map =
            object(br#"{"a": -1, "b": 1e30, "c": "8", "d": 8.5, "e": 8.0, "f": 0, "g": null}"#, "x").expect("read");
        let mut keys = Keys::new(&map);
        for key in ["a", "b", "c", "d", "f", "g", "h"] {
            assert_eq!(keys.count(&[key]), None, "{key}");
        }
        assert_eq!(keys.count(&["g", "e"]), Some(8));
        let kinds: Vec<_> = keys.issues.iter().map(|issue| issue.kind).collect();
        use IssueKind::{NotANumber, OutOfRange};
        assert_eq!(kinds, [OutOfRange, OutOfRange, NotANumber, NotANumber, OutOfRange]);
    }
}

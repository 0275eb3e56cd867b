//! The cell as an answer: flags as text and a `config.json` in, one JSON object out.

use serde::{Serialize, Serializer};

use super::{CellKind, CellQuery, KvDtype, Term, Version, cell};
use crate::catalog::config;
use crate::issue::{Issue, IssueKind, shorten};

/// What `examples/cell_size` prints. Where something cannot be known it is null and `issues` says why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellAnswer {
    /// Bytes of KV cache for one token on one GPU.
    #[serde(serialize_with = "plain")]
    pub bytes_per_token_per_gpu: Option<f64>,
    /// The attention kind as this version sizes it.
    pub kind: Option<CellKind>,
    /// The summands.
    pub terms: Vec<Term>,
    /// Bytes of state for one request on one GPU; linear hybrids only.
    pub state_bytes_per_request: Option<u64>,
    /// Tokens of the window pool per token of the full pool; sliding-window hybrids only.
    pub swa_ratio: Option<f64>,
    /// What was wrong or uncertain.
    pub issues: Vec<Issue>,
}

impl CellAnswer {
    /// Answers `flags` (names without dashes, values verbatim) for the text of a `config.json`.
    pub fn of<'a>(flags: impl IntoIterator<Item = (&'a str, &'a str)>, config: &[u8]) -> Self {
        let (query, mut issues) = query(flags);
        // An answer for another layout than the one that was asked for would be a wrong number.
        let readable = query.is_some();
        let query = query.unwrap_or_default();
        let reading = config::read(config);
        issues.extend(reading.issues);
        let Some(model) = reading.config else {
            return Self {
                bytes_per_token_per_gpu: None,
                kind: None,
                terms: Vec::new(),
                state_bytes_per_request: None,
                swa_ratio: None,
                issues,
            };
        };
        let cell = cell(&model, &query);
        issues.extend(cell.issues);
        Self {
            bytes_per_token_per_gpu: cell.bytes.filter(|_| readable).map(|bytes| bytes.get()),
            kind: Some(cell.kind),
            terms: if readable { cell.terms } else { Vec::new() },
            state_bytes_per_request: cell.state_bytes_per_request.filter(|_| readable),
            swa_ratio: cell.swa.map(|swa| swa.ratio),
            issues,
        }
    }
}

/// Reads the flags one by one. `None` where one of them cannot be read; an unknown release has the newest rules.
fn query<'a>(flags: impl IntoIterator<Item = (&'a str, &'a str)>) -> (Option<CellQuery>, Vec<Issue>) {
    let mut query = CellQuery::default();
    let mut readable = true;
    let mut issues = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (name, value) in flags {
        if seen.contains(&name) {
            issues.push(Issue::new(
                name,
                IssueKind::Repeated,
                format!("{name} is given more than once; the last counts"),
            ));
        }
        seen.push(name);
        let mut set = |target: &mut u64, least: u64| match count(name, value, least) {
            Ok(number) => *target = number,
            Err(issue) => {
                readable = false;
                issues.push(issue);
            }
        };
        match name {
            "tp" => set(&mut query.tp, 1),
            "pp" => set(&mut query.pp, 1),
            "dp" => set(&mut query.dp, 1),
            "draft-layers" => set(&mut query.draft_layers, 0),
            "kv-dtype" => match KvDtype::parse(value) {
                Some(dtype) => query.kv_dtype = dtype,
                None => {
                    readable = false;
                    issues.push(unknown(name, value, "there is no answer"));
                }
            },
            "sglang" => match Version::parse(value) {
                Some(version) => {
                    query.version = version;
                    issues.extend(version.unread());
                }
                None => issues.push(unknown(name, value, "0.5.23 is used")),
            },
            _ => issues.push(Issue::new(name, IssueKind::UnknownKey, format!("no flag {}", shorten(name, 40)))),
        }
    }
    (readable.then_some(query), issues)
}

fn unknown(name: &str, value: &str, what: &str) -> Issue {
    Issue::new(name, IssueKind::UnknownValue, format!("{name} {} is not known; {what}", shorten(value, 40)))
}

/// The most GPUs, ranks or draft layers that a deployment is believed to have.
const MOST: u64 = 4096;

fn count(name: &str, value: &str, least: u64) -> Result<u64, Issue> {
    let kept = "; there is no answer";
    let Ok(number) = value.parse::<u64>() else {
        let message = format!("{name} must be a whole number, not {}{kept}", shorten(value, 40));
        return Err(Issue::new(name, IssueKind::NotANumber, message));
    };
    if (least..=MOST).contains(&number) {
        Ok(number)
    } else {
        Err(Issue::new(name, IssueKind::OutOfRange, format!("{name} must be {least} to {MOST}{kept}")))
    }
}

/// Whole numbers without a point.
fn plain<S: Serializer>(value: &Option<f64>, out: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => plain_number(value, out),
        None => out.serialize_none(),
    }
}

/// The same for a value that is always there.
pub(super) fn plain_number<S: Serializer>(value: &f64, out: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 { out.serialize_u64(*value as u64) } else { out.serialize_f64(*value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &[u8] = br#"{"num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 512}"#;

    fn asked(name: &str, value: &str) -> (Option<f64>, Vec<IssueKind>) {
        let answer = CellAnswer::of([(name, value)], CONFIG);
        (answer.bytes_per_token_per_gpu, answer.issues.iter().map(|issue| issue.kind).collect())
    }

    #[test]
    fn a_flag_that_cannot_be_read_leaves_no_wrong_number() {
        use IssueKind::{NotANumber, OutOfRange, UnknownKey, UnknownValue};
        for (name, value, kind) in [
            ("tp", "eight", NotANumber),
            ("tp", "", NotANumber),
            ("tp", "0", OutOfRange),
            ("pp", "-1", NotANumber),
            ("dp", "99999", OutOfRange),
            ("draft-layers", "1.5", NotANumber),
            ("kv-dtype", "int3", UnknownValue),
        ] {
            assert_eq!(asked(name, value), (None, vec![kind]), "--{name} {value}");
        }
        // What is not a flag is dropped, and an unknown release has the newest rules.
        assert_eq!(asked("colour", "red"), (Some(8192.0), vec![UnknownKey]));
        assert_eq!(asked("sglang", "next"), (Some(8192.0), vec![UnknownValue]));
        assert_eq!(asked("tp", "2"), (Some(4096.0), vec![]));
    }

    #[test]
    fn whole_numbers_are_written_without_a_fraction() {
        let json = |value: f64| {
            let mut out = Vec::new();
            plain_number(&value, &mut serde_json::Serializer::new(&mut out)).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!((json(8192.0).as_str(), json(8294.4).as_str()), ("8192", "8294.4"));
    }
}

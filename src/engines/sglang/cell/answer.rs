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
            bytes_per_token_per_gpu: cell.bytes.map(|bytes| bytes.get()),
            kind: Some(cell.kind),
            terms: cell.terms,
            state_bytes_per_request: cell.state_bytes_per_request,
            swa_ratio: cell.swa.map(|swa| swa.ratio),
            issues,
        }
    }
}

/// Reads the flags one by one; what cannot be read keeps its default.
fn query<'a>(flags: impl IntoIterator<Item = (&'a str, &'a str)>) -> (CellQuery, Vec<Issue>) {
    let mut query = CellQuery::default();
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
            Err(issue) => issues.push(issue),
        };
        match name {
            "tp" => set(&mut query.tp, 1),
            "pp" => set(&mut query.pp, 1),
            "dp" => set(&mut query.dp, 1),
            "draft-layers" => set(&mut query.draft_layers, 0),
            "kv-dtype" => match KvDtype::parse(value) {
                Some(dtype) => query.kv_dtype = dtype,
                None => issues.push(unknown(name, value, "auto is used")),
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
    (query, issues)
}

fn unknown(name: &str, value: &str, what: &str) -> Issue {
    Issue::new(name, IssueKind::UnknownValue, format!("{name} {} is not known; {what}", shorten(value, 40)))
}

/// The most GPUs, ranks or draft layers that a deployment is believed to have.
const MOST: u64 = 4096;

fn count(name: &str, value: &str, least: u64) -> Result<u64, Issue> {
    let kept = "; the default is kept";
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

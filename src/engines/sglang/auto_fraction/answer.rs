//! The automatic fraction as an answer: one line of `key=value` pairs in, one JSON object out.

use serde::Serialize;

use super::{Auto, AutoQuery, Class, Disaggregation, ReserveTerm, Rules, Speculation, Version, auto_fraction};
use crate::catalog::config::Vision;
use crate::decimal;
use crate::issue::{Issue, IssueKind, shorten};
use crate::percent::{self, Plus};

/// What `examples/auto_fraction` prints, under the names of the table that it is checked against.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AutoAnswer {
    /// `mem_fraction_static`; null where it cannot be known.
    pub fraction: Option<f64>,
    /// Tokens of a prefill chunk; −1 is off.
    pub chunked_prefill_size_resolved: i64,
    /// The largest decode graph.
    pub cuda_graph_max_bs_resolved: u64,
    /// The chunk of one data-parallel group.
    pub chunked_prefill_size_after_dp_division: i64,
    /// Decode graphs.
    pub num_decode_capture_bs: u64,
    /// Prefill graphs; null where there is no list.
    pub num_prefill_capture_sizes: Option<u64>,
    /// `breakable` or `disabled`; null for other releases.
    #[serde(rename = "prefill_graph_backend_0.5.23")]
    pub prefill_graph_backend: Option<&'static str>,
    /// The largest prefill graph in tokens; null for other releases.
    #[serde(rename = "prefill_graph_max_tokens_0.5.23")]
    pub prefill_graph_max_tokens: Option<i64>,
    /// The parts of the reserve in MiB.
    pub terms: Vec<ReserveTerm>,
    /// Their sum.
    pub reserve_mib: f64,
    /// What a vision tower multiplies the fraction by.
    pub multimodal_factor: Option<f64>,
    /// What was wrong or uncertain.
    pub issues: Vec<Issue>,
}

impl AutoAnswer {
    /// Answers one line: `version=0.5.9&gpu_mem_mib=97887&tp=8&attention=MLA&vit=27x1152`.
    pub fn of(line: &str) -> Self {
        let (mut query, mut issues) = read(line);
        // Where an input was not understood, a fraction for another one would be a wrong number.
        let understood = issues.iter().all(|issue| match issue.field.as_str() {
            "version" | "other_args" => true,
            _ => matches!(issue.kind, IssueKind::UnknownKey | IssueKind::Repeated),
        });
        // The table holds the function alone, without the step before it that 0.5.10 has.
        query.enforced = true;
        let started = auto_fraction(&AutoQuery { enforced: false, ..query }).fraction;
        let Auto { fraction, terms, reserve_mib, multimodal_factor, resolved, issues: own } = auto_fraction(&query);
        issues.extend(own);
        if started != fraction {
            let message = [
                "as with --enforce-piecewise-cuda-graph: without it 0.5.10 captures no prefill graphs with speculation or \
                 data-parallel attention, and picks ",
                &decimal::write_trimmed(started, 6, 3),
            ];
            issues.push(Issue::new("version", IssueKind::Conflict, message.concat()));
        }
        let newest = Rules::of(query.version).0 == Rules::V0_5_23;
        Self {
            fraction: understood.then_some(fraction),
            chunked_prefill_size_resolved: resolved.chunk,
            cuda_graph_max_bs_resolved: resolved.max_bs,
            chunked_prefill_size_after_dp_division: resolved.chunk_per_group,
            num_decode_capture_bs: resolved.decode_sizes,
            num_prefill_capture_sizes: resolved.prefill_sizes,
            prefill_graph_backend: newest.then_some(if resolved.prefill_graphs { "breakable" } else { "disabled" }),
            prefill_graph_max_tokens: newest.then_some(resolved.prefill_most),
            terms,
            reserve_mib,
            multimodal_factor,
            issues,
        }
    }
}

/// Reads the pairs one by one; what cannot be read keeps its default, and an issue names it.
pub(super) fn read(line: &str) -> (AutoQuery, Vec<Issue>) {
    let mut query = AutoQuery::default();
    let mut issues = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let line = line.trim();
    for pair in line.strip_prefix('?').unwrap_or(line).split('&').filter(|pair| !pair.is_empty()).take(200) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, value) = (decoded(key), decoded(value));
        if seen.contains(&key) {
            let message = [&shorten(&key, 40), " is given more than once; the last counts"].concat();
            issues.push(Issue::new(&key, IssueKind::Repeated, message));
        }
        if let Err(kind) = set(&mut query, &key, &value, &mut issues) {
            let message = match kind {
                IssueKind::UnknownKey => ["no input ", &shorten(&key, 40)].concat(),
                IssueKind::NotANumber => ["a number is expected, not ", &shorten(&value, 40)].concat(),
                IssueKind::OutOfRange => [&shorten(&value, 40), " is out of range"].concat(),
                _ => [&shorten(&value, 40), " is not known"].concat(),
            };
            issues.push(Issue::new(&key, kind, message));
        }
        seen.push(key);
    }
    (query, issues)
}

fn set(query: &mut AutoQuery, key: &str, value: &str, issues: &mut Vec<Issue>) -> Result<(), IssueKind> {
    // An empty column and `auto` leave the choice to SGLang.
    let given = (!matches!(value, "" | "auto" | "None" | "none")).then_some(value);
    match key {
        "version" => {
            query.version = given.map_or(Some(Version::NEWEST), Version::parse).ok_or(IssueKind::UnknownValue)?;
        }
        "gpu_mem_mib" => query.gpu_mib = given.map(mebibytes).transpose()?,
        "tp" => query.tp = ranks(value)?,
        "pp" => query.pp = ranks(value)?,
        "dp" => query.dp = ranks(value)?,
        "dp_attention" => query.dp_attention = yes(value)?,
        "chunked_prefill_size_arg" => query.chunk = given.map(chunk).transpose()?,
        "cuda_graph_max_bs_arg" => query.max_bs = given.map(count).transpose()?,
        "speculative_algorithm" => query.speculation = given.map(speculation).transpose()?,
        "attention" => (query.mla, query.sparse) = given.map(latent).transpose()?.unwrap_or_default(),
        "vit" => query.vision = given.map(vision).transpose()?,
        "other_args" => {
            for part in value.split([' ', ';', ',']).filter(|part| !part.is_empty()) {
                let (name, value) = part.split_once('=').unwrap_or((part, "True"));
                if other(query, name, value).is_err() {
                    let message = [&shorten(part, 40), " is not known and changes nothing"].concat();
                    issues.push(Issue::new("other_args", IssueKind::UnknownValue, message));
                }
            }
        }
        // Columns of the table that describe the row.
        "gpu" | "multimodal" | "how" | "note" => {}
        _ => return Err(IssueKind::UnknownKey),
    }
    Ok(())
}

fn other(query: &mut AutoQuery, name: &str, value: &str) -> Result<(), IssueKind> {
    match (name, value) {
        ("bcg_vlm", _) => query.class = if yes(value)? { Class::Seeing } else { Class::Unlisted },
        ("disable_cg", _) => query.graphs_off = yes(value)?,
        ("disagg", "prefill") => query.disaggregation = Some(Disaggregation::Prefill),
        ("disagg", "decode") => query.disaggregation = Some(Disaggregation::Decode),
        ("a2a", "deepep") => query.deepep = true,
        ("kda", _) => query.kda = yes(value)?,
        ("amd", _) => query.amd = yes(value)?,
        ("context", _) => query.context = Some(count(value)?),
        ("max_running", _) => query.max_running = Some(count(value)?),
        ("max_prefill", _) => query.max_prefill = count(value)?,
        _ => return Err(IssueKind::UnknownValue),
    }
    Ok(())
}

fn yes(value: &str) -> Result<bool, IssueKind> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" => Ok(true),
        "no" | "false" | "0" | "" => Ok(false),
        _ => Err(IssueKind::UnknownValue),
    }
}

/// The largest count that is believed: tokens of a chunk, requests of a graph.
const MOST: u64 = 1 << 24;

fn count(value: &str) -> Result<u64, IssueKind> {
    let number: u64 = value.parse().map_err(|_| IssueKind::NotANumber)?;
    if (1..=MOST).contains(&number) { Ok(number) } else { Err(IssueKind::OutOfRange) }
}

fn ranks(value: &str) -> Result<u64, IssueKind> {
    count(value).and_then(|ranks| if ranks <= 4096 { Ok(ranks) } else { Err(IssueKind::OutOfRange) })
}

fn chunk(value: &str) -> Result<i64, IssueKind> {
    if value == "-1" { Ok(-1) } else { count(value).map(|chunk| chunk as i64) }
}

fn mebibytes(value: &str) -> Result<f64, IssueKind> {
    let number = decimal::read(value).map_err(|_| IssueKind::NotANumber)?;
    if number > 0.0 && number < 1e9 { Ok(number) } else { Err(IssueKind::OutOfRange) }
}

/// Whether it is MLA, and with an indexer.
fn latent(value: &str) -> Result<(bool, bool), IssueKind> {
    match value.to_ascii_uppercase().as_str() {
        "MLA" => Ok((true, false)),
        "DSA" | "NSA" => Ok((true, true)),
        "MHA" | "GQA" | "MQA" | "MHA/GQA" => Ok((false, false)),
        _ => Err(IssueKind::UnknownValue),
    }
}

fn speculation(value: &str) -> Result<Speculation, IssueKind> {
    match value.to_ascii_uppercase().as_str() {
        "STANDALONE" => Ok(Speculation::Standalone),
        "NGRAM" => Ok(Speculation::Ngram),
        "EAGLE" | "EAGLE3" | "NEXTN" | "MTP" | "DFLASH" => Ok(Speculation::Draft),
        _ => Err(IssueKind::UnknownValue),
    }
}

fn vision(value: &str) -> Result<Vision, IssueKind> {
    let (layers, hidden) = value.split_once(['x', '×']).ok_or(IssueKind::NotANumber)?;
    Ok(Vision { layers: count(layers)?, hidden: count(hidden)? })
}

/// Percent-encoding and `+`, where a program encoded the pair; what is not encoded stays as it is.
fn decoded(text: &str) -> String {
    percent::decode(text, Plus::Blank).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_is_not_understood_leaves_no_wrong_number() {
        for pair in
            ["gpu_mem_mib=-5", "gpu_mem_mib=much", "tp=0", "tp=3.5", "vit=27", "attention=RNN", "dp_attention=maybe"]
        {
            let answer = AutoAnswer::of(&["gpu_mem_mib=97887&tp=8&", pair].concat());
            assert_eq!(answer.fraction, None, "{pair}");
            let field = pair.split('=').next().unwrap();
            assert!(answer.issues.iter().any(|issue| issue.field == field), "{pair}: {:?}", answer.issues);
        }
        for pair in ["colour=red", "version=next", "other_args=unheard_of=1", "gpu_mem_mib=", "version="] {
            assert!(AutoAnswer::of(pair).fraction.is_some(), "{pair}");
        }
    }

    #[test]
    fn each_refusal_says_what_is_wrong() {
        let said = |pair: &str| {
            let answer = AutoAnswer::of(&["version=0.5.9&gpu_mem_mib=97887&tp=8&", pair].concat());
            answer.issues.into_iter().map(|issue| issue.message).collect::<Vec<_>>()
        };
        assert_eq!(said("colour=red"), ["no input colour"]);
        assert_eq!(said("tp=much")[1..], ["a number is expected, not much"]);
        assert_eq!(said("pp=0"), ["0 is out of range"]);
        assert_eq!(said("attention=RNN"), ["RNN is not known"]);
        assert_eq!(said("gpu_mem_mib=0")[1..], ["0 is out of range"]);
        assert_eq!(said("gpu_mem_mib=1000000000")[1..], ["1000000000 is out of range"]);
        // Columns that describe a row, and flags that are known.
        assert_eq!(said("gpu=H100&multimodal=no&how=executed&note=a+note"), Vec::<String>::new());
        assert_eq!(said("other_args=kda=no;amd=no;context=4096"), Vec::<String>::new());
    }
}

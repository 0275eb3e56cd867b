//! Test data and the damage that is done to it.

use std::path::PathBuf;

use kv_budget::logs::{Cause, Diagnosis, Direction};

/// One row of `expected.csv` with its log.
pub struct Expected {
    pub name: String,
    pub log: Vec<u8>,
    pub causes: Vec<String>,
    pub directions: Vec<String>,
    pub fact: Option<(String, f64, f64)>,
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

pub fn read(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The filed reports, and more fragments of the same kinds.
pub fn expected() -> Vec<Expected> {
    let mut rows = table("expected.csv", "cases");
    rows.extend(table("others.csv", "others"));
    rows
}

fn table(name: &str, folder: &str) -> Vec<Expected> {
    let mut table = csv::Reader::from_path(path(&format!("reports/{name}"))).unwrap();
    table
        .records()
        .map(|row| {
            let row = row.unwrap();
            let list = |index: usize| row[index].split('|').map(str::to_owned).collect();
            let fact =
                (!row[3].is_empty()).then(|| (row[3].to_owned(), row[4].parse().unwrap(), row[5].parse().unwrap()));
            Expected {
                name: row[0].to_owned(),
                log: read(&format!("reports/{folder}/{}", &row[0])),
                causes: list(1),
                directions: list(2),
                fact,
            }
        })
        .collect()
}

fn name(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

pub fn cause(cause: Cause) -> String {
    name(cause)
}

pub fn direction(direction: Direction) -> String {
    name(direction)
}

/// Pastes of several attempts: an earlier attempt by itself has its own answer, and it is right about that attempt (the empty
/// band of 36 shows only in both together). Nothing but these is let through: a part that
/// lacks its reason says so.
const PARTS: &[(&str, Cause, Direction)] = &[
    ("36-sgl-l40s-spec-084-then-085.log", Cause::NoRoomAtStart, Direction::Raise),
    ("sgl-080-refused-then-090-capture.log", Cause::NoRoomAtStart, Direction::Raise),
    ("sgl-graph-oom-then-started.log", Cause::GraphCaptureOom, Direction::Lower),
    ("vllm-two-runs-second-works.log", Cause::PoolSmallerThanContext, Direction::Raise),
    ("vllm-over-free-then-no-blocks.log", Cause::FractionOverFree, Direction::Lower),
    ("d-capture-oom-095-then-refused-085.log", Cause::GraphCaptureOom, Direction::Lower),
    // Without its number it is an allocation of any size.
    ("d-sgl-runtime-mask-192-gib-of-80.log", Cause::RuntimeOom, Direction::Lower),
    ("f-comment-explains-other-thread.log", Cause::NoRoomAtStart, Direction::Raise),
    ("g-hisparse-capture-then-refused.log", Cause::GraphCaptureOom, Direction::Lower),
    ("h-vllm-free-then-fixed.log", Cause::FractionOverFree, Direction::Lower),
    ("e-070-refused-090-graph-oom.log", Cause::NoRoomAtStart, Direction::Raise),
    ("e-three-fractions-third-works.log", Cause::NoRoomAtStart, Direction::Raise),
    // Requests were retracted before memory ran out.
    ("e-retractions-then-torch-oom.log", Cause::PoolFull, Direction::None),
    // While it serves, this message asks for a smaller share; that it loads weights stands in the frames.
    ("e-lmdeploy-process-weight.log", Cause::RuntimeOom, Direction::Lower),
    // The last lines alone show weights that do not fit, and nothing of a draft model.
    ("sgl-eagle-draft-weights-after-pool.log", Cause::WeightsTooLarge, Direction::None),
    ("c-quoted-refusal-then-fixed.log", Cause::NoRoomAtStart, Direction::Raise),
    // The profile below zero is a draft model's, which only what follows it shows.
    ("v22-negative-profile-but-it-went-on.log", Cause::NoRoomAtStart, Direction::Raise),
    ("v27-vllm-minimax-ngram-two-tries.log", Cause::NoRoomAtStart, Direction::Raise),
    ("z24-ladder-096-then-097-then-ready.log", Cause::NoRoomAtStart, Direction::Raise),
    ("ae12-oom-then-user-tries-07-healthy.log", Cause::GraphCaptureOom, Direction::Lower),
    // The flag that caps the pool is cut away.
    ("c-cap-4096-prompt-5012.log", Cause::PoolSmallerThanContext, Direction::Raise),
    // A pattern that is looked for, without its command.
    ("ah23-shell-that-greps.log", Cause::GraphCaptureOom, Direction::Lower),
    // A table of errors, of which one is left.
    ("x23-faq-table-of-six-errors.log", Cause::GraphCaptureOom, Direction::Lower),
];

/// A direction that the row does not accept. No direction, for want of the reason or because what is there is healthy, is
/// not wrong.
pub fn wrong_cure(row: &Expected, found: &Diagnosis) -> bool {
    if PARTS.contains(&(row.name.as_str(), found.cause, found.direction)) {
        return false;
    }
    let accepted = row.directions.contains(&direction(found.direction));
    match found.direction {
        Direction::Unknown => false,
        Direction::None => !accepted && !matches!(found.cause, Cause::Healthy),
        Direction::Raise | Direction::Lower => !accepted,
    }
}

/// A small generator: the damage is the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// The tag of the rank that wrote the line.
fn rank(line: &str) -> Option<&str> {
    let end = line.find("] ")?;
    let head = line.strip_prefix('[')?.get(..end - 1)?;
    head.split(' ').find(|word| word.starts_with("TP"))
}

/// Moves lines of different ranks past each other and leaves each rank's own order; lines without a rank stay behind the
/// line that they followed.
pub fn shuffle_ranks<'a>(lines: &[&'a str], random: &mut Random) -> Vec<&'a str> {
    let mut blocks: Vec<(Option<&str>, Vec<&'a str>)> = Vec::new();
    for line in lines {
        match (rank(line), blocks.last_mut()) {
            (None, Some(block)) => block.1.push(line),
            (tag, _) => blocks.push((tag, vec![line])),
        }
    }
    for _ in 0..blocks.len() * 4 {
        let at = random.below(blocks.len().saturating_sub(1));
        if let [a, b, ..] = &mut blocks[at..]
            && a.0.is_some()
            && b.0.is_some()
            && a.0 != b.0
        {
            std::mem::swap(a, b);
        }
    }
    blocks.into_iter().flat_map(|block| block.1).collect()
}

type Wrap = fn(usize, &str) -> String;

/// What containers and terminals put around a line.
pub const WRAPS: &[(&str, Wrap)] = &[
    ("docker -t", |index, line| format!("2026-11-30T01:02:{:02}.123456789Z {line}", index % 60)),
    ("CRI", |index, line| format!("2026-11-30T01:02:{:02}.123456789+08:00 stderr F {line}", index % 60)),
    ("compose", |_, line| format!("sglang-server-1  | {line}")),
    ("kubectl --prefix", |_, line| format!("[pod/sglang-0/server] {line}")),
    ("journald", |index, line| format!("Nov 30 01:02:{:02} gpu-host sglang[4711]: {line}", index % 60)),
    ("journald, ISO", |index, line| format!("2026-11-30T01:02:{:02}+0000 gpu-host python3[4711]: {line}", index % 60)),
    ("docker compose and CRI", |_, line| format!("app_1 | 2026-11-30T01:02:03Z stdout F {line}")),
    ("colour", |_, line| format!("\u{1b}[0;36m{line}\u{1b}[0m")),
    ("CRLF", |_, line| format!("{line}\r")),
    ("quoted", |_, line| format!("> {line}")),
    ("Python's logging", |_, line| format!("2026-11-30 01:02:03,123 - __main__ - INFO - {line}")),
    ("torchrun", |_, line| format!("[default0]:{line}")),
    ("Ray", |_, line| format!("(Engine pid=1234, ip=10.0.0.1) {line}")),
    ("a cloud's JSON", |index, line| {
        serde_json::json!({ "insertId": index.to_string(), "textPayload": line, "severity": "ERROR" }).to_string()
    }),
    ("docker json", |_, line| {
        let text = serde_json::to_string(&format!("{line}\n")).unwrap();
        format!("{{\"log\":{text},\"stream\":\"stderr\",\"time\":\"2026-11-30T01:02:03Z\"}}")
    }),
];

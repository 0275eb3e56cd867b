//! What containers, terminals and loggers put before a message, and how to take it off.

use super::report::Engine;
use super::sorted::insert;

/// What stood before a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head<'a> {
    /// The message.
    pub rest: &'a str,
    /// Rank tags in a fixed order, `DP0 PP1 TP3`.
    pub rank: String,
    /// File name before the message, as `grep` and log collectors write it.
    pub source: &'a str,
    /// The container of a service, as compose writes it.
    pub service: &'a str,
    /// A logger's own head was there: a new message begins. Container prefixes alone do not say so.
    pub headed: bool,
    /// The engine whose logger, or whose process, the head names.
    pub engine: Option<Engine>,
}

/// A line parted at carriage returns and before each SGLang head in the middle of it: progress bars leave both behind.
pub fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for piece in line.split('\r') {
        let (mut start, mut from) = (0, 1);
        while let Some(at) = piece.get(from..).and_then(|rest| rest.find("[20")).map(|at| at + from) {
            let stamp = piece.get(at + 1..).unwrap_or_default();
            if date_time(stamp).is_some() && !piece.get(start..at).unwrap_or_default().trim().is_empty() {
                pieces.push(piece.get(start..at).unwrap_or_default());
                start = at;
            }
            from = at + 3;
        }
        pieces.push(piece.get(start..).unwrap_or_default());
    }
    // The end of a CRLF line is no piece of its own.
    if pieces.len() > 1 && pieces.last().is_some_and(|last| last.is_empty()) {
        pieces.pop();
    }
    pieces
}

/// Takes every known prefix off.
pub fn peel(line: &str) -> Head<'_> {
    let mut head = Head { rest: line.trim(), ..Head::default() };
    let mut ranks: Vec<(u8, String)> = Vec::new();
    for _ in 0..10 {
        let before = head.rest.len();
        let rest = head.rest;
        let stripped = date_time(rest)
            .or_else(|| syslog(rest))
            .or_else(|| tag(rest, "stdout ").or_else(|| tag(rest, "stderr ")).and_then(cri))
            .or_else(|| unit(rest))
            .or_else(|| dashed(rest))
            .or_else(|| rest.strip_prefix("> "));
        if let Some(rest) = stripped {
            head.rest = rest.trim_start();
        } else if let Some((name, rest)) = pipe(rest) {
            if is_service(name) {
                head.service = name;
            }
            head.rest = rest.trim_start();
        } else if let Some((name, rest)) = file_name(rest) {
            (head.source, head.rest) = (name, rest.trim_start());
        } else if let Some((inside, rest)) = group(rest, '[', ']') {
            if rest.trim().is_empty() && !is_head(inside) {
                break;
            }
            head.headed |= is_head(inside);
            head.engine = head.engine.or(logger(inside));
            ranks_of(inside, &mut ranks);
            head.rest = rest.strip_prefix(':').unwrap_or(rest).trim_start();
        } else if let Some((inside, rest)) = group(rest, '(', ')').filter(|(inside, _)| inside.contains("pid=")) {
            ranks_of(inside, &mut ranks);
            head.engine = head.engine.or(process(inside));
            head.rest = rest.trim_start();
        } else if let Some(rest) = level(rest).or_else(|| stopwatch(rest)) {
            head.headed = true;
            head.rest = rest.trim_start();
        } else if let Some(rest) = logfmt(rest) {
            head.headed = true;
            head.rest = rest;
        }
        if head.rest.len() == before {
            break;
        }
    }
    for (_, name) in ranks {
        if !head.rank.is_empty() {
            head.rank.push(' ');
        }
        head.rank.push_str(&name);
    }
    head
}

/// A prefix that is none of the known ones, learnt where the beginning of a message is sure: a frame of a traceback, a
/// level with its date, a shell's prompt.
pub fn foreign(rest: &str) -> Option<&str> {
    let levelled = LEVELS.iter().filter_map(|level| {
        let at = rest.find(level)?;
        let date = rest.get(at + level.len()..)?.strip_prefix(' ')?;
        digits(digits(date, 2)?.strip_prefix('-')?, 2).map(|_| at)
    });
    let at = ["File \"", "$ "].iter().filter_map(|start| rest.find(start)).chain(levelled).min()?;
    learnt(rest.get(..at)?)
}

/// What stands before a message, if it can be a prefix: progress bars cannot.
pub fn learnt(before: &str) -> Option<&str> {
    let before = before.trim();
    (!before.is_empty() && before.len() <= 80 && !before.contains(['%', '"', '{'])).then_some(before)
}

/// What follows the learnt prefix, whose numbers may differ from line to line.
pub fn without<'a>(rest: &'a str, prefix: &str) -> Option<&'a str> {
    let (mut known, mut text) = (prefix, rest);
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    while let Some(character) = known.chars().next() {
        let (long, short) = (number(known), number(text));
        if long > 0 && short > 0 {
            (known, text) = (known.get(long..)?, text.get(short..)?);
        } else {
            text = text.strip_prefix(character)?;
            known = known.get(character.len_utf8()..)?;
        }
    }
    (!prefix.is_empty()).then(|| text.trim_start())
}

fn tag<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.strip_prefix(start)
}

/// CRI's full or partial mark.
fn cri(text: &str) -> Option<&str> {
    text.strip_prefix("F ").or_else(|| text.strip_prefix("P ")).or_else(|| matches!(text, "F" | "P").then_some(""))
}

fn digits(text: &str, count: usize) -> Option<&str> {
    let all = text.get(..count)?.bytes().all(|byte| byte.is_ascii_digit());
    if all { text.get(count..) } else { None }
}

/// `2026-02-27 12:40:05`, with T, fraction and zone if they are there.
fn date_time(text: &str) -> Option<&str> {
    let rest = digits(text, 4)?.strip_prefix(['-', '/'])?;
    let rest = digits(rest, 2)?.strip_prefix(['-', '/'])?;
    let rest = digits(rest, 2)?.strip_prefix(['T', ' '])?;
    let rest = digits(rest, 2)?.strip_prefix(':')?;
    let rest = digits(rest, 2)?.strip_prefix(':')?;
    let rest = digits(rest, 2)?;
    let part = match rest.strip_prefix(['.', ',']) {
        Some(part) => part.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    if let Some(rest) = part.strip_prefix('Z') {
        return Some(rest);
    }
    match part.strip_prefix(['+', '-']).and_then(|zone| digits(zone, 2)) {
        Some(zone) => digits(zone.strip_prefix(':').unwrap_or(zone), 2).or(Some(part)),
        None => Some(part),
    }
}

/// `Nov 30 01:02:03 host unit[12]: `.
fn syslog(text: &str) -> Option<&str> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let month = text.get(..3)?;
    if !MONTHS.as_bytes().chunks(3).any(|known| known == month.as_bytes()) {
        return None;
    }
    let rest = text.get(3..)?.strip_prefix(' ')?.trim_start();
    let day = rest.bytes().take_while(u8::is_ascii_digit).count();
    let rest = rest.get(day..)?.strip_prefix(' ')?;
    let rest = digits(digits(digits(rest, 2)?.strip_prefix(':')?, 2)?.strip_prefix(':')?, 2)?.strip_prefix(' ')?;
    unit(rest).or(Some(rest))
}

/// `- __main__ - INFO - `, as Python's logging writes it after the time.
fn dashed(text: &str) -> Option<&str> {
    let text = text.strip_prefix("- ")?;
    let parted =
        |level: &&str| text.split_once(*level).filter(|(name, rest)| name.len() < 60 && rest.starts_with(" - "));
    LEVELS.iter().find_map(parted)?.1.strip_prefix(" - ")
}

/// `host unit[12]: ` or `unit[12]: `.
fn unit(text: &str) -> Option<&str> {
    let end = text.find("]: ").or_else(|| text.strip_suffix("]:").map(str::len))?;
    let before = text.get(..end)?;
    let open = before.rfind('[')?;
    let (name, number) = (before.get(..open)?, before.get(open + 1..)?);
    let named = !name.is_empty()
        && name.len() < 100
        && !name.contains(": ")
        && name.split(' ').count() <= 2
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-@:/ ".contains(&byte));
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if named && numbered { text.get(end + 2..).map(str::trim_start) } else { None }
}

/// `service-1  | `, and the bare bar of a folded log.
fn pipe(text: &str) -> Option<(&str, &str)> {
    let name = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(byte)).count();
    let (name, rest) = text.split_at_checked(name)?;
    let rest = rest.trim_start().strip_prefix('|')?;
    (name.len() < 80 && (rest.is_empty() || rest.starts_with(' '))).then_some((name, rest))
}

/// Compose numbers the containers of a service: `server-1`, `server_1`.
fn is_service(name: &str) -> bool {
    let service = name.trim_end_matches(|c: char| c.is_ascii_digit());
    service.len() < name.len() && service.len() > 1 && service.ends_with(['-', '_'])
}

/// `name.log:`.
fn file_name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(':')?;
    let (name, rest) = (text.get(..end)?, text.get(end + 1..)?);
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte));
    let file = [".log", ".txt", ".out", ".err"].iter().any(|ending| name.ends_with(ending));
    (plain && file).then_some((name, rest))
}

/// A bracketed group at the beginning and what follows it.
fn group(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(open)?;
    let end = inside.find(close).filter(|end| *end <= 120)?;
    Some((inside.get(..end)?, inside.get(end + 1..)?))
}

const LEVELS: &[&str] = &["INFO", "ERROR", "WARNING", "WARN", "DEBUG", "CRITICAL", "FATAL"];

/// Whether a bracketed group belongs to a logger: it holds a time, a level or only ranks.
fn is_head(inside: &str) -> bool {
    let timed = inside.as_bytes().windows(8).any(|window| {
        matches!(window, [a, b, b':', c, d, b':', e, f] if [a, b, c, d, e, f].iter().all(|byte| byte.is_ascii_digit()))
    });
    let mut ranks = Vec::new();
    ranks_of(inside, &mut ranks);
    timed || LEVELS.contains(&inside) || !ranks.is_empty() || matches!(inside, "TensorRT-LLM" | "TRT-LLM" | "TM")
}

/// `INFO 09-08 02:02:27 `, `ERROR    |`, `INFO:     `.
fn level(text: &str) -> Option<&str> {
    let name = LEVELS.iter().find(|level| text.starts_with(**level))?;
    let rest = text.get(name.len()..)?;
    if let Some(rest) = rest.strip_prefix(':') {
        return Some(rest);
    }
    let rest = rest.strip_prefix(' ')?.trim_start();
    let stamped = digits(rest, 2)
        .and_then(|rest| digits(rest.strip_prefix('-')?, 2))
        .and_then(|rest| rest.strip_prefix(' '))
        .and_then(|rest| digits(digits(digits(rest, 2)?.strip_prefix(':')?, 2)?.strip_prefix(':')?, 2));
    let rest = stamped.unwrap_or(rest).trim_start();
    // vLLM before brackets: `model_runner.py:1072] `.
    let place = rest.find("] ").filter(|end| *end < 60 && !rest.get(..*end).unwrap_or_default().contains([' ', '[']));
    Some(place.and_then(|end| rest.get(end + 2..)).unwrap_or(rest))
}

/// llama.cpp's `1.06.520.077 E `: minutes, seconds, milli- and microseconds since its start, and a level.
fn stopwatch(text: &str) -> Option<&str> {
    let minutes = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = digits(text.get(minutes..)?.strip_prefix('.')?, 2)?;
    let rest = digits(digits(rest.strip_prefix('.')?, 3)?.strip_prefix('.')?, 3)?.strip_prefix(' ')?;
    let rest = rest.strip_prefix(['D', 'I', 'W', 'E'])?.strip_prefix(' ')?;
    (minutes > 0).then_some(rest)
}

/// The engine that a bracketed logger belongs to.
fn logger(inside: &str) -> Option<Engine> {
    match inside {
        "TensorRT-LLM" | "TRT-LLM" => Some(Engine::TensorrtLlm),
        "TM" => Some(Engine::LmdeployTurbomind),
        _ => None,
    }
}

/// The engine that a process belongs to, by the name of its role.
fn process(inside: &str) -> Option<Engine> {
    const VLLM: &[&str] = &["VllmWorker", "EngineCore", "APIServer", "Worker_", "Worker pid="];
    VLLM.iter().any(|role| inside.starts_with(role)).then_some(Engine::Vllm)
}

/// `level=INFO name=… msg="…"`.
fn logfmt(text: &str) -> Option<&str> {
    if !text.starts_with("level=") && !text.starts_with("time=") && !text.starts_with("ts=") {
        return None;
    }
    let start = text.find("msg=\"")? + 5;
    text.get(start..)
}

/// Rank tags, in any order: `TP3`, `DP0`, `rank=1`, `rank0`, `RANK 0`.
fn ranks_of(inside: &str, ranks: &mut Vec<(u8, String)>) {
    const KINDS: &[&str] = &["DP", "PP", "ATTN_CP", "MOE_DP", "TP"];
    let mut words = inside.split([' ', '_', '/']).peekable();
    while let Some(word) = words.next() {
        let number = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let kind = word.get(..word.len() - number.len()).unwrap_or_default();
        let whole = !number.is_empty() && number.len() < 6 && number.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(place) = KINDS.iter().position(|known| *known == kind).filter(|_| whole) {
            insert(ranks, (place as u8, word.to_owned()));
        }
        let lower = word.strip_prefix("rank").or_else(|| word.strip_prefix("RANK"));
        let number = match lower {
            Some("") => words.peek().copied(),
            Some(number) => Some(number.trim_start_matches('=')),
            None => None,
        };
        if let Some(number) =
            number.filter(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        {
            insert(ranks, (9, "rank".to_owned() + number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_off_every_prefix() {
        for (line, rank, rest) in [
            ("[2026-02-27 12:40:05 TP5] Load", "TP5", "Load"),
            ("[2026-02-27 12:40:05 DP0 PP1 TP3 EP3] Load", "DP0 PP1 TP3", "Load"),
            ("[2025-10-06 12:00:00.123 DP0 TP3 EP3 PP1] Load", "DP0 PP1 TP3", "Load"),
            ("[17:43:27 TP1] Load", "TP1", "Load"),
            ("[TP0] Load", "TP0", "Load"),
            ("[rank=1] Load", "rank1", "Load"),
            ("[rank0]: Load", "rank0", "Load"),
            ("qwen-1  | [2026-09-07 12:31:02] Load", "", "Load"),
            ("2025-02-04 21:21:40 [2025-02-04 05:21:40 TP0] Load", "TP0", "Load"),
            (
                "2026-09-08T10:02:27.647147641+08:00 stdout F (EngineCore pid=616) INFO 09-08 02:02:27 [m.py:5] Load",
                "",
                "Load",
            ),
            ("2026-09-08T10:02:27.647147641Z stderr P [TP1] Load", "TP1", "Load"),
            ("[pod/sglang-0/server] [2026-02-27 12:40:05 TP5] Load", "TP5", "Load"),
            ("Nov 30 01:02:03 gpu-host sglang[4711]: [2026-02-27 12:40:05 TP5] Load", "TP5", "Load"),
            ("2026-11-30T01:02:03+0000 gpu-host sglang[4711]: [2026-02-27 12:40:05 TP5] Load", "TP5", "Load"),
            ("(VllmWorker rank=0 pid=105) INFO 04-29 01:07:40 [loader.py:458] Load", "rank0", "Load"),
            ("(Worker_TP1 pid=105) ERROR 04-29 01:07:40 [loader.py:458] Load", "TP1", "Load"),
            ("INFO 12-02 10:11:31 model_runner.py:1072] Load", "", "Load"),
            ("2024-04-27 10:13:05 | ERROR | stderr | Load", "", "Load"),
            ("[TensorRT-LLM][INFO] Load", "", "Load"),
            ("[TensorRT-LLM][INFO][RANK 1] Load", "rank1", "Load"),
            ("replica_0.log:Load", "", "Load"),
            ("(EngineCore pid=118) level=INFO name=vllm.v1 msg=\"Load", "", "Load"),
        ] {
            let head = peel(line);
            assert_eq!((head.rest, head.rank.as_str()), (rest, rank), "{line}");
        }
        assert_eq!(peel("replica_0.log:x").source, "replica_0.log");
    }

    #[test]
    fn container_prefixes_begin_no_message() {
        for line in
            ["2026-09-08T10:02:27Z stdout F --mem-fraction-static=0.3.", "a-1  | (minimum viable", "[pod/a/b] x"]
        {
            assert!(!peel(line).headed, "{line}");
        }
        for line in ["[TP0] x", "INFO 12-02 10:11:31 x.py:1] y", "[2026-02-27 12:40:05] x"] {
            assert!(peel(line).headed, "{line}");
        }
    }

    #[test]
    fn learns_a_prefix_that_it_does_not_know() {
        assert_eq!(foreign("[1,0]<stdout>:  File \"a.py\", line 1"), Some("[1,0]<stdout>:"));
        assert_eq!(foreign("12: ERROR 03-20 17:39:14 [core.py:1] x"), Some("12:"));
        assert_eq!(foreign("Capturing: 4%| File \"a.py\""), None);
        assert_eq!(foreign("File \"a.py\", line 1"), None);
        assert_eq!(without("1173: ValueError: x", "12:"), Some("ValueError: x"));
        assert_eq!(without("ValueError: x", "12:"), None);
        assert_eq!(without("x", ""), None);
    }

    #[test]
    fn names_the_service_of_compose() {
        assert_eq!(peel("decode-1   | [2026-02-27 12:40:05 TP0] x").service, "decode-1");
        assert_eq!(peel("2024-04-27 10:13:05 | ERROR | stderr | x").service, "");
    }
}

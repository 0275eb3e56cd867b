//! How fast the built page is, and others beside it: served alike, in the same browser, on the same slow machine.
//!
//! Arguments: `runs=5`, then `NAME=PATH` for each other page (a folder with an `index.html`, or a file), and after it what
//! is known of it: `number=TEXT`, a text that only the right number brings, and `input=CSS`, the control that is moved.
//! `docs/speed.md` says what each figure is.

use std::path::PathBuf;
use std::process::ExitCode;

use browser_tests::measure::{Answers, Load, Memory, SLOWER, Subject, at, sorted};
use browser_tests::{Page, Result, Setting, session};
use serde::Serialize;
use serde_json::{Value, json};
use xtask::server::Server;

/// Changes of a control in one run, at each speed.
const CHANGES: u32 = 200;
const RUNS: usize = 5;
/// Where nothing else is said.
const ANY_CONTROL: &str = "input[type=range], input[type=number], select";

/// One run of one page.
#[derive(Clone, Copy, Debug, Serialize)]
struct Run {
    load: Load,
    slow: Answers,
    fast: Answers,
    memory: Memory,
}

/// A line of the table: what it is called, its unit's decimals, its aim for our page, and where it stands in a run.
type Row = (&'static str, usize, &'static str, fn(&Run) -> f64);

const ROWS: [Row; 18] = [
    ("bytes over the wire, gzip", 0, "", |run| run.load.bytes as f64),
    ("requests", 0, "", |run| run.load.requests as f64),
    ("    of them to others", 0, "0", |run| run.load.elsewhere as f64),
    ("first paint (FCP), ms", 0, "", |run| run.load.first_paint),
    ("largest paint (LCP), ms", 0, "600", |run| run.load.largest_paint),
    ("blocked (TBT), ms", 0, "", |run| run.load.blocked),
    ("shifts (CLS)", 3, "0.00", |run| run.load.shift),
    ("first correct number, ms", 0, "", |run| run.load.number),
    ("takes input, ms", 0, "", |run| run.load.alive),
    ("input to paint, 4x, p50, ms", 1, "", |run| run.slow.painted[0]),
    ("input to paint, 4x, p98, ms", 1, "20", |run| run.slow.painted[1]),
    ("    its work, 4x, p50, ms", 1, "", |run| run.slow.work[0]),
    ("    its work, 4x, p98, ms", 1, "", |run| run.slow.work[1]),
    ("input to paint, 1x, p50, ms", 1, "", |run| run.fast.painted[0]),
    ("input to paint, 1x, p98, ms", 1, "", |run| run.fast.painted[1]),
    ("    processor a change, 1x, ms", 2, "", |run| run.fast.processor),
    ("script heap, collected, KiB", 0, "", |run| run.memory.heap as f64 / 1024.0),
    ("WebAssembly memory, KiB", 0, "", |run| run.memory.program as f64 / 1024.0),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match compare().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    }
}

async fn compare() -> Result {
    let (runs, subjects) = subjects(std::env::args().skip(1))?;
    let servers: Vec<Server> = subjects.iter().map(serve).collect::<Result<_>>()?;
    let mut measured: Vec<Vec<Run>> = vec![Vec::new(); subjects.len()];
    let (before, mut browser, mut date) = (load_average(), String::new(), Value::Null);
    for run in 0..runs {
        // In turns, so that what else the machine does hits all of them.
        for (index, subject) in subjects.iter().enumerate() {
            let outcome = session(Setting::new(&subject.name).expecting_trouble(), async |page| {
                measured[index].push(measure(page, &servers[index], subject).await?);
                browser = page.browser().await?;
                date = page.script("return new Date().toISOString()", vec![]).await?;
                Ok(())
            });
            outcome.await.map_err(|trouble| format!("{}, run {}: {trouble}", subject.name, run + 1))?;
        }
        eprintln!("  run {} of {runs}", run + 1);
    }
    let machine = format!("{}, {} cores", processor(), std::thread::available_parallelism().map_or(0, usize::from));
    let date = date.as_str().unwrap_or_default();
    let after = load_average();
    println!("{machine}; load {before} before, {after} after; {browser}; {date}");
    println!("slow 4G, processor {SLOWER}x slower, nothing cached; medians of {runs} runs, {CHANGES} changes each");
    table(&subjects, &measured);
    let pages = subjects.iter().zip(&measured).map(|(subject, runs)| json!({ "name": subject.name, "runs": runs }));
    let report = json!({
        "browser": browser, "date": date, "machine": machine, "load": [before, after],
        "pages": pages.collect::<Vec<_>>(),
    });
    if let Some(file) = std::env::var_os("KV_BUDGET_REPORT") {
        std::fs::write(&file, serde_json::to_string_pretty(&report)?)?;
        println!("every run: {}", PathBuf::from(file).display());
    }
    Ok(())
}

/// How many runs, and the pages: ours first.
fn subjects(arguments: impl Iterator<Item = String>) -> Result<(usize, Vec<Subject>)> {
    let mut runs = RUNS;
    let ours = std::env::var("KV_BUDGET_DIST")?;
    let mut subjects = vec![Subject {
        name: "KV Budget".to_owned(),
        folder: ours.into(),
        file: String::new(),
        number: "20.603".to_owned(),
        input: "#slider-f".to_owned(),
    }];
    for argument in arguments {
        let (key, value) = argument.split_once('=').ok_or_else(|| format!("{argument:?} is not NAME=PATH"))?;
        let last = subjects.last_mut().filter(|last| last.name != "KV Budget");
        match (key, last) {
            ("runs", _) => runs = value.parse().map_err(|error| format!("{argument}: {error}"))?,
            ("number", Some(last)) => last.number = value.to_owned(),
            ("input", Some(last)) => last.input = value.to_owned(),
            ("number" | "input", None) => return Err(format!("{argument}: no page was named before it").into()),
            (name, _) => subjects.push(subject(name, value)?),
        }
    }
    Ok((runs.max(1), subjects))
}

fn subject(name: &str, path: &str) -> Result<Subject> {
    let path = PathBuf::from(path).canonicalize().map_err(|error| format!("{path}: {error}"))?;
    let (folder, file) = match path.parent() {
        Some(parent) if path.is_file() => {
            (parent.to_owned(), path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        }
        _ => (path, String::new()),
    };
    Ok(Subject { name: name.to_owned(), folder, file, number: String::new(), input: ANY_CONTROL.to_owned() })
}

fn serve(subject: &Subject) -> Result<Server> {
    let server =
        Server::start(&subject.folder, "/", 0).map_err(|error| format!("{}: {error}", subject.folder.display()))?;
    server.compress();
    Ok(server)
}

/// One visit in a fresh browser: how it loads on a slow machine over a slow network, how it answers on that machine and on
/// this one, what it then holds.
async fn measure(page: &Page, server: &Server, subject: &Subject) -> Result<Run> {
    // What a page asks others for is counted, and reaches nobody.
    page.befriend("");
    page.listen(&subject.number, &subject.input).await?;
    page.slow_network(true).await?;
    page.slow_down(SLOWER).await?;
    page.client.goto(&format!("{}{}", server.url(), subject.file)).await?;
    let load = page.loaded(&server.url()).await?;
    page.slow_network(false).await?;
    page.answers(&subject.input, CHANGES / 4).await?;
    let slow = page.answers(&subject.input, CHANGES).await?;
    page.slow_down(1).await?;
    let fast = page.answers(&subject.input, CHANGES).await?;
    Ok(Run { load, slow, fast, memory: page.memory().await? })
}

fn table(subjects: &[Subject], measured: &[Vec<Run>]) {
    print!("{:32}{:>8}", "", "aim");
    subjects.iter().for_each(|subject| print!("{:>16}", subject.name));
    println!();
    for (name, decimals, aim, of) in ROWS {
        print!("{name:32}{aim:>8}");
        for runs in measured {
            let median = at(&sorted(runs.iter().map(of).collect()), 50);
            print!("{median:>16.decimals$}");
        }
        println!();
    }
}

/// How many programs wanted the processor in the last minute.
fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|text| !text.is_empty()).unwrap_or("unknown").to_owned()
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split(": ").nth(1)).unwrap_or("unknown processor").to_owned()
}

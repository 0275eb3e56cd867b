//! Lines that a row of a table cannot read: several numbers at once, or words that mean something only where they stand.

use super::attempt::{Attempt, Pool};
use super::lines::Record;
use super::numbers::{Number, find, number};
use super::report::{Engine, Stage};
use super::rules::{Datum, Form, Signal};

/// Of one process outside of PyTorch, at most: its context and the buffers of communication, GiB.
const OUTSIDE: f64 = 2.0;

/// Pools that are kept.
const MOST_POOLS: usize = 256;

/// Reads a "KV Cache is allocated" line: keys and values, or one size; with or without a token count.
pub fn pool(record: &Record, attempt: &mut Attempt) {
    let read = |after: &str, form| find(&record.flat, after, 0).and_then(|at| number(record, at, form));
    // As people shorten it: `K 5.22 GB, V 5.22 GB`.
    let memory = |names: &[&str]| names.iter().find_map(|name| read(name, Form::Memory));
    let (keys, values) = (memory(&["K size:", ",K"]), memory(&[",V size:", "GB V size:", ",V"]));
    let single = read("KV size:", Form::Memory);
    let (size, half_width) = match (keys, values, single) {
        (_, _, Some(single)) => (single.value, single.half_width),
        (Some(keys), Some(values), None) => (keys.value + values.value, keys.half_width + values.half_width),
        _ => (0.0, 0.0),
    };
    let tokens = read("#tokens:", Form::Whole).map(|read| read.value);
    if size <= 0.0 && tokens.is_none() || attempt.pools.len() >= MOST_POOLS {
        return;
    }
    let keys = keys.filter(|_| single.is_none()).map(|read| read.value);
    let values = values.map(|read| read.value);
    attempt.pools.push(Pool { rank: record.rank.clone(), tokens, keys, values, size, half_width, line: record.line });
}

/// Whether "out of memory" speaks of a GPU, which the record names, and is a message: it begins the record or follows a
/// mark, perhaps with the GPU's kind before it. A person's sentence has other words there.
pub fn is_gpu_memory(record: &Record) -> bool {
    const GPUS: &str = "CUDA Cuda MPS cuda HIP hip XPU NPU MUSA GPU ROCm OutOfMemory device";
    const WHOLE: &str = "out of memory";
    let flat = record.flat.as_str();
    if find(flat, "Tried to allocate", 0).is_some() {
        return true;
    }
    let is_message = |end: usize| {
        let before = flat.get(..end + 2 - WHOLE.len()).unwrap_or_default();
        let before = GPUS.split(' ').find_map(|name| before.strip_suffix(name)).unwrap_or(before);
        before.is_empty() || before.ends_with([':', '\'', '"', '(', ']', '|', '>', '=', '-'])
    };
    let mut from = 0;
    while let Some(end) = find(flat, WHOLE, from) {
        if is_message(end) {
            return GPUS.split(' ').any(|name| find(flat, name, 0).is_some());
        }
        from = end;
    }
    false
}

/// Notes that GPU memory ran out where the exception of that name stands, not a sentence that speaks of it.
pub fn out_of_memory_error(record: &Record, attempt: &mut Attempt) {
    let Some(end) = find(&record.flat, "OutOfMemoryError", 0) else { return };
    if record.flat.get(end..).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ')', '\''])) {
        attempt.signal(Signal::Oom, record);
        attempt.signal(Signal::Allocator, record);
    }
}

/// Notes that a model's layers were being made, which is while its weights load. Of tracebacks on one line, the frame counts.
pub fn layers(record: &Record, attempt: &mut Attempt) {
    let frames = record.flat.split("File\"");
    if frames.filter(|frame| frame.contains("/models/")).any(|frame| frame.contains("in__init__")) {
        attempt.signal(Signal::Frame(Stage::Weights), record);
    }
}

/// Notes that ROCm had no resources left: memory, unless it says that enough of it is free.
pub fn hsa_resources(record: &Record, attempt: &mut Attempt) {
    const ENOUGH: f64 = 2.0;
    let free = find(&record.flat, "Available Free mem :", 0).and_then(|at| number(record, at, Form::Mebibytes));
    let short = free.is_none_or(|free| free.value < ENOUGH);
    attempt.signal(if short { Signal::Oom } else { Signal::NotMemory }, record);
}

/// Notes that the GPUs are unequal, where it is an error: newer versions may only warn, with the rank's tag right before it.
pub fn unbalanced(record: &Record, attempt: &mut Attempt) {
    if record.rank.is_empty() || !record.text.starts_with("The memory capacity") {
        attempt.signal(Signal::Unbalanced, record);
    }
}

/// Notes that GPU memory ran out, if that is what the record says.
pub fn out_of_memory(record: &Record, attempt: &mut Attempt) {
    if is_gpu_memory(record) {
        attempt.signal(Signal::Oom, record);
    }
}

/// Notes that signal 9 ended it, where nothing failed before: what fails takes the others along by this signal.
pub fn killed(record: &Record, attempt: &mut Attempt) {
    if !attempt.saw(Signal::Died) {
        killed_worker(record, attempt);
    }
}

/// The same of a worker of SGLang: that it is dead is told before its exit code.
pub fn killed_worker(record: &Record, attempt: &mut Attempt) {
    if !attempt.saw(Signal::Traceback) && !attempt.saw(Signal::CaptureFailed) {
        attempt.signal(Signal::Killed, record);
    }
}

/// Reads every `Process 12 has 1.81 GiB memory in use`.
pub fn processes(record: &Record, attempt: &mut Attempt) {
    // One OOM message counts; other ranks repeat it for other GPUs.
    if attempt.value(Datum::OtherProcess).is_some() {
        return;
    }
    let (mut from, mut listed) = (0, 0.0);
    while let Some(at) = find(&record.flat, "Process", from) {
        from = at;
        let rest = record.flat.get(at..).unwrap_or_default();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0
            && rest.get(digits..).is_some_and(|rest| rest.starts_with("has"))
            && let Some(read) = number(record, at + digits + 3, Form::Memory)
        {
            attempt.add(Datum::OtherProcess, read, record);
            listed += 1.0;
        }
    }
    attempt.add(Datum::Processes, Number { value: listed, half_width: 0.0, end: from }, record);
}

/// Reads PyTorch's older form, which Ascend still has: `(NPU 0; 60.97 GiB total capacity; 10.24 GiB already allocated; 19.52
/// MiB free; 10.65 GiB reserved in total by PyTorch)`. What is neither free nor reserved is outside of this PyTorch.
pub fn capacity_first(record: &Record, attempt: &mut Attempt) {
    let flat = record.flat.as_str();
    let Some(open) = flat.find("totalcapacity;").and_then(|end| flat.get(..end)?.rfind(';')) else { return };
    let read = |words: &str| {
        let end = flat.get(open..)?.find(words)? + open;
        let at = flat.get(..end)?.rfind(';')? + 1;
        number(record, at, Form::Memory).filter(|read| read.end <= end)
    };
    let (capacity, allocated, free) = (read("totalcapacity"), read("alreadyallocated"), read("free"));
    let Some(capacity) = capacity else { return };
    attempt.add(Datum::Capacity, capacity, record);
    for (datum, number) in [(Datum::Allocated, allocated), (Datum::Free, free)] {
        if let Some(number) = number {
            attempt.add(datum, number, record);
        }
    }
    if let (Some(free), Some(reserved)) = (free, read("reservedintotal")) {
        let outside = (capacity.value - free.value - reserved.value - OUTSIDE).max(0.0);
        attempt.add(Datum::InUse, reserved, record);
        attempt.add(Datum::OtherProcess, Number { value: outside, ..capacity }, record);
    }
}

/// Reads `… and 220.57 MiB is reserved by PyTorch but unallocated`: the number stands before its words.
pub fn reserved(record: &Record, attempt: &mut Attempt) {
    let Some(end) = find(&record.flat, "isreservedbyPyTorch", 0) else { return };
    let before = record.flat.get(..end - "isreservedbyPyTorch".len()).unwrap_or_default();
    // Behind "and": neither the number nor its unit has that letter.
    let at = before.bytes().rposition(|byte| byte == b'd').map_or(0, |at| at + 1);
    if let Some(read) = number(record, at, Form::Memory) {
        attempt.add(Datum::Reserved, read, record);
    }
}

/// Reads vLLM's `Free memory on device cuda:0 (31.44/47.38 GiB) … utilization (0.95, 45.01 GiB)`.
pub fn free_on_device(record: &Record, attempt: &mut Attempt) {
    let flat = &record.flat;
    let Some(open) = find(flat, "on device", 0).and_then(|at| find(flat, "(", at)) else { return };
    if let Some(free) = number(record, open, Form::Memory) {
        attempt.add(Datum::Available, free, record);
        if let Some(total) = number(record, free.end + 1, Form::Memory) {
            attempt.add(Datum::Total, total, record);
        }
    }
    let Some(open) = find(flat, "utilization(", 0) else { return };
    if let Some(fraction) = number(record, open, Form::Exact) {
        attempt.add(Datum::Fraction, fraction, record);
        if let Some(desired) = number(record, fraction.end + 1, Form::Memory) {
            attempt.add(Datum::Desired, desired, record);
        }
    }
}

/// Reads a version, behind whichever of the engines' own marks has one.
pub fn version(record: &Record, attempt: &mut Attempt) {
    const MARKS: &[&str] =
        &["server version", "LLM version:", "sglang==", "sglang:", "vllm==", "vLLM Version:", "engine (v", "lmdeploy:"];
    let found = MARKS.iter().find_map(|mark| release(record.flat.get(find(&record.flat, mark, 0)?..)?));
    if let Some(found) = found.filter(|_| !record.cut) {
        attempt.version = Some(found);
    }
}

/// `0.8.5.post1` at the beginning of `text`. White space is gone from it, so a word may follow at once: a release's own
/// suffixes are few.
fn release(text: &str) -> Option<String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '+').unwrap_or(text.len());
    let text = text.get(..end)?;
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let suffix = text.get(digits..)?;
    let known = ["post", "rc", "dev", "+"].iter().any(|known| suffix.starts_with(known));
    let release = text.get(..if known { end } else { digits })?.trim_end_matches('.');
    (release.starts_with(|c: char| c.is_ascii_digit()) && release.contains('.') && end < 48).then(|| release.to_owned())
}

/// Reads TurboMind's `block_size = 1 MB`.
pub fn turbomind_blocks(record: &Record, attempt: &mut Attempt) {
    if record.engine == Some(Engine::LmdeployTurbomind)
        && let Some(read) = find(&record.flat, "block_size =", 0).and_then(|at| number(record, at, Form::Memory))
    {
        attempt.add(Datum::BlockSize, read, record);
    }
}

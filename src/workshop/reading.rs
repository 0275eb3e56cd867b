//! Reading logs portion by portion, so that a cancel is heard in between and memory stays small.

use std::cell::Cell;

use crate::js::field;
use crate::sections::Ask;
use crate::sections::log::{Given, Reading};
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, ReadableStreamByobReader, ReadableStreamDefaultReader, ReadableWritablePair};

use super::wiring::{Asker, File, GONE};

/// Bytes that are read in one go: some milliseconds of work.
const PORTION: u32 = 1 << 21;

/// Bytes that are looked at in one go: they stay in the processor's cache.
const COPIED: u32 = 1 << 18;

/// Milliseconds of work between two breaths: the page, or a cancel, may have something to do.
const BREATH: f64 = 24.0;

/// Milliseconds between two words about how far it is; what is read sooner needs none.
const PAUSE: f64 = 120.0;

thread_local! {
    /// Counts readings; one that is not the newest stops.
    static NEWEST: Cell<u32> = const { Cell::new(0) };
}

/// What a section that reads files hands to the wiring; the others carry nothing of it.
#[derive(Clone, Copy)]
pub struct Reader {
    pub(super) start: fn(Asker, &Ask, Vec<File>),
    pub(super) stop: fn(),
}

impl Reader {
    /// Reads logs.
    pub const LOGS: Self = Self { start, stop };
}

/// Stops the reading that goes on, if one does.
fn stop() {
    NEWEST.set(NEWEST.get().wrapping_add(1));
}

/// Reads these files and answers; on the way it says how far it is.
fn start(asker: Asker, ask: &Ask, files: Vec<File>) {
    let given = |(index, file): (usize, &File)| Given {
        control: ask.files.get(index).cloned().unwrap_or_default(),
        name: file.name(),
        size: file.size(),
    };
    let reading = Reading::new(ask, files.iter().enumerate().map(given).collect());
    let now = js_sys::Date::now();
    let job = Job { reading, asker, turn: NEWEST.get(), told: now, breathed: now, portion: Vec::new() };
    spawn_local(job.run(files));
}

struct Job {
    reading: Reading,
    asker: Asker,
    /// The count of readings when this one began.
    turn: u32,
    /// When it last said how far it is.
    told: f64,
    /// When others last had their turn.
    breathed: f64,
    portion: Vec<u8>,
}

/// It is not the newest reading any more: nobody waits for it.
struct Stopped;

impl Job {
    async fn run(mut self, files: Vec<File>) {
        while let Some(File(blob)) = self.reading.current().and_then(|index| files.get(index)) {
            let trouble = match self.read(blob).await {
                Ok(trouble) => trouble,
                Err(Stopped) => return,
            };
            self.reading.end(trouble);
        }
        let answer = self.reading.finish();
        self.asker.answer(super::json(&answer), false);
    }

    /// Reads one file; what comes back is why before its end, if so.
    async fn read(&mut self, blob: &Blob) -> Result<Option<String>, Stopped> {
        let Some(start) = part(blob, 0.0, 2.0) else { return Ok(Some(GONE.to_owned())) };
        let Ok(start) = JsFuture::from(start).await else { return Ok(Some(GONE.to_owned())) };
        if Uint8Array::new(&start).to_vec() == [0x1f, 0x8b] { self.unpack(blob).await } else { self.plain(blob).await }
    }

    /// Reads into the same two buffers again and again: one is filled while the other is looked at.
    async fn plain(&mut self, blob: &Blob) -> Result<Option<String>, Stopped> {
        let Ok(reader) = ReadableStreamByobReader::new(&blob.stream()) else {
            let reader = blob.stream().get_reader().unchecked_into();
            return self.stream(&reader, GONE).await;
        };
        let fill = |buffer: &JsValue| reader.read_with_array_buffer_view(&Uint8Array::new(buffer));
        let mut filled = [fill(&PORTION.into()), fill(&PORTION.into())];
        loop {
            let [next, after] = filled;
            let Ok(read) = JsFuture::from(next).await else { return Ok(Some(sentence(GONE, self))) };
            let bytes = field(&read, "value").dyn_into::<Uint8Array>();
            let (false, Ok(bytes)) = (field(&read, "done").is_truthy(), bytes) else { return Ok(None) };
            if self.take(&bytes).await.is_err() {
                let _ = reader.cancel();
                return Err(Stopped);
            }
            filled = [after, fill(&bytes.buffer())];
        }
    }

    async fn unpack(&mut self, blob: &Blob) -> Result<Option<String>, Stopped> {
        // Younger than the bindings: asked for by its name.
        let class = field(&js_sys::global(), "DecompressionStream").dyn_into::<Function>().ok();
        let unpacking = class.and_then(|class| Reflect::construct(&class, &Array::of1(&"gzip".into())).ok());
        let Some(unpacking) = unpacking else {
            return Ok(Some("This browser cannot unpack gzip: unpack it first (gunzip).".to_owned()));
        };
        let unpacked = blob.stream().pipe_through(&unpacking.unchecked_into::<ReadableWritablePair>());
        self.stream(&unpacked.get_reader().unchecked_into(), "the rest is damaged, or no gzip").await
    }

    /// Reads whatever portions come; `broken` says what it means when no more do.
    async fn stream(&mut self, reader: &ReadableStreamDefaultReader, broken: &str) -> Result<Option<String>, Stopped> {
        loop {
            let Ok(read) = JsFuture::from(reader.read()).await else { return Ok(Some(sentence(broken, self))) };
            let bytes = field(&read, "value").dyn_into::<Uint8Array>();
            let (false, Ok(bytes)) = (field(&read, "done").is_truthy(), bytes) else { return Ok(None) };
            if self.take(&bytes).await.is_err() {
                // Nobody waits for the rest.
                let _ = reader.cancel();
                return Err(Stopped);
            }
        }
    }

    /// Looks at a portion, and says now and then how far it is.
    async fn take(&mut self, bytes: &Uint8Array) -> Result<(), Stopped> {
        if NEWEST.get() != self.turn {
            return Err(Stopped);
        }
        let (length, mut from) = (bytes.length(), 0);
        while from < length {
            let to = length.min(from + COPIED);
            self.portion.resize((to - from) as usize, 0);
            bytes.subarray(from, to).copy_to(&mut self.portion);
            self.reading.push(&self.portion);
            from = to;
        }
        let now = js_sys::Date::now();
        if now - self.breathed > BREATH {
            breath().await;
            self.breathed = js_sys::Date::now();
        }
        if now - self.told > PAUSE {
            self.told = now;
            self.asker.answer(super::json(&self.reading.progress()), true);
        }
        Ok(())
    }
}

/// Lets others have their turn: what is there already is read without any, and would hold up the rest.
async fn breath() {
    let timer = field(&js_sys::global(), "setTimeout").dyn_into::<Function>();
    let turn = Promise::new(&mut |done, _| {
        match &timer {
            Ok(timer) => timer.call2(&JsValue::UNDEFINED, &done, &0.into()),
            Err(_) => done.call0(&JsValue::UNDEFINED),
        }
        .ok();
    });
    JsFuture::from(turn).await.ok();
}

/// The bytes of a part, promised.
fn part(blob: &Blob, from: f64, to: f64) -> Option<Promise> {
    blob.slice_with_f64_and_f64(from, to).ok().map(|part| part.array_buffer().unchecked_into())
}

/// What ended a reading before its time.
fn sentence(why: &str, job: &Job) -> String {
    ["Only the first ", &job.reading.so_far(), " were read: ", why, "."].concat()
}

//! Flags that ask for less: batches, chunks, graphs, requests, slots of state.

use super::List;
use crate::logs::report::{Cause, Engine, FactName};
use crate::logs::rules::{Consumer, Datum, Signal};
use crate::logs::sentence::fill;

/// A table of the requests' tokens smaller than this is not worth a flag, GiB.
const TABLE: f64 = 0.5;

/// llama.cpp's physical batch where nothing else is said.
const PHYSICAL_BATCH: f64 = 512.0;

impl List<'_> {
    /// Flags that need less memory outside the pool.
    pub(super) fn smaller_work(&mut self, cause: Cause) {
        match self.attempt.engine {
            Some(Engine::Sglang) => self.smaller_sglang(cause),
            Some(Engine::Vllm) => {
                let seqs = self.argument("max_num_seqs").or_else(|| self.fact(FactName::MaxRunningRequests));
                if let Some(seqs) = seqs.filter(|seqs| *seqs >= 2.0) {
                    self.put(
                        "--max-num-seqs",
                        Some(seqs),
                        Some((seqs / 2.0).floor()),
                        "Smaller batches need smaller buffers for activations, sampling and graphs.",
                    );
                }
                if let Some(tokens) = self.argument("max_num_batched_tokens").filter(|tokens| *tokens > 2048.0) {
                    self.put(
                        "--max-num-batched-tokens",
                        Some(tokens),
                        Some((tokens / 2.0).floor()),
                        "Halves the activation peak that is measured at start.",
                    );
                }
            }
            Some(Engine::LlamaCpp) => {
                if self.attempt.saw(Signal::KvBufferOom) {
                    if let Some(context) = self.fact(FactName::Context).filter(|context| *context >= 1024.0) {
                        self.put(
                            "-c",
                            Some(context),
                            Some((context / 2.0).floor()),
                            "The cache is allocated for the whole context at start; half of it takes half.",
                        );
                    }
                    self.put("--cache-type-k q8_0", None, None, "q8_0 takes 34/64 of f16.");
                } else {
                    let batch = self.attempt.value(Datum::PhysicalBatch).filter(|batch| *batch >= 2.0);
                    let to = (batch.unwrap_or(PHYSICAL_BATCH) / 2.0).floor();
                    self.put(
                        "-ub",
                        batch,
                        Some(to),
                        "The compute buffer grows with the physical batch, 512 by default.",
                    );
                }
            }
            _ => {}
        }
    }

    fn smaller_sglang(&mut self, cause: Cause) {
        let decode_flags = self.attempt.saw(Signal::DecodeFlag)
            || self.attempt.arguments.iter().any(|argument| argument.name == "cuda_graph_max_bs_decode");
        if matches!(cause, Cause::GraphCaptureOom | Cause::EmptyBand)
            && self.attempt.consumer() != Some(Consumer::SymmetricMemory)
            && (!self.attempt.saw(Signal::PrefillCapture) || self.attempt.saw(Signal::DecodeCapture))
        {
            let flag = if decode_flags { "--cuda-graph-max-bs-decode" } else { "--cuda-graph-max-bs" };
            let from = self.argument("cuda_graph_max_bs_decode").or_else(|| self.argument("cuda_graph_max_bs"));
            let from = from.or_else(|| self.attempt.most(Datum::GraphBatch));
            let (to, why) = match from {
                Some(from) => (
                    (from / 2.0).floor().max(1.0),
                    "The largest batch is captured first and sets the size of the graphs’ pool.",
                ),
                None => (
                    16.0,
                    "The largest batch sets the size of the graphs’ pool; SGLang’s message for this error proposes a smaller value, e.g. 16.",
                ),
            };
            if from.is_none_or(|from| to < from) {
                self.put(flag, from, Some(to), why);
            }
        }
        let chunk = self.argument("chunked_prefill_size");
        if let Some(chunk) = chunk.filter(|chunk| *chunk >= 4096.0) {
            self.put(
                "--chunked-prefill-size",
                Some(chunk),
                Some((chunk / 2.0).floor()),
                "Activations of a prefill, and its graphs, grow with the chunk.",
            );
        }
        // A row of four bytes a token for each request.
        let requests = self.argument("max_running_requests").or_else(|| self.fact(FactName::MaxRunningRequests));
        if let (Some(requests), Some(context)) = (requests, self.fact(FactName::Context))
            && (requests + 1.0) * (context + 4.0) * 4.0 >= TABLE * crate::units::GIB
            && requests >= 2.0
        {
            let table = (requests + 1.0) * (context + 4.0) * 4.0 / crate::units::GIB;
            let why = "The table of the requests' tokens takes {g} outside the pool, and half of it for half as many.";
            self.put("--max-running-requests", Some(requests), Some((requests / 2.0).floor()), &fill(why, &[table]));
        }
        if self.attempt.consumer() == Some(Consumer::Images) {
            self.put("--disable-fast-image-processor", None, None, "Images are then prepared on the CPU.");
        }
    }

    /// State slots and sliding windows.
    pub(super) fn state(&mut self) {
        if self.attempt.engine != Some(Engine::Sglang) {
            return;
        }
        let slots = self.argument("max_mamba_cache_size");
        let full = self.attempt.saw(Signal::StateSlotsFull);
        if let Some(slots) = slots.filter(|slots| *slots >= 2.0) {
            let (to, why) = if full {
                ((slots * 1.5).ceil(), "More slots for requests and for the prefixes that are cached.")
            } else {
                (
                    (slots / 2.0).floor(),
                    "Each slot costs the same memory whatever the length of its request; fewer leave more to the pool.",
                )
            };
            self.put("--max-mamba-cache-size", Some(slots), Some(to), why);
        }
        let requests = self.argument("max_running_requests").or_else(|| self.fact(FactName::MaxRunningRequests));
        if let Some(requests) = requests.filter(|requests| *requests >= 2.0) {
            self.put(
                "--max-running-requests",
                Some(requests),
                Some((requests / 2.0).floor()),
                "Each running request holds one to five state slots.",
            );
        }
        let chunk = self.argument("chunked_prefill_size").filter(|chunk| *chunk >= 4096.0);
        if let Some(chunk) = chunk.filter(|_| !full) {
            self.put(
                "--chunked-prefill-size",
                Some(chunk),
                Some((chunk / 2.0).floor()),
                "A smaller chunk keeps less back for activations.",
            );
        }
    }
}

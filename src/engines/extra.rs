//! The `extra` column: what only some engines know, `key=value` separated by semicolons. A key that is not in the
//! table is refused, so that nothing which changes an answer is passed over.

use super::facts::Engine;
use crate::decimal;
use crate::issue::IssueKind;

/// The keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Sliding window, tokens.
    Window,
    /// Layers with full attention.
    FullLayers,
    /// Layers with a sliding window.
    WindowLayers,
    /// Tokens that can be in flight at once: concurrent batches × `max_num_batched_tokens`.
    InFlight,
    /// Values of V per head.
    HeadDimV,
    /// Bytes per head and token, K, V and scales together.
    StateContent,
    /// vLLM's `num_gpu_blocks_override`.
    BlocksOverride,
    /// Bytes of other processes on the card.
    OtherProcesses,
    /// Whether the graph estimate is subtracted (`VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS`).
    EstimateGraphs,
    /// Whether TensorRT-LLM's profile run is skipped (`TRTLLM_SKIP_KV_CACHE_ESTIMATION`).
    SkipEstimation,
    /// TensorRT-LLM's backend.
    Backend,
    /// Bytes in use at the peak of the profile run.
    PeakUsed,
    /// Bytes of the temporary pool of the profile run.
    TemporaryKv,
    /// TensorRT-LLM's `max_tokens`.
    MaxTokens,
    /// TensorRT-LLM's `max_gpu_total_bytes`.
    MaxGpuBytes,
    /// Vocabulary.
    Vocab,
    /// LMDeploy's `max_prefill_token_num`.
    MaxPrefill,
    /// LMDeploy's `max_batch_size`.
    MaxBatch,
    /// LMDeploy's `quant_policy`.
    QuantPolicy,
    /// Whether the model uses sparse MLA.
    Dsa,
    /// Bytes of state caches.
    StateCache,
    /// What TurboMind's fraction is of.
    Of,
    /// TGI's `TGI_WIGGLE_ROOM`.
    WiggleRoom,
    /// Blocks of TGI's warm-up batch.
    WarmupBlocks,
    /// llama.cpp's slots.
    Slots,
    /// Whether llama.cpp's slots share one pool.
    Unified,
    /// llama.cpp's physical batch.
    UBatch,
    /// Whether llama.cpp gives sliding layers the full length (`--swa-full`).
    SwaFull,
    /// Ollama's `OLLAMA_NUM_PARALLEL`.
    NumParallel,
    /// Ollama's `OLLAMA_GPU_OVERHEAD`, bytes.
    GpuOverhead,
    /// MLC-LLM's mode.
    Mode,
}

/// How a value is written.
enum Form {
    /// A whole number of at least this.
    Whole(f64),
    /// A decimal from 0 to 1.
    Share,
    /// `0` or `1`, or `false` or `true`.
    Flag,
    /// A whole number, possibly with its derivation before it: `(64+64)*1+2*4=136`.
    Derived,
    /// One of these words.
    Words(&'static [&'static str]),
}

struct Rule(&'static str, Key, &'static [Engine], Form);

const HYBRID: &[Engine] = &[Engine::Vllm, Engine::LlamaCpp];
const VLLM: &[Engine] = &[Engine::Vllm];
const TRT: &[Engine] = &[Engine::TensorrtLlm];
const LMDEPLOY: &[Engine] = &[Engine::LmdeployPytorch];
const BOTH_LMDEPLOY: &[Engine] = &[Engine::LmdeployPytorch, Engine::LmdeployTurbomind];

const RULES: &[Rule] = &[
    Rule("window", Key::Window, HYBRID, Form::Whole(1.0)),
    Rule("n_full", Key::FullLayers, HYBRID, Form::Whole(0.0)),
    Rule("n_swa", Key::WindowLayers, HYBRID, Form::Whole(0.0)),
    Rule("max_in_flight_tokens", Key::InFlight, VLLM, Form::Whole(1.0)),
    Rule("head_dim_v", Key::HeadDimV, &Engine::ALL, Form::Whole(1.0)),
    Rule("state_content_bytes", Key::StateContent, VLLM, Form::Derived),
    Rule("num_gpu_blocks_override", Key::BlocksOverride, VLLM, Form::Whole(1.0)),
    Rule("other_process_bytes", Key::OtherProcesses, VLLM, Form::Whole(0.0)),
    Rule("VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", Key::EstimateGraphs, VLLM, Form::Flag),
    Rule("TRTLLM_SKIP_KV_CACHE_ESTIMATION", Key::SkipEstimation, TRT, Form::Flag),
    Rule("backend", Key::Backend, TRT, Form::Words(&["pytorch-v1", "pytorch-v2", "cpp"])),
    Rule("peak_used_bytes", Key::PeakUsed, TRT, Form::Whole(0.0)),
    Rule("temp_kv_bytes", Key::TemporaryKv, TRT, Form::Whole(0.0)),
    Rule("max_tokens", Key::MaxTokens, TRT, Form::Whole(1.0)),
    Rule("max_gpu_total_bytes", Key::MaxGpuBytes, TRT, Form::Whole(0.0)),
    Rule("vocab", Key::Vocab, LMDEPLOY, Form::Whole(1.0)),
    Rule("max_prefill_token_num", Key::MaxPrefill, LMDEPLOY, Form::Whole(1.0)),
    Rule("max_batch_size", Key::MaxBatch, LMDEPLOY, Form::Whole(1.0)),
    Rule("quant_policy", Key::QuantPolicy, BOTH_LMDEPLOY, Form::Words(&["0", "4", "8", "16", "17", "42"])),
    Rule("dsa", Key::Dsa, LMDEPLOY, Form::Flag),
    Rule("state_cache_bytes", Key::StateCache, LMDEPLOY, Form::Whole(0.0)),
    Rule("of", Key::Of, &[Engine::LmdeployTurbomind], Form::Words(&["free", "total"])),
    Rule("TGI_WIGGLE_ROOM", Key::WiggleRoom, &[Engine::Tgi], Form::Share),
    Rule("batch_blocks", Key::WarmupBlocks, &[Engine::Tgi], Form::Whole(0.0)),
    Rule("np", Key::Slots, &[Engine::LlamaCpp], Form::Whole(1.0)),
    Rule("kv_unified", Key::Unified, &[Engine::LlamaCpp], Form::Flag),
    Rule("ubatch", Key::UBatch, &[Engine::LlamaCpp], Form::Whole(1.0)),
    Rule("n_ubatch", Key::UBatch, &[Engine::LlamaCpp], Form::Whole(1.0)),
    Rule("swa_full", Key::SwaFull, &[Engine::LlamaCpp], Form::Flag),
    Rule("OLLAMA_NUM_PARALLEL", Key::NumParallel, &[Engine::Ollama], Form::Whole(1.0)),
    Rule("OLLAMA_GPU_OVERHEAD", Key::GpuOverhead, &[Engine::Ollama], Form::Whole(0.0)),
    Rule("mode", Key::Mode, &[Engine::MlcLlm], Form::Words(&["server", "local", "interactive"])),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Number(f64),
    Word(&'static str),
}

/// The values given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extra(Vec<(Key, Value)>);

impl Extra {
    /// Reads the column for `engine`; what is wrong goes to `bad` as field, kind and message.
    pub fn read(engine: Engine, text: &str, bad: &mut dyn FnMut(&str, IssueKind, &str)) -> Self {
        let mut extra = Self::default();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let field = ["extra.", name.trim()].concat();
            let known = RULES.iter().find(|rule| rule.0 == name.trim() && rule.2.contains(&engine));
            let Some(Rule(_, key, _, form)) = known else {
                bad(
                    &field,
                    IssueKind::UnknownKey,
                    "Not known for this engine; it could change the answer, so there is none.",
                );
                continue;
            };
            match form.read(value.trim()) {
                Ok(value) if extra.find(*key).is_none() => extra.0.push((*key, value)),
                Ok(_) => bad(&field, IssueKind::Repeated, "Given more than once; it is not clear which counts."),
                Err(kind) => bad(&field, kind, "Not a value that this can have."),
            }
        }
        extra
    }

    fn find(&self, key: Key) -> Option<Value> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// A decimal.
    pub fn number(&self, key: Key) -> Option<f64> {
        match self.find(key)? {
            Value::Number(number) => Some(number),
            Value::Word(_) => None,
        }
    }

    /// A whole number.
    pub fn whole(&self, key: Key) -> Option<i64> {
        self.number(key).map(|number| number as i64)
    }

    /// A flag.
    pub fn flag(&self, key: Key) -> Option<bool> {
        self.number(key).map(|number| number != 0.0)
    }

    /// A word.
    pub fn word(&self, key: Key) -> Option<&'static str> {
        match self.find(key)? {
            Value::Word(word) => Some(word),
            Value::Number(_) => None,
        }
    }
}

impl Form {
    fn read(&self, text: &str) -> Result<Value, IssueKind> {
        let number = |text: &str| decimal::read(text).map_err(|decimal::NotADecimal| IssueKind::NotANumber);
        match self {
            Self::Whole(least) => {
                let value = number(text)?;
                if value.fract() != 0.0 {
                    return Err(IssueKind::NotANumber);
                }
                within(value, *least, 9e15)
            }
            Self::Share => within(number(text)?, 0.0, 1.0),
            Self::Flag => match text {
                "0" | "false" => Ok(Value::Number(0.0)),
                "1" | "true" => Ok(Value::Number(1.0)),
                _ => Err(IssueKind::UnknownValue),
            },
            Self::Derived => {
                let value = number(text.rsplit('=').next().unwrap_or(text).trim())?;
                if value.fract() != 0.0 {
                    return Err(IssueKind::NotANumber);
                }
                within(value, 1.0, 1e6)
            }
            Self::Words(words) => {
                words.iter().find(|word| **word == text).map(|word| Value::Word(word)).ok_or(IssueKind::UnknownValue)
            }
        }
    }
}

fn within(value: f64, least: f64, most: f64) -> Result<Value, IssueKind> {
    if (least..=most).contains(&value) { Ok(Value::Number(value)) } else { Err(IssueKind::OutOfRange) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(engine: Engine, text: &str) -> (Extra, Vec<(String, IssueKind)>) {
        let mut bad = Vec::new();
        let extra = Extra::read(engine, text, &mut |field, kind, _| bad.push((field.to_owned(), kind)));
        (extra, bad)
    }

    #[test]
    fn keys_belong_to_engines() {
        let (extra, bad) = read(Engine::Vllm, "window=1024;n_full=10; n_swa=52");
        assert_eq!(bad, []);
        assert_eq!(extra.whole(Key::Window), Some(1024));
        assert_eq!(extra.whole(Key::InFlight), None);
        let (_, bad) = read(Engine::Tgi, "window=1024");
        assert_eq!(bad, [("extra.window".to_owned(), IssueKind::UnknownKey)]);
    }

    #[test]
    fn a_derivation_may_precede_its_result() {
        let (extra, bad) = read(Engine::Vllm, "state_content_bytes=(128+128)*1+2*4=264");
        assert_eq!((extra.whole(Key::StateContent), bad), (Some(264), vec![]));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, kind) in [
            ("np=0", IssueKind::OutOfRange),
            ("np=two", IssueKind::NotANumber),
            ("np=1;np=2", IssueKind::Repeated),
            ("kv_unified=maybe", IssueKind::UnknownValue),
            ("np", IssueKind::NotANumber),
        ] {
            let (_, bad) = read(Engine::LlamaCpp, text);
            assert_eq!(bad.first().map(|(_, kind)| *kind), Some(kind), "{text}");
        }
    }
}

//! What is asked of an engine: read from one query line, checked once, and typed from there on.

use super::extra::{self, Extra};
use super::facts::Engine;
use super::outcome::Outcome;
use super::shape::{self, Attention, Shape, Stored};
use crate::decimal;
use crate::issue::{Issue, IssueKind, shorten};
use crate::percent::{self, Plus};

/// Figures of one column, one for each rank; a single figure stands for all ranks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ranks(pub Vec<i64>);

impl Ranks {
    /// The figure of `rank`.
    pub fn at(&self, rank: usize) -> Option<i64> {
        self.0.get(rank).or(self.0.first()).copied()
    }

    /// The smallest, which is the one that counts.
    pub fn min(&self) -> Option<i64> {
        self.0.iter().min().copied()
    }
}

/// The question to one engine: the columns of the data file, all in bytes, values, tokens and ranks. `None` and empty
/// are "not given".
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    /// Which engine.
    pub engine: Engine,
    /// Its version, as written.
    pub version: String,
    /// Which of its knobs; the usual one where none is named.
    pub knob: &'static super::facts::Knob,
    /// The knob's value.
    pub value: Option<f64>,
    /// Physical memory of the card.
    pub total: Ranks,
    /// Free before the weights.
    pub free_init: Ranks,
    /// Taken between then and the end of the profile run; the weights for MLC-LLM.
    pub consumed: Ranks,
    /// Transient activation peak; workspaces for MLC-LLM.
    pub act_peak: Ranks,
    /// Graph estimate.
    pub cudagraph: Ranks,
    /// Free after the weights.
    pub free_after_load: Ranks,
    /// Bytes for the KV cache, where only they are known.
    pub avail: Ranks,
    /// Kind of attention.
    pub attention: Option<Attention>,
    /// Layers with a KV cache.
    pub layers: Option<i64>,
    /// KV heads of the model.
    pub kv_heads: Option<i64>,
    /// Values of K per head.
    pub head_dim: Option<i64>,
    /// Storage format.
    pub stored: Option<Stored>,
    /// Tensor-parallel size.
    pub tp: i64,
    /// Pipeline-parallel size.
    pub pp: i64,
    /// Tokens per block.
    pub block_size: Option<i64>,
    /// Longest request; -1 lets vLLM choose.
    pub max_model_len: Option<i64>,
    /// What only some engines know.
    pub extra: Extra,
}

/// Most bytes that a column may give: beyond it `f64` no longer counts single bytes.
const MOST: f64 = 9_007_199_254_740_992.0;

const COLUMNS: [&str; 21] = [
    "engine",
    "version",
    "knob",
    "value",
    "total_bytes",
    "free_init_bytes",
    "consumed_bytes",
    "act_peak_bytes",
    "cudagraph_bytes",
    "free_after_load_bytes",
    "avail_bytes",
    "attn",
    "layers",
    "kv_heads",
    "head_dim",
    "kv_bytes_per_elem",
    "tp",
    "pp",
    "block_size",
    "max_model_len",
    "extra",
];

impl Inputs {
    /// Reads one query line, `engine=vllm&version=0.33.0&…`. `None` where something was wrong that an answer would
    /// depend on; the issues name it.
    pub fn read(query: &str) -> (Option<Self>, Vec<Issue>) {
        let mut reader = Reader::new(query);
        let inputs = reader.inputs();
        (inputs.filter(|_| !reader.fatal), reader.issues)
    }

    /// The attention shape, or an issue for the first column that is missing.
    pub fn shape(&self, out: &mut Outcome) -> Option<Shape> {
        let attention = out.need(self.attention, "attn")?;
        let head_dim = out.need(self.head_dim, "head_dim")?;
        Some(Shape {
            attention,
            layers: out.need(self.layers, "layers")?,
            kv_heads: if attention == Attention::Mla {
                self.kv_heads.unwrap_or(1)
            } else {
                out.need(self.kv_heads, "kv_heads")?
            },
            head_dim,
            head_dim_v: self.extra.whole(extra::Key::HeadDimV).unwrap_or(head_dim),
            stored: out.need(self.stored, "kv_bytes_per_elem")?,
            tp: self.tp,
            pp: self.pp,
        })
    }

    /// The knob's value if the engine accepts it; an issue otherwise.
    pub fn accepted_value(&self, default: Option<f64>, out: &mut Outcome) -> Option<f64> {
        let value = out.need(self.value.or(default), "value")?;
        if self.value.is_none() {
            let text = decimal::write_trimmed(value, 9, 0);
            out.note("value", IssueKind::NotMeasured, "Not given; the default is used: ".to_owned() + &text);
        }
        if !self.knob.accepts.admits(value) {
            out.note("value", IssueKind::OutOfRange, self.knob.accepts.text());
            return None;
        }
        Some(value)
    }
}

struct Reader {
    pairs: Vec<(String, String)>,
    issues: Vec<Issue>,
    fatal: bool,
}

impl Reader {
    fn new(query: &str) -> Self {
        let mut reader = Self { pairs: Vec::new(), issues: Vec::new(), fatal: false };
        for pair in query.trim().trim_start_matches('?').split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            // Values such as `0.5+1/16` are written as they are.
            let (Some(key), Some(value)) = (percent::decode(key, Plus::Plus), percent::decode(value, Plus::Plus))
            else {
                reader.bad(key, IssueKind::BadEncoding, "Broken percent-encoding.");
                continue;
            };
            if !COLUMNS.contains(&key.as_str()) {
                reader.issues.push(Issue::new(&key, IssueKind::UnknownKey, "No input has this name; it was dropped."));
            } else if value.len() > 400 {
                reader.bad(&key, IssueKind::TooLong, "Longer than anything meaningful.");
            } else if let Some(known) = reader.pairs.iter_mut().find(|(name, _)| *name == key) {
                known.1 = value;
                reader.issues.push(Issue::new(&key, IssueKind::Repeated, "Given more than once; the last counts."));
            } else {
                reader.pairs.push((key, value));
            }
        }
        reader
    }

    fn bad(&mut self, field: &str, kind: IssueKind, message: &str) {
        self.issues.push(Issue::new(field, kind, message));
        self.fatal = true;
    }

    fn text(&self, key: &str) -> String {
        let found = self.pairs.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    }

    fn inputs(&mut self) -> Option<Inputs> {
        let name = self.text("engine");
        let Some(engine) = Engine::from_name(&name).filter(|engine| *engine != Engine::Sglang) else {
            let known: Vec<&str> = Engine::ALL.iter().skip(1).map(|engine| engine.name()).collect();
            let message = ["Not one of the engines: ", &known.join(", ")].concat();
            self.bad("engine", IssueKind::UnknownValue, &message);
            return None;
        };
        let knob = self.knob(engine)?;
        let stored = self.stored();
        let attention = self.attention();
        let extra_text = self.text("extra");
        let extra = Extra::read(engine, &extra_text, &mut |field, kind, message| {
            self.issues.push(Issue::new(field, kind, message));
            self.fatal = true;
        });
        let mut inputs = Inputs {
            engine,
            version: self.text("version"),
            knob,
            value: self.number("value"),
            total: self.ranks("total_bytes", 0.0),
            free_init: self.ranks("free_init_bytes", 0.0),
            consumed: self.ranks("consumed_bytes", 0.0),
            act_peak: self.ranks("act_peak_bytes", 0.0),
            cudagraph: self.ranks("cudagraph_bytes", 0.0),
            free_after_load: self.ranks("free_after_load_bytes", 0.0),
            avail: self.ranks("avail_bytes", -MOST),
            attention,
            layers: self.whole("layers", 1.0, 100_000.0),
            kv_heads: self.whole("kv_heads", 1.0, 100_000.0),
            head_dim: self.whole("head_dim", 1.0, 100_000.0),
            stored,
            tp: self.whole("tp", 1.0, 65_536.0).unwrap_or(1),
            pp: self.whole("pp", 1.0, 65_536.0).unwrap_or(1),
            block_size: self.whole("block_size", 1.0, 65_536.0),
            max_model_len: self.whole("max_model_len", -1.0, 1e12),
            extra,
        };
        self.same_ranks(&inputs);
        if inputs.max_model_len == Some(0) {
            self.bad("max_model_len", IssueKind::OutOfRange, "Outside of what this can be.");
        }
        let measured = [&inputs.total, &inputs.free_after_load, &inputs.consumed, &inputs.free_init];
        if !inputs.avail.0.is_empty() && measured.iter().any(|ranks| !ranks.0.is_empty()) {
            let message = "Given beside the memory that it follows from; it is computed instead.";
            self.issues.push(Issue::new("avail_bytes", IssueKind::Conflict, message));
            inputs.avail = Ranks::default();
        }
        Some(inputs)
    }

    fn knob(&mut self, engine: Engine) -> Option<&'static super::facts::Knob> {
        let text = self.text("knob");
        let knobs = engine.facts().knobs;
        let knob = knobs.iter().find(|knob| knob.name == text || text.is_empty());
        if knob.is_none() {
            let known: Vec<&str> = knobs.iter().map(|knob| knob.name).collect();
            let message = ["The engine's knobs are ", &known.join(", ")].concat();
            self.bad("knob", IssueKind::UnknownValue, &message);
        }
        knob
    }

    fn stored(&mut self) -> Option<Stored> {
        let text = self.text("kv_bytes_per_elem");
        let stored = shape::read_stored(&text);
        if stored.is_none() && !text.is_empty() {
            let message = ["Not a storage format: ", &shorten(&text, 40)].concat();
            self.bad("kv_bytes_per_elem", IssueKind::NotANumber, &message);
        }
        stored
    }

    fn attention(&mut self) -> Option<Attention> {
        let text = self.text("attn");
        let found = Attention::NAMES.iter().find(|(name, _)| *name == text).map(|(_, attention)| *attention);
        if found.is_none() && !text.is_empty() {
            let known: Vec<&str> = Attention::NAMES.iter().map(|(name, _)| *name).collect();
            let message = ["Not one of the attention kinds: ", &known.join(", ")].concat();
            self.bad("attn", IssueKind::UnknownValue, &message);
        }
        found
    }

    fn number(&mut self, key: &str) -> Option<f64> {
        let text = self.text(key);
        if text.is_empty() {
            return None;
        }
        let value = decimal::read(&text).ok().filter(|value| value.abs() <= MOST);
        if value.is_none() {
            self.bad(key, IssueKind::NotANumber, "Not a plain decimal.");
        }
        value
    }

    fn whole(&mut self, key: &str, least: f64, most: f64) -> Option<i64> {
        let value = self.number(key)?;
        self.checked(key, value, least, most)
    }

    fn checked(&mut self, key: &str, value: f64, least: f64, most: f64) -> Option<i64> {
        if value.fract() != 0.0 {
            self.bad(key, IssueKind::NotANumber, "Not a whole number.");
            return None;
        }
        if !(least..=most).contains(&value) {
            self.bad(key, IssueKind::OutOfRange, "Outside of what this can be.");
            return None;
        }
        Some(value as i64)
    }

    fn ranks(&mut self, key: &str, least: f64) -> Ranks {
        let text = self.text(key);
        let mut ranks = Vec::new();
        for part in text.split('|').filter(|_| !text.is_empty()) {
            match decimal::read(part.trim()) {
                Ok(value) => ranks.extend(self.checked(key, value, least, MOST)),
                Err(decimal::NotADecimal) => self.bad(key, IssueKind::NotANumber, "Not a plain decimal."),
            }
        }
        Ranks(ranks)
    }

    fn same_ranks(&mut self, inputs: &Inputs) {
        let columns = [
            ("total_bytes", &inputs.total),
            ("free_init_bytes", &inputs.free_init),
            ("consumed_bytes", &inputs.consumed),
            ("act_peak_bytes", &inputs.act_peak),
            ("cudagraph_bytes", &inputs.cudagraph),
            ("free_after_load_bytes", &inputs.free_after_load),
            ("avail_bytes", &inputs.avail),
        ];
        let most = columns.iter().map(|(_, ranks)| ranks.0.len()).max().unwrap_or(0);
        for (key, ranks) in columns {
            if ranks.0.len() > 1 && ranks.0.len() != most {
                self.bad(key, IssueKind::Conflict, "Columns give different numbers of ranks.");
            }
        }
        if most > 1_024 {
            self.bad("avail_bytes", IssueKind::TooLong, "More ranks than anything meaningful.");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(query: &str) -> (bool, Vec<(String, IssueKind)>) {
        let (inputs, issues) = Inputs::read(query);
        (inputs.is_some(), issues.into_iter().map(|issue| (issue.field, issue.kind)).collect())
    }

    #[test]
    fn values_are_taken_as_they_are_or_percent_encoded() {
        for query in [
            "engine=lmdeploy-pytorch&kv_bytes_per_elem=1+4/128",
            "engine=lmdeploy-pytorch&kv_bytes_per_elem=1%2B4%2F128",
        ] {
            let (inputs, issues) = Inputs::read(query);
            assert_eq!(issues, []);
            assert_eq!(inputs.unwrap().stored, shape::read_stored("1+4/128"), "{query}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (query, good, field, kind) in [
            ("engine=vlm", false, "engine", IssueKind::UnknownValue),
            ("engine=sglang", false, "engine", IssueKind::UnknownValue),
            ("engine=vllm&colour=red", true, "colour", IssueKind::UnknownKey),
            ("engine=vllm&value=0.9&value=0.8", true, "value", IssueKind::Repeated),
            ("engine=vllm&value=much", false, "value", IssueKind::NotANumber),
            ("engine=vllm&value=%zz", false, "value", IssueKind::BadEncoding),
            ("engine=vllm&layers=0", false, "layers", IssueKind::OutOfRange),
            ("engine=vllm&max_model_len=0", false, "max_model_len", IssueKind::OutOfRange),
            ("engine=vllm&layers=1.5", false, "layers", IssueKind::NotANumber),
            ("engine=vllm&total_bytes=-1", false, "total_bytes", IssueKind::OutOfRange),
            ("engine=vllm&attn=linear", false, "attn", IssueKind::UnknownValue),
            ("engine=vllm&knob=fraction", false, "knob", IssueKind::UnknownValue),
            ("engine=vllm&kv_bytes_per_elem=half", false, "kv_bytes_per_elem", IssueKind::NotANumber),
            ("engine=vllm&extra=colour=red", false, "extra.colour", IssueKind::UnknownKey),
            ("engine=vllm&total_bytes=1|2&consumed_bytes=1|2|3", false, "total_bytes", IssueKind::Conflict),
        ] {
            assert_eq!(kinds(query), (good, vec![(field.to_owned(), kind)]), "{query}");
        }
    }
}

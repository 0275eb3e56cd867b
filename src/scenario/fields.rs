//! The one table of what a URL can say: key, range, and how a value gets into a scenario and out of it.

use super::range::{Range, Thing, Unit, reals, wholes};
use super::{Scenario, Versus};
use crate::catalog::presets;
use crate::decimal;
use crate::engines::sglang::Version;
use crate::engines::sglang::cell::KvDtype;
use crate::issue::IssueKind;
use crate::text::story::Language;
use crate::units::{BytesPerToken, Fraction, Gib};

/// One key of the URL.
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// What stands behind it.
    pub slot: Slot,
}

/// How a field's value is read and written.
pub enum Slot {
    /// A plain decimal within a range.
    Number {
        /// The range.
        range: Range,
        /// The value, if there is one.
        get: fn(&Scenario) -> Option<f64>,
        /// Takes a value that lies within the range.
        set: fn(&mut Scenario, f64),
    },
    /// Anything else: a name from a closed list, an identifier, a list.
    Word {
        /// The canonical text, if there is one.
        get: fn(&Scenario) -> Option<String>,
        /// Takes a text, or says what is wrong with it.
        set: fn(&mut Scenario, &str) -> Result<(), IssueKind>,
    },
}

/// Whole numbers that `f64` holds exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// What a URL can still tell from nothing, by its nine decimals.
const SMALLEST_WRITTEN: f64 = 0.000_000_001;
/// Memory of one GPU, GiB.
const MEMORY: Range = reals(0.0, 4096.0, Unit::Gib);
/// Tokens, as many as can be told apart.
const TOKENS: Range = wholes(1.0, EXACT, Thing::Token);
/// Parallel sizes.
const GPUS: Range = wholes(1.0, 4096.0, Thing::Gpu);

const fn number(
    key: &'static str,
    range: Range,
    get: fn(&Scenario) -> Option<f64>,
    set: fn(&mut Scenario, f64),
) -> Field {
    Field { key, slot: Slot::Number { range, get, set } }
}

const fn word(
    key: &'static str,
    get: fn(&Scenario) -> Option<String>,
    set: fn(&mut Scenario, &str) -> Result<(), IssueKind>,
) -> Field {
    Field { key, slot: Slot::Word { get, set } }
}

/// All keys in canonical order. Values are applied in this order too, whatever the order of the URL.
pub const FIELDS: [Field; 34] = [
    word("v", |_| None, |_, text| if text == "1" { Ok(()) } else { Err(IssueKind::UnknownValue) }),
    word(
        "preset",
        |s| s.preset.map(|preset| preset.id.to_owned()),
        |s, id| {
            let preset = presets::by_id(id).ok_or(IssueKind::UnknownValue)?;
            *s = Scenario::from_preset(preset);
            Ok(())
        },
    ),
    number(
        "f",
        reals(0.0, 1.0, Unit::Share),
        |s| Some(s.fraction.get()),
        |s, value| s.fraction = Fraction::new(value).unwrap_or(s.fraction),
    ),
    number("total", MEMORY, |s| Some(s.total.0), |s, value| s.total = Gib(value)),
    number(
        "avail",
        MEMORY,
        |s| s.ranks.is_empty().then_some(s.available_typed.0),
        |s, value| s.set_available(Gib(value)),
    ),
    number(
        "cell",
        Range { least: SMALLEST_WRITTEN, most: 2_147_483_648.0, open: true, whole: false, unit: Unit::Bytes },
        |s| Some(s.cell.get()),
        |s, value| s.cell = BytesPerToken::new(value).unwrap_or(s.cell),
    ),
    number(
        "page",
        wholes(1.0, 65536.0, Thing::Token),
        |s| Some(s.page_size as f64),
        |s, value| s.page_size = value as u64,
    ),
    number(
        "cap",
        TOKENS,
        |s| s.max_total_tokens.map(|tokens| tokens as f64),
        |s, value| s.max_total_tokens = Some(value as u64),
    ),
    number("dyn", MEMORY, |s| s.dynamic_need.map(|need| need.0), |s, value| s.dynamic_need = Some(Gib(value))),
    number("ctx", TOKENS, |s| s.context.map(|tokens| tokens as f64), |s, value| s.context = Some(value as u64)),
    word(
        "sglang",
        |s| Some(s.sglang.text()),
        |s, text| {
            s.sglang = Version::parse(text).ok_or(IssueKind::UnknownValue)?;
            Ok(())
        },
    ),
    word("model", |s| s.plan.model.clone(), |s, text| identifier(text).map(|id| s.plan.model = Some(id))),
    word("gpu", |s| s.plan.gpu.clone(), |s, text| identifier(text).map(|id| s.plan.gpu = Some(id))),
    number("tp", GPUS, |s| s.plan.tp.map(|size| size as f64), |s, value| s.plan.tp = Some(value as u64)),
    number("pp", GPUS, |s| s.plan.pp.map(|size| size as f64), |s, value| s.plan.pp = Some(value as u64)),
    number("dp", GPUS, |s| s.plan.dp.map(|size| size as f64), |s, value| s.plan.dp = Some(value as u64)),
    word(
        "kv",
        |s| s.plan.kv_dtype.map(|dtype| dtype.name().to_owned()),
        |s, text| {
            let known = KvDtype::NAMES.iter().find(|(name, _)| *name == text);
            s.plan.kv_dtype = Some(known.ok_or(IssueKind::UnknownValue)?.1);
            Ok(())
        },
    ),
    number(
        "chunk",
        wholes(-1.0, 1_048_576.0, Thing::Token),
        |s| s.plan.chunked_prefill_size.map(|size| size as f64),
        |s, value| s.plan.chunked_prefill_size = Some(value as i64),
    ),
    number(
        "graph",
        wholes(0.0, 65536.0, Thing::Request),
        |s| s.plan.cuda_graph_max_bs.map(|size| size as f64),
        |s, value| s.plan.cuda_graph_max_bs = Some(value as u64),
    ),
    word(
        "spec",
        |s| s.plan.speculative.map(str::to_owned),
        |s, text| one_of(&SPECULATIVE, text).map(|algorithm| s.plan.speculative = Some(algorithm)),
    ),
    number(
        "running",
        wholes(1.0, 1_048_576.0, Thing::Request),
        |s| s.plan.max_running.map(|requests| requests as f64),
        |s, value| s.plan.max_running = Some(value as u64),
    ),
    number(
        "need",
        wholes(1.0, EXACT, Thing::Request),
        |s| s.need.map(|requests| requests as f64),
        |s, value| s.need = Some(value as u64),
    ),
    number("act", MEMORY, |s| s.activation_peak.map(|peak| peak.0), |s, value| s.activation_peak = Some(Gib(value))),
    number("cg", MEMORY, |s| s.graph_memory.map(|memory| memory.0), |s, value| s.graph_memory = Some(Gib(value))),
    number("card", MEMORY, |s| s.card.map(|size| size.0), |s, value| s.card = Some(Gib(value))),
    number(
        "vocab",
        wholes(1.0, 16_777_216.0, Thing::Token),
        |s| s.vocabulary.map(|size| size as f64),
        |s, value| s.vocabulary = Some(value as u64),
    ),
    word("ranks", write_ranks, read_ranks),
    word("vs", write_versus, read_versus),
    number(
        "step",
        wholes(1.0, 99.0, Thing::Step),
        |s| s.view.step.map(|step| step as f64),
        |s, value| s.view.step = Some(value as u64),
    ),
    number(
        "walk",
        wholes(1.0, 99.0, Thing::Step),
        |s| s.view.walk.map(|step| step as f64),
        |s, value| s.view.walk = Some(value as u64),
    ),
    word(
        "lang",
        |s| s.view.lang.map(|language| language.key().to_owned()),
        |s, text| {
            s.view.lang = Some(Language::by_key(text).ok_or(IssueKind::UnknownValue)?);
            Ok(())
        },
    ),
    word(
        "embed",
        |s| s.view.embed.then(|| "1".to_owned()),
        |s, text| one_of(&["0", "1"], text).map(|flag| s.view.embed = flag == "1"),
    ),
    word(
        "theme",
        |s| s.view.theme.map(str::to_owned),
        |s, text| one_of(&THEMES, text).map(|theme| s.view.theme = Some(theme)),
    ),
    word("show", |s| (!s.view.show.is_empty()).then(|| s.view.show.join(",")), read_show),
];

const SPECULATIVE: [&str; 6] = ["none", "eagle", "eagle3", "nextn", "standalone", "ngram"];
const THEMES: [&str; 3] = ["auto", "light", "dark"];

/// The sections that an embed can show.
pub const SECTIONS: [&str; 11] =
    ["verdict", "bars", "formula", "sliders", "curve", "presets", "compare", "log", "plan", "engines", "share"];

/// The field with this key.
pub fn field(key: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.key == key)
}

/// The range of a numeric field; for any other key every number, and per cent.
pub fn range(key: &str) -> Range {
    match field(key).map(|field| &field.slot) {
        Some(Slot::Number { range, .. }) => *range,
        _ => reals(f64::NEG_INFINITY, f64::INFINITY, Unit::Share),
    }
}

impl Field {
    /// The canonical text of the scenario's value, without percent-encoding: no value needs any.
    pub fn text(&self, scenario: &Scenario) -> Option<String> {
        match &self.slot {
            Slot::Number { get, .. } => get(scenario).map(decimal::canonical),
            Slot::Word { get, .. } => get(scenario),
        }
    }

    /// Puts a text from outside into the scenario. On trouble the scenario holds the clamped value or is unchanged.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read(&self, scenario: &mut Scenario, text: &str) -> Result<(), IssueKind> {
        match &self.slot {
            Slot::Word { set, .. } => set(scenario, text),
            Slot::Number { range, set, .. } => {
                let value = decimal::read(text).map_err(|_| IssueKind::NotANumber)?;
                let (value, clamped) = range.admit(value)?;
                set(scenario, value);
                if clamped { Err(IssueKind::OutOfRange) } else { Ok(()) }
            }
        }
    }
}

fn one_of(names: &[&'static str], text: &str) -> Result<&'static str, IssueKind> {
    names.iter().copied().find(|name| name.eq_ignore_ascii_case(text)).ok_or(IssueKind::UnknownValue)
}

/// Catalog ids, however they are typed: letters, digits and the marks that model names use. Anything else is not one of
/// ours.
fn identifier(text: &str) -> Result<String, IssueKind> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte);
    if text.is_empty() || !text.bytes().all(plain) {
        return Err(IssueKind::UnknownValue);
    }
    Ok(text.to_ascii_lowercase())
}

/// GPUs in one list; the largest deployments that share one pool are far below.
pub(crate) const MOST_RANKS: usize = 256;

fn write_ranks(scenario: &Scenario) -> Option<String> {
    if scenario.ranks.is_empty() {
        return None;
    }
    let texts: Vec<String> = scenario.ranks.iter().map(|rank| decimal::canonical(rank.0)).collect();
    Some(texts.join(","))
}

fn read_ranks(scenario: &mut Scenario, text: &str) -> Result<(), IssueKind> {
    let mut ranks = Vec::new();
    let mut trouble = Ok(());
    for part in text.split(',') {
        let value = decimal::read(part.trim()).map_err(|_| IssueKind::NotANumber)?;
        let (value, clamped) = MEMORY.admit(value)?;
        if clamped {
            trouble = Err(IssueKind::OutOfRange);
        }
        if ranks.len() == MOST_RANKS {
            return Err(IssueKind::TooLong);
        }
        ranks.push(Gib(value));
    }
    scenario.ranks = ranks;
    scenario.available_typed = scenario.available();
    trouble
}

/// The four numbers that a comparison can change, by their URL keys.
type Part = (&'static str, Option<f64>);

fn write_versus(scenario: &Scenario) -> Option<String> {
    match scenario.versus.as_ref()? {
        Versus::Preset(preset) => Some(preset.id.to_owned()),
        Versus::Changed { fraction, total, available, cell } => {
            let parts: [Part; 4] = [
                ("f", fraction.map(Fraction::get)),
                ("total", total.map(|amount| amount.0)),
                ("avail", available.map(|amount| amount.0)),
                ("cell", cell.map(BytesPerToken::get)),
            ];
            let texts: Vec<String> = parts
                .into_iter()
                .filter_map(|(key, value)| value.map(|value| [key, ":", &decimal::canonical(value)].concat()))
                .collect();
            Some(texts.join(","))
        }
    }
}

fn read_versus(scenario: &mut Scenario, text: &str) -> Result<(), IssueKind> {
    if let Some(preset) = presets::by_id(text) {
        scenario.versus = Some(Versus::Preset(preset));
        return Ok(());
    }
    let (mut fraction, mut total, mut available, mut cell) = (None, None, None, None);
    for part in text.split(',') {
        let (key, value) = part.split_once(':').ok_or(IssueKind::UnknownValue)?;
        let value = decimal::read(value).map_err(|_| IssueKind::NotANumber)?;
        let (value, clamped) = range(key).admit(value)?;
        if clamped {
            return Err(IssueKind::OutOfRange);
        }
        match key {
            "f" => fraction = Fraction::new(value),
            "total" => total = Some(Gib(value)),
            "avail" => available = Some(Gib(value)),
            "cell" => cell = BytesPerToken::new(value),
            _ => return Err(IssueKind::UnknownValue),
        }
    }
    scenario.versus = Some(Versus::Changed { fraction, total, available, cell });
    Ok(())
}

fn read_show(scenario: &mut Scenario, text: &str) -> Result<(), IssueKind> {
    let wanted = |section: &&&str| text.split(',').any(|part| part == **section);
    scenario.view.show = SECTIONS.iter().filter(wanted).copied().collect();
    let known = |part: &str| SECTIONS.contains(&part);
    if text.split(',').all(known) { Ok(()) } else { Err(IssueKind::UnknownValue) }
}

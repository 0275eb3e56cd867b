//! The server that is translated, and what its numbers do not say.

use crate::catalog::attention::Attention as Kept;
use crate::catalog::config::ModelConfig;
use crate::catalog::models;
use crate::decimal;
use crate::engines::Engine;
use crate::engines::cells;
use crate::engines::sglang::cell::KvDtype;
use crate::engines::shape::{Attention, Shape, Stored, Terms};
use crate::engines::translate::{Assumptions, Server};
use crate::format;
use crate::scenario::Scenario;
use crate::scenario::slider;
use crate::scenario::typed::understand;
use crate::sections::Ask;
use crate::text::refused;
use crate::units::Gib;
use crate::view::{Attribute, Element, div, input, label, p, small};

/// Something assumed that a reader may know better.
pub struct Assumed {
    /// Name of the control, and key of the scenario.
    pub name: &'static str,
    label: &'static str,
}

/// In the order of the form.
pub const ASSUMED: [Assumed; 4] = [
    Assumed { name: "act", label: "activation peak, GiB" },
    Assumed { name: "cg", label: "vLLM’s graph estimate, GiB" },
    Assumed { name: "card", label: "the whole card, GiB" },
    Assumed { name: "vocab", label: "vocabulary (LMDeploy)" },
];

/// How the shape of the attention is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeFrom {
    /// The model of the plan.
    Plan(&'static str),
    /// The worked case: its cell, and no model chosen.
    WorkedCase,
    /// No model is chosen.
    NoModel,
    /// The model of the plan has another cell than the scenario.
    OtherCell,
    /// The rules that were read do not cover this attention or format; why.
    NotCovered(&'static str),
}

/// What is translated.
pub struct Setup {
    /// The page's scenario.
    pub scenario: Scenario,
    /// Its server.
    pub server: Server,
    /// What was assumed.
    pub assumed: Assumptions,
    /// How [`Assumptions::shape`] is known.
    pub shape_from: ShapeFrom,
    /// Controls that were not understood, and why.
    trouble: Vec<(&'static str, String)>,
}

impl Setup {
    /// From the scenario and the form.
    pub fn of(scenario: &Scenario, ask: &Ask) -> Self {
        let server = Server {
            fraction: scenario.fraction,
            total: scenario.total,
            available: scenario.available(),
            cell: scenario.cell,
            max_total_tokens: scenario.max_total_tokens,
        };
        let model = scenario.plan.model.as_deref().and_then(models::find);
        let usual = Assumptions::default();
        let vocab = scenario.vocabulary.or(model.map(|model| model.shape.vocab)).filter(|vocab| *vocab > 0);
        let vocab = vocab.and_then(|vocab| i64::try_from(vocab).ok()).unwrap_or(usual.vocab);
        let (shape, shape_from) = shape(scenario);
        let assumed = Assumptions {
            physical: scenario.card,
            activations: scenario.activation_peak.unwrap_or(usual.activations),
            graphs: scenario.graph_memory.unwrap_or(usual.graphs),
            vocab,
            batch: lmdeploy_batch(scenario.plan.gpu.as_deref().unwrap_or_default()),
            shape,
            ..usual
        };
        let trouble = ASSUMED.iter().filter_map(|field| Some((field.name, self::typed(field.name, ask)?.err()?)));
        let trouble = trouble.collect();
        Self { scenario: scenario.clone(), server, assumed, shape_from, trouble }
    }

    /// Why a control was not understood.
    pub fn trouble_with(&self, name: &str) -> Option<&str> {
        self.trouble.iter().find(|(own, _)| *own == name).map(|(_, words)| words.as_str())
    }

    /// What a control must show now, unless it shows that already.
    pub fn text_to_show(&self, field: &Assumed, ask: &Ask) -> Option<String> {
        let value = given(&self.scenario, field.name);
        let shown = typed(field.name, ask).and_then(Result::ok);
        (value != shown).then(|| value.map(written).unwrap_or_default())
    }

    /// What counts where nothing is typed.
    fn usual(&self, name: &str) -> String {
        let usual = Assumptions::default();
        match name {
            "act" => written(usual.activations.0),
            "cg" => written(usual.graphs.0),
            "card" => written(usual.physical_for(self.server.total).0),
            _ => format::whole(self.assumed.vocab),
        }
    }

    /// Physical memory that is used.
    pub fn physical(&self) -> Gib {
        self.assumed.physical_for(self.server.total)
    }
}

/// A number as it is typed.
pub fn written(value: f64) -> String {
    decimal::write_trimmed(value, 6, 0)
}

/// What the scenario says of an assumption.
fn given(scenario: &Scenario, name: &str) -> Option<f64> {
    slider::get(name, scenario)
}

/// What was typed into a control: nothing, a number, or why it is none.
fn typed(name: &str, ask: &Ask) -> Option<Result<f64, String>> {
    let text = ask.field(name);
    let number = || understand(name, text).map(|understood| understood.value).map_err(|refusal| refused(name, refusal));
    (!text.is_empty()).then(number)
}

/// Puts what was typed into the scenario; what is not understood leaves it as it is.
pub fn take_assumptions(scenario: &mut Scenario, ask: &Ask) {
    let before = scenario.clone();
    (scenario.activation_peak, scenario.graph_memory, scenario.card, scenario.vocabulary) = (None, None, None, None);
    for field in &ASSUMED {
        let value = match typed(field.name, ask) {
            None => None,
            Some(Ok(value)) => Some(value),
            Some(Err(_)) => given(&before, field.name),
        };
        if let Some(value) = value {
            slider::set(field.name, scenario, value);
        }
    }
}

/// The id of a control.
pub fn control_id(name: &str) -> String {
    ["engines-", name].concat()
}

/// The id of what is said about a control.
pub fn note_id(name: &str) -> String {
    ["engines-note-", name].concat()
}

/// The assumptions.
pub fn form(setup: &Setup) -> Element {
    let fields = ASSUMED.iter().map(|field| {
        let control = input()
            .id(&control_id(field.name))
            .set(Attribute::Name, field.name)
            .set(Attribute::Type, "text")
            .set(Attribute::Inputmode, "decimal")
            .set(Attribute::Autocomplete, "off")
            .set(Attribute::Placeholder, setup.usual(field.name))
            .set(Attribute::AriaDescribedby, note_id(field.name))
            .set(Attribute::Value, given(&setup.scenario, field.name).map(written).unwrap_or_default());
        div()
            .class("engines__field")
            .with(label().set(Attribute::For, control_id(field.name)).text(field.label))
            .with(control)
            .with(small().id(&note_id(field.name)).class("engines__note").set(Attribute::Role, "status"))
    });
    div()
        .class("engines__assumed")
        .with(p().id("engines-assumed").text("Assumed, because SGLang’s numbers do not say it:"))
        .with(
            div()
                .class("engines__fields")
                .set(Attribute::Role, "group")
                .set(Attribute::AriaLabelledby, "engines-assumed")
                .asks("engines/change", "change input")
                .all(fields),
        )
        .with(p().class("aside").text(
            "An empty field counts as the value shown in it; what is typed is part of the address. The whole card is \
             estimated from what was free at the start; torch.cuda.get_device_properties tells it exactly.",
        ))
}

/// LMDeploy's `max_batch_size` by the name of the card (`get_max_batch_size`, 0.18.0: a part of the name decides, so a
/// GH200 counts as an H200).
fn lmdeploy_batch(gpu: &str) -> i64 {
    match gpu {
        _ if gpu.contains("a100") => 384,
        _ if gpu.contains("h100") || gpu.contains("h200") => 1024,
        _ => Assumptions::default().batch,
    }
}

/// The model of the worked case, and the GPUs that it ran on.
const WORKED: (&str, u64) = ("kimi-k2.5", 8);

fn shape(scenario: &Scenario) -> (Option<Shape>, ShapeFrom) {
    let worked = scenario.plan.model.is_none();
    let known = scenario.plan.model.as_deref().unwrap_or(WORKED.0);
    let Some(model) = models::find(known) else { return (None, ShapeFrom::NoModel) };
    let plan = &scenario.plan;
    let (tp, pp, dp) = if worked { (WORKED.1, 1, 1) } else { (of(plan.tp), of(plan.pp), of(plan.dp)) };
    let config = model.config();
    let uncovered = |why| (None, ShapeFrom::NotCovered(why));
    match config.attention {
        Kept::Sparse { .. } => return uncovered(SPARSE),
        Kept::Linear { .. } => return uncovered(LINEAR),
        _ => {}
    }
    let Some(format) = stored(plan.kv_dtype.unwrap_or(KvDtype::Auto), &config) else {
        return uncovered("no other engine’s rule for mxfp8 was read");
    };
    let Some(shape) = shape_of(&config, format, (tp / dp).max(1), pp) else { return uncovered("") };
    // Two pools have no size of one token.
    let bytes = cells::cell(Engine::Sglang, &shape).bytes;
    match (bytes.is_none_or(|bytes| bytes == scenario.cell.get()), worked) {
        (true, true) => (Some(shape), ShapeFrom::WorkedCase),
        (true, false) => (Some(shape), ShapeFrom::Plan(model.name)),
        (false, true) => (None, ShapeFrom::NoModel),
        (false, false) => (None, ShapeFrom::OtherCell),
    }
}

fn of(size: Option<u64>) -> u64 {
    size.unwrap_or(1).max(1)
}

/// Why sparse attention is not compared.
const SPARSE: &str = "SGLang keeps an MLA row and an index key in each layer. Of the others only one thing was read: \
                      vLLM’s fp8 row for it takes 656 bytes a layer besides the index, as SGLang’s does since 0.5.17";

/// Why linear hybrids are not.
const LINEAR: &str = "this model has tokens and states, and each engine divides memory between them in its own way. \
                      SGLang gives the states a share of the rest first, vLLM puts both into blocks of one size, LMDeploy \
                      takes the states off before its ratio. The sizes were not read";

/// The bytes of one value, where all engines have a format like it.
fn stored(dtype: KvDtype, model: &ModelConfig) -> Option<Stored> {
    let bytes = match dtype {
        KvDtype::Auto if model.fp8_kv => 1,
        KvDtype::Auto | KvDtype::Bfloat16 | KvDtype::Float16 => 2,
        KvDtype::Fp8E4m3 | KvDtype::Fp8E5m2 => 1,
        KvDtype::Fp4 => return Some(cells::FP4),
        KvDtype::Mxfp8 => return None,
    };
    Some(Stored::PerValue(Terms::whole(bytes)))
}

fn shape_of(model: &ModelConfig, stored: Stored, tp: u64, pp: u64) -> Option<Shape> {
    let layers = model.layers.iter().filter(|layer| layer.grows()).count();
    let whole = |count: u64| i64::try_from(count).ok();
    let (attention, kv_heads, head_dim, head_dim_v) = match model.attention {
        Kept::Heads(heads) => (Attention::Full, heads.kv_heads, heads.key_dim, heads.value_dim),
        Kept::Latent(latent) => (Attention::Mla, 1, latent.rank + latent.rope, latent.rank + latent.rope),
        Kept::Sliding { full, .. } => (Attention::HybridSwa, full.kv_heads, full.key_dim, full.value_dim),
        Kept::Sparse { .. } | Kept::Linear { .. } => return None,
    };
    Some(Shape {
        attention,
        layers: i64::try_from(layers).ok()?,
        kv_heads: whole(kv_heads)?,
        head_dim: whole(head_dim)?,
        head_dim_v: whole(head_dim_v)?,
        stored,
        tp: whole(tp)?,
        pp: whole(pp)?,
    })
}

//! Which classes of models keep their windows in a pool of their own: a list in SGLang, not a property of the config.

use crate::catalog::attention::Attention;
use crate::catalog::config::ModelConfig;
use crate::engines::sglang::Version;
use crate::issue::{Issue, IssueKind};

/// Classes whose windows SGLang keeps in a pool of their own, and since when (`model_config.py: is_hybrid_swa_model`).
const SPLIT: [(&str, Version); 6] = [
    ("Llama4ForConditionalGeneration", Version::new(0, 5, 3)),
    ("GptOssForCausalLM", Version::new(0, 5, 9)),
    ("MiMoV2FlashForCausalLM", Version::new(0, 5, 9)),
    ("Step3p5ForCausalLM", Version::new(0, 5, 9)),
    ("Gemma4ForCausalLM", Version::new(0, 5, 23)),
    ("Gemma4ForConditionalGeneration", Version::new(0, 5, 23)),
];

/// Classes with windows that are in no such list that was read; up to 0.5.9 the list above is the whole one.
const UNIFORM: [&str; 8] = [
    "Gemma2ForCausalLM",
    "Gemma3ForCausalLM",
    "Gemma3ForConditionalGeneration",
    "Cohere2ForCausalLM",
    "Exaone4ForCausalLM",
    "MistralForCausalLM",
    "Olmo3ForCausalLM",
    "Qwen2ForCausalLM",
];

/// The first ones of [`UNIFORM`]: looked up in 0.5.23 too.
const SURELY_UNIFORM: usize = 3;

/// Whether this version keeps the windows of this model in a pool of their own. It goes by a list of classes. After 0.5.9
/// that list was read in part: for a class that was not seen the config's layers decide, and an issue says so.
pub(super) fn splits(model: &ModelConfig, rules: Version, issues: &mut Vec<Issue>) -> bool {
    if !matches!(model.attention, Attention::Sliding { .. }) {
        return false;
    }
    let name = model.architecture.as_str();
    if rules < Version::new(0, 5, 9) {
        let message =
            "which models keep windows in a pool of their own, and how they were sized, was read from 0.5.9 on";
        issues.push(Issue::new("sglang", IssueKind::NotMeasured, message));
    }
    if let Some((_, since)) = SPLIT.iter().find(|(class, _)| *class == name) {
        return *since <= rules;
    }
    let uniform = UNIFORM.iter().position(|class| *class == name);
    if rules <= Version::new(0, 5, 9) || uniform.is_some_and(|place| place < SURELY_UNIFORM) {
        return false;
    }
    let class = if name.is_empty() { "a class without a name" } else { name };
    let sized = if uniform.is_some() { "one pool, as up to 0.5.9" } else { "two pools, as its layers say" };
    let message = [
        "SGLang decides by a list of classes whether windows get a pool of their own; after 0.5.9 it was read in part, and ",
        class,
        " was not seen in it. Sized as ",
        sized,
    ];
    issues.push(Issue::new("architectures", IssueKind::NotMeasured, message.concat()));
    uniform.is_none()
}

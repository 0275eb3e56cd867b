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

/// Classes with windows that are sized as if every layer kept everything.
const UNIFORM: [&str; 8] = [
    "Cohere2ForCausalLM",
    "Exaone4ForCausalLM",
    "Gemma2ForCausalLM",
    "Gemma3ForCausalLM",
    "Gemma3ForConditionalGeneration",
    "MistralForCausalLM",
    "Olmo3ForCausalLM",
    "Qwen2ForCausalLM",
];

/// Whether this version keeps the windows of this model in a pool of their own. It goes by a list of classes; for a class
/// that is in neither list the config's layers decide, and an issue says so.
pub(super) fn splits(model: &ModelConfig, rules: Version, issues: &mut Vec<Issue>) -> bool {
    if !matches!(model.attention, Attention::Sliding { .. }) {
        return false;
    }
    let name = model.architecture.as_str();
    if let Some((_, since)) = SPLIT.iter().find(|(class, _)| *class == name) {
        return *since <= rules;
    }
    if UNIFORM.contains(&name) {
        return false;
    }
    let class = if name.is_empty() { "a class without a name" } else { name };
    let message = format!(
        "SGLang decides by a list of classes whether windows get a pool of their own; {class} is in none that was read. \
         Sized as two pools, as its layers say"
    );
    issues.push(Issue::new("architectures", IssueKind::NotMeasured, message));
    true
}

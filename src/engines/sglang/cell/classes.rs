//! Which classes of models keep their windows in a pool of their own: a list in SGLang, not a property of the config.

use crate::catalog::attention::Attention;
use crate::catalog::config::ModelConfig;
use crate::engines::sglang::Version;

/// Classes whose windows SGLang keeps in a pool of their own, and since when (`model_config.py: is_hybrid_swa_model`, read whole
/// in every release from 0.5.8 to 0.5.23; before, only on request). Every other class has one pool.
const SPLIT: [(&str, Version); 21] = [
    ("BeamForCausalLM", Version::new(0, 5, 23)),
    ("DiffusionGemmaForBlockDiffusion", Version::new(0, 5, 21)),
    ("EmbeddingGemma2Model", Version::new(0, 5, 22)),
    ("Gemma4ForCausalLM", Version::new(0, 5, 11)),
    ("Gemma4ForConditionalGeneration", Version::new(0, 5, 11)),
    ("Gemma4UnifiedForConditionalGeneration", Version::new(0, 5, 13)),
    ("GptOssForCausalLM", Version::new(0, 5, 8)),
    ("GraniteMoeSWAForCausalLM", Version::new(0, 5, 19)),
    ("GraniteSWAForCausalLM", Version::new(0, 5, 19)),
    ("IQuestQ1ForCausalLM", Version::new(0, 5, 21)),
    ("InklingForConditionalGeneration", Version::new(0, 5, 16)),
    ("LagunaForCausalLM", Version::new(0, 5, 12)),
    ("Llama4ForConditionalGeneration", Version::new(0, 5, 8)),
    ("MellumForCausalLM", Version::new(0, 5, 16)),
    ("MiMoV2FlashForCausalLM", Version::new(0, 5, 7)),
    ("MiMoV2ForCausalLM", Version::new(0, 5, 11)),
    ("MuseGlimmerForCausalLM", Version::new(0, 5, 18)),
    ("MuseGlimmerForConditionalGeneration", Version::new(0, 5, 18)),
    ("Step3p5ForCausalLM", Version::new(0, 5, 9)),
    ("Step3p7ForConditionalGeneration", Version::new(0, 5, 13)),
    ("UnlimitedOCRForCausalLM", Version::new(0, 5, 15)),
];

/// Whether this version keeps the windows of this model in a pool of their own.
pub(super) fn splits(model: &ModelConfig, rules: Version) -> bool {
    let listed = |(class, since): &(&str, Version)| *class == model.architecture && *since <= rules;
    matches!(model.attention, Attention::Sliding { .. }) && SPLIT.iter().any(listed)
}

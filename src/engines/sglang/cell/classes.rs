//! What a class of models alone decides: whether its windows have a pool of their own, which is a list in SGLang and not a
//! property of the config, and whether a release has the class at all.

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

/// Classes of the catalog that are younger than 0.4.6, and the first release with them (`EntryClass` in the files of
/// `sglang/srt/models`, looked up in every release from 0.4.6 to 0.5.23).
const SINCE: [(&str, Version); 10] = [
    ("DeepseekV32ForCausalLM", Version::new(0, 5, 3)),
    ("Glm4MoeForCausalLM", Version::new(0, 4, 10)),
    ("Glm4MoeLiteForCausalLM", Version::new(0, 5, 8)),
    ("GptOssForCausalLM", Version::new(0, 5, 0)),
    ("KimiK25ForConditionalGeneration", Version::new(0, 5, 9)),
    ("KimiLinearForCausalLM", Version::new(0, 5, 5)),
    ("MiMoV2FlashForCausalLM", Version::new(0, 5, 7)),
    ("MiniMaxM2ForCausalLM", Version::new(0, 5, 5)),
    ("NemotronHForCausalLM", Version::new(0, 5, 4)),
    ("Qwen3NextForCausalLM", Version::new(0, 5, 2)),
];

/// The first release with this class, where `version` is older.
pub(super) fn comes_with(model: &ModelConfig, version: Version) -> Option<Version> {
    SINCE.iter().find(|(class, since)| *class == model.architecture && version < *since).map(|(_, since)| *since)
}

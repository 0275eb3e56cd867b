//! Prefill graphs: where they are captured by default, up to how many tokens, and in how many sizes.

use super::defaults::{Stretch, count, stretch};
use super::{AutoQuery, Disaggregation, Rules, Version};

/// What the lists of a release (`model_config.py`) say of prefill graphs of a class of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Nothing: captured where it has no images.
    Unlisted,
    /// Never captured.
    Never,
    /// Captured although it has images.
    Seeing,
    /// The same by the older kind of graphs (`tc_piecewise`), with the exceptions of 0.5.14.
    Piecewise,
}

/// Class, what is said of it, and the first and last patch of 0.5 that says so. Executed in each release; classes whose
/// configs are refused here anyway are left out.
const CLASSES: [(&str, Class, u16, u16); 22] = [
    ("BailingMoeV2_5ForCausalLM", Class::Never, 10, 14),
    ("Cohere2VisionForConditionalGeneration", Class::Piecewise, 14, 14),
    ("Cohere2VisionForConditionalGeneration", Class::Piecewise, 16, 18),
    ("Cohere2VisionForConditionalGeneration", Class::Seeing, 19, LAST),
    ("DeepseekV32ForCausalLM", Class::Never, 10, 12),
    ("GlmMoeDsaForCausalLM", Class::Never, 10, 12),
    ("InternS2MobiusForConditionalGeneration", Class::Seeing, 18, LAST),
    ("KimiK25ForConditionalGeneration", Class::Piecewise, 16, 17),
    ("KimiK25ForConditionalGeneration", Class::Seeing, 18, LAST),
    ("KimiK3ForConditionalGeneration", Class::Seeing, 18, LAST),
    ("LLaDAModelLM", Class::Never, 10, 14),
    ("MiniMaxM3SparseForConditionalGeneration", Class::Piecewise, 16, 21),
    ("MiniMaxM3SparseForConditionalGeneration", Class::Seeing, 22, LAST),
    ("MuseGlimmerForConditionalGeneration", Class::Seeing, 18, LAST),
    ("MuseSparkForConditionalGeneration", Class::Seeing, 23, LAST),
    ("NemotronHForCausalLM", Class::Never, 17, 17),
    ("NemotronHPuzzleForCausalLM", Class::Never, 17, 17),
    ("PaddleOCRVLForConditionalGeneration", Class::Seeing, 19, LAST),
    ("Qwen3NextForCausalLM", Class::Never, 10, 14),
    ("Qwen3_5ForConditionalGeneration", Class::Seeing, 16, LAST),
    ("Qwen3_5MoeForConditionalGeneration", Class::Seeing, 16, LAST),
    ("Qwen4ExpForConditionalGeneration", Class::Seeing, 22, LAST),
];

/// Still so in the newest release.
const LAST: u16 = u16::MAX;

/// Classes whose images are off unless `--enable-multimodal` is given (`model_config.py: mm_disabled_models`), since which release.
const BLIND: [(&str, Version); 4] = [
    ("Gemma3ForConditionalGeneration", Version::new(0, 4, 6)),
    ("Llama4ForConditionalGeneration", Version::new(0, 4, 6)),
    ("Step3VLForConditionalGeneration", Version::new(0, 5, 3)),
    ("InklingForConditionalGeneration", Version::new(0, 5, 17)),
];

impl Class {
    /// What the lists of `version` say of the class with this name.
    pub fn of(name: &str, version: Version) -> Self {
        let listed = CLASSES.iter().find(|(class, _, first, last)| {
            *class == name && Version::new(0, 5, *first) <= version && version <= Version::new(0, 5, *last)
        });
        listed.map_or(Self::Unlisted, |(_, class, ..)| *class)
    }

    /// Whether a class with this name reads images by default, where its config has a tower.
    pub fn sees(name: &str, version: Version) -> bool {
        !BLIND.iter().any(|(class, since)| *class == name && *since <= version)
    }
}

/// A reason not to capture, and the first and last rules that have it.
type Exception = (Rules, Rules, fn(&AutoQuery) -> bool);

/// Why prefill graphs are off: opt-in up to 0.5.9, then in these cases (`server_args.py: _handle_piecewise_cuda_graph`, 0.5.10;
/// `_disable_tc_piecewise_cudagraph_if_incompatible`, 0.5.14; `_disable_breakable_cudagraph_if_incompatible` and
/// `arg_groups/cuda_graph_hook.py`, later). Each was executed in every release from 0.5.10 to 0.5.23.
const OFF: [Exception; 17] = [
    (Rules::V0_4_6, Rules::V0_5_9, |_| true),
    (Rules::V0_5_10, Rules::V0_5_23, |query| query.amd),
    (Rules::V0_5_10, Rules::V0_5_23, |query| query.class == Class::Never),
    (Rules::V0_5_10, Rules::V0_5_10, |query| query.speculation.is_some() && !query.enforced),
    (Rules::V0_5_10, Rules::V0_5_10, |query| query.dp_attention && !query.enforced),
    (Rules::V0_5_11, Rules::V0_5_16, |query| query.dp_attention),
    (Rules::V0_5_10, Rules::V0_5_14, |query| query.pp > 1),
    (Rules::V0_5_19, Rules::V0_5_23, |query| query.pp > 1),
    (Rules::V0_5_10, Rules::V0_5_16, |query| query.deepep),
    (Rules::V0_5_10, Rules::V0_5_15, |query| query.vision.is_some() && query.class != Class::Piecewise),
    (Rules::V0_5_16, Rules::V0_5_23, |query| query.vision.is_some() && query.class != Class::Seeing),
    (Rules::V0_5_10, Rules::V0_5_14, |query| query.disaggregation.is_some()),
    (Rules::V0_5_15, Rules::V0_5_23, |query| query.disaggregation == Some(Disaggregation::Decode)),
    (Rules::V0_5_14, Rules::V0_5_23, |query| query.graphs_off),
    (Rules::V0_5_15, Rules::V0_5_16, |query| query.mla),
    (Rules::V0_5_17, Rules::V0_5_17, |query| query.mla && !query.sparse),
    (Rules::V0_5_20, Rules::V0_5_23, |query| query.kda),
];

/// Whether prefill graphs are captured by default.
pub(super) fn graphs(query: &AutoQuery, rules: Rules) -> bool {
    let rules = if query.class == Class::Piecewise { Rules::V0_5_14 } else { rules };
    !OFF.iter().any(|(first, last, off)| (*first..=*last).contains(&rules) && off(query))
}

/// Token counts of prefill graphs.
const SIZES: [Stretch; 6] = [
    stretch(0, 32, 4),
    stretch(32, 256, 16),
    stretch(256, 512, 32),
    stretch(512, 1024, 64),
    stretch(1024, 4096, 256),
    stretch(4096, i64::MAX, 512),
];

/// With DeepEP only multiples of 8, up to 2048 whatever the chunk (`apply_deepep_adjustments`, 0.5.17 to 0.5.23): four of the
/// first eight sizes fall together.
const DEEPEP: (i64, u64) = (2048, 38);

/// The largest prefill graph in tokens, and how many there are; negative and none without chunking.
pub(super) fn sizes(query: &AutoQuery, rules: Rules, chunk: i64) -> (i64, u64) {
    // Before a server that only decodes drops the graphs.
    if query.deepep && graphs(&AutoQuery { disaggregation: None, ..*query }, rules) {
        return DEEPEP;
    }
    let most = match query.mla {
        true if rules >= Rules::V0_5_23 => chunk.min(8192),
        true => 2048,
        false => chunk,
    };
    let most = query.most_tokens.and_then(|tokens| i64::try_from(tokens).ok()).map_or(most, |cap| most.min(cap));
    (most, count(&SIZES, most))
}

//! Tokens per page where the attention backend takes no other number.

use super::PlanQuery;
use crate::catalog::attention::Attention;
use crate::catalog::gpus::Architecture;

/// Tokens per page and what decides them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Tokens.
    pub tokens: u64,
    /// Why the flag does not decide; empty where it does.
    pub why: &'static str,
}

/// Classes whose MLA runs on the `trtllm_mla` backend on data-center Blackwell (read in 0.5.9).
const TRTLLM_MLA: [&str; 2] = ["DeepseekV3ForCausalLM", "KimiK25ForConditionalGeneration"];

/// The page in force (`server_args.py: _handle_attention_backend_compatibility`, `_handle_model_specific_adjustments`,
/// read in 0.5.9 and in no other release).
pub(super) fn page(query: &PlanQuery) -> Page {
    let given = query.page.max(1);
    let generation = query.gpu.map(|gpu| gpu.architecture);
    let nvidia = generation.is_some_and(|generation| generation.compute_capability().is_some());
    let class = query.model.architecture.as_str();
    let forced = match query.model.attention {
        Attention::Sparse { .. } if nvidia && given != 64 => "its sparse attention on NVIDIA cards takes no other",
        Attention::Latent(_)
            if generation == Some(Architecture::BlackwellDatacenter)
                && TRTLLM_MLA.contains(&class)
                && ![32, 64].contains(&given) =>
        {
            "the trtllm_mla backend of this card takes only 32 or 64"
        }
        _ => "",
    };
    Page { tokens: if forced.is_empty() { given } else { 64 }, why: forced }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{gpus, models};

    #[test]
    fn some_backends_force_a_page() {
        let tokens = |model: &str, gpu: &str, given: u64| {
            let model = models::find(model).expect("in the table").config();
            page(&PlanQuery { page: given, ..PlanQuery::new(&model, gpus::find(gpu)) }).tokens
        };
        assert_eq!(tokens("deepseek-v3.2", "h200", 1), 64);
        assert_eq!(tokens("deepseek-v3.2", "mi300x", 1), 1, "read for CUDA only");
        assert_eq!(tokens("kimi-k2.5", "b200", 1), 64);
        assert_eq!(tokens("kimi-k2.5", "b200", 32), 32);
        assert_eq!(tokens("kimi-k2.5", "rtx-pro-6000", 1), 1, "not the data-center Blackwell");
        assert_eq!(tokens("llama-3.1-8b", "b200", 16), 16);
    }
}

//! What a plan is asked: the choices of a reader, and what each of SGLang's own rules is asked for them.

use crate::catalog::attention::{Attention, Softmax};
use crate::catalog::config::ModelConfig;
use crate::catalog::gpus::Gpu;
use crate::decimal;
use crate::engines::sglang::Version;
use crate::engines::sglang::auto_fraction::{AutoQuery, Class, Speculation, factor_of_given};
use crate::engines::sglang::cell::{CellQuery, KvDtype, SWA_RATIO};
use crate::issue::{Issue, IssueKind};
use crate::units::{Bytes, BytesPerToken, Fraction, Gib};

/// What a reader chose. Values that are given are not estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanQuery<'a> {
    /// The model.
    pub model: &'a ModelConfig,
    /// The card; `None` for one that is not in the table.
    pub gpu: Option<&'a Gpu>,
    /// Whose rules.
    pub version: Version,
    /// `--tp-size`.
    pub tp: u64,
    /// `--pp-size`.
    pub pp: u64,
    /// `--dp-size` with data-parallel attention, else 1.
    pub dp: u64,
    /// `--kv-cache-dtype`.
    pub kv_dtype: KvDtype,
    /// `--speculative-algorithm`.
    pub speculation: Option<Speculation>,
    /// Layers of the draft model; `None` takes those of the checkpoint when speculation is on.
    pub draft_layers: Option<u64>,
    /// `--chunked-prefill-size`.
    pub chunk: Option<i64>,
    /// `--cuda-graph-max-bs`.
    pub max_bs: Option<u64>,
    /// `--disable-cuda-graph`.
    pub graphs_off: bool,
    /// `--max-running-requests`.
    pub max_running: Option<u64>,
    /// `--context-length`; the model's own where absent.
    pub context: Option<u64>,
    /// `--page-size`.
    pub page: u64,
    /// `--max-total-tokens`.
    pub max_total_tokens: Option<u64>,
    /// `--mem-fraction-static`; the automatic one where absent.
    pub fraction: Option<Fraction>,
    /// `metadata.total_size` of the checkpoint's index.
    pub checkpoint: Option<Bytes>,
    /// Free at init, where known.
    pub total: Option<Gib>,
    /// Free after the weights, where known.
    pub available: Option<Gib>,
    /// Bytes of the budget for one token on one GPU, states of a hybrid with them, where they are known better.
    pub cell: Option<BytesPerToken>,
    /// Free at init of each GPU, where known: the smallest counts.
    pub free: &'a [Gib],
    /// Requests of the full context that must fit.
    pub needed: Option<u64>,
}

impl<'a> PlanQuery<'a> {
    /// The defaults of a server with one GPU.
    pub fn new(model: &'a ModelConfig, gpu: Option<&'a Gpu>) -> Self {
        Self {
            model,
            gpu,
            version: Version::NEWEST,
            tp: 1,
            pp: 1,
            dp: 1,
            kv_dtype: KvDtype::Auto,
            speculation: None,
            draft_layers: None,
            chunk: None,
            max_bs: None,
            graphs_off: false,
            max_running: None,
            context: None,
            page: 1,
            max_total_tokens: None,
            fraction: None,
            checkpoint: None,
            total: None,
            available: None,
            cell: None,
            free: &[],
            needed: None,
        }
    }

    /// Draft layers in force.
    pub(super) fn drafts(&self) -> u64 {
        match (self.draft_layers, self.speculation) {
            (Some(layers), _) => layers,
            (None, Some(Speculation::Draft)) => self.model.draft_layers.max(1),
            (None, Some(Speculation::Standalone | Speculation::Ngram) | None) => 0,
        }
    }

    /// Tokens that a request may draft and verify at once: `steps × topk + draft tokens`, by default (`model_runner.py:
    /// init_memory_pool`, `server_args.py: auto_choose_speculative_params`; 0.4.6 to 0.5.6).
    pub(super) fn headroom(&self) -> Option<u64> {
        const NARROW: [&str; 6] = [
            "BailingMoeForCausalLM",
            "BailingMoeV2ForCausalLM",
            "DeepseekV2ForCausalLM",
            "DeepseekV32ForCausalLM",
            "DeepseekV3ForCausalLM",
            "GptOssForCausalLM",
        ];
        let speculation = self.speculation.filter(|kind| *kind != Speculation::Ngram)?;
        let narrow = speculation == Speculation::Standalone || NARROW.contains(&self.model.architecture.as_str());
        let each = if narrow && self.version >= Version::new(0, 5, 3) { 3 + 4 } else { 5 * 4 + 8 };
        (self.version < Version::new(0, 5, 7)).then_some(each)
    }

    /// What of a draft model no number holds. Since 0.5.14 what is free after the weights is measured after the draft's
    /// (`distributed/bootstrap.py`); before, the draft is loaded when the pool exists.
    pub(super) fn uncounted(&self) -> Option<&'static str> {
        let measured = self.available.is_some() && self.version.rules() >= Version::new(0, 5, 14);
        let standalone = self.speculation == Some(Speculation::Standalone);
        (standalone || self.drafts() > 0 && !measured)
            .then_some("a draft's own weights are not counted, nor the layers of a STANDALONE one")
    }

    /// Layout and KV type; the automatic type of sparse attention is fp8 on data-center Blackwell and later.
    pub(super) fn layout(&self) -> CellQuery {
        let sparse = matches!(self.model.attention, Attention::Sparse { .. });
        let capability = self.gpu.and_then(|gpu| gpu.architecture.compute_capability());
        let kv_dtype = match (self.kv_dtype, capability) {
            (KvDtype::Auto, Some((major, _))) if sparse && major >= 10 => KvDtype::Fp8E4m3,
            (KvDtype::Auto, Some(_)) if sparse => KvDtype::Bfloat16,
            (given, _) => given,
        };
        CellQuery {
            version: self.version,
            tp: self.tp,
            pp: self.pp,
            dp: self.dp,
            kv_dtype,
            draft_layers: self.drafts(),
            swa_ratio: SWA_RATIO,
        }
    }

    pub(super) fn auto(&self) -> AutoQuery {
        // `_handle_gpu_memory_settings`, 0.5.14 to 0.5.16.
        let clamped = (Version::new(0, 5, 14)..Version::new(0, 5, 17)).contains(&self.version);
        AutoQuery {
            version: self.version,
            gpu_mib: self.gpu.map(|gpu| gpu.mib as f64),
            tp: self.tp,
            pp: self.pp,
            dp: self.dp,
            dp_attention: self.dp > 1,
            chunk: self.chunk,
            max_bs: self.max_bs,
            max_running: self.max_running,
            speculation: self.speculation,
            mla: matches!(
                self.model.attention,
                Attention::Latent(_) | Attention::Sparse { .. } | Attention::Linear { full: Softmax::Latent(_), .. }
            ),
            kda: matches!(self.model.attention, Attention::Linear { state, .. } if state.kind.is_kda()),
            amd: self.gpu.is_some_and(|gpu| gpu.architecture.compute_capability().is_none()),
            context: self.context.or(self.model.context),
            sparse: matches!(self.model.attention, Attention::Sparse { .. }),
            vision: self.model.vision.filter(|_| Class::sees(&self.model.architecture, self.version)),
            class: Class::of(&self.model.architecture, self.version),
            most_tokens: [self.max_total_tokens, self.context.filter(|_| clamped)].into_iter().flatten().min(),
            graphs_off: self.graphs_off,
            ..AutoQuery::default()
        }
    }

    /// What this plan leaves out.
    pub(super) fn left_out(&self, auto: &AutoQuery) -> Vec<Issue> {
        let mut issues = Vec::new();
        if let (Some(_), Some(factor)) = (self.fraction, factor_of_given(auto)) {
            let factor = decimal::write(factor, 2);
            let message =
                ["this release takes a given fraction × ", &factor, " for a multimodal model, which is not applied"];
            issues.push(Issue::new("f", IssueKind::NotMeasured, message.concat()));
        }
        if self.model.vision.is_some() && !Class::sees(&self.model.architecture, self.version) {
            issues.push(Issue::new("model", IssueKind::Conflict, BLIND));
        }
        if let (Some(_), Attention::Linear { .. }) = (self.speculation, self.model.attention) {
            issues.push(Issue::new("spec", IssueKind::NotMeasured, PROPOSED));
        }
        issues
    }
}

/// Classes whose images are off by default.
const BLIND: &str = "SGLang reads no images of this model unless --enable-multimodal is given; with it the automatic fraction is \
                     smaller";

/// Speculation of a linear hybrid (`handle_max_mamba_cache`, `_handle_mamba_radix_cache`, 0.5.9 and 0.5.10).
const PROPOSED: &str = "the states of proposed tokens come out of the budget too and are not counted; up to 0.5.13 nor are those \
                        of running requests";

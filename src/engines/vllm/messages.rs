//! What vLLM says when it refuses to start, word for word, by release.

use crate::decimal;
use crate::engines::release::Release;
use crate::units::GIB;

/// The memory that is free before the weights is less than the fraction asks for (0.33.0).
pub(super) const FREE_MEMORY: &str = "ValueError: Free memory on device {} ({}/{} GiB) on startup is less than desired GPU memory utilization ({}, {} GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.";

/// Nothing is left for the cache (0.33.0).
pub(super) const NO_MEMORY: &str = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine (this flag also controls CPU memory reservation on the CPU backend, despite its name). See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details.";

/// One request of the longest length does not fit (0.33.0).
pub(super) const ONE_REQUEST: &str = "ValueError: To serve at least one request with the model's max seq len ({}), ({} GiB KV cache is needed, which is larger than the available KV cache memory ({} GiB). Based on the available memory, the estimated maximum model length is {}. Try increasing `gpu_memory_utilization` (which also controls CPU memory on the CPU backend) or decreasing `max_model_len` when initializing the engine. See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details.";

/// No length was given and not even one token fits (0.14.0 to 0.33.0).
const NO_TOKEN: &str = "ValueError: Cannot auto-fit max_model_len: not enough GPU memory available to serve even a single token. Try increasing `gpu_memory_utilization`.";

/// What 0.13.0 added at the end of two texts.
const SEE: &str = " See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details.";

/// What 0.22.0 put into them.
const CPU: &str = " (which also controls CPU memory on the CPU backend)";
const CPU_FLAG: &str = " (this flag also controls CPU memory reservation on the CPU backend, despite its name)";

/// `text` as `release` has it: the newest wording less what came later.
fn as_of(release: Release, text: &str) -> String {
    let mut text = text.to_owned();
    if release < Release(0, 22, 0) {
        for (newer, older) in [("model's max", "models's max"), (CPU, ""), (CPU_FLAG, "")] {
            text = text.replacen(newer, older, 1);
        }
    }
    if release < Release(0, 13, 0) {
        text = text.replacen(SEE, "", 1);
    }
    text
}

pub(super) fn no_memory(release: Release) -> String {
    as_of(release, NO_MEMORY)
}

pub(super) fn no_token() -> String {
    NO_TOKEN.to_owned()
}

/// `[free, total, requested]` in bytes.
pub(super) fn free_memory(release: Release, rank: i64, [free, total, requested]: [f64; 3], fraction: f64) -> String {
    let device = if release < Release(0, 14, 0) {
        String::new()
    } else {
        ["cuda:", &decimal::digits(u128::from(rank.unsigned_abs())), " "].concat()
    };
    let fraction = decimal::write_trimmed(fraction, 9, 1);
    let text = FREE_MEMORY.replacen("{} ", &device, 1);
    fill(&text, &[&rounded(free), &rounded(total), &fraction, &rounded(requested)])
}

/// `longest` 0 leaves the estimate out.
pub(super) fn one_request(release: Release, length: i64, needed: i64, usable: i64, longest: i64) -> String {
    const BASED: &str = "Based on the available memory, ";
    const ESTIMATE: &str = "the estimated maximum model length is {}. ";
    let old = release < Release(0, 14, 0);
    let gib = |bytes: i64| {
        if old { decimal::write(bytes as f64 / GIB, 2) } else { rounded(bytes as f64) }
    };
    let mut text = as_of(release, ONE_REQUEST);
    if longest <= 0 {
        // Before 0.14.0 the blank after the estimate stayed where there was none.
        text = text.replacen(&[BASED, ESTIMATE].concat(), if old { " " } else { "" }, 1);
    } else if release < Release(0, 9, 1) {
        // The estimate was computed and then lost: a string that was never joined to the sentence.
        text = text.replacen(ESTIMATE, " ", 1);
    }
    let whole = |number: i64| decimal::digits(u128::from(number.unsigned_abs()));
    fill(&text, &[&whole(length), &gib(needed), &gib(usable), &whole(longest)])
}

/// Python's `str(round(bytes / 2**30, 2))`.
fn rounded(bytes: f64) -> String {
    decimal::write_trimmed(bytes / GIB, 2, 1)
}

fn fill(text: &str, figures: &[&str]) -> String {
    figures.iter().fold(text.to_owned(), |text, figure| text.replacen("{}", figure, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: i64 = 1 << 30;

    #[test]
    fn wording_follows_the_release() {
        let text = one_request(Release(0, 11, 0), 131_072, 16 * GIB, 10 * GIB, 81_904);
        assert_eq!(
            text,
            "ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (10.00 GiB). Based on the available memory, the estimated maximum model length is 81904. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine."
        );
        let text = one_request(Release(0, 8, 5), 131_072, 16 * GIB, 10 * GIB, 81_904);
        assert!(text.contains("(10.00 GiB). Based on the available memory,  Try increasing"));
        let text = one_request(Release(0, 13, 0), 10, GIB, 10, 0);
        assert!(text.contains("(0.00 GiB).  Try increasing `gpu_memory_utilization` or"));
        assert!(text.ends_with("initializing the engine. See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."));
        let text = no_memory(Release(0, 21, 0));
        assert!(text.ends_with("when initializing the engine. See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."));
        assert!(no_memory(Release(0, 12, 0)).ends_with("when initializing the engine."));
        let text = one_request(Release(0, 33, 0), 10, GIB, 10, 0);
        assert!(text.contains("(0.0 GiB). Try increasing"));
        let text = free_memory(Release(0, 11, 0), 0, [GIB as f64; 3], 0.9);
        assert!(text.starts_with("ValueError: Free memory on device (1.0/1.0 GiB) on startup"));
        let text = free_memory(Release(0, 33, 0), 1, [GIB as f64; 3], 1.0);
        assert!(text.contains("device cuda:1 (1.0/1.0 GiB)") && text.contains("utilization (1.0, 1.0 GiB)"));
    }
}

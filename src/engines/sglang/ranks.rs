//! GPUs that are not equally free: the fullest one decides, and above ten percent SGLang refuses.

use super::Version;
use crate::units::Gib;

/// What SGLang does with unequal GPUs at init.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranks {
    /// Index of the GPU with the least free memory: the one that decides for all.
    pub deciding: u64,
    /// Its free memory.
    pub least: Gib,
    /// The most that any GPU has free.
    pub most: Gib,
    /// SGLang compares them: only with a tensor-parallel size above 1.
    pub compared: bool,
    /// The check fails: `least < most × 0.9`.
    pub refused: bool,
}

/// Compares the free memory of all GPUs (`init_torch_distributed`: `if self.tp_size > 1`). `None` for no GPU.
///
/// Every rank compares the minimum with its own free memory, so the richest one fails first.
pub fn ranks(free: &[Gib], tp: u64) -> Option<Ranks> {
    let first = *free.first()?;
    let (mut deciding, mut least, mut most) = (0, first, first);
    for (index, gib) in free.iter().enumerate() {
        if gib.0 < least.0 {
            (deciding, least) = (index as u64, *gib);
        }
        if gib.0 > most.0 {
            most = *gib;
        }
    }
    let compared = tp > 1;
    Some(Ranks { deciding, least, most, compared, refused: compared && least.0 < most.0 * 0.9 })
}

/// How a release says it and how it can be told to only warn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImbalanceMessage {
    /// The class of the exception.
    pub exception: &'static str,
    /// The text up to its first number.
    pub text: &'static str,
    /// The environment variable that turns the refusal into a warning, with its value.
    pub variable: &'static str,
}

const UNTIL_0_5_9: &str =
    "The memory capacity is unbalanced. Some GPUs may be occupied by other processes. min_per_gpu_memory=";
const SINCE_0_5_10: &str =
    "The memory capacity is unbalanced. Some GPUs may be occupied by other processes. pre_model_load_memory=";

/// The message of this release (0.4.6 to 0.5.23, read); the spelling "inbalance" is SGLang's.
pub fn imbalance_message(version: Version) -> ImbalanceMessage {
    // Between known releases the real number decides: the change came with 0.5.7.
    let newer = version >= Version::new(0, 5, 7);
    ImbalanceMessage {
        exception: if newer { "RuntimeError" } else { "ValueError" },
        text: if version < Version::new(0, 5, 10) { UNTIL_0_5_9 } else { SINCE_0_5_10 },
        variable: if newer {
            "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK=0"
        } else {
            "SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK=1"
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_decides_and_ten_percent_refuse() {
        let even = ranks(&[Gib(94.0), Gib(93.9), Gib(94.0)], 3).expect("three");
        assert_eq!((even.deciding, even.least, even.refused), (1, Gib(93.9), false));
        let edge = ranks(&[Gib(100.0), Gib(90.0)], 2).expect("two");
        assert!(!edge.refused, "exactly a tenth less is accepted");
        assert!(ranks(&[Gib(100.0), Gib(89.9)], 2).expect("two").refused);
        assert!(!ranks(&[Gib(1.0)], 1).expect("one").refused);
        assert_eq!(ranks(&[], 2), None);
    }

    #[test]
    fn the_first_of_the_fullest_decides_and_the_last_may_have_most() {
        let found = ranks(&[Gib(92.0), Gib(91.0), Gib(91.0), Gib(94.0)], 4).expect("four");
        assert_eq!((found.deciding, found.least, found.most), (1, Gib(91.0), Gib(94.0)));
    }

    #[test]
    fn stages_of_a_pipeline_are_not_compared() {
        let stages = ranks(&[Gib(100.0), Gib(50.0)], 1).expect("two");
        assert_eq!((stages.deciding, stages.compared, stages.refused), (1, false, false));
    }

    #[test]
    fn every_release_has_its_own_words() {
        assert_eq!(imbalance_message(Version::new(0, 5, 3)).exception, "ValueError");
        assert!(imbalance_message(Version::new(0, 5, 9)).text.ends_with("min_per_gpu_memory="));
        assert!(imbalance_message(Version::new(0, 5, 10)).text.ends_with("pre_model_load_memory="));
        let newest = imbalance_message(Version::NEWEST);
        assert!(newest.text.ends_with("pre_model_load_memory="));
        assert_eq!(newest.variable, "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK=0");
    }
}

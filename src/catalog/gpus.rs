//! GPUs that people serve models on, with the memory that `nvidia-smi` (or `rocm-smi`) reports: the number that SGLang's
//! automatic fraction starts from. It varies by a few MiB with driver and ECC.

/// One row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gpu {
    /// The id in URLs.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// `memory.total` in MiB.
    pub mib: u64,
    /// The generation.
    pub architecture: Architecture,
    /// How several of them in one server talk to each other.
    pub link: Link,
    /// Where the number was seen.
    pub source: &'static str,
}

/// Generations, with their compute capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Architecture {
    /// 7.0.
    Volta,
    /// 7.5.
    Turing,
    /// 8.0 and 8.6.
    Ampere,
    /// 8.9.
    Ada,
    /// 9.0.
    Hopper,
    /// 10.0 and 10.3: B200, B300.
    BlackwellDatacenter,
    /// 12.0: RTX PRO and GeForce 50.
    BlackwellWorkstation,
    /// AMD gfx942.
    Cdna3,
    /// AMD gfx950.
    Cdna4,
}

impl Architecture {
    /// Major and minor compute capability; `None` for AMD.
    pub fn compute_capability(self) -> Option<(u8, u8)> {
        match self {
            Self::Volta => Some((7, 0)),
            Self::Turing => Some((7, 5)),
            Self::Ampere => Some((8, 0)),
            Self::Ada => Some((8, 9)),
            Self::Hopper => Some((9, 0)),
            Self::BlackwellDatacenter => Some((10, 0)),
            Self::BlackwellWorkstation => Some((12, 0)),
            Self::Cdna3 | Self::Cdna4 => None,
        }
    }
}

/// Links between the GPUs of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The bus only: SGLang switches its own all-reduce off above two GPUs.
    Pcie,
    /// NVLink between all.
    NvLink,
    /// AMD Infinity Fabric between all.
    Xgmi,
}

const fn gpu(
    id: &'static str,
    name: &'static str,
    mib: u64,
    architecture: Architecture,
    link: Link,
    source: &'static str,
) -> Gpu {
    Gpu { id, name, mib, architecture, link, source }
}

/// One line of `nvidia-smi --query-gpu=name,memory.total`, as quoted in several public files each, looked up 2026-11.
const SMI: &str = "nvidia-smi lines quoted in public files, 2026-11";
const MODAL: &str = "github.com/modal-labs/modal-client/pull/2797";
const H200: &str = "57 starts of SGLang 0.5.15 on one H200, 2026-11; github.com/sgl-project/sglang/issues/3196";

use Architecture::{Ada, Ampere, BlackwellDatacenter, BlackwellWorkstation, Cdna3, Cdna4, Hopper, Turing, Volta};
use Link::{NvLink, Pcie, Xgmi};

/// The table, by generation and size.
pub const GPUS: [Gpu; 40] = [
    gpu("v100-16", "Tesla V100 16 GB", 16384, Volta, NvLink, SMI),
    gpu("v100-32", "Tesla V100 32 GB", 32768, Volta, NvLink, SMI),
    gpu("t4", "Tesla T4", 15360, Turing, Pcie, MODAL),
    gpu("rtx-2080-ti", "GeForce RTX 2080 Ti", 11264, Turing, Pcie, SMI),
    gpu("a10", "A10", 23028, Ampere, Pcie, MODAL),
    gpu("a10g", "A10G", 23028, Ampere, Pcie, SMI),
    gpu("a30", "A30", 24576, Ampere, Pcie, SMI),
    gpu("a40", "A40", 46068, Ampere, Pcie, SMI),
    gpu("a100-40", "A100 40 GB", 40960, Ampere, NvLink, MODAL),
    gpu("a100-80", "A100 80 GB", 81920, Ampere, NvLink, MODAL),
    gpu(
        "rtx-3060",
        "GeForce RTX 3060",
        12288,
        Ampere,
        Pcie,
        "github.com/geerlingguy/raspberry-pi-pcie-devices/issues/790",
    ),
    gpu("rtx-3090", "GeForce RTX 3090", 24576, Ampere, Pcie, SMI),
    gpu("rtx-3090-ti", "GeForce RTX 3090 Ti", 24564, Ampere, Pcie, SMI),
    gpu("rtx-a4000", "RTX A4000", 16376, Ampere, Pcie, SMI),
    gpu("rtx-a5000", "RTX A5000", 24564, Ampere, Pcie, SMI),
    gpu("rtx-a6000", "RTX A6000", 49140, Ampere, Pcie, SMI),
    gpu("l4", "L4", 23034, Ada, Pcie, MODAL),
    gpu("l40", "L40", 46068, Ada, Pcie, SMI),
    gpu("l40s", "L40S", 46068, Ada, Pcie, "github.com/akash-network/provider-configs/pull/99"),
    gpu("rtx-4060-ti-16", "GeForce RTX 4060 Ti 16 GB", 16380, Ada, Pcie, SMI),
    gpu("rtx-4080", "GeForce RTX 4080", 16376, Ada, Pcie, SMI),
    gpu("rtx-4090", "GeForce RTX 4090", 24564, Ada, Pcie, "github.com/RLinf/RLinf/issues/255"),
    gpu("rtx-6000-ada", "RTX 6000 Ada", 49140, Ada, Pcie, SMI),
    gpu("h100", "H100 80 GB", 81559, Hopper, NvLink, MODAL),
    gpu("h100-nvl", "H100 NVL", 95830, Hopper, NvLink, SMI),
    gpu("h20", "H20 96 GB", 97871, Hopper, NvLink, SMI),
    gpu("gh200", "GH200 480 GB", 97871, Hopper, NvLink, SMI),
    gpu("h200", "H200", 143771, Hopper, NvLink, H200),
    gpu("b200", "B200", 183359, BlackwellDatacenter, NvLink, SMI),
    gpu("gb200", "GB200", 189471, BlackwellDatacenter, NvLink, SMI),
    gpu("b300", "B300", 275040, BlackwellDatacenter, NvLink, SMI),
    gpu("gb300", "GB300", 284208, BlackwellDatacenter, NvLink, SMI),
    gpu("rtx-5070-ti", "GeForce RTX 5070 Ti", 16302, BlackwellWorkstation, Pcie, SMI),
    gpu("rtx-5080", "GeForce RTX 5080", 16303, BlackwellWorkstation, Pcie, SMI),
    gpu(
        "rtx-5090",
        "GeForce RTX 5090",
        32607,
        BlackwellWorkstation,
        Pcie,
        "github.com/noonghunna/club-3090/issues/1229",
    ),
    gpu("rtx-pro-4500", "RTX PRO 4500 Blackwell", 32623, BlackwellWorkstation, Pcie, SMI),
    gpu("rtx-pro-5000", "RTX PRO 5000 Blackwell 48 GB", 48935, BlackwellWorkstation, Pcie, SMI),
    gpu("rtx-pro-6000", "RTX PRO 6000 Blackwell", 97887, BlackwellWorkstation, Pcie, SMI),
    gpu("mi300x", "Instinct MI300X", 196592, Cdna3, Xgmi, "github.com/ROCm/legacy-rocm-build/issues/4750"),
    gpu("mi355x", "Instinct MI355X", 294896, Cdna4, Xgmi, "rocm-smi totals (309220868096 B) in public files, 2026-11"),
];

/// The row of this id.
pub fn find(id: &str) -> Option<&'static Gpu> {
    GPUS.iter().find(|gpu| gpu.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_url_safe() {
        for (index, gpu) in GPUS.iter().enumerate() {
            assert!(gpu.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
            assert!(GPUS.iter().skip(index + 1).all(|other| other.id != gpu.id), "{}", gpu.id);
            assert!((8192..=300_000).contains(&gpu.mib) && !gpu.source.is_empty(), "{}", gpu.id);
        }
        assert_eq!(find("rtx-pro-6000").map(|gpu| gpu.mib), Some(97887));
        assert_eq!(find("h200").and_then(|gpu| gpu.architecture.compute_capability()), Some((9, 0)));
        assert_eq!(find("nope"), None);
    }
}

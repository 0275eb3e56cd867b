//! The automatic fraction before 0.5.3: by the number of GPUs, then by the size of the card.

use super::{AutoQuery, ReserveTerm, Speculation, Version};
use crate::decimal;

/// What 0.4.6 lets weights and cache have on cards up to 81,920 MiB: from so many GPUs on, this share of each.
const SHARES: [(u64, f64); 5] = [(16, 0.79), (8, 0.81), (4, 0.85), (2, 0.87), (1, 0.88)];

/// The share of larger cards, and of those that cannot be read.
const SHARE: f64 = 0.88;

/// 0.4.6 (`server_args.py: __post_init__`, 0.4.6.post5): by the number of GPUs; cards above 96 GiB keep at least 18 GiB.
pub(super) fn share_by_ranks(query: &AutoQuery, gpu_mib: f64) -> f64 {
    let ranks = query.tp.saturating_mul(query.pp);
    let listed = SHARES.iter().find(|(least, _)| ranks >= *least).filter(|_| gpu_mib <= 81920.0);
    let share = listed.map_or(SHARE, |(_, share)| *share);
    if gpu_mib > 98304.0 {
        (share + 49152.0 * (1.0 - share) / gpu_mib).min((gpu_mib - 18432.0) / gpu_mib)
    } else {
        share
    }
}

/// What 0.4.7 reserves on cards below so many MiB: GiB, and GPUs that take one GiB more.
const SIZES: [(f64, f64, Option<f64>); 4] =
    [(35840.0, 2.8, Some(10.0)), (92160.0, 9.5, Some(2.0)), (163840.0, 12.0, Some(2.0)), (f64::INFINITY, 32.0, None)];

/// 0.4.7 to 0.5.2 (`server_args.py: __post_init__`): by the size of the card.
pub(super) fn reserve_by_size(query: &AutoQuery, gpu_mib: f64) -> Vec<ReserveTerm> {
    let ranks = query.tp.saturating_mul(query.pp);
    let size = SIZES.iter().find(|(below, ..)| gpu_mib < *below).map(|(_, gib, per)| {
        let label = match per {
            Some(per) => [
                "a card of this size: (",
                &decimal::write_trimmed(*gib, 1, 0),
                " + ",
                &ranks.to_string(),
                " GPUs ÷ ",
                &decimal::write_trimmed(*per, 0, 0),
                ") × 1024 MiB",
            ]
            .concat(),
            None => "a card of this size".to_owned(),
        };
        (label, (gib + per.map_or(0.0, |per| ranks as f64 / per)) * 1024.0)
    });
    // 0.5.2 knows draft models of their own.
    let own = query.speculation == Some(Speculation::Standalone) && query.version >= Version::new(0, 5, 2);
    let draft = query.speculation.map(|_| ("speculative decoding".to_owned(), if own { 6144.0 } else { 2048.0 }));
    let groups = query.dp_attention.then(|| ("data-parallel attention".to_owned(), 4096.0));
    size.into_iter().chain(draft).chain(groups).map(|(label, mib)| ReserveTerm { label, mib }).collect()
}

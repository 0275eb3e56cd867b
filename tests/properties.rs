//! What must hold for every budget, not only for those that somebody measured.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use kv_budget::budget::{Inputs, Verdict, compare, evaluate, sweep};
use kv_budget::scenario::{self, query::decode};
use kv_budget::units::{BytesPerToken, Fraction, Gib};
use proptest::prelude::*;

prop_compose! {
    fn inputs()(
        fraction in 0_u32..=1000,
        total in 0_u32..=400_000,
        available in 0_u32..=400_000,
        cell in 1_u32..2_000_000,
        page_size in prop::sample::select(vec![1_u64, 16, 64, 128, 4096]),
        max_total_tokens in prop::option::of(1_u64..10_000_000),
        dynamic_need in prop::option::of(0_u32..=50_000),
    ) -> Inputs {
        Inputs {
            fraction: Fraction::new(f64::from(fraction) / 1000.0).unwrap(),
            total: Gib(f64::from(total) / 1000.0),
            available: Gib(f64::from(available) / 1000.0),
            cell: BytesPerToken::new(f64::from(cell)).unwrap(),
            page_size,
            max_total_tokens,
            dynamic_need: dynamic_need.map(|need| Gib(f64::from(need) / 1000.0)),
        }
    }
}

fn tokens(inputs: Inputs) -> i64 {
    evaluate(&inputs).breakdown.tokens.0
}

proptest! {
    #[test]
    fn parts_sum(inputs in inputs()) {
        let parts = evaluate(&inputs).breakdown;
        let close = |a: Gib, b: Gib| (a - b).0.abs() < 1e-9;
        prop_assert!(close(parts.static_budget + parts.reserved, inputs.total));
        prop_assert!(close(parts.weights + inputs.available, inputs.total));
        prop_assert!(close(parts.rest + parts.reserved, inputs.available));
        prop_assert!(close(parts.static_budget - parts.weights, parts.rest));
    }

    #[test]
    fn more_fraction_or_available_never_gives_fewer_tokens(inputs in inputs(), more in 0_u32..=1000) {
        let fraction = inputs.fraction.get().max(f64::from(more) / 1000.0);
        let raised = Inputs { fraction: Fraction::new(fraction).unwrap(), ..inputs };
        prop_assert!(tokens(raised) >= tokens(inputs));
        let available = inputs.available + Gib(f64::from(more));
        let freed = Inputs { available, ..inputs };
        prop_assert!(tokens(freed) >= tokens(inputs));
    }

    #[test]
    fn more_total_never_gives_more_tokens(inputs in inputs(), more in 0_u32..=1000) {
        let total = inputs.total + Gib(f64::from(more));
        let larger = Inputs { total, ..inputs };
        prop_assert!(tokens(larger) <= tokens(inputs));
    }

    #[test]
    fn a_larger_cell_moves_tokens_towards_zero(inputs in inputs(), more in 1_u32..1000) {
        let cell = BytesPerToken::new(inputs.cell.get() + f64::from(more)).unwrap();
        let (small, large) = (tokens(inputs), tokens(Inputs { cell, ..inputs }));
        let towards_zero = if small >= 0 { (0..=small).contains(&large) } else { small <= large && large < 0 };
        prop_assert!(towards_zero);
    }

    #[test]
    fn the_pool_is_whole_pages_and_fits(inputs in inputs()) {
        let report = evaluate(&inputs);
        let pool = report.breakdown.pool_tokens.0;
        prop_assert_eq!(pool % inputs.page_size as i64, 0);
        prop_assert!(pool as f64 * inputs.cell.get() <= report.breakdown.rest_bytes.0.max(0) as f64);
        prop_assert!(inputs.max_total_tokens.is_none_or(|cap| pool <= cap as i64));
        if inputs.dynamic_need.is_none() {
            prop_assert_eq!(pool == 0, report.verdict == Verdict::CannotStart);
        }
    }

    #[test]
    fn the_suggestion_starts(inputs in inputs()) {
        let report = evaluate(&inputs);
        if let Some(fraction) = report.band.suggested {
            let there = evaluate(&Inputs { fraction, max_total_tokens: None, dynamic_need: None, ..inputs });
            prop_assert_eq!(there.verdict, Verdict::Starts);
        }
    }

    #[test]
    fn the_largest_fraction_works(inputs in inputs()) {
        let report = evaluate(&inputs);
        if report.verdict == Verdict::TooHigh {
            let fraction = report.band.largest().unwrap();
            prop_assert_eq!(evaluate(&Inputs { fraction, ..inputs }).verdict, Verdict::Starts);
            let above = Fraction::new((fraction.get() * 1000.0 + 1.0).round() / 1000.0).unwrap();
            prop_assert_eq!(evaluate(&Inputs { fraction: above, ..inputs }).verdict, Verdict::TooHigh);
        }
    }

    #[test]
    fn the_split_of_a_difference_is_exact(a in inputs(), b in inputs()) {
        let split = compare(&a, &b);
        let sum = split.fraction + split.total + split.available;
        prop_assert!((sum - split.rest).0.abs() < 1e-9, "{:?}", split);
        let back = compare(&b, &a);
        prop_assert!((back.fraction + split.fraction).0.abs() < 1e-9);
        prop_assert!((back.total + split.total).0.abs() < 1e-9);
    }

    #[test]
    fn the_curve_passes_through_the_report(inputs in inputs()) {
        let points = sweep(&inputs, 1000);
        prop_assert_eq!(points.len(), 1001);
        let here = points.iter().find(|point| point.fraction == inputs.fraction).unwrap();
        let report = evaluate(&inputs);
        prop_assert_eq!(here.rest, report.breakdown.rest);
        prop_assert_eq!(here.pool_tokens, report.breakdown.pool_tokens);
    }

    #[test]
    fn every_query_evaluates(text in "\\PC{0,200}") {
        let _ = scenario::evaluate(&decode(&text).scenario);
    }
}

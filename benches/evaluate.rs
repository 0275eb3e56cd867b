//! How long one evaluation takes: `cargo bench --bench evaluate`. The page evaluates once an input event.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kv_budget::budget;
use kv_budget::scenario::{Scenario, evaluate, query};

fn benches(criterion: &mut Criterion) {
    let scenario = Scenario::default();
    let inputs = scenario.inputs();
    criterion.bench_function("budget::evaluate", |bench| bench.iter(|| budget::evaluate(black_box(&inputs))));
    criterion.bench_function("scenario::evaluate", |bench| bench.iter(|| evaluate(black_box(&scenario))));
    criterion.bench_function("query::decode", |bench| {
        bench.iter(|| query::decode(black_box("preset=baseline-0.88&f=0.9&dyn=9.5&ctx=32768")))
    });
    criterion.bench_function("query::encode", |bench| bench.iter(|| query::encode(black_box(&scenario))));
}

criterion_group!(all, benches);
criterion_main!(all);

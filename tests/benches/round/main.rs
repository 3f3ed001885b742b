//! One round of a three-ask tool, in process: `#[saga]` against what an author would write by hand.
//!
//! Every contender gets the same request (state and answer of the second round) through rmcp's router
//! and gives the third question and a new state. Compare the ratios within one run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    deprecated
)]

mod contenders;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

use contenders::{Harness, TOOLS};

fn rounds(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let harness = runtime.block_on(Harness::new());
    for total in [3, 10, 100] {
        for tool in TOOLS {
            // The last round that still asks: everything that grows has grown.
            let last = runtime.block_on(harness.after(tool, total, total - 2));
            println!("{tool}, {total} rounds: token of {} bytes", last.1.len());
            criterion.bench_function(&format!("{total} rounds/{tool}"), |bencher| {
                bencher.iter_batched(
                    || Harness::request(tool, total, Some(last.clone())),
                    |request| black_box(runtime.block_on(harness.call(request))),
                    BatchSize::SmallInput,
                );
            });
        }
    }
}

criterion_group!(benches, rounds);
criterion_main!(benches);

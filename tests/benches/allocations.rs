//! How often a round of a three-ask tool allocates, and how much, under `#[saga]` and by hand: what `round` measures the time of.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    deprecated
)]

#[path = "round/contenders.rs"]
mod contenders;

use contenders::{Harness, TOOLS};

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let harness = runtime.block_on(Harness::new());
    println!(
        "{:>12} {:>8} {:>12} {:>8} {:>12}",
        "", "rounds", "allocations", "bytes", "held at once"
    );
    for total in [3, 100] {
        for tool in TOOLS {
            let last = runtime.block_on(harness.after(tool, total, total - 2));
            let request = || Harness::request(tool, total, Some(last.clone()));
            // The first round of a type makes what the others share.
            runtime.block_on(harness.call(request()));
            let request = request();
            let round = allocation_counter::measure(|| {
                runtime.block_on(harness.call(request));
            });
            let (count, bytes, most) = (round.count_total, round.bytes_total, round.bytes_max);
            println!("{tool:>12} {total:>8} {count:>12} {bytes:>8} {most:>12}");
        }
    }
}

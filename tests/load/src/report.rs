//! The figures, in relation to what the wire costs.

use std::{fmt::Write as _, time::Duration};

use crate::{Result, measure::Sample, memory::Memory, server::Contender};

/// Everything that was measured of one contender.
pub(crate) struct Figures {
    pub(crate) contender: Contender,
    pub(crate) samples: Vec<Sample>,
    pub(crate) memory: Option<Memory>,
}

/// Two tables in Markdown.
pub(crate) fn tables(all: &[Figures]) -> Result<String> {
    let base = all
        .iter()
        .find(|figures| figures.contender == Contender::Floor)
        .ok_or("nothing to compare with")?;
    let mut text = String::new();
    writeln!(
        text,
        "| relative to the floor | calls per second (least, most) | p50 | p99 | server's processor time per call | calls per second | processor, µs |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    for figures in all {
        speed(&mut text, figures, base)?;
    }
    writeln!(
        text,
        "\n| server's memory | before | calls that were left | with them | for each of them |"
    )?;
    writeln!(text, "|---|---|---|---|---|")?;
    for Figures {
        contender, memory, ..
    } in all
    {
        let Some(memory) = memory else {
            continue;
        };
        let grown = memory.suspended as f64 - memory.before as f64;
        writeln!(
            text,
            "| {} | {:.1} MiB | {} | {:.1} MiB | {:.3} KiB |",
            contender.name(),
            memory.before as f64 / 1024.0,
            memory.calls,
            memory.suspended as f64 / 1024.0,
            grown / memory.calls.max(1) as f64,
        )?;
    }
    writeln!(
        text,
        "\nA call of the floor took {:.2} ms (p50), {:.2} ms (p99).",
        percentile(base, 0.5).as_secs_f64() * 1000.0,
        percentile(base, 0.99).as_secs_f64() * 1000.0,
    )?;
    Ok(text)
}

/// A row: medians of the repetitions.
fn speed(text: &mut String, figures: &Figures, base: &Figures) -> Result<()> {
    let rates = ratios(figures, base, |sample| sample.calls_per_second);
    let processor = ratios(figures, base, |sample| sample.processor_per_call);
    let latency = |share| {
        let own = percentile(figures, share).as_secs_f64();
        own / percentile(base, share).as_secs_f64()
    };
    let median = |value: fn(&Sample) -> f64| {
        let mut values: Vec<f64> = figures.samples.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        at(&values, 0.5)
    };
    writeln!(
        text,
        "| {} | {:.2} ({:.2}, {:.2}) | {:.2} | {:.2} | {:.2} | {:.0} | {:.1} |",
        figures.contender.name(),
        at(&rates, 0.5),
        at(&rates, 0.0),
        at(&rates, 1.0),
        latency(0.5),
        latency(0.99),
        at(&processor, 0.5),
        median(|sample| sample.calls_per_second),
        // A tick is a hundredth of a second.
        median(|sample| sample.processor_per_call) * 10_000.0,
    )?;
    Ok(())
}

/// The ratio within each repetition, sorted.
fn ratios(figures: &Figures, base: &Figures, value: impl Fn(&Sample) -> f64) -> Vec<f64> {
    let pairs = figures.samples.iter().zip(&base.samples);
    let mut ratios: Vec<f64> = pairs.map(|(own, base)| value(own) / value(base)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// The latency that this share of all calls did not exceed.
fn percentile(figures: &Figures, share: f64) -> Duration {
    let samples = figures.samples.iter();
    let mut latencies: Vec<Duration> = samples
        .flat_map(|sample| sample.latencies.iter().copied())
        .collect();
    latencies.sort_unstable();
    at(&latencies, share)
}

fn at<T: Copy + Default>(sorted: &[T], share: f64) -> T {
    let place = (sorted.len().saturating_sub(1) as f64 * share).round();
    sorted.get(place as usize).copied().unwrap_or_default()
}

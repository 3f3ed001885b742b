//! The figures, in relation to those of the tool by hand.

use std::{fmt::Write as _, time::Duration};

use crate::{Result, measure::Sample, memory::Memory, server::Contender};

/// Everything that was measured of one contender.
pub(crate) struct Figures {
    pub(crate) contender: Contender,
    pub(crate) samples: Vec<Sample>,
    pub(crate) memory: Memory,
}

/// Two tables in Markdown.
pub(crate) fn tables(all: &[Figures], suspended: usize) -> Result<String> {
    let base = all
        .iter()
        .find(|figures| figures.contender == Contender::ByHand)
        .ok_or("nothing to compare with")?;
    let mut text = String::new();
    writeln!(
        text,
        "| relative to *by hand* | calls per second (least, most) | p50 | p99 | server's processor time per call |"
    )?;
    writeln!(text, "|---|---|---|---|---|")?;
    for figures in all {
        let rates = ratios(figures, base, |sample| sample.calls_per_second);
        let processor = ratios(figures, base, |sample| sample.processor_per_call);
        let latency = |share| {
            let own = percentile(figures, share).as_secs_f64();
            own / percentile(base, share).as_secs_f64()
        };
        writeln!(
            text,
            "| {} | {:.2} ({:.2}, {:.2}) | {:.2} | {:.2} | {:.2} |",
            figures.contender.name(),
            at(&rates, 0.5),
            at(&rates, 0.0),
            at(&rates, 1.0),
            latency(0.5),
            latency(0.99),
            at(&processor, 0.5),
        )?;
    }
    writeln!(
        text,
        "\n| server's memory | before | with {suspended} suspended calls | for each of them |"
    )?;
    writeln!(text, "|---|---|---|---|")?;
    for Figures {
        contender, memory, ..
    } in all
    {
        let grown = memory.suspended.saturating_sub(memory.before) as f64;
        writeln!(
            text,
            "| {} | {:.1} MiB | {:.1} MiB | {:.2} KiB |",
            contender.name(),
            memory.before as f64 / 1024.0,
            memory.suspended as f64 / 1024.0,
            grown / suspended.max(1) as f64,
        )?;
    }
    writeln!(
        text,
        "\nA call of *by hand* took {:.1} ms (p50), {:.1} ms (p99).",
        percentile(base, 0.5).as_secs_f64() * 1000.0,
        percentile(base, 0.99).as_secs_f64() * 1000.0,
    )?;
    Ok(text)
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

//! Counts, and what to say of them.

use std::{collections::BTreeMap, time::Instant};

use crate::{
    print,
    program::Program,
    project::{Project, Result},
    shrink::shrink,
    verdict::{Counts, Verdict},
};

pub(crate) struct Report {
    seed: u64,
    refusals_fail: bool,
    started: Instant,
    programs: usize,
    agreed: usize,
    counts: Counts,
    points: usize,
    /// By message: how often, and one of them.
    refused: BTreeMap<String, (usize, usize, String)>,
    broken: Vec<(Program, Verdict)>,
    failed: Vec<(Program, Verdict)>,
}

impl Report {
    pub(crate) fn new(seed: u64, refusals_fail: bool) -> Self {
        Self {
            seed,
            refusals_fail,
            started: Instant::now(),
            programs: 0,
            agreed: 0,
            counts: Counts::default(),
            points: 0,
            refused: BTreeMap::new(),
            broken: Vec::new(),
            failed: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, programs: &[Program], verdicts: Vec<Verdict>) {
        for (program, verdict) in programs.iter().zip(verdicts) {
            self.programs += 1;
            self.points += print::points(program);
            match verdict {
                Verdict::Agreed(counts) => {
                    self.agreed += 1;
                    self.counts = self.counts.and(counts);
                }
                Verdict::Refused(message, text) if !self.refusals_fail => {
                    let entry = self
                        .refused
                        .entry(message)
                        .or_insert((0, program.index, text));
                    entry.0 += 1;
                }
                Verdict::Broken(_) => self.broken.push((program.clone(), verdict)),
                Verdict::Differs(_) | Verdict::SagaError(..) | Verdict::Refused(..) => {
                    self.failed.push((program.clone(), verdict));
                }
            }
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        !self.failed.is_empty() || !self.broken.is_empty()
    }

    pub(crate) fn progress(&self, of: usize) {
        let seconds = self.started.elapsed().as_secs_f64();
        println!(
            "{}/{of} programs, {} agree, {seconds:.0} s",
            self.programs, self.agreed
        );
    }

    /// Prints everything, and returns whether nothing failed.
    pub(crate) fn finish(&self, project: &Project, all: bool) -> Result<bool> {
        let seconds = self.started.elapsed().as_secs_f64();
        let shown = if all { usize::MAX } else { 1 };
        for (message, (count, program, text)) in &self.refused {
            println!("\nrefused {count} times, first in program {program}: {message}\n{text}");
        }
        for (program, verdict) in self.broken.iter().take(shown) {
            println!("\nprogram {} is the generator's fault:", program.index);
            println!("{}\n{}", print::functions(program, ""), verdict.text());
        }
        // The smallest of each cause.
        let mut causes: BTreeMap<&str, Vec<&(Program, Verdict)>> = BTreeMap::new();
        for failed in &self.failed {
            causes.entry(failed.1.cause()).or_default().push(failed);
        }
        for failed in causes.into_values().take(shown) {
            let indices: Vec<usize> = failed.iter().map(|(program, _)| program.index).collect();
            let Some((program, verdict)) = failed.iter().min_by_key(|(program, _)| program.size())
            else {
                continue;
            };
            println!("\nprograms {indices:?} of seed {} fail:", self.seed);
            println!("{}", verdict.text());
            let (small, how) = shrink(project, program, verdict)?;
            println!(
                "--- program {} made smaller:\n{}{}",
                program.index,
                print::functions(&small, ""),
                how.text()
            );
        }
        let differing = self
            .failed
            .iter()
            .filter(|(_, verdict)| matches!(verdict, Verdict::Differs(_)))
            .count();
        let refused: usize = self.refused.values().map(|(count, ..)| count).sum();
        println!(
            "\n{} programs, {} points, {} asks, {} runs: {} agree, {differing} differ, \
             {} do not compile with #[saga], {refused} are refused, {} are wrong without it",
            self.programs,
            self.points,
            self.counts.asks,
            self.counts.runs,
            self.agreed,
            self.failed.len() - differing,
            self.broken.len(),
        );
        let Counts { on, stranded, .. } = self.counts;
        if on + stranded > 0 {
            println!("calls under way at an edit: {on} went on as before, {stranded} were refused");
        }
        println!(
            "{seconds:.0} s, {:.1} s for 100 programs",
            seconds * 100.0 / self.programs.max(1) as f64
        );
        let passed = self.agreed + refused;
        println!("{passed} passed, {} failed", self.programs - passed);
        Ok(!self.has_failed())
    }
}

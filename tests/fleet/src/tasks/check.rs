//! Compares what was done with what the clients saw.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
};

use super::{client::Report, tool};
use crate::effects::Effect;

/// How many violations are told in full.
const SHOWN: usize = 10;

#[derive(Default)]
pub(crate) struct Figures {
    tasks: usize,
    requests: usize,
    effects: usize,
    again: usize,
    keys: usize,
    by_version: HashMap<u8, usize>,
    pub(crate) violations: Vec<String>,
}

impl Figures {
    /// Each task did all of its effects and no others, each under one key that no other has, and its outcome says so.
    pub(crate) fn of(reports: &[Report], recorded: Vec<Effect>) -> Self {
        let mut figures = Self {
            tasks: reports.len(),
            effects: recorded.len(),
            ..Self::default()
        };
        let mut by_task: HashMap<usize, Vec<Effect>> = HashMap::new();
        for effect in recorded {
            by_task.entry(effect.call).or_default().push(effect);
        }
        let mut keys = BTreeSet::new();
        for report in reports {
            let effects = by_task.remove(&report.script.call).unwrap_or_default();
            figures.task(report, effects, &mut keys);
        }
        figures.keys = keys.len();
        figures.demand(by_task.is_empty(), "effects of no task");
        figures
    }

    /// A violation, where something does not hold.
    pub(crate) fn demand(&mut self, holds: bool, otherwise: &str) {
        if !holds {
            self.violations.push(otherwise.to_owned());
        }
    }

    pub(crate) fn of_both_versions(&self) -> bool {
        self.by_version.len() == 2
    }

    fn task(&mut self, report: &Report, effects: Vec<Effect>, keys: &mut BTreeSet<String>) {
        let (script, outcome) = (&report.script, &report.outcome);
        self.requests += report.requests;
        *self.by_version.entry(outcome.version).or_default() += 1;
        let call = script.call;
        let mut done: HashMap<String, String> = HashMap::new();
        for Effect {
            name,
            idempotency_key: key,
            ..
        } in effects
        {
            match done.get(&name) {
                Some(known) => {
                    self.again += 1;
                    if *known != key {
                        self.violations.push(format!(
                            "`{name}` of task {call} ran under {known} and {key}"
                        ));
                    }
                }
                None => {
                    if key.is_empty() || !keys.insert(key.clone()) {
                        self.violations
                            .push(format!("`{name}` of task {call} has another's key {key}"));
                    }
                    done.insert(name, key);
                }
            }
        }
        let expected = tool::effects(outcome.version, script.hosts);
        let told: Vec<_> = outcome
            .journal
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        let same = outcome
            .journal
            .iter()
            .all(|(name, key)| done.get(name) == Some(key));
        // A version that began and did not come to a suspension may have done what the other one does not.
        let more = done.keys().filter(|name| !expected.contains(name));
        let more: Vec<_> = more.filter(|name| *name != "announce").collect();
        let right = (&outcome.region, outcome.sure) == (&script.region, script.sure);
        if told != expected || !same || !more.is_empty() || !right || !report.stands {
            self.violations.push(format!(
                "task {call} ended with {outcome:?}, and did {done:?}"
            ));
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |version| self.by_version.get(&version).copied().unwrap_or_default();
        writeln!(f, "tasks completed           {}", self.tasks)?;
        writeln!(f, "  by the code before      {}", of(1))?;
        writeln!(f, "  by the code after       {}", of(2))?;
        writeln!(f, "requests                  {}", self.requests)?;
        writeln!(f, "effects                   {}", self.effects)?;
        writeln!(f, "  again, under the same key {}", self.again)?;
        writeln!(f, "keys of effects           {}", self.keys)?;
        write!(f, "violations                {}", self.violations.len())?;
        for violation in self.violations.iter().take(SHOWN) {
            write!(f, "\n  {violation}")?;
        }
        Ok(())
    }
}

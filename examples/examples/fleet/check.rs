//! Compares what was done with what the clients saw.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fmt,
};

use crate::{client::Report, client::Step, effects::Effect};

/// How many violations are told in full.
const SHOWN: usize = 10;

#[derive(Default)]
pub(crate) struct Figures {
    calls: usize,
    requests: usize,
    rounds: usize,
    repeated: usize,
    across_the_rotation: usize,
    effects: usize,
    /// Effects that ran again since their call's first request, which has no token yet, was repeated.
    again_at_first: usize,
    /// Effects that ran again since a token was presented again.
    again_after_resume: usize,
    pub(crate) violations: Vec<String>,
}

/// Each request's effects are those of its step: all of them, once and in order, where it was
/// answered, else none or the first ones. Nothing else was done.
pub(crate) fn check(reports: &[Report], recorded: Vec<Effect>) -> Figures {
    let mut figures = Figures {
        effects: recorded.len(),
        ..Figures::default()
    };
    let mut by_request: HashMap<String, Vec<Effect>> = HashMap::new();
    for effect in recorded {
        let request = effect.request.clone();
        by_request.entry(request).or_default().push(effect);
    }
    for report in reports {
        figures.call(report, &mut by_request);
    }
    for (request, effects) in by_request {
        let what = format!("request {request} of no client did {effects:?}");
        figures.violations.push(what);
    }
    figures
}

impl Figures {
    fn call(&mut self, report: &Report, by_request: &mut HashMap<String, Vec<Effect>>) {
        let call = report.script.call;
        self.calls += 1;
        self.rounds += report.steps.len() - 1;
        self.across_the_rotation += usize::from(report.keys.len() > 1);
        let mut journal = Vec::new();
        let mut known: HashSet<String> = HashSet::new();
        for (number, step) in report.steps.iter().enumerate() {
            let mut keys = BTreeSet::new();
            self.requests += step.attempts.len();
            self.repeated += step.attempts.len() - 1;
            for attempt in &step.attempts {
                let effects = by_request.remove(&attempt.id).unwrap_or_default();
                let names: Vec<&str> = effects.iter().map(|effect| effect.name.as_str()).collect();
                let right = match attempt.answered {
                    true => names == step.effects,
                    false => {
                        step.effects
                            .iter()
                            .zip(&names)
                            .all(|(expected, name)| expected == name)
                            && names.len() <= step.effects.len()
                    }
                };
                if !right || effects.iter().any(|effect| effect.call != call) {
                    let Step { effects, .. } = step;
                    self.violations.push(format!(
                        "request {} (answered: {}) did {names:?} instead of {effects:?}",
                        attempt.id, attempt.answered
                    ));
                }
                match (attempt.answered, number) {
                    (true, _) => journal.extend(names.iter().map(|_| attempt.id.clone())),
                    (false, 0) => self.again_at_first += names.len(),
                    (false, _) => self.again_after_resume += names.len(),
                }
                keys.extend(effects.into_iter().map(|effect| effect.idempotency_key));
            }
            // A token has one name, however often it is presented, and no other token has it.
            let one = number == 0 || keys.len() <= 1;
            if !one || keys.contains("") || keys.iter().any(|key| known.contains(key)) {
                self.violations.push(format!(
                    "step {number} of call {call} has the keys {keys:?}"
                ));
            }
            known.extend(keys);
        }
        if !report.script.agrees(&report.outcome) || report.outcome.journal != journal {
            let what = format!(
                "call {call} ended with {:?}; its requests were {journal:?}",
                report.outcome
            );
            self.violations.push(what);
        }
    }

    pub(crate) fn across_the_rotation(&self) -> usize {
        self.across_the_rotation
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            calls,
            requests,
            rounds,
            repeated,
            across_the_rotation,
            effects,
            again_at_first,
            again_after_resume,
            violations,
        } = self;
        writeln!(f, "calls completed           {calls}")?;
        writeln!(f, "rounds of questions       {rounds}")?;
        writeln!(f, "requests                  {requests}")?;
        writeln!(f, "  sent again after a loss {repeated}")?;
        writeln!(f, "calls with tokens of both keys {across_the_rotation}")?;
        writeln!(f, "effects                   {effects}")?;
        writeln!(
            f,
            "  again, a first request was sent again  {again_at_first}"
        )?;
        writeln!(
            f,
            "  again, a token was presented again     {again_after_resume}"
        )?;
        write!(f, "violations                {}", violations.len())?;
        for violation in violations.iter().take(SHOWN) {
            write!(f, "\n  {violation}")?;
        }
        Ok(())
    }
}

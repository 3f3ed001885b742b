//! Compares what was done with what the clients saw.

use std::{collections::HashMap, fmt};

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
    /// Effects that ran again, under the same key, since their call's first request was repeated.
    again_at_first: usize,
    /// Effects that ran again, under the same key, since a token was presented again.
    again_after_resume: usize,
    /// The call and name of each key.
    effects_by_key: HashMap<String, (usize, String)>,
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
        let mut known: HashMap<String, String> = HashMap::new();
        for (number, step) in report.steps.iter().enumerate() {
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
                for Effect {
                    name,
                    idempotency_key: key,
                    ..
                } in effects
                {
                    // An effect has one key, however often its piece of the call runs, and no other has it.
                    let first = known.entry(name.clone()).or_insert_with(|| key.clone());
                    let other = self
                        .effects_by_key
                        .insert(key.clone(), (call, name.clone()));
                    let elsewhere = other.is_some_and(|other| other != (call, name.clone()));
                    if *first != key || key.is_empty() || elsewhere {
                        self.violations.push(format!(
                            "`{name}` of call {call} ran under {first} and {key}"
                        ));
                    }
                }
            }
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
            effects_by_key,
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
        writeln!(f, "keys of effects           {}", effects_by_key.len())?;
        write!(f, "violations                {}", violations.len())?;
        for violation in violations.iter().take(SHOWN) {
            write!(f, "\n  {violation}")?;
        }
        Ok(())
    }
}

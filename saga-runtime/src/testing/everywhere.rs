//! One script, torn down at every choice of points.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use super::{
    ComparedRun, Ended, Failure, FailureKind, Question, Ran, Request, Script, compared::Torn,
    failure::difference, run, scripted,
};

/// What all runs of a script agree on.
pub struct ResumedEverywhere<W = ()> {
    compared: Vec<ComparedRun>,
    ran: Ran<W>,
}

impl<W> fmt::Debug for ResumedEverywhere<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.ran, f)
    }
}

impl<W> ResumedEverywhere<W> {
    /// How many runs there were that could be compared.
    pub fn runs(&self) -> usize {
        self.compared.len()
    }

    /// Those runs: the first is the one that the others were compared with, the last was torn down at every point.
    pub fn compared(&self) -> impl Iterator<Item = &ComparedRun> {
        self.compared.iter()
    }

    /// Whether one of them was over the live wire.
    pub fn was_live(&self) -> bool {
        self.compared.iter().any(ComparedRun::was_live)
    }

    /// The run that was torn down at every point.
    pub fn ran(&self) -> &Ran<W> {
        &self.ran
    }

    /// How they ended.
    pub fn result(&self) -> &Ended {
        self.ran.result()
    }
}

/// Runs it everywhere.
pub(super) async fn check<W: Send + Sync + 'static>(
    request: &Request<W>,
    script: Arc<Script>,
) -> Result<ResumedEverywhere<W>, Failure> {
    let ran = run::torn(request, &script, BTreeSet::new(), &Arc::default())
        .await?
        .used(&script)?;
    let points = Points::of(&ran, &script);
    let torn = |in_place| run::torn(request, &script, in_place, &ran.names);
    // The first run to differ is to be one with few points: they tell where it comes from.
    let mut others = choices(&points.chosen, request.kit.every_choice);
    others.sort_by_key(|in_place| std::cmp::Reverse(in_place.len()));
    let mut others = others.into_iter();
    let everywhere = points.run(&BTreeSet::new(), &ran);
    let reference = if !points.timed && can_be_live(request, &script)? {
        let live = run::live(request, &script, &ran.names).await?;
        let run = ComparedRun::live(&live, &script);
        (live, run)
    } else if let Some(all) = others.next() {
        let torn = torn(all.clone()).await?;
        let run = points.run(&all, &torn);
        (torn, run)
    } else {
        let compared = vec![everywhere];
        return Ok(ResumedEverywhere { compared, ran });
    };
    let mut compared = vec![reference.1.clone()];
    for in_place in others {
        let other = torn(in_place.clone()).await?;
        let run = points.run(&in_place, &other);
        compared.extend(agree(&reference, (&other, run))?);
    }
    compared.extend(agree(&reference, (&ran, everywhere))?);
    Ok(ResumedEverywhere { compared, ran })
}

/// Where a script can be torn down.
struct Points<'r, W> {
    ran: &'r Ran<W>,
    script: &'r Script,
    /// Those that a run may pass in place.
    chosen: Vec<String>,
    /// Those at which each run is torn down: their answers come later.
    later: Vec<String>,
    /// Whether the time of several questions runs: the live wire's client cannot answer each at its own.
    timed: bool,
}

impl<'r, W> Points<'r, W> {
    fn of(ran: &'r Ran<W>, script: &'r Script) -> Self {
        let answered_at_once = |question: &&Question| {
            let reply = script.reply(question);
            reply.is_some_and(|reply| reply.delay() == Duration::ZERO)
        };
        let (at_once, later): (Vec<_>, Vec<_>) = ran.asked.iter().partition(answered_at_once);
        let keys = |asked: Vec<&Question>| -> Vec<String> {
            let keys = asked.into_iter().map(Question::key);
            keys.map(ToOwned::to_owned).collect()
        };
        let (mut chosen, later) = (keys(at_once), keys(later));
        let timed = !later.is_empty() && ran.joined;
        chosen.extend(ran.pauses.iter().cloned());
        Self {
            ran,
            script,
            chosen,
            later,
            timed,
        }
    }

    /// The run that passed these points in place.
    fn run(&self, in_place: &BTreeSet<String>, ran: &Ran<W>) -> ComparedRun {
        let torn = self.chosen.iter();
        let torn = torn.filter(|point| !in_place.contains(*point));
        let torn = torn.chain(&self.later).map(|point| Torn {
            name: point.clone(),
            at: self.ran.stood.get(point).copied(),
        });
        ComparedRun::torn(torn.collect(), ran, self.script)
    }
}

fn can_be_live<W: Send + Sync + 'static>(
    request: &Request<W>,
    script: &Arc<Script>,
) -> Result<bool, Failure> {
    let kit = request.kit.afresh();
    let bench = scripted::bench(&kit, script, BTreeSet::new(), &Arc::default())?;
    Ok(request.session(&kit, bench).can_be_live())
}

/// The points that are passed in place, for each run but the one in which none is.
fn choices(points: &[String], every: usize) -> Vec<BTreeSet<String>> {
    let chosen = |chosen: &dyn Fn(usize) -> bool| -> BTreeSet<String> {
        let points = points.iter().enumerate();
        let points = points.filter(|(place, _)| chosen(*place));
        points.map(|(_, point)| point.clone()).collect()
    };
    if points.len() <= every.min(16) {
        let all = 1..1usize << points.len();
        return all
            .map(|bits| chosen(&|place| bits >> place & 1 == 1))
            .collect();
    }
    let mut choices = vec![chosen(&|_| true)];
    for at in 0..points.len() {
        choices.push(chosen(&|place| place == at));
        choices.push(chosen(&|place| place != at));
    }
    choices
}

/// Refuses two runs that differ. The second one, unless it cannot be compared with the first.
fn agree<W>(
    (left, left_run): &(Ran<W>, ComparedRun),
    (right, right_run): (&Ran<W>, ComparedRun),
) -> Result<Option<ComparedRun>, Failure> {
    // An arm that fails ends the others; how far they are by then depends on the order of the answers, also in plain Rust.
    if left.given_up != right.given_up {
        return Ok(None);
    }
    let differs = |what: &str, first: &str, second: &str| {
        let (left_is, right_is) = (left_run.way(), right_run.way());
        let reasons = [&left.reasons, &right.reasons];
        let reasons: String = reasons.into_iter().map(String::as_str).collect();
        let text = format!(
            "{} differs where it is {right_is}: {what}\n  {left_is}: {first}\n  {right_is}: {second}{reasons}",
            left.name
        );
        Err(Failure::new(FailureKind::Differs, text))
    };
    if let Some((path, first, second)) = difference(&left.essence(), &right.essence()) {
        let path = path.trim_start_matches('.');
        return differs(path, &first, &second);
    }
    match (&left.effects, &right.effects) {
        (Some(first), Some(second)) if first != second => {
            differs("what it did to the world", first, second)
        }
        _ => Ok(Some(right_run)),
    }
}

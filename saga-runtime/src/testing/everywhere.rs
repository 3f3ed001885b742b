//! One script, torn down at every choice of points.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use super::{
    Ended, Failure, FailureKind, Question, Ran, Request, Script, failure::difference, run, scripted,
};

/// What all runs of a script agree on.
pub struct ResumedEverywhere<W = ()> {
    runs: usize,
    live: bool,
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
        self.runs
    }

    /// Whether one of them was over the live wire.
    pub fn was_live(&self) -> bool {
        self.live
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
    let torn = |in_place| run::torn(request, &script, in_place, &ran.names);
    let answered_at_once = |question: &_| {
        let reply = script.reply(question);
        reply.is_some_and(|reply| reply.delay() == Duration::ZERO)
    };
    let (at_once, later): (Vec<_>, Vec<_>) =
        ran.asked.iter().partition(|one| answered_at_once(one));
    let keys = |asked: Vec<&Question>| -> Vec<String> {
        let keys = asked.into_iter().map(Question::key);
        keys.map(ToOwned::to_owned).collect()
    };
    let (mut points, later) = (keys(at_once), keys(later));
    // Where the time of several questions runs, the live wire's client cannot answer each at its own.
    let timed = points.len() < ran.asked.len() && ran.joined;
    points.extend(ran.pauses.iter().cloned());
    // The first run to differ is to be one with few points: they tell where it comes from.
    let mut others = choices(&points, request.kit.every_choice);
    others.sort_by_key(|in_place| std::cmp::Reverse(in_place.len()));
    let mut others = others.into_iter();
    let live = !timed && can_be_live(request, &script)?;
    let reference = match live {
        true => Some((
            run::live(request, &script, &ran.names).await?,
            "over the live wire".to_owned(),
        )),
        false => match others.next() {
            Some(all) => Some((torn(all.clone()).await?, told(&points, &later, &all, &ran))),
            None => None,
        },
    };
    let mut runs = 1;
    if let Some((reference, named)) = &reference {
        for in_place in others {
            let other = torn(in_place.clone()).await?;
            runs += agree(
                reference,
                named,
                &other,
                &told(&points, &later, &in_place, &ran),
            )?;
        }
        let everywhere = told(&points, &later, &BTreeSet::new(), &ran);
        runs += agree(reference, named, &ran, &everywhere)?;
    }
    Ok(ResumedEverywhere { runs, live, ran })
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

/// Where a run was torn down, in words.
fn told<W>(
    points: &[String],
    later: &[String],
    in_place: &BTreeSet<String>,
    ran: &Ran<W>,
) -> String {
    let torn = points.iter().filter(|point| !in_place.contains(*point));
    // Those are always.
    let torn = torn.chain(later);
    let torn: Vec<_> = torn
        .map(|point| match ran.stood.get(point) {
            Some((function, number)) => format!("`{point}` (point {number} of `{function}`)"),
            None => format!("`{point}`"),
        })
        .collect();
    match torn.is_empty() {
        true => "torn down nowhere".to_owned(),
        false => format!("torn down at {}", torn.join(", ")),
    }
}

/// Refuses two runs that differ. How many were compared with the first: none, where that cannot be.
fn agree<W>(
    left: &Ran<W>,
    left_is: &str,
    right: &Ran<W>,
    right_is: &str,
) -> Result<usize, Failure> {
    // An arm that fails ends the others; how far they are by then goes by the order of the answers, in plain Rust, too.
    if left.given_up != right.given_up {
        return Ok(0);
    }
    let differs = |what: &str, first: &str, second: &str| {
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
        _ => Ok(1),
    }
}

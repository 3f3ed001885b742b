//! A call with all its answers.

use std::{collections::BTreeSet, fmt, future::Future, panic::Location, sync::Arc};

use super::{
    Failure, Kit, Question, Ran, Reply, Request, ResumedEverywhere, Script,
    bench::{Bench, Names},
    everywhere, run,
};

/// A call with all its answers: run it [once](Self::run), or [everywhere](Self::resumed_everywhere).
#[must_use = "nothing is called until it is run"]
pub struct Scripted<W> {
    pub(super) request: Request<W>,
    script: Script,
}

impl<W> fmt::Debug for Scripted<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted")
            .field("request", &self.request)
            .field("script", &self.script)
            .finish()
    }
}

impl<W: Send + Sync + 'static> Scripted<W> {
    pub(super) fn new(request: Request<W>) -> Self {
        let script = Script::default();
        Self { request, script }
    }

    /// Answers the question under this key; it must be asked.
    pub fn answer(mut self, key: impl Into<String>, reply: impl Into<Reply>) -> Self {
        self.script.insert(key.into(), reply.into());
        self
    }

    /// Answers what has no answer by its key.
    pub fn answering<R: Into<Reply>>(
        mut self,
        answering: impl Fn(&Question) -> R + Send + Sync + 'static,
    ) -> Self {
        let answering = move |question: &Question| Some(answering(question).into());
        self.script.otherwise(Box::new(answering));
        self
    }

    /// Answers the first question with the first of these, the second with the second; all of them must be asked for.
    pub fn answering_in_turn<R: Into<Reply>>(
        mut self,
        replies: impl IntoIterator<Item = R>,
    ) -> Self {
        for reply in replies {
            self.script.push(reply.into());
        }
        self
    }

    /// Runs it once, in a world of its own, with a fresh server after every question.
    ///
    /// # Errors
    /// A question without an answer, an answer without a question, no answer of the server.
    #[track_caller]
    pub fn run(self) -> impl Future<Output = Result<Ran<W>, Failure>> + Send {
        let at = Location::caller();
        async move {
            let script = Arc::new(self.script);
            let ran = run::torn(&self.request, &script, BTreeSet::new(), &Arc::default()).await;
            let ran = ran.and_then(|ran| ran.used(&script));
            ran.map_err(|failure| failure.at(at))
        }
    }

    /// Runs it over the live wire, as a client from before 2026-07-28 calls it: one server waits for every answer.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    #[track_caller]
    pub fn run_live(self) -> impl Future<Output = Result<Ran<W>, Failure>> + Send {
        let at = Location::caller();
        async move {
            let script = Arc::new(self.script);
            let ran = run::live(&self.request, &script, &Arc::default()).await;
            let ran = ran.and_then(|ran| ran.used(&script));
            ran.map_err(|failure| failure.at(at))
        }
    }

    /// Runs it over the live wire, and torn down and resumed at every choice of its points, each time in a world of
    /// its own; all runs must agree on the result, on the questions, on the idempotency keys that were given out, and on what the kit
    /// [compares](Kit::comparing).
    ///
    /// A point is a question, a `sleep` or a `checkpoint`. Up to [six](Kit::every_choice_up_to) of them, every choice is tried;
    /// of more, each alone, all but each, all and none. The live wire is left out where the server does not speak 2025-11-25. A
    /// question whose answer comes [later](Reply::after) is always torn down.
    ///
    /// # Errors
    /// Where two runs do not agree, with the point, and with what either has; and those of [`run`](Self::run).
    #[track_caller]
    pub fn resumed_everywhere(
        self,
    ) -> impl Future<Output = Result<ResumedEverywhere<W>, Failure>> + Send {
        let at = Location::caller();
        async move {
            let resumed = everywhere::check(&self.request, Arc::new(self.script)).await;
            resumed.map_err(|failure| failure.at(at))
        }
    }
}

/// A bench of its own for one run.
pub(super) fn bench<W: Send + Sync + 'static>(
    kit: &Kit<W>,
    script: &Arc<Script>,
    in_place: BTreeSet<String>,
    names: &Arc<Names>,
) -> Result<Bench, Failure> {
    let (clock, principal) = (kit.clock.clone(), kit.principal.clone());
    let script = Arc::clone(script);
    Ok(Bench::answering(
        kit.keys()?,
        clock,
        principal,
        script,
        in_place,
        names,
    ))
}

//! A server whose tasks are killed.

use std::{fmt, future::Future, panic::Location, sync::Arc};

use rmcp::{RoleServer, Service};
use saga_runtime::{
    client::TaskCall,
    testing::{Ended, Failure, FailureKind, Question, Reply, Script, difference},
};
use serde_json::{Map, Value, json};

use super::{Clock, Killed, KilledRun, person::Person};
use crate::Tasks;

/// A server whose tools are tasks. `W` is the world: what the processes act on, and what outlives them.
///
/// A process that is killed is followed by another one, so the kit is given a closure that makes the server of a process, with the
/// tasks that it is to have.
pub struct TaskKit<W, S> {
    world: Arc<dyn Fn() -> W + Send + Sync>,
    server: Arc<Servers<W, S>>,
    effects: Option<Arc<Effects<W>>>,
}

type Servers<W, S> = dyn Fn(&W, Tasks) -> S + Send + Sync;
type Effects<W> = dyn Fn(&W) -> Vec<String> + Send + Sync;

impl<W, S> fmt::Debug for TaskKit<W, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskKit").finish_non_exhaustive()
    }
}

impl<W, S> Clone for TaskKit<W, S> {
    fn clone(&self) -> Self {
        Self {
            world: Arc::clone(&self.world),
            server: Arc::clone(&self.server),
            effects: self.effects.clone(),
        }
    }
}

impl<W: Send + Sync + 'static, S: Service<RoleServer>> TaskKit<W, S> {
    /// A kit for servers that act on a world: `server` is given it with the tasks of a process, for
    /// [`with_tasks`](saga_runtime::SagaServer::with_tasks).
    pub fn with_world(
        world: impl Fn() -> W + Send + Sync + 'static,
        server: impl Fn(&W, Tasks) -> S + Send + Sync + 'static,
    ) -> Self {
        Self {
            world: Arc::new(world),
            server: Arc::new(server),
            effects: None,
        }
    }

    /// What was done to the world, in order. A run whose process was killed has done the same; only what had been done since the last
    /// suspension is there twice, or not, where it has an idempotency key.
    #[must_use]
    pub fn comparing<E: fmt::Debug>(
        mut self,
        effects: impl Fn(&W) -> Vec<E> + Send + Sync + 'static,
    ) -> Self {
        self.effects = Some(Arc::new(move |world| {
            let effects = effects(world).into_iter();
            effects.map(|effect| format!("{effect:?}")).collect()
        }));
        self
    }

    /// Calls a tool: say its answers, and run it.
    pub fn tool(&self, name: impl Into<String>, arguments: Value) -> TaskScript<W, S> {
        TaskScript {
            kit: self.clone(),
            name: name.into(),
            arguments,
            script: Script::default(),
            most: usize::MAX,
        }
    }
}

/// A call of a tool that is a task, with all its answers.
#[must_use = "nothing is called until it is run"]
pub struct TaskScript<W, S> {
    kit: TaskKit<W, S>,
    name: String,
    arguments: Value,
    script: Script,
    most: usize,
}

impl<W, S> fmt::Debug for TaskScript<W, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskScript")
            .field("name", &self.name)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}

/// What all runs of a task agree on, wherever its process was killed.
#[derive(Debug)]
pub struct KilledEverywhere {
    killed: Vec<Killed>,
    ended: Ended,
    asked: Vec<Question>,
    effects: Vec<String>,
}

impl KilledEverywhere {
    /// How many runs there were.
    pub fn runs(&self) -> usize {
        self.killed.len() + 1
    }

    /// Where each run was killed that was compared with the one in which nothing was.
    pub fn killed(&self) -> impl Iterator<Item = Killed> {
        self.killed.iter().copied()
    }

    /// How they ended.
    pub fn result(&self) -> &Ended {
        &self.ended
    }

    /// What they asked.
    pub fn asked(&self) -> &[Question] {
        &self.asked
    }

    /// What was done where nothing was killed, as the kit compares it.
    pub fn effects(&self) -> &[String] {
        &self.effects
    }
}

/// One run.
struct Ran {
    ended: Ended,
    asked: Vec<Question>,
    effects: Vec<String>,
    calls: usize,
    stored: usize,
}

impl<W: Send + Sync + 'static, S: Service<RoleServer>> TaskScript<W, S> {
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

    /// At how many calls of the store its process is killed at most, spread over the run; without it, at all of them.
    pub fn at_most(mut self, calls: usize) -> Self {
        self.most = calls.max(1);
        self
    }

    /// Runs the task once as it is, and once for each call of its store with the process killed before that call, and once more after
    /// it: result and questions are the same, and so are the effects, but for those since the last suspension.
    ///
    /// Each run has a world of its own.
    ///
    /// # Errors
    /// Where two runs do not agree, with the call at which the process was killed; where the call becomes no task, or a question has no
    /// answer.
    #[track_caller]
    pub fn killed_everywhere(self) -> impl Future<Output = Result<KilledEverywhere, Failure>> {
        let at = Location::caller();
        async move { self.check().await.map_err(|failure| failure.at(at)) }
    }

    async fn check(self) -> Result<KilledEverywhere, Failure> {
        let Self {
            kit,
            name,
            arguments,
            script,
            most,
        } = self;
        let script = Arc::new(script);
        let call = match arguments {
            Value::Object(arguments) => TaskCall::new(name.clone()).arguments(arguments),
            _ => TaskCall::new(name.clone()),
        };
        let whole = run(&kit, &call, &script, Killed::Before(usize::MAX)).await?;
        let unused = script.unused(&whole.asked);
        if !unused.is_empty() {
            let asked: Vec<_> = whole.asked.iter().map(Question::key).collect();
            let text = format!(
                "`{name}` did not ask for the answer {}: it asked {asked:?}",
                unused.join(", ")
            );
            return Err(Failure::new(FailureKind::Script, text));
        }
        let mut points = Vec::new();
        for at in (0..whole.calls).step_by(whole.calls.div_ceil(most).max(1)) {
            for killed in [Killed::Before(at), Killed::After(at)] {
                let ran = run(&kit, &call, &script, killed).await?;
                agree(&name, &whole, &ran, killed)?;
                points.push(killed);
            }
        }
        Ok(KilledEverywhere {
            killed: points,
            ended: whole.ended,
            asked: whole.asked,
            effects: whole.effects,
        })
    }
}

async fn run<W: Send + Sync + 'static, S: Service<RoleServer>>(
    kit: &TaskKit<W, S>,
    call: &TaskCall,
    script: &Arc<Script>,
    killed: Killed,
) -> Result<Ran, Failure> {
    let world = Arc::new((kit.world)());
    let effects = {
        let (effects, world) = (kit.effects.clone(), Arc::clone(&world));
        move || {
            effects
                .as_ref()
                .map(|effects| effects(&world))
                .unwrap_or_default()
        }
    };
    let clock = Clock::default();
    let person = Person::new(Arc::clone(script), clock.clone());
    let counted = effects.clone();
    let run = KilledRun::new(killed, clock).counting(move || counted().len());
    let server = |tasks| (kit.server)(&world, tasks);
    let ended = run.run(server, call.clone(), person.clone()).await;
    let (result, calls, stored) = match (person.failure(), ended) {
        (Some(failure), _) | (None, Err(failure)) => return Err(failure),
        (None, Ok(ended)) => ended.into_parts(),
    };
    let result = serde_json::to_value(result).unwrap_or_default();
    Ok(Ran {
        ended: Ended::new(Ok(result)),
        asked: person.asked(),
        effects: effects(),
        calls,
        stored,
    })
}

/// Refuses a run that differs from the one in which nothing was killed.
fn agree(name: &str, whole: &Ran, ran: &Ran, killed: Killed) -> Result<(), Failure> {
    let differs = |what: &str, first: &str, second: &str| {
        let text = format!(
            "`{name}` differs where its process is killed {killed}: {what}\n  not killed: {first}\n  killed: {second}"
        );
        Err(Failure::new(FailureKind::Differs, text))
    };
    let essence = |ran: &Ran| {
        let asked = ran.asked.iter();
        let asked: Map<_, _> = asked
            .map(|question| (question.key().to_owned(), question.essence()))
            .collect();
        json!({ "end": ran.ended.essence(), "questions": asked })
    };
    if let Some((path, first, second)) = difference(&essence(whole), &essence(ran)) {
        return differs(path.trim_start_matches('.'), &first, &second);
    }
    if !ran_again(&whole.effects, &ran.effects, ran.stored) {
        let (first, second) = (format!("{:?}", whole.effects), format!("{:?}", ran.effects));
        let what = format!("its effects, of which {} were stored by then", ran.stored);
        return differs(&what, &first, &second);
    }
    Ok(())
}

/// Whether `seen` is `whole`, but that a part of what was not `stored` was begun, and then done again: with all of it, or without
/// what has an idempotency key.
fn ran_again(whole: &[String], seen: &[String], stored: usize) -> bool {
    let (Some((before, rest)), Some((known, after))) = (
        whole.split_at_checked(stored),
        seen.split_at_checked(stored),
    ) else {
        return false;
    };
    before == known
        && (0..=rest.len()).any(|begun| {
            let (first, second) = rest.split_at(begun);
            let Some(again) = after.strip_prefix(first) else {
                return false;
            };
            let Some(again) = again.strip_suffix(second) else {
                return false;
            };
            let mut first = first.iter();
            again
                .iter()
                .all(|effect| first.any(|other| other == effect))
        })
}

#[cfg(test)]
mod tests {
    use super::ran_again;

    fn effects(names: &str) -> Vec<String> {
        names.chars().map(String::from).collect()
    }

    #[test]
    fn what_was_not_stored_may_be_there_twice() {
        let agrees = |whole, seen, stored| ran_again(&effects(whole), &effects(seen), stored);
        assert!(agrees("abc", "abc", 0));
        assert!(agrees("abc", "abbc", 1));
        // `b` has a key.
        assert!(agrees("abc", "abcc", 1));
        assert!(!agrees("abc", "abbc", 2));
        assert!(!agrees("abc", "ab", 1));
        assert!(!agrees("abc", "aabc", 1));
        assert!(!agrees("abc", "abccc", 1));
        assert!(!agrees("abc", "acb", 1));
        assert!(!agrees("abc", "a", 2));
    }
}

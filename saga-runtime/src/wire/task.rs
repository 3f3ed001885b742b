//! Tasks (the extension `io.modelcontextprotocol/tasks`, SEP-2663): when a call becomes one, and a leg of it.
//! What keeps and runs them is a [`Host`](crate::background::Host).

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{ErrorData, model::ClientCapabilities};

use crate::{
    ask::client::Client,
    background::{BackgroundCall, Begun, NewTask, News, Refusal, Running, TaskMode},
    engine::{Engine, Outcome, Suspended, answers::Answers, scope::Notice},
    error::{Error, Reason, internal},
    token::{Times, settings::Settings},
    wire::{
        Response, Served,
        call::Call,
        once::{Once, Taken, used},
    },
};

/// Whether the client of a request takes a task for an answer.
pub(crate) fn declared(client: &Client) -> bool {
    client.is_stateless()
        && client
            .capabilities()
            .is_some_and(ClientCapabilities::supports_tasks)
}

/// Makes a task of a call that begins, where it is to be one.
pub(crate) async fn begin<T: Response>(call: &mut Call) -> Option<Served<T>> {
    // A retry is of a call that has begun without.
    let begins = call.resumption.is_none() && call.request_state.is_none();
    let first = match call.task {
        TaskMode::Required if !declared(&call.client) => return Some(Ok(Err(undeclared()))),
        TaskMode::Required if call.hosted.is_none() => {
            let why = "this tool needs a server with tasks: `SagaServer::with_tasks`";
            return Some(Ok(Err(internal(why, "no_tasks"))));
        }
        TaskMode::Never => return None,
        TaskMode::Required | TaskMode::Always => Duration::ZERO,
        // The same call, sent again, is to find it: wherever, and at once.
        TaskMode::After(_) if call.is_named() => Duration::ZERO,
        TaskMode::After(first) => first,
    };
    if !begins || call.hosted.is_none() {
        return None;
    }
    let settings = call.settings.clone().map_err(Error::from);
    match settings.and_then(|settings| guard(call, &settings)) {
        Ok(_) => Some(Box::pin(create(call, None, first)).await),
        Err(error) => Some(Err(error)),
    }
}

/// The guard of a tool that says `#[saga(once)]`: of the others a leg may run again, as a task promises.
fn guard(call: &Call, settings: &Settings) -> Result<Option<Once>, Error> {
    match call.once {
        true => Once::of(settings, true),
        false => Ok(None),
    }
}

/// The refusal of a client that knows no tasks.
pub(crate) fn undeclared() -> ErrorData {
    let required = ClientCapabilities::builder().enable_tasks().build();
    ErrorData::missing_required_client_capability(required)
}

/// Makes a task of a call, from where it stands.
pub(crate) async fn create<T: Response>(
    call: &mut Call,
    begun: Option<Suspended>,
    first: Duration,
) -> Served<T> {
    let Some(hosted) = call.hosted.take() else {
        return Ok(Err(internal("there are no tasks", "no_tasks")));
    };
    let id = match &begun {
        Some(suspended) => suspended.continuation.call_id(),
        None => call.identified()?,
    };
    let leg = begun.as_ref().map_or(0, |begun| begun.continuation.leg());
    call.is(Some(id), leg);
    let task = NewTask {
        call: BackgroundCall {
            id,
            tool: call.teller.name.to_string(),
            arguments: (*call.arguments).clone(),
            meta: hosted.meta,
            principal: call.teller.principal.clone(),
            caller: hosted.caller,
        },
        begun,
        first,
        keep: None,
    };
    let response = match hosted.hosted.host.create(task).await {
        Ok(Begun::Task(task)) => {
            call.reported = Some(("task", None));
            T::task(*task)
        }
        // Its leg has told of it.
        Ok(Begun::Ended(Ok(result))) => {
            let is_error = result.is_error == Some(true);
            call.reported = Some(("completed", is_error.then(|| "tool_error".to_owned())));
            T::called(*result)
        }
        Ok(Begun::Ended(Err(error))) => {
            call.reported = Some(("completed", Some(error.code.0.to_string())));
            return Ok(Err(error));
        }
        Err(error) => return Ok(Err(error)),
    };
    Ok(response.ok_or_else(|| ErrorData::internal_error("only a tool is a task", None)))
}

/// Runs a leg of a task.
pub(crate) async fn serve<F, T>(call: &mut Call, running: Running, function: F) -> Served<T>
where
    F: Future<Output = Result<T, ErrorData>>,
    T: Response,
{
    let Some(begin) = running.begin() else {
        let why = "a tool that is a task calls another by its own request";
        return Ok(Err(internal(why, "nested")));
    };
    let leg = begin.continuation.as_ref().map_or(0, |begun| begun.leg());
    call.is(Some(begin.call.id), leg);
    let settings = call.settings.clone()?;
    let leased = match guard(call, &settings)? {
        None => None,
        Some(once) => {
            let times = Times::new(settings.now(), settings.config().max_call_age);
            let binding = call.binding().clone();
            let taken = once.take(begin.call.id, leg, times, &binding).await;
            // Nothing of a task's leg is kept, as its task has its outcome: another wire has run this one.
            let leased = taken.and_then(|taken: Taken<T>| taken.lease().map_err(|_| used()));
            match leased {
                Ok(leased) => leased,
                Err(error) => {
                    running.refused(Refusal {
                        error: error.clone(),
                        went_on: false,
                        restarts: call.restarts,
                    });
                    return Err(error);
                }
            }
        }
    };
    let went_on = Arc::new(AtomicBool::new(begin.continuation.is_none()));
    let (suspending, noticing) = (running.clone(), running.clone());
    let engine = Engine::new(call.client.clone())
        .at(begin.now)
        .telling(&call.teller)
        .witnessed(&went_on)
        .cancelled_by(running.cancelled())
        .suspending(move |pause| suspending.suspends(pause))
        .noticing(move |notice| {
            noticing.tell(match notice {
                Notice::Asked(key, request, over) => {
                    News::Asked(key.to_owned(), request.clone(), over)
                }
                Notice::Partial(content) => News::Partial(content.clone()),
                Notice::Entered(function) => News::Entered(function),
            });
        })
        .with_call_id(begin.call.id);
    let outcome = match begin.continuation {
        None => engine.start(function).await,
        Some(continuation) => {
            // What was answered has been delivered to it.
            let resumed = engine.resume(continuation, Answers::new(), function);
            resumed.await
        }
    };
    match outcome {
        Outcome::Done(value) => Ok(value),
        Outcome::Suspended(suspended) => {
            call.is(Some(begin.call.id), suspended.continuation.leg());
            let keys = call.told(suspended.asks.iter().map(|(key, _)| key.as_str()));
            call.span.asks(suspended.at, &keys, 0);
            let outcome = match suspended.asks.is_empty() {
                true => "paused",
                false => "asked",
            };
            // Who keeps the task tells of its questions.
            call.reported = Some((outcome, None));
            running.suspended(suspended);
            Ok(Err(ErrorData::internal_error("the leg is over", None)))
        }
        Outcome::Refused(error) => {
            let stale = error.reason() == Some(Reason::Stale);
            if let Some(leased) = leased.filter(|_| stale && !went_on.load(Ordering::Relaxed)) {
                leased.release().await;
            }
            running.refused(Refusal {
                error: error.clone(),
                went_on: went_on.load(Ordering::Relaxed),
                restarts: call.restarts,
            });
            Err(error)
        }
    }
}

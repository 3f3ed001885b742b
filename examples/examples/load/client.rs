//! A client of any of the servers.

use reqwest::Client as Http;
use serde_json::{Map, Value, json};

use crate::{
    Result,
    mrtr::{self, Call, Resume, Round},
    server::Contender,
    session::{Messages, Session},
    tools::{ASKS, TOOL},
};

const TARGET: &str = "production";

/// Makes one call after the other.
pub(crate) enum Client {
    Stateless { http: Http, url: String },
    Session(Session),
}

/// A call that waits for an answer, with whatever its client has to keep.
pub(crate) enum Suspended {
    State(#[expect(dead_code, reason = "kept, as a client would")] String),
    Open(#[expect(dead_code, reason = "closed when dropped")] Box<(Session, Messages)>),
}

impl Client {
    pub(crate) async fn new(contender: Contender, http: &Http, url: &str) -> Result<Self> {
        Ok(match contender {
            Contender::Live => Self::Session(Session::open(http, url).await?),
            Contender::Saga | Contender::ByHand => Self::Stateless {
                http: http.clone(),
                url: url.to_owned(),
            },
        })
    }

    /// Makes a whole call, and checks its result.
    pub(crate) async fn call(&mut self) -> Result<()> {
        let result = match self {
            Self::Stateless { http, url } => {
                let mut resume = None;
                loop {
                    match mrtr::send(http, url, "1", &call(), resume.as_ref()).await? {
                        Round::Done(result) => break result,
                        Round::Asks { questions, state } => {
                            let answers = questions.into_iter().map(|(key, _)| (key, answer()));
                            let answers: Map<_, _> = answers.collect();
                            resume = Some(Resume { state, answers });
                        }
                    }
                }
            }
            Self::Session(session) => session.call(&call().arguments, &answer()).await?,
        };
        let expected = format!("payments-4711 {}", ASKS * TARGET.len());
        match mrtr::text(&result) {
            Some(text) if text == expected => Ok(()),
            _ => Err(format!("a call ended with {result}").into()),
        }
    }

    /// Makes a call up to its first question.
    pub(crate) async fn suspend(self) -> Result<Suspended> {
        match self {
            Self::Stateless { http, url } => {
                match mrtr::send(&http, &url, "1", &call(), None).await? {
                    Round::Asks { state, .. } => Ok(Suspended::State(state)),
                    Round::Done(result) => Err(format!("a call ended with {result}").into()),
                }
            }
            Self::Session(mut session) => {
                let mut messages = session.start(&call().arguments).await?;
                messages.next().await?;
                Ok(Suspended::Open(Box::new((session, messages))))
            }
        }
    }
}

fn call() -> Call {
    Call {
        tool: TOOL,
        arguments: json!({ "service": "payments" }),
        name: None,
    }
}

fn answer() -> Value {
    json!({ "action": "accept", "content": { "target": TARGET } })
}

//! A client of any of the servers.

use crate::{
    Result,
    plain::Plain,
    server::Contender,
    session::{Messages, Session},
    tools::{ASKS, TARGET, answer, call_arguments, text},
};

/// Makes one call after the other.
pub(crate) enum Client {
    Stateless(Plain),
    Session { session: Session, url: String },
}

/// A call that waits for an answer, with whatever its client has to keep.
pub(crate) enum Suspended {
    State,
    Open(#[expect(dead_code, reason = "closed when dropped")] Box<(Session, Messages)>),
}

impl Client {
    pub(crate) async fn new(
        contender: Contender,
        http: &reqwest::Client,
        url: &str,
    ) -> Result<Self> {
        Ok(match contender {
            Contender::Live => Self::Session {
                session: Session::open(http, url).await?,
                url: url.to_owned(),
            },
            _ => Self::Stateless(Plain::connect(url).await?),
        })
    }

    /// Makes a whole call, and checks its result.
    pub(crate) async fn call(&mut self) -> Result<()> {
        let result = match self {
            Self::Stateless(plain) => plain.call(&answer()).await?,
            Self::Session { session, .. } => session.call(&call_arguments(), &answer()).await?,
        };
        let expected = format!("payments-4711 {}", ASKS * TARGET.len());
        match text(&result) {
            Some(text) if text == expected => Ok(()),
            _ => Err(format!("a call ended with {result}").into()),
        }
    }

    /// Makes a call up to its first question, and leaves it.
    pub(crate) async fn suspend(&mut self, http: &reqwest::Client) -> Result<Suspended> {
        match self {
            Self::Stateless(plain) => {
                plain.start().await?;
                Ok(Suspended::State)
            }
            Self::Session { url, .. } => {
                let mut session = Session::open(http, url).await?;
                let mut messages = session.start(&call_arguments()).await?;
                messages.next().await?;
                Ok(Suspended::Open(Box::new((session, messages))))
            }
        }
    }
}

//! A server that is away for a while: what could not be sent is sent again.

use std::{
    collections::HashMap,
    error::Error,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_core::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::streamable_http_client::{
        SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use sse_stream::Sse;
use tokio::time::{Instant, sleep};

use crate::watch::Watch;

/// How long there is between the first tries, and at most.
const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(5);

type Headers = HashMap<HeaderName, HeaderValue>;
type Posted = Result<StreamableHttpPostResponse, StreamableHttpError<reqwest::Error>>;

/// A client that sends again what never reached a server that was there before, until the time of `--timeout` is over. Between two
/// rounds a stateless call is nowhere but in this program: ending at the first refused connection would lose it.
#[derive(Debug, Clone)]
pub(crate) struct Retrying<C> {
    client: C,
    watch: Watch,
    /// Whether the server has answered once: one that was never there is told of at once.
    known: Arc<AtomicBool>,
}

impl<C> Retrying<C> {
    pub(crate) fn new(client: C, watch: Watch) -> Self {
        let known = Arc::default();
        Self {
            client,
            watch,
            known,
        }
    }

    async fn patiently<F: Future<Output = Posted>>(
        &self,
        uri: &str,
        post: impl Fn() -> F,
    ) -> Posted {
        let (mut since, mut pause) = (None, FIRST);
        loop {
            let posted = post().await;
            let cause = match &posted {
                Err(StreamableHttpError::Client(error)) if error.is_connect() => root(error),
                _ => {
                    self.known.store(true, Ordering::Relaxed);
                    self.watch.is_back();
                    return posted;
                }
            };
            if !self.known.load(Ordering::Relaxed) {
                return self.ends(&unknown(uri, &cause)).await;
            }
            let since = *since.get_or_insert_with(|| {
                self.watch.is_away(uri, &cause);
                Instant::now()
            });
            if since.elapsed() + pause >= self.watch.limit() {
                return self.ends(&lost(uri, &cause, self.watch.limit())).await;
            }
            self.watch.heard();
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST);
        }
    }

    /// Ends the program with this, and not with the error of a request.
    async fn ends(&self, why: &str) -> Posted {
        self.watch.lose(why);
        pending().await
    }
}

/// What the program ends with where there was no server from the start.
fn unknown(uri: &str, cause: &str) -> String {
    format!(
        "the server at {uri} cannot be reached ({cause}): nothing was called. Start the server, or say its address with --url"
    )
}

/// What it ends with where the server did not come back.
fn lost(uri: &str, cause: &str, limit: Duration) -> String {
    format!(
        "the server at {uri} cannot be reached ({cause}), and was not back within {} seconds: the call waited only in this program, and \
         is given up. Start the server, and call again; `--timeout SECONDS` waits longer",
        limit.as_secs()
    )
}

/// The cause behind all others: `Connection refused (os error 111)`.
fn root(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.last().map(ToString::to_string).unwrap_or_default()
}

impl<C: StreamableHttpClient<Error = reqwest::Error> + Sync> StreamableHttpClient for Retrying<C> {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Posted {
        let post = || {
            let (uri, message) = (Arc::clone(&uri), message.clone());
            let (session, auth, headers) = (session.clone(), auth.clone(), headers.clone());
            self.client
                .post_message(uri, message, session, auth, headers)
        };
        self.patiently(&uri, post).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        max: usize,
    ) -> Posted {
        let post = || {
            let (uri, message) = (Arc::clone(&uri), message.clone());
            let (session, auth, headers) = (session.clone(), auth.clone(), headers.clone());
            self.client
                .post_message_with_max_sse_event_size(uri, message, session, auth, headers, max)
        };
        self.patiently(&uri, post).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<(), StreamableHttpError<reqwest::Error>> {
        let deleted = self.client.delete_session(uri, session, auth, headers);
        deleted.await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableHttpError<reqwest::Error>>
    {
        let stream = self.client.get_stream(uri, session, last, auth, headers);
        stream.await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
        max: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableHttpError<reqwest::Error>>
    {
        let stream = self
            .client
            .get_stream_with_max_sse_event_size(uri, session, last, auth, headers, max);
        stream.await
    }
}

//! What goes over the wire: shown where it is wanted, and remembered to cancel what is under way.

use std::{
    borrow::Cow,
    collections::HashSet,
    io::{self, IsTerminal, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rmcp::{
    RoleClient,
    model::{CancelledNotificationParam, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use saga_client::{Message, terminal::Style};
use serde::Serialize;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use crate::{Result, connect::Server, progress};

/// Sees the messages of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    raw: bool,
    /// How long the server may be silent.
    limit: Duration,
    /// When there was a message last.
    last: Arc<Mutex<Instant>>,
    /// Why the server is taken to be lost.
    lost: watch::Sender<Option<String>>,
    /// The requests that the server has not answered.
    requests: Arc<Mutex<HashSet<RequestId>>>,
    /// Whether the server has gone before this program has.
    broken: Arc<AtomicBool>,
    /// Whether it cannot be reached now.
    away: Arc<AtomicBool>,
}

impl Watch {
    pub(crate) fn new(raw: bool, limit: Duration) -> Self {
        Self {
            raw,
            limit,
            last: Arc::new(Mutex::new(Instant::now())),
            lost: watch::Sender::new(None),
            requests: Arc::default(),
            broken: Arc::default(),
            away: Arc::default(),
        }
    }

    /// Tells the server that nobody waits for the requests under way; false where there is none, or no server.
    pub(crate) async fn cancel_requests(&self, server: &Server) -> Result<bool> {
        if self.away.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let requests: Vec<_> = self.requests().drain().collect();
        for id in &requests {
            let reason = Some("the user has cancelled it".to_owned());
            let params = CancelledNotificationParam::new(Some(id.clone()), reason);
            server.notify_cancelled(params).await?;
        }
        Ok(!requests.is_empty())
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// The server cannot be reached: says that what is for it waits.
    pub(crate) fn is_away(&self, uri: &str, cause: &str) {
        self.away.store(true, Ordering::Relaxed);
        let (style, seconds) = (Style::of_stderr(), self.limit.as_secs());
        let text = format!(
            "the server at {uri} cannot be reached ({cause}): what it is to be told waits here, and is sent again for {seconds} seconds \
             (--timeout); Ctrl-C gives up"
        );
        progress::end_line();
        // The call goes on where this cannot be shown.
        let _ = writeln!(io::stderr(), "{}", style.dim(&text));
    }

    /// The server can be reached again.
    pub(crate) fn is_back(&self) {
        self.away.store(false, Ordering::Relaxed);
    }

    /// Gives the server up.
    pub(crate) fn lose(&self, why: &str) {
        self.lost.send_replace(Some(why.to_owned()));
    }

    /// Ready where the server is lost, or was silent for too long while nobody was asked anything; with why.
    pub(crate) async fn lost(&self, is_asking: impl Fn() -> bool) -> String {
        let mut lost = self.lost.subscribe();
        loop {
            let last = *self.last();
            let end = last.checked_add(self.limit);
            let silent = async {
                match end {
                    Some(end) => sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                why = lost.wait_for(Option::is_some) => {
                    let why = why.ok().and_then(|why| why.clone());
                    return why.unwrap_or_default();
                }
                () = silent => {}
            }
            if is_asking() {
                self.heard();
            } else if *self.last() == last {
                let seconds = self.limit.as_secs();
                return format!("the server has said nothing for {seconds} seconds (--timeout)");
            }
        }
    }

    fn last(&self) -> MutexGuard<'_, Instant> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is no silence of the server's that would be too long.
    pub(crate) fn heard(&self) {
        *self.last() = Instant::now();
    }

    /// Whether the server has ended the connection.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    fn requests(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        if let JsonRpcMessage::Request(request) = message {
            self.requests().insert(request.id.clone());
        }
        self.heard();
        self.show("client \u{2192} server", message);
    }

    fn received(&self, message: &RxJsonRpcMessage<RoleClient>) {
        let answered = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.requests().remove(id);
        }
        self.heard();
        self.show("client \u{2190} server", message);
    }

    fn show(&self, direction: &str, message: &impl Serialize) {
        if !self.raw {
            return;
        }
        let mut out = io::stderr().lock();
        let text = serde_json::to_value(message).and_then(|value| {
            // A file keeps all of it; on a screen, tokens would push everything else away.
            let message = match out.is_terminal() {
                true => Message::shortened(&value),
                false => Message::whole(&value),
            };
            message.indented()
        });
        let text = text.unwrap_or_else(|error| error.to_string());
        let direction = Style::of_stderr().dim(direction);
        // A message that cannot be shown is no reason to end the call.
        let _ = writeln!(out, "{direction}\n{text}");
    }
}

/// A transport whose messages are seen.
pub(crate) struct Watched<T> {
    transport: T,
    watch: Watch,
}

impl<T> Watched<T> {
    pub(crate) fn new(transport: T, watch: Watch) -> Self {
        Self { transport, watch }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.watch.sent(&item);
        self.transport.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.transport.receive().await;
        match &message {
            Some(message) => self.watch.received(message),
            None => self.watch.broken.store(true, Ordering::Relaxed),
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

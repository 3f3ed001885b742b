//! Sessions of clients from before 2026-07-28: how many there may be.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use http::HeaderMap;
use rmcp::{
    model::ProtocolVersion, transport::streamable_http_server::session::local::LocalSessionManager,
};
use serde::Deserialize;

/// Those that are open, and those that begin.
#[derive(Clone)]
pub(super) struct Sessions {
    open: Arc<LocalSessionManager>,
    beginning: Arc<AtomicUsize>,
    most: usize,
}

impl Sessions {
    pub(super) fn at_most(most: usize) -> Self {
        Self {
            open: Arc::default(),
            beginning: Arc::default(),
            most,
        }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.open)
    }

    /// Whether there are as many as there may be.
    pub(super) async fn are_full(&self) -> bool {
        self.are_full_with(0).await
    }

    async fn are_full_with(&self, beginning: usize) -> bool {
        self.open.sessions.read().await.len() + beginning >= self.most
    }

    /// Lets one more begin, if there may be one: it is counted until it is open.
    pub(super) async fn begin(&self) -> Option<Beginning> {
        let before = self.beginning.fetch_add(1, Ordering::SeqCst);
        let begun = Beginning(Arc::clone(&self.beginning));
        (!self.are_full_with(before).await).then_some(begun)
    }
}

/// Whether a request may be the first of a session.
pub(super) fn may_begin(headers: &HeaderMap) -> bool {
    let newest = ProtocolVersion::V_2026_07_28;
    let stateless = headers
        .get("mcp-protocol-version")
        .is_some_and(|version| version.as_bytes() >= newest.as_str().as_bytes());
    !stateless && !has_session(headers)
}

/// Whether a request begins a session: rmcp decides by the body as well.
pub(super) fn begins(headers: &HeaderMap, body: &[u8]) -> bool {
    may_begin(headers) || !has_session(headers) && is_first(body)
}

/// Whether a session is named, as rmcp reads it.
fn has_session(headers: &HeaderMap) -> bool {
    let named = headers.get("mcp-session-id");
    named.is_some_and(|named| named.to_str().is_ok())
}

/// Whether a body is the first request of a session, whatever its headers say.
fn is_first(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Named<'m> {
        #[serde(borrow)]
        method: Cow<'m, str>,
    }
    let named: Result<Named<'_>, _> = serde_json::from_slice(body);
    named.is_ok_and(|named| named.method == "initialize")
}

/// A session that begins.
pub(super) struct Beginning(Arc<AtomicUsize>);

impl Drop for Beginning {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

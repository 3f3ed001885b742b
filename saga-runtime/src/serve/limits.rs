//! How much of a server one client may take.

use std::time::Duration;

/// What a server over HTTP takes from its clients before it refuses.
///
/// ```
/// use std::time::Duration;
/// use saga_runtime::serve::Limits;
///
/// let limits = Limits::default().body_bytes(1 << 20).connections(100);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub(super) body_bytes: usize,
    pub(super) json_nodes: usize,
    pub(super) header_timeout: Duration,
    pub(super) body_timeout: Duration,
    pub(super) connections: usize,
    pub(super) sessions: usize,
    pub(super) grace: Duration,
}

impl Default for Limits {
    /// Bodies of 256 KiB with 20,000 values of JSON, 10 seconds for the head of a request and 30 for its body,
    /// 1,024 connections, 1,024 sessions, and 10 seconds for what is under way when the server stops.
    fn default() -> Self {
        Self {
            body_bytes: 256 * 1024,
            json_nodes: 20_000,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            connections: 1024,
            sessions: 1024,
            grace: Duration::from_secs(10),
        }
    }
}

impl Limits {
    /// The largest body of a request, in bytes. It holds a token and the answers to its questions; a server that
    /// samples pictures needs more.
    #[must_use]
    pub fn body_bytes(mut self, bytes: usize) -> Self {
        self.body_bytes = bytes;
        self
    }

    /// How many values the JSON of a request may have, members of objects and items of arrays included: each takes
    /// many times its own length in memory.
    #[must_use]
    pub fn json_nodes(mut self, nodes: usize) -> Self {
        self.json_nodes = nodes;
        self
    }

    /// How long the head of a request may take, and how long a connection may be idle before the next one.
    #[must_use]
    pub fn header_timeout(mut self, time: Duration) -> Self {
        self.header_timeout = time;
        self
    }

    /// How long the body of a request may take, and how long a client may let an answer wait before it reads on.
    #[must_use]
    pub fn body_timeout(mut self, time: Duration) -> Self {
        self.body_timeout = time;
        self
    }

    /// How many connections are served at a time; more wait until one is closed.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// How many sessions there may be at a time, of clients from before 2026-07-28; a session that nobody uses ends after five
    /// minutes.
    #[must_use]
    pub fn sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// How long requests go on once the server is to stop. Streams are ended then.
    #[must_use]
    pub fn grace(mut self, time: Duration) -> Self {
        self.grace = time;
        self
    }
}

//! Under which hosts a server is reached, and for pages of which origins.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};

use http::{header, uri::Authority};

use crate::{observe::unheard, token::keyring::KeyError, token::provider};

/// The variable with the hosts.
pub(super) const HOSTS: &str = "SAGA_HOSTS";

/// The variable with the origins.
pub(super) const ORIGINS: &str = "SAGA_ORIGINS";

/// Why the environment is not right for a server.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The keys.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// A host that is not valid.
    #[error(
        "`{0}` is no host: write `tools.example.com` or `tools.example.com:8443`, without `https://` and without a path"
    )]
    Host(String),
    /// An origin that is not valid.
    #[error(
        "`{0}` is no origin: write `https://app.example.com`, with its scheme and without a path"
    )]
    Origin(String),
}

/// The sentence: that is what `main` prints of an error that it returns.
impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The items of a variable; nothing where it is not set, or empty.
pub(super) fn listed(variable: &'static str) -> Result<Option<Vec<String>>, ServeError> {
    let text = provider::variable(variable)?;
    let items = text.map(|text| items(&text));
    Ok(items.filter(|items| !items.is_empty()))
}

fn items(text: &str) -> Vec<String> {
    let items = text.split(',').map(str::trim);
    items
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Refuses what could be no request's `Host`: nobody would ever be served under it.
pub(super) fn check_host(host: &str) -> Result<(), ServeError> {
    // An IPv6 address stands in brackets in a request, and may stand without them here.
    let is_address = host.parse::<std::net::Ipv6Addr>().is_ok();
    let is_authority = host.parse::<Authority>().is_ok_and(|authority| {
        // What follows the host is a port, or nothing: `http` takes `a:` and `a:b` for authorities without one.
        let port = authority.port_u16().is_some() || authority.host() == host;
        !authority.host().is_empty() && !host.contains(['@', '*']) && port
    });
    match is_address || is_authority {
        true => Ok(()),
        false => Err(ServeError::Host(host.to_owned())),
    }
}

/// The same of an `Origin`.
pub(super) fn check_origin(origin: &str) -> Result<(), ServeError> {
    let without_port = origin.strip_suffix(":*").unwrap_or(origin);
    let is_origin = without_port == "null"
        || without_port
            .split_once("://")
            .is_some_and(|(scheme, host)| {
                !scheme.is_empty() && !host.contains('/') && check_host(host).is_ok()
            });
    match is_origin {
        true => Ok(()),
        false => Err(ServeError::Origin(origin.to_owned())),
    }
}

/// Whether the operator was told already.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Tells the operator, once, of a request that was refused: a server behind a new name refuses all of them.
pub(super) fn refused(named: [Option<header::HeaderValue>; 2]) {
    if TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    let [host, origin] = named.map(|value| {
        let shown = value?.to_str().ok()?.chars().take(200).collect::<String>();
        Some(shown)
    });
    let why = "a request was refused (403): its `Host` or `Origin` is not allowed; name those that are in SAGA_HOSTS and SAGA_ORIGINS, or with `Http::hosts` and `Http::origins`";
    tracing::warn!(?host, ?origin, "{why}");
    unheard(&format!("saga: {why} (Host: {host:?}, Origin: {origin:?})"));
}

#[cfg(test)]
mod tests {
    use super::{check_host, check_origin, items};

    #[test]
    fn hosts_and_origins_are_looked_at() {
        for host in [
            "example.com",
            "example.com:8443",
            "127.0.0.1",
            "::1",
            "[::1]",
            "[::1]:80",
            "a_b",
        ] {
            assert!(check_host(host).is_ok(), "{host}");
        }
        for host in [
            "",
            "https://example.com",
            "example.com/mcp",
            "a b",
            "a@b",
            "*",
            "*.example.com",
            "a:",
            "a:b",
            "a:99999",
        ] {
            assert!(check_host(host).is_err(), "{host}");
        }
        for origin in [
            "https://example.com",
            "http://localhost:*",
            "http://[::1]:3000",
            "null",
        ] {
            assert!(check_origin(origin).is_ok(), "{origin}");
        }
        for origin in [
            "example.com",
            "https://example.com/",
            "https://",
            "*",
            "https://*.example.com",
            "",
        ] {
            assert!(check_origin(origin).is_err(), "{origin}");
        }
        assert_eq!(items(" a, b:1,,"), ["a", "b:1"]);
        assert!(items(" , ").is_empty());
    }
}

//! What the client of the current request can do.

use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

use rmcp::{
    Peer, RoleServer,
    model::{ClientCapabilities, InitializeRequestParams, NumberOrString, ProtocolVersion},
    service::{ElicitationMode, RequestContext},
};

/// The client's protocol version and capabilities, taken from the request's `_meta` where it has
/// them (2026-07-28 and later) and from the handshake otherwise.
#[derive(Debug, Clone, Default)]
pub struct Client {
    version: Option<ProtocolVersion>,
    capabilities: OnceLock<Option<ClientCapabilities>>,
    /// The request, for what is decoded only where it is asked for.
    request: Option<RequestContext<RoleServer>>,
}

impl Client {
    /// The client that sent this request.
    pub fn of(context: &RequestContext<RoleServer>) -> Self {
        let mut request = RequestContext::new(context.id.clone(), context.peer.clone());
        request.meta = context.meta.clone();
        Self {
            version: context.protocol_version(),
            capabilities: OnceLock::new(),
            request: Some(request),
        }
    }

    /// A client with these capabilities on the newest protocol version, for driving an engine
    /// without a connection.
    pub fn with_capabilities(capabilities: ClientCapabilities) -> Self {
        Self {
            version: Some(ProtocolVersion::V_2026_07_28),
            capabilities: OnceLock::from(Some(capabilities)),
            request: None,
        }
    }

    pub(crate) fn of_peer(peer: &Peer<RoleServer>) -> Self {
        Self::of(&RequestContext::new(
            NumberOrString::Number(0),
            peer.clone(),
        ))
    }

    /// Whether requests to this client may only be sent inside an `InputRequiredResult`.
    pub fn is_stateless(&self) -> bool {
        self.version
            .as_ref()
            .is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28)
    }

    /// What the client declared that it supports.
    pub fn capabilities(&self) -> Option<&ClientCapabilities> {
        let decode = || {
            self.request
                .as_ref()
                .and_then(RequestContext::client_capabilities)
        };
        self.capabilities.get_or_init(decode).as_ref()
    }

    /// The elicitation modes of the client; a bare `elicitation` capability means forms.
    pub fn elicitation_modes(&self) -> HashSet<ElicitationMode> {
        let modes = [ElicitationMode::Form, ElicitationMode::Url];
        modes
            .into_iter()
            .filter(|mode| self.can_elicit(*mode))
            .collect()
    }

    /// Whether the client can elicit in this mode.
    pub fn can_elicit(&self, mode: ElicitationMode) -> bool {
        let declared = self.capabilities().and_then(|c| c.elicitation.as_ref());
        declared.is_some_and(|elicitation| match mode {
            ElicitationMode::Url => elicitation.url.is_some(),
            ElicitationMode::Form => elicitation.form.is_some() || elicitation.url.is_none(),
            _ => false,
        })
    }

    /// Whether the client can sample at all.
    pub fn can_sample(&self) -> bool {
        self.capabilities().is_some_and(|c| c.sampling.is_some())
    }

    /// Whether the client can sample with tools.
    pub fn can_sample_with_tools(&self) -> bool {
        let declared = self.capabilities().and_then(|c| c.sampling.as_ref());
        declared.is_some_and(|sampling| sampling.tools.is_some())
    }

    /// Whether the client can list its roots.
    pub fn can_list_roots(&self) -> bool {
        self.capabilities().is_some_and(|c| c.roots.is_some())
    }

    /// The client in the form of a handshake, as [`Peer::peer_info`] gives it.
    pub(crate) fn peer_info(&self) -> Option<Arc<InitializeRequestParams>> {
        let info = self
            .request
            .as_ref()
            .and_then(RequestContext::client_info)?;
        let capabilities = self.capabilities().cloned().unwrap_or_default();
        let mut params = InitializeRequestParams::new(capabilities, info);
        if let Some(version) = &self.version {
            params = params.with_protocol_version(version.clone());
        }
        Some(Arc::new(params))
    }
}

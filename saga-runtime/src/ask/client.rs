//! What the client of the current request can do.

use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

use rmcp::{
    Peer, RoleServer,
    model::{
        ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
        Implementation, InitializeRequestParams, InputRequest, ListRootsResult, MetaObject,
        NumberOrString, ProtocolVersion,
    },
    service::{ElicitationMode, RequestContext},
};
use serde_json::Value;

use crate::ask::{is_elicit_result, parses};

/// What a request declares its client's capabilities by.
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The client's protocol version and capabilities, taken from the request's `_meta` where it has
/// them (2026-07-28 and later) and from the handshake otherwise.
#[derive(Debug, Clone, Default)]
pub struct Client(Arc<Facts>);

#[derive(Debug, Default)]
struct Facts {
    version: Option<ProtocolVersion>,
    /// What the request says, or else the handshake, once it is asked for.
    capabilities: OnceLock<Option<ClientCapabilities>>,
    /// What the request says.
    info: Option<Implementation>,
    peer: Option<Peer<RoleServer>>,
}

/// The capability that an ask needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Forms.
    Form,
    /// Pages.
    Url,
    /// The model.
    Sampling,
    /// The model, with tools.
    SamplingWithTools,
    /// The roots.
    Roots,
    /// Nothing: a suspension point that asks nobody.
    Pause,
}

impl Need {
    /// All of them, each at its number.
    pub(crate) const ALL: [Self; 6] = [
        Self::Form,
        Self::Url,
        Self::Sampling,
        Self::SamplingWithTools,
        Self::Roots,
        Self::Pause,
    ];

    pub(crate) fn of_sampling(params: &CreateMessageRequestParams) -> Self {
        match params.tools.is_some() || params.tool_choice.is_some() {
            true => Self::SamplingWithTools,
            false => Self::Sampling,
        }
    }

    /// What a request needs; nothing where it is of no known kind.
    pub(crate) fn of(request: &InputRequest) -> Option<Self> {
        Some(match request {
            InputRequest::Elicitation(request) => match request.params {
                ElicitRequestParams::UrlElicitationParams { .. } => Self::Url,
                _ => Self::Form,
            },
            InputRequest::CreateMessage(request) => Self::of_sampling(&request.params),
            InputRequest::ListRoots(_) => Self::Roots,
            _ => return None,
        })
    }

    /// Whether this is a result of the kind that such an ask has.
    #[allow(deprecated, reason = "sampling and roots are deprecated by SEP-2577")]
    pub(crate) fn accepts(self, result: &Value) -> bool {
        match self {
            Self::Form | Self::Url => is_elicit_result(result),
            Self::Sampling | Self::SamplingWithTools => parses::<CreateMessageResult>(result),
            Self::Roots => parses::<ListRootsResult>(result),
            Self::Pause => false,
        }
    }
}

impl Facts {
    /// What the client said when it connected: nothing where each request says it.
    fn handshake(&self) -> Option<RequestContext<RoleServer>> {
        let peer = self.peer.clone()?;
        Some(RequestContext::new(NumberOrString::Number(0), peer))
    }
}

/// What the request says, where it is one of those that are known: nothing is copied.
fn known_version(meta: &MetaObject) -> Option<ProtocolVersion> {
    let said = meta.get("io.modelcontextprotocol/protocolVersion")?;
    let said = said.as_str()?;
    let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
    known.find(|version| version.as_str() == said).cloned()
}

impl Client {
    /// The client that sent this request.
    pub fn of(context: &RequestContext<RoleServer>) -> Self {
        let said = context.meta.client_capabilities();
        Self(Arc::new(Facts {
            version: known_version(&context.meta.0).or_else(|| context.protocol_version()),
            capabilities: said.map_or_else(OnceLock::new, |said| OnceLock::from(Some(said))),
            info: context.meta.client_info(),
            peer: Some(context.peer.clone()),
        }))
    }

    /// A client with these capabilities on the newest protocol version, for driving an engine
    /// without a connection.
    pub fn with_capabilities(capabilities: ClientCapabilities) -> Self {
        Self(Arc::new(Facts {
            version: Some(ProtocolVersion::V_2026_07_28),
            capabilities: OnceLock::from(Some(capabilities)),
            ..Facts::default()
        }))
    }

    pub(crate) fn of_peer(peer: &Peer<RoleServer>) -> Self {
        Self::of(&RequestContext::new(
            NumberOrString::Number(0),
            peer.clone(),
        ))
    }

    pub(crate) fn peer(&self) -> Option<Peer<RoleServer>> {
        self.0.peer.clone()
    }

    /// Whether the client whose request had this `_meta` is asked between requests.
    pub(crate) fn is_stateless_by(meta: &MetaObject) -> bool {
        known_version(meta).is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
    }

    /// Whether requests to this client may only be sent inside an `InputRequiredResult`.
    pub fn is_stateless(&self) -> bool {
        let version = self.0.version.as_ref();
        version.is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28)
    }

    /// The protocol version of the request, or of the session.
    pub fn version(&self) -> Option<&ProtocolVersion> {
        self.0.version.as_ref()
    }

    /// What the client declared that it supports.
    pub fn capabilities(&self) -> Option<&ClientCapabilities> {
        let handshake = || self.0.handshake()?.client_capabilities();
        self.0.capabilities.get_or_init(handshake).as_ref()
    }

    /// The elicitation modes of the client; a bare `elicitation` capability means forms.
    pub fn elicitation_modes(&self) -> HashSet<ElicitationMode> {
        let modes = [ElicitationMode::Form, ElicitationMode::Url];
        modes
            .into_iter()
            .filter(|mode| self.elicits(*mode))
            .collect()
    }

    /// Whether the client shows forms.
    pub fn can_elicit(&self) -> bool {
        self.elicits(ElicitationMode::Form)
    }

    /// Whether the client sends the user to a URL.
    pub fn can_elicit_url(&self) -> bool {
        self.elicits(ElicitationMode::Url)
    }

    pub(crate) fn elicits(&self, mode: ElicitationMode) -> bool {
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

    /// Whether the client declares what an ask needs.
    pub(crate) fn declares(&self, need: Need) -> bool {
        match need {
            Need::Form => self.can_elicit(),
            Need::Url => self.can_elicit_url(),
            Need::Sampling => self.can_sample(),
            Need::SamplingWithTools => self.can_sample_with_tools(),
            Need::Roots => self.can_list_roots(),
            Need::Pause => true,
        }
    }

    /// The client in the form of a handshake, as [`Peer::peer_info`] gives it.
    pub(crate) fn peer_info(&self) -> Option<Arc<InitializeRequestParams>> {
        let facts = &self.0;
        let handshake = || facts.handshake()?.client_info();
        let info = facts.info.clone().or_else(handshake)?;
        let capabilities = self.capabilities().cloned().unwrap_or_default();
        let mut params = InitializeRequestParams::new(capabilities, info);
        if let Some(version) = &self.0.version {
            params = params.with_protocol_version(version.clone());
        }
        Some(Arc::new(params))
    }
}

//! What asks, by name.

use syn::Ident;

/// A method of the handle that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Elicit,
    ElicitWithTimeout,
    ElicitUrl,
    ElicitUrlWithTimeout,
    CreateElicitation,
    CreateElicitationWithTimeout,
    CreateMessage,
    ListRoots,
    /// `saga_runtime::sleep(..)`.
    Sleep,
    /// `saga_runtime::try_sleep(..)`.
    TrySleep,
    /// A question of `Cx`, with all its options: `cx.elicit::<T>(..).key(..)`.
    Question,
}

/// What `saga_runtime::sleep(..)` is written as before lowering: a method of nobody's.
pub(crate) const SLEEP: &str = "__saga_sleep";

/// The same of `saga_runtime::try_sleep(..)`.
pub(crate) const TRY_SLEEP: &str = "__saga_try_sleep";

/// The methods of rmcp's handle that ask.
const METHODS: &[(&str, Method)] = &[
    ("elicit", Method::Elicit),
    ("elicit_with_timeout", Method::ElicitWithTimeout),
    ("elicit_url", Method::ElicitUrl),
    ("elicit_url_with_timeout", Method::ElicitUrlWithTimeout),
    ("create_elicitation", Method::CreateElicitation),
    (
        "create_elicitation_with_timeout",
        Method::CreateElicitationWithTimeout,
    ),
    ("create_message", Method::CreateMessage),
    ("list_roots", Method::ListRoots),
];

/// The methods of `Cx` that ask, or wait.
const QUESTIONS: &[&str] = &[
    "choose",
    "choose_by",
    "choose_many",
    "choose_many_by",
    "elicit",
    "elicit_url",
    "sample",
    "roots",
    "checkpoint",
    "partial",
    "background",
];

/// Those of them that ask nobody.
const PAUSES: &[&str] = &["checkpoint", "partial", "background", SLEEP, TRY_SLEEP];

impl Method {
    /// The method of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name {
            SLEEP => Some(Self::Sleep),
            TRY_SLEEP => Some(Self::TrySleep),
            _ => {
                let mut methods = METHODS.iter();
                let known = methods.find(|(known, _)| *known == name);
                known.map(|(_, method)| *method)
            }
        }
    }

    /// Whether a time limit is among its arguments.
    pub(crate) fn has_timeout(self) -> bool {
        matches!(
            self,
            Self::ElicitWithTimeout
                | Self::ElicitUrlWithTimeout
                | Self::CreateElicitationWithTimeout
        )
    }
}

/// Whether a method of rmcp's handle asks.
pub fn is_ask(method: &str) -> bool {
    METHODS.iter().any(|(ask, _)| method == *ask)
}

/// Whether a method of rmcp's handle, or of `Cx`, sends what nobody is asked by.
pub(crate) fn tells(method: &Ident) -> bool {
    let method = method.to_string();
    ["progress", "cancelled"].contains(&&*method)
        || method.starts_with("notify_")
        || method.starts_with("send_")
}

/// Whether a method of `Cx` asks, or waits.
pub fn is_question(method: &str) -> bool {
    QUESTIONS.contains(&method)
}

/// Whether a method asks nobody.
pub(crate) fn is_pause(method: &Ident) -> bool {
    PAUSES.iter().any(|pause| method == pause)
}

//! `Cx`: the context of a call, for new tools.

pub(crate) mod question;

use std::{fmt, sync::Arc};

use rmcp::{
    ErrorData, Peer, RoleServer,
    handler::server::common::{AsRequestContext, FromContextPart},
    model::ProgressNotificationParam,
    service::RequestContext,
};

use crate::{
    activation::AsPeer,
    ask::client::Client,
    background::{News, Running},
    cx::question::{
        ChoiceQuestion, Choosable, FormQuestion, ManyQuestion, Messages, RootsQuestion,
        SampleQuestion, UrlQuestion, choice::by_display,
    },
    elicit::Elicit,
    engine::scope::{idempotency_key, idempotency_key_for},
};

/// The context of a call, for new tools: asks with keys and time limits of the author's choice, what the
/// client can do, progress.
///
/// An extractor of rmcp: a parameter `cx: Cx` of a tool or a prompt is filled by its router. In a
/// handler's own method it is made of the request: `let cx = Cx::from(context);`.
///
/// ```
/// use rmcp::{ErrorData, tool, tool_router};
/// use saga_runtime::{AskError, Cx, Elicit, saga};
/// use serde::Deserialize;
///
/// /// Where to deploy.
/// #[derive(Deserialize, Elicit)]
/// struct Target {
///     /// The environment's name.
///     #[elicit(min_length = 1, default = "staging")]
///     target: String,
/// }
///
/// struct Deployer;
///
/// #[tool_router]
/// impl Deployer {
///     #[saga]
///     #[tool(description = "Deploy")]
///     async fn deploy(&self, cx: Cx) -> Result<String, AskError> {
///         let target = cx.elicit::<Target>("Where to?").key("target").await?;
///         let summary = cx.sample(format!("Announce {}", target.target)).max_tokens(200).await?;
///         Ok(summary.text())
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Cx(Arc<Inner>);

struct Inner {
    request: RequestContext<RoleServer>,
    client: Client,
}

impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("id", &self.0.request.id)
            .field("client", &self.0.client)
            .finish_non_exhaustive()
    }
}

impl From<RequestContext<RoleServer>> for Cx {
    fn from(request: RequestContext<RoleServer>) -> Self {
        let client = Client::of(&request);
        Self(Arc::new(Inner { request, client }))
    }
}

impl<C: AsRequestContext> FromContextPart<C> for Cx {
    fn from_context_part(context: &mut C) -> Result<Self, ErrorData> {
        Ok(context.as_request_context().clone().into())
    }
}

impl AsPeer for Cx {
    fn as_peer(&self) -> Option<&Peer<RoleServer>> {
        Some(&self.0.request.peer)
    }
}

impl Cx {
    /// Asks the user to fill in a form. Awaited, it gives the form, checked against its schema; what
    /// does not fit is asked again, with the reason, up to [`FormQuestion::tries`].
    ///
    /// # Errors
    /// Awaited: [`AskError`](crate::AskError).
    pub fn elicit<T: Elicit>(&self, message: impl Into<String>) -> FormQuestion<T> {
        FormQuestion::new(self.clone(), message.into())
    }

    /// Asks the user to choose one of these. Awaited, it gives the option itself:
    ///
    /// ```
    /// # use saga_runtime::{AskError, Cx, saga};
    /// # async fn copies_of(_: &str) -> Vec<String> { Vec::new() }
    /// #[saga]
    /// async fn lend(cx: Cx, title: String) -> Result<String, AskError> {
    ///     let copies = copies_of(&title).await;
    ///     let copy = cx.choose("Which copy?", copies).await?;
    ///     Ok(format!("{copy} is yours"))
    /// }
    /// ```
    ///
    /// The client gets the texts of the options, and nothing else of them; options that look alike are numbered. If an
    /// answer is not one of them, the question is put again, with the reason, up to [`ChoiceQuestion::tries`]. The options wait
    /// in the token. No options, or more than 256, are [`AskError::Refused`](crate::AskError::Refused) without a question.
    ///
    /// # Errors
    /// Awaited: [`AskError`](crate::AskError).
    pub fn choose<T: Choosable + fmt::Display>(
        &self,
        message: impl Into<String>,
        options: impl IntoIterator<Item = T>,
    ) -> ChoiceQuestion<T> {
        self.choose_by(message, options, by_display)
    }

    /// [`choose`](Self::choose) among what does not show itself: `cx.choose_by("Which copy?", copies, |copy|
    /// format!("on shelf {}", copy.shelf))`.
    ///
    /// # Errors
    /// Awaited: [`AskError`](crate::AskError).
    pub fn choose_by<T: Choosable>(
        &self,
        message: impl Into<String>,
        options: impl IntoIterator<Item = T>,
        shown: impl Fn(&T) -> String,
    ) -> ChoiceQuestion<T> {
        ChoiceQuestion::new(self.clone(), message.into(), options, shown)
    }

    /// Asks the user to choose some of these, or none; awaited, it gives them in the order of the options. See
    /// [`choose`](Self::choose), [`ManyQuestion::at_least`] and [`ManyQuestion::at_most`]. Clients have it from
    /// 2025-11-25.
    ///
    /// # Errors
    /// Awaited: [`AskError`](crate::AskError).
    pub fn choose_many<T: Choosable + fmt::Display>(
        &self,
        message: impl Into<String>,
        options: impl IntoIterator<Item = T>,
    ) -> ManyQuestion<T> {
        self.choose_many_by(message, options, by_display)
    }

    /// [`choose_many`](Self::choose_many) among what does not show itself.
    ///
    /// # Errors
    /// Awaited: [`AskError`](crate::AskError).
    pub fn choose_many_by<T: Choosable>(
        &self,
        message: impl Into<String>,
        options: impl IntoIterator<Item = T>,
        shown: impl Fn(&T) -> String,
    ) -> ManyQuestion<T> {
        ManyQuestion::new(self.clone(), message.into(), options, shown)
    }

    /// Asks the user to visit a URL. `Ok` says that the user was willing to: what came of it, and who was there, your page knows.
    ///
    /// # Errors
    /// Awaited: [`AskError`](crate::AskError).
    pub fn elicit_url(&self, message: impl Into<String>, url: impl Into<String>) -> UrlQuestion {
        UrlQuestion::new(self.clone(), message.into(), url.into())
    }

    /// Asks the client's model. Text is a single message of the user; a conversation is a list of
    /// messages.
    ///
    /// # Errors
    /// Awaited: [`AskError`](crate::AskError).
    pub fn sample(&self, messages: impl Into<Messages>) -> SampleQuestion {
        SampleQuestion::new(self.clone(), messages.into())
    }

    /// Asks the client for its roots.
    ///
    /// # Errors
    /// Awaited: [`AskError`](crate::AskError).
    pub fn roots(&self) -> RootsQuestion {
        RootsQuestion::new(self.clone())
    }

    /// What the client can do, as this request says it.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// Tells the client how far the call is, where it wants to know; `done` must grow from one
    /// notification to the next. What cannot be sent is dropped: progress is no part of the result.
    pub async fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Some(running) = self.0.request.extensions.get::<Running>() {
            return running.tell(News::Progress(done, total, message.into()));
        }
        let Some(token) = self.0.request.meta.get_progress_token() else {
            return;
        };
        let mut params = ProgressNotificationParam::new(token, done);
        params.total = total;
        params.message = Some(message.into()).filter(|message| !message.is_empty());
        if let Err(error) = self.0.request.peer.notify_progress(params).await {
            tracing::debug!(%error, "progress was not sent");
        }
    }

    /// See [`idempotency_key`](crate::idempotency_key).
    pub fn idempotency_key(&self) -> Option<String> {
        idempotency_key()
    }

    /// See [`idempotency_key_for`](crate::idempotency_key_for): for one of several effects between the same two asks.
    ///
    /// ```
    /// # use saga_runtime::{AskError, Cx, Elicit, saga};
    /// # #[derive(serde::Deserialize, Elicit)]
    /// # struct Consent { agreed: bool }
    /// # struct Bank;
    /// # impl Bank {
    /// #     async fn charge(&self, cents: u32, key: Option<String>) {}
    /// #     async fn receipt(&self, cents: u32, key: Option<String>) {}
    /// # }
    /// #[saga]
    /// async fn pay(bank: &Bank, cx: Cx, cents: u32) -> Result<(), AskError> {
    ///     if cx.elicit::<Consent>("Do you agree to the fee?").await?.agreed {
    ///         bank.charge(cents, cx.idempotency_key_for("charge")).await;
    ///         bank.receipt(cents, cx.idempotency_key_for("receipt")).await;
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn idempotency_key_for(&self, effect: &str) -> Option<String> {
        idempotency_key_for(effect)
    }

    /// Ready when the client cancels the request.
    pub async fn cancelled(&self) {
        self.0.request.ct.cancelled().await;
    }

    /// Whether the client has cancelled the request, or the task.
    pub fn is_cancelled(&self) -> bool {
        self.0.request.ct.is_cancelled()
    }

    /// The client's handle, for what rmcp offers.
    pub fn peer(&self) -> &Peer<RoleServer> {
        &self.0.request.peer
    }

    /// The request, with what the transport put in its extensions.
    pub fn request(&self) -> &RequestContext<RoleServer> {
        &self.0.request
    }
}

//! A router that was built once, for a handler that builds its own for each call.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::{router::tool::ToolRouter, tool::ToolCallContext},
    model::{CallToolRequestParams, CallToolResponse, Tool},
    service::RequestContext,
};

type Called<'a> = Pin<Box<dyn Future<Output = Result<CallToolResponse, ErrorData>> + Send + 'a>>;
type Call<H> = dyn for<'a> Fn(&'a H, CallToolRequestParams, RequestContext<RoleServer>) -> Called<'a>
    + Send
    + Sync;

type Get = dyn Fn(&str) -> Option<Tool> + Send + Sync;

/// The tools of a handler.
pub(crate) struct Routes<H> {
    call: Arc<Call<H>>,
    get: Arc<Get>,
}

impl<H> Clone for Routes<H> {
    fn clone(&self) -> Self {
        Self {
            call: Arc::clone(&self.call),
            get: Arc::clone(&self.get),
        }
    }
}

impl<H> fmt::Debug for Routes<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routes").finish_non_exhaustive()
    }
}

impl<H: ServerHandler> Routes<H> {
    pub(crate) fn of(router: ToolRouter<H>) -> Self {
        let router = Arc::new(router);
        let tools = Arc::clone(&router);
        Self {
            call: Arc::new(move |handler, params, context| {
                let router = Arc::clone(&router);
                let context = ToolCallContext::new(handler, params, context);
                Box::pin(async move { router.call(context).await })
            }),
            get: Arc::new(move |name| tools.get(name).cloned()),
        }
    }

    /// The same where the handler is shared.
    pub(super) fn shared(self) -> Routes<Arc<H>> {
        let call = self.call;
        Routes {
            call: Arc::new(move |handler: &Arc<H>, params, context| call(handler, params, context)),
            get: self.get,
        }
    }

    pub(super) fn call<'a>(
        &self,
        handler: &'a H,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Called<'a> {
        (self.call)(handler, params, context)
    }

    pub(super) fn get(&self, name: &str) -> Option<Tool> {
        (self.get)(name)
    }
}

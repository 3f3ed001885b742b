//! A context whose peer nobody answers: the engine does not ask it.

use std::cell::OnceCell;

use rmcp::{
    RoleServer, ServerHandler,
    model::NumberOrString,
    service::{RequestContext, RunningService, serve_directly},
};
use saga_runtime::Cx;

struct Nothing;
impl ServerHandler for Nothing {}

thread_local! {
    static PEER: OnceCell<(tokio::runtime::Runtime, RunningService<RoleServer, Nothing>, Cx, tokio::io::DuplexStream)> = const { OnceCell::new() };
}

/// The context.
pub fn cx() -> Cx {
    PEER.with(|peer| {
        let made = peer.get_or_init(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let service = runtime.block_on(async {
                let (near, far) = tokio::io::duplex(64);
                (serve_directly(Nothing, near, None), far)
            });
            let (service, far) = service;
            let context = RequestContext::new(NumberOrString::Number(1), service.peer().clone());
            (runtime, service, Cx::from(context), far)
        });
        made.2.clone()
    })
}

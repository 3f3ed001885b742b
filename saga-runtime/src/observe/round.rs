//! The span of a round, in the names of OpenTelemetry's conventions for MCP where those have one.

use std::time::Instant;

use rmcp::model::RequestId;
use tracing::field::Empty;

use super::Teller;
use crate::{ask::client::Client, identity::CallId};

/// The span of one request of a call.
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) span: tracing::Span,
    #[cfg_attr(not(feature = "metrics"), allow(dead_code))]
    begun: Instant,
}

impl Span {
    /// The span of the request `request`.
    pub(crate) fn begin(teller: &Teller, request: &RequestId, client: &Client) -> Self {
        let method = teller.method;
        let span = tracing::info_span!(
            "saga.round",
            otel.name = Empty,
            otel.kind = "server",
            mcp.method.name = method,
            gen_ai.tool.name = Empty,
            gen_ai.prompt.name = Empty,
            jsonrpc.request.id = %request,
            mcp.protocol.version = client.version().map(rmcp::model::ProtocolVersion::as_str),
            error.type = Empty,
            saga.wire = teller.wire.as_str(),
            saga.call = Empty,
            saga.leg = Empty,
            saga.function = Empty,
            saga.point = Empty,
            saga.keys = Empty,
            saga.token_bytes = Empty,
            saga.outcome = Empty,
        );
        if !span.is_disabled() {
            let name = &*teller.name;
            match method {
                "tools/call" => {
                    span.record("gen_ai.tool.name", name);
                    span.record("otel.name", format!("{method} {name}"));
                }
                "prompts/get" => {
                    span.record("gen_ai.prompt.name", name);
                    span.record("otel.name", format!("{method} {name}"));
                }
                _ => {
                    span.record("otel.name", method);
                }
            }
        }
        Self {
            span,
            begun: Instant::now(),
        }
    }

    /// Which call it is.
    pub(crate) fn is(&self, call: Option<CallId>) {
        if !self.span.is_disabled() {
            let call = call.map(|id| id.to_string());
            self.span.record("saga.call", call);
        }
    }

    /// Where it stops to ask.
    pub(crate) fn asks(
        &self,
        at: Option<(&'static str, u32)>,
        keys: &[String],
        token_bytes: usize,
    ) {
        if !self.span.is_disabled() {
            let (function, point) = at.unzip();
            self.span.record("saga.function", function);
            self.span.record("saga.point", point);
            self.span.record("saga.keys", keys.join(" "));
            self.span.record("saga.token_bytes", token_bytes);
        }
    }

    /// How it ended: at which leg, with the name of an outcome, and of an error where it is one.
    pub(crate) fn end(
        &self,
        teller: &Teller,
        leg: u32,
        outcome: &'static str,
        error: Option<&str>,
    ) {
        self.span.record("saga.leg", leg);
        self.span.record("saga.outcome", outcome);
        self.span.record("error.type", error);
        #[cfg(feature = "metrics")]
        teller.took(self.begun.elapsed().as_secs_f64(), error);
        #[cfg(not(feature = "metrics"))]
        let _ = teller;
    }
}

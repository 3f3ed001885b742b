//! The header that the saga methods have over HTTP.

use std::{collections::HashMap, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_core::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest},
    transport::streamable_http_client::{
        SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use sse_stream::Sse;

use super::Tool;

type Headers = HashMap<HeaderName, HeaderValue>;

/// An HTTP client that names the tool in `Mcp-Name`, as servers ask of the saga methods since 2026-07-28; rmcp's own
/// names those of the methods that it knows.
///
/// ```
/// # fn transport(client: impl rmcp::transport::streamable_http_client::StreamableHttpClient + Sync) {
/// use rmcp::transport::{
///     StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
/// };
/// use saga_runtime::client::SagaHttp;
///
/// let config = StreamableHttpClientTransportConfig::with_uri("http://127.0.0.1:8001/mcp");
/// let transport = StreamableHttpClientTransport::with_client(SagaHttp(client), config);
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SagaHttp<C>(
    /// The client that sends.
    pub C,
);

impl<C: StreamableHttpClient + Sync> StreamableHttpClient for SagaHttp<C> {
    type Error = C::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<C::Error>> {
        let headers = named(&message, headers);
        let posted = self.0.post_message(uri, message, session, auth, headers);
        posted.await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        max: usize,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<C::Error>> {
        let headers = named(&message, headers);
        let posted = self
            .0
            .post_message_with_max_sse_event_size(uri, message, session, auth, headers, max);
        posted.await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<(), StreamableHttpError<C::Error>> {
        self.0.delete_session(uri, session, auth, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableHttpError<C::Error>> {
        self.0.get_stream(uri, session, last, auth, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
        max: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableHttpError<C::Error>> {
        let stream = self
            .0
            .get_stream_with_max_sse_event_size(uri, session, last, auth, headers, max);
        stream.await
    }
}

fn named(message: &ClientJsonRpcMessage, mut headers: Headers) -> Headers {
    let ClientJsonRpcMessage::Request(request) = message else {
        return headers;
    };
    let ClientRequest::CustomRequest(request) = &request.request else {
        return headers;
    };
    let tool = request.extensions.get::<Tool>();
    if let Some(name) = tool.and_then(|tool| encoded(&tool.0)) {
        headers.insert(HeaderName::from_static("mcp-name"), name);
    }
    headers
}

/// A header's value, in Base64 where it could not be sent as it is (SEP-2243).
fn encoded(name: &str) -> Option<HeaderValue> {
    let visible = name.bytes().all(|byte| (0x21..0x7f).contains(&byte)) && !name.is_empty();
    let value = match visible && !name.starts_with("=?") {
        true => HeaderValue::from_str(name),
        false => HeaderValue::from_str(&format!("=?base64?{}?=", STANDARD.encode(name))),
    };
    value.ok()
}

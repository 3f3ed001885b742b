//! How a process reaches Restate.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use restate_sdk::ingress::{Client, ClientError, RequestExecutor};
use saga_tasks::StoreError;

/// How long an answer is waited for. Shorter than a lease: who holds one hears in time that it cannot be renewed.
pub(crate) const ANSWER: Duration = Duration::from_secs(10);
const CONNECTION: Duration = Duration::from_secs(2);

/// The connections of a process to Restate.
#[derive(Debug, Clone)]
pub(crate) struct Http(reqwest::Client);

/// The client of an ingress.
pub(crate) type Ingress = Client<Http>;

impl Http {
    pub(crate) fn new() -> Result<Self, StoreError> {
        let client = reqwest::Client::builder()
            .timeout(ANSWER)
            .connect_timeout(CONNECTION)
            .build();
        Ok(Self(client.map_err(failed)?))
    }

    /// Tells Restate where the handlers are.
    pub(crate) async fn register(&self, admin: &str, endpoint: &str) -> Result<(), StoreError> {
        let url = format!("{}/deployments", admin.trim_end_matches('/'));
        let body = serde_json::json!({ "uri": endpoint }).to_string();
        let request = self.0.post(url).body(body);
        let request = request.header(http::header::CONTENT_TYPE, "application/json");
        let response = request.send().await.map_err(failed)?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let why = response.text().await.unwrap_or_default();
        Err(StoreError::new(format!("Restate: {status}: {why}")))
    }
}

impl RequestExecutor for Http {
    type Error = reqwest::Error;

    async fn execute(&self, request: Request<Bytes>) -> Result<Response<Bytes>, reqwest::Error> {
        let response = self.0.execute(request.try_into()?).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut answer = Response::new(response.bytes().await?);
        (*answer.status_mut(), *answer.headers_mut()) = (status, headers);
        Ok(answer)
    }
}

/// An error of the connection, with what caused it.
fn failed(error: reqwest::Error) -> StoreError {
    let mut text = format!("Restate: {error}");
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    StoreError::new(text)
}

/// An error of a call: with what Restate says about it, where it says something.
pub(crate) fn refused(error: ClientError) -> StoreError {
    let said = error.response().map(|response| {
        let said = String::from_utf8_lossy(response.body());
        said.chars().take(500).collect::<String>()
    });
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    let more = said.or(cause).unwrap_or_default();
    StoreError::new(format!("Restate: {error}: {more}"))
}

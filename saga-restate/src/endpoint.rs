//! Where Restate reaches the handlers.

use std::{sync::Arc, time::Duration};

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use restate_sdk::{
    endpoint::{Endpoint, ServiceOptions},
    hyper::HyperEndpoint,
    service::{IntoServiceDefinition, ServiceDefinition},
};
use saga_tasks::StoreError;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinSet,
};

use crate::objects::{call::SagaCall, owner::SagaOwner, queue::SagaQueue, task::SagaTask};

/// How often a connection is asked whether it is still one.
const ALIVE: Duration = Duration::from_secs(30);
/// How long nothing is accepted where nothing can be: there are too many connections.
const PAUSE: Duration = Duration::from_millis(100);

/// The handlers, for requests that these keys sign; for all, where there are none.
pub(crate) fn handlers(keys: &[String], put: Arc<Notify>) -> Result<HyperEndpoint, StoreError> {
    let mut endpoint = Endpoint::builder()
        .bind(lasting(SagaTask))
        .bind(lasting(SagaCall))
        .bind(lasting(SagaOwner))
        .bind(lasting(SagaQueue { put }));
    for key in keys {
        let with_key = endpoint.identity_key(key);
        endpoint = with_key.map_err(|error| StoreError::new(error.to_string()))?;
    }
    Ok(HyperEndpoint::new(endpoint.build()))
}

/// An object of which Restate keeps nothing that is over, and goes on with what is not until it is.
fn lasting(object: impl IntoServiceDefinition) -> ServiceDefinition {
    let options = ServiceOptions::new()
        .idempotency_retention(Duration::ZERO)
        .journal_retention(Duration::ZERO)
        .retry_policy_initial_interval(Duration::from_millis(50))
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(Duration::from_secs(2))
        .retry_policy_max_attempts(1_000_000_000)
        .retry_policy_pause_on_max_attempts();
    object.into_service_definition().options(options)
}

/// Serves them; the connections end with the future.
pub(crate) async fn serve(listener: TcpListener, handlers: HyperEndpoint) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, handlers.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection of Restate");
                    tokio::time::sleep(PAUSE).await;
                }
            },
        }
    }
}

async fn connection(stream: TcpStream, handlers: HyperEndpoint) {
    // The SDK's own server leaves Nagle's algorithm on: with it, a step takes 40 ms.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection of Restate");
    }
    let served = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(ALIVE)
        .serve_connection(TokioIo::new(stream), handlers);
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection of Restate");
    }
}

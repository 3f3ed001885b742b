//! What the operator sees: an audit log, spans, and metrics for Prometheus.

use std::io::{self, Write};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use saga_runtime::{Event, Observer, Record};
use tokio::net::TcpListener;

/// Writes a line for each question, answer, refusal and end of a call to standard error.
pub(crate) struct Audit;

impl Observer for Audit {
    fn observe(&self, record: &Record<'_>) {
        let call = record
            .call
            .map_or_else(String::new, |call| call.to_string());
        let told = match &record.event {
            Event::Asked { keys, .. } => format!("asked {}", keys.join(", ")),
            Event::Answered { keys, waited } => {
                format!("answered {} after {} s", keys.join(", "), waited.as_secs())
            }
            Event::Refused { error } | Event::Failed { error } => {
                format!("{}: {}", record.event.as_str(), error.as_str())
            }
            other => other.as_str().to_owned(),
        };
        let line = format!(
            "audit: {} {} [{call} leg {} {}] {told}",
            record.method, record.name, record.leg, record.wire
        );
        // An audit log that must not have a gap would end the process here.
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Serves the metrics at `/metrics` of this loopback port, for Prometheus to fetch.
pub(crate) async fn metrics(port: u16) -> io::Result<()> {
    let recorder = PrometheusBuilder::new().install_recorder();
    let handle: PrometheusHandle = recorder.map_err(io::Error::other)?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    writeln!(
        io::stderr(),
        "metrics on http://{}/metrics",
        listener.local_addr()?
    )?;
    let render = move || std::future::ready(handle.render());
    let router = axum::Router::new().route("/metrics", axum::routing::get(render));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(())
}

//! Standard input and output.

use std::{future::Future, io, pin::Pin, time::Duration};

use rmcp::{ServerHandler, ServiceExt};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, duplex,
};

use super::reading::{move_resume_token, spoil_null_state};
use crate::{
    server::{SagaServer, Servable},
    token::settings::Settings,
};

/// How long legs of tasks have to end once the client is gone: clients kill a process that does not end soon.
const GRACE: Duration = Duration::from_secs(2);
/// How much of the input is read ahead, in bytes.
const AHEAD: usize = 64 * 1024;

/// Serves `handler` on standard input and output, until its client is gone. Legs of tasks have two seconds to end then.
///
/// Standard output is the protocol's: nothing else may write to it.
///
/// # Errors
/// Where the connection fails.
// A future that does not name `H`: what is no server is told of once, and not at each use of the future as well.
pub fn stdio<H: Servable>(
    handler: H,
    settings: Settings,
) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send>> {
    Box::pin(async move { stdio_of(SagaServer::new(handler).with_settings(settings)).await })
}

/// The same for a server that has more than settings: [`SagaServer::with_tasks`].
///
/// # Errors
/// Where the connection fails.
pub async fn stdio_of<H: ServerHandler>(server: SagaServer<H>) -> io::Result<()> {
    let (input, output) = rmcp::transport::io::stdio_pipes();
    serve(server, input, output).await
}

async fn serve<H: ServerHandler>(
    server: SagaServer<H>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    let (near, far) = duplex(AHEAD);
    let reading = tokio::spawn(read(input, near));
    let host = server.host();
    let service = server.extended().serve((far, output)).await;
    let service = service.map_err(io::Error::other)?;
    service.waiting().await.map_err(io::Error::other)?;
    reading.abort();
    if let Some(host) = host {
        host.stop(GRACE).await;
    }
    Ok(())
}

/// Hands on line by line.
async fn read(input: impl AsyncRead + Unpin, mut to: DuplexStream) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).await? > 0 {
        spoil_null_state(&mut line);
        move_resume_token(&mut line);
        to.write_all(&line).await?;
        line.clear();
    }
    Ok(())
}

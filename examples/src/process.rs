//! Server processes: the program itself, started again.

use std::{process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::Result;

/// A server process that has said where it listens.
///
/// It ends with this value. Where the program that started it dies without dropping anything, the
/// server's standard input is closed, for which it waits with [`orphaned`].
#[derive(Debug)]
pub struct Process {
    /// Where it listens.
    pub url: String,
    /// Its number in the system.
    pub id: u32,
    child: Child,
}

impl Process {
    /// Starts `command`, and waits for its line `listening on URL`.
    ///
    /// # Errors
    /// Where it cannot be started, or says something else.
    pub async fn start(mut command: Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot start a server: {error}"))?;
        let stdout = child
            .stdout
            .take()
            .ok_or("the server has no standard output")?;
        let line = BufReader::new(stdout)
            .lines()
            .next_line()
            .await?
            .unwrap_or_default();
        let Some(url) = line.strip_prefix("listening on ") else {
            return Err(format!("the server did not say where it listens: {line:?}").into());
        };
        Ok(Self {
            url: url.to_owned(),
            id: child.id().ok_or("the server is gone already")?,
            child,
        })
    }

    /// Asks the process to end and waits so long for it. Then, or with no time at once, it is killed,
    /// with no chance to save anything.
    ///
    /// # Errors
    /// Where the system does not let it be killed.
    pub async fn end(mut self, grace: Duration) -> Result<()> {
        // Waiting closes its standard input.
        if !grace.is_zero() && timeout(grace, self.child.wait()).await.is_ok() {
            return Ok(());
        }
        Ok(self.child.kill().await?)
    }
}

/// Ready when the program that started this one closes the standard input, be it by its death.
pub async fn orphaned() {
    let mut ignored = Vec::new();
    // An input that cannot be read is a closed one.
    let _ = tokio::io::stdin().read_to_end(&mut ignored).await;
}

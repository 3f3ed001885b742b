//! The replicas of the server.

use std::{ffi::OsString, time::Duration};

use saga_runtime::KEY_LEN;
use tokio::{
    process::Command,
    time::{sleep, timeout},
};

use crate::Result;
use examples::Process;

const STARTING: Duration = Duration::from_secs(10);
const STOPPING: Duration = Duration::from_secs(5);
const ATTEMPTS: usize = 5;

/// A place in the fleet, with or without a process at its port.
pub(crate) struct Replica {
    /// What its processes are started with.
    pub(crate) arguments: Vec<OsString>,
    process: Option<Process>,
    /// What the next process at this place gets as `SAGA_KEYS`.
    pub(crate) keys: String,
}

impl Replica {
    pub(crate) fn new(arguments: Vec<OsString>, keys: String) -> Self {
        Self {
            arguments,
            process: None,
            keys,
        }
    }

    /// Starts its process. After a kill the system may need a moment to give the port back.
    pub(crate) async fn start(&mut self) -> Result<()> {
        let mut attempt = 1;
        loop {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(&self.arguments).env("SAGA_KEYS", &self.keys);
            match timeout(STARTING, Process::start(command)).await? {
                Ok(process) => {
                    self.process = Some(process);
                    return Ok(());
                }
                Err(error) if attempt == ATTEMPTS => return Err(error),
                Err(_) => attempt += 1,
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Ends its process as `kill -9` does.
    pub(crate) async fn kill(&mut self) -> Result<()> {
        match self.process.take() {
            Some(process) => process.end(Duration::ZERO).await,
            None => Ok(()),
        }
    }

    /// Ends its process as a deployment does: requests that it works on are answered.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        match self.process.take() {
            Some(process) => process.end(STOPPING).await,
            None => Ok(()),
        }
    }
}

/// Keys from the seed, so that a run can be repeated.
pub(crate) fn random_key(random: &mut fastrand::Rng, id: &str) -> String {
    let digits = std::iter::repeat_with(|| random.u8(..)).take(KEY_LEN);
    let digits: String = digits.map(|byte| format!("{byte:02x}")).collect();
    format!("{id}:{digits}")
}

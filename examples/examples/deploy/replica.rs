//! Server processes: this program, started again with `serve`.

use std::{collections::VecDeque, path::PathBuf, process::Stdio};

use aws_lc_rs::rand;
use examples::{Transport, deployment::Deployer};
use saga_runtime::{KEY_LEN, Settings};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, Command},
};

use crate::{Result, transcript};

/// Serves until the program that started this one closes the standard input, be it by its death.
pub(crate) async fn serve(build_log: PathBuf) -> Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .init();
    let deployer = Deployer {
        build_log: Some(build_log),
    };
    let orphaned = async {
        let mut ignored = Vec::new();
        // An input that cannot be read is a closed one.
        let _ = tokio::io::stdin().read_to_end(&mut ignored).await;
    };
    let transport = Transport::Http {
        port: 0,
        json: true,
    };
    let settings = Settings::from_env()?;
    Ok(examples::serve(move || deployer.clone(), settings, transport, orphaned).await?)
}

/// One server process.
pub(crate) struct Replica {
    pub(crate) name: String,
    pub(crate) url: String,
    child: Child,
}

impl Replica {
    async fn start(number: usize, keys: &str, build_log: &PathBuf) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(build_log)
            .env("SAGA_KEYS", keys)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot start server {number}: {error}"))?;
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
            return Err(format!("server {number} did not say where it listens: {line:?}").into());
        };
        let process = child.id().ok_or("the server is gone already")?;
        Ok(Self {
            name: format!("server {number} (process {process})"),
            url: url.to_owned(),
            child,
        })
    }

    /// Ends the process at once, with no chance to save anything.
    async fn kill(mut self, occasion: &str) -> Result<()> {
        self.child.kill().await?;
        transcript::note(&format!("{} is killed {occasion}", self.name))
    }
}

/// The running replicas; the first of them is called, the others stand by.
pub(crate) struct Replicas {
    running: VecDeque<Replica>,
    started: usize,
    keys: String,
    build_log: PathBuf,
}

impl Replicas {
    pub(crate) fn new(build_log: PathBuf) -> Result<Self> {
        Ok(Self {
            running: VecDeque::new(),
            started: 0,
            keys: format!("demo:{}", random_hex::<KEY_LEN>()?),
            build_log,
        })
    }

    /// Starts replicas until so many are running.
    pub(crate) async fn start(&mut self, count: usize) -> Result<()> {
        while self.running.len() < count {
            self.started += 1;
            let replica = Replica::start(self.started, &self.keys, &self.build_log).await?;
            transcript::note(&format!("{} is started: {}", replica.name, replica.url))?;
            self.running.push_back(replica);
        }
        Ok(())
    }

    pub(crate) fn first(&self) -> Result<&Replica> {
        self.running
            .front()
            .ok_or_else(|| "no server is running".into())
    }

    /// Kills the first replica once another one stands by.
    pub(crate) async fn fail_over(&mut self, occasion: &str) -> Result<()> {
        self.start(2).await?;
        match self.running.pop_front() {
            Some(first) => first.kill(occasion).await,
            None => Ok(()),
        }
    }
}

pub(crate) fn random_hex<const BYTES: usize>() -> Result<String> {
    let mut bytes = [0; BYTES];
    rand::fill(&mut bytes).map_err(|_| "the system's random number generator failed")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

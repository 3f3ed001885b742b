//! A Restate of a test's own: on free ports of this machine, in a temporary folder, to be killed.

use std::{
    net::{Ipv4Addr, TcpListener},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use saga_restate::RestateStore;
use tempfile::TempDir;

/// How long anything may take before a test fails instead of waiting on.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// Waits until it is there.
pub(crate) async fn until<T>(what: &str, mut is: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = is().await {
            return found;
        }
        assert!(begun.elapsed() < LIMIT, "never: {what}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

pub(crate) struct Restate {
    folder: TempDir,
    ingress: u16,
    admin: u16,
    node: u16,
    server: Option<Child>,
}

impl Restate {
    pub(crate) fn start() -> Self {
        let mut restate = Self {
            folder: tempfile::tempdir().unwrap(),
            ingress: free_port(),
            admin: free_port(),
            node: free_port(),
            server: None,
        };
        restate.resume();
        restate
    }

    /// Starts it where it was killed.
    pub(crate) fn resume(&mut self) {
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.path().join("server.log"));
        let local = |port: u16| format!("127.0.0.1:{port}");
        let server = Command::new(std::env::var("SAGA_TEST_RESTATE").unwrap())
            .args(["--no-logo", "--listen-mode", "tcp", "--node-name", "test"])
            .args([
                "--default-num-partitions",
                "4",
                "--bind-address",
                &local(self.node),
            ])
            .args([
                "--advertised-address",
                &format!("http://{}/", local(self.node)),
            ])
            .arg("--base-dir")
            .arg(self.folder.path().join("data"))
            .env("RESTATE_DISABLE_TELEMETRY", "true")
            .env("RESTATE_INGRESS__BIND_ADDRESS", local(self.ingress))
            .env("RESTATE_ADMIN__BIND_ADDRESS", local(self.admin))
            .env("RESTATE_ADMIN__DISABLE_WEB_UI", "true")
            .stdout(log.unwrap())
            .stderr(Stdio::null())
            .stdin(Stdio::null())
            .spawn();
        let server = server.unwrap();
        // For `.ci/restate`, where the test itself is killed.
        let pid = self.folder.path().join("pid");
        std::fs::write(pid, server.id().to_string()).unwrap();
        self.server = Some(server);
    }

    /// As `kill -9`.
    pub(crate) fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }

    pub(crate) fn ingress(&self) -> String {
        format!("http://127.0.0.1:{}", self.ingress)
    }

    pub(crate) fn admin(&self) -> String {
        format!("http://127.0.0.1:{}", self.admin)
    }

    pub(crate) fn store(&self) -> RestateStore {
        RestateStore::connect(&self.ingress()).unwrap()
    }

    /// Registers an endpoint, as soon as the server is there.
    pub(crate) async fn register(&self, endpoint: u16) {
        let (admin, store) = (self.admin(), self.store());
        let endpoint = format!("http://127.0.0.1:{endpoint}");
        let registered = async || store.register(&admin, &endpoint).await.ok();
        until("registered", registered).await;
    }
}

impl Drop for Restate {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.folder.path().join("server.log"));
            eprintln!("{}", log.unwrap_or_default());
        }
    }
}

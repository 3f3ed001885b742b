//! A process of the service: a child, that can be killed. And what finds those that are alive.

use std::{
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex},
};

use saga_restate::RestateStore;
use tokio::{
    io::{AsyncReadExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    process::{Child, Command},
};

use crate::{
    server::{Restate, until},
    studio::server,
};

const INGRESS: &str = "SAGA_TEST_INGRESS";
const FOLDER: &str = "SAGA_TEST_FOLDER";

/// Not a test: what a child runs. It serves the handlers, works, and ends with who started it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a part of other tests"]
async fn child() {
    let (Ok(ingress), Ok(folder)) = (std::env::var(INGRESS), std::env::var(FOLDER)) else {
        return;
    };
    let folder = Path::new(&folder);
    let store = RestateStore::connect(&ingress).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let handlers = store.clone();
    tokio::spawn(async move { handlers.serve(listener).await });
    let _server = server(folder, store, 16);
    // Whoever reads it reads all of it.
    let (id, written) = (std::process::id(), folder.join("port"));
    std::fs::write(&written, port).unwrap();
    std::fs::rename(written, folder.join(format!("port of {id}"))).unwrap();
    let mut nothing = [0];
    let _ = tokio::io::stdin().read(&mut nothing).await;
}

/// Passes connections on to the first process that takes them, as a balancer does.
#[derive(Default, Clone)]
pub(crate) struct Balancer(Arc<Mutex<Vec<u16>>>);

impl Balancer {
    pub(crate) async fn listen(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let balancer = self.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let ports = balancer.0.lock().unwrap().clone();
                tokio::spawn(async move {
                    for port in ports {
                        if let Ok(mut far) = TcpStream::connect(("127.0.0.1", port)).await {
                            let _ = copy_bidirectional(&mut near, &mut far).await;
                            return;
                        }
                    }
                });
            }
        });
        port
    }
}

pub(crate) struct Process {
    child: Child,
    pub(crate) id: u32,
}

impl Process {
    pub(crate) async fn start(restate: &Restate, folder: &Path, balancer: &Balancer) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "process::child",
                "--include-ignored",
                "--nocapture",
            ])
            .env(INGRESS, restate.ingress())
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let id = child.id().unwrap();
        let written = folder.join(format!("port of {id}"));
        let port = async || std::fs::read_to_string(&written).ok();
        let port = until("a process that serves", port).await;
        balancer.0.lock().unwrap().push(port.parse().unwrap());
        Self { child, id }
    }

    /// As `kill -9`.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}

//! What spreads the requests over the replicas, whichever of them are up.

use std::{
    ffi::OsString,
    fmt::Write as _,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Stdio,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use clap::ValueEnum;
use tokio::{
    net::TcpStream,
    process::{Child, Command},
    time::{sleep, timeout},
};

use crate::{Result, ports};
use examples::orphaned;

const STARTING: Duration = Duration::from_secs(10);
const STOPPING: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// HAProxy
    Haproxy,
    /// nginx
    Nginx,
    /// None: the clients take one replica after the other
    None,
}

/// A running balancer.
pub(crate) struct Balancer {
    urls: Vec<String>,
    turn: AtomicUsize,
    process: Option<Child>,
}

impl Balancer {
    pub(crate) async fn start(kind: Kind, replicas: &[u16], directory: &Path) -> Result<Self> {
        let port = ports::free(1)?.into_iter().next().ok_or("no free port")?;
        let (program, arguments) = match kind {
            Kind::Haproxy => haproxy(port, replicas, directory)?,
            Kind::Nginx => nginx(port, replicas, directory)?,
            Kind::None => {
                return Ok(Self {
                    urls: replicas.iter().copied().map(url).collect(),
                    turn: AtomicUsize::new(0),
                    process: None,
                });
            }
        };
        let process = Command::new(std::env::current_exe()?)
            .arg("guard")
            .arg(found(program)?)
            .args(arguments)
            .stdin(Stdio::piped())
            .spawn()?;
        let mut balancer = Self {
            urls: vec![url(port)],
            turn: AtomicUsize::new(0),
            process: Some(process),
        };
        let listening = timeout(STARTING, balancer.listening(port)).await;
        listening.map_err(|_| format!("{program} does not listen"))??;
        Ok(balancer)
    }

    async fn listening(&mut self, port: u16) -> Result<()> {
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .await
            .is_err()
        {
            let ended = self.process.as_mut().map(Child::try_wait).transpose()?;
            if let Some(status) = ended.flatten() {
                return Err(format!("the balancer ended: {status}").into());
            }
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Where the next request goes.
    pub(crate) fn url(&self) -> Result<&str> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let url = self.urls.get(turn % self.urls.len().max(1));
        Ok(url.ok_or("there are no replicas")?)
    }

    /// Waits until the balancer is gone, too.
    pub(crate) async fn stop(self) -> Result<()> {
        if let Some(mut process) = self.process {
            timeout(STOPPING, process.wait()).await??;
        }
        Ok(())
    }
}

/// Runs a program that would not notice the death of the one that started it, and ends it then.
pub(crate) async fn guard(program: &Path, arguments: &[OsString]) -> Result<()> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    tokio::select! {
        status = child.wait() => Err(format!("{} ended: {}", program.display(), status?).into()),
        () = orphaned() => Ok(child.kill().await?),
    }
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/mcp")
}

/// Servers are often installed where only the administrator's path leads.
fn found(program: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut directories: Vec<_> = std::env::split_paths(&path).collect();
    directories.extend(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let mut files = directories.into_iter().map(|place| place.join(program));
    let file = files.find(|file| file.is_file());
    Ok(file.ok_or_else(|| format!("{program} is not installed; --balancer none needs none"))?)
}

/// Repeats a request only where no replica can have seen it: where the connection was refused.
fn haproxy(port: u16, replicas: &[u16], directory: &Path) -> Result<(&'static str, Vec<OsString>)> {
    let mut config = format!(
        "defaults
    mode http
    timeout connect 1s
    timeout client 60s
    timeout server 60s
    retries 3
    option redispatch 1
    retry-on conn-failure

listen replicas
    bind 127.0.0.1:{port}
    balance roundrobin
    default-server check inter 100ms fall 1 rise 1
"
    );
    for (number, replica) in replicas.iter().enumerate() {
        writeln!(config, "    server r{number} 127.0.0.1:{replica}")?;
    }
    let file = directory.join("haproxy.cfg");
    std::fs::write(&file, config)?;
    let arguments = ["-db", "-q", "-f"].map(OsString::from);
    let arguments = arguments.into_iter().chain([file.into()]).collect();
    Ok(("haproxy", arguments))
}

/// As with HAProxy: a POST that a replica has seen is not sent to another.
fn nginx(port: u16, replicas: &[u16], directory: &Path) -> Result<(&'static str, Vec<OsString>)> {
    let mut servers = String::new();
    for replica in replicas {
        writeln!(servers, "        server 127.0.0.1:{replica} max_fails=0;")?;
    }
    let config = format!(
        "daemon off;
master_process off;
pid nginx.pid;
error_log nginx.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    upstream replicas {{
{servers}    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://replicas;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Connection \"\";
            proxy_connect_timeout 1s;
            proxy_next_upstream error timeout;
        }}
    }}
}}
"
    );
    let file = directory.join("nginx.conf");
    std::fs::write(&file, config)?;
    let log = directory.join("nginx.log");
    let arguments = [
        "-p".into(),
        directory.into(),
        "-e".into(),
        log.into(),
        "-c".into(),
        file.into(),
    ];
    Ok(("nginx", arguments.into()))
}

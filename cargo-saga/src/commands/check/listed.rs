//! What a server lists, asked of the server itself: schemas are made by code, and what is wrong with one shows when it runs.

use std::{
    ffi::OsString,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    time::{Duration, Instant},
};

use saga_runtime::{__private::CHECKED, testing};
use serde_json::{Value, json};

use super::named;
use crate::{
    error::Error,
    graph::Graph,
    report::{Finding, Severity},
};

/// More pages than any list has.
const ENDLESS: usize = 1_000;
/// No message is longer: what is belongs to a program that is no server.
const LONGEST: usize = 64 << 20;
/// How many messages wait to be looked at; who says more waits, too.
const WAITING: usize = 16;
/// Only so that a program that is no server ends the check instead of holding it.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it is waited for what a server has said before it ended: another program may hold its output open.
const LINGERS: Duration = Duration::from_millis(500);
/// How often it is looked whether a server has ended while it is waited for.
const GLANCE: Duration = Duration::from_millis(50);
/// How often it is looked whether a server has ended by itself.
const GRACE: u32 = 40;
/// JSON-RPC's code for a method that the server does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// Starts the server and looks at what it lists.
pub(super) fn find(command: &[OsString], graph: &Graph<'_>) -> Result<Vec<Finding>, Error> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(Vec::new());
    };
    let mut server = Server::start(program, arguments)?;
    server.greet()?;
    let (mut entries, mut findings) = (0, Vec::new());
    for list in &testing::LISTS {
        let listed = server.listed(list.method, list.member)?;
        entries += listed.len();
        let found = listed
            .iter()
            .flat_map(|entry| located(graph, list.attribute, entry, (list.problems)(entry)));
        findings.extend(found);
    }
    if entries == 0 {
        let nothing = format!(
            "`{}` lists no tools, prompts or resources: nothing was looked at",
            server.name
        );
        let finding = Finding::new(Severity::Warning, "schema", nothing)
            .help("name the command that serves the server on standard input and output, with its arguments");
        findings.push(finding);
    }
    Ok(findings)
}

/// What is wrong with something listed, at the functions that may be it: those with the attribute and that name.
fn located(
    graph: &Graph<'_>,
    attribute: &str,
    listed: &Value,
    problems: Vec<String>,
) -> Vec<Finding> {
    let name = listed.get("name").and_then(Value::as_str);
    let functions = name.map_or_else(Vec::new, |name| named::functions(graph, attribute, name));
    let finding = |problem| {
        let finding = Finding::new(Severity::Error, "schema", problem);
        functions.iter().fold(finding, |finding, function| {
            finding.at(&function.file, function.name_range(), "")
        })
    };
    problems.into_iter().map(finding).collect()
}

/// A server that runs, and ends with this.
struct Server {
    name: String,
    child: Child,
    /// Closed when it is to end.
    requests: Option<ChildStdin>,
    responses: Receiver<Value>,
    /// Whether it has a session, from before 2026-07-28.
    greeted: bool,
    id: u64,
}

impl Drop for Server {
    fn drop(&mut self) {
        // That is how a client ends a server, and what it has started itself.
        drop(self.requests.take());
        for _ in 0..GRACE {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // A server that has ended may have left what it has started.
        self.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(program: &OsString, arguments: &[OsString]) -> Result<Self, Error> {
        let name = program.to_string_lossy().into_owned();
        let failed = |source: std::io::Error| Error::Server {
            server: name.clone(),
            what: format!("could not be started: {source}"),
        };
        let mut command = Command::new(program);
        command.args(arguments).env(CHECKED, "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // `cargo run` starts the server as a process of its own, which a signal to cargo alone would leave.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let (Some(requests), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        };
        let (sender, responses) = sync_channel(WAITING);
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let lines = std::iter::from_fn(|| line(&mut output, LONGEST));
            // What is no JSON is the log of a program that should not write one there.
            let messages = lines.filter_map(|line| {
                let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line);
                serde_json::from_slice(line).ok()
            });
            messages
                .map_while(|message: Value| sender.send(message).ok())
                .last();
        });
        Ok(Self {
            name,
            child,
            requests: Some(requests),
            responses,
            greeted: false,
            id: 0,
        })
    }

    /// Ends the server and what it has started; one that has ended already is no matter.
    fn kill(&mut self) {
        #[cfg(unix)]
        {
            let group = rustix::process::Pid::from_child(&self.child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(not(unix))]
        let _ = self.child.kill();
    }

    /// All pages of a list; nothing where the server does not have it.
    fn listed(&mut self, method: &str, member: &str) -> Result<Vec<Value>, Error> {
        let mut all = Vec::new();
        let mut params = json!({});
        for _ in 0..ENDLESS {
            let mut page = match self.request(method, params.clone())? {
                Ok(page) => page,
                Err(error) if error.get("code") == Some(&json!(METHOD_NOT_FOUND)) => {
                    return Ok(all);
                }
                Err(error) => return Err(self.failed(format!("answers `{method}` with {error}"))),
            };
            match page.get_mut(member) {
                Some(Value::Array(entries)) => all.append(entries),
                _ => return Err(self.failed(format!("answers `{method}` without a list"))),
            }
            match page.get("nextCursor").filter(|cursor| !cursor.is_null()) {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok(all),
            }
        }
        Err(self.failed(format!("has no end of `{method}` after {ENDLESS} pages")))
    }

    /// The handshake of clients from before 2026-07-28. A server may know no other beginning, or not know this one any more.
    fn greet(&mut self) -> Result<(), Error> {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": client(),
        });
        self.greeted = true;
        if self.request("initialize", hello)?.is_err() {
            self.greeted = false;
            return Ok(());
        }
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
    }

    /// Its result, or its error.
    fn request(&mut self, method: &str, mut params: Value) -> Result<Result<Value, Value>, Error> {
        self.id += 1;
        if let (false, Some(params)) = (self.greeted, params.as_object_mut()) {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": client(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            params.insert("_meta".to_owned(), meta);
        }
        let id = json!(self.id);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let end = Instant::now() + PATIENCE;
        loop {
            // What else it says is no answer, however much of it there is.
            let mut message = self.message(end)?;
            if message.get("id") != Some(&id) || message.get("method").is_some() {
                continue;
            }
            return Ok(match message.get_mut("error") {
                Some(error) => Err(error.take()),
                None => Ok(message
                    .get_mut("result")
                    .map(Value::take)
                    .unwrap_or_default()),
            });
        }
    }

    /// The next message, before `end`.
    fn message(&mut self, end: Instant) -> Result<Value, Error> {
        let mut silent_until = None;
        loop {
            // Before anything is taken: who keeps talking is never waited for.
            let now = Instant::now();
            if now >= end {
                let seconds = PATIENCE.as_secs();
                return Err(self.failed(format!("gives no answer within {seconds} s")));
            }
            match self.responses.recv_timeout(GLANCE) {
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !matches!(self.child.try_wait(), Ok(None))
                && now >= *silent_until.get_or_insert(now + LINGERS)
            {
                return Err(self.ended());
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Error> {
        let Some(requests) = &mut self.requests else {
            return Err(self.ended());
        };
        let written = writeln!(requests, "{message}").and_then(|()| requests.flush());
        written.map_err(|_| self.ended())
    }

    /// That it has ended, and how; where it has only closed its output, that alone is known.
    fn ended(&mut self) -> Error {
        let end = Instant::now() + LINGERS;
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < end => std::thread::sleep(GLANCE / 10),
                known => break known.ok().flatten(),
            }
        };
        let how = status.map(|status| match status.code() {
            Some(code) => format!(", with the exit code {code}"),
            None => format!(", by a {status}"),
        });
        let how = how.unwrap_or_default();
        self.failed(format!("ended without an answer{how}"))
    }

    fn failed(&self, what: String) -> Error {
        let server = self.name.clone();
        Error::Server { server, what }
    }
}

/// The next line, empty where it is longer than `longest`; `None` where there is none.
fn line(from: &mut impl BufRead, longest: usize) -> Option<Vec<u8>> {
    let mut part = |line: &mut Vec<u8>| {
        line.clear();
        let read = from.by_ref().take(longest as u64).read_until(b'\n', line);
        read.ok().filter(|count| *count > 0)
    };
    let mut line = Vec::new();
    part(&mut line)?;
    let mut is_whole = true;
    while line.len() == longest && !line.ends_with(b"\n") && part(&mut line).is_some() {
        is_whole = false;
    }
    Some(if is_whole { line } else { Vec::new() })
}

fn client() -> Value {
    json!({ "name": "cargo-saga", "version": env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_none() {
        let mut text = &b"one\nlonger than that\ntwo\nno end to this one"[..];
        let lines: Vec<_> = std::iter::from_fn(|| line(&mut text, 6)).collect();
        assert_eq!(lines, [&b"one\n"[..], b"", b"two\n", b""]);
    }

    /// There is a next message each time.
    #[cfg(unix)]
    #[test]
    fn who_keeps_talking_is_not_waited_for() {
        let arguments = ["-c", "while :; do echo '{}'; done"].map(OsString::from);
        let mut server = Server::start(&"sh".into(), &arguments).expect("it starts");
        let soon = Instant::now() + PATIENCE;
        server.message(soon).expect("a message");
        let refused = server.message(Instant::now());
        server.kill();
        let refused = refused.expect_err("it is too late").to_string();
        assert!(refused.contains("gives no answer"), "{refused}");
    }
}

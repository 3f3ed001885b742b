//! The client for the terminal where its server is lost: it ends, and says so.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod programs;

use std::{
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use programs::example;

/// A process that does not outlive its test.
struct Ends(Child);

impl Ends {
    fn spawn(command: &mut Command) -> Self {
        Self(command.spawn().unwrap())
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A deployment server that listens, and where.
fn server(port: &str) -> (Ends, String) {
    let mut server = Command::new(example("deploy-server"));
    let key = format!("test:{}", "ab".repeat(32));
    server.args(["--port", port]).env("SAGA_KEYS", key);
    let mut server = Ends::spawn(server.stdout(Stdio::piped()).stderr(Stdio::null()));
    let mut line = String::new();
    let stdout = server.0.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("listening on ").unwrap();
    (server, url.to_owned())
}

fn client(wire: &str, url: &str, timeout: &str) -> Ends {
    let mut client = programs::client();
    client
        .args(["--wire", wire, "--url", url, "--timeout", timeout])
        .args(["call", "complex_tool", "initial_arg=x"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ends::spawn(&mut client)
}

/// Waits until the client has asked.
fn asked(client: &mut Ends) -> impl Read + use<> {
    let mut stdout = BufReader::new(client.0.stdout.take().unwrap());
    let mut shown = String::new();
    while !shown.contains("target (text)") {
        assert_ne!(stdout.read_line(&mut shown).unwrap(), 0, "{shown}");
    }
    stdout
}

/// How it ended, and what it said of it.
fn end(mut client: Ends) -> (Option<i32>, String) {
    let mut said = String::new();
    let mut stderr = client.0.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    (client.0.wait().unwrap().code(), said)
}

#[test]
fn a_live_call_ends_where_its_server_is_gone_or_was_restarted() {
    let cases = [false, true].map(|restarts| {
        thread::spawn(move || {
            let (first, url) = server("0");
            let mut client = client("live", &url, "4");
            let _stdout = asked(&mut client);
            drop(first);
            let port = url.rsplit(':').next().unwrap().trim_end_matches("/mcp");
            let second = restarts.then(|| server(port));
            // Nobody answers the question, and nothing is waited for but the client itself.
            let (code, said) = end(client);
            assert_eq!(code, Some(2), "{said}");
            assert!(said.contains("the connection broke"), "{said}");
            drop(second);
        })
    });
    cases.into_iter().for_each(|case| case.join().unwrap());
}

#[test]
fn an_answer_waits_for_a_server_that_is_away() {
    use std::io::Write as _;

    let cases = [true, false].map(|returns| {
        thread::spawn(move || {
            let (first, url) = server("0");
            let mut client = client("mrtr", &url, if returns { "60" } else { "1" });
            let mut stdout = asked(&mut client);
            drop(first);
            let mut stdin = client.0.stdin.take().unwrap();
            stdin.write_all(b"production\nyes, it is\n").unwrap();
            drop(stdin);
            let mut stderr = BufReader::new(client.0.stderr.take().unwrap());
            let mut said = String::new();
            stderr.read_line(&mut said).unwrap();
            assert!(said.contains("cannot be reached"), "{said}");
            let port = url.rsplit(':').next().unwrap().trim_end_matches("/mcp");
            let second = returns.then(|| server(port));
            stderr.read_to_string(&mut said).unwrap();
            let code = client.0.wait().unwrap().code();
            let mut shown = String::new();
            stdout.read_to_string(&mut shown).unwrap();
            if returns {
                assert_eq!(code, Some(0), "{said}");
                assert!(shown.contains("initiated successfully"), "{shown}");
            } else {
                assert_eq!(code, Some(2), "{said}");
                assert!(said.contains("was not back within 1 seconds"), "{said}");
                assert!(said.contains("call again"), "{said}");
                assert!(!said.contains("Transport"), "{said}");
            }
            drop(second);
        })
    });
    cases.into_iter().for_each(|case| case.join().unwrap());
}

#[test]
fn a_server_that_was_never_there_is_told_of_at_once() {
    // It was free a moment ago, so that nobody listens there.
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr();
    let url = format!("http://{}/mcp", port.unwrap());
    let (code, said) = end(client("mrtr", &url, "60"));
    assert_eq!(code, Some(2), "{said}");
    let text = format!("the server at {url} cannot be reached (");
    assert!(said.contains(&text), "{said}");
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for_for_ever() {
    // It accepts by the system's queue, and never reads.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/mcp", silent.local_addr().unwrap());
    for wire in ["live", "mrtr"] {
        let (code, said) = end(client(wire, &url, "1"));
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("has said nothing for 1 seconds"), "{said}");
    }
}

#[test]
fn a_person_who_thinks_is_waited_for() {
    use std::io::Write as _;

    let (_server, url) = server("0");
    let mut client = client("live", &url, "1");
    let mut stdout = asked(&mut client);
    // Longer than the server may be silent.
    thread::sleep(Duration::from_millis(2500));
    let mut stdin = client.0.stdin.take().unwrap();
    stdin.write_all(b"production\nyes, it is\n").unwrap();
    drop(stdin);
    let mut shown = String::new();
    stdout.read_to_string(&mut shown).unwrap();
    let (code, said) = end(client);
    assert_eq!(code, Some(0), "{said}");
    assert!(shown.contains("initiated successfully"), "{shown}");
}

//! Runs the client for the terminal against the example servers, with answers from a script.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod programs;

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Output, Stdio},
};

use programs::example;

const WIRES: [&str; 3] = ["mrtr", "saga", "live"];

fn client(wire: &str, server: &str, arguments: &[&str]) -> Command {
    let server = example(server).display().to_string();
    let mut client = programs::client();
    client
        .args(["--wire", wire, "--stdio"])
        .arg(format!("'{server}' --stdio"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    client
}

fn answered(mut client: Command, answers: &str) -> Output {
    let mut client = client.spawn().unwrap();
    let mut stdin = client.stdin.take().unwrap();
    // A client that has failed before it asks is seen by what it says.
    let _ = stdin.write_all(answers.as_bytes());
    drop(stdin);
    client.wait_with_output().unwrap()
}

#[track_caller]
fn shows(output: &Output, code: i32, shown: &str) {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stdout.contains(shown), "{stdout}\n{stderr}");
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
}

const DEPLOYMENT: &str = "
The server asks: Please provide the deployment target:
  !decline refuses, !cancel or Ctrl-D calls it off
  target (text)
  > 
  target is required
  > production

The server asks the model: Is deploying to 'production' safe right now?
  you are the model; !decline refuses
  model > yes, it is

The tool answers:
Deployment to production initiated successfully based on confirmation.
";

#[test]
fn a_tool_asks_the_user_and_the_model_on_every_wire() {
    for wire in WIRES {
        let call = ["call", "complex_tool", r#"{"initial_arg": "x"}"#];
        let client = client(wire, "deploy-server", &call);
        let output = answered(client, "\nproduction\nyes, it is\n");
        assert_eq!(String::from_utf8_lossy(&output.stdout), DEPLOYMENT);
        shows(&output, 0, "");
    }
}

#[test]
fn a_refusal_is_the_tools_error_on_every_wire() {
    for wire in WIRES {
        for answers in ["!decline\n", "!cancel\n", ""] {
            let call = ["call", "complex_tool", "initial_arg=x"];
            let output = answered(client(wire, "deploy-server", &call), answers);
            shows(&output, 1, "Not deployed: no target was given.");
        }
    }
}

#[test]
fn every_kind_of_field_can_be_filled_in_on_every_wire() {
    for wire in WIRES {
        let defaults = ["call", "test_elicitation_sep1034_defaults"];
        let output = answered(
            client(wire, "everything", &defaults),
            "\nmany\n41\n1e1\n3\nn\n",
        );
        shows(&output, 0, "age must be a whole number");
        let content =
            r#"{"name":"John Doe","age":41,"score":10.0,"status":"pending","verified":false}"#;
        shows(&output, 0, content);
        let choices = ["call", "test_elicitation_sep1330_enums"];
        let output = answered(
            client(wire, "everything", &choices),
            "2\nthird option\n\n4\n1\n1,3\n",
        );
        let content = r#"{"untitledSingle":"option2","titledSingle":"value3","untitledMulti":["option1"],"titledMulti":["value1","value3"]}"#;
        shows(&output, 0, content);
    }
}

#[test]
fn several_questions_of_a_round_come_one_after_the_other() {
    for wire in WIRES {
        let options = ["--model", "Bonjour", "--root", "test://root"];
        let call = ["call", "test_input_required_result_multiple_inputs"];
        let client = client(wire, "everything", &[&options[..], &call].concat());
        let output = answered(client, "Ada\n");
        shows(&output, 0, "model > Bonjour");
        shows(&output, 0, "Bonjour Ada, your roots are test://root");
    }
}

#[test]
fn progress_is_shown_before_the_result() {
    for wire in WIRES {
        let call = ["call", "test_tool_with_progress"];
        let output = answered(client(wire, "everything", &call), "");
        let shown = "progress 50 of 100\nprogress 100 of 100\n\nThe tool answers:\n";
        shows(&output, 0, shown);
    }
}

#[test]
fn arguments_have_the_types_of_the_schema() {
    let call = ["call", "test_elicitation", "message=41"];
    let output = answered(client("mrtr", "everything", &call), "a\nb\n");
    shows(&output, 0, "The server asks: 41");
}

#[test]
fn answers_can_come_from_a_file() {
    let answers = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/answers.txt");
    let call = [
        "--answers",
        answers,
        "call",
        "complex_tool",
        "initial_arg=x",
    ];
    let output = answered(client("mrtr", "deploy-server", &call), "");
    shows(&output, 0, "> staging\n");
}

#[test]
fn prompts_and_resources_can_be_had_and_all_is_listed() {
    let prompt = ["prompt", "test_prompt_with_arguments", "arg1=1", "arg2=b"];
    let output = answered(client("mrtr", "everything", &prompt), "");
    shows(&output, 0, "arg1='1', arg2='b'");
    let read = ["read", "test://static-text"];
    let output = answered(client("live", "everything", &read), "");
    shows(&output, 0, "the content of the static text resource");
    let output = answered(client("saga", "everything", &["list"]), "");
    shows(
        &output,
        0,
        "\n    prompt (string) What the model is asked\n",
    );
    shows(&output, 0, "\n  test://static-text  static-text\n");
}

#[test]
fn raw_messages_go_to_standard_error_as_they_are() {
    let call = ["--raw", "call", "complex_tool", "initial_arg=x"];
    let output = answered(client("mrtr", "deploy-server", &call), "a\nyes\n");
    let log = String::from_utf8_lossy(&output.stderr);
    // The token that comes is, in full, the one that goes back.
    let states = log.lines().filter(|line| line.contains("\"requestState\""));
    let states: Vec<_> = states
        .map(|line| line.trim_end_matches(',').trim())
        .collect();
    let [first, first_again, second, second_again] = states[..] else {
        panic!("{log}");
    };
    assert_eq!((first, second), (first_again, second_again));
    assert_ne!(first, second);
    assert_eq!(log.matches("client \u{2192} server").count(), 5, "{log}");
    assert_eq!(log.matches("client \u{2190} server").count(), 5, "{log}");
}

#[test]
fn what_fails_is_told() {
    for (wire, server, arguments, told) in [
        (
            "mrtr",
            "everything",
            &["call", "nothing"][..],
            "tool not found",
        ),
        (
            "mrtr",
            "everything",
            &["call", "nothing", "a=1"],
            "there are:",
        ),
        (
            "live",
            "everything",
            &["call", "greet", "Ada"],
            "name=value",
        ),
        (
            "live",
            "everything",
            &["read", "test://none"],
            "no such resource",
        ),
        ("saga", "flow", &[], "the server ended without an answer"),
    ] {
        let output = answered(client(wire, server, arguments), "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(told), "{stderr}");
        shows(&output, 2, "");
    }
}

#[test]
fn keys_are_made_for_servers_that_share_them() {
    let keygen = |id: &str| {
        let mut client = programs::client();
        client.args(["keygen", id]).output().unwrap()
    };
    let made = keygen("2026-11");
    shows(&made, 0, "2026-11:");
    let again = keygen("2026-11");
    assert_ne!(made.stdout, again.stdout);
    shows(&keygen("not an id"), 2, "");
    let entry = String::from_utf8(made.stdout).unwrap();
    let mut client = client("mrtr", "deploy-server", &["list"]);
    client.env("SAGA_KEYS", entry.trim());
    let output = answered(client, "");
    shows(&output, 0, "complex_tool");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("random key"));
}

#[test]
fn keys_that_are_wrong_stop_the_start_and_are_not_shown() {
    let hex = "ab".repeat(32);
    let zeros = format!("a:{}", "0".repeat(64));
    let turned = format!("{hex}:{hex}");
    let twice = format!("a:{hex},b:{hex}");
    for (keys, file, told) in [
        (Some(turned.as_str()), None, "the id of a key"),
        (Some(&zeros), None, "all zeros"),
        (Some(&twice), None, "under another id"),
        (Some("a:abc"), None, "id:64 hex digits"),
        (Some(""), None, "id:64 hex digits"),
        (Some("a:abc"), Some("x"), "both set"),
        (None, Some("/no/such/file"), "cannot be read"),
    ] {
        let mut server = Command::new(example("deploy-server"));
        server.arg("--stdio").stdin(Stdio::null());
        server.env_remove("SAGA_KEYS").env_remove("SAGA_KEYS_FILE");
        for (name, value) in [("SAGA_KEYS", keys), ("SAGA_KEYS_FILE", file)] {
            if let Some(value) = value {
                server.env(name, value);
            }
        }
        refused(server, told, &hex);
    }
}

#[cfg(unix)]
#[test]
fn keys_that_are_no_unicode_are_not_no_keys() {
    use std::os::unix::ffi::OsStrExt;

    let mut server = Command::new(example("deploy-server"));
    server.arg("--stdio").stdin(Stdio::null());
    server.env("SAGA_KEYS", std::ffi::OsStr::from_bytes(b"a:\xff"));
    refused(server, "not valid Unicode", "\u{ff}");
}

#[track_caller]
fn refused(mut server: Command, told: &str, secret: &str) {
    let output = server.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains(told), "{told}: {stderr}");
    assert!(!stderr.contains(secret), "{stderr}");
    assert_eq!(output.status.code(), Some(1), "{stderr}");
}

#[test]
fn a_server_that_ends_has_the_last_word() {
    let mut client = programs::client();
    let server = example("deploy-server").display().to_string();
    client
        .arg("--stdio")
        .arg(format!("'{server}' --nonsense"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let output = answered(client, "");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("server: error: unexpected argument '--nonsense'"),
        "{stderr}"
    );
    shows(&output, 2, "");
}

/// Sends the signal of Ctrl-C when the client has asked.
#[cfg(unix)]
fn interrupted(mut client: Command, awaited: &str) -> (String, Child) {
    let mut child = client.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut shown = String::new();
    while !shown.contains(awaited) {
        assert_ne!(stdout.read_line(&mut shown).unwrap(), 0, "{shown}");
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    stdout.read_to_string(&mut shown).unwrap();
    (shown, child)
}

#[cfg(unix)]
#[test]
fn an_interrupt_cancels_the_call() {
    for (wire, said) in [
        ("mrtr", "Cancelled: the server was not at work on it."),
        ("saga", "Cancelled: the server was not at work on it."),
        ("live", "Cancelled: the server was told."),
    ] {
        let call = ["--raw", "call", "complex_tool", "initial_arg=x"];
        let client = client(wire, "deploy-server", &call);
        let (shown, child) = interrupted(client, "target (text)");
        assert!(shown.contains(said), "{shown}");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let log = String::from_utf8_lossy(&output.stderr);
        let told = log.contains("\"notifications/cancelled\"");
        assert_eq!(told, wire == "live", "{log}");
    }
}

/// A client whose servers are processes with the same keys and the same tasks.
fn durable(folder: &std::path::Path, wire: &str, arguments: &[&str]) -> Command {
    let tasks = folder.join("tasks.db");
    let server = format!(
        "'{}' --stdio --tasks '{}'",
        example("everything").display(),
        tasks.display()
    );
    let mut client = programs::client();
    client
        .args(["--wire", wire, "--stdio", &server])
        .args(arguments)
        .env("SAGA_KEYS", format!("test:{}", "ab".repeat(32)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    client
}

#[cfg(unix)]
#[test]
fn what_goes_on_without_the_client_is_followed_and_cancelled_by_another() {
    let folder = tempfile::tempdir().unwrap();
    for wire in ["task", "async"] {
        let begun = |arguments: &[&str], awaited: &str| {
            let (shown, mut child) = interrupted(durable(folder.path(), wire, arguments), awaited);
            assert_eq!(child.wait().unwrap().code(), Some(130));
            assert!(shown.contains("Left: it goes on without you."), "{shown}");
            let id = shown.split_once("follow ").unwrap().1;
            id.split_whitespace().next().unwrap().to_owned()
        };
        let id = begun(
            &["call", "confirm_delete", "filename=a"],
            "confirm (yes or no)",
        );
        let output = answered(durable(folder.path(), wire, &["follow", &id]), "y\n");
        shows(&output, 0, "Deleted a");
        let again = answered(durable(folder.path(), wire, &["follow", &id]), "");
        shows(&again, 0, "Deleted a");

        let id = begun(
            &["call", "confirm_delete", "filename=b"],
            "confirm (yes or no)",
        );
        let output = answered(durable(folder.path(), wire, &["cancel", &id]), "");
        shows(&output, 0, "Cancelled: the server was told.");
        let output = answered(durable(folder.path(), wire, &["follow", &id]), "");
        // The tool hears of it in the middle of its question, and ends as it does where nobody answers.
        shows(&output, 0, "Kept b");
    }
}

#[test]
fn a_result_comes_in_parts_and_each_can_be_gone_on_from() {
    for wire in ["mrtr", "live"] {
        let folder = tempfile::tempdir().unwrap();
        let call = ["call", "test_tool_with_parts"];
        let output = answered(durable(folder.path(), wire, &call), "y\n");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let parts: Vec<_> = stdout
            .lines()
            .filter(|line| line.ends_with("of 5"))
            .collect();
        assert_eq!(parts, ["2 of 5", "4 of 5", "5 of 5"], "{stdout}");
        let token = stdout.rsplit_once("--resume ").unwrap().1;
        let token = token.split_once(')').unwrap().0;
        let resumed = ["call", "test_tool_with_parts", "--resume", token];
        let output = answered(durable(folder.path(), wire, &resumed), "");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("2 of 5"));
        shows(&output, 0, "5 of 5");
    }
    let refused = ["call", "test_tool_with_parts", "--resume", "x"];
    let output = answered(client("task", "everything", &refused), "");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--wire mrtr"));
}

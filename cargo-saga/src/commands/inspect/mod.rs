//! `cargo saga inspect`: what is in a token, for those who have the server's keys.

mod names;
mod request;
mod shown;

use std::{
    fs,
    io::{self, Read, Write},
    path::PathBuf,
    sync::Arc,
};

use saga_runtime::{
    EnvKeys, Error as TokenError, FileKeys, KeyError, KeyProvider, Keyring, Reason,
    inspect::{self, Bound, Inspected},
};
use serde_json::{Map, Value};

use crate::{
    cli::Outcome,
    error::Error,
    report::Format,
    workspace::{Selection, Workspace},
};
use names::Names;
use request::Request;

/// Opens a token with the server's keys (`SAGA_KEYS` or `SAGA_KEYS_FILE`), and shows where its call stands.
///
/// A token opens only with what it is bound to: the tool and its arguments (not on the saga methods, whose tokens have the call
/// in them), the principal and the audience. `--request` takes it from the request that the token came with.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The token; `-` for standard input
    #[arg(required_unless_present = "request", allow_hyphen_values = true)]
    token: Option<String>,
    /// A file with the JSON-RPC request that it came with, or one of the same call; `-` for standard input
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
    /// The tool that was called
    #[arg(long, value_name = "NAME", conflicts_with_all = ["request", "prompt", "resource"])]
    tool: Option<String>,
    /// The prompt, where it is not a tool
    #[arg(long, value_name = "NAME", conflicts_with_all = ["request", "resource"])]
    prompt: Option<String>,
    /// The resource's URI, where it is not a tool
    #[arg(long, value_name = "URI", conflicts_with = "request")]
    resource: Option<String>,
    /// The call's arguments, a JSON object; `@FILE` for a file
    #[arg(long, value_name = "JSON", conflicts_with = "request")]
    arguments: Option<String>,
    /// On whose behalf, as `Settings::with_principal` names it
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// The service, as `Settings::with_audience` or the server's info names it; without it the names of the workspace's packages
    #[arg(long, value_name = "NAME")]
    audience: Option<String>,
    /// Show what variables hold: it is as confidential as the call
    #[arg(long)]
    values: bool,
    /// For people, or as an object of JSON
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    refuse_twice(arguments)?;
    let workspace = workspace(&arguments.selection)?;
    let keys = keys()?;
    let request = match &arguments.request {
        Some(path) => request::read(&text_of(path)?)?,
        None => Request {
            bound: bound(arguments)?,
            token: None,
        },
    };
    let token = match (&arguments.token, request.token) {
        (Some(token), _) if token == "-" => standard_input()?.trim().to_owned(),
        (Some(token), _) => token.trim().to_owned(),
        (None, Some(token)) => token,
        (None, None) => {
            return Err(Error::Refused {
                what: "the request has no token".to_owned(),
                instead: "the token, before `--request`".to_owned(),
            });
        }
    };
    let bound = Bound {
        principal: arguments.principal.clone(),
        ..request.bound
    };
    let (inspected, bound) = open(&keys, &token, bound, arguments, workspace.as_ref())?;
    let names = Names::of(workspace.as_ref());
    let shown = shown::Shown {
        inspected: &inspected,
        bound: &bound,
        names: &names,
        values: arguments.values,
        now: std::time::SystemTime::now(),
    };
    let mut out = anstream::stdout().lock();
    match arguments.format {
        Format::Human => out.write_all(shown.text().as_bytes())?,
        Format::Json => writeln!(out, "{:#}", shown.json())?,
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

/// Standard input is read to its end once.
fn refuse_twice(arguments: &Arguments) -> Result<(), Error> {
    let read = [
        arguments.token.as_deref() == Some("-"),
        arguments
            .request
            .as_ref()
            .is_some_and(|path| path.as_os_str() == "-"),
        arguments.arguments.as_deref() == Some("@-"),
    ];
    match read.into_iter().filter(|is_read| *is_read).count() {
        0 | 1 => Ok(()),
        _ => Err(Error::Refused {
            what: "standard input (`-`) is named twice, and can be read once".to_owned(),
            instead: "a file for one of them; the token of `--request` is taken from the request"
                .to_owned(),
        }),
    }
}

/// That of the current directory is a help, and need not be there; one that is named has to be.
fn workspace(selection: &Selection) -> Result<Option<Workspace>, Error> {
    let is_named = selection.manifest_path.is_some() || !selection.package.is_empty();
    match Workspace::load(selection) {
        Err(error) if is_named || selection.workspace => Err(error),
        known => Ok(known.ok()),
    }
}

/// Those of the server, as its environment names them.
fn keys() -> Result<Arc<Keyring>, Error> {
    let refused = |what: String| {
        Error::Refused {
        what,
        instead: "set `SAGA_KEYS` (`id:64 hex digits`) or `SAGA_KEYS_FILE` to the server's keys: without them nobody opens a token".to_owned(),
    }
    };
    let wrong = |error: KeyError| refused(format!("the keys are not right: {error}"));
    let file = std::env::var_os(FileKeys::VARIABLE);
    match (EnvKeys::read().map_err(wrong)?, file) {
        (Some(_), Some(_)) => Err(wrong(KeyError::Both)),
        (Some(keys), None) => keys.keys().map_err(wrong),
        (None, Some(path)) => {
            let keys = FileKeys::new(PathBuf::from(path)).map_err(wrong)?;
            keys.keys().map_err(wrong)
        }
        (None, None) => Err(refused("there are no keys to open it with".to_owned())),
    }
}

fn bound(arguments: &Arguments) -> Result<Bound, Error> {
    let (method, name) = match (&arguments.tool, &arguments.prompt, &arguments.resource) {
        (_, Some(prompt), _) => ("prompts/get", prompt.clone()),
        (_, _, Some(uri)) => ("resources/read", uri.clone()),
        (tool, _, _) => ("tools/call", tool.clone().unwrap_or_default()),
    };
    let given = match &arguments.arguments {
        None => Map::new(),
        Some(text) => {
            let text = match text.strip_prefix('@') {
                Some(path) => text_of(&PathBuf::from(path))?,
                None => text.clone(),
            };
            object(&text)?
        }
    };
    Ok(Bound {
        method: method.to_owned(),
        name,
        arguments: given,
        ..Bound::default()
    })
}

fn object(text: &str) -> Result<Map<String, Value>, Error> {
    serde_json::from_str(text).map_err(|error| Error::Refused {
        what: format!("the arguments are no JSON object: {error}"),
        instead:
            "what the client sent as `params.arguments`: `--arguments '{\"service\": \"web\"}'`"
                .to_owned(),
    })
}

fn text_of(path: &PathBuf) -> Result<String, Error> {
    match path.as_os_str() == "-" {
        true => standard_input(),
        false => fs::read_to_string(path).map_err(Error::file(path)),
    }
}

fn standard_input() -> Result<String, Error> {
    let mut text = String::new();
    // Nothing that a server takes is longer.
    io::stdin()
        .lock()
        .take(16 << 20)
        .read_to_string(&mut text)
        .map_err(Error::file("standard input"))?;
    Ok(text)
}

/// Opens it for each audience that it may be of.
fn open(
    keys: &Keyring,
    token: &str,
    bound: Bound,
    arguments: &Arguments,
    workspace: Option<&Workspace>,
) -> Result<(Inspected, Bound), Error> {
    let audiences = match &arguments.audience {
        Some(audience) => vec![Some(audience.clone())],
        None => {
            let packages = workspace
                .into_iter()
                .flat_map(|workspace| &workspace.members);
            // rmcp's own name is that of a server that says none.
            let names = packages
                .map(|package| package.name.clone())
                .chain(["rmcp".to_owned()]);
            std::iter::once(None).chain(names.map(Some)).collect()
        }
    };
    // The server names itself, or its settings do: with a text that stands in its source, most often.
    let written = workspace.filter(|_| arguments.audience.is_none());
    let written = written.into_iter().flat_map(names::texts).map(Some);
    let mut refused = None;
    for audience in audiences.into_iter().chain(written) {
        let bound = Bound {
            audience,
            ..bound.clone()
        };
        match inspect::open(keys, token, &bound) {
            Ok(inspected) => return Ok((inspected, bound)),
            Err(error) => {
                refused.get_or_insert(error);
            }
        }
    }
    Err(refusal(refused, token))
}

fn refusal(error: Option<TokenError>, token: &str) -> Error {
    /// No continuation is shorter.
    const SHORTEST: usize = 80;
    let Some(error) = error else {
        return Error::Refused {
            what: "it was not opened".to_owned(),
            instead: "a token".to_owned(),
        };
    };
    let instead = match error.reason() {
        Some(Reason::Mismatch | Reason::Tampered) => {
            "what it is bound to: `--tool` and `--arguments` as the client sent them (or `--request` with the request), `--principal` and `--audience` as the server's settings name them; or the server's keys, if these are others of the same id"
        }
        Some(Reason::UnknownKey) => {
            "the keys of the server that has sealed it; a key that was rotated out is needed, too"
        }
        Some(Reason::Malformed) if token.len() < SHORTEST => {
            "a `requestState`, `sagaToken` or `nextResumeToken`. The token of an async call and a task's id only name what is in the server's store, which its console shows"
        }
        _ => "a `requestState`, `sagaToken` or `nextResumeToken` as the client has it, whole",
    };
    Error::Refused {
        what: format!("the token does not open: {error}"),
        instead: instead.to_owned(),
    }
}

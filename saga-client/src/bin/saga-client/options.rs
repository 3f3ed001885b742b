//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Calls the tools of an MCP server, and lets you answer what they ask.
///
/// Ends with 0 where there is a result, 1 where the tool's result is an error, 2 where the server or
/// the connection to it fails, and 130 where you have cancelled the call by Ctrl-C.
#[derive(Parser)]
pub(crate) struct Options {
    /// The protocol between client and server
    #[arg(long, value_enum, default_value_t = Wire::Mrtr, global = true)]
    pub(crate) wire: Wire,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Show every JSON-RPC message on standard error; long tokens are cut short on a terminal only
    #[arg(long, global = true)]
    pub(crate) raw: bool,
    /// Take the answers from this file, one a line; - is standard input
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) answers: Option<PathBuf>,
    /// What the model says, whatever it is asked
    #[arg(long, value_name = "TEXT", global = true)]
    pub(crate) model: Option<String>,
    /// A directory or URI that the server may ask for
    #[arg(long = "root", value_name = "PATH", global = true)]
    pub(crate) roots: Vec<PathBuf>,
    /// In how many rounds a tool may ask
    #[arg(long, value_name = "N", default_value_t = 100, global = true)]
    pub(crate) rounds: usize,
    /// Give up where the server has said nothing for so long while it is at work
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 600,
        value_parser = clap::value_parser!(u64).range(1..),
        global = true
    )]
    pub(crate) timeout: u64,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Where the server is.
#[derive(clap::Args)]
#[group(required = false, multiple = false)]
pub(crate) struct Place {
    /// A server of Streamable HTTP
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// A program that serves on its standard input and output, with its arguments
    #[arg(long, value_name = "COMMAND")]
    pub(crate) stdio: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Wire {
    /// Multi Round-Trip Requests of MCP 2026-07-28
    Mrtr,
    /// The proposal's tools/callSaga and tools/resumeSaga
    Saga,
    /// A session of MCP 2025-11-25, in which the server asks the client
    Live,
    /// The tasks extension: a call may go on without this program
    Task,
    /// The proposal's tools/async/call: a call goes on without this program
    Async,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show what the server offers; this is what happens without a command
    List,
    /// Call a tool
    Call {
        /// The name of the tool
        tool: String,
        /// A JSON object, or name=value for each argument
        arguments: Vec<String>,
        /// Go on from a part of the result, by its token
        #[arg(long, value_name = "TOKEN", allow_hyphen_values = true)]
        resume: Option<String>,
    },
    /// Follow a task or an async call to its result, and answer what it asks
    Follow {
        /// The task's id, or the call's token
        #[arg(allow_hyphen_values = true)]
        id: String,
    },
    /// Cancel a task or an async call
    Cancel {
        /// The task's id, or the call's token
        #[arg(allow_hyphen_values = true)]
        id: String,
    },
    /// Get a prompt
    Prompt {
        /// The name of the prompt
        name: String,
        /// A JSON object, or name=value for each argument
        arguments: Vec<String>,
    },
    /// Make a key for a server's `SAGA_KEYS`
    Keygen {
        /// What the key is called; a date is good for that
        id: String,
    },
    /// Read a resource
    Read {
        /// The URI of the resource
        uri: String,
    },
}

//! A tool that works for long, sleeps, and asks, on a server that is killed in the middle of each.
//!
//! The call is a task in a SQLite file. 180 of 200 frames are rendered when the server is killed; another process goes
//! on at 181. It is killed while the task sleeps, and the next one while it waits for the user.

mod client;
mod film;

use std::{
    collections::BTreeMap,
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{Parser, Subcommand};
use saga_runtime::KEY_LEN;
use serde_json::json;
use tokio::{process::Command, time::sleep};

use crate::client::Client;
use examples::{Process, Scratch, random_hex};

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// How many frames the film has, and at which the server is killed.
const FRAMES: usize = 200;
const KILLED_AT: usize = 180;

/// Calls a tool whose server is killed while it works, sleeps and asks.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    command: Option<Run>,
}

#[derive(Subcommand)]
enum Run {
    /// The server that this program starts several times
    #[command(hide = true)]
    Serve { folder: PathBuf },
}

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match Options::parse().command {
        Some(Run::Serve { folder }) => film::serve(folder).await,
        None => demonstrate().await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn demonstrate() -> Result<()> {
    let scratch = Scratch::new()?;
    let folder = scratch.path();
    let keys = format!("demo:{}", random_hex::<KEY_LEN>()?);
    let start = || start(folder, &keys);

    let first = start().await?;
    let mut client = Client::new(&first.url)?;
    let call = json!({ "name": "render", "arguments": { "frames": FRAMES } });
    println!("---- tools/call render, {FRAMES} frames");
    let task = client.request("tools/call", call).await?;
    let id = task["taskId"].as_str().ok_or("no task")?.to_owned();
    println!("     task {id}: {}", task["status"]);
    while orders(folder)?.len() <= KILLED_AT {
        sleep(Duration::from_millis(5)).await;
    }
    kill(first, "while it works").await?;
    println!("     {KILLED_AT} of {FRAMES} frames were done");

    let second = start().await?;
    client.turn_to(&second.url);
    client
        .follow(&id, |_| {
            orders(folder).is_ok_and(|orders| frames(&orders).len() == FRAMES)
        })
        .await?;
    // The last frame is rendered, and the task sleeps.
    sleep(Duration::from_secs(1)).await;
    kill(second, "while the task sleeps").await?;

    let third = start().await?;
    client.turn_to(&third.url);
    let asked = client
        .follow(&id, |task| task["status"] == "input_required")
        .await?;
    for (key, question) in asked["inputRequests"].as_object().into_iter().flatten() {
        println!("     {key}: {}", question["params"]["message"]);
    }
    kill(third, "while the user thinks").await?;

    let fourth = start().await?;
    client.turn_to(&fourth.url);
    println!("---- tasks/update: the user says yes");
    let answer = json!({ "action": "accept", "content": { "publish": true } });
    let params = json!({ "taskId": id, "inputResponses": { "release": answer } });
    client.request("tasks/update", params).await?;
    let done = client
        .follow(&id, |task| task["status"] == "completed")
        .await?;
    println!("     {}", done["result"]["content"][0]["text"]);
    fourth.end(Duration::from_secs(5)).await?;
    tell(&orders(folder)?)
}

async fn start(folder: &Path, keys: &str) -> Result<Process> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("serve").arg(folder).env("SAGA_KEYS", keys);
    let process = Process::start(command).await?;
    println!("---- process {} serves", process.id);
    Ok(process)
}

async fn kill(process: Process, occasion: &str) -> Result<()> {
    println!("---- kill -9 of process {} {occasion}", process.id);
    process.end(Duration::ZERO).await
}

/// What the farm was asked for: frame, key and process, in order.
fn orders(folder: &Path) -> Result<Vec<(usize, String, String)>> {
    let log = match std::fs::read_to_string(folder.join("orders")) {
        Ok(log) => log,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let orders = log.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let frame = words.next()?.parse().ok()?;
        Some((frame, words.next()?.to_owned(), words.next()?.to_owned()))
    });
    Ok(orders.collect())
}

/// The keys of each frame.
fn frames(orders: &[(usize, String, String)]) -> BTreeMap<usize, Vec<&str>> {
    let mut frames: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (frame, key, _) in orders {
        frames.entry(*frame).or_default().push(key);
    }
    frames
}

/// Each frame was ordered once, or again under the same key.
fn tell(orders: &[(usize, String, String)]) -> Result<()> {
    let mut begins: Option<(&str, usize)> = None;
    println!("---- what the farm was asked for");
    for (frame, _, process) in orders {
        if begins.is_none_or(|(known, _)| known != process) {
            println!("     process {process} from frame {frame} on");
            begins = Some((process, *frame));
        }
    }
    let frames = frames(orders);
    let twice: Vec<_> = frames.iter().filter(|(_, keys)| keys.len() > 1).collect();
    let same = twice
        .iter()
        .all(|(_, keys)| keys.windows(2).all(|pair| pair[0] == pair[1]));
    if frames.len() != FRAMES || twice.len() > 1 || !same {
        return Err(format!("the frames are not what they are to be: {frames:?}").into());
    }
    println!("     {} frames, each once", frames.len());
    for (frame, keys) in twice {
        println!(
            "     but frame {frame}, which ran when its process was killed: {} times, under one key",
            keys.len()
        );
    }
    Ok(())
}

//! The server: one tool, that renders a film frame by frame.

use std::{path::PathBuf, time::Duration};

use examples::{Transport, serve_with};
use rmcp::{handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{AskError, Cx, Elicit, Settings, saga};
use saga_tasks::{SqliteStore, Tasks};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{fs::OpenOptions, io::AsyncWriteExt, time::sleep};

use crate::Result;
use examples::orphaned;

/// How long a frame takes.
const FRAME: Duration = Duration::from_millis(20);
/// How long the film rests before anybody is asked.
const REST: Duration = Duration::from_secs(3);
/// How long a process is waited for that gives no sign of life. Shorter than one would have it, for the demonstration.
const LEASE: Duration = Duration::from_secs(2);

/// Serves until the program that started this one is gone.
pub(crate) async fn serve(folder: PathBuf) -> Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .init();
    let tasks = Tasks::new(SqliteStore::open(folder.join("tasks.db"))?).lease(LEASE);
    let farm = Farm { folder };
    let transport = Transport::Http {
        port: 0,
        json: true,
    };
    let make = move || farm.clone();
    let settings = Settings::from_env()?;
    Ok(serve_with(make, settings, Some(tasks), transport, orphaned()).await?)
}

/// Machines that render.
#[derive(Clone)]
struct Farm {
    folder: PathBuf,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Film {
    /// How many frames it has.
    frames: u32,
}

/// Whether the world may see it.
#[derive(Debug, Deserialize, Elicit)]
struct Release {
    publish: bool,
}

#[tool_router(server_handler)]
impl Farm {
    /// Renders a film, lets it rest, and asks whether to publish it.
    #[saga(task)]
    #[tool]
    async fn render(&self, cx: Cx, Parameters(film): Parameters<Film>) -> Result<String, AskError> {
        let total = f64::from(film.frames);
        for frame in 1..=film.frames {
            self.render_frame(frame, cx.idempotency_key()).await;
            cx.progress(f64::from(frame), Some(total), "rendering")
                .await;
            cx.checkpoint().await;
        }
        saga_runtime::sleep(REST).await;
        let release = cx.elicit::<Release>("Publish the film?").await?;
        Ok(match release.publish {
            true => format!("{} frames are published", film.frames),
            false => format!("{} frames are kept", film.frames),
        })
    }

    /// An effect that is not to be had twice: the farm knows each order by its key.
    async fn render_frame(&self, frame: u32, key: Option<String>) {
        let line = format!(
            "{frame} {} {}\n",
            key.unwrap_or_default(),
            std::process::id()
        );
        let mut options = OpenOptions::new();
        let orders = options.create(true).append(true);
        let orders = orders.open(self.folder.join("orders")).await;
        if let Ok(mut orders) = orders {
            // What is not written here is missing at the end, which the demonstration checks.
            let _ = orders.write_all(line.as_bytes()).await;
            let _ = orders.flush().await;
        }
        sleep(FRAME).await;
    }
}

//! The server: tools of an office, each of which stands somewhere else.

use std::time::Duration;

use rmcp::{ErrorData, handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{AskError, Cx, Elicit, saga};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

/// Machines and people of an office.
#[derive(Clone)]
pub(crate) struct Desk;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Work {
    /// How many pages there are.
    pages: u32,
}

/// How far it may go.
#[derive(Debug, Deserialize, Elicit)]
enum Stage {
    Draft,
    #[elicit(title = "For everybody to read")]
    Public,
}

/// Who hears of it.
#[derive(Debug, Deserialize, Elicit)]
enum Team {
    #[elicit(title = "The press office")]
    Press,
    #[elicit(title = "Sales")]
    Sales,
    #[elicit(title = "Everybody in the building")]
    Everybody,
}

/// What is to become of the report.
#[derive(Debug, Deserialize, Elicit)]
struct Release {
    /// As it is to be on the cover.
    #[elicit(min_length = 3, max_length = 60)]
    title: String,
    stage: Stage,
    /// How many are printed.
    #[elicit(min = 1, max = 500, default = 20)]
    copies: u32,
    /// Whom to tell.
    #[elicit(min_items = 1)]
    teams: Vec<Team>,
    #[elicit(format = "email")]
    contact: Option<String>,
    #[elicit(format = "date")]
    on: Option<String>,
    /// With the charts of the annex.
    annex: bool,
}

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
struct Sure {
    ok: bool,
}

#[tool_router(server_handler)]
impl Desk {
    /// Proofreads a report, and asks what is to become of it.
    #[saga(task, flow)]
    #[tool]
    pub(crate) async fn publish(
        &self,
        cx: Cx,
        Parameters(work): Parameters<Work>,
    ) -> Result<String, AskError> {
        let pages = self.proofread(&cx, work.pages).await;
        let release = cx
            .elicit::<Release>("The report is proofread. What is to become of it?")
            .await?;
        if matches!(release.stage, Stage::Public) {
            cx.elicit::<Sure>("Really for everybody?")
                .key("sure")
                .await?;
        }
        Ok(format!(
            "“{}”: {pages} pages, {} copies, {:?} to {:?}, annex: {}, {:?}, {:?}",
            release.title,
            release.copies,
            release.stage,
            release.teams,
            release.annex,
            release.contact,
            release.on,
        ))
    }

    /// One page after the other.
    #[saga(flow)]
    pub(crate) async fn proofread(&self, cx: &Cx, pages: u32) -> u32 {
        for page in 0..pages {
            cx.progress(f64::from(page + 1), Some(f64::from(pages)), "proofreading")
                .await;
            sleep(Duration::from_millis(300)).await;
            cx.checkpoint().await;
        }
        pages
    }

    /// Asks for a signature on a page of its own.
    #[saga(task, flow)]
    #[tool]
    pub(crate) async fn sign(&self, cx: Cx) -> Result<String, AskError> {
        cx.elicit_url("Sign the contract.", "https://sign.example/contracts/42")
            .await?;
        Ok("signed".to_owned())
    }

    /// Asks the model and the person beside one another.
    #[saga(task, flow)]
    #[tool]
    pub(crate) async fn summarize(&self, cx: Cx) -> Result<String, AskError> {
        let (summary, sure) = tokio::join!(
            cx.sample("Sum the report up in a sentence.").key("summary"),
            cx.elicit::<Sure>("Put the sentence on the cover?")
                .key("cover"),
        );
        Ok(format!("{:?} {}", summary?, sure?.ok))
    }

    /// Rests until tomorrow.
    #[saga(task, flow)]
    #[tool]
    pub(crate) async fn archive(&self, cx: Cx) -> Result<String, AskError> {
        saga_runtime::sleep(Duration::from_secs(86_400)).await;
        let sure = cx.elicit::<Sure>("Burn the drafts?").await?;
        Ok(format!("archived, drafts burnt: {}", sure.ok))
    }

    /// Has nothing to send with.
    #[saga(task)]
    #[tool]
    async fn fax(&self) -> Result<String, ErrorData> {
        Err(ErrorData::internal_error(
            "the fax machine is <b>out of paper</b>",
            None,
        ))
    }
}

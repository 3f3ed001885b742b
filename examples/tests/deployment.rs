//! The deployment example, wherever its server is torn down.
#![allow(clippy::unwrap_used, reason = "tests")]

use examples::deployment::{Deployer, TOOL};
use saga_runtime::testing::{Failure, Kit, Reply};
use serde_json::json;
use tempfile::TempDir;

/// What its log says, without the processes that wrote it.
fn log(folder: &TempDir) -> Vec<String> {
    let text = std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    lines.map(|(_, event)| event.to_owned()).collect()
}

fn kit() -> Kit<TempDir> {
    let server = |folder: &TempDir| Deployer {
        build_log: Some(folder.path().join("log")),
    };
    Kit::with_world(|| TempDir::new().unwrap(), server).comparing(log)
}

#[tokio::test]
async fn a_build_is_deployed_once() -> Result<(), Failure> {
    let everywhere = kit()
        .tool(TOOL, json!({ "initial_arg": "web" }))
        .answer("answer", json!({ "target": "production" }))
        .answer("reply", "yes, it is")
        .resumed_everywhere()
        .await?;
    assert_eq!(
        everywhere.result().text(),
        "Deployment to production initiated successfully based on confirmation."
    );
    assert_eq!(
        log(everywhere.ran().world()),
        [
            r#"build 1 of "web" registered"#,
            r#"build 1 deployed to "production""#
        ]
    );
    Ok(())
}

#[tokio::test]
async fn nothing_is_deployed_that_nobody_wants_or_the_model_fears() -> Result<(), Failure> {
    let refused = kit()
        .tool(TOOL, json!({ "initial_arg": "web" }))
        .answer("answer", Reply::decline());
    let refused = refused.resumed_everywhere().await?;
    assert_eq!(
        refused.result().text(),
        "Not deployed: no target was given."
    );
    let feared = kit()
        .tool(TOOL, json!({ "initial_arg": "web" }))
        .answer("answer", json!({ "target": "production" }))
        .answer("reply", "never on a Friday");
    let feared = feared.resumed_everywhere().await?;
    assert!(feared.result().is_error());
    assert_eq!(log(feared.ran().world()).len(), 1);
    Ok(())
}

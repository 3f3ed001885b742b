//! What is inside of a valid token: a continuation that does not fit the function is refused or goes on,
//! whatever it is.
#![no_main]

use std::{collections::BTreeMap, sync::OnceLock};

use libfuzzer_sys::fuzz_target;
use rmcp::model::ClientCapabilities;
use saga_runtime::{AskError, Client, Continuation, Cx, Elicit, Engine, Outcome, saga};
use serde::{Deserialize, Serialize};
use serde_json::json;

mod edits;
mod peer;

#[derive(Debug, Deserialize, Elicit)]
struct Count {
    n: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Shape {
    Round { radius: u32 },
    Named(String),
}

/// Loops, borrows, a helper, a join, and values of many kinds across the asks.
#[saga]
async fn tool(cx: &Cx) -> Result<String, AskError> {
    let mut shapes = vec![Shape::Round { radius: 3 }, Shape::Named("a".into())];
    let mut sums: BTreeMap<i64, Option<String>> = BTreeMap::new();
    let label = if shapes.len() > 1 { "many" } else { "few" };
    for (index, name) in ["x".to_owned(), "y".to_owned()].into_iter().enumerate() {
        let count = cx.elicit::<Count>(format!("{label} {name}")).await?;
        sums.insert(count.n, (index > 0).then_some(name));
        shapes.push(Shape::Named(format!("{count:?}")));
    }
    let first = sums.keys().next().copied();
    let more = helper(cx, &shapes, first).await.unwrap_or(-1);
    let (a, b) = saga_runtime::join!(cx.elicit::<Count>("a"), helper(cx, &shapes, Some(1)));
    Ok(format!("{sums:?} {shapes:?} {more} {:?} {b:?}", a?.n))
}

#[saga]
async fn helper(cx: &Cx, shapes: &[Shape], first: Option<i64>) -> Result<i64, String> {
    let count = cx.elicit::<Count>(format!("{first:?}")).await;
    let count = count.map_err(|error| error.to_string())?;
    Ok(count.n + i64::try_from(shapes.len()).unwrap_or_default())
}

fn client() -> Client {
    let capabilities = json!({ "elicitation": { "form": {} } });
    let capabilities: ClientCapabilities = serde_json::from_value(capabilities).unwrap();
    Client::with_capabilities(capabilities)
}

/// The continuations of a whole call, one for each round.
fn valid() -> &'static Vec<Vec<u8>> {
    static VALID: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    VALID.get_or_init(|| {
        let cx = peer::cx();
        let mut all = Vec::new();
        let run = |outcome: Outcome<Result<String, AskError>>| match outcome {
            Outcome::Suspended(suspended) => Some(suspended.continuation),
            _ => None,
        };
        let mut next = run(futures_executor::block_on(
            Engine::new(client()).start(tool(&cx)),
        ));
        while let Some(continuation) = next {
            all.push(continuation.encode().unwrap());
            next = run(resume(continuation, &cx));
        }
        assert!(all.len() > 3, "{}", all.len());
        all
    })
}

fn resume(continuation: Continuation, cx: &Cx) -> Outcome<Result<String, AskError>> {
    let answer = json!({ "action": "accept", "content": { "n": 4 } });
    let keys: Vec<_> = continuation.keys().map(str::to_owned).collect();
    let answers = keys
        .into_iter()
        .map(|key| (key, saga_runtime::Answer::Result(answer.clone())))
        .collect();
    futures_executor::block_on(Engine::new(client()).resume(continuation, answers, tool(cx)))
}

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else {
        return;
    };
    let bytes = match usize::from(*kind) {
        0 => data.to_vec(),
        kind => edits::edited(&valid()[kind % valid().len()], data),
    };
    if let Ok(continuation) = Continuation::decode(&bytes) {
        match resume(continuation, &peer::cx()) {
            Outcome::Done(result) => drop(result),
            Outcome::Suspended(suspended) => drop(suspended.continuation.encode()),
            Outcome::Refused(error) => drop(error.to_string()),
            _ => {}
        }
    }
});

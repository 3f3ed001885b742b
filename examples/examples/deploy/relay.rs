//! The stateless wires: each round goes to another server, and the one before is dead.

use serde_json::Value;

use crate::{
    Result,
    http::Http,
    person::Person,
    replica::{Replica, Replicas},
    request::{Ask, Request},
    transcript,
};

/// What a client of a stateless wire says and hears.
pub(crate) trait Wire {
    /// The request that calls the tool.
    fn call(&mut self) -> Request;

    /// The questions of a suspended call; `None` where `result` is the tool's.
    fn asks(&self, result: &Value) -> Result<Option<Vec<Ask>>>;

    /// The request that goes on from `suspended`.
    fn resume(&mut self, suspended: &Value, answers: Vec<(String, Value)>) -> Request;
}

pub(crate) async fn run(
    wire: &mut impl Wire,
    http: &Http,
    person: &mut Person,
    replicas: &mut Replicas,
) -> Result<()> {
    replicas.start(2).await?;
    let mut request = wire.call();
    loop {
        let result = exchange(http, replicas.first()?, &request).await?;
        let Some(asks) = wire.asks(&result)? else {
            return Ok(());
        };
        let asked = asks.first().map_or("nobody", |ask| ask.kind.asked());
        replicas.fail_over(&format!("while {asked} thinks")).await?;
        let mut answers = Vec::new();
        for ask in asks {
            let answer = person.answer(&ask).await?;
            answers.push((ask.key, answer));
        }
        request = wire.resume(&result, answers);
    }
}

async fn exchange(http: &Http, server: &Replica, request: &Request) -> Result<Value> {
    transcript::sent(&server.name, request)?;
    let mut reply = http.post(&server.url, request).await?;
    let message = reply.message().await?.ok_or("the server did not answer")?;
    transcript::received(&server.name, &message)?;
    match message.get("result") {
        Some(result) => Ok(result.clone()),
        None => Err("the server answered with an error".into()),
    }
}

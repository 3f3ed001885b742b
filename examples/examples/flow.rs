//! Draws the suspension points of the example tools: `cargo run --example flow`. The text is mermaid;
//! GitHub, and mermaid.live, show it as a chart.
#![allow(missing_docs, dead_code, reason = "drawn, not run")]

use examples::deployment::Deployer;
use rmcp::{
    Peer, RoleServer,
    service::{ElicitationError, ElicitationMode},
};
use saga_runtime::{flow, saga};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Guests {
    count: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Dish {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}

rmcp::elicit_safe!(Guests, Dish, Confirm);

/// A table with a dish for each guest.
#[saga(flow)]
async fn reserve(peer: &Peer<RoleServer>, name: &str) -> Result<String, ElicitationError> {
    let modes = peer.supported_elicitation_modes();
    if !modes.contains(&ElicitationMode::Form) {
        return Ok("call us".to_owned());
    }
    let booking = std::process::id();
    let (guests, terrace) = tokio::join!(
        peer.elicit::<Guests>(format!("How many guests, {name}?")),
        peer.elicit::<Confirm>("On the terrace?")
    );
    let (guests, terrace) = (guests?, terrace?);
    let mut dishes = Vec::new();
    for guest in 0..guests.map_or(0, |guests| guests.count) {
        match peer
            .elicit::<Dish>(format!("Guest {guest}'s dish?"))
            .await?
        {
            Some(dish) => dishes.push(dish.name),
            None => continue,
        }
    }
    if !confirm(peer, &format!("{} dishes, sure?", dishes.len())).await {
        return Ok("nothing is booked".to_owned());
    }
    let terrace = terrace.is_some_and(|terrace| terrace.ok);
    Ok(format!("booking {booking}: {dishes:?}, terrace: {terrace}"))
}

/// Asks until the answer is yes or no.
#[saga(flow)]
async fn confirm(peer: &Peer<RoleServer>, message: &str) -> bool {
    loop {
        match peer.elicit::<Confirm>(message).await {
            Ok(Some(answer)) => return answer.ok,
            Ok(None) => {}
            Err(_) => return false,
        }
    }
}

fn main() {
    for function in [Deployer::flow(), reserve_flow(), confirm_flow()] {
        println!("{}", flow::mermaid(function));
    }
}

use rmcp::{RoleServer, service::RequestContext};
use saga_runtime::saga;
use std::sync::{Arc, Mutex};

#[derive(schemars::JsonSchema, serde::Deserialize)]
struct Sure {
    yes: bool,
}
rmcp::elicit_safe!(Sure);

struct Rates;

fn rates() -> Rates {
    Rates
}

struct Quote {
    amount: u32,
    rates: Rates,
    seen: Arc<Mutex<Vec<u32>>>,
}

#[saga]
async fn quote(cx: &RequestContext<RoleServer>, seen: &Arc<Mutex<Vec<u32>>>) -> u32 {
    let quote = Quote { amount: 3, rates: rates(), seen: seen.clone() };
    let _sure = cx.peer.elicit::<Sure>("Sure?").await;
    let _rates = quote.rates;
    quote.seen.lock().unwrap().push(quote.amount);
    quote.amount
}

struct Lease(u8);

impl Drop for Lease {
    fn drop(&mut self) {
        println!("{} is free", self.0);
    }
}

#[saga]
async fn dropped(cx: &RequestContext<RoleServer>) -> bool {
    let lease = Some(Lease(1));
    let _sure = cx.peer.elicit::<Sure>("Sure?").await;
    lease.is_some()
}

fn main() {}

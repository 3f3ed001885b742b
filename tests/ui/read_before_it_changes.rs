use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Count {
    n: u32,
}
rmcp::elicit_safe!(Count);

#[derive(Clone, Copy, serde::Serialize, Deserialize)]
struct Meter(u32);

impl Meter {
    fn plus(self, more: u32) -> u32 {
        self.0 + more
    }

    fn bump(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }
}

#[saga]
async fn a_value(peer: Peer<RoleServer>) -> u32 {
    let mut meter = Meter(1);
    meter.plus(meter.bump() + peer.elicit::<Count>("n?").await.ok().flatten().map_or(0, |count| count.n))
}

impl Meter {
    #[saga]
    async fn of_its_own(&mut self, peer: Peer<RoleServer>) -> u32 {
        self.0.max({
            self.bump();
            peer.elicit::<Count>("n?").await.ok().flatten().map_or(0, |count| count.n)
        })
    }
}

#[saga]
async fn an_option(peer: Peer<RoleServer>, mut limit: Option<u32>) -> u32 {
    limit.unwrap_or({
        limit.take();
        peer.elicit::<Count>("n?").await.ok().flatten().map_or(0, |count| count.n)
    })
}

impl Meter {
    #[saga]
    async fn show(self, peer: &Peer<RoleServer>, more: u32) -> u32 {
        peer.elicit::<Count>("n?").await.ok().flatten().map_or(0, |count| count.n) + self.0 + more
    }
}

// Of a function that asks, the argument is evaluated behind its receiver, too.
#[saga]
async fn a_receiver(peer: Peer<RoleServer>) -> u32 {
    let mut meter = Meter(1);
    meter.show(&peer, meter.bump()).await
}

fn main() {}

//! What an `as_ref` that is none of std's gives is not asked for again.

use rmcp::{RoleServer, elicit_safe, service::RequestContext};
use saga_runtime::saga;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Confirm {
    ok: bool,
}
elicit_safe!(Confirm);

struct Client;

struct Spare(Option<Client>);

impl Spare {
    fn as_ref(&self) -> Option<&Client> {
        self.0.as_ref()
    }
}

struct Server {
    main: Client,
    spare: Spare,
}

fn send(_: &Client) {}

impl Server {
    #[saga]
    async fn run(&self, cx: RequestContext<RoleServer>, urgent: bool) -> Result<(), rmcp::ErrorData> {
        let client = match self.spare.as_ref() {
            Some(spare) if urgent => spare,
            _ => &self.main,
        };
        cx.peer.elicit::<Confirm>("send?").await.ok();
        send(client);
        Ok(())
    }
}

fn main() {}

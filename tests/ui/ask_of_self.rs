//! The handle's own trait method: `self` is the handle, which the attribute does not see.

use rmcp::{Peer, RoleServer};
use saga_runtime::{Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Yes {
    sure: bool,
}

trait Sure {
    async fn sure(&self) -> bool;
    async fn folders(&self) -> bool;
    async fn both(&self) -> bool {
        false
    }
    async fn told(&self) {}
    async fn noted(&self) {}
}

impl Sure for Cx {
    #[saga]
    async fn sure(&self) -> bool {
        self.elicit::<Yes>("Sure?").await.is_ok_and(|yes| yes.sure)
    }

    #[saga]
    async fn folders(&self) -> bool {
        let cx: &Cx = self;
        cx.roots().await.is_ok()
    }
}

impl Sure for Peer<RoleServer> {
    #[saga]
    async fn sure(&self) -> bool {
        let peer: &Peer<RoleServer> = self;
        peer.list_roots().await.is_ok()
    }

    #[saga]
    async fn folders(&self) -> bool {
        self.list_roots().await.is_ok()
    }

    // One is seen, and the others are not.
    #[saga]
    async fn both(&self) -> bool {
        let peer: &Peer<RoleServer> = self;
        peer.list_roots().await.is_ok() && self.list_roots().await.is_ok() && self.folders().await
    }

    #[saga(plain(noted))]
    async fn told(&self) {
        let peer: &Peer<RoleServer> = self;
        if peer.list_roots().await.is_ok() {
            self.noted().await;
            self.notify_tool_list_changed().await.ok();
        }
    }
}

fn main() {}

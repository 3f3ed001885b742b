use std::time::Duration;

use saga_runtime::Cx;

#[saga_runtime::saga]
async fn limited(cx: Cx) {
    let _ = tokio::time::timeout(Duration::from_secs(1), cx.checkpoint()).await;
}

#[saga_runtime::saga]
async fn twice_limited(cx: Cx) {
    tokio::select! {
        _ = cx.roots().timeout(Duration::from_secs(1)) => {}
        _ = saga_runtime::sleep(Duration::from_secs(2)) => {}
    }
}

fn main() {}

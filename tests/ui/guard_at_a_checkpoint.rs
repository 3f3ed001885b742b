use saga_runtime::Cx;

#[saga_runtime::saga]
async fn held(cx: Cx) {
    let lock = std::sync::Mutex::new(1);
    let guard = lock.lock();
    cx.checkpoint().await;
    drop(guard);
}

fn main() {}

use std::sync::{Mutex, MutexGuard};

use saga_runtime::{Cx, Elicit, saga};

#[derive(serde::Serialize, serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

static TOTAL: Mutex<u64> = Mutex::new(0);

fn both() -> (MutexGuard<'static, u64>, u8) {
    (TOTAL.lock().unwrap(), 1)
}

#[saga]
async fn in_a_tuple(cx: Cx) -> bool {
    let held = both();
    let n = held.1;
    cx.elicit::<Confirm>(format!("{n}?")).await.is_ok()
}

#[saga]
async fn in_a_vec(cx: Cx) -> bool {
    let held = vec![TOTAL.lock().unwrap()];
    let n = held.len();
    cx.elicit::<Confirm>(format!("{n}?")).await.is_ok()
}

#[saga]
async fn in_a_box(cx: Cx, lock: &tokio::sync::RwLock<u8>) -> bool {
    let held = Box::new(lock.read().await);
    let n = **held;
    cx.elicit::<Confirm>(format!("{n}?")).await.is_ok()
}

fn main() {}

//! What is looked at where a handler's first server is made, and not in each that a factory makes of it.

use std::{
    any::TypeId,
    collections::HashSet,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use rmcp::ServerHandler;

/// A handler makes its router when it looks for a tool, and a router looks at its forms: when the server starts, and not at
/// the first call. One that panics there is looked at again.
pub(super) fn look_at_forms<H: ServerHandler>(handler: &H) {
    let this = TypeId::of::<H>();
    if !looked_at().contains(&this) {
        drop(handler.get_tool(""));
        looked_at().insert(this);
    }
}

fn looked_at() -> MutexGuard<'static, HashSet<TypeId>> {
    static LOOKED_AT: LazyLock<Mutex<HashSet<TypeId>>> = LazyLock::new(Mutex::default);
    LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rmcp::{ServerHandler, model::Tool};

    static MADE: AtomicUsize = AtomicUsize::new(0);

    struct Handler;

    impl ServerHandler for Handler {
        fn get_tool(&self, _: &str) -> Option<Tool> {
            MADE.fetch_add(1, Ordering::Relaxed);
            None
        }
    }

    #[test]
    fn a_handlers_router_is_made_for_its_first_server() {
        for _ in 0..3 {
            let _server = crate::SagaServer::new(Handler);
        }
        assert_eq!(MADE.load(Ordering::Relaxed), 1);
    }
}

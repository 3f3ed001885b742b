//! What is looked at where a handler's first server is made, and not in each that a factory makes of it.

use std::{
    any::TypeId,
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use rmcp::ServerHandler;

static LOOKED_AT: Mutex<Option<HashSet<TypeId>>> = Mutex::new(None);

/// A handler makes its router when it looks for a tool, and a router looks at its forms: when the server starts, and not at
/// the first call.
pub(super) fn look_at_forms<H: ServerHandler>(handler: &H) {
    if is_first::<H>() {
        drop(handler.get_tool(""));
    }
}

fn is_first<H: 'static>() -> bool {
    let mut looked_at = LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    looked_at.get_or_insert_default().insert(TypeId::of::<H>())
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

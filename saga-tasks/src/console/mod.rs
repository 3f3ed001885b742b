//! A web console: the tasks of a store, for those who operate the service (feature `console`).
//!
//! It is a router to mount behind the application's own authentication: **whoever reaches it sees every owner's tasks,
//! and may answer and cancel them**. Reading works without JavaScript; with it, the pages follow what happens.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use axum::{Router, extract::Request, http::StatusCode, middleware::{Next, from_fn}};
//! use saga_tasks::{SqliteStore, Tasks, console::Console};
//!
//! let tasks = Tasks::new(SqliteStore::open("tasks.db")?);
//! let console = Console::new(&tasks).router();
//! let app: Router = Router::new().nest(
//!     "/console",
//!     // The application's own: who is an operator here?
//!     console.layer(from_fn(|request: Request, next: Next| async move {
//!         match request.headers().contains_key("x-operator") {
//!             true => Ok(next.run(request).await),
//!             false => Err(StatusCode::UNAUTHORIZED),
//!         }
//!     })),
//! );
//! # Ok(())
//! # }
//! ```

mod detail;
mod fields;
mod guard;
mod list;
mod live;
mod page;
mod question;

use std::{fmt, sync::Arc};

use axum::{
    Router,
    http::header::CONTENT_TYPE,
    middleware::{from_fn, map_response},
    response::IntoResponse,
    routing::{get, post},
};
use saga_runtime::flow::Function;

use crate::tasks::{Inner, Tasks};

/// The console of these tasks: see the [module](self).
#[derive(Clone)]
pub struct Console {
    tasks: Arc<Inner>,
    flows: Vec<&'static Function>,
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console")
            .field("flows", &self.flows.len())
            .finish_non_exhaustive()
    }
}

impl Console {
    /// A console of these tasks, which may be those of a server, or the same store and keys in a process of its own
    /// ([`Tasks::workers`] with 0).
    pub fn new(tasks: &Tasks) -> Self {
        Self {
            tasks: Arc::clone(&tasks.0),
            flows: Vec::new(),
        }
    }

    /// Knows how this function looks, which `#[saga(flow)]` says: a tool, or a function that a tool calls. Those that
    /// this process has run are known without.
    ///
    /// ```
    /// # use saga_runtime::{AskError, Cx, saga};
    /// # use saga_tasks::{MemoryStore, Tasks, console::Console};
    /// #[saga(flow)]
    /// async fn approve(cx: Cx) -> Result<(), AskError> {
    ///     cx.checkpoint().await;
    ///     Ok(())
    /// }
    ///
    /// let console = Console::new(&Tasks::new(MemoryStore::new())).flow(approve_flow());
    /// ```
    #[must_use]
    pub fn flow(mut self, function: &'static Function) -> Self {
        self.flows.push(function);
        self
    }

    /// Its pages, to be mounted under any path. Its links are relative.
    pub fn router(self) -> Router {
        Router::new()
            .route("/", get(list::root))
            .route("/tasks", get(list::page))
            .route("/tasks/{id}", get(detail::page))
            .route("/tasks/{id}/answer", post(detail::answer))
            .route("/tasks/{id}/cancel", post(detail::cancel))
            .route("/events", get(live::events))
            .route("/style.css", get(|| asset("text/css", STYLE)))
            .route("/script.js", get(|| asset("text/javascript", SCRIPT)))
            .route("/icon.svg", get(|| asset("image/svg+xml", ICON)))
            .layer(from_fn(guard::same_origin))
            .layer(map_response(guard::headers))
            .with_state(Arc::new(self))
    }

    /// The function that goes on from a suspension point, and the point's number in it.
    fn standing(&self, point: u64) -> Option<(&'static Function, u32)> {
        let number = |function: &'static Function| Some((function, function.number_of(point)?));
        let given = self.flows.iter().copied().find_map(number);
        given.or_else(|| self.tasks.entered().values().copied().find_map(number))
    }

    /// The function of a tool, as far as its name says it.
    fn function_of(&self, tool: &str) -> Option<&'static Function> {
        let is = |function: &&'static Function| function.name == tool;
        let given = self.flows.iter().copied().find(is);
        given.or_else(|| self.tasks.entered().values().copied().find(is))
    }
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
const ICON: &str = include_str!("icon.svg");

async fn asset(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, format!("{kind}; charset=utf-8"))], text)
}

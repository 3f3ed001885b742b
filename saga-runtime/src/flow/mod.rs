//! What a saga function looks like: its suspension points, their keys, and what is stored at each.
//!
//! `#[saga(flow)]` puts a function beside the annotated one, named after it with `_flow` behind,
//! that gives its [`Function`]; [`mermaid`] draws it.
//!
//! ```
//! use rmcp::{Peer, RoleServer};
//! use saga_runtime::{flow, saga};
//! # #[derive(serde::Deserialize, schemars::JsonSchema)]
//! # struct Confirm { ok: bool }
//! # rmcp::elicit_safe!(Confirm);
//!
//! #[saga(flow)]
//! async fn sure(peer: &Peer<RoleServer>, name: &str) -> bool {
//!     let started = std::time::SystemTime::now();
//!     let sure = peer.elicit::<Confirm>(format!("{name}?")).await;
//!     sure.is_ok() && started.elapsed().is_ok()
//! }
//!
//! assert_eq!(sure_flow().points[0].stored, ["started"]);
//! let drawing = flow::mermaid(sure_flow());
//! assert!(drawing.contains("elicit"));
//! ```

mod mermaid;
mod svg;

pub use crate::engine::function::{Accepted, Function, Point};

/// The function's graph as the text of a [mermaid](https://mermaid.js.org) flowchart. Its nodes are
/// the suspension points, each with what is awaited, the base of its key and what is stored.
pub fn mermaid(function: &Function) -> String {
    Drawing::from(function).mermaid()
}

/// What is drawn of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Its name.
    pub name: String,
    /// The points that may come first; 0 where the function may return without any.
    pub first: Vec<u32>,
    /// Its suspension points, the first one is 1.
    pub points: Vec<DrawnPoint>,
}

/// What is drawn of a suspension point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrawnPoint {
    /// What is awaited.
    pub awaits: String,
    /// The base of its key; empty where there is none.
    pub key: String,
    /// What is stored there, each with as much of it as is to be shown.
    pub stored: Vec<String>,
    /// The points that may come next; 0 where the function may return.
    pub next: Vec<u32>,
}

impl From<&Function> for Drawing {
    fn from(function: &Function) -> Self {
        let points = function.points.iter().map(|point| DrawnPoint {
            awaits: point.awaits.to_owned(),
            key: point.key.to_owned(),
            stored: point.stored.iter().map(|name| (*name).to_owned()).collect(),
            next: point.next.to_vec(),
        });
        Self {
            name: function.name.to_owned(),
            first: function.first.to_vec(),
            points: points.collect(),
        }
    }
}

impl DrawnPoint {
    /// What is awaited, for people: a sleep's name is one of the macro's.
    fn shown(&self) -> &str {
        self.awaits.trim_start_matches("__saga_")
    }
}

/// Text inside of markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '&' => escaped.push_str("&amp;"),
            other => escaped.push(other),
        }
    }
    escaped
}

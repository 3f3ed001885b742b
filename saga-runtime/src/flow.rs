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

use std::fmt::Write;

pub use crate::engine::function::{Accepted, Function, Point};

/// The function's graph as the text of a [mermaid](https://mermaid.js.org) flowchart. Its nodes are
/// the suspension points, each with what is awaited, the base of its key and what is stored.
pub fn mermaid(function: &Function) -> String {
    let mut text = String::from("flowchart TD\n");
    // Writing to a string does not fail.
    let _ = writeln!(text, "    start([{}])", escaped(function.name));
    for (index, point) in function.points.iter().enumerate() {
        let _ = writeln!(text, "    p{}[\"{}\"]", index + 1, label(index + 1, point));
    }
    let _ = writeln!(text, "    done([returns])");
    edges(&mut text, "start", function.first);
    for (index, point) in function.points.iter().enumerate() {
        edges(&mut text, &format!("p{}", index + 1), point.next);
    }
    text
}

fn label(number: usize, point: &Point) -> String {
    let mut label = format!("{number}: {}", escaped(point.awaits));
    if !point.key.is_empty() {
        let _ = write!(label, "<br/>key: {}", escaped(point.key));
    }
    let stored = match point.stored {
        [] => "nothing".to_owned(),
        names => escaped(&names.join(", ")),
    };
    let _ = write!(label, "<br/>stored: {stored}");
    label
}

fn edges(text: &mut String, from: &str, next: &[u32]) {
    for point in next {
        let _ = match point {
            0 => writeln!(text, "    {from} --> done"),
            point => writeln!(text, "    {from} --> p{point}"),
        };
    }
}

/// Text inside a mermaid label.
fn escaped(text: &str) -> String {
    let escape = |character| match character {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

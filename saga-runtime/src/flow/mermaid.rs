//! A function's graph as a mermaid flowchart.

use std::fmt::Write;

use super::{Drawing, DrawnPoint, escaped};

impl Drawing {
    /// The text of a [mermaid](https://mermaid.js.org) flowchart.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        // Writing to a string does not fail.
        let _ = writeln!(text, "    start([{}])", escaped(&self.name));
        for (number, point) in (1..).zip(&self.points) {
            let _ = writeln!(text, "    p{number}[\"{}\"]", label(number, point));
        }
        let _ = writeln!(text, "    done([returns])");
        edges(&mut text, "start", &self.first);
        for (number, point) in (1..).zip(&self.points) {
            edges(&mut text, &format!("p{number}"), &point.next);
        }
        text
    }
}

fn label(number: u32, point: &DrawnPoint) -> String {
    let mut label = format!("{number}: {}", escaped(point.shown()));
    if !point.key.is_empty() {
        let _ = write!(label, "<br/>key: {}", escaped(&point.key));
    }
    let stored = match &point.stored[..] {
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

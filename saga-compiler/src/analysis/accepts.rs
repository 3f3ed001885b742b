//! `#[saga(accepts(..))]`: calls that wait at a point of earlier code and go on at one of this.

use crate::{analysis::graph::PointFacts, errors::Errors, syntax::attribute::Accepts};

/// A point of earlier code.
pub(crate) struct Accepted {
    pub(crate) fingerprint: u64,
    /// The values of its frames, by name.
    pub(crate) layout: Vec<String>,
}

/// Gives each point what it accepts.
pub(crate) fn resolve(said: &[Accepts], points: &mut [PointFacts]) -> Result<(), Errors> {
    let mut errors = Errors::default();
    for accepts in said {
        let labels: Vec<_> = points
            .iter()
            .map(|point| format!("`{}`", point.label))
            .collect();
        let Some(point) = points.iter_mut().find(|point| point.label == accepts.point) else {
            errors.refuse(
                &accepts.text,
                &format!(
                    "`{}` is no suspension point of this function",
                    accepts.point
                ),
                "calls under way go on at one of them",
                &format!("one of {}", labels.join(", ")),
            );
            continue;
        };
        match accepted(&accepts.text.value(), point) {
            Ok(accepted) => point.accepts.push(accepted),
            Err((what, instead)) => errors.refuse(
                &accepts.text,
                &what,
                "what a call under way has stored is found by its name, and before a line runs",
                &instead,
            ),
        }
    }
    errors.finish()
}

/// `9f3c2a7d11aa0042 elicit: (arguments), build`
fn accepted(text: &str, point: &PointFacts) -> Result<Accepted, (String, String)> {
    let line = "the line that `cargo saga lock --check` offers".to_owned();
    let unreadable = || {
        (
            "this names no point of earlier code".to_owned(),
            line.clone(),
        )
    };
    let (head, names) = text.split_once(':').ok_or_else(unreadable)?;
    let (hex, awaited) = head.trim().split_once(' ').ok_or_else(unreadable)?;
    let is_hex = hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let fingerprint = u64::from_str_radix(hex, 16).ok().filter(|_| is_hex);
    let fingerprint = fingerprint.ok_or_else(unreadable)?;
    if awaited.trim() != method(&point.awaits) {
        return Err((
            format!(
                "the earlier code awaited `{}` there, and this awaits `{}`",
                awaited.trim(),
                method(&point.awaits)
            ),
            "a point that awaits the same: an answer to one question is none to another".to_owned(),
        ));
    }
    let names = names.split(',').map(str::trim);
    let layout: Vec<String> = names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let count =
        |names: &[String], name: &String| names.iter().filter(|other| *other == name).count();
    let missing = point
        .layout
        .iter()
        .find(|name| count(&layout, name) != count(&point.layout, name));
    match missing {
        None => Ok(Accepted {
            fingerprint,
            layout,
        }),
        Some(name) => Err((
            format!("`{name}` is stored here, and was not stored by the earlier code"),
            format!(
                "do without `{name}` after the point, or evaluate it again: `#[saga(remake)]` above its `let`"
            ),
        )),
    }
}

/// What is awaited, less its type.
pub(crate) fn method(awaits: &str) -> &str {
    let end = awaits.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    awaits.get(..end.unwrap_or(awaits.len())).unwrap_or(awaits)
}

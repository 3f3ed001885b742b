//! What has changed at a point, and what the author can write.

use super::{
    compare::Now,
    file::{Locked, Point, Value},
};
use crate::flows::{Flow, is_known};

/// Types of a frame that are others now: of variables, and of what is awaited. What is not known does not differ.
pub(super) fn types(flow: &Flow, now: &saga_compiler::Point, before: &Point) -> Vec<String> {
    let mut differences = Vec::new();
    let mut stored: Vec<_> = before.stores.iter().collect();
    for variable in &now.frame {
        let same = |value: &&Value| value.name == variable.name;
        let Some(place) = stored.iter().position(same) else {
            continue;
        };
        let value = stored.remove(place);
        let (was, is) = (value.ty.as_deref(), flow.type_of(variable));
        if let Some(was) = was.filter(|was| variable.slot.is_some() && differ(was, &is)) {
            let name = &variable.name;
            differences.push(format!("the type of `{name}` was `{was}`, and is `{is}`"));
        }
    }
    let answers = flow.awaited(now);
    let pairs = before.answers.iter().zip(&answers);
    let differ = pairs.filter(|(was, is)| differ(was, is));
    differences.extend(
        differ.map(|(was, is)| format!("the type of what is awaited was `{was}`, and is `{is}`")),
    );
    differences
}

fn differ(was: &str, is: &str) -> bool {
    was != is && is_known(was) && is_known(is)
}

fn signature(flow: &Flow, before: &Locked) -> String {
    format!(
        "the signature was `{}`, and is `{}`",
        before.signature, flow.function.signature
    )
}

/// Everything that can be told.
pub(super) fn all(function: &Locked, point: &Point, now: Now<'_>) -> Vec<String> {
    let flow = now.flow;
    let mut differences = Vec::new();
    if flow.path != function.path {
        let name = function.name();
        match flow.name() == name {
            true => differences.push(format!("the function is `{}` now", flow.path)),
            false => differences.push(format!(
                "the function was renamed to `{}`; a tool is called by its name, which `#[tool(name = \"{name}\")]` keeps",
                flow.path
            )),
        }
    }
    let Some(current) = now.point.and_then(|place| flow.function.points.get(place)) else {
        differences.push("there is no such suspension point any more".to_owned());
        return differences;
    };
    if flow.function.signature != function.signature {
        differences.push(signature(flow, function));
    }
    if current.label != point.label {
        differences.push(format!("it seems to be `{}` now", current.label));
    }
    if current.awaits != point.awaits {
        let (was, is) = (&point.awaits, &current.awaits);
        differences.push(format!("it awaited `{was}`, and awaits `{is}`"));
    }
    if current.key != point.key {
        let (was, is) = (&point.key, &current.key);
        differences.push(format!("its key was `{was}`, and is `{is}`"));
    }
    differences.extend(variables(current, point));
    differences.extend(types(flow, current, point));
    if differences.is_empty() {
        differences.push("the code that runs after it has changed".to_owned());
    }
    differences
}

fn variables(now: &saga_compiler::Point, before: &Point) -> Vec<String> {
    let was: Vec<_> = before.stores.iter().map(|value| &value.name).collect();
    let is: Vec<_> = now.frame.iter().map(|value| &value.name).collect();
    let gone = was.iter().filter(|name| !is.contains(name));
    let gone = gone.map(|name| format!("`{name}` was stored there, and is not any more"));
    let new = is.iter().filter(|name| !was.contains(name));
    let new = new.map(|name| format!("`{name}` is stored there, and was not"));
    gone.chain(new).collect()
}

/// The attribute by which such calls go on; or why there is none.
pub(super) fn line(point: &Point, now: Now<'_>) -> Result<String, String> {
    let function = &now.flow.function;
    let Some(current) = now.point.and_then(|place| function.points.get(place)) else {
        return Err("there is no point at which they could go on".to_owned());
    };
    let method = |awaits: &str| {
        let end = awaits.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        awaits.get(..end.unwrap_or(awaits.len())).map(str::to_owned)
    };
    if method(&current.awaits) != method(&point.awaits) {
        return Err("an answer to one question is none to another".to_owned());
    }
    let joins = ["join(", "try_join(", "join_all("];
    if joins.iter().any(|join| point.awaits.starts_with(join)) {
        return Err(
            "the arms of a join go on by their places, with what the new code gives them"
                .to_owned(),
        );
    }
    let count = |name: &str, names: &[&str]| names.iter().filter(|other| **other == name).count();
    let was: Vec<_> = point
        .stores
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    let is: Vec<_> = current
        .frame
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    if let Some(missing) = is.iter().find(|name| count(name, &was) != count(name, &is)) {
        return Err(format!(
            "they have not stored `{missing}`: do without it after the point, or evaluate it again (`#[saga(remake)]` above its `let`), and they can go on"
        ));
    }
    let label = &current.label;
    let is_word = syn::parse_str::<proc_macro2::Ident>(label).is_ok();
    let label = match is_word {
        true => label.clone(),
        false => format!("{label:?}"),
    };
    Ok(format!(
        "`#[saga(accepts({label} = {:?}))]`",
        point.accepted_as
    ))
}

/// What the author has to look at before calls go on: it is not in the variables' names.
pub(super) fn cautions(point: &Point, now: Now<'_>) -> Vec<String> {
    let mut cautions = Vec::new();
    let current = now
        .point
        .and_then(|place| now.flow.function.points.get(place));
    let Some(current) = current else {
        return cautions;
    };
    let mut frame = current.frame.iter();
    if frame.any(|variable| !variable.named && variable.slot.is_some()) {
        cautions.push(
            "a loop's place, or the value of an operand, is among what is stored: the loop's head, or the expression around the question, must be what it was"
                .to_owned(),
        );
    }
    if !current.calls.is_empty() {
        let called = &point.awaits;
        cautions.push(format!(
            "`{called}` waits, too: what it is given by reference is what the new code gives it"
        ));
    }
    cautions
}

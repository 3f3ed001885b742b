//! A saga function in the terminal.

use std::fmt::Write;

use crate::flows::Flow;

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// The function, its points in order, and below them which functions it calls.
pub(super) fn drawn(flow: &Flow, all: &[&Flow]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{BOLD}{}{PLAIN}  {DIM}{} at {}{PLAIN}",
        flow.name(),
        flow.path,
        flow.place()
    );
    let function = &flow.function;
    let beginning = ways(0, &function.first, function.points.len());
    let _ = writeln!(text, "│{}", beginning.unwrap_or_default());
    for (index, point) in function.points.iter().enumerate() {
        let name = point.awaits.trim_start_matches("__saga_");
        let line = flow.line_of(index);
        let _ = write!(text, "├─ {BOLD}{} {name}{PLAIN}", index + 1);
        if !point.key.is_empty() && point.key != point.awaits {
            let _ = write!(text, "  key `{}`", point.key);
        }
        let _ = writeln!(text, "  {DIM}line {line}{PLAIN}");
        if point.stored.is_empty() {
            let _ = writeln!(text, "│     {DIM}stores nothing{PLAIN}");
        }
        for variable in &point.stored {
            let by = match variable.named {
                true => "",
                false => "  (the compiler's)",
            };
            let _ = writeln!(
                text,
                "│     {}: {}{DIM}{by}{PLAIN}",
                variable.name,
                flow.type_of(variable)
            );
        }
        let ways = ways(index + 1, &point.next, function.points.len());
        let _ = writeln!(text, "│{}", ways.unwrap_or_default());
    }
    let _ = writeln!(text, "└─ returns");
    let mut tree = String::new();
    calls(&mut tree, flow, all, "", &mut vec![&flow.path]);
    if !tree.is_empty() {
        let _ = write!(text, "\ncalls\n{tree}");
    }
    text
}

/// Where it goes from there, if that is not just the next one below.
fn ways(from: usize, next: &[u32], points: usize) -> Option<String> {
    let below = |to: &u32| match usize::try_from(*to) {
        Ok(0) => from == points,
        Ok(to) => to == from + 1,
        Err(_) => false,
    };
    if let [only] = next
        && below(only)
    {
        return None;
    }
    let mut next = next.to_vec();
    // Returning comes last.
    next.sort_by_key(|to| to.wrapping_sub(1));
    let names = next.iter().map(|to| match to {
        0 => "returns".to_owned(),
        to if usize::try_from(*to).is_ok_and(|to| to <= from) => format!("back to {to}"),
        to => to.to_string(),
    });
    let names: Vec<_> = names.collect();
    Some(format!("     {DIM}then {}{PLAIN}", names.join(", or ")))
}

/// The functions that are called, and those that they call.
fn calls<'a>(
    tree: &mut String,
    flow: &'a Flow,
    all: &[&'a Flow],
    indent: &str,
    trail: &mut Vec<&'a str>,
) {
    let mut called: Vec<&str> = Vec::new();
    for name in flow.function.points.iter().flat_map(|point| &point.calls) {
        if !called.contains(&name.as_str()) {
            called.push(name);
        }
    }
    let last = called.len().saturating_sub(1);
    for (place, name) in called.into_iter().enumerate() {
        let (branch, below) = match place == last {
            true => ("└─ ", "   "),
            false => ("├─ ", "│  "),
        };
        let found: Vec<_> = candidates(flow, name, all);
        let known = match &found[..] {
            [] => format!("{DIM}no saga function of what was read{PLAIN}"),
            [one] => format!("{DIM}{}{PLAIN}", one.path),
            several => format!("{DIM}one of {} of that name{PLAIN}", several.len()),
        };
        let _ = writeln!(tree, "{indent}{branch}{name}  {known}");
        if let [one] = &found[..] {
            if trail.contains(&one.path.as_str()) {
                let _ = writeln!(tree, "{indent}{below}└─ {DIM}calls itself{PLAIN}");
                continue;
            }
            trail.push(&one.path);
            calls(tree, one, all, &format!("{indent}{below}"), trail);
            trail.pop();
        }
    }
}

/// The functions that may be meant: those whose paths have most in common with the caller's.
fn candidates<'a>(flow: &Flow, name: &str, all: &[&'a Flow]) -> Vec<&'a Flow> {
    let named = all.iter().copied().filter(|other| other.name() == name);
    let near = |other: &Flow| {
        let pairs = other.path.split("::").zip(flow.path.split("::"));
        pairs.take_while(|(one, other)| one == other).count()
    };
    let named: Vec<_> = named.map(|other| (near(other), other)).collect();
    let nearest = named.iter().map(|(near, _)| *near).max();
    let nearest = named.into_iter().filter(|(near, _)| Some(*near) == nearest);
    nearest.map(|(_, other)| other).collect()
}

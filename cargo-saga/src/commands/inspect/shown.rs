//! A token's content, for people and for machines.

use std::{
    fmt::Write,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, SecondsFormat, Utc};
use saga_runtime::inspect::{Bound, Inspected, Kind, Question, Standing};
use serde_json::{Value, json};

use super::names::Names;

pub(super) struct Shown<'a> {
    pub(super) inspected: &'a Inspected,
    pub(super) bound: &'a Bound,
    pub(super) names: &'a Names,
    /// Whether what variables hold is shown.
    pub(super) values: bool,
    pub(super) now: SystemTime,
}

impl Shown<'_> {
    pub(super) fn text(&self) -> String {
        let token = self.inspected;
        let mut text = String::new();
        let mut line = |name: &str, value: &str| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name:<10} {value}");
        };
        let kind = token.kind.as_str();
        line(
            "token",
            &format!(
                "{kind}, {} bytes, sealed with the key `{}`",
                token.bytes, token.key
            ),
        );
        line("call", &format!("{}, leg {}", token.call, token.leg));
        let (method, name) = self.called();
        line("of", &format!("{method} {name}"));
        if self.values
            && let Some((_, arguments)) = &token.carried
        {
            line("arguments", &Value::Object(arguments.clone()).to_string());
        }
        line("audience", self.bound.audience.as_deref().unwrap_or("none"));
        line(
            "principal",
            self.bound.principal.as_deref().unwrap_or("none"),
        );
        line("begun", &self.time(token.begun));
        line("issued", &self.time(token.issued));
        let expires = match token.expires <= self.now {
            true => format!("{} (it has expired)", self.time(token.expires)),
            false => self.time(token.expires),
        };
        line("expires", &expires);
        text.push_str("\nstands at\n");
        for frame in &token.frames {
            self.frame(&mut text, frame);
        }
        text.push_str("\nwaits for\n");
        for question in &token.questions {
            self.question(&mut text, question);
        }
        if token.questions.is_empty() {
            text.push_str("  nothing\n");
        }
        text
    }

    /// Method and name.
    fn called(&self) -> (&str, &str) {
        match &self.inspected.carried {
            Some((tool, _)) => ("tools/callSaga", tool),
            None => (&self.bound.method, &self.bound.name),
        }
    }

    fn frame(&self, text: &mut String, frame: &Standing) {
        let indent = "  ".repeat(frame.depth + 1);
        let named = self.names.get(frame.point);
        let _ = match named {
            Some(named) => writeln!(
                text,
                "{indent}`{}` of {} ({}), {}, {}",
                named.label,
                named.function,
                named.place,
                named.awaits,
                bytes(frame.bytes)
            ),
            None => writeln!(
                text,
                "{indent}point {:016x}, {}: of other code than this workspace and its saga.lock, or an arm of a join that is one question",
                frame.point,
                bytes(frame.bytes)
            ),
        };
        for (place, stored) in frame.values.iter().enumerate() {
            let known = named.and_then(|named| named.values.get(place));
            let name = known.map_or_else(|| format!("#{}", place + 1), |(name, _)| name.clone());
            let ty = known
                .map(|(_, ty)| ty.as_str())
                .filter(|ty| !matches!(*ty, "" | "?"));
            let ty = ty.map(|ty| format!(": {ty}")).unwrap_or_default();
            let _ = write!(text, "{indent}  {name}{ty}, {}", bytes(stored.bytes));
            if self.values {
                let _ = write!(text, ", = {}", stored.value);
            }
            text.push('\n');
        }
        for done in &frame.done {
            let _ = writeln!(text, "{indent}  an arm that is done, {}", bytes(*done));
        }
    }

    fn question(&self, text: &mut String, question: &Question) {
        let Question {
            key,
            need,
            bytes: length,
            deadline,
            answered,
            ..
        } = question;
        let _ = write!(text, "  {key}: {need}, put with {}", bytes(*length));
        if let Some(deadline) = deadline {
            let _ = write!(text, ", until {}", self.time(*deadline));
        }
        let _ = writeln!(text, "{}", if *answered { ", answered" } else { "" });
    }

    fn time(&self, time: SystemTime) -> String {
        let distance = match (self.now.duration_since(time), time.duration_since(self.now)) {
            (Ok(ago), _) => format!("{} ago", length(ago)),
            (_, Ok(ahead)) => format!("in {}", length(ahead)),
            _ => String::new(),
        };
        format!("{}, {distance}", written(time))
    }

    pub(super) fn json(&self) -> Value {
        let token = self.inspected;
        let (method, name) = self.called();
        let arguments = match (&token.carried, self.values) {
            (Some((_, arguments)), true) => Value::Object(arguments.clone()),
            _ => Value::Null,
        };
        let frames = token.frames.iter().map(|frame| {
            let named = self.names.get(frame.point);
            let values = frame.values.iter().enumerate().map(|(place, stored)| {
                let known = named.and_then(|named| named.values.get(place));
                let mut value = json!({
                    "name": known.map(|(name, _)| name),
                    "type": known.map(|(_, ty)| ty),
                    "bytes": stored.bytes,
                });
                if self.values
                    && let Some(members) = value.as_object_mut()
                {
                    members.insert("value".to_owned(), stored.value.clone());
                }
                value
            });
            json!({
                "depth": frame.depth,
                "point": format!("{:016x}", frame.point),
                "function": named.map(|named| &named.function),
                "label": named.map(|named| &named.label),
                "awaits": named.map(|named| &named.awaits),
                "place": named.map(|named| &named.place),
                "bytes": frame.bytes,
                "values": values.collect::<Vec<_>>(),
                "done": frame.done,
            })
        });
        let questions = token.questions.iter().map(|question| {
            json!({
                "key": question.key,
                "need": question.need,
                "bytes": question.bytes,
                "deadline": question.deadline.map(written),
                "answered": question.answered,
            })
        });
        json!({
            "kind": token.kind.as_str(),
            "bytes": token.bytes,
            "key": token.key,
            "call": token.call.to_string(),
            "leg": token.leg,
            "method": method,
            "name": name,
            "arguments": arguments,
            "callInToken": token.kind == Kind::SagaToken,
            "audience": self.bound.audience,
            "principal": self.bound.principal,
            "begun": written(token.begun),
            "issued": written(token.issued),
            "expires": written(token.expires),
            "expired": token.expires <= self.now,
            "frames": frames.collect::<Vec<_>>(),
            "questions": questions.collect::<Vec<_>>(),
        })
    }
}

fn bytes(count: usize) -> String {
    match count {
        1 => "1 byte".to_owned(),
        count => format!("{count} bytes"),
    }
}

fn written(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// To two units.
fn length(length: Duration) -> String {
    let seconds = length.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_two_units() {
        for (seconds, shown) in [
            (0, "0 s"),
            (59, "59 s"),
            (61, "1 min 1 s"),
            (3600, "1 h 0 min"),
            (90_000, "1 d 1 h"),
        ] {
            assert_eq!(length(Duration::from_secs(seconds)), shown);
        }
    }
}

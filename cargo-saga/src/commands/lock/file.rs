//! The file `saga.lock`: a block of lines for each function, made for diffs and merges.

use std::fmt::Write;

use crate::{error::Error, flows::Flow};

/// Which form the file has.
const VERSION: &str = "1";

const HEAD: &str = "# Made by `cargo saga lock`: what calls under way have stored, and where they go on. Commit it.\n\
                    # `cargo saga lock --check` tells which of them the code as it is would strand.\n";

/// What a file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lock {
    /// By package and path.
    pub(crate) functions: Vec<Locked>,
}

/// A function as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Locked {
    pub(crate) path: String,
    pub(crate) package: String,
    pub(crate) signature: String,
    pub(crate) points: Vec<Point>,
}

/// A suspension point as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) label: String,
    /// What `#[saga(accepts(label = ".."))]` says of it.
    pub(crate) accepted_as: String,
    pub(crate) fingerprint: u64,
    pub(crate) awaits: String,
    pub(crate) key: String,
    /// The types of what is awaited.
    pub(crate) answers: Vec<String>,
    /// The values of a frame.
    pub(crate) stores: Vec<Value>,
    /// Labels; empty where the function may return.
    pub(crate) next: Vec<String>,
    /// Points of code that is older still, whose calls went on here.
    pub(crate) accepts: Vec<u64>,
}

/// A value of a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) name: String,
    /// `None` for what the arguments were.
    pub(crate) ty: Option<String>,
}

impl Locked {
    pub(crate) fn of(flow: &Flow) -> Self {
        let function = &flow.function;
        let label = |number: &u32| match usize::try_from(*number) {
            Ok(0) | Err(_) => String::new(),
            Ok(number) => {
                let point = function.points.get(number - 1);
                point.map_or_else(String::new, |point| point.label.clone())
            }
        };
        let points = function.points.iter().map(|point| Point {
            label: point.label.clone(),
            accepted_as: point.accepted_as(),
            fingerprint: point.fingerprint,
            awaits: point.awaits.clone(),
            key: point.key.clone(),
            answers: flow.awaited(point),
            stores: point
                .frame
                .iter()
                .map(|value| Value {
                    name: value.name.clone(),
                    ty: value.slot.map(|_| flow.type_of(value)),
                })
                .collect(),
            next: point.next.iter().map(label).collect(),
            accepts: point.accepts.clone(),
        });
        Self {
            path: flow.path.clone(),
            package: flow.package.clone(),
            signature: function.signature.clone(),
            points: points.collect(),
        }
    }

    /// The last part of its path.
    pub(crate) fn name(&self) -> &str {
        let path = self.path.split('#').next().unwrap_or_default();
        path.rsplit("::").next().unwrap_or_default()
    }
}

impl Lock {
    /// As the file has it.
    pub(crate) fn written(&self) -> String {
        let mut text = format!("{HEAD}version {VERSION}\n");
        let mut functions: Vec<_> = self.functions.iter().collect();
        functions.sort_by_key(|function| (&function.package, &function.path));
        for function in functions {
            text.push('\n');
            line(&mut text, 0, "function", &function.path);
            line(&mut text, 1, "package", &function.package);
            line(&mut text, 1, "signature", &function.signature);
            for point in &function.points {
                point.write(&mut text);
            }
        }
        text
    }

    /// Reads a file.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let mut lock = Self::default();
        let mut is_versioned = false;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (word, value) = line.split_once(' ').unwrap_or((line, ""));
            let value = unescaped(value);
            match (word, is_versioned) {
                ("version", false) if value == VERSION => is_versioned = true,
                ("version", false) => return Err(other_version(&value)),
                (_, true) => lock
                    .take(word, value)
                    .ok_or_else(|| unreadable(number, line))?,
                (_, false) => return Err(unreadable(number, line)),
            }
        }
        match is_versioned {
            true => Ok(lock),
            false => Err(unreadable(1, "")),
        }
    }

    fn take(&mut self, word: &str, value: String) -> Option<()> {
        if word == "function" {
            self.functions.push(Locked {
                path: value,
                ..Locked::default()
            });
            return Some(());
        }
        let function = self.functions.last_mut()?;
        match word {
            "package" => function.package = value,
            "signature" => function.signature = value,
            "point" => function.points.push(Point {
                label: value,
                ..Point::default()
            }),
            _ => function.points.last_mut()?.take(word, value)?,
        }
        Some(())
    }
}

impl Point {
    fn write(&self, text: &mut String) {
        line(text, 1, "point", &self.label);
        line(text, 2, "as", &self.accepted_as);
        line(text, 2, "awaits", &self.awaits);
        if !self.key.is_empty() {
            line(text, 2, "key", &self.key);
        }
        for answer in &self.answers {
            line(text, 2, "answer", answer);
        }
        for Value { name, ty } in &self.stores {
            match ty {
                Some(ty) => line(text, 2, "stores", &format!("{name}: {ty}")),
                None => line(text, 2, "stores", name),
            }
        }
        for next in &self.next {
            match next.is_empty() {
                true => line(text, 2, "returns", ""),
                false => line(text, 2, "next", next),
            }
        }
        for accepted in &self.accepts {
            line(text, 2, "accepts", &format!("{accepted:016x}"));
        }
    }

    fn take(&mut self, word: &str, value: String) -> Option<()> {
        match word {
            "as" => {
                let hex = value.split(' ').next()?;
                self.fingerprint = u64::from_str_radix(hex, 16).ok()?;
                self.accepted_as = value;
            }
            "awaits" => self.awaits = value,
            "key" => self.key = value,
            "answer" => self.answers.push(value),
            "stores" => self.stores.push(match value.split_once(": ") {
                Some((name, ty)) => Value {
                    name: name.to_owned(),
                    ty: Some(ty.to_owned()),
                },
                None => Value {
                    name: value,
                    ty: None,
                },
            }),
            "next" => self.next.push(value),
            "returns" => self.next.push(String::new()),
            "accepts" => self.accepts.push(u64::from_str_radix(&value, 16).ok()?),
            _ => return None,
        }
        Some(())
    }
}

fn line(text: &mut String, depth: usize, word: &str, value: &str) {
    let indent = "  ".repeat(depth);
    let space = if value.is_empty() { "" } else { " " };
    // Writing to a string does not fail.
    let _ = writeln!(text, "{indent}{word}{space}{}", escaped(value));
}

/// A value of one line: keys are texts of the author.
fn escaped(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    let last = value.chars().count().saturating_sub(1);
    for (place, character) in value.chars().enumerate() {
        match character {
            '\\' => escaped.push_str("\\\\"),
            c if c.is_control()
                || c.is_whitespace() && (c != ' ' || place == 0 || place == last) =>
            {
                escaped.extend(c.escape_unicode());
            }
            other => escaped.push(other),
        }
    }
    escaped
}

fn unescaped(value: &str) -> String {
    let mut unescaped = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('\\') {
        unescaped.push_str(before);
        let code = after
            .strip_prefix("u{")
            .and_then(|code| code.split_once('}'));
        let code = code.and_then(|(hex, rest)| {
            let code = u32::from_str_radix(hex, 16).ok()?;
            Some((char::from_u32(code)?, rest))
        });
        rest = match code {
            Some((character, rest)) => {
                unescaped.push(character);
                rest
            }
            None => {
                unescaped.push('\\');
                after.strip_prefix('\\').unwrap_or(after)
            }
        };
    }
    unescaped.push_str(rest);
    unescaped
}

fn unreadable(number: usize, line: &str) -> Error {
    let is_conflict = ["<<<<<<<", "=======", ">>>>>>>"]
        .iter()
        .any(|mark| line.starts_with(mark));
    let what = match is_conflict {
        true => format!("`saga.lock` has a merge conflict in line {number}"),
        false => format!("`saga.lock` cannot be read: line {number} is `{line}`"),
    };
    Error::Refused {
        what,
        instead: "merge the code, then run `cargo saga lock`, which writes the file anew"
            .to_owned(),
    }
}

fn other_version(version: &str) -> Error {
    Error::Refused {
        what: format!("`saga.lock` is of version {version}, and this reads version {VERSION}"),
        instead: "the `cargo saga` that has written it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "tests")]

    use super::*;

    fn lock() -> Lock {
        let value = |name: &str, ty: Option<&str>| Value {
            name: name.to_owned(),
            ty: ty.map(str::to_owned),
        };
        let point = Point {
            label: "Where to?\n#2".to_owned(),
            accepted_as: "9f3c2a7d11aa0042 elicit: (arguments), build".to_owned(),
            fingerprint: 0x9f3c_2a7d_11aa_0042,
            awaits: "elicit::<Target>".to_owned(),
            key: " \\u{41} ".to_owned(),
            answers: vec!["Answered<Elicit<Target>>".to_owned()],
            stores: vec![
                value("(arguments)", None),
                value("build", Some("HashMap<String, fn(a: B) -> C>")),
            ],
            next: vec![String::new(), "Where to?\n#2".to_owned()],
            accepts: vec![7],
        };
        let function = |path: &str| Locked {
            path: path.to_owned(),
            package: "shop".to_owned(),
            signature: "async fn lend(&self, cx: Cx)".to_owned(),
            points: vec![point.clone()],
        };
        Lock {
            functions: vec![function("shop::lend"), function("shop::sell")],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let lock = lock();
        let text = lock.written();
        assert_eq!(Lock::read(&text).expect("it reads"), lock, "{text}");
        let windows = text.replace('\n', "\r\n");
        assert_eq!(Lock::read(&windows).expect("it reads"), lock);
    }

    #[test]
    fn the_order_is_that_of_the_paths() {
        let mut turned = lock();
        turned.functions.reverse();
        assert_eq!(turned.written(), lock().written());
    }

    #[test]
    fn what_is_no_lock_is_told() {
        for (text, said) in [
            ("", "line 1"),
            ("version 2\n", "version 2"),
            ("version 1\npoint x\n", "line 2"),
            ("version 1\nfunction f\n  as 1\n", "line 3"),
            ("version 1\nfunction f\n  point p\n    as x\n", "line 4"),
            ("version 1\n<<<<<<< HEAD\n", "merge conflict in line 2"),
            ("function f\n", "line 1"),
        ] {
            let error = Lock::read(text).expect_err(text).to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn any_text_is_a_line_of_its_own() {
        for text in [
            "",
            "\\",
            "\\\\",
            "\\u{",
            "\\u{6e}",
            "a\u{2028}b",
            " a ",
            "\t",
            "größe\\n",
        ] {
            let line = escaped(text);
            assert!(line.lines().count() <= 1, "{line}");
            assert_eq!(line.trim(), line);
            assert_eq!(unescaped(&line), text, "{line}");
        }
    }
}

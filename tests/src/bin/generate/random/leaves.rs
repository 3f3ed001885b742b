//! Variables, literals, places and texts.

use super::Gen;
use crate::program::{Answer, Node, Type};

impl Gen {
    /// A variable of the type, moved or cloned as may be, or a literal.
    pub(super) fn leaf(&mut self, ty: Type) -> Node {
        if !self.one_in(4)
            && let Some(node) = self.read(ty)
        {
            return node;
        }
        self.literal(ty)
    }

    pub(super) fn read(&mut self, ty: Type) -> Option<Node> {
        if !ty.is_copy()
            && self.one_in(2)
            && let Some(id) = self.find_movable(ty)
        {
            self.moved(id);
            return Some(self.leaf_of(id, ty, "@"));
        }
        if self.one_in(3)
            && let Some(part) = self.part(ty)
        {
            return Some(part);
        }
        let id = self.find_type(ty)?;
        Some(self.leaf_of(id, ty, if ty.is_copy() { "@" } else { "@.clone()" }))
    }

    /// A part of something else.
    pub(super) fn part(&mut self, ty: Type) -> Option<Node> {
        let (from, places): (Type, &[&str]) = match (ty, self.below(4)) {
            (_, 0) if self.joins && self.one_in(2) => match ty {
                Type::Int => (Type::TriedInt, &["@.clone().unwrap_or(-2)"]),
                Type::Str => (Type::TriedStr, &["@.clone().unwrap_or_default()"]),
                Type::Bool => (Type::TriedBool, &["@.is_ok()"]),
                _ => return None,
            },
            (Type::Bool, 0) if self.joins => (Type::Limited(Answer::Count), &["@.is_ok()"]),
            (Type::Int, 0) if self.joins => (
                Type::All(Answer::Count),
                &["@.iter().flatten().flatten().map(|c| c.n).sum::<i64>()"],
            ),
            (Type::Int, 0) => (Type::Host, &["@.port", "@.tags.len() as i64"]),
            (Type::Int, 1) => (Type::Pair, &["@.0"]),
            (Type::Int, 2) => (Type::Array, &["@[1]", "@[(LIMIT as usize)]"]),
            (Type::Int, _) => (Type::Answer(Answer::Count), &["@.n"]),
            (Type::Bool, 0) => (Type::Opt(Answer::Text), &["@.is_some()"]),
            (Type::Bool, 1) => (Type::Res(Answer::Count), &["@.is_ok()"]),
            (Type::Bool, 2) => (Type::MaybeStr, &["@.is_none()", "@.is_some()"]),
            (Type::Bool, _) => (Type::Answer(Answer::Confirm), &["@.ok"]),
            (Type::Str, 0) => (Type::Host, &["@.name.clone()"]),
            (Type::Str, 1) => (Type::RefStr, &["@.to_string()", "String::from(@)"]),
            (Type::Str, 2) => (Type::RefString, &["@.clone()", "@.to_owned()"]),
            (Type::Str, _) => (Type::Answer(Answer::Text), &["@.text.clone()"]),
            (Type::MaybeStr, _) => (Type::Answer(Answer::Text), &["@.note.clone()"]),
            (Type::List, 0) => (Type::RefList, &["@.to_vec()"]),
            (Type::List, 1) => (Type::MutList, &["@.clone()", "@.to_vec()"]),
            (Type::List, _) => (Type::Host, &["@.tags.clone()"]),
            (Type::Maybe, _) => (Type::List, &["@.first().copied()", "@.get(1).copied()"]),
            (Type::Host, _) => (Type::RefHost, &["@.clone()"]),
            _ => return None,
        };
        let place = places[self.below(places.len())];
        if place.ends_with("i64") {
            let id = self.find_type(from)?;
            return Some(self.leaf_of(id, ty, &format!("({place})")));
        }
        let id = self.find_type(from)?;
        Some(self.leaf_of(id, ty, place))
    }

    pub(super) fn literal(&mut self, ty: Type) -> Node {
        let n = self.below(5);
        let word = self.word();
        let text = match ty {
            Type::Int => format!("{n}i64"),
            Type::Bool => n.is_multiple_of(2).to_string(),
            Type::Char => "'k'".to_owned(),
            Type::Str => [
                format!("String::from({word})"),
                format!("{word}.to_string()"),
                "String::new()".to_owned(),
            ][n % 3]
                .clone(),
            Type::List => ["vec![3i64, 1]", "Vec::<i64>::new()", "vec![4i64; 2]"][n % 3].to_owned(),
            Type::Names => [
                "vec![String::from(\"u\"), String::from(\"v\")]",
                "Vec::<String>::new()",
            ][n % 2]
                .to_owned(),
            Type::Maybe => ["Some(2i64)", "None::<i64>"][n % 2].to_owned(),
            Type::MaybeStr => ["Some(String::from(\"m\"))", "None::<String>"][n % 2].to_owned(),
            Type::Pair => format!("({n}i64, String::from({word}))"),
            Type::Array => format!("[{n}, 2, 3i64]"),
            Type::Host => "host()".to_owned(),
            Type::Level => [
                "Level::Low".to_owned(),
                format!("Level::Mid({n})"),
                format!("Level::High {{ label: {word}.into() }}"),
            ][n % 3]
                .clone(),
            Type::RefStr => word,
            _ => ty.smallest().unwrap_or("()").to_owned(),
        };
        // A struct literal is not allowed bare in the head of an `if` or `match`.
        let bare = text.contains('{');
        Node::leaf(ty, if bare { format!("({text})") } else { text })
    }

    pub(super) fn word(&mut self) -> String {
        ["\"alpha\"", "\"be ta\"", "\"γ\"", "\"\"", "\"w\""][self.below(5)].to_owned()
    }

    /// `&str` of something, without asks; the place it borrows from is not changed by the caller.
    pub(super) fn text(&mut self) -> Node {
        let (template, id) = match self.below(5) {
            0 => ("@", self.find_type(Type::RefStr)),
            1 => ("@.as_str()", self.find_type(Type::Str)),
            2 => ("@.name.as_str()", self.find_type(Type::Host)),
            3 => ("@.trim()", self.find_type(Type::RefString)),
            _ => ("", None),
        };
        match id {
            Some(id) => self.leaf_of(id, Type::RefStr, template),
            None => self.literal(Type::RefStr),
        }
    }

    /// `format!` of some of the variables.
    pub(super) fn formatted(&mut self) -> Node {
        // What it evaluates may move a variable; those that are left are captured.
        let value = self
            .one_in(3)
            .then(|| self.no_asks(|this| this.value(Type::Int, 1)));
        let captures = self.captures(3);
        match value {
            Some(value) => {
                let template = format!("format!(\"f{captures} {{}}\", $)");
                Node::expr(Type::Str, &template, vec![value])
            }
            None => Node::leaf(Type::Str, format!("format!(\"f{captures}\")")),
        }
    }

    pub(super) fn captures(&mut self, up_to: usize) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.below(up_to) {
            if let Some(id) = self.find(|var| var.ty != Type::Error) {
                let name = self.var(id);
                if !text.contains(&format!(" {name}=")) {
                    text.push_str(&format!(" {name}={{{name}:?}}"));
                }
            }
        }
        text
    }

    /// What is seen of a function at its end: most of its variables.
    pub(super) fn summary(&mut self) -> Node {
        let captures = self.captures(7);
        Node::leaf(Type::Str, format!("format!(\"end{captures}\")"))
    }
}

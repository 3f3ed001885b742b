//! As many asks in one round as there are items: `join_all` and `try_join_all`.

use super::Gen;
use crate::program::{Answer, Kind, Node, Type};

/// Futures for `join_all`.
struct Futures {
    /// Statements directly before the one that awaits them.
    before: String,
    text: String,
}

impl Gen {
    /// `let all = join_all(..).await;`
    pub(super) fn all_stmt(&mut self) -> Node {
        // Something to map over, if there is nothing.
        let mut before = String::new();
        let mut parts = Vec::new();
        if self.one_in(2) {
            let names = self.value(Type::Names, 2);
            let name = self.unique("v");
            before = format!("let {name} = $; ");
            parts.push(names);
            self.declare(&name, Type::Names, false);
        }
        let (futures, value, ty) = self.join_all();
        parts.push(value);
        let name = self.name();
        self.declare(&name, ty, false);
        Node::stmt(&format!("{before}{futures}let {name} = $;"), parts)
    }

    /// The awaited futures, and what stands directly before.
    fn join_all(&mut self) -> (String, Node, Type) {
        if self.one_in(4)
            && let Some(listed) = self.listed_futures()
        {
            return listed;
        }
        let (items, pattern, name, item) = self.items();
        if self.one_in(2)
            && let Some((calls, ty, fallible)) =
                self.call_of_items(std::slice::from_ref(&name), item)
        {
            let futures = self.mapped(&items, &pattern, &name, &calls.concat());
            return self.all_of_calls(futures, ty, fallible);
        }
        let question = self.question(&name, item);
        let (ask, answer) = self.ask_for(&question);
        let futures = self.mapped(&items, &pattern, &name, &ask);
        self.all_of_asks(futures, answer)
    }

    fn ask_for(&mut self, question: &str) -> (String, Answer) {
        self.count_ask();
        self.budget = self.budget.saturating_sub(self.weight);
        let (peer, answer) = (self.peer, Answer::ALL[self.below(3)]);
        let shown = answer.name();
        (format!("{peer}.elicit::<{shown}>({question})"), answer)
    }

    /// `items.map(|item| future)`
    fn mapped(&mut self, items: &str, pattern: &str, name: &str, future: &str) -> Futures {
        let body = if self.one_in(4) {
            format!("{{ t.effect(&{name}); {future} }}")
        } else {
            future.to_owned()
        };
        let text = format!("{items}.map(|{pattern}| {body})");
        let gathered = self.unique("all");
        let before = match self.below(8) {
            0 => format!("let {gathered} = {text}; "),
            1 => format!("let {gathered} = {text}.collect::<Vec<_>>(); "),
            2 => format!("let {gathered}: Vec<_> = {text}.collect(); "),
            _ => String::new(),
        };
        let text = if before.is_empty() { text } else { gathered };
        Futures { before, text }
    }

    /// `join_all([future, future])`, for two numbers.
    fn listed_futures(&mut self) -> Option<(String, Node, Type)> {
        let mut number = || {
            let id = self.find_type(Type::Int)?;
            Some(self.var(id))
        };
        let names = [number()?, number()?];
        let brackets = [("[", "]"), ("vec![", "]")][self.below(2)];
        let listed = |futures: &[String]| Futures {
            before: String::new(),
            text: format!("{}{}{}", brackets.0, futures.join(", "), brackets.1),
        };
        if self.one_in(2) {
            let (calls, ty, fallible) = self.call_of_items(&names, Type::Int)?;
            return Some(self.all_of_calls(listed(&calls), ty, fallible));
        }
        let [first, second] = names.map(|name| format!("format!(\"q {{{name}}}?\")"));
        let (ask, answer) = self.ask_for(&first);
        let other = ask.replace(&first, &second);
        Some(self.all_of_asks(listed(&[ask, other]), answer))
    }

    fn all_of_calls(&mut self, of: Futures, ty: Type, fallible: bool) -> (String, Node, Type) {
        let (list, element) = match ty {
            Type::Int => (Type::List, "i64"),
            _ => (Type::Names, "String"),
        };
        let Futures { before, text } = of;
        let all = format!("futures::future::join_all({text}).await");
        let text = match fallible {
            false => all,
            true if self.can_fail() && self.one_in(2) => {
                format!("futures::future::try_join_all({text}).await?")
            }
            true if self.tries() && self.one_in(2) => {
                format!("{all}.into_iter().collect::<Result<Vec<{element}>, _>>()?")
            }
            true => format!("{all}.into_iter().flatten().collect::<Vec<{element}>>()"),
        };
        (before, Node::leaf(list, text), list)
    }

    fn all_of_asks(&mut self, of: Futures, answer: Answer) -> (String, Node, Type) {
        let Futures { before, text } = of;
        if self.can_fail() && self.one_in(3) {
            let all = format!("futures::future::try_join_all({text}).await?");
            let (template, ty) = match answer {
                Answer::Count => (
                    "$.iter().map(|a| a.as_ref().map_or(-1, |c| c.n)).collect::<Vec<i64>>()",
                    Type::List,
                ),
                Answer::Text => (
                    "$.into_iter().flatten().map(|a| a.text).collect::<Vec<String>>()",
                    Type::Names,
                ),
                Answer::Confirm => ("$.into_iter().all(|a| a.is_some())", Type::Bool),
            };
            let all = Node::new(Kind::Part, &all, Vec::new());
            return (before, Node::expr(ty, template, vec![all]), ty);
        }
        let all = format!("futures::future::join_all({text}).await");
        let all = Node::new(Kind::Part, &all, Vec::new());
        if answer != Answer::Confirm && self.one_in(2) {
            return (before, all, Type::All(answer));
        }
        let (template, ty) = match answer {
            Answer::Count => (
                "$.iter().map(|a| match a { Ok(Some(c)) => c.n, _ => -1 }).collect::<Vec<i64>>()",
                Type::List,
            ),
            Answer::Text => (
                "$.into_iter().flatten().flatten().map(|a| a.text).collect::<Vec<String>>()",
                Type::Names,
            ),
            Answer::Confirm => ("$.into_iter().all(|a| a.is_ok())", Type::Bool),
        };
        (before, Node::expr(ty, template, vec![all]), ty)
    }

    /// What `join_all` maps over: the pattern of its closure, the item's name and type.
    fn items(&mut self) -> (String, String, String, Type) {
        let forms: [(Type, &str, Type); 9] = [
            (Type::List, "@.iter().take(2)", Type::Int),
            (Type::List, "@.clone().into_iter()", Type::Int),
            (Type::Names, "@.iter()", Type::RefString),
            (Type::Names, "@.iter().rev()", Type::RefString),
            (Type::Names, "@.clone().into_iter()", Type::Str),
            (Type::Names, "@.iter().enumerate()", Type::RefString),
            (Type::RefList, "@.iter().skip(1)", Type::Int),
            (Type::Array, "@.iter().take(2)", Type::Int),
            (Type::Int, "(0..2i64)", Type::Int),
        ];
        let mut known = Vec::new();
        for (from, template, ty) in forms {
            if let Some(id) = self.find_type(from) {
                known.push((template.replace('@', &self.var(id)), ty));
            }
        }
        known.push(("vec![3i64, 1].into_iter()".to_owned(), Type::Int));
        let (items, ty) = known.swap_remove(self.below(known.len()));
        let name = self.name();
        let is_owned = items.ends_with("into_iter()") || items.starts_with('(');
        let pattern = match ty {
            Type::RefString if items.ends_with("enumerate()") => format!("(_, {name})"),
            Type::Int if !is_owned => format!("&{name}"),
            _ => name.clone(),
        };
        (items, pattern, name, ty)
    }

    /// A question without effects, which is made again for each round.
    fn question(&mut self, name: &str, item: Type) -> String {
        match (item, self.below(3)) {
            (Type::RefString, 0) => format!("{name}.as_str()"),
            (Type::RefString, 1) => format!("{name}.clone()"),
            (Type::Str, 0) => name.to_owned(),
            (_, 2) => {
                let captures = self.captures(2);
                format!("format!(\"q {{{name}:?}}{captures}\")")
            }
            _ => format!("format!(\"q {{{name}}}?\")"),
        }
    }
}

//! Values of types without serde that a function puts together itself.

use super::Gen;
use crate::program::{Node, Type};

impl Gen {
    pub(super) fn aggregate_stmt(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        match self.below(5) {
            0 => self.chosen_way(),
            1 => self.inside_each_other(),
            2 => self.state_machine(),
            3 => self.jobs(),
            _ => self.changed_job(),
        }
    }

    fn way(&mut self) -> (String, Vec<Node>) {
        let (yes, n) = (self.value(Type::Bool, 1), self.value(Type::Int, 1));
        match self.below(3) {
            0 => (
                "if $ { Way::Fast } else { Way::Slow { n: $ } }".to_owned(),
                vec![yes, n],
            ),
            1 => (
                "match ($, $) { (true, n) if n > 1 => Way::Named(n.to_string(), None), (true, _) => { t.note(\"way\"); Way::Fast } (_, n) => Way::Slow { n } }".to_owned(),
                vec![yes, n],
            ),
            _ => ("Way::Named(($).to_string(), Some($))".to_owned(), vec![yes, n]),
        }
    }

    fn chosen_way(&mut self) -> Option<Node> {
        let name = self.unique("way");
        let (way, mut parts) = self.way();
        let ask = self.some_ask()?;
        parts.push(ask);
        let text = format!("let {name} = {way}; $ t.effect(&{name});");
        Some(Node::stmt(&text, parts))
    }

    fn inside_each_other(&mut self) -> Option<Node> {
        let (name, job) = (self.unique("way"), self.unique("job"));
        let (way, mut parts) = self.way();
        parts.push(self.some_ask()?);
        parts.push(self.value(Type::Str, 1));
        parts.push(self.some_ask()?);
        let back = ["None", "Some(Way::Fast)", "Some(Way::Slow { n: 4 })"];
        let back = back[self.below(3)];
        let text = format!(
            "let {name} = {way}; $ let {job} = Job {{ way: {name}, title: $, back: {back} }}; $ t.effect(&{job});"
        );
        Some(Node::stmt(&text, parts))
    }

    /// A value and an ask, which so many turns have.
    fn made_in_a_loop(&mut self, times: usize, ty: Type) -> Option<(Node, Node)> {
        self.looping(times, |this| {
            this.no_jumps(|this| this.scope(|this| Some((this.value(ty, 1), this.some_ask()?))))
        })
    }

    fn state_machine(&mut self) -> Option<Node> {
        let (state, by) = (self.unique("state"), self.unique("turn"));
        let (value, ask) = self.made_in_a_loop(3, Type::Int)?;
        let text = format!(
            "let mut {state} = Way::Fast; for {by} in 0..3 {{ t.effect((&{state}, {by})); \
             {state} = match {state} {{ Way::Fast => Way::Slow {{ n: $ }}, Way::Slow {{ n }} => Way::Named(n.to_string(), None), Way::Named(name, n) => Way::Named(name, n.or(Some({by}))) }}; $ }} t.effect({state});"
        );
        Some(Node::stmt(&text, vec![value, ask]))
    }

    fn jobs(&mut self) -> Option<Node> {
        let (jobs, by) = (self.unique("jobs"), self.unique("turn"));
        let (title, ask) = self.made_in_a_loop(2, Type::Str)?;
        let more = [
            "",
            "{}.reverse();",
            "{}.retain(|job| job.back.is_none());",
            "t.effect({}.pop());",
        ];
        let more = more[self.below(4)].replace("{}", &jobs);
        let made = [
            "Vec::new()",
            "vec![]",
            "vec![Job { title: String::new(), way: Way::Fast, back: None }]",
        ];
        let made = made[self.below(3)];
        let text = format!(
            "let mut {jobs} = {made}; for {by} in 0..2 {{ {jobs}.push(Job {{ title: $, way: Way::Slow {{ n: {by} }}, back: None }}); $ {more} }} t.effect(&{jobs});"
        );
        Some(Node::stmt(&text, vec![title, ask]))
    }

    fn changed_job(&mut self) -> Option<Node> {
        let draft = self.unique("draft");
        let (n, list) = (self.value(Type::Int, 1), self.value(Type::List, 1));
        let (first, second) = (self.some_ask()?, self.some_ask()?);
        let changed = [
            "{}.n += 1;",
            "{}.list.push(3);",
            "{}.list = vec![{}.n];",
            "std::mem::swap(&mut {}.n, &mut 5);",
        ];
        let changed = changed[self.below(4)].replace("{}", &draft);
        let text = format!(
            "let mut {draft} = Draft {{ n: $, list: $ }}; $ {changed} t.effect(&{draft}); $ {changed} t.effect({draft});"
        );
        Some(Node::stmt(&text, vec![n, list, first, second]))
    }
}

//! Names that mean something else where they stand: what an inner `let`, a pattern, an import or an item hides.

use super::Gen;
use crate::program::{Node, Type};

impl Gen {
    pub(super) fn name_stmt(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        match self.below(7) {
            0 | 1 => self.hidden_while_it_changes(),
            2 => self.guard_that_pushes(),
            3 => self.branch_with_items(),
            4 => self.named_like_a_function(),
            5 => self.hidden_draft(),
            _ => self.equal_bytes(),
        }
    }

    /// A list that changes where an inner name, which is the list's own, is given its value.
    fn hidden_while_it_changes(&mut self) -> Option<Node> {
        let id = self.find_mutable(Type::List)?;
        let list = self.var(id);
        let pushed = self.frozen(id, |this| this.value(Type::Int, 2));
        let ask = self.maybe(|this| {
            this.declare(&list, Type::Int, false);
            this.some_ask()
        })?;
        let text = match self.below(4) {
            0 => {
                "{ let @ = { @.push($); @.len() as i64 }; t.effect(@); $ t.effect(@); } t.effect(&@);"
            }
            1 => {
                "if let Some(@) = { @.push($); @.first().copied() } { t.effect(@); $ t.effect(@); } t.effect(&@);"
            }
            2 => {
                "match { @.push($); @.len() as i64 } { @ if @ > 1 => { $ t.effect(@); } @ => { t.effect(@); } } t.effect(&@);"
            }
            _ => "{ let (_, @) = (@.push($), @.len() as i64); $ t.effect(@); } t.effect(&@);",
        };
        Some(Node::stmt(&text.replace('@', &list), vec![pushed, ask]))
    }

    /// A guard is code: it may change what the arms then see.
    fn guard_that_pushes(&mut self) -> Option<Node> {
        let number = self.unique("q");
        let matched = self.value(Type::Int, 2);
        if self.one_in(2) {
            let draft = self.unique("draft");
            let (n, first) = (self.value(Type::Int, 1), self.some_ask()?);
            let mut asks = self.branches(2, |this, _| this.some_ask());
            let (other, one) = (asks.pop()??, asks.pop()??);
            let text = format!(
                "let mut {draft} = Draft {{ n: $, list: Vec::new() }}; $ match $ {{ \
                 {number} if {{ {draft}.list.push({number}); {draft}.list.len() as i64 > {number} }} => {{ $ t.effect(&{draft}); }} \
                 {number} => {{ {draft}.n += {number}; $ }} }} t.effect({draft});"
            );
            return Some(Node::stmt(&text, vec![n, first, matched, one, other]));
        }
        let id = self.find_mutable(Type::List)?;
        let list = self.var(id);
        let mut asks = self.branches(2, |this, _| this.some_ask());
        let (other, one) = (asks.pop()??, asks.pop()??);
        let text = format!(
            "match $ {{ {number} if {{ {list}.push({number}); t.effect({list}.len()); {number} > 1 }} => {{ $ }} _ => {{ $ }} }} t.effect(&{list});"
        );
        // What an arm moves is not there behind it.
        self.vars[id]
            .alive
            .then(|| Node::stmt(&text, vec![matched, one, other]))
    }

    /// A branch that imports or declares what has another's name.
    fn branch_with_items(&mut self) -> Option<Node> {
        let name = self.unique("scaled");
        let cond = self.value(Type::Bool, 1);
        let mut values = self.branches(2, |this, _| this.value(Type::Int, 1));
        let (other, one) = (values.pop()?, values.pop()?);
        let items = [
            "use other::doubled; doubled($)",
            "fn doubled(n: i64) -> i64 { n + 3 } doubled($)",
            "const LIMIT: i64 = 9; $ + LIMIT",
            "use other::{LIMIT, mix}; mix($, LIMIT)",
        ][self.below(4)];
        let rest = ["doubled($)", "$ + LIMIT", "mix(LIMIT, $)"][self.below(3)];
        let ask = self.some_ask()?;
        let template = if self.one_in(2) {
            format!("let {name} = if $ {{ {items} }} else {{ {rest} }}; $ t.effect({name});")
        } else {
            format!(
                "let {name} = match $ {{ true => {{ {items} }} _ => {rest} }}; $ t.effect({name});"
            )
        };
        Some(Node::stmt(&template, vec![cond, one, other, ask]))
    }

    /// A variable with the name of the function that made it.
    fn named_like_a_function(&mut self) -> Option<Node> {
        let (name, ty) = [
            ("doubled", Type::Int),
            ("sorted", Type::List),
            ("join", Type::Str),
        ][self.below(3)];
        let (arguments, values) = match ty {
            Type::Int => ("$", vec![self.value(Type::Int, 1)]),
            Type::List => ("$", vec![self.value(Type::List, 1)]),
            _ => (
                "$, $, \"j\"",
                vec![self.value(Type::Str, 1), self.value(Type::Int, 1)],
            ),
        };
        let ask = self.maybe(|this| {
            this.declare(name, ty, false);
            this.some_ask()
        })?;
        // There it would be the variable.
        if ask.mentions(&format!("{name}(")) {
            return None;
        }
        let text = format!("{{ let {name} = {name}({arguments}); $ t.effect(&{name}); }}");
        Some(Node::stmt(&text, values.into_iter().chain([ask]).collect()))
    }

    /// The same with what has no serde.
    fn hidden_draft(&mut self) -> Option<Node> {
        let draft = self.unique("draft");
        let (n, list) = (self.value(Type::Int, 1), self.value(Type::List, 1));
        let first = self.some_ask()?;
        let ask = self.maybe(|this| {
            this.declare(&draft, Type::Int, false);
            this.some_ask()
        })?;
        let inner = [
            "{ let @ = { @.list.push(@.n); @.n }; $ t.effect(@); }",
            "if let Some(@) = { @.list.push(4); @.list.first().copied() } { $ t.effect(@); }",
            "match { @.n += 1; @.n } { @ => { $ t.effect(@); } }",
        ][self.below(3)];
        let made = ["$", "{ $; Vec::new() }"][self.below(2)];
        let text = format!("let mut @ = Draft {{ n: $, list: {made} }}; $ {inner} t.effect(@);")
            .replace('@', &draft);
        Some(Node::stmt(&text, vec![n, list, first, ask]))
    }

    /// Values of other types that are written as the same bytes.
    fn equal_bytes(&mut self) -> Option<Node> {
        let (bytes, boxed, none, ask) = (
            self.unique("bytes"),
            self.unique("boxed"),
            self.unique("none"),
            self.some_ask()?,
        );
        let word = self.word();
        let text = format!(
            "let {bytes} = {word}.as_bytes(); let {boxed}: Box<[u8]> = {bytes}.into(); let {none}: Vec<&str> = {word}.split(' ').skip(1).collect(); \
             let shown_{none} = &{none}[..]; $ t.effect(({bytes}, &{boxed}, &{none}, shown_{none}));"
        );
        Some(Node::stmt(&text, vec![ask]))
    }
}

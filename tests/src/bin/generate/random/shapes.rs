//! Shapes that strangers wrote and the rest of the generator did not.

use super::{Gen, scope::VarId};
use crate::program::{Node, Type};

impl Gen {
    pub(super) fn shape_stmt(&mut self) -> Option<Node> {
        match self.below(42) {
            0 => Some(self.conditional()),
            1 | 2 => self.over_shelf(),
            3 => self.found_by_closure(),
            4 => self.other_name(),
            5 => Some(self.at_pattern()),
            6 => self.pairs(),
            7 => Some(self.temporary()),
            8 => self.looked_up(),
            9 => self.imported(),
            10 => self.destructured(),
            11 => self.tagged(),
            12 => self.row(),
            13 => self.held_iterator(),
            14 => self.found_by_what_changes(),
            15 => self.reference_that_goes_on(),
            16 => self.loop_over_temporary(),
            17..=22 => self.finding_stmt(),
            23..=27 => self.taking_stmt(),
            28..=30 => self.listed_stmt(),
            31..=35 => self.name_stmt(),
            _ => self.stranger_stmt(),
        }
    }

    pub(super) fn some_ask(&mut self) -> Option<Node> {
        self.can_ask().then(|| self.ask_stmt())
    }

    /// One that is made as often as a loop goes round.
    pub(super) fn some_ask_in_loop(&mut self, times: usize) -> Option<Node> {
        self.looping(times, Self::some_ask)
    }

    /// `#[cfg]` on statements, blocks and arms.
    fn conditional(&mut self) -> Node {
        let there = ["all()", "not(any())"][self.below(2)];
        match self.below(3) {
            0 => {
                let never = Node::stmt("t.note(\"never\");", Vec::new());
                let always = self.effect_stmt();
                let text = format!("#[cfg(any())] $ #[cfg({there})] $");
                Node::stmt(&text, vec![never, always])
            }
            1 => {
                let block = self.scope(|this| Node::block(this.stmts(2)));
                Node::stmt(&format!("#[cfg({there})] $"), vec![block])
            }
            _ => {
                let (name, value) = (self.unique("c"), self.value(Type::Int, 2));
                let other = self.value(Type::Int, 1);
                self.declare(&name, Type::Int, false);
                let text = format!(
                    "let {name} = match $ % 2 {{ #[cfg(any())] 0 => 1, #[cfg({there})] 0 => $, _ => 3 }};"
                );
                Node::stmt(&text, vec![value, other])
            }
        }
    }

    /// A type of one's own with std's method names: each is called once.
    fn over_shelf(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let (shelf, book) = (self.unique("shelf"), self.unique("book"));
        let owned = self.value(Type::List, 2);
        let (label, body) = self.looping_body(2, &book);
        let method = ["iter", "values", "iter().rev", "iter().enumerate"][self.below(4)];
        let (method, adapter) = method.split_once("()").unwrap_or((method, ""));
        let adapter = match adapter {
            "" => String::new(),
            adapter => format!("{adapter}()"),
        };
        let pat = match adapter.as_str() {
            ".enumerate()" => format!("(_, {book})"),
            _ => book,
        };
        let after = ["t.effect({}.len(t));", "t.effect({}.trim(t));"][self.below(2)];
        let after = after.replace("{}", &shelf);
        let text = format!(
            "let {shelf} = Shelf($); let kept_{shelf} = {shelf}.trim(t); let first_{shelf} = {shelf}.get(t, 0); \
             {label}for {pat} in {shelf}.{method}(t){adapter} $ t.effect((kept_{shelf}, first_{shelf})); {after}"
        );
        Some(Node::stmt(&text, vec![owned, body]))
    }

    /// A loop's body, and its label.
    pub(super) fn looping_body(&mut self, times: usize, item: &str) -> (String, Node) {
        let label = self.label(None);
        let body = self.looping(times, |this| {
            this.declare(item, Type::Int, false);
            this.scope(|this| Node::block(this.stmts(2)))
        });
        self.exits.pop();
        (label, body)
    }

    /// References that closures find.
    fn found_by_closure(&mut self) -> Option<Node> {
        let id = self.find(|var| var.ty == Type::Names && !var.mutable)?;
        let (from, name, by) = (self.var(id), self.unique("found"), self.unique("q"));
        let finder = [
            format!(
                "{from}.iter().max_by_key(|{by}| {by}.len()).map_or(\"none\", |{by}| {by}.as_str())"
            ),
            format!(
                "{from}.iter().find(|{by}| {by}.len() > 1).map(String::as_str).unwrap_or(\"none\")"
            ),
            format!("{from}.first().map_or(\"none\", |{by}| {by}.trim())"),
            format!(
                "{from}.iter().rev().map(|{by}| {by}.split('a').next().unwrap_or(\"x\")).next().unwrap_or_default()"
            ),
        ];
        let text = format!("let {name} = {};", finder[self.below(4)]);
        self.declare_borrow(&name, Type::RefStr, id);
        Some(Node::stmt(&text, Vec::new()))
    }

    /// The handle in an `Option`, a tuple, behind a reference to a reference.
    fn other_name(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let (held, peer) = (self.unique("held"), self.peer);
        let handle = self.unique("asking");
        self.count_ask();
        let message = self.message();
        let (declared, opened) = match self.below(4) {
            0 => (
                format!("let {held} = Some(&{peer}); let {held} = {held}.cloned();"),
                format!("if let Some({handle}) = {held}"),
            ),
            1 => (
                format!("let {held} = Some({peer}.clone());"),
                format!("if let Some({handle}) = &{held}"),
            ),
            2 => (
                format!("let {held} = Some(Some({peer}.clone()));"),
                format!("if let Some(Some({handle})) = &{held}"),
            ),
            _ => (
                format!("let {held} = std::sync::Arc::new({peer}.clone());"),
                format!("if let {handle} = {held}.as_ref()"),
            ),
        };
        Some(Node::stmt(
            &format!("{declared} {opened} {{ let _ = {handle}.elicit::<Confirm>($).await; }}"),
            vec![message],
        ))
    }

    /// `k @ pattern`, of a number and of a reference.
    fn at_pattern(&mut self) -> Node {
        let value = self.value(Type::Int, 2);
        let (at, rest) = (self.unique("at"), self.unique("rest"));
        let bodies = self.branches(2, |this, which| {
            let name = if which == 0 { at.clone() } else { rest.clone() };
            this.declare(&name, Type::Int, false);
            Node::block(this.stmts(2))
        });
        let mut parts = vec![value];
        parts.extend(bodies);
        let text = format!("match $ % 4 {{ {at} @ (0 | 1 | -1) => $ {rest} => $ }}");
        Node::stmt(&text, parts)
    }

    /// References beside values of types of one's own.
    fn pairs(&mut self) -> Option<Node> {
        let id = self.find_type(Type::Names)?;
        let (from, all, by) = (self.var(id), self.unique("all"), self.unique("q"));
        let made = [
            format!(
                "{from}.iter().map(|{by}| ({by}.as_str(), Level::Mid({by}.len() as i64))).collect::<Vec<_>>()"
            ),
            format!(
                "{from}.iter().map(|{by}| ({by}.as_str(), Trouble({by}.clone()))).collect::<std::collections::BTreeMap<_, _>>()"
            ),
            format!("{from}.iter().map(|{by}| (Level::Low, {by})).collect::<Vec<_>>()"),
            format!("{from}.iter().map(|{by}| ({by}, Level::Low, {by}.len())).collect::<Vec<_>>()"),
        ];
        let made = &made[self.below(4)];
        let ask = self.frozen(id, |this| this.some_ask())?;
        Some(Node::stmt(
            &format!("let {all} = {made}; $ t.effect(&{all});"),
            vec![ask],
        ))
    }

    /// What a `let` borrows from lives as long.
    fn temporary(&mut self) -> Node {
        let name = self.unique("lent");
        let (template, ty, value) = match self.below(3) {
            0 => ("&format!(\"<{}>\", $)", Type::RefString, Type::Int),
            1 => ("&t.fetch($).await", Type::RefString, Type::Str),
            _ => ("&mix($, 3).to_string()", Type::RefString, Type::Int),
        };
        let value = self.no_jumps(|this| this.no_asks(|this| this.value(value, 1)));
        self.declare(&name, ty, false);
        Node::stmt(&format!("let {name} = {template};"), vec![value])
    }

    /// An item that is looked up to be changed.
    fn looked_up(&mut self) -> Option<Node> {
        let id = self.find_mutable(Type::List)?;
        let (from, item) = (self.var(id), self.unique("item"));
        let lookup = ["get_mut(0)", "first_mut()", "last_mut()"][self.below(3)];
        let ask = self.ask_while_lent(id)?;
        let text = if self.one_in(2) {
            format!("if let Some({item}) = {from}.{lookup} {{ *{item} += 1; $ *{item} += 2; }}")
        } else {
            format!(
                "match {from}.{lookup} {{ Some({item}) => {{ $ *{item} -= 3; }} None => t.note(\"no item\") }}"
            )
        };
        Some(Node::stmt(&text, vec![ask]))
    }

    /// While an item of a list is lent, nobody reads the list.
    pub(super) fn ask_while_lent(&mut self, list: VarId) -> Option<Node> {
        self.vars[list].alive = false;
        let ask = self.frozen(list, |this| this.some_ask());
        self.vars[list].alive = true;
        ask
    }

    /// What is found by a number that changes, or by a property that does.
    fn found_by_what_changes(&mut self) -> Option<Node> {
        let id = self.find_mutable(Type::List)?;
        let (from, item, by) = (self.var(id), self.unique("item"), self.unique("by"));
        let ask = self.ask_while_lent(id)?;
        let text = [
            format!(
                "let mut {by} = 0usize; if let Some({item}) = {from}.get_mut({by}) {{ {by} += 1; *{item} += 1; $ *{item} += 2; }} t.effect({by});"
            ),
            format!(
                "let mut {by} = 1i64; if let Some({item}) = {from}.iter_mut().find(|one| **one > {by}) {{ {by} -= 5; *{item} = 0; $ *{item} -= 2; }} t.effect({by});"
            ),
            format!(
                "let mut {by} = {from}.len() / 2; {{ let (left, {item}) = {from}.split_at_mut({by}); {by} += 9; $ if let (Some(a), Some(b)) = (left.first_mut(), {item}.first_mut()) {{ *a += *b; }} }} t.effect({by});"
            ),
        ];
        Some(Node::stmt(&text[self.below(3)], vec![ask]))
    }

    /// An iterator of std's in a variable, which is gone through before, between and behind asks.
    fn held_iterator(&mut self) -> Option<Node> {
        let id = self.find_type(Type::List)?;
        let (from, items, one) = (self.var(id), self.unique("items"), self.unique("one"));
        let made = [
            format!("{from}.iter()"),
            format!("{from}.iter().copied().peekable()"),
            format!("{from}.clone().into_iter().skip(1)"),
            format!("{from}.iter().rev().take(3)"),
            "\"a bc  d e\".split(' ')".to_owned(),
            "\"x\\ny\\r\\n\\nz\".lines().peekable()".to_owned(),
            "\"h\u{e9}llo\".char_indices()".to_owned(),
            "\" p q r \".split_whitespace()".to_owned(),
        ];
        let made = &made[self.below(8)];
        let (first, second) = self.frozen(id, |this| {
            Some((this.some_ask()?, this.some_ask_in_loop(1)?))
        })?;
        let text = format!(
            "let mut {items} = {made}; t.effect(format!(\"{{:?}}\", {items}.next())); $ \
             for {one} in {items}.by_ref() {{ t.effect(format!(\"{{{one}:?}}\")); $ if t.effect(true) {{ break; }} }} \
             t.effect(format!(\"{{:?}}\", {items}.collect::<Vec<_>>()));"
        );
        Some(Node::stmt(&text, vec![first, second]))
    }

    /// A reference that goes on while what it led to is held.
    fn reference_that_goes_on(&mut self) -> Option<Node> {
        let (text, rest, word) = (
            self.unique("text"),
            self.unique("rest"),
            self.unique("word"),
        );
        let ask = self.some_ask_in_loop(3)?;
        let text = match self.below(2) {
            0 => format!(
                "let {text} = String::from(\"one two three\"); let mut {rest} = {text}.as_str(); \
                 while !{rest}.is_empty() {{ let end = {rest}.find(' ').unwrap_or({rest}.len()); \
                 let {word} = &{rest}[..end]; {rest} = {rest}[end..].trim_start(); $ t.note({word}); }}"
            ),
            _ => format!(
                "let {text} = (vec![1i64, 2, 3], vec![4i64]); let mut {rest} = (&{text}.0, 0i64); \
                 for {word} in {rest}.0.iter() {{ {rest}.0 = &{text}.1; {rest}.1 += {word}; $ t.effect({word}); }} t.effect({rest});"
            ),
        };
        Some(Node::stmt(&text, vec![ask]))
    }

    /// `use` in a block that asks.
    fn imported(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let level = self.value(Type::Level, 1);
        let text = self.unique("w");
        let ask = self.scope(Self::ask_stmt);
        Some(Node::stmt(
            &format!(
                "{{ use Level::*; use std::fmt::Write as _; let mut {text} = String::new(); \
                 match $ {{ Low => {{ let _ = write!({text}, \"low\"); $ }} Mid(1) => t.note(\"one\"), _ => {{ let _ = write!({text}, \"other\"); }} }} \
                 t.effect(&{text}); }}"
            ),
            vec![level, ask],
        ))
    }

    /// `(a, b) = (1, ask);`
    fn destructured(&mut self) -> Option<Node> {
        let first = self.find_mutable(Type::Int)?;
        let second = self.frozen(first, |this| this.find_mutable(Type::Int))?;
        let (a, b) = (self.var(first), self.var(second));
        let parts = self.frozen(first, |this| {
            this.frozen(second, |this| {
                vec![this.value(Type::Int, 2), this.value(Type::Int, 2)]
            })
        });
        let text = match self.below(2) {
            0 => format!("({a}, {b}) = ($, $);"),
            _ => format!("[{a}, _, {b}] = [$, 5, $];"),
        };
        Some(Node::stmt(&text, parts))
    }

    /// A struct with attributes of serde's.
    fn tagged(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let maybe = self.value(Type::Maybe, 1);
        let level = self.value(Type::Level, 1);
        let name = self.unique("tagged");
        let ask = self.ask_stmt();
        Some(Node::stmt(
            &format!(
                "let {name} = Tagged {{ maybe: $, level: $, name: named(\"static\") }}; let kind_{name} = Kind::Second {{ id: \"id\" }}; $ t.effect((&{name}, kind_{name}));"
            ),
            vec![maybe, level, ask],
        ))
    }

    /// A row of a table of constants, with `'static` text.
    fn row(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let index = self.value(Type::Int, 1);
        let name = self.unique("row");
        let ask = self.ask_stmt();
        Some(Node::stmt(
            &format!("let {name} = ROWS[($ as usize) % ROWS.len()]; $ t.effect({name});"),
            vec![index, ask],
        ))
    }

    /// A loop over what a temporary lends.
    fn loop_over_temporary(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let list = self.no_jumps(|this| this.no_asks(|this| this.value(Type::List, 1)));
        let item = self.unique("item");
        let (label, body) = self.looping_body(2, &item);
        let text = [
            format!("{label}for {item} in sorted($).iter().copied() $"),
            format!("{label}for &{item} in sorted($).iter() $"),
            format!("{label}for (_, &{item}) in sorted($).iter().enumerate() $"),
        ];
        Some(Node::stmt(&text[self.below(3)], vec![list, body]))
    }
}

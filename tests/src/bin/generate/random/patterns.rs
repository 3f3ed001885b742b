//! `if let`, `let … else`, `match` and `let` with patterns.

use super::Gen;
use crate::program::{Answer, Node, Type};

impl Gen {
    pub(super) fn pattern_stmt(&mut self) -> Option<Node> {
        match self.below(12) {
            0 if self.can_ask() => Some(self.if_let_ask()),
            1 if self.can_ask() => Some(self.chain()),
            2 => self.let_else(),
            3 => Some(self.tuple()),
            4 => self.host_apart(),
            5 => self.if_let_borrowed(),
            6 => self.if_let_moved(),
            7 => self.answer_apart(),
            8 if self.can_ask() && self.tries() => Some(self.answer_pattern()),
            9 => self.partial_move(),
            _ if self.within.jumps => self.let_chosen(),
            _ => None,
        }
    }

    fn if_let_ask(&mut self) -> Node {
        let ask = self.asked(Answer::Count);
        let name = self.name();
        let mut parts = self.branches(2, |this, branch| {
            if branch == 0 {
                this.declare(&name, Type::Answer(Answer::Count), false);
            }
            Node::block(this.stmts(3))
        });
        parts.insert(0, ask);
        Node::stmt(&format!("if let Ok(Some({name})) = $ $ else $"), parts)
    }

    /// A let chain with an ask in the middle of it.
    fn chain(&mut self) -> Node {
        let first = self.value(Type::Maybe, 2);
        let (a, b) = (self.unique("m"), self.name());
        let (mut parts, block) = self.maybe(|this| {
            this.declare(&a, Type::Int, false);
            let cond = this.value(Type::Bool, 2);
            let ask = this.asked(Answer::Text);
            this.declare(&b, Type::Answer(Answer::Text), false);
            let last = this.value(Type::Bool, 1);
            (vec![first, cond, ask, last], Node::block(this.stmts(2)))
        });
        let other = self.maybe(|this| Node::block(this.stmts(2)));
        parts.extend([block, other]);
        Node::stmt(
            &format!("if let Some({a}) = $ && $ && let Ok(Some({b})) = $ && $ $ else $"),
            parts,
        )
    }

    fn let_else(&mut self) -> Option<Node> {
        if !self.within.jumps {
            return None;
        }
        let value = self.value(Type::Maybe, 2);
        let otherwise = self.maybe(|this| {
            let mut stmts = this.stmts(1);
            stmts.push(this.jump());
            Node::block(stmts)
        });
        let name = self.name();
        let mutable = self.one_in(3);
        self.declare(&name, Type::Int, mutable);
        let shown = if mutable { "mut " } else { "" };
        Some(Node::stmt(
            &format!("let Some({shown}{name}) = $ else $;"),
            vec![value, otherwise],
        ))
    }

    fn tuple(&mut self) -> Node {
        let first = self.value(Type::Int, 2);
        let second = self.value(Type::Str, 2);
        let (a, b) = (self.unique("l"), self.name());
        let mutable = self.one_in(2);
        self.declare(&a, Type::Int, mutable);
        self.declare(&b, Type::Str, false);
        let shown = if mutable { "mut " } else { "" };
        Node::stmt(
            &format!("let ({shown}{a}, {b}) = ($, $);"),
            vec![first, second],
        )
    }

    /// `let Host { name, .. } = h;` or `&h`.
    fn host_apart(&mut self) -> Option<Node> {
        let (a, b) = (self.name(), self.unique("p"));
        if self.one_in(2) {
            let id = self.find_movable(Type::Host)?;
            let from = self.var(id);
            self.moved(id);
            self.declare(&a, Type::Str, true);
            self.declare(&b, Type::Int, false);
            let text = format!("let Host {{ name: mut {a}, port: {b}, .. }} = {from};");
            return Some(Node::stmt(&text, Vec::new()));
        }
        let id = self.find_type(Type::Host)?;
        let from = self.var(id);
        self.declare_borrow(&a, Type::RefString, id);
        Some(Node::stmt(
            &format!("let Host {{ name: {a}, .. }} = &{from};"),
            Vec::new(),
        ))
    }

    fn if_let_borrowed(&mut self) -> Option<Node> {
        let id = self.find_type(Type::MaybeStr)?;
        let (from, name) = (self.var(id), self.name());
        let mut parts = self.branches(2, |this, branch| {
            if branch == 0 {
                this.declare_borrow(&name, Type::RefString, id);
            }
            Node::block(this.stmts(2))
        });
        let last = parts.pop()?;
        let first = parts.pop()?;
        Some(if self.one_in(2) {
            Node::stmt(
                &format!("if let Some({name}) = &{from} $ else $"),
                vec![first, last],
            )
        } else {
            Node::stmt(
                &format!("match &{from} {{ Some({name}) => $, None => $ }}"),
                vec![first, last],
            )
        })
    }

    fn if_let_moved(&mut self) -> Option<Node> {
        let (id, name) = (self.find_movable(Type::MaybeStr)?, self.name());
        let from = self.var(id);
        self.moved(id);
        let block = self.maybe(|this| {
            this.declare(&name, Type::Str, false);
            Node::block(this.stmts(3))
        });
        Some(Node::stmt(
            &format!("if let Some({name}) = {from} $"),
            vec![block],
        ))
    }

    /// What was kept around an answer is opened later.
    fn answer_apart(&mut self) -> Option<Node> {
        let answer = Answer::ALL[self.below(3)];
        let name = self.name();
        if self.tries() && self.one_in(2) {
            let id = self.find_movable(Type::Res(answer))?;
            let from = self.var(id);
            self.moved(id);
            self.declare(&name, Type::Opt(answer), false);
            return Some(Node::stmt(&format!("let {name} = {from}?;"), Vec::new()));
        }
        if self.tries() && self.one_in(2) {
            let id = self.find_movable(Type::Limited(answer))?;
            let from = self.var(id);
            self.moved(id);
            self.declare(&name, Type::Res(answer), false);
            return Some(Node::stmt(&format!("let {name} = {from}?;"), Vec::new()));
        }
        let id = self.find_movable(Type::Opt(answer))?;
        let from = self.var(id);
        self.moved(id);
        let block = self.maybe(|this| {
            this.declare(&name, Type::Answer(answer), false);
            Node::block(this.stmts(3))
        });
        Some(Node::stmt(
            &format!("if let Some({name}) = {from} $"),
            vec![block],
        ))
    }

    /// An answer taken apart where it arrives.
    fn answer_pattern(&mut self) -> Node {
        let ask = self.asked(Answer::Text);
        let (a, b) = (self.name(), self.unique("o"));
        let otherwise = self.maybe(|this| {
            let mut stmts = this.stmts(1);
            let error = this.output.error;
            stmts.push(Node::stmt(
                &format!("return Err({error}(\"no text\".into()));"),
                Vec::new(),
            ));
            Node::block(stmts)
        });
        self.declare(&a, Type::Str, false);
        self.declare(&b, Type::MaybeStr, false);
        Node::stmt(
            &format!("let Some(Text {{ text: {a}, note: {b} }}) = $? else $;"),
            vec![ask, otherwise],
        )
    }

    /// A field moves out, and the rest is used later.
    /// Moves a field; the rest may be used after an ask.
    fn partial_move(&mut self) -> Option<Node> {
        let (from, field, rest) = [
            (Type::Answer(Answer::Text), "text", "note"),
            (Type::Pair, "1", "0"),
            (Type::Host, "name", "port"),
        ][self.below(3)];
        let id = self.find_movable(from)?;
        let (name, other) = (self.var(id), self.name());
        self.moved(id);
        // The ask comes before the declaration: what it mentions is not hidden.
        let between = (self.can_ask() && other != name).then(|| self.ask_stmt());
        let taken = match self.below(4) {
            0 => format!("vec![{name}.{field}].remove(0)"),
            1 => format!("if t.effect(true) {{ {name}.{field} }} else {{ String::new() }}"),
            2 => format!("match t.effect(1) {{ 1 => {name}.{field}, _ => String::new() }}"),
            _ => format!("{name}.{field}"),
        };
        self.declare(&other, Type::Str, false);
        Some(match between {
            Some(ask) => Node::stmt(
                &format!(
                    "let {other} = {{ let taken = {taken}; $ t.effect(&{name}.{rest}); taken }};"
                ),
                vec![ask],
            ),
            None => Node::stmt(&format!("let {other} = {taken};"), Vec::new()),
        })
    }

    pub(super) fn match_stmt(&mut self) -> Option<Node> {
        match self.below(4) {
            0 if self.can_ask() => Some(self.match_ask()),
            1 => self.match_level(),
            2 => self.match_text(),
            _ => Some(self.match_pair()),
        }
    }

    fn match_ask(&mut self) -> Node {
        let ask = self.asked(Answer::Text);
        let (text, name) = (self.name(), self.name());
        let mut parts = self.branches(4, |this, arm| {
            match arm {
                0 => this.declare(&text, Type::Str, false),
                1 => this.declare(&name, Type::Answer(Answer::Text), false),
                3 => this.declare("e", Type::Error, false),
                _ => 0,
            };
            Node::block(this.stmts(2))
        });
        parts.insert(0, ask);
        Node::stmt(
            &format!(
                "match $ {{ Ok(Some(Text {{ text: {text}, note: Some(_) }})) if {text}.len() > 4 => $, Ok(Some({name})) => $, Ok(None) | Err(ElicitationError::UserDeclined) => $, Err(e) => $ }}"
            ),
            parts,
        )
    }

    fn match_level(&mut self) -> Option<Node> {
        let id = self.find_type(Type::Level)?;
        let from = self.var(id);
        let (a, b) = (self.unique("m"), self.name());
        let parts = self.branches(4, |this, arm| {
            if arm == 2 {
                this.declare_borrow(&b, Type::RefString, id);
                return Node::block(this.stmts(2));
            }
            this.frozen(id, |this| Node::block(this.stmts(2)))
        });
        Some(Node::stmt(
            &format!(
                "match &{from} {{ Level::Low => $, Level::Mid({a}) if *{a} > 1 => $, Level::High {{ label: {b} }} => $, _ => $ }}"
            ),
            parts,
        ))
    }

    fn match_text(&mut self) -> Option<Node> {
        let id = self.find(|var| var.ty == Type::Str && !var.mutable)?;
        let (from, name) = (self.var(id), self.name());
        let parts = self.branches(3, |this, arm| {
            if arm == 2 {
                this.declare_borrow(&name, Type::RefStr, id);
                return Node::block(this.stmts(2));
            }
            this.frozen(id, |this| Node::block(this.stmts(2)))
        });
        Some(Node::stmt(
            &format!("match {from}.as_str() {{ \"alpha\" => $, \"\" | \"w\" => $, {name} => $ }}"),
            parts,
        ))
    }

    fn match_pair(&mut self) -> Node {
        let matched = vec![self.value(Type::Int, 2), self.value(Type::Maybe, 2)];
        let (a, b) = (self.unique("l"), self.name());
        let arms = self.branches(3, |this, arm| {
            if arm < 2 {
                this.declare(&b, Type::Int, false);
            }
            if arm == 1 {
                this.declare(&a, Type::Int, false);
            }
            Node::block(this.stmts(2))
        });
        let parts = matched.into_iter().chain(arms).collect();
        Node::stmt(
            &format!("match ($, $) {{ (0, Some({b})) => $, ({a}, Some({b})) => $, _ => $ }}"),
            parts,
        )
    }
}

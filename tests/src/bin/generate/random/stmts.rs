//! Statements.

use super::Gen;
use crate::program::{Answer, Node, Type};

impl Gen {
    pub(super) fn stmt(&mut self) -> Node {
        self.fuel = self.fuel.saturating_sub(1);
        if self.one_in(6) {
            self.retire_borrows();
        }
        for _ in 0..6 {
            if let Some(stmt) = self.try_stmt() {
                return stmt;
            }
        }
        self.effect_stmt()
    }

    fn try_stmt(&mut self) -> Option<Node> {
        if self.one_in(6) {
            return self.shape_stmt();
        }
        if self.within.asks && self.one_in(14) {
            return Some(self.pause());
        }
        match self.below(if self.joins { 33 } else { 30 }) {
            0..=3 => Some(self.let_value()),
            4 | 5 if self.can_ask() => Some(self.let_answer()),
            6 if self.can_ask() => Some(self.ask_stmt()),
            7 | 8 => self.let_borrow(),
            9 => Some(self.effect_stmt()),
            10 | 11 => self.mutation(),
            12 => self.assignment(),
            13 => self.call_stmt(),
            14 => Some(self.deferred()),
            15 | 16 => Some(self.if_stmt()),
            17 => self.match_stmt(),
            18 | 19 => self.pattern_stmt(),
            20..=23 => Some(self.loop_stmt()),
            24 => self.jump_if(),
            25 => Some(self.closure()),
            26 => Some(self.inner_block()),
            27 => self.element(),
            28 if self.can_ask() => Some(self.put_aside()),
            29 if self.blocks_around == 0 => Some(self.changing_macro()),
            30.. => self.join_stmt(),
            _ => None,
        }
    }

    /// A suspension point that asks nobody.
    fn pause(&mut self) -> Node {
        if self.one_in(3) {
            let length = self.value(Type::Int, 1);
            let sleep =
                "saga_runtime::sleep(Duration::from_nanos(i64::unsigned_abs($) % 9)).await;";
            return Node::stmt(sleep, vec![length]);
        }
        let template = [
            "saga_runtime::sleep(Duration::ZERO).await;",
            "assert!(saga_runtime::try_sleep(Duration::ZERO).await.is_ok());",
        ][self.below(2)];
        Node::stmt(template, Vec::new())
    }

    /// Some statements in their own scope.
    pub(super) fn stmts(&mut self, up_to: usize) -> Vec<Node> {
        let mut stmts = Vec::new();
        for _ in 0..1 + self.below(up_to) {
            if self.fuel > 0 {
                stmts.push(self.stmt());
            }
        }
        if stmts.is_empty() {
            stmts.push(self.effect_stmt());
        }
        stmts
    }

    fn any_type(&mut self) -> Type {
        if self.one_in(2) {
            return [Type::Int, Type::Str, Type::List][self.below(3)];
        }
        Type::VALUES[self.below(Type::VALUES.len())]
    }

    fn let_value(&mut self) -> Node {
        let ty = self.any_type();
        let mut value = self.value(ty, 3);
        let name = self.name();
        let mutable = self.one_in(2);
        let shown = if mutable {
            format!("mut {name}")
        } else {
            name.clone()
        };
        self.declare(&name, ty, mutable);
        // A bare number takes its type from its uses.
        if ty == Type::Int && self.one_in(3) {
            let n = self.below(9);
            value = Node::leaf(ty, n.to_string());
        }
        let template = if self.one_in(4) {
            format!("let {shown}: {} = $;", ty.name())
        } else {
            format!("let {shown} = $;")
        };
        Node::stmt(&template, vec![value])
    }

    pub(super) fn effect_stmt(&mut self) -> Node {
        match self.below(3) {
            0 => {
                let name = self.unique("note ");
                Node::stmt(&format!("t.note(\"{name}\");"), Vec::new())
            }
            1 => {
                let text = self.formatted();
                Node::stmt("t.note(&$);", vec![text])
            }
            _ => match self.find(|_| true) {
                Some(id) => {
                    let name = self.var(id);
                    let text = match self.vars[id].ty {
                        Type::Error => format!("t.note(&{name}.to_string());"),
                        _ => format!("t.effect(&{name});"),
                    };
                    Node::stmt(&text, Vec::new())
                }
                None => Node::stmt("t.note(\"nothing\");", Vec::new()),
            },
        }
    }

    /// A change in place; the place stays borrowed while the operand is evaluated.
    fn mutation(&mut self) -> Option<Node> {
        let (owner, template, hole) = match self.below(9) {
            0 | 1 => (Type::Int, "@ += $;", Type::Int),
            2 | 3 => (Type::List, "@.push($);", Type::Int),
            4 => (Type::Str, "@.push_str(&$);", Type::Str),
            5 => (Type::Names, "@.push($);", Type::Str),
            6 => (Type::Host, "@.port -= $;", Type::Int),
            7 => (Type::Host, "@.tags.push($);", Type::Int),
            _ => (Type::Host, "@.name = $;", Type::Str),
        };
        let id = self.find_mutable(owner)?;
        let template = template.replace('@', &self.var(id));
        let part = self.frozen(id, |this| this.value(hole, 2));
        Some(Node::stmt(&template, vec![part]))
    }

    fn assignment(&mut self) -> Option<Node> {
        let id = self.find_assignable()?;
        let (name, ty) = (self.var(id), self.vars[id].ty);
        if ty == Type::Str && self.can_move(id) && self.one_in(3) {
            // Moved and given back in one statement, which nothing may leave in the middle.
            self.moved(id);
            let part = self.no_jumps(|this| this.value(Type::Str, 2));
            self.vars[id].alive = true;
            return Some(Node::stmt(&format!("{name} = {name} + &$;"), vec![part]));
        }
        let value = self.frozen(id, |this| this.value(ty, 2));
        self.vars[id].alive = true;
        Some(Node::stmt(&format!("{name} = $;"), vec![value]))
    }

    /// `list[i] = value;`
    fn element(&mut self) -> Option<Node> {
        let id = self.find_mutable(Type::Array)?;
        let name = self.var(id);
        let (at, value) = self.frozen(id, |this| {
            let value = this.value(Type::Int, 2);
            (this.below(3), value)
        });
        let op = ["=", "+="][self.below(2)];
        Some(Node::stmt(&format!("{name}[{at}] {op} $;"), vec![value]))
    }

    /// `let d; if .. { d = ..; } else { d = ..; }`
    fn deferred(&mut self) -> Node {
        let ty = self.any_type();
        let name = self.unique("d");
        let cond = self.value(Type::Bool, 2);
        let assigned = format!("{name} = $;");
        let mut parts = self.branches(2, |this, _| {
            let mut stmts = this.stmts(1);
            let value = this.value(ty, 2);
            stmts.push(Node::stmt(&assigned, vec![value]));
            if this.one_in(3) {
                stmts.push(this.effect_stmt());
            }
            Node::block(stmts)
        });
        parts.insert(0, cond);
        self.declare(&name, ty, false);
        let shown = ty.name();
        let template = if self.one_in(2) {
            format!("let {name}; if $ $ else $")
        } else {
            format!("let {name}: {shown}; if $ $ else $")
        };
        Node::stmt(&template, parts)
    }

    /// A closure, called at once.
    fn closure(&mut self) -> Node {
        let inner = self.in_closure(|this| this.value(Type::Int, 1));
        let (closure, argument) = (self.unique("f"), self.unique("q"));
        // To hide what a closure borrows while the closure lives is refused: docs/refused.md.
        let name = self.unique("g");
        let given = self.in_closure(|this| this.value(Type::Int, 1));
        self.declare(&name, Type::Int, false);
        Node::stmt(
            &format!(
                "let {closure} = |{argument}: i64| ({argument} + $) % 97; let {name} = {closure}($) + {closure}(2);"
            ),
            vec![inner, given],
        )
    }

    /// An ask in a variable, awaited behind other code.
    fn put_aside(&mut self) -> Node {
        let ask = self.raw_ask(Answer::Count, true);
        let between = self.effect_stmt();
        let otherwise = self.value(Type::Int, 1);
        let (future, name) = (self.unique("ask"), self.unique("later"));
        self.declare(&name, Type::Int, false);
        let (pinned, awaited) = if self.one_in(3) && self.peer == "cx.peer" {
            let selected = format!(
                "(tokio::select! {{ answer = &mut {future} => answer, () = cx.ct.cancelled() => Ok(None) }})"
            );
            (format!("tokio::pin!({future});"), selected)
        } else {
            (String::new(), format!("{future}.await"))
        };
        let template = format!(
            "let {future} = $; $ {pinned} let {name} = match {awaited} {{ Ok(Some(answer)) => answer.n, _ => $ }};"
        );
        Node::stmt(&template, vec![ask, between, otherwise])
    }

    /// A macro that changes a variable, around other statements.
    fn changing_macro(&mut self) -> Node {
        let (changed, own) = (self.unique("changed"), self.unique("change"));
        let first = self.value(Type::Int, 2);
        let between = self.scope(|this| Node::block(this.stmts(2)));
        let name = self.unique("made");
        self.declare(&name, Type::Int, false);
        let template = format!(
            "let mut {changed} = $; macro_rules! {own} {{ () => {{ {changed} = ({changed} % 97) * 3 + 1 }} }} {own}!(); $ {own}!(); let {name} = {changed};"
        );
        Node::stmt(&template, vec![first, between])
    }

    fn inner_block(&mut self) -> Node {
        let block = self.scope(|this| Node::block(this.stmts(3)));
        Node::stmt("$", vec![block])
    }
}

//! Branches, blocks and jumps, as statements and as values.

use super::{Exit, Gen, Output, Within};
use crate::{
    print,
    program::{Kind, Node, Type},
};

impl Gen {
    /// Statements and a value in braces.
    pub(super) fn block_of(&mut self, ty: Type, depth: usize) -> Node {
        self.scope(|this| {
            let mut parts = if this.fuel > 0 {
                this.stmts(2)
            } else {
                Vec::new()
            };
            parts.push(this.last(ty, depth));
            Node::block(parts)
        })
    }

    /// The last value of a block, which may leave what is around the block instead.
    fn last(&mut self, ty: Type, depth: usize) -> Node {
        let value = self.value(ty, depth);
        if self.tries() && self.one_in(6) {
            return Node::expr(ty, "checked(t, $)?", vec![value]);
        }
        value
    }

    /// A value of control flow.
    pub(super) fn control(&mut self, ty: Type, depth: usize) -> Node {
        let d = depth - 1;
        self.fuel = self.fuel.saturating_sub(1);
        match self.below(8) {
            6 | 7 if self.within.asks => self.async_block(ty, d),
            0 => {
                let cond = self.condition(d);
                let mut parts = self.branches(2, |this, _| this.block_of(ty, d));
                parts.insert(0, cond);
                Node::expr(ty, "(if $ $ else $)", parts)
            }
            1 => {
                let block = self.block_of(ty, d);
                Node::expr(ty, "($)", vec![block])
            }
            2 => self.match_int(ty, d),
            3 if self.within.jumps => self.labelled(ty, d),
            // The text has a `break` in it, which is refused in a macro in a loop: docs/refused.md.
            4 if !self.within.invocation => self.loop_value(ty, d),
            _ => self.match_maybe(ty, d),
        }
    }

    /// The head of an `if` or `while`: `&&`, `||` and now and then a block.
    pub(super) fn condition(&mut self, depth: usize) -> Node {
        match self.below(4) {
            0 => self.shortcut("$ && $", depth),
            1 => self.shortcut("$ || $", depth),
            _ => self.value(Type::Bool, depth),
        }
    }

    pub(super) fn match_int(&mut self, ty: Type, d: usize) -> Node {
        let matched = self.value(Type::Int, d);
        let (guarded, other) = (self.name(), self.name());
        let (asks, guard) = self.guard(&guarded);
        let mut parts = self.branches(4, |this, arm| {
            match arm {
                2 => this.declare(&guarded, Type::Int, false),
                3 => this.declare(&other, Type::Int, false),
                _ => 0,
            };
            if this.one_in(2) {
                this.value(ty, d)
            } else {
                this.block_of(ty, d)
            }
        });
        parts.insert(0, matched);
        parts.insert(3, guard);
        // What is matched cannot be changed in a guard.
        let of = if asks { "mix($, 0)" } else { "$" };
        let text =
            format!("(match {of} {{ 0 => $, 1 | 2 => $, {guarded} if $ => $, {other} => $ }})");
        Node::expr(ty, &text, parts)
    }

    /// What stands in the guard of an arm with a number of this name, and whether it asks.
    fn guard(&mut self, name: &str) -> (bool, Node) {
        // In the guard the name is already the arm's.
        self.scope(|this| {
            this.declare(name, Type::Int, false);
            let ask = match this.one_in(3) && this.can_ask() {
                true => this.no_jumps(|this| this.ask(Type::Bool, 0)),
                false => None,
            };
            let limit = this.in_closure(|this| this.leaf(Type::Int));
            let (before, after) = (format!("{name} > $ && $"), format!("$ && {name} > $"));
            match ask {
                None => (
                    false,
                    Node::expr(Type::Bool, &format!("{name} > $"), vec![limit]),
                ),
                Some(ask) if this.one_in(2) => {
                    (true, Node::expr(Type::Bool, &before, vec![limit, ask]))
                }
                Some(ask) => (true, Node::expr(Type::Bool, &after, vec![ask, limit])),
            }
        })
    }

    fn match_maybe(&mut self, ty: Type, d: usize) -> Node {
        let matched = self.value(Type::Maybe, d);
        let name = self.name();
        let (asks, guard) = self.guard(&name);
        let mut parts = self.branches(3, |this, arm| {
            if arm < 2 {
                this.declare(&name, Type::Int, false);
            }
            this.block_of(ty, d)
        });
        parts.insert(0, matched);
        parts.insert(1, guard);
        let of = if asks { "$.map(|n| n)" } else { "$" };
        let text =
            format!("(match {of} {{ Some({name}) if $ => $, Some({name}) => $, None => $ }})");
        Node::expr(ty, &text, parts)
    }

    /// `'a: { .. break 'a value; .. value }`
    fn labelled(&mut self, ty: Type, d: usize) -> Node {
        let label = self.unique("'b");
        self.exits.push(Exit {
            label: Some(label.clone()),
            value: Some(ty),
            block: true,
        });
        let block = self.left_early(|this| {
            let mut parts = this.stmts(2);
            let cond = this.condition(2);
            let value = this.maybe(|this| this.value(ty, d));
            parts.push(Node::stmt(
                &format!("if $ {{ break {label} $; }}"),
                vec![cond, value],
            ));
            parts.extend(this.stmts(1));
            parts.push(this.last(ty, d));
            Node::block(parts)
        });
        self.exits.pop();
        Node::expr(ty, &format!("({label}: $)"), vec![block])
    }

    /// `async { .. }.await`, which `return` and `?` leave.
    fn async_block(&mut self, ty: Type, d: usize) -> Node {
        let (fallible, moves) = (self.one_in(2), self.one_in(3));
        // Under a limit it is a future of its own.
        let limited = !moves && self.one_in(3);
        let given = self.peer;
        let body = self.async_body(ty, d, fallible, moves);
        let block = match (moves, limited) {
            (true, _) => format!("{{ let peer = {given}.clone(); async move $.await }}"),
            (false, false) => "async $.await".to_owned(),
            (false, true) => {
                "match tokio::time::timeout(Duration::from_secs(600), async $).await { Ok(value) => value, Err(_) => unreachable!() }"
                    .to_owned()
            }
        };
        let (template, parts) = match (fallible, self.tries() && self.one_in(2)) {
            (false, _) => (format!("({block})"), vec![body]),
            (true, true) => (format!("({block})?"), vec![body]),
            (true, false) => {
                let other = self.literal(ty);
                (
                    format!("({block}).unwrap_or_else(|_| $)"),
                    vec![body, other],
                )
            }
        };
        Node::expr(ty, &template, parts)
    }

    /// The body of one, which asks, and gives a value or a `Result`.
    pub(super) fn async_body(&mut self, ty: Type, d: usize, fallible: bool, moves: bool) -> Node {
        let error = self.output.error;
        let exits = std::mem::take(&mut self.exits);
        let handle = (self.peer, self.context, self.has_alias);
        if moves {
            (self.peer, self.context, self.has_alias) = ("peer", None, false);
        }
        let inner = Output {
            ty,
            error,
            fallible,
        };
        let output = std::mem::replace(&mut self.output, inner);
        self.blocks_around += 1;
        let within = Within {
            jumps: true,
            ..self.within
        };
        let body = self.with(within, |this| {
            let inside = |this: &mut Self| {
                // With `move` it is the block's own copy that changes.
                let changed = this.find_mutable(Type::Int).map(|id| {
                    let name = this.var(id);
                    Node::stmt(&format!("{name} += 1;"), Vec::new())
                });
                let mut parts: Vec<Node> = changed.into_iter().collect();
                parts.extend(this.stmts(2));
                let value = this.last(ty, d);
                let tail = match fallible {
                    true => Node::new(
                        Kind::Part,
                        &format!("Ok::<{}, {error}>($)", ty.name()),
                        vec![value],
                    ),
                    false => value,
                };
                parts.push(tail);
                Node::block(parts)
            };
            this.captured(moves, inside, print::text)
        });
        self.blocks_around -= 1;
        self.output = output;
        self.exits = exits;
        (self.peer, self.context, self.has_alias) = handle;
        body
    }

    pub(super) fn if_stmt(&mut self) -> Node {
        let cond = self.condition(2);
        let count = 1 + self.below(3);
        if count == 3 {
            let branches = self.branches(2, |this, branch| {
                if branch == 0 {
                    return vec![Node::block(this.stmts(2))];
                }
                // What the second condition moves is moved in both of its branches.
                let mut parts = vec![this.condition(2)];
                parts.extend(this.branches(2, |this, _| Node::block(this.stmts(2))));
                parts
            });
            let parts = std::iter::once(cond)
                .chain(branches.into_iter().flatten())
                .collect();
            return Node::stmt("if $ $ else if $ $ else $", parts);
        }
        let mut parts = self.branches(2, |this, branch| {
            (branch < count).then(|| Node::block(this.stmts(3)))
        });
        parts.insert(0, Some(cond));
        let template = if count == 1 {
            "if $ $"
        } else {
            "if $ $ else $"
        };
        Node::stmt(template, parts.into_iter().flatten().collect())
    }

    /// `if cond { ..; return | break | continue }`
    pub(super) fn jump_if(&mut self) -> Option<Node> {
        if !self.within.jumps {
            return None;
        }
        let cond = self.condition(2);
        let block = self.maybe(|this| {
            let mut stmts = if this.fuel > 0 {
                this.stmts(1)
            } else {
                Vec::new()
            };
            stmts.push(this.jump());
            Node::block(stmts)
        });
        Some(Node::stmt("if $ $", vec![cond, block]))
    }

    /// A way out: of a loop, of several, or of the function.
    pub(super) fn jump(&mut self) -> Node {
        if self.exits.is_empty() || self.one_in(6) {
            return self.return_stmt();
        }
        let at = self.below(self.exits.len());
        // A jump without a label cannot pass a labelled block.
        let innermost = self.exits.len() - 1;
        let exit = self.exits[at].clone();
        let label = match &exit.label {
            Some(label) => format!(" {label}"),
            None if innermost == at => String::new(),
            None => return self.return_stmt(),
        };
        if !exit.block && self.one_in(2) {
            return Node::stmt(&format!("continue{label};"), Vec::new());
        }
        match exit.value {
            Some(ty) => {
                let value = self.value(ty, 1);
                Node::stmt(&format!("break{label} $;"), vec![value])
            }
            None => Node::stmt(&format!("break{label};"), Vec::new()),
        }
    }

    fn return_stmt(&mut self) -> Node {
        let output = self.output;
        let value = if output.ty == Type::Str {
            self.summary()
        } else {
            self.value(output.ty, 1)
        };
        let template = if output.fallible {
            "return Ok($);"
        } else {
            "return $;"
        };
        Node::stmt(template, vec![value])
    }
}

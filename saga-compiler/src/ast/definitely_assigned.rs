//! What a piece of code assigns on every path that goes on behind it.

use std::collections::HashSet;

use syn::{BinOp, Block, Expr, Label, Pat, Stmt};

use super::{
    calls::strip_parentheses,
    exits::{diverges, macro_diverges},
    patterns::pattern_bindings,
};

/// The names that a statement certainly assigns on every path that goes on.
pub(crate) fn definitely_assigned(stmt: &Stmt) -> HashSet<String> {
    let mut walk = Walk::default();
    walk.stmt(stmt, HashSet::new()).unwrap_or_default()
}

type Names = HashSet<String>;

/// Of two paths; `None` is one that does not go on.
pub(super) fn both(one: Option<Names>, other: Option<Names>) -> Option<Names> {
    match (one, other) {
        (None, other) | (other, None) => other,
        (Some(one), Some(other)) => Some(one.intersection(&other).cloned().collect()),
    }
}

/// A loop or a labelled block that is being walked through.
struct Around {
    label: Option<String>,
    is_loop: bool,
    /// What is assigned wherever it is left by a `break`.
    left: Option<Names>,
}

#[derive(Default)]
struct Walk {
    around: Vec<Around>,
    /// Names that mean other variables here.
    hidden: Vec<String>,
}

impl Walk {
    fn stmt(&mut self, stmt: &Stmt, now: Names) -> Option<Names> {
        match stmt {
            Stmt::Local(local) => {
                let Some(init) = &local.init else {
                    return Some(now);
                };
                let now = self.expr(&init.expr, now)?;
                if let Some((_, otherwise)) = &init.diverge {
                    self.expr(otherwise, now.clone());
                }
                Some(now)
            }
            Stmt::Expr(expr, _) => self.expr(expr, now),
            Stmt::Macro(stmt) => (!macro_diverges(&stmt.mac)).then_some(now),
            Stmt::Item(_) => Some(now),
        }
    }

    fn block(&mut self, block: &Block, now: Names) -> Option<Names> {
        let hidden = self.hidden.len();
        let end = block.stmts.iter().try_fold(now, |now, stmt| {
            let now = self.stmt(stmt, now)?;
            if let Stmt::Local(local) = stmt {
                self.hide(&local.pat);
            }
            Some(now)
        });
        self.hidden.truncate(hidden);
        end
    }

    fn hide(&mut self, pat: &Pat) {
        let names = pattern_bindings(pat).map(|binding| binding.ident.to_string());
        self.hidden.extend(names);
    }

    /// What is inside is left by `break`, or goes on behind its end where that does.
    fn within(
        &mut self,
        label: Option<&Label>,
        is_loop: bool,
        inside: impl FnOnce(&mut Self) -> Option<Names>,
    ) -> (Option<Names>, Option<Names>) {
        self.around.push(Around {
            label: label.map(|label| label.name.ident.to_string()),
            is_loop,
            left: None,
        });
        let end = inside(self);
        let left = self.around.pop().and_then(|around| around.left);
        (end, left)
    }

    fn leave(&mut self, label: Option<&syn::Lifetime>, now: Names) {
        let label = label.map(|label| label.ident.to_string());
        let mut around = self.around.iter_mut().rev();
        let left = around.find(|around| match &label {
            Some(_) => around.label == label,
            None => around.is_loop,
        });
        if let Some(around) = left {
            around.left = both(around.left.take(), Some(now));
        }
    }

    fn all<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>, now: Names) -> Option<Names> {
        let mut parts = parts.into_iter();
        parts.try_fold(now, |now, part| self.expr(part, now))
    }

    /// `None` where it never goes on.
    fn expr(&mut self, expr: &Expr, now: Names) -> Option<Names> {
        match expr {
            Expr::Assign(assign) => {
                let mut now = self.expr(&assign.right, now)?;
                match strip_parentheses(&assign.left) {
                    Expr::Path(path) => {
                        let name = path.path.get_ident().map(ToString::to_string);
                        now.extend(name.filter(|name| !self.hidden.contains(name)));
                        Some(now)
                    }
                    place => self.expr(place, now),
                }
            }
            Expr::Break(left) => {
                let now = self.all(left.expr.as_deref(), now)?;
                self.leave(left.label.as_ref(), now);
                None
            }
            Expr::Return(returned) => {
                self.all(returned.expr.as_deref(), now);
                None
            }
            Expr::Continue(_) => None,
            Expr::Block(block) => match &block.label {
                Some(label) => {
                    let (end, left) =
                        self.within(Some(label), false, |this| this.block(&block.block, now));
                    both(end, left)
                }
                None => self.block(&block.block, now),
            },
            Expr::Unsafe(block) => self.block(&block.block, now),
            Expr::Loop(looped) => {
                let body = |this: &mut Self| this.block(&looped.body, now);
                self.within(looped.label.as_ref(), true, body).1
            }
            Expr::While(looped) => {
                let mut end = None;
                let (_, left) = self.within(looped.label.as_ref(), true, |this| {
                    let hidden = this.hidden.len();
                    let now = this.expr(&looped.cond, now)?;
                    end = Some(now.clone());
                    let turn = this.block(&looped.body, now);
                    this.hidden.truncate(hidden);
                    turn
                });
                both(end, left)
            }
            Expr::ForLoop(looped) => {
                let now = self.expr(&looped.expr, now)?;
                let end = now.clone();
                let (_, left) = self.within(looped.label.as_ref(), true, |this| {
                    let hidden = this.hidden.len();
                    this.hide(&looped.pat);
                    let turn = this.block(&looped.body, now);
                    this.hidden.truncate(hidden);
                    turn
                });
                both(Some(end), left)
            }
            Expr::If(conditional) => {
                let hidden = self.hidden.len();
                let now = self.expr(&conditional.cond, now)?;
                let then = self.block(&conditional.then_branch, now.clone());
                self.hidden.truncate(hidden);
                let otherwise = match &conditional.else_branch {
                    Some((_, otherwise)) => self.expr(otherwise, now),
                    None => Some(now),
                };
                both(then, otherwise)
            }
            // Hides what it binds, until the end of what it is the condition of.
            Expr::Let(binding) => {
                let now = self.expr(&binding.expr, now)?;
                self.hide(&binding.pat);
                Some(now)
            }
            Expr::Match(matched) => {
                let now = self.expr(&matched.expr, now)?;
                let mut end = None;
                for arm in &matched.arms {
                    let hidden = self.hidden.len();
                    self.hide(&arm.pat);
                    let gives = self.expr(&arm.body, now.clone());
                    self.hidden.truncate(hidden);
                    end = both(end, gives);
                }
                end
            }
            Expr::Binary(binary) => {
                let now = self.expr(&binary.left, now)?;
                let right = self.expr(&binary.right, now.clone());
                match binary.op {
                    // The right one may not be evaluated.
                    BinOp::And(_) | BinOp::Or(_) => Some(now),
                    _ => right,
                }
            }
            Expr::Call(call) => {
                let now = self.expr(&call.func, now)?;
                self.all(&call.args, now)
            }
            Expr::MethodCall(call) => {
                let now = self.expr(&call.receiver, now)?;
                self.all(&call.args, now)
            }
            Expr::Tuple(tuple) => self.all(&tuple.elems, now),
            Expr::Array(array) => self.all(&array.elems, now),
            Expr::Struct(literal) => {
                let now = self.all(literal.fields.iter().map(|field| &field.expr), now)?;
                self.all(literal.rest.as_deref(), now)
            }
            Expr::Paren(inner) => self.expr(&inner.expr, now),
            Expr::Group(inner) => self.expr(&inner.expr, now),
            Expr::Unary(inner) => self.expr(&inner.expr, now),
            Expr::Reference(inner) => self.expr(&inner.expr, now),
            Expr::Field(inner) => self.expr(&inner.base, now),
            Expr::Cast(inner) => self.expr(&inner.expr, now),
            Expr::Await(inner) => self.expr(&inner.base, now),
            Expr::Try(inner) => self.expr(&inner.expr, now),
            Expr::Index(index) => {
                let now = self.expr(&index.expr, now)?;
                self.expr(&index.index, now)
            }
            other => (!diverges(other)).then_some(now),
        }
    }
}

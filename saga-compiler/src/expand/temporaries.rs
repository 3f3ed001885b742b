//! Temporaries are dropped where plain Rust drops them: those of a value that a variable stands for with its statement; and what a
//! head or an operand would hold longer than the state does is looked at, by its type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, Stmt, punctuated::Punctuated, spanned::Spanned, visit_mut::VisitMut};

use super::machine::{Machine, located};

use crate::{
    ast::{
        calls::strip_parentheses, macros::scrutinee_and_pattern, patterns::leaves, tokens::never,
    },
    cfg::{Facts, Flow, StandsFor, VarId, persistence::Persistence},
};

/// In which editions of the author's a temporary is held across what is taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Editions {
    All,
    /// By an `if let` whose `else` alone asks: since then it is gone there.
    Before2024,
}

/// What looks at a temporary's type, and where in the author's code that is.
pub(super) struct Watch {
    witness: Ident,
    author: Span,
    held: Editions,
}

impl Machine<'_> {
    /// Takes the values that a statement uses out of their variables.
    pub(super) fn release(&self, stmt: &mut Stmt, facts: &Facts) {
        // A place that is found again in other states stays where it is.
        let borrows = facts
            .defs
            .iter()
            .any(|var| matches!(self.flow.var(*var).persistence, Persistence::Reborrowed(_)));
        if borrows {
            return;
        }
        let mut values = Values { flow: self.flow };
        match stmt {
            Stmt::Local(local) => {
                if let Some(init) = &mut local.init {
                    values.place_of_let(&mut init.expr);
                    if let Some((_, otherwise)) = &mut init.diverge {
                        values.visit_expr_mut(otherwise);
                    }
                }
            }
            Stmt::Expr(Expr::Assign(assign), _) if matches!(&*assign.left, Expr::Infer(_)) => {
                values.place(&mut assign.right);
            }
            other => values.visit_stmt_mut(other),
        }
    }

    /// The same of what a variable of the macro's own is given.
    pub(super) fn release_into(&self, var: VarId, stmt: &mut Stmt) {
        let stands_for = self.flow.var(var).stands_for;
        let used_once = matches!(stands_for, StandsFor::Value | StandsFor::Operand);
        if let (true, Stmt::Expr(value, _)) = (used_once, stmt) {
            Values { flow: self.flow }.place_of_let(value);
        }
    }

    /// Looks at the temporaries that are made in a head of a construct that is taken apart, and at its value where that `stays`.
    pub(super) fn watch_head(&self, head: &mut Expr, held: Editions, stays: bool) {
        // A loop's own step.
        if let Expr::MethodCall(call) = &*head
            && let Some(var) = variable(self.flow, &call.receiver)
            && self.flow.var(var).stands_for == StandsFor::Items
        {
            return;
        }
        if let Expr::Let(binding) = head {
            let stays = held == Editions::All && leaves(&binding.pat);
            return self.watch_head(&mut binding.expr, held, stays);
        }
        let mut temporaries = Temporaries {
            machine: self,
            held,
        };
        match stays {
            true => temporaries.in_place(head),
            false => temporaries.visit_expr_mut(head),
        }
    }

    /// The heads of each `let` in a condition; what is evaluated beside them is gone with it.
    pub(super) fn watch_chain(&self, cond: &mut Expr, held: Editions) {
        match cond {
            Expr::Let(_) => self.watch_head(cond, held, false),
            Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
                self.watch_chain(&mut binary.left, held);
                self.watch_chain(&mut binary.right, held);
            }
            _ => {}
        }
    }

    /// The same of what is evaluated before the rest of its statement, or before a loop.
    pub(super) fn watch_value(&self, var: VarId, stmt: &mut Stmt) {
        let mut temporaries = Temporaries {
            machine: self,
            held: Editions::All,
        };
        match (self.flow.var(var).stands_for, stmt) {
            (StandsFor::Nothing | StandsFor::Value, _) => {}
            // The author's part of what makes a loop's iterator.
            (StandsFor::Items, Stmt::Expr(Expr::Block(block), _)) => {
                for stmt in &mut block.block.stmts {
                    if let Stmt::Local(local) = stmt {
                        temporaries.visit_local_mut(local);
                    }
                }
            }
            (_, stmt) => temporaries.visit_stmt_mut(stmt),
        }
    }

    /// The witnesses of all temporaries that are looked at: without types yet, and asked.
    pub(super) fn watched(&self) -> (TokenStream, TokenStream) {
        let watched = self.watched.borrow();
        let declared = watched.iter().map(|watch| {
            let witness = &watch.witness;
            quote!(let #witness = ::saga_runtime::__private::Witness::new();)
        });
        let asked = watched.iter().map(|watch| {
            let witness = &watch.witness;
            let asked = quote_spanned! {witness.span()=>
                ::saga_runtime::__private::temporary!(#witness);
            };
            match watch.held {
                Editions::All => asked,
                // Since then, `_` is an expression; in a macro that has its place, and its edition, in the author's code.
                Editions::Before2024 => quote_spanned! {watch.author=>
                    macro_rules! __saga_before_edition_2024 {
                        ($expression:expr) => {};
                        (_) => { #asked };
                    }
                    __saga_before_edition_2024!(_);
                },
            }
        });
        (declared.collect(), asked.collect())
    }

    fn witness_at(&self, span: Span, held: Editions) -> Ident {
        let mut watched = self.watched.borrow_mut();
        let witness = format_ident!("__saga_made_{}", watched.len(), span = located(span));
        watched.push(Watch {
            witness: witness.clone(),
            author: span,
            held,
        });
        witness
    }
}

/// The variable of the macro's own that an expression is.
fn variable(flow: &Flow, expr: &Expr) -> Option<VarId> {
    let Expr::Path(path) = strip_parentheses(expr) else {
        return None;
    };
    flow.named_by_number(path.path.get_ident()?)
}

/// Does something with expressions whose values are looked at where they are.
trait InPlace: VisitMut {
    fn in_place(&mut self, expr: &mut Expr);
}

/// Goes through the parts of an expression.
fn looked_into(visitor: &mut impl InPlace, expr: &mut Expr) {
    match expr {
        Expr::MethodCall(call) => {
            visitor.in_place(&mut call.receiver);
            let arguments = call.args.iter_mut();
            arguments.for_each(|argument| visitor.visit_expr_mut(argument));
        }
        Expr::Reference(reference) => visitor.in_place(&mut reference.expr),
        Expr::Field(field) => visitor.in_place(&mut field.base),
        Expr::Index(index) => {
            visitor.in_place(&mut index.expr);
            visitor.visit_expr_mut(&mut index.index);
        }
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
            visitor.in_place(&mut unary.expr);
        }
        other => syn::visit_mut::visit_expr_mut(visitor, other),
    }
}

/// Moves the values of variables that stand for them where the author's code looks at them in place.
///
/// ```text
/// if acquired.is_ok() { … }   →   if value(acquired).is_ok() { … }
/// ```
struct Values<'f> {
    flow: &'f Flow,
}

impl Values<'_> {
    /// An expression that is looked at where it is.
    fn place(&mut self, expr: &mut Expr) {
        let stands = variable(self.flow, expr).map(|var| self.flow.var(var).stands_for);
        match stands {
            Some(StandsFor::Value | StandsFor::Operand) => {
                let span = located(expr.span());
                *expr =
                    Expr::Verbatim(quote_spanned!(span=> ::saga_runtime::__private::value(#expr)));
            }
            _ => self.visit_expr_mut(expr),
        }
    }

    /// What a `let` is given: what it borrows from lives as long as its variables do.
    fn place_of_let(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Reference(reference) => self.place_of_let_in(&mut reference.expr),
            Expr::Tuple(tuple) => {
                tuple
                    .elems
                    .iter_mut()
                    .for_each(|part| self.place_of_let_in(part));
            }
            Expr::Array(array) => {
                array
                    .elems
                    .iter_mut()
                    .for_each(|part| self.place_of_let_in(part));
            }
            Expr::Struct(literal) => {
                let fields = literal.fields.iter_mut();
                fields.for_each(|field| self.place_of_let_in(&mut field.expr));
            }
            Expr::Paren(paren) => self.place_of_let(&mut paren.expr),
            Expr::Group(group) => self.place_of_let(&mut group.expr),
            other => self.place(other),
        }
    }

    fn place_of_let_in(&mut self, expr: &mut Expr) {
        if !matches!(strip_parentheses(expr), Expr::Path(_) | Expr::Field(_)) {
            self.place_of_let(expr);
        }
    }
}

impl InPlace for Values<'_> {
    fn in_place(&mut self, expr: &mut Expr) {
        self.place(expr);
    }
}

impl VisitMut for Values<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Match(matched) => {
                self.place(&mut matched.expr);
                matched
                    .arms
                    .iter_mut()
                    .for_each(|arm| self.visit_arm_mut(arm));
            }
            Expr::Let(binding) => self.place(&mut binding.expr),
            other => looked_into(self, other),
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.place_of_let(&mut init.expr);
            if let Some((_, otherwise)) = &mut init.diverge {
                self.visit_expr_mut(otherwise);
            }
        }
    }

    // It may be called more than once, and would have them moved into it.
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Shows the types of temporaries to witnesses.
struct Temporaries<'m, 'a> {
    machine: &'m Machine<'a>,
    held: Editions,
}

impl Temporaries<'_, '_> {
    fn temporary(&mut self, expr: &mut Expr) {
        self.visit_expr_mut(expr);
        let made = matches!(
            strip_parentheses(expr),
            Expr::Call(_)
                | Expr::MethodCall(_)
                | Expr::Await(_)
                | Expr::Try(_)
                | Expr::Macro(_)
                | Expr::Struct(_)
        );
        if !made {
            return;
        }
        let witness = self.machine.witness_at(expr.span(), self.held);
        let seen = never(&quote!((&#witness).is(__saga_seen);));
        let span = located(expr.span());
        let value = expr.to_token_stream();
        *expr = Expr::Verbatim(quote_spanned! {span=>
            ::saga_runtime::__private::seen(#value, |__saga_seen| { #seen })
        });
    }
}

impl InPlace for Temporaries<'_, '_> {
    fn in_place(&mut self, expr: &mut Expr) {
        self.temporary(expr);
    }
}

impl VisitMut for Temporaries<'_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Macro(invocation) if invocation.mac.path.is_ident("vec") => {
                let parser = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
                if let Ok(mut items) = invocation.mac.parse_body_with(parser) {
                    items.iter_mut().for_each(|item| self.visit_expr_mut(item));
                    invocation.mac.tokens = items.to_token_stream();
                }
            }
            Expr::Macro(invocation) if invocation.mac.path.is_ident("matches") => {
                if let Ok((mut head, rest)) = invocation.mac.parse_body_with(scrutinee_and_pattern)
                {
                    self.in_place(&mut head);
                    invocation.mac.tokens = quote!(#head, #rest);
                }
            }
            // What its head makes lives as long as its statement.
            Expr::Match(matched) => self.in_place(&mut matched.expr),
            // What is made in there is gone with it.
            Expr::Block(_) | Expr::If(_) | Expr::Closure(_) | Expr::Async(_) => {}
            other => looked_into(self, other),
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

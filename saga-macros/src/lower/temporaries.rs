//! Temporaries that live longer than their statement: each gets a variable of its own.

use syn::{Expr, Local};

use super::Lower;

use crate::ast::calls::{is_some, strip_parentheses};

impl Lower<'_> {
    /// A borrow in a `let` keeps what it borrows from to the end of the block.
    ///
    /// ```text
    /// let text = &load().await;   →   let loaded = load().await; let text = &loaded;
    /// ```
    pub(super) fn extend_temporaries(&mut self, local: &mut Local) {
        let Some(init) = &mut local.init else { return };
        if init.diverge.is_some() {
            return;
        }
        let mut borrowed = Vec::new();
        let quiet = collect(&mut init.expr, &mut borrowed);
        // With something beside it, which of the two comes first would be another one.
        if !quiet && borrowed.len() != 1 {
            return;
        }
        let alone = matches!(strip_parentheses(&init.expr), Expr::Reference(_));
        if !quiet && !alone {
            return;
        }
        let mut borrowed = Vec::new();
        collect(&mut init.expr, &mut borrowed);
        for (value, mutable) in borrowed {
            let owner = self.hidden_for("temporary", value);
            self.vars[owner.0].mutable = mutable;
            let place = self.path(owner);
            let value = std::mem::replace(value, place);
            let value = self.remainder(&value);
            self.given(owner, Some(&value));
            self.define(owner, value);
        }
    }

    /// The same for what a loop's iterator borrows from.
    ///
    /// ```text
    /// for name in names().iter() { … }   →   let named = names(); for name in named.iter() { … }
    /// ```
    pub(super) fn extend_iterated(&mut self, items: &mut Expr) -> bool {
        match items {
            Expr::Paren(paren) => self.extend_iterated(&mut paren.expr),
            Expr::Group(group) => self.extend_iterated(&mut group.expr),
            Expr::Reference(reference) if is_temporary(&reference.expr) => {
                self.own(&mut reference.expr, reference.mutability.is_some());
                true
            }
            Expr::MethodCall(call) if is_temporary(&call.receiver) => {
                let name = call.method.to_string();
                if !BORROWING.contains(&name.as_str()) {
                    return self.extend_iterated(&mut call.receiver);
                }
                self.own(
                    &mut call.receiver,
                    name.ends_with("_mut") || name == "drain",
                );
                true
            }
            _ => false,
        }
    }

    fn own(&mut self, value: &mut Expr, mutable: bool) {
        let owner = self.hidden_for("owner", value);
        self.vars[owner.0].mutable = mutable;
        let place = self.path(owner);
        let value = std::mem::replace(value, place);
        self.define(owner, value);
    }
}

/// Methods whose iterators borrow from what they are called on.
const BORROWING: &[&str] = &[
    "as_bytes",
    "as_slice",
    "as_str",
    "bytes",
    "char_indices",
    "chars",
    "chunks",
    "drain",
    "iter",
    "iter_mut",
    "keys",
    "lines",
    "split",
    "split_whitespace",
    "trim",
    "values",
    "values_mut",
    "windows",
];

/// The temporaries in `init` that are extended, each with whether it is borrowed to be changed. Says whether
/// nothing else in it does anything.
fn collect<'e>(init: &'e mut Expr, borrowed: &mut Vec<(&'e mut Expr, bool)>) -> bool {
    match init {
        Expr::Paren(paren) => collect(&mut paren.expr, borrowed),
        Expr::Group(group) => collect(&mut group.expr, borrowed),
        Expr::Cast(cast) => collect(&mut cast.expr, borrowed),
        Expr::Tuple(tuple) => tuple
            .elems
            .iter_mut()
            .fold(true, |quiet, part| collect(part, borrowed) && quiet),
        Expr::Array(array) => array
            .elems
            .iter_mut()
            .fold(true, |quiet, part| collect(part, borrowed) && quiet),
        Expr::Struct(literal) if literal.rest.is_none() => {
            literal.fields.iter_mut().fold(true, |quiet, field| {
                collect(&mut field.expr, borrowed) && quiet
            })
        }
        Expr::Call(call) if is_some(&call.func) => call
            .args
            .iter_mut()
            .fold(true, |quiet, part| collect(part, borrowed) && quiet),
        Expr::Reference(reference) => {
            let mutable = reference.mutability.is_some();
            let operand = base(&mut reference.expr);
            if is_temporary(operand) {
                borrowed.push((operand, mutable));
            }
            true
        }
        Expr::Lit(_) | Expr::Path(_) => true,
        _ => false,
    }
}

/// What the fields are of.
fn base(place: &mut Expr) -> &mut Expr {
    match place {
        Expr::Field(field) => base(&mut field.base),
        Expr::Paren(paren) => base(&mut paren.expr),
        Expr::Group(group) => base(&mut group.expr),
        other => other,
    }
}

/// Whether the value of `expr` has no other place than the statement it is in.
fn is_temporary(expr: &Expr) -> bool {
    matches!(
        strip_parentheses(expr),
        Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Await(_)
            | Expr::Macro(_)
            | Expr::Try(_)
            | Expr::Struct(_)
    )
}

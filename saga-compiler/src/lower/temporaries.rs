//! Temporaries that live longer than their statement: each gets a variable of its own.

use syn::{Expr, Local};

use super::Lower;

use crate::{
    ast::calls::{is_some, strip_parentheses},
    cfg::VarId,
};

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
        // With an effect beside it, which of the two comes first would be another one.
        if !is_quiet(&init.expr) {
            return;
        }
        let mut borrowed = Vec::new();
        temporaries(&mut init.expr, &mut borrowed);
        for (value, mutable) in borrowed {
            let (owner, value) = self.owner(value, mutable);
            let value = self.remainder(&value);
            self.given(owner, Some(&value));
            self.define(owner, value);
        }
    }

    /// A variable in the place of a temporary. It is in scope as the temporary would be: its type says whether
    /// that may be so at an ask.
    fn owner(&mut self, value: &mut Expr, mutable: bool) -> (VarId, Expr) {
        let owner = self.hidden_for("temporary", value);
        self.vars[owner.0].mutable = mutable;
        if let Some(declared) = self.declared.last_mut() {
            declared.push(owner);
        }
        let place = self.path(owner);
        (owner, std::mem::replace(value, place))
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
            Expr::Reference(reference) if is_temporary(base_of(&reference.expr)) => {
                let mutable = reference.mutability.is_some();
                self.own(base(&mut reference.expr), mutable);
                true
            }
            Expr::MethodCall(call) if is_temporary(base_of(&call.receiver)) => {
                let name = call.method.to_string();
                if !BORROWING.contains(&name.as_str()) {
                    return self.extend_iterated(&mut call.receiver);
                }
                let mutable = name.ends_with("_mut") || name == "drain";
                self.own(base(&mut call.receiver), mutable);
                true
            }
            _ => false,
        }
    }

    /// The same for what a call that asks is given a part of.
    ///
    /// ```text
    /// look(peer, name.to_uppercase().trim())   →   let upper = name.to_uppercase(); look(peer, upper.trim())
    /// ```
    pub(super) fn own_borrowed(&mut self, operand: &mut Expr) {
        match operand {
            Expr::Paren(paren) => self.own_borrowed(&mut paren.expr),
            Expr::Group(group) => self.own_borrowed(&mut group.expr),
            Expr::Reference(reference) => {
                if let Expr::Index(index) = &mut *reference.expr
                    && is_temporary(&index.expr)
                {
                    self.own(&mut index.expr, reference.mutability.is_some());
                }
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let borrows = BORROWING.contains(&name.as_str()) || name.starts_with("as_");
                match is_temporary(&call.receiver) {
                    true if borrows => self.own(&mut call.receiver, name.ends_with("_mut")),
                    _ => self.own_borrowed(&mut call.receiver),
                }
            }
            _ => {}
        }
    }

    fn own(&mut self, value: &mut Expr, mutable: bool) {
        let (owner, value) = self.owner(value, mutable);
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

/// Whether nothing is evaluated beside the operands of borrows.
fn is_quiet(init: &Expr) -> bool {
    match strip_parentheses(init) {
        Expr::Reference(_) | Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Cast(cast) => is_quiet(&cast.expr),
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_quiet),
        Expr::Array(array) => array.elems.iter().all(is_quiet),
        Expr::Call(call) => is_some(&call.func) && call.args.iter().all(is_quiet),
        Expr::Struct(literal) => {
            let mut fields = literal.fields.iter();
            literal.rest.is_none() && fields.all(|field| is_quiet(&field.expr))
        }
        _ => false,
    }
}

/// The operands of its borrows that are temporaries, each with whether it may be changed.
fn temporaries<'e>(init: &'e mut Expr, found: &mut Vec<(&'e mut Expr, bool)>) {
    match init {
        Expr::Paren(paren) => temporaries(&mut paren.expr, found),
        Expr::Group(group) => temporaries(&mut group.expr, found),
        Expr::Cast(cast) => temporaries(&mut cast.expr, found),
        Expr::Tuple(tuple) => tuple
            .elems
            .iter_mut()
            .for_each(|part| temporaries(part, found)),
        Expr::Array(array) => array
            .elems
            .iter_mut()
            .for_each(|part| temporaries(part, found)),
        Expr::Call(call) => call
            .args
            .iter_mut()
            .for_each(|part| temporaries(part, found)),
        Expr::Struct(literal) => {
            let fields = literal.fields.iter_mut();
            fields.for_each(|field| temporaries(&mut field.expr, found));
        }
        Expr::Reference(reference) => {
            let mutable = reference.mutability.is_some();
            let operand = base(&mut reference.expr);
            if is_temporary(operand) {
                found.push((operand, mutable));
            }
        }
        _ => {}
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

/// The same, to look at.
fn base_of(place: &Expr) -> &Expr {
    match place {
        Expr::Field(field) => base_of(&field.base),
        Expr::Paren(paren) => base_of(&paren.expr),
        Expr::Group(group) => base_of(&group.expr),
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

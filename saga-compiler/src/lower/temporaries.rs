//! Temporaries that live longer than their statement: each gets a variable of its own.

use syn::{Expr, ExprCall, ExprMethodCall, ExprUnary, Local, UnOp};

use super::{
    Lower,
    control::{block_of, head_of},
    expr::does_something,
};

use crate::{
    ast::{
        calls::{is_some, strip_parentheses},
        owned::is_borrowing,
        patterns::pattern_bindings,
        uses::root,
    },
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
        if init.diverge.is_some() || self.lists_functions(&local.pat, &init.expr) {
            return;
        }
        let mut by_ref = pattern_bindings(&local.pat).filter(|binding| binding.by_ref);
        if is_temporary(&init.expr)
            && let Some(first) = by_ref.next()
        {
            let mutable = first.mutable || by_ref.any(|binding| binding.mutable);
            return self.own_remaining(&mut init.expr, mutable);
        }
        if !is_quiet(&init.expr) {
            // With a type there, a part may be coerced, which a variable of its own is not.
            if !matches!(local.pat, syn::Pat::Type(_)) {
                self.extend_in_order(&mut init.expr);
            }
            return;
        }
        let mut borrowed = Vec::new();
        temporaries(&mut init.expr, &mut borrowed);
        for (value, mutable) in borrowed {
            self.own_remaining(value, mutable);
        }
    }

    fn own_remaining(&mut self, value: &mut Expr, mutable: bool) {
        let (owner, value) = self.owner(value, mutable);
        let value = self.remainder(&value);
        self.given(owner, Some(&value));
        self.define(owner, value);
    }

    /// The same with effects beside it: each part is evaluated where it stands.
    ///
    /// ```text
    /// let (a, b) = (&load(), count());   →   let loaded = load(); let counted = count(); let (a, b) = (&loaded, counted);
    /// ```
    fn extend_in_order(&mut self, init: &mut Expr) {
        if self.is_cut(init) {
            return;
        }
        let Expr::Tuple(tuple) = init else { return };
        let lends = |part: &Expr| {
            matches!(part, Expr::Reference(lent)
                if is_temporary(&lent.expr))
        };
        if !tuple.elems.iter().any(lends) {
            return;
        }
        for part in &mut tuple.elems {
            match part {
                Expr::Lit(_) => {}
                Expr::Reference(lent) if is_temporary(&lent.expr) => {
                    let mutable = lent.mutability.is_some();
                    self.own(&mut lent.expr, mutable);
                }
                Expr::Reference(lent) if !does_something(&lent.expr) => {}
                other => *other = self.spill(other.clone()),
            }
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
            Expr::Reference(reference) if is_temporary(root(&reference.expr)) => {
                let mutable = reference.mutability.is_some();
                self.own(base(&mut reference.expr), mutable);
                true
            }
            Expr::MethodCall(call) => {
                if call.args.iter().any(lends) {
                    self.own_lent_arguments(call);
                    return true;
                }
                is_temporary(root(&call.receiver))
                    && (self.own_lender(call) || self.extend_iterated(&mut call.receiver))
            }
            _ => false,
        }
    }

    /// Owns the temporaries that a method is lent, as its result may borrow from them.
    ///
    /// ```text
    /// list.get(at).unwrap_or(&vec![])   →   let found = list.get(at); let none = vec![]; found.unwrap_or(&none)
    /// ```
    fn own_lent_arguments(&mut self, call: &mut ExprMethodCall) {
        let receiver = std::iter::once(&mut *call.receiver);
        self.own_parts(receiver.chain(&mut call.args));
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
            Expr::Try(tried) => self.own_borrowed(&mut tried.expr),
            Expr::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                let is_whole = !is_behind(&reference.expr);
                let of = base(&mut reference.expr);
                self.own_borrowed(of);
                if !is_whole && is_temporary(of) {
                    self.own(of, mutable);
                }
            }
            Expr::Array(array) => self.own_parts(array.elems.iter_mut()),
            Expr::Tuple(tuple) => self.own_parts(tuple.elems.iter_mut()),
            Expr::MethodCall(call) => {
                if gives_lent(call) {
                    self.own_lent_arguments(call);
                }
                if !self.own_lender(call) {
                    self.own_borrowed(&mut call.receiver);
                }
            }
            Expr::Call(call) => self.own_given(call),
            _ => {}
        }
    }

    /// The same of an index or a key, which mostly is a number or a value: what it is made of is gone with its statement.
    pub(super) fn own_lent(&mut self, key: &mut Expr) {
        match key {
            Expr::Paren(paren) => self.own_lent(&mut paren.expr),
            Expr::Group(group) => self.own_lent(&mut group.expr),
            Expr::MethodCall(call) if !gives_part(call) => {}
            Expr::Call(_) => {}
            other => self.own_borrowed(other),
        }
    }

    /// The same for what a function is given, as its result may borrow from that: up to what is to be evaluated before.
    fn own_given(&mut self, call: &mut ExprCall) {
        if is_quiet(&call.func) {
            self.own_parts(call.args.iter_mut());
        }
    }

    /// Parts in order of evaluation: what stands before one whose temporaries are kept is evaluated there.
    fn own_parts<'e>(&mut self, parts: impl Iterator<Item = &'e mut Expr>) {
        let mut parts: Vec<_> = parts.collect();
        let last = parts.iter().rposition(|part| lends(part));
        for (index, argument) in parts.iter_mut().enumerate() {
            let argument = &mut **argument;
            if let Expr::Reference(lent) = &mut *argument
                && is_temporary(root(&lent.expr))
            {
                let mutable = lent.mutability.is_some();
                self.own(base(&mut lent.expr), mutable);
            } else {
                self.own_borrowed(argument);
            }
            let is_found = match strip_parentheses(argument) {
                Expr::Reference(lent) => !does_something(&lent.expr),
                other => is_quiet(other),
            };
            if is_found {
                continue;
            }
            if last.is_none_or(|last| last <= index) {
                return;
            }
            *argument = self.spill(argument.clone());
        }
    }

    /// The same for the temporary of which a method is called on a part.
    ///
    /// ```text
    /// plans()[0].contains(&ask.await)   →   let plans = plans(); plans[0].contains(&ask.await)
    /// ```
    pub(super) fn own_looked_at(&mut self, receiver: &mut Expr) {
        self.own_part(receiver, true);
    }

    /// The same for the temporary of which a part is compared, which changes nothing.
    ///
    /// ```text
    /// form.await?.name == ask.await   →   let form = form.await?; form.name == ask.await
    /// ```
    pub(super) fn own_compared(&mut self, operand: &mut Expr) {
        self.own_part(operand, false);
    }

    fn own_part(&mut self, part: &mut Expr, mutable: bool) {
        if !is_part_of_temporary(part) {
            return;
        }
        let of = base(part);
        if !self.find_again(of) {
            self.own(of, mutable);
        }
    }

    /// Owns the temporary from which a method's result borrows; `false` where there is none.
    fn own_lender(&mut self, call: &mut ExprMethodCall) -> bool {
        let name = call.method.to_string();
        if !is_borrowing(&name) || !is_temporary(root(&call.receiver)) {
            return false;
        }
        // A borrow is not owned, but what it is of.
        if borrows_temporary(&call.receiver) {
            self.own_borrowed(&mut call.receiver);
        } else {
            let mutable = name.ends_with("_mut") || name == "drain";
            self.own(base(&mut call.receiver), mutable);
        }
        true
    }

    /// The same for what an `if let` or a `match` looks at, to the end of its arms.
    ///
    /// ```text
    /// if let Some(first) = plan().first() { … }   →   { let plan = plan(); if let Some(first) = plan.first() { … } }
    /// ```
    pub(super) fn own_head(&mut self, chosen: &Expr) -> Expr {
        let whole = binds_by_ref(chosen);
        let mut chosen = chosen.clone();
        if let Some(head) = head_of(&mut chosen) {
            *head = self.remainder(head);
            match whole && is_temporary(head) {
                true => self.own(head, true),
                false => self.own_borrowed(head),
            }
        }
        chosen
    }

    /// Whether it borrows from a temporary that lives on at an ask.
    pub(super) fn looks_into_temporary(&self, chosen: &Expr) -> bool {
        // A search is made by itself, and what it gives is in what is looked through.
        let is_lent = |head: &Expr| {
            (borrows_temporary(head) && !self.finds(&mut head.clone()))
                || (is_temporary(head) && binds_by_ref(chosen))
        };
        match chosen {
            // At the `else` it is gone since edition 2024.
            Expr::If(conditional) => match &*conditional.cond {
                Expr::Let(looks) => {
                    is_lent(&looks.expr) && self.is_cut(&block_of(&conditional.then_branch))
                }
                _ => false,
            },
            Expr::Match(matched) => is_lent(&matched.expr),
            _ => false,
        }
    }

    fn own(&mut self, value: &mut Expr, mutable: bool) {
        let (owner, value) = self.owner(value, mutable);
        if !mutable {
            self.pick(owner, &value);
        }
        self.define(owner, value);
    }
}

/// Whether a pattern of a `match` or an `if let` borrows from what is looked at.
fn binds_by_ref(chosen: &Expr) -> bool {
    let by_ref = |pat| pattern_bindings(pat).any(|binding| binding.by_ref);
    match chosen {
        Expr::If(conditional) => {
            matches!(&*conditional.cond, Expr::Let(looks) if by_ref(&looks.pat))
        }
        Expr::Match(matched) => matched.arms.iter().any(|arm| by_ref(&arm.pat)),
        _ => false,
    }
}

/// Whether the value of an expression borrows from a temporary in it.
pub(super) fn borrows_temporary(operand: &Expr) -> bool {
    match strip_parentheses(operand) {
        Expr::Reference(reference) => is_part_of_temporary(&reference.expr),
        Expr::Try(tried) => borrows_temporary(&tried.expr),
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            let lends = is_borrowing(&name);
            (lends && is_temporary(root(&call.receiver)))
                || ((lends || PASSING_ON.contains(&name.as_str()))
                    && borrows_temporary(&call.receiver))
                || gives_lent(call)
        }
        _ => false,
    }
}

/// Whether a part of a call or a literal borrows from a temporary in it.
fn lends(part: &Expr) -> bool {
    match strip_parentheses(part) {
        Expr::Reference(lent) => is_temporary(root(&lent.expr)) || lends(root(&lent.expr)),
        Expr::Array(array) => array.elems.iter().any(lends),
        Expr::Tuple(tuple) => tuple.elems.iter().any(lends),
        Expr::Call(call) => call.args.iter().any(lends),
        other => borrows_temporary(other),
    }
}

/// Whether a method gives a part of what it is called on, by its name: `as_str`, `trim`.
pub(super) fn gives_part(call: &ExprMethodCall) -> bool {
    let name = call.method.to_string();
    name.starts_with("as_") || name.starts_with("trim")
}

/// Whether a method may give what it is lent, and that is a temporary.
fn gives_lent(call: &ExprMethodCall) -> bool {
    GIVING_ARGUMENTS.contains(&call.method.to_string().as_str()) && call.args.iter().any(lends)
}

/// Methods that may give what they are lent.
const GIVING_ARGUMENTS: &[&str] = &[
    "chain",
    "clamp",
    "map_or",
    "max",
    "min",
    "or",
    "rsplit",
    "split",
    "unwrap_or",
    "xor",
    "zip",
];

/// Methods that give what they are called on, or what is in it.
const PASSING_ON: &[&str] = &[
    "and_then",
    "expect",
    "filter",
    "map",
    "ok",
    "ok_or",
    "ok_or_else",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// Whether a place is a field or an item of one; a temporary that is lent whole is kept itself.
fn is_part_of_temporary(place: &Expr) -> bool {
    let part = matches!(strip_parentheses(place), Expr::Field(_) | Expr::Index(_));
    part && is_temporary(root(place))
}

/// Whether a place is not the whole of what it is of.
fn is_behind(place: &Expr) -> bool {
    match strip_parentheses(place) {
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        place => matches!(place, Expr::Field(_) | Expr::Index(_)),
    }
}

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
            // To be changed, even one of constants is the statement's own.
            let is_literal = matches!(operand, Expr::Lit(_) | Expr::Array(_) | Expr::Tuple(_));
            if is_temporary(operand) || (mutable && is_literal) {
                found.push((operand, mutable));
            }
        }
        _ => {}
    }
}

/// Whether rustc may put it into the program itself, as far as its form says.
fn is_constant(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            name.starts_with(char::is_uppercase)
        }),
        Expr::Array(array) => array.elems.iter().all(is_constant),
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_constant),
        Expr::Reference(reference) => is_constant(&reference.expr),
        Expr::Unary(unary) => is_constant(&unary.expr),
        Expr::Binary(binary) => is_constant(&binary.left) && is_constant(&binary.right),
        Expr::Call(call) => is_constant(&call.func) && call.args.iter().all(is_constant),
        Expr::Struct(literal) => literal.fields.iter().all(|field| is_constant(&field.expr)),
        _ => false,
    }
}

/// What the fields and items are of.
fn base(place: &mut Expr) -> &mut Expr {
    match place {
        Expr::Field(field) => base(&mut field.base),
        Expr::Index(index) => base(&mut index.expr),
        Expr::Unary(ExprUnary {
            op: UnOp::Deref(_),
            expr,
            ..
        }) => base(expr),
        Expr::Paren(paren) => base(&mut paren.expr),
        Expr::Group(group) => base(&mut group.expr),
        other => other,
    }
}

/// Whether the value of `expr` has no other place than the statement it is in.
pub(super) fn is_temporary(expr: &Expr) -> bool {
    // One of constants is there for good.
    let is_made =
        |parts: &syn::punctuated::Punctuated<Expr, syn::Token![,]>| !parts.iter().all(is_constant);
    match strip_parentheses(expr) {
        Expr::Array(array) => return is_made(&array.elems),
        Expr::Tuple(tuple) => return is_made(&tuple.elems),
        _ => {}
    }
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

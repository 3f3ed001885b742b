//! What an async block captures, and how.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::{Ident, Span};
use syn::{Block, Expr, ExprAsync, FnArg, Type};

use super::free::{looked_at, written_through};
use crate::{
    ast::{
        changed::{changes, may_change},
        uses::Uses,
    },
    syntax::asks::Handles,
};

/// A variable outside of the block that is used in it.
pub(super) struct Capture {
    pub(super) name: Ident,
    by: By,
    /// Another future beside the block uses it, too.
    is_beside: bool,
    /// What is written of its type.
    ty: Type,
}

/// How the block has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// Its value, which is the block's own: `true` where it may be changed there.
    Value(bool),
    Shared,
    Unique,
    /// What it leads to, which is changed there: it is a reference.
    Behind,
}

impl Capture {
    /// What the call is given.
    pub(super) fn given(&self) -> Expr {
        let name = &self.name;
        match self.by {
            By::Value(_) => syn::parse_quote!(#name),
            By::Shared => syn::parse_quote!(&#name),
            By::Unique => syn::parse_quote!(&mut #name),
            By::Behind => syn::parse_quote!(&mut *#name),
        }
    }

    /// The parameter that takes it.
    pub(super) fn param(&self) -> FnArg {
        let (name, ty) = (&self.name, &self.ty);
        match self.by {
            By::Value(false) => syn::parse_quote!(#name: #ty),
            By::Value(true) => syn::parse_quote!(mut #name: #ty),
            By::Shared => syn::parse_quote!(#name: &#ty),
            By::Unique => syn::parse_quote!(#name: &mut #ty),
            By::Behind => match ty {
                Type::Reference(_) => syn::parse_quote!(#name: #ty),
                _ => syn::parse_quote!(#name: &mut #ty),
            },
        }
    }

    /// It is a parameter of this type.
    pub(super) fn typed(&mut self, ty: &Type) {
        self.ty = ty.clone();
        // A copy of a reference is as good.
        let is_unique = match ty {
            Type::Reference(lent) => lent.mutability.is_some(),
            _ => return,
        };
        match (self.by, is_unique) {
            (By::Shared, false) => self.by = By::Value(false),
            (By::Value(_), true) => self.by = By::Behind,
            (By::Shared, true) if !self.is_beside => self.by = By::Behind,
            _ => {}
        }
    }
}

/// The variables that a block captures; `None` where one that it changes is used by another future beside it, or goes into a closure
/// or a block of its own as it is.
pub(super) fn captured(
    block: &ExprAsync,
    (variables, mutable): (&BTreeSet<String>, &BTreeSet<String>),
    beside: &BTreeSet<String>,
    of_closure: &BTreeSet<String>,
    handles: &Handles,
) -> Option<Vec<Capture>> {
    let body = &block.block;
    let uses = Uses::of_block(body);
    let all: Expr = syn::parse_quote!(#body);
    let (changed, may_be) = (changes(&all), may_change(&all));
    let free = looked_at(body);
    let mut names: BTreeSet<&String> = uses.reads.keys().collect();
    names.extend(uses.assigns.iter().chain(&uses.mutates));
    names.retain(|name| *name == "self" || variables.contains(*name));
    let mut captures = Vec::new();
    for name in names {
        // A name of the block's own may be written, too.
        let is_written =
            uses.assigns.contains(name) || changed.contains(name) && uses.mutates.contains(name);
        let may_be =
            free.acted_on.contains(name) || may_be.contains(name) && !free.taken.contains(name);
        let is_mutable = mutable.contains(name);
        // Two blocks that are awaited together cannot both change it.
        let is_changed = is_mutable && (is_written || may_be && !beside.contains(name));
        let is_own = is_mutable && (is_written || may_be);
        let by = match (block.capture.is_some(), handles.contains(name)) {
            (true, true) => By::Value(false),
            (true, false) => By::Value(is_own),
            (false, true) => By::Shared,
            (false, false) if is_changed => By::Unique,
            (false, false) if is_written => By::Behind,
            (false, false) if free.taken.contains(name) => By::Value(false),
            (false, false) => By::Shared,
        };
        // What the closure around it binds ends with it.
        let by = match by {
            By::Shared if of_closure.contains(name) => By::Value(false),
            by => by,
        };
        let is_written_otherwise = matches!(by, By::Shared | By::Unique) && !handles.contains(name);
        if is_written_otherwise && free.shown.contains(name) {
            return None;
        }
        let is_unique = matches!(by, By::Unique | By::Behind);
        if is_unique && (free.moved.contains(name) || beside.contains(name)) {
            return None;
        }
        captures.push(Capture {
            name: match name.as_str() {
                "self" => Ident::new("self", Span::call_site()),
                _ => syn::parse_str(name).ok()?,
            },
            by,
            is_beside: beside.contains(name),
            ty: syn::parse_quote!(_),
        });
    }
    Some(captures)
}

/// Writes what is borrowed as what the reference leads to.
///
/// ```text
/// list == other   →   (*list) == other
/// ```
pub(super) fn through(body: &mut Block, captures: &[Capture], handles: &Handles) {
    let lent = captures.iter().filter(|capture| {
        matches!(capture.by, By::Shared | By::Unique)
            && !handles.contains(&capture.name.to_string())
    });
    let lent: HashSet<String> = lent.map(|capture| capture.name.to_string()).collect();
    if !lent.is_empty() {
        written_through(body, &lent);
    }
}

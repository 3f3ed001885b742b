//! Choices that are another way to write `let .. else`, and those of places.

use syn::{Expr, Local, Pat, Stmt, Token};

use super::{Destination, Lower};

use crate::{
    ast::{
        calls::{is_none, strip_parentheses},
        exits::{block_diverges, diverges},
        patterns::{names_bound_in, pattern_bindings},
        uses::Uses,
    },
    cfg::{
        StandsFor,
        persistence::{Form, Persistence},
    },
};

impl Lower<'_> {
    /// An item that is looked up to be changed, or else the way out.
    ///
    /// ```text
    /// let item = match map.get_mut(key) { Some(item) => item, None => return };
    ///     →   let Some(item) = map.get_mut(key) else { return };
    /// ```
    pub(super) fn as_let_else(&self, local: &Local) -> Option<Local> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        if !matches!(&local.pat, Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none())
        {
            return None;
        }
        let (looked_at, pat, otherwise) = match strip_parentheses(&init.expr) {
            Expr::Match(chosen) => of_match(chosen)?,
            Expr::If(chosen) => of_if(chosen)?,
            _ => return None,
        };
        let is_found = self.places(|places| {
            places.looked_up(looked_at).is_some()
                || places.searched(&mut looked_at.clone()).is_some()
        });
        if !is_found {
            return None;
        }
        let mut pat = pat.clone();
        *pat.elems.first_mut()? = local.pat.clone();
        let mut local = local.clone();
        local.pat = Pat::TupleStruct(pat);
        let init = local.init.as_mut()?;
        *init.expr = looked_at.clone();
        init.diverge = Some((<Token![else]>::default(), Box::new(otherwise)));
        Some(local)
    }

    /// Chooses here, once, which of several places is borrowed to be changed, or which of several values is made again of what comes
    /// with every request.
    pub(super) fn fix_choice(&mut self, chosen: &mut Expr) {
        if !matches!(strip_parentheses(chosen), Expr::If(_) | Expr::Match(_))
            || self.places(|places| places.borrow(chosen).is_some())
        {
            return;
        }
        if let Some((number, places)) = self.borrowed_of(chosen) {
            let by = self.fixed(number);
            *chosen = numbered(&by, places);
        } else if let Some((number, values)) = self.made_again_of(chosen) {
            let spot = self.hidden("spot");
            self.vars[spot.0].persistence = Persistence::Spilled(Form::Spot);
            self.define(spot, number);
            *chosen = numbered(&self.path(spot), values);
        }
    }

    /// The same of a choice that asks.
    ///
    /// ```text
    /// let db = if urgent { ask; &self.main } else { &self.spare };
    /// ```
    pub(super) fn chosen_by_number(&mut self, chosen: &Expr) -> Option<Expr> {
        let (number, places) = self.borrowed_of(chosen)?;
        let by = self.standing_for(StandsFor::Value, "which", chosen);
        let number_type = Box::new(syn::parse_quote!(usize));
        self.value(&number, &Destination::Variable(by, Some(number_type)));
        Some(numbered(&self.path(by), places))
    }

    /// Places of which one is borrowed.
    fn borrowed_of(&self, chosen: &Expr) -> Option<Which> {
        let borrows = |end: &Expr| {
            matches!(end, Expr::Reference(_)) && self.places(|places| places.borrow(end).is_some())
        };
        which(chosen).filter(|(_, places)| places.iter().all(borrows))
    }

    /// Clones of what comes with every request, or functions.
    ///
    /// ```text
    /// if urgent { self.fast.clone() } else { self.slow.clone() }
    /// ```
    fn made_again_of(&self, chosen: &Expr) -> Option<Which> {
        if self.is_imported(chosen) {
            return None;
        }
        let functions = |end: &Expr| self.picks(|picks| picks.is_function(end));
        let clones = |end: &Expr| is_none(end) || self.picks(|picks| picks.is_clone(end));
        which(chosen).filter(|(_, values)| {
            let nothing = values.iter().all(is_none);
            values.iter().all(functions) || (values.iter().all(clones) && !nothing)
        })
    }
}

/// A number that is evaluated once, and what it chooses of.
type Which = (Expr, Vec<Expr>);

/// One of these by its number.
fn numbered(by: &Expr, mut all: Vec<Expr>) -> Expr {
    let last = all.pop();
    let numbers = 0usize..all.len();
    syn::parse_quote!(match #by { #(#numbers => #all,)* _ => #last })
}

/// Which of several ends a choice comes to, as a number, and the ends.
///
/// ```text
/// if next() { &mut left } else { note(); &mut right }
///     →   let which = if next() { 0 } else { note(); 1 };   match which { 0 => &mut left, _ => &mut right }
/// ```
fn which(chosen: &Expr) -> Option<Which> {
    let mut which = chosen.clone();
    let mut ends = Vec::new();
    if !number_ends(&mut which, &mut ends) || ends.len() < 2 {
        return None;
    }
    // What is bound on the way is not there any more.
    let bound = names_bound_in(chosen);
    let mut reads = ends
        .iter()
        .flat_map(|end| Uses::of_expr(end).reads.into_keys());
    let goes_on = !reads.any(|name| bound.contains(&name));
    drop(reads);
    goes_on.then_some((which, ends))
}

/// Puts numbers in the places of what a choice ends in; `false` where a branch gives nothing.
fn number_ends(chosen: &mut Expr, ends: &mut Vec<Expr>) -> bool {
    fn tail(block: &mut syn::Block, ends: &mut Vec<Expr>) -> bool {
        // What is imported or declared there is not there any more.
        let declares = |stmt: &Stmt| matches!(stmt, Stmt::Item(_));
        block_diverges(block)
            || !block.stmts.iter().any(declares)
                && match block.stmts.last_mut() {
                    Some(Stmt::Expr(tail, None)) => number_ends(tail, ends),
                    _ => false,
                }
    }
    match chosen {
        Expr::Paren(paren) => number_ends(&mut paren.expr, ends),
        Expr::Block(block) if block.label.is_none() => tail(&mut block.block, ends),
        Expr::If(chosen) => {
            tail(&mut chosen.then_branch, ends)
                && chosen
                    .else_branch
                    .as_mut()
                    .is_some_and(|(_, otherwise)| number_ends(otherwise, ends))
        }
        Expr::Match(chosen) => chosen.arms.iter_mut().all(|arm| {
            let is_plain = !arm
                .attrs
                .iter()
                .any(|attribute| attribute.path().is_ident("cfg"));
            is_plain && (diverges(&arm.body) || number_ends(&mut arm.body, ends))
        }),
        end => {
            let number = ends.len();
            ends.push(std::mem::replace(end, syn::parse_quote!(#number)));
            true
        }
    }
}

/// What is looked at, where it is found, and what ends the call where it is not.
type Chosen<'e> = (&'e Expr, &'e syn::PatTupleStruct, Expr);

fn of_match(chosen: &syn::ExprMatch) -> Option<Chosen<'_>> {
    let [first, second] = &chosen.arms[..] else {
        return None;
    };
    let (found, missing) = match found_in(&first.pat, &first.body) {
        Some(pat) => (pat, second),
        None => (found_in(&second.pat, &second.body)?, first),
    };
    let nothing = match &missing.pat {
        // Before the other it would be every value.
        Pat::Wild(_) => std::ptr::eq(missing, second),
        Pat::Ident(none) => none.ident == "None",
        Pat::TupleStruct(error) => {
            error.path.is_ident("Err") && pattern_bindings(&missing.pat).next().is_none()
        }
        _ => false,
    };
    let body = &missing.body;
    (nothing && diverges(body)).then(|| (&*chosen.expr, found, syn::parse_quote!({ #body })))
}

fn of_if(chosen: &syn::ExprIf) -> Option<Chosen<'_>> {
    let Expr::Let(looks) = &*chosen.cond else {
        return None;
    };
    let [Stmt::Expr(body, None)] = &chosen.then_branch.stmts[..] else {
        return None;
    };
    let found = found_in(&looks.pat, body)?;
    let (_, otherwise) = chosen.else_branch.as_ref()?;
    match &**otherwise {
        Expr::Block(block) if block_diverges(&block.block) => {
            Some((&looks.expr, found, (**otherwise).clone()))
        }
        _ => None,
    }
}

/// `Some(item) => item`
fn found_in<'e>(pat: &'e Pat, body: &Expr) -> Option<&'e syn::PatTupleStruct> {
    let Pat::TupleStruct(found) = pat else {
        return None;
    };
    let mut parts = found.elems.iter();
    let (Some(Pat::Ident(item)), None) = (parts.next(), parts.next()) else {
        return None;
    };
    let by_value = item.by_ref.is_none() && item.subpat.is_none();
    let gives =
        matches!(strip_parentheses(body), Expr::Path(path) if path.path.is_ident(&item.ident));
    (by_value && gives).then_some(found)
}

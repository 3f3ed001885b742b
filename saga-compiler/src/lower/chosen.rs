//! Choices that are another way to write `let .. else`.

use syn::{Expr, Local, Pat, Stmt, Token};

use super::Lower;

use crate::ast::{
    calls::strip_parentheses,
    exits::{block_diverges, diverges},
    patterns::pattern_bindings,
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

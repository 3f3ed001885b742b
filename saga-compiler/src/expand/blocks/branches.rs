//! Where it goes on by a condition or a pattern.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, Pat, Stmt};

use super::whole;
use crate::{
    analysis::copied_parts,
    ast::patterns::leaves,
    cfg::{BlockId, Facts},
    expand::{
        elsewhere,
        machine::{Machine, Names},
        temporaries::Editions,
    },
};

impl Machine<'_> {
    pub(super) fn branch(
        &self,
        cond: &Expr,
        facts: &Facts,
        [then, otherwise]: [BlockId; 2],
        names: &Names,
    ) -> TokenStream {
        let mut cond = self.rewritten(cond, facts, names);
        if facts.defs.is_empty() {
            self.release(&mut cond, facts);
        }
        if let Stmt::Expr(cond, _) = &mut cond {
            let held = match self.is_whole(then) {
                true => Editions::Before2024,
                false => Editions::All,
            };
            self.watch_chain(cond, held);
        }
        let cond = whole(cond);
        let mut inside = names.clone();
        inside.declared(facts);
        let then = self.goto(then, &inside);
        let otherwise = self.goto(otherwise, names);
        let (witnessed, remade) = (self.witnessed(facts), self.remade_here(facts));
        let used = self.is_used_elsewhere(facts).then(|| {
            let names = facts.defs.iter().map(|var| &self.flow.var(*var).ident);
            quote!(#(let _ = &#names;)*)
        });
        quote!(if #cond { #used #witnessed #remade #then } else { #otherwise })
    }

    pub(super) fn matching(
        &self,
        scrutinee: &Expr,
        facts: &Facts,
        (arms, copies): (&[(Pat, Facts, BlockId)], bool),
        names: &Names,
    ) -> TokenStream {
        let mut scrutinee = self.rewritten(scrutinee, facts, names);
        if let Stmt::Expr(scrutinee, _) = &mut scrutinee {
            let mut asking = arms.iter().filter(|(_, _, body)| !self.is_whole(*body));
            let stays = asking.any(|(pat, _, _)| leaves(pat));
            self.watch_head(scrutinee, Editions::All, stays);
        }
        let pats = arms.iter().map(|(pat, ..)| pat);
        let scrutinee = looked_at(scrutinee, pats, copies);
        let arms = arms.iter().map(|(pat, bound, body)| {
            let mut inside = names.clone();
            inside.declared(bound);
            let body = self.goto(*body, &inside);
            let (witnessed, remade) = (self.witnessed(bound), self.remade_here(bound));
            let elsewhere = self.is_used_elsewhere(bound).then(elsewhere);
            let (pat, copied) = bound_by(pat, copies);
            quote!(#elsewhere #pat => { #copied #witnessed #remade #body })
        });
        quote!(match #scrutinee { #(#arms)* })
    }

    /// Behind it, temporaries of what it looks at are gone.
    pub(super) fn let_else(
        &self,
        init: &Expr,
        facts: &Facts,
        (arms, copies): (&[(Pat, Facts, BlockId)], bool),
        names: &Names,
    ) -> TokenStream {
        let [(pat, bound, next), (_, _, failed)] = arms else {
            return TokenStream::new();
        };
        let mut init = self.rewritten(init, facts, names);
        self.release(&mut init, bound);
        let init = looked_at(init, [pat], copies);
        // A `let … else` takes none that ends with a brace.
        let braced = init.clone().into_iter().last();
        let braced = matches!(braced, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace);
        let init = if braced { quote!((#init)) } else { init };
        let failed = self.goto(*failed, names);
        let mut inside = names.clone();
        inside.declared(bound);
        let next = self.goto(*next, &inside);
        let (witnessed, remade) = (self.witnessed(bound), self.remade_here(bound));
        let elsewhere = self.is_used_elsewhere(bound).then(elsewhere);
        let (pat, copied) = bound_by(pat, copies);
        quote! {
            #elsewhere
            let #pat = #init else { __saga_state = { #failed }; continue '__saga; };
            #copied
            #witnessed
            #remade
            #next
        }
    }
}

/// What patterns look at: of a field whose variable stays whole, a copy.
fn looked_at<'p>(
    scrutinee: Stmt,
    pats: impl IntoIterator<Item = &'p Pat>,
    copies: bool,
) -> TokenStream {
    match scrutinee {
        Stmt::Expr(field, _) if copies => copied_parts::looked_at(&field, pats).into_token_stream(),
        other => whole(other),
    }
}

/// The pattern, and what follows it.
fn bound_by(pat: &Pat, copies: bool) -> (TokenStream, TokenStream) {
    if copies {
        let bindings = copied_parts::bindings(pat);
        let pat = copied_parts::pattern(pat);
        (pat.into_token_stream(), quote!(#(#bindings)*))
    } else {
        (pat.into_token_stream(), TokenStream::new())
    }
}

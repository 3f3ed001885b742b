//! Asks in the guards of a `match`: which arm it is is found out before.
//!
//! ```text
//! match order { Some(n) if ask(n).await? => a, Some(n) => b, None => c }
//!     →   let mut arm = 0; let mut open = true;
//!         if open { let hit = match &order { Some(n) => ask(n).await?, _ => false }; if hit { arm = 1; open = false; } }
//!         match order { Some(n) if arm == 1 => a, Some(n) => b, None => c }
//! ```

use std::collections::HashSet;

use proc_macro2::Span;
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{Expr, ExprMatch, Ident, Lit, Pat, Stmt, visit::Visit, visit_mut::VisitMut};

use super::asks::Handles;
use crate::ast::{
    calls::{conjuncts, strip_parentheses},
    macros::{arguments, is_known, shows},
    patterns::{guard, is_constant, macros_in, pattern_bindings, without_guard},
    uses::Uses,
};

/// The same with guards that ask nobody; `None` where none asks, and where it cannot be written so.
pub(super) fn taken_out(matched: &ExprMatch, handles: &Handles, number: usize) -> Option<Expr> {
    let asks = |pat: &Pat| guard(pat).is_some_and(|guard| handles.contains_suspension(guard));
    let last = matched.arms.iter().rposition(|arm| asks(&arm.pat))?;
    let before = matched.arms.get(..=last)?;
    let is_plain = |arm: &syn::Arm| {
        let mut parts = guard(&arm.pat).into_iter().flat_map(conjuncts);
        let is_let = parts.any(|part| matches!(strip_parentheses(part), Expr::Let(_)));
        let is_cfg = |attribute: &syn::Attribute| attribute.path().is_ident("cfg");
        let pat = without_guard(&arm.pat);
        !is_let && macros_in(pat).is_empty() && matches_once(pat) && !arm.attrs.iter().any(is_cfg)
    };
    if !before.iter().all(is_plain) {
        return None;
    }
    let of = match strip_parentheses(&matched.expr) {
        place if is_place(place) => place.clone(),
        // Another place may be another one the next time, and its value is not what it is.
        Expr::Index(_) | Expr::Field(_) | Expr::Unary(_) | Expr::Reference(_) => return None,
        // It may be a place.
        Expr::Macro(value) if !is_known(&value.mac) => return None,
        value => return bound(matched, value, handles, number),
    };
    let (chosen, open) = (
        format_ident!("__saga_arm_{number}"),
        format_ident!("__saga_open_{number}"),
    );
    let mut looks: Vec<Stmt> = Vec::new();
    let mut taken = matched.clone();
    for (index, arm) in taken.arms.iter_mut().enumerate().take(last + 1) {
        let index = index + 1;
        let Pat::Guard(guarded) = &mut arm.pat else {
            let pat = without(&arm.pat, &HashSet::new());
            looks.push(syn::parse_quote!(
                if #open { match #of { #pat => { #open = false; } #[allow(unreachable_patterns)] _ => {} } }
            ));
            continue;
        };
        let hit = format_ident!("__saga_hit_{number}");
        let parts = conjuncts(&guarded.guard);
        let parts = parts
            .into_iter()
            .map(|part| match handles.contains_suspension(part) {
                true => asked(&hit, &of, &guarded.pat, part),
                false => looked_at(&hit, &of, &guarded.pat, part),
            });
        looks.push(syn::parse_quote!(
            if #open {
                let mut #hit = true;
                #(#parts)*
                if #hit { #chosen = #index; #open = false; }
            }
        ));
        *guarded.guard = syn::parse_quote!(#chosen == #index);
    }
    Some(syn::parse_quote!({
        let mut #chosen = 0usize;
        let mut #open = true;
        #(#looks)*
        #taken
    }))
}

/// A part of a guard that asks nobody is one: what it looks at are the values themselves, which stay where they are. What would be
/// taken where it holds is not: nothing goes on behind there.
fn looked_at(hit: &Ident, of: &Expr, pat: &Pat, part: &Expr) -> Stmt {
    let pat = without(pat, &names_in(pat, part));
    syn::parse_quote!(
        if #hit {
            #hit = false;
            match #of {
                #pat if { #hit = #part; false } => ::core::unreachable!(),
                #[allow(unreachable_patterns)]
                _ => {}
            }
        }
    )
}

/// A part that asks is the code of an arm. What it takes are numbers and references, which are copied; what it looks at is lent to
/// it, and has to be matched as it is, and not through a reference: then it would be one already.
fn asked(hit: &Ident, of: &Expr, pat: &Pat, part: &Expr) -> Stmt {
    let used = names_in(pat, part);
    let uses = match used.is_empty() || binds_itself(pat) || is_reference(of) {
        true => Used::Taken,
        false => used_as(part, &used),
    };
    let (pat, mut part) = (without(pat, &used), part.clone());
    let (of, proof): (Expr, Option<Stmt>) = match uses {
        Used::Taken => (of.clone(), None),
        Used::Shown => (syn::parse_quote!(&#of), None),
        Used::LookedAt => {
            behind(&mut part, &used);
            let taken: Vec<Ident> = pattern_bindings(&pat)
                .map(|binding| binding.ident.clone())
                .collect();
            let lent: Vec<Ident> = taken
                .iter()
                .map(|name| format_ident!("__saga_lent_{name}"))
                .collect();
            let same = taken.iter().zip(&lent).map(|(name, lent)| {
                let at = name.span().resolved_at(Span::call_site());
                quote_spanned!(at=> ::saga_runtime::__private::matched_as_it_is(#lent, &#name);)
            });
            let proof = syn::parse_quote!('__saga_never: {
                break '__saga_never;
                #[allow(unreachable_code)]
                #(let #lent = #taken;)*
                match #of {
                    #pat => { #(#same)* }
                    #[allow(unreachable_patterns)]
                    _ => {}
                }
            });
            (syn::parse_quote!(&#of), Some(proof))
        }
    };
    syn::parse_quote!(
        if #hit { #hit = match #of { #pat => { #proof #part } #[allow(unreachable_patterns)] _ => false }; }
    )
}

/// Those of the names that a pattern binds which a part of its guard mentions.
fn names_in(pat: &Pat, part: &Expr) -> HashSet<String> {
    let read = Uses::of_expr(part).reads;
    pattern_bindings(pat)
        .map(|binding| binding.ident.to_string())
        .filter(|name| read.contains_key(name))
        .collect()
}

fn is_reference(of: &Expr) -> bool {
    matches!(strip_parentheses(of), Expr::Reference(_))
}

/// Writes what is behind the references for what they stand for.
fn behind(part: &mut Expr, used: &HashSet<String>) {
    struct Behind<'n>(&'n HashSet<String>);
    impl VisitMut for Behind<'_> {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            match expr {
                Expr::Path(path) => {
                    let name = path.path.get_ident();
                    if name.is_some_and(|name| self.0.contains(&name.to_string())) {
                        *expr = syn::parse_quote!((*#expr));
                    }
                }
                other => syn::visit_mut::visit_expr_mut(self, other),
            }
        }

        fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
            let Some(mut all) = arguments(invocation).filter(|_| shows(invocation)) else {
                return;
            };
            let bare = |value: &Expr| matches!(strip_parentheses(value), Expr::Path(_));
            for argument in all.iter_mut().filter(|one| !bare(&one.value)) {
                self.visit_expr_mut(&mut argument.value);
            }
            invocation.tokens = all.to_token_stream();
        }

        fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
            self.visit_expr_mut(&mut field.expr);
            if field.colon_token.is_none() && !matches!(field.expr, Expr::Path(_)) {
                field.colon_token = Some(<syn::Token![:]>::default());
            }
        }
    }
    Behind(used).visit_expr_mut(part);
}

/// What is no place gets a name for as long as the `match` lasts, as its temporaries do.
fn bound(matched: &ExprMatch, value: &Expr, handles: &Handles, number: usize) -> Option<Expr> {
    let name = format_ident!("__saga_matched_{number}");
    let mut named = matched.clone();
    *named.expr = syn::parse_quote!(#name);
    let taken = taken_out(&named, handles, number)?;
    let mut bindings = matched
        .arms
        .iter()
        .flat_map(|arm| pattern_bindings(&arm.pat));
    let changed = bindings.any(|binding| binding.lends_to_change());
    let mutable = changed.then(<syn::Token![mut]>::default);
    Some(syn::parse_quote!(match #value { #mutable #name => #taken }))
}

/// Whether no value is matched by two alternatives: a guard has its say for each.
fn matches_once(pat: &Pat) -> bool {
    struct Alternatives(bool);
    impl<'ast> Visit<'ast> for Alternatives {
        fn visit_pat_or(&mut self, or: &'ast syn::PatOr) {
            let (mut named, mut of) = (HashSet::new(), HashSet::new());
            self.0 &= or.cases.iter().all(|case| {
                name_of(case).is_some_and(|(kind, name)| {
                    of.insert(kind);
                    named.insert(name)
                })
            });
            // One variant may go by two paths.
            self.0 &= of.len() <= 1;
            syn::visit::visit_pat_or(self, or);
        }
    }
    let mut alternatives = Alternatives(true);
    alternatives.visit_pat(pat);
    alternatives.0
}

/// What tells an alternative from others of its kind: a literal, or the variant of an enum. Two constants may be the same.
fn name_of(case: &Pat) -> Option<(String, String)> {
    let variant = |path: &syn::Path| {
        let name = path.segments.last()?.ident.to_string();
        let is_constant = name.len() > 1 && !name.contains(char::is_lowercase);
        let mut of = path.clone();
        of.segments.pop();
        (!is_constant).then(|| (of.to_token_stream().to_string(), name))
    };
    match case {
        Pat::Paren(paren) => name_of(&paren.pat),
        Pat::Reference(lent) => name_of(&lent.pat),
        Pat::Lit(literal) => {
            let value = match &literal.lit {
                Lit::Int(number) => number.base10_digits().to_owned(),
                Lit::Char(char) => char.value().to_string(),
                Lit::Str(text) => text.value(),
                Lit::Bool(bool) => bool.value.to_string(),
                _ => return None,
            };
            Some(("a literal".to_owned(), value))
        }
        Pat::Path(path) => variant(&path.path),
        Pat::TupleStruct(of) => variant(&of.path),
        Pat::Struct(of) => variant(&of.path),
        Pat::Ident(constant) if is_constant(constant) => variant(&constant.ident.clone().into()),
        _ => None,
    }
}

/// A variable, a field of one, what it refers to, and a reference to that: the same each time, without a step that does something.
fn is_place(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Path(path) => path.path.get_ident().is_some(),
        Expr::Field(field) => is_place(&field.base),
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)) && is_place(&unary.expr),
        Expr::Reference(lent) => is_place(&lent.expr),
        _ => false,
    }
}

/// A pattern that binds these names and no others.
fn without(pat: &Pat, used: &HashSet<String>) -> Pat {
    struct Unbound<'n>(&'n HashSet<String>);
    impl VisitMut for Unbound<'_> {
        fn visit_pat_mut(&mut self, pat: &mut Pat) {
            let Pat::Ident(binding) = pat else {
                return syn::visit_mut::visit_pat_mut(self, pat);
            };
            if is_constant(binding) {
                return;
            }
            if self.0.contains(&binding.ident.to_string()) {
                if binding.by_ref.is_none() {
                    binding.mutability = None;
                }
                return syn::visit_mut::visit_pat_mut(self, pat);
            }
            *pat = match &binding.subpat {
                None => syn::parse_quote!(_),
                Some((_, inner)) => {
                    let mut inner = (**inner).clone();
                    self.visit_pat_mut(&mut inner);
                    inner
                }
            };
        }

        fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
            self.visit_pat_mut(&mut field.pat);
            if field.colon_token.is_none() && !matches!(&*field.pat, Pat::Ident(_)) {
                field.colon_token = Some(<syn::Token![:]>::default());
            }
        }
    }
    let mut pat = pat.clone();
    Unbound(used).visit_pat_mut(&mut pat);
    pat
}

/// Whether a pattern says itself what it refers to: it is not matched through another reference.
fn binds_itself(pat: &Pat) -> bool {
    struct Says(bool);
    impl<'ast> Visit<'ast> for Says {
        fn visit_pat(&mut self, pat: &'ast Pat) {
            self.0 |= match pat {
                Pat::Reference(_) => true,
                Pat::Ident(binding) => binding.by_ref.is_some(),
                // A text is a reference itself.
                Pat::Lit(literal) => matches!(
                    literal.lit,
                    syn::Lit::Str(_) | syn::Lit::ByteStr(_) | syn::Lit::CStr(_)
                ),
                _ => false,
            };
            syn::visit::visit_pat(self, pat);
        }
    }
    let mut says = Says(false);
    says.visit_pat(pat);
    says.0
}

/// What a part of a guard does with variables.
enum Used {
    /// They are shown, as references to them are.
    Shown,
    /// They are lent, and called methods of.
    LookedAt,
    /// They are used as the values that they are, or nobody knows.
    Taken,
}

fn used_as(guard: &Expr, used: &HashSet<String>) -> Used {
    struct Looks<'n> {
        used: &'n HashSet<String>,
        looked_at: bool,
        taken: bool,
    }
    impl Looks<'_> {
        fn is_used(&self, expr: &Expr) -> bool {
            matches!(strip_parentheses(expr), Expr::Path(path)
                if path.path.get_ident().is_some_and(|name: &Ident| self.used.contains(&name.to_string())))
        }

        fn looks(&mut self, expr: &Expr) {
            match self.is_used(expr) {
                true => self.looked_at = true,
                false => self.visit_expr(expr),
            }
        }
    }
    impl<'ast> Visit<'ast> for Looks<'_> {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Path(_) => self.taken |= self.is_used(expr),
                Expr::Reference(lent) => self.looks(&lent.expr),
                Expr::Field(field) => self.looks(&field.base),
                Expr::MethodCall(call) => {
                    self.looks(&call.receiver);
                    call.args
                        .iter()
                        .for_each(|argument| self.visit_expr(argument));
                }
                other => syn::visit::visit_expr(self, other),
            }
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            let Some(all) = arguments(invocation).filter(|_| shows(invocation)) else {
                self.taken = true;
                return;
            };
            let mut inside = Looks { ..*self };
            for argument in &all {
                if !inside.is_used(&argument.value) {
                    inside.visit_expr(&argument.value);
                }
            }
            (self.looked_at, self.taken) = (inside.looked_at, inside.taken);
        }

        /// What is bound by such a name is another variable.
        fn visit_pat_ident(&mut self, binding: &'ast syn::PatIdent) {
            self.taken |= self.used.contains(&binding.ident.to_string());
        }
    }
    let mut looks = Looks {
        used,
        looked_at: false,
        taken: false,
    };
    looks.visit_expr(guard);
    match looks {
        Looks { taken: true, .. } => Used::Taken,
        Looks {
            looked_at: true, ..
        } => Used::LookedAt,
        _ => Used::Shown,
    }
}

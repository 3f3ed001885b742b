//! Lookups of what is to be changed: what they are done by is evaluated once.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Expr, Pat, Stmt, spanned::Spanned};

use super::{
    Lower,
    control::is_control,
    temporaries::{gives_part, is_temporary},
};

use crate::{
    ast::{
        calls::{is_of_runtime, strip_parentheses},
        patterns::{is_name, pattern_bindings},
        uses::{Uses, root_name},
    },
    cfg::{
        VarId, copies,
        persistence::{Persistence, Reborrow, ReborrowId},
        proof::of_std,
    },
};

impl Lower<'_> {
    /// Evaluates by what a search looks, where that would be something else when it looks again.
    ///
    /// ```text
    /// let found = map.get_mut(&key);   →   let by = key.clone(); let found = map.get_mut(&by);
    /// ```
    pub(super) fn fix_lookup(&mut self, init: &mut Expr) {
        self.fix_lookup_in(init, false);
    }

    /// The same where it may be `expected` to be of a type, which is for each of its branches.
    pub(super) fn fix_lookup_in(&mut self, init: &mut Expr, expected: bool) {
        if self.dead {
            return;
        }
        if let Some(by) = self.places(|places| places.choosing(init)) {
            *by = self.fixed(by.clone());
        }
        self.fix_choice(init);
        if !expected || !is_control(init) {
            self.keep_found(init);
        }
        if let Some(search) = self.places(|places| places.searched(init)) {
            self.search(search);
        }
        let changing = self.places(|places| places.changing(init));
        for argument in changing {
            match argument {
                Expr::Reference(key) if is_named(&key.expr) => {
                    *key.expr = self.fixed(copies::of_kept(&key.expr, false));
                }
                range @ Expr::Range(_) => self.evaluate_index(range),
                // What is lent for the lookup alone is kept itself.
                Expr::Reference(key) if is_temporary(&key.expr) => {
                    self.own_lent(&mut key.expr);
                    *key.expr = self.fixed((*key.expr).clone());
                }
                value => {
                    self.own_lent(value);
                    *value = self.fixed_key(value);
                }
            }
        }
    }

    /// What a call gives may be lent: what it is lent from may be given away while it is looked up by a copy.
    ///
    /// ```text
    /// stock.get_mut(name.as_str())   →   let by = name.as_str().to_owned(); stock.get_mut(&by)
    /// ```
    pub(super) fn fixed_key(&mut self, key: &Expr) -> Expr {
        match strip_parentheses(key) {
            // What another method gives may have a type that only the lookup says.
            Expr::MethodCall(call) if !gives_part(call) && !says_its_type(key) => {
                self.fixed(key.clone())
            }
            Expr::MethodCall(_) | Expr::Reference(_) | Expr::Path(_) => {
                let kept = self.fixed(copies::of_key(key));
                copies::by_key(&kept)
            }
            _ => self.fixed(key.clone()),
        }
    }

    /// Makes an entry by a copy of its key, by which it is found again.
    ///
    /// ```text
    /// groups.entry(key).or_default()   →   let by = key; groups.entry(by.clone()).or_default()
    /// ```
    pub(super) fn fix_entry(&mut self, init: &mut Expr) {
        if let Some(key) = self.places(|places| places.entered_by(init)) {
            let span = key.span().resolved_at(Span::call_site());
            let by = self.fixed(key.clone());
            *key = syn::parse_quote_spanned!(span=> ::core::clone::Clone::clone(&#by));
        }
    }

    /// A `let` of an entry that is used behind an ask; a key that need not be kept need not be cloned.
    pub(super) fn with_entry(&mut self, stmt: &Stmt, rest: &[Stmt]) -> Option<Stmt> {
        let Stmt::Local(local) = stmt else {
            return None;
        };
        let mut local = local.clone();
        let init = local.init.as_mut().filter(|init| init.diverge.is_none())?;
        self.places(|places| places.entered_by(&mut init.expr).map(|_| ()))?;
        if !self.is_used_behind(&local.pat, rest)
            || self.is_cut(&init.expr)
            || !local.attrs.is_empty()
        {
            return None;
        }
        self.fix_entry(&mut init.expr);
        Some(Stmt::Local(local))
    }

    /// Whether what a pattern binds is used in the statement with the next suspension point, or behind it.
    pub(super) fn is_used_behind(&self, pat: &Pat, rest: &[Stmt]) -> bool {
        let suspends = |stmt: &Stmt| self.handles.suspends_at(stmt);
        let Some(cut) = rest.iter().position(suspends) else {
            return false;
        };
        pattern_bindings(pat).any(|binding| {
            let name = binding.ident.to_string();
            let uses = |stmt: &Stmt| Uses::of_stmt(stmt).reads.contains_key(&name);
            rest[cut..].iter().any(uses)
        })
    }

    /// Searches once, and keeps where it was found.
    ///
    /// ```text
    /// list.iter_mut().find(f)   →   (at, found) = search(list.iter_mut(), f); found, or there again
    /// ```
    fn search(&mut self, search: &mut Expr) {
        let Expr::MethodCall(call) = &*search else {
            return;
        };
        let (items, by) = (&call.receiver, &call.args);
        let Some(again) = self.places(|places| places.iterator(items, &self.reassigned)) else {
            return;
        };
        let span = call.method.span();
        let method = &call.method;
        let proof = of_std(&again.calls);
        let both = self.fixed(syn::parse_quote!({
            #proof
            ::saga_runtime::__private::searched::#method(#items, #by)
        }));
        let at = self.fixed(syn::parse_quote!(#both.0));
        let found = self.hidden_for("found", search);
        let there = format_ident!("there", span = span);
        let items = again.init;
        let mut deps = again.deps;
        deps.extend(root_name(&at).and_then(|name| self.resolve(&name)));
        let ident = &self.vars[found.0].ident;
        let reborrow = ReborrowId(self.reborrows.len());
        self.reborrows.push(Reborrow {
            pat: syn::parse_quote!(#ident),
            init: syn::parse_quote!(::saga_runtime::__private::searched::#there(#items, #at)),
            vars: vec![found],
            deps,
            imports: self.importing.clone(),
            doubtful: Vec::new(),
        });
        self.vars[found.0].persistence = Persistence::Reborrowed(reborrow);
        self.define(found, syn::parse_quote!(#both.1));
        *search = self.path(found);
    }

    /// Of a variable that is what a search found, or an item of a loop, as a whole: what was searched, or gone over. What a
    /// pattern took out of it is not.
    pub(super) fn searched_in(&self, found: &Expr) -> Option<&Expr> {
        let Expr::Path(name) = passed_on(found) else {
            return None;
        };
        self.items_of(self.resolve(&name.path.get_ident()?.to_string())?)
    }

    fn items_of(&self, var: VarId) -> Option<&Expr> {
        let again = match self.vars[var.0].persistence {
            Persistence::Reborrowed(id) => self.reborrows.get(id.0)?,
            _ => return None,
        };
        let whole = is_name(&again.pat);
        match &again.init {
            Expr::Call(call) if whole && is_of_runtime(&call.func, &["there"]) => call.args.first(),
            // `Some(item)` of a loop.
            Expr::MethodCall(call) if call.method == "nth" && call.args.len() == 2 => {
                match &again.pat {
                    Pat::TupleStruct(item) if item.elems.iter().all(is_name) => call.args.first(),
                    _ => None,
                }
            }
            // The same under another name.
            Expr::Path(_) if whole => match again.deps[..] {
                [var] => self.items_of(var),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a value is looked up by what has to be evaluated before.
    pub(super) fn looks_by(&self, init: &Expr) -> bool {
        let mut init = init.clone();
        let looks_again = self.places(|places| {
            places.searched(&mut init).is_some() || !places.changing(&mut init).is_empty()
        });
        looks_again || self.finds(&mut init)
    }
}

/// What a value is taken out of: `found` of `found.ok_or(..)?`.
fn passed_on(value: &Expr) -> &Expr {
    match strip_parentheses(value) {
        Expr::Try(tried) => passed_on(&tried.expr),
        Expr::MethodCall(call) => passed_on(&call.receiver),
        other => other,
    }
}

/// Whether it is a variable, or a field of one.
fn is_named(place: &Expr) -> bool {
    match strip_parentheses(place) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_named(&field.base),
        _ => false,
    }
}

/// Methods that give what is asked for.
const OF_ANY_TYPE: &[&str] = &[
    "borrow", "collect", "fold", "into", "parse", "product", "sum", "try_into",
];

/// Whether what a chain of methods gives is known without what it is given to, as far as their names say.
fn says_its_type(of: &Expr) -> bool {
    match strip_parentheses(of) {
        Expr::MethodCall(call) => {
            let any = OF_ANY_TYPE.iter().any(|name| call.method == name);
            let closes = |argument: &Expr| matches!(argument, Expr::Closure(_));
            !any && !call.args.iter().any(closes) && says_its_type(&call.receiver)
        }
        Expr::Path(path) => path.path.get_ident().is_some(),
        Expr::Field(field) => says_its_type(&field.base),
        Expr::Index(index) => says_its_type(&index.expr),
        _ => false,
    }
}

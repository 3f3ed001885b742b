//! Declaring and finding variables.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use quote::{ToTokens, format_ident};
use syn::{Expr, Local, Pat, Stmt, spanned::Spanned};

use super::{Lower, let_attribute::LetAttribute, temporaries::gives_part};

use crate::{
    ast::{
        calls::strip_parentheses,
        patterns::{
            Binding, copies_out, declared_type, is_picked_by_guard, pattern_bindings, without_guard,
        },
        projection::projection,
        stays::stays,
        tokens::names_importable,
        types::{
            is_argument_type, is_handle_type, is_owned_handle, is_shared_reference, is_static,
            is_static_of_std, is_unique_reference,
        },
        uses::Uses,
    },
    cfg::{
        Access, Facts, Flow, Param, ParamId, StandsFor, Step, Var, VarId,
        item_copies::{copied, without},
        persistence::{Form, Hints, Persistence, Reborrow, ReborrowId, Rematerialization},
        place::{Borrow, Places},
        rematerialize::Picks,
    },
    syntax::function::{Input, Kind},
};

pub(super) fn without_type(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(typed) => &typed.pat,
        other => other,
    }
}

impl Lower<'_> {
    /// Declares the parameters, in the outermost scope.
    pub(super) fn declare_params(&mut self, input: &Input) {
        let uses = Uses::of_block(&input.item.block);
        for param in input.params() {
            let id = ParamId(self.params.len());
            self.refuse_capital(&param.pat);
            let bindings: Vec<_> = pattern_bindings(&param.pat).collect();
            let changes =
                matches!(&*param.ty, syn::Type::Reference(lent) if lent.mutability.is_some());
            if changes && !bindings.is_empty() && projection(&param.pat, &|_| true).is_none() {
                self.errors.refuse(
                    &param.pat,
                    "alternatives in the pattern of a `&mut` parameter",
                    "behind an ask, what has changed meanwhile could choose another one",
                    "a name for the parameter, and `match` in the body",
                );
            }
            let moved = bindings.iter().any(|binding| {
                let name = binding.ident.to_string();
                uses.reads.get(&name).copied().unwrap_or(false) || self.bound.contains(&name)
            });
            let stays = || {
                let mut names = bindings.iter().map(|binding| &binding.ident);
                !moved && names.all(|name| stays(name, &input.item.block))
            };
            let mutable = bindings.iter().any(|binding| binding.mutable);
            let access = access(&param.ty, input.kind, moved, mutable, stays);
            let vars = bindings
                .iter()
                .map(|binding| {
                    let persistence = match access {
                        Access::Local
                            if matches!(&*param.pat, Pat::Ident(_))
                                && is_static_of_std(&param.ty) =>
                        {
                            Persistence::Spilled(Form::Static)
                        }
                        Access::Local => Persistence::Spilled(Form::ByType(Hints {
                            given: !binding.mutable,
                            ..Hints::default()
                        })),
                        _ => Persistence::Param(id),
                    };
                    self.add(Var {
                        ident: binding.ident.clone(),
                        mutable: binding.mutable,
                        persistence,
                        ty: None,
                        hidden: false,
                        late: false,
                        stands_for: StandsFor::Nothing,
                    })
                })
                .collect();
            let changes = is_unique_reference(&param.ty)
                && bindings
                    .iter()
                    .any(|binding| self.reassigned.may_write(&binding.ident.to_string()));
            self.params.push(Param {
                pat: (*param.pat).clone(),
                ty: (*param.ty).clone(),
                access,
                changes: changes || access == Access::Reborrowed,
                vars,
            });
        }
    }

    fn add(&mut self, var: Var) -> VarId {
        let id = VarId(self.vars.len());
        if !var.hidden
            && let (Some(scope), Some(declared)) =
                (self.scopes.last_mut(), self.declared.last_mut())
        {
            scope.insert(var.ident.to_string(), id);
            declared.push(id);
        }
        self.vars.push(var);
        id
    }

    /// A variable of the macro's own.
    pub(super) fn hidden(&mut self, what: &str) -> VarId {
        let id = VarId(self.vars.len());
        let ident = format_ident!("__saga_{}_{}", what, id.0, span = Span::call_site());
        self.vars.push(Var {
            ident,
            mutable: false,
            persistence: Persistence::by_type(),
            ty: None,
            hidden: true,
            late: false,
            stands_for: StandsFor::Nothing,
        });
        id
    }

    /// The record of answers.
    pub(super) fn record(&mut self) -> VarId {
        let id = self.hidden("answer");
        self.vars[id.0].persistence = Persistence::Spilled(Form::Record);
        id
    }

    /// A variable of the macro's own that holds what `expr` gives: an error about it points there.
    pub(super) fn hidden_for(&mut self, what: &str, expr: &Expr) -> VarId {
        let id = self.hidden(what);
        let span = expr.span().resolved_at(Span::call_site());
        self.vars[id.0].ident.set_span(span);
        id
    }

    /// The same, which stands for a part of the author's statement.
    pub(super) fn standing_for(&mut self, stands_for: StandsFor, what: &str, expr: &Expr) -> VarId {
        let id = self.hidden_for(what, expr);
        self.vars[id.0].stands_for = stands_for;
        id
    }

    /// A hidden variable as an expression.
    pub(super) fn path(&self, var: VarId) -> Expr {
        let ident = &self.vars[var.0].ident;
        syn::parse_quote!(#ident)
    }

    /// How what `pat` binds to the value of `init` is borrowed in each block; `None` where it moves.
    pub(super) fn reborrow(&self, pat: &Pat, init: Option<&Expr>) -> Option<Borrow> {
        let init = init?;
        if self.is_of_request(init) && !self.moves_variable(init) {
            let reads = Uses::of_expr(init).reads.into_keys();
            let deps = self.resolve_all(reads).into_iter().collect();
            return Some(Borrow::of(init.clone(), deps));
        }
        if let Some(made) = self.made_again(pat, init) {
            return Some(made);
        }
        let by_ref = pattern_bindings(pat).all(|binding| binding.by_ref);
        let changes = pattern_bindings(pat).any(|binding| binding.mutable);
        self.places(|places| {
            let by_ref = by_ref && (changes || !places.leads_elsewhere(init));
            if by_ref && let Some(place) = places.by_pattern(init) {
                return Some(place);
            }
            let reborrow = places.borrow(init).or_else(|| places.reference(init));
            let mut reborrow = reborrow.filter(|_| !copies_out(pat))?;
            if let Some(items) = self.searched_in(init) {
                reborrow.copies = copied(pat, items);
            }
            Some(reborrow)
        })
    }

    /// Whether a variable, or a field of one, is moved.
    fn moves_variable(&self, init: &Expr) -> bool {
        let of = match strip_parentheses(init) {
            Expr::Field(field) => return self.moves_variable(&field.base),
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        let var = of.and_then(|name| self.lookup(&name.to_string()));
        var.is_some_and(|id| self.vars[id.0].persistence.is_spilled())
    }

    /// Declares what `pat` binds of the value of `init`.
    pub(super) fn declare_of(
        &mut self,
        pat: &Pat,
        init: &Expr,
        remake: Option<Borrow>,
    ) -> Vec<VarId> {
        // Resolved before the pattern hides what it is made of.
        let ids = self.vars.len();
        let mut picks = Vec::new();
        for (index, binding) in pattern_bindings(pat).enumerate() {
            let known = binding.by_ref || binding.mutable || remake.is_some();
            picks.push((!known).then(|| self.bound_again(VarId(ids + index), &binding, pat, init)));
        }
        let declared = self.declare_from(pat, remake);
        let borrows = self.is_borrowing_struct(pat, init);
        let fixed = fixed_form(pat, init);
        let stays = matches!(pat, Pat::Ident(name) if name.mutability.is_none());
        let is_table = stays && self.is_table(init);
        for (id, again) in declared.iter().zip(picks) {
            let rematerialized = again.flatten();
            if is_table && rematerialized.is_none() && self.vars[id.0].persistence.is_spilled() {
                self.note_table(*id);
                continue;
            }
            if let (Some(form), true) = (&fixed, self.vars[id.0].persistence.is_spilled()) {
                self.vars[id.0].persistence = Persistence::Spilled(form.clone());
                continue;
            }
            self.vars[id.0].persistence.hint(Hints {
                rematerialized,
                borrows,
                given: false,
            });
        }
        declared
    }

    /// Whether a struct of the author's with references in it is bound, as far as the text shows.
    fn is_borrowing_struct(&self, pat: &Pat, init: &Expr) -> bool {
        use syn::visit::Visit;
        struct Borrows<'l, 'a> {
            lower: &'l Lower<'a>,
            found: bool,
        }
        impl<'ast> Visit<'ast> for Borrows<'_, '_> {
            fn visit_lifetime(&mut self, _: &'ast syn::Lifetime) {
                self.found = true;
            }

            fn visit_expr_struct(&mut self, literal: &'ast syn::ExprStruct) {
                let mut values = literal
                    .fields
                    .iter()
                    .map(|field| strip_parentheses(&field.expr));
                self.found |= values.any(|value| match value {
                    Expr::Reference(_) => true,
                    Expr::MethodCall(call) => gives_part(call),
                    other => self.lower.places(|places| places.is_reference(other)),
                });
                syn::visit::visit_expr_struct(self, literal);
            }

            fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        }
        let mut borrows = Borrows {
            lower: self,
            found: false,
        };
        if let Pat::Type(typed) = pat
            && !matches!(&*typed.ty, syn::Type::Reference(_))
        {
            borrows.visit_type(&typed.ty);
        }
        borrows.visit_expr(init);
        borrows.found
    }

    fn bound_again(
        &self,
        var: VarId,
        binding: &crate::ast::patterns::Binding,
        pat: &Pat,
        init: &Expr,
    ) -> Option<Rematerialization> {
        if is_picked_by_guard(pat) {
            return None;
        }
        // The guard has had its say.
        let pat = without_guard(pat);
        if self.is_imported(pat) || self.is_imported(init) {
            return None;
        }
        self.picks(|picks| picks.bound(var, &binding.ident, pat, init))
    }

    /// How a variable of the macro's own is evaluated again.
    pub(super) fn pick(&mut self, var: VarId, init: &Expr) {
        let rematerialized = match self.is_imported(init) {
            true => None,
            false => self.picks(|picks| picks.again(var, init)),
        };
        self.vars[var.0].persistence.hint(Hints {
            rematerialized,
            ..Hints::default()
        });
    }

    /// Declares what `pat` binds, borrowed in this way where there is one.
    pub(super) fn declare_from(&mut self, pat: &Pat, remake: Option<Borrow>) -> Vec<VarId> {
        self.refuse_pattern_macros(pat);
        let bindings: Vec<_> = pattern_bindings(pat).collect();
        let mutable = bindings.iter().any(Binding::is_mutable);
        let copies = remake.as_ref().map(|remake| remake.copies.clone());
        let copies = copies.unwrap_or_default();
        let whole = without(without_guard(pat), &copies);
        let remake = remake.filter(|remake| {
            // A closure that is made again has no state but what is lent to it.
            let fixed = !mutable || matches!(strip_parentheses(&remake.init), Expr::Closure(_));
            let again = bindings
                .iter()
                .any(|binding| !copies.contains(&binding.ident.to_string()));
            fixed && again && self.is_matched_again(pat, remake)
        });
        let doubtful = remake.as_ref();
        let doubtful =
            doubtful.map(|again| self.places(|places| places.doubtful(pat, &again.init)));
        let doubtful = doubtful.unwrap_or_default();
        let reborrow = ReborrowId(self.reborrows.len());
        let vars: Vec<_> = bindings
            .into_iter()
            .map(|binding| {
                let ty = declared_type(pat, None, &binding.ident).cloned();
                let is_copy = copies.contains(&binding.ident.to_string());
                self.add(Var {
                    mutable: binding.is_mutable(),
                    ident: binding.ident,
                    persistence: match remake {
                        Some(_) if !is_copy => Persistence::Reborrowed(reborrow),
                        _ => Persistence::by_type(),
                    },
                    ty,
                    hidden: false,
                    late: false,
                    stands_for: StandsFor::Nothing,
                })
            })
            .collect();
        if let Some(remake) = remake {
            let again = vars.iter().copied();
            let again = again.filter(|var| !self.vars[var.0].persistence.is_spilled());
            self.reborrows.push(Reborrow {
                pat: whole,
                init: remake.init,
                vars: again.collect(),
                deps: remake.deps,
                imports: self.importing.clone(),
                doubtful,
            });
        }
        vars
    }

    /// Whether a pattern binds the same in another block, though what it looks at may have changed since.
    fn is_matched_again(&self, pat: &Pat, borrow: &Borrow) -> bool {
        // A guard has looked at each alternative.
        let guarded = matches!(pat, Pat::Guard(_));
        projection(without_guard(pat), &|_| true).is_some()
            || !guarded && self.places(|places| !places.is_lent_to_change(pat, borrow))
    }

    /// The same, kept in this form where it is stored.
    pub(super) fn declare_as(
        &mut self,
        pat: &Pat,
        init: Option<&Expr>,
        remake: Option<Borrow>,
        form: Option<Form>,
    ) -> Vec<VarId> {
        let declared = match (init, &form) {
            (Some(init), None) => self.declare_of(pat, init, remake),
            _ => self.declare_from(pat, remake),
        };
        if let Some(form) = form {
            for id in &declared {
                self.vars[id.0].persistence = Persistence::Spilled(form.clone());
            }
        }
        declared
    }

    /// `let x;`: the variable is declared again in each other piece of generated code that assigns it.
    pub(super) fn declare_uninitialized(&mut self, local: &Local, word: Option<&LetAttribute>) {
        self.alpha_rename(self.shadowed_by(&local.pat, None, true));
        let form = match word {
            Some(word) => self.by_attribute(&local.pat, None, word).1,
            None => {
                let is_text = !self.texts_of(&local.pat, None).is_empty();
                is_text.then(super::literals::literal)
            }
        };
        let declared = self.declare_as(&local.pat, None, None, form);
        for id in &declared {
            self.vars[id.0].late = true;
        }
        let facts = Facts {
            defs: declared.into_iter().collect(),
            ..Facts::default()
        };
        self.step(Step::Code(Box::new(Stmt::Local(local.clone())), facts));
    }

    pub(super) fn lookup(&self, name: &str) -> Option<VarId> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(name).copied())
    }

    pub(super) fn places<R>(&self, judge: impl FnOnce(&Places<'_>) -> R) -> R {
        judge(&Places {
            vars: &self.vars,
            params: &self.params,
            names: &|name| self.resolve(name),
            reassigned: &self.reassigned,
            reborrows: &self.reborrows,
            taken: &self.taken,
            bound: &self.bound,
            changes_self: self.changes_self,
        })
    }

    /// What is evaluated again is so behind the blocks, where nothing is imported that a block imports: a
    /// variant's name in a pattern would match anything there.
    pub(super) fn is_imported(&self, code: &impl ToTokens) -> bool {
        !self.importing.is_empty() && names_importable(code)
    }

    pub(super) fn picks<R>(&self, judge: impl FnOnce(&Picks<'_>) -> R) -> R {
        judge(&Picks {
            vars: &self.vars,
            params: &self.params,
            names: &|name| self.resolve(name),
            is_steady: &|place, of_std| self.places(|places| places.is_steady(place, of_std)),
            imports: !self.importing.is_empty(),
            lends_out: self.lends_out,
        })
    }

    pub(super) fn resolve_all(
        &self,
        names: impl IntoIterator<Item = String>,
    ) -> std::collections::BTreeSet<VarId> {
        names
            .into_iter()
            .filter_map(|name| self.resolve(&name))
            .collect()
    }

    pub(super) fn resolve(&self, name: &str) -> Option<VarId> {
        self.lookup(name).or_else(|| {
            let hidden = || {
                self.vars
                    .iter()
                    .position(|var| var.hidden && var.ident == name)
            };
            name.starts_with("__saga_")
                .then(hidden)
                .flatten()
                .map(VarId)
        })
    }

    /// Uses by name, as facts about variables.
    pub(super) fn facts(&mut self, uses: Uses) -> Facts {
        let taken = self.resolve_all(uses.taken);
        self.moved.extend(taken);
        Facts {
            of_self: uses.reads.contains_key("self"),
            reads: self.resolve_all(uses.reads.into_keys()),
            assigns: self.resolve_all(uses.assigns),
            ..Facts::default()
        }
    }

    /// The base of an ask's key from the `let` it is in: the single name of the pattern.
    pub(super) fn key_of(&self, pat: &Pat) -> Option<String> {
        let mut names: HashSet<String> = pattern_bindings(pat)
            .map(|binding| binding.ident.to_string())
            .collect();
        let name = names
            .drain()
            .next()
            .filter(|_| pattern_bindings(pat).count() == 1)?;
        let plain = name
            .trim_start_matches('_')
            .trim_start_matches("r#")
            .to_owned();
        (!plain.is_empty()).then_some(plain)
    }
}

/// The form of a variable whose text says more than its type does.
fn fixed_form(pat: &Pat, init: &Expr) -> Option<Form> {
    if let Pat::Type(typed) = pat
        && is_static(&typed.ty)
    {
        return Some(Form::Static);
    }
    let by_name = matches!(pat, Pat::Ident(ident) if ident.mutability.is_none());
    // Nobody can step through it, so that it is not exhausted.
    let closed = matches!(strip_parentheses(init), Expr::Range(range)
        if matches!(range.limits, syn::RangeLimits::Closed(_)) && range.start.is_some());
    (by_name && closed).then_some(Form::Untouched)
}

fn access(
    ty: &syn::Type,
    kind: Kind,
    moved: bool,
    mutable: bool,
    stays: impl FnOnce() -> bool,
) -> Access {
    if mutable && !is_handle_type(ty) {
        return Access::Local;
    }
    if is_shared_reference(ty) {
        return if moved {
            Access::Copied
        } else {
            Access::Direct
        };
    }
    if is_unique_reference(ty) {
        return if moved {
            Access::Reborrowed
        } else {
            Access::Direct
        };
    }
    if is_owned_handle(ty) {
        return if moved {
            Access::Cloned
        } else {
            Access::Direct
        };
    }
    match kind {
        Kind::Helper if !stays() => Access::Local,
        Kind::Tool | Kind::Prompt | Kind::Resource if is_argument_type(ty) => match moved {
            false => Access::Rooted,
            true => Access::Parsed,
        },
        _ if !moved => Access::Direct,
        _ => Access::Cloned,
    }
}

impl Flow {
    /// A name for a parameter that is not reached by its own.
    pub(crate) fn param_ident(id: ParamId) -> Ident {
        format_ident!("__saga_param_{}", id.0)
    }
}

//! Searches in what each process has: what cannot be stored is found again by where it was.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Expr, ExprPath, Pat, Type, spanned::Spanned, visit_mut::VisitMut};

use super::Lower;

use crate::{
    ast::uses::{root, root_name},
    cfg::{
        Access, VarId,
        found::{Source, search},
        persistence::{Form, Hints, Persistence},
    },
};

impl Lower<'_> {
    /// Searches once, and keeps where it was found.
    ///
    /// ```text
    /// let plan = self.plans.iter().find(f)?;   →   let found = self.plans.iter().find(f);
    ///                                              let spot = (where found is in &self.plans); let plan = found?;
    /// ```
    pub(super) fn keep_found(&mut self, init: &mut Expr) {
        if !self.finds(init) {
            return;
        }
        let Some(mut search) = search(init) else {
            return;
        };
        for source in &mut search.sources {
            self.meant(source.place_mut());
        }
        let (found, spot) = (self.hidden_for("found", search.expr), self.hidden("spot"));
        let ident = |var: VarId| self.vars[var.0].ident.clone();
        let (found_name, spot_name) = (ident(found), ident(spot));
        let kinds: Vec<Kind> = search.sources.iter().map(|of| self.kind(of)).collect();
        let span = search.expr.span().resolved_at(Span::call_site());
        let there = format_ident!("saga_there", span = span);
        let behind: Vec<_> = search.sources.iter().map(|of| self.behind(of)).collect();
        let lent = items(&behind, &kinds);
        let again =
            syn::parse_quote_spanned!(span=> (&#spot_name).#there(&__saga_again, #lent).unwrap());
        let places: Vec<&Expr> = search.sources.iter().map(Source::place).collect();
        let Some(rematerialized) = self.picks(|picks| picks.found(found, spot, &places, again))
        else {
            return;
        };
        let mut searched = search.expr.clone();
        for table in self.tables(&search.sources) {
            let places = search.sources.iter_mut().map(Source::place_mut);
            self.lend_table(&table, places.chain([&mut searched]));
        }
        let behind: Vec<_> = search.sources.iter().map(|of| self.behind(of)).collect();
        let items = items(&behind, &kinds);
        let located = syn::parse_quote!({
            use ::saga_runtime::__private::{SeenElsewhere as _, SeenThere as _};
            (&::saga_runtime::__private::Seen::of(#items, &#found_name)).saga_spot()
        });
        self.vars[spot.0].persistence = Persistence::Spilled(Form::Spot);
        self.vars[found.0].persistence.hint(Hints {
            rematerialized: Some(rematerialized),
            ..Hints::default()
        });
        self.define(found, searched);
        self.define(spot, located);
        *search.expr = self.path(found);
    }

    /// What a parameter refers to: what is found there lives longer than a variable that has the reference.
    fn behind(&self, source: &Source) -> Source {
        let of_reference = |place: &Expr| {
            let Expr::Path(path) = place else {
                return false;
            };
            let name = path.path.get_ident().map(ToString::to_string);
            let var = name.and_then(|name| self.resolve(&name));
            var.is_some_and(|var| match self.vars[var.0].persistence {
                Persistence::Param(id) => {
                    matches!(&self.params[id.0].ty, Type::Reference(lent) if lent.mutability.is_none())
                }
                _ => false,
            })
        };
        let place = match source.place() {
            place if of_reference(place) => syn::parse_quote!(*#place),
            place => place.clone(),
        };
        match source {
            Source::Items(_) => Source::Items(place),
            Source::Item(_) => Source::Item(place),
        }
    }

    /// What tells whether an item of it is the same in another process.
    fn kind(&self, source: &Source) -> Kind {
        let place = source.place();
        if self.table(place).is_some() {
            Kind::Table
        } else if self.is_of_arguments(place) {
            Kind::Same
        } else {
            Kind::State
        }
    }

    /// Lends the table that a place is in once, for all these.
    fn lend_table<'e>(&mut self, table: &ExprPath, mentions: impl Iterator<Item = &'e mut Expr>) {
        let lent = self.hidden("table");
        let name = &self.vars[lent.0].ident;
        let mut instead = Instead {
            name: table,
            with: syn::parse_quote!((*#name)),
        };
        mentions.for_each(|expr| instead.visit_expr_mut(expr));
        self.define(lent, syn::parse_quote!(&#table));
    }

    /// Whether a value is borrowed or picked again without a search.
    fn is_borrowed_again(&self, init: &Expr) -> bool {
        let var = VarId(self.vars.len());
        self.places(|places| places.borrow(init).is_some())
            || self.picks(|picks| picks.again(var, init).is_some())
    }

    /// Has a `collect` of what is found say what it makes, where the `let` does.
    ///
    /// ```text
    /// let plans: Vec<_> = self.plans.iter().collect();
    /// ```
    pub(super) fn name_collected(&self, pat: &Pat, init: &mut Expr) {
        let (Pat::Type(typed), Expr::MethodCall(call)) = (pat, &*init) else {
            return;
        };
        let is_list = matches!(&*typed.ty, Type::Path(list)
            if list.path.segments.last().is_some_and(|last| last.ident == "Vec"));
        if is_list && call.method == "collect" && call.turbofish.is_none() {
            let (mut call, ty) = (call.clone(), &typed.ty);
            call.turbofish = Some(syn::parse_quote!(::<#ty>));
            let mut named = Expr::MethodCall(call);
            if self.finds(&mut named) {
                *init = named;
            }
        }
    }

    /// A place by another name.
    ///
    /// ```text
    /// let plans = &self.plans;
    /// ```
    fn meant(&self, place: &mut Expr) {
        match place {
            Expr::Field(field) => return self.meant(&mut field.base),
            Expr::Index(index) => return self.meant(&mut index.expr),
            Expr::Path(_) => {}
            _ => return,
        }
        let name = root_name(place).and_then(|name| self.resolve(&name));
        let Some(Persistence::Reborrowed(id)) = name.map(|var| &self.vars[var.0].persistence)
        else {
            return;
        };
        let reborrow = self.reborrows.get(id.0);
        let of = reborrow.filter(|of| matches!(&of.pat, Pat::Ident(name) if name.subpat.is_none()));
        if let Some(Expr::Reference(lent)) = of.map(|of| &of.init)
            && lent.mutability.is_none()
            && matches!(&*lent.expr, Expr::Path(_) | Expr::Field(_))
        {
            *place = (*lent.expr).clone();
            self.meant(place);
        }
    }

    /// Whether a value is found so; it stays as it is.
    pub(super) fn finds(&self, init: &mut Expr) -> bool {
        search(init).is_some() && !self.is_imported(init) && !self.is_borrowed_again(init)
    }

    /// Whether a place is in what the call was given, which each request brings again.
    fn is_of_arguments(&self, place: &Expr) -> bool {
        let root = root_name(place).and_then(|name| self.resolve(&name));
        root.is_some_and(|var| match self.vars[var.0].persistence {
            Persistence::Param(param) => self.params[param.0].access == Access::Rooted,
            _ => false,
        })
    }

    /// Those that places are in, each once.
    fn tables(&self, sources: &[Source]) -> Vec<ExprPath> {
        let mut tables: Vec<ExprPath> = Vec::new();
        for table in sources.iter().filter_map(|of| self.table(of.place())) {
            if !tables.iter().any(|known| is_same(known, &table)) {
                tables.push(table);
            }
        }
        tables
    }

    /// The constant or the `static` that a place is in.
    fn table(&self, place: &Expr) -> Option<ExprPath> {
        match root(place) {
            Expr::Path(path) if self.picks(|picks| picks.is_static(path)) => Some(path.clone()),
            _ => None,
        }
    }
}

/// What is looked through, by whom it is given.
enum Kind {
    /// The program's text.
    Table,
    /// The request.
    Same,
    /// The process.
    State,
}

/// Sources, as the runtime looks through them. What stands in comes last: of an option it is told from what that has.
fn items(sources: &[Source], kinds: &[Kind]) -> TokenStream {
    let mut looked_through = TokenStream::new();
    for (source, kind) in sources.iter().zip(kinds) {
        let Source::Items(place) = source else {
            continue;
        };
        let items = match kind {
            Kind::Table => quote!(::saga_runtime::__private::Table(&#place)),
            Kind::Same => quote!(::saga_runtime::__private::Same(&#place)),
            Kind::State => quote!(&#place),
        };
        looked_through = match looked_through.is_empty() {
            true => items,
            false => quote!(::saga_runtime::__private::Both(#looked_through, #items)),
        };
    }
    sources
        .iter()
        .fold(looked_through, |all, source| match source {
            Source::Items(_) => all,
            Source::Item(place) => quote!(::saga_runtime::__private::Else(#all, &#place)),
        })
}

fn is_same(path: &ExprPath, other: &ExprPath) -> bool {
    path.to_token_stream().to_string() == other.to_token_stream().to_string()
}

/// A constant is another one wherever it is mentioned: all mentions are of one that is lent.
struct Instead<'a> {
    name: &'a ExprPath,
    with: Expr,
}

impl VisitMut for Instead<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(path) if is_same(path, self.name) => *expr = self.with.clone(),
            other => syn::visit_mut::visit_expr_mut(self, other),
        }
    }
}

//! Statements: items, `let`s, and what stays as it was written.

use syn::{Expr, Local, Stmt};

use super::{
    Destination, Lower, control, let_attribute::LetAttribute, literals, parts_of,
    structs::lend_handles,
};

use crate::{
    ast::{
        calls::is_hidden_name, exits::diverges, macros::declares_items, patterns::pattern_bindings,
        picks::choice, rename::rename,
    },
    cfg::{StandsFor, Step, VarId, persistence::Persistence},
    syntax::{declared_by_macros::declared, hoist::is_argument},
};

impl Lower<'_> {
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Item(syn::Item::Use(_)) if self.scopes.len() > 2 => {}
            Stmt::Item(item) => {
                self.refuse_item(item);
                self.items.push(item.clone());
            }
            Stmt::Macro(stmt) if declares_items(&stmt.mac) && self.scopes.len() <= 2 => {
                self.items.push(syn::Item::Macro(syn::ItemMacro {
                    attrs: stmt.attrs.clone(),
                    ident: None,
                    mac: stmt.mac.clone(),
                    semi_token: stmt.semi_token,
                }));
            }
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(expr, _) if self.is_cut(expr) => self.value(expr, &Destination::Discard),
            other => self.opaque(other.clone()),
        }
    }

    /// Items go to the top of the function. In a block inside of it they would be seen by code that they are
    /// not meant for.
    fn refuse_item(&mut self, item: &syn::Item) {
        let is_macro = matches!(item, syn::Item::Macro(_));
        let body = self.scopes.len() <= 2;
        let again = match item {
            syn::Item::Macro(one) => self
                .items
                .iter()
                .any(|other| matches!(other, syn::Item::Macro(other) if other.ident == one.ident)),
            _ => false,
        };
        if (body && !is_macro) || (body && !again && self.nothing_before()) {
            return;
        }
        if is_macro {
            self.errors.refuse(
                item,
                "a `macro_rules!` behind other code of a function that asks",
                "where a call goes on, its variables are others of the same names, and which of them the macro means is not seen",
                "the variables as the macro's arguments, or the macro before the first statement of the function",
            );
            return;
        }
        self.errors.refuse(
            item,
            "an item in a block that asks",
            "items go to the top of the function, where other code would see them, too",
            "the item before the first statement of the function, or outside of it",
        );
    }

    /// Whether no code of the function stands before this place.
    fn nothing_before(&self) -> bool {
        self.blocks.len() == 1 && self.blocks.iter().all(|block| block.steps.is_empty())
    }

    pub(super) fn local(&mut self, local: &Local) {
        let refutable = local
            .init
            .as_ref()
            .is_some_and(|init| init.diverge.is_some());
        if !refutable {
            self.refuse_capital(&local.pat);
        }
        let mut local = local.clone();
        let word = self.word(&mut local);
        if word.is_none()
            && let Some(parts) = self.apart(&local)
        {
            return parts.iter().for_each(|part| self.statement(part));
        }
        if word.is_none() {
            if let Some(otherwise) = self.as_let_else(&local) {
                local = otherwise;
            }
            self.extend_temporaries(&mut local);
        }
        let local = &local;
        let Some(init) = &local.init else {
            return self.declare_uninitialized(local, word.as_ref());
        };
        let key = self.key.take();
        // A variable of the macro's own stands in for a part of the author's.
        let own =
            pattern_bindings(&local.pat).all(|binding| is_hidden_name(&binding.ident.to_string()));
        self.key = match own {
            true => key.clone(),
            false => self.key_of(&local.pat),
        };
        let parts = parts_of(&local.pat).unwrap_or_default();
        self.arm_keys = Some(parts.iter().map(|part| self.key_of(part)).collect());
        match &init.diverge {
            Some((_, otherwise)) if self.is_cut(otherwise) => {
                self.let_else(local, &init.expr, otherwise);
            }
            _ => {
                let mut local = local.clone();
                if self.is_cut(&init.expr) {
                    let expr = self.initializer(&local.pat, &init.expr);
                    if let (Some(parts), Expr::Tuple(tuple)) = (parts_of(&local.pat), &expr)
                        && parts.len() == tuple.elems.len()
                        && word.is_none()
                        && init.diverge.is_none()
                    {
                        self.separately(&parts, &tuple.elems);
                        self.key = key;
                        return;
                    }
                    if let Some(init) = &mut local.init {
                        *init.expr = expr;
                    }
                }
                // In the macro's call it would be a temporary of the whole statement.
                if let (Some(init), true) = (&mut local.init, is_argument(&local.pat)) {
                    self.own_borrowed(&mut init.expr);
                }
                self.opaque_by_attribute(Stmt::Local(local), word.as_ref());
            }
        }
        self.key = key;
    }

    /// ```text
    /// let (a, b) = (answer.output(), result);   →   let a = answer.output(); let b = result;
    /// ```
    fn separately<'e>(&mut self, parts: &[syn::Pat], values: impl IntoIterator<Item = &'e Expr>) {
        let hidden = values.into_iter().map(|value| match value {
            Expr::Path(path)
                if path
                    .path
                    .get_ident()
                    .is_some_and(|ident| is_hidden_name(&ident.to_string())) =>
            {
                value.clone()
            }
            other => self.evaluated(other.clone()),
        });
        let hidden: Vec<Expr> = hidden.collect();
        for (part, value) in parts.iter().zip(hidden) {
            self.opaque(syn::parse_quote!(let #part = #value;));
        }
    }

    /// A `let`'s initializer, with the declared type handed down to the branches it comes from.
    fn initializer(&mut self, pat: &syn::Pat, init: &Expr) -> Expr {
        let ty = match pat {
            syn::Pat::Type(typed) => Some(typed.ty.clone()),
            _ => None,
        };
        if control::is_control(init) && !self.is_cut_before(init) {
            if choice(init).is_some() {
                return self.chosen(init, ty);
            }
            if let Some(chosen) = self.chosen_by_number(init) {
                return chosen;
            }
            let var = self.standing_for(StandsFor::Value, "value", init);
            self.value(init, &Destination::Variable(var, ty));
            self.path(var)
        } else {
            self.remainder(init)
        }
    }

    /// A statement as it was written; its `break`s and `continue`s may leave it.
    pub(super) fn opaque(&mut self, stmt: Stmt) {
        self.opaque_by_attribute(stmt, None);
    }

    fn opaque_by_attribute(&mut self, mut stmt: Stmt, word: Option<&LetAttribute>) {
        if self.dead {
            return;
        }
        if let Stmt::Local(local) = &mut stmt
            && let Some(init) = &mut local.init
        {
            self.fix_index(&mut init.expr);
            if word.is_none() {
                self.lend_param(&mut init.expr, [&local.pat]);
                self.name_collected(&local.pat, &mut init.expr);
                let typed = matches!(&local.pat, syn::Pat::Type(_));
                self.fix_lookup_in(&mut init.expr, typed);
            }
        }
        let by_macro = match &mut stmt {
            Stmt::Macro(stmt) => declared(&mut stmt.attrs),
            _ => Vec::new(),
        };
        let mut facts = self.piece(&stmt);
        for name in &by_macro {
            let pat = syn::parse_quote!(mut #name);
            let declared = self.declare_as(&pat, None, None, None);
            self.hold(&declared);
            facts.defs.extend(declared);
        }
        for (name, span) in self.handles.filled_in(&stmt) {
            let var = self.lookup(&name);
            self.put_aside.extend(var.map(|var| (var, span)));
        }
        if let Stmt::Local(local) = &stmt {
            let init = local.init.as_ref().map(|init| &*init.expr);
            let (remake, form) = match word {
                Some(word) => self.by_attribute(&local.pat, init, word),
                None => (self.reborrow(&local.pat, init), None),
            };
            let hidden = self.alpha_rename(self.shadowed_by(&local.pat, remake.as_ref(), true));
            let mut renamed = local.clone();
            if let Some(init) = &mut renamed.init {
                rename(&mut init.expr, &hidden);
                if let Some((_, otherwise)) = &mut init.diverge {
                    rename(otherwise, &hidden);
                }
            }
            let texts = match &form {
                None => self.texts_of(&local.pat, init),
                Some(_) => Default::default(),
            };
            let declared = self.declare_as(&local.pat, init, remake, form);
            for id in &declared {
                if texts.contains(&self.vars[id.0].ident.to_string()) {
                    self.vars[id.0].persistence = Persistence::Spilled(literals::literal());
                }
            }
            self.hold(&declared);
            let called = init.and_then(|init| self.handles.called_in(init));
            let put_aside = called
                .into_iter()
                .flat_map(|span| declared.iter().map(move |var| (*var, span)));
            self.put_aside.extend(put_aside);
            if let Some(init) = &mut renamed.init
                && declared.iter().all(|id| self.is_by_parts(*id))
            {
                lend_handles(&mut init.expr, self.handles);
            }
            facts.defs = declared.into_iter().collect();
            stmt = Stmt::Local(renamed);
        }
        let diverging = match &stmt {
            Stmt::Expr(expr, _) => diverges(expr),
            Stmt::Macro(stmt) => {
                let expr = Expr::Macro(syn::ExprMacro {
                    attrs: Vec::new(),
                    mac: stmt.mac.clone(),
                });
                diverges(&expr)
            }
            _ => false,
        };
        if matches!(&stmt, Stmt::Expr(Expr::Return(_), _)) {
            facts.reads.extend(self.guards.iter().flatten());
        }
        self.step(Step::Code(Box::new(stmt), facts));
        self.dead |= diverging;
    }

    /// Whether a variable may be stored in parts: it is not evaluated again.
    fn is_by_parts(&self, id: VarId) -> bool {
        let hints = self.vars[id.0].persistence.hints();
        hints.is_some_and(|hints| hints.rematerialized.is_none())
    }

    /// The index of an item that is borrowed is evaluated once.
    ///
    /// ```text
    /// let plan = &PLANS[n % 3];   →   let i = n % 3; let plan = &PLANS[i];
    /// ```
    fn fix_index(&mut self, init: &mut Expr) {
        let Expr::Reference(reference) = init else {
            return;
        };
        let mutable = reference.mutability.is_some();
        match &mut *reference.expr {
            Expr::Index(index) if !mutable && matches!(&*index.index, Expr::Range(_)) => {}
            place => self.fix_indices(place),
        }
    }

    /// The same of what a loop changes the items of.
    pub(super) fn fix_iterated(&mut self, items: &mut Expr) {
        match items {
            Expr::Paren(paren) => self.fix_iterated(&mut paren.expr),
            Expr::Group(group) => self.fix_iterated(&mut group.expr),
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.fix_indices(&mut reference.expr);
            }
            Expr::MethodCall(call) if call.method.to_string().ends_with("_mut") => {
                self.fix_indices(&mut call.receiver);
            }
            Expr::MethodCall(call) => self.fix_iterated(&mut call.receiver),
            _ => {}
        }
    }
}

//! Reads from a body what it does that bears on asking.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use saga_compiler::{is_ask, is_question};
use syn::{Expr, punctuated::Punctuated, spanned::Spanned, visit::Visit};

use super::{
    facts::{Ask, Branch, Call, Facts, Place},
    forms::{base_of, ends, future_in, key_of, returns},
    names::{FunctionId, Names},
    types::{Handle, Types, bare, handle_type, hands_on, name_of, names},
};
use crate::source::{Function, ModuleId};

impl Facts {
    pub(super) fn of(names: &Names<'_>, function: &Function) -> Self {
        let mut reader = Reader {
            names,
            function,
            locals: parameters(&function.sig),
            types: Types::of(names, function),
            place: Place::Body,
            is_awaited: false,
            in_async: false,
            branches: Vec::new(),
            seen: 0,
            facts: Self::default(),
        };
        if let syn::ReturnType::Type(_, ty) = &function.sig.output {
            let ty = names.unaliased(function.scope, ty);
            reader.facts.handle_escapes = handle_type(&ty).is_some();
        }
        if let Some(block) = &function.block {
            reader.body(block);
        }
        reader.facts
    }
}

struct Reader<'a> {
    names: &'a Names<'a>,
    function: &'a Function,
    /// The variables that are there: a call of one is none of a function.
    locals: Vec<String>,
    types: Types<'a>,
    place: Place,
    is_awaited: bool,
    in_async: bool,
    branches: Vec<Branch>,
    /// How many branches there were.
    seen: usize,
    facts: Facts,
}

impl Reader<'_> {
    /// The block of the function; of one that is not `async` the future that it returns.
    fn body(&mut self, block: &syn::Block) {
        let is_async = self.function.sig.asyncness.is_some();
        let Some((syn::Stmt::Expr(last, None), before)) = block.stmts.split_last() else {
            return self.visit_block(block);
        };
        match future_in(last).filter(|_| !is_async) {
            Some(inner) => {
                self.types.scope = self.scope_of(block);
                before.iter().for_each(|stmt| self.visit_stmt(stmt));
                self.visit_block(&inner.block);
            }
            None => self.visit_block(block),
        }
    }

    fn within(&mut self, place: Place, visit: impl FnOnce(&mut Self)) {
        let outer = match self.place {
            Place::Body => std::mem::replace(&mut self.place, place),
            kept => kept,
        };
        visit(self);
        self.place = outer;
    }

    fn ask(&mut self, is_question: bool, expr: &Expr) {
        self.facts.asks.push(Ask {
            place: self.place,
            range: expr.span().byte_range(),
            key: None,
            is_question,
            branches: self.branches.clone(),
        });
    }

    /// `.key("k")`, `.live()` and the like, behind a question of `Cx`.
    fn of_question(&mut self, call: &syn::ExprMethodCall) {
        // The question comes before those in its arguments.
        let question = self.facts.asks.len();
        self.visit_expr(&call.receiver);
        call.args
            .iter()
            .for_each(|argument| self.visit_expr(argument));
        if let Some(ask) = self.facts.asks.get_mut(question) {
            ask.key = key_of(call).or(ask.key.take());
        }
    }

    fn branch(&mut self, (of, arm): (usize, usize), returns: bool, visit: impl FnOnce(&mut Self)) {
        // In an async block it leaves that alone.
        let returns = returns && !self.in_async;
        self.branches.push(Branch { of, arm, returns });
        visit(self);
        self.branches.pop();
    }

    /// What a path may be.
    fn functions(&self, path: &syn::ExprPath) -> Vec<FunctionId> {
        let names = path.path.segments.iter();
        let mut names: Vec<_> = names.map(|segment| segment.ident.to_string()).collect();
        // `<Gate>::pass`
        if let (Some(of), [_]) = (&path.qself, &names[..]) {
            names.splice(..0, name_of(&of.ty));
        }
        if let [name] = &names[..]
            && self.locals.contains(name)
        {
            return Vec::new();
        }
        let owner = self.types.self_type();
        self.names.functions(self.types.scope, &names, owner)
    }

    fn scope_of(&self, block: &syn::Block) -> ModuleId {
        let index = self.types.index();
        let own = index.block(self.function.module, block);
        own.unwrap_or(self.types.scope)
    }

    /// With variables that are there for as long as it takes.
    fn with(&mut self, locals: Vec<String>, visit: impl FnOnce(&mut Self)) {
        let before = self.locals.len();
        self.locals.extend(locals);
        visit(self);
        self.locals.truncate(before);
    }

    /// `join_all(items.map(|item| ask))`, whose closure `#[saga]` runs itself.
    fn joined<'e>(&self, call: &'e syn::ExprCall) -> Option<(&'e Expr, &'e Expr)> {
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let joins = path.path.segments.last()?.ident == "join_all";
        let (true, Some(Expr::MethodCall(map))) = (joins, call.args.first()) else {
            return None;
        };
        match map.args.first() {
            Some(Expr::Closure(closure)) if map.method == "map" => {
                Some((&map.receiver, &closure.body))
            }
            _ => None,
        }
    }

    fn call(&mut self, call: Call) {
        self.facts.calls.push(call);
    }

    /// Which methods `receiver.name(..)` may be, and whether its type says so.
    fn methods(&self, call: &syn::ExprMethodCall) -> (Vec<FunctionId>, bool) {
        let name = call.method.to_string();
        if let Some(known) = self.types.type_of(&call.receiver) {
            let bounds = self.types.bounds(&known.ty);
            let is_path = matches!(bare(&known.ty), syn::Type::Path(_));
            let owners = match name_of(&known.ty) {
                Some(_) if bounds.is_empty() => vec![known],
                _ => bounds,
            };
            let found = owners
                .iter()
                .flat_map(|owner| self.names.of_owner(self.types.scope, owner, &name));
            let mut found: Vec<_> = found.collect();
            if found.is_empty() && is_path {
                found = self.blanket(&name);
            }
            return (found, true);
        }
        (self.methods_by_name(&name, call.args.len()), false)
    }

    /// Methods of this name that a trait has for types that are not named.
    fn blanket(&self, name: &str) -> Vec<FunctionId> {
        let index = self.types.index();
        let ids = self.names.by_name(name).iter().copied();
        let is_of_trait = |id: &FunctionId| {
            let owner = index.functions[id.0].owner.as_ref();
            owner.is_some_and(|owner| owner.of_trait.is_some())
        };
        ids.filter(is_of_trait).collect()
    }

    fn methods_by_name(&self, name: &str, arguments: usize) -> Vec<FunctionId> {
        let (names, scope) = (self.names, self.types.scope);
        let may_be = |id: &&FunctionId| names.takes(**id, arguments) && names.is_met(**id, scope);
        let named = names.by_name(name).iter();
        named.filter(may_be).copied().collect()
    }

    /// A method of the handle that is no ask of its own: a trait of the workspace may have added it.
    fn added(&mut self, handle: Handle, call: &syn::ExprMethodCall, is_awaited: bool) {
        let name = call.method.to_string();
        self.facts.handle_escapes |= hands_on(&name);
        let targets = self.names.of_handle(handle, &name, call.args.len());
        if targets.is_empty() {
            return;
        }
        self.call(Call {
            name,
            place: self.place,
            range: call.span().byte_range(),
            targets,
            is_certain: true,
            gives_handle: true,
            is_awaited,
        });
    }

    fn gives_handle<'e>(&mut self, arguments: impl IntoIterator<Item = &'e Expr>) -> bool {
        let mut given = false;
        for argument in arguments {
            given |= match argument {
                Expr::Tuple(tuple) => tuple
                    .elems
                    .iter()
                    .any(|part| self.types.handle(part).is_some()),
                Expr::Call(call) => {
                    call.args
                        .iter()
                        .any(|inner| self.types.handle(inner).is_some())
                        || self.types.handle(argument).is_some()
                }
                other => self.types.handle(other).is_some(),
            };
        }
        given
    }

    /// Notes where the handle is the value of something that is not followed.
    fn gives(&mut self, value: &Expr) {
        self.facts.handle_escapes |= self.types.handle(value).is_some();
    }

    /// Arguments of a macro that are no expressions: calls are found by their names.
    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        for (place, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(name) => {
                    let before = place.checked_sub(1).and_then(|before| tokens.get(before));
                    self.scan_name(name, before, tokens.get(place + 1..).unwrap_or_default());
                }
                _ => {}
            }
        }
    }

    fn scan_name(
        &mut self,
        name: &proc_macro2::Ident,
        before: Option<&TokenTree>,
        after: &[TokenTree],
    ) {
        let is = |token: Option<&TokenTree>, mark| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
        let generic = is(after.first(), ':') && is(after.get(1), ':') && is(after.get(2), '<');
        let called = generic
            || matches!(after.first(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        let is_method = is(before, '.');
        let text = name.to_string();
        if !called {
            self.facts.handle_escapes |= self.types.is_handle_name(&text);
        } else if is_method && is_ask(&text) {
            self.facts.asks.push(Ask {
                place: self.place,
                range: name.span().byte_range(),
                key: None,
                is_question: false,
                branches: self.branches.clone(),
            });
        } else {
            let targets = self.names.by_name(&text).to_vec();
            if !targets.is_empty() {
                self.call(Call {
                    name: text,
                    place: self.place,
                    range: name.span().byte_range(),
                    targets,
                    is_certain: false,
                    gives_handle: true,
                    is_awaited: false,
                });
            }
        }
    }
}

/// The names of a function's parameters.
fn parameters(sig: &syn::Signature) -> Vec<String> {
    let typed = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(param) => Some(&*param.pat),
        syn::FnArg::Receiver(_) => None,
    });
    typed.flat_map(names).collect()
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_block(&mut self, block: &'ast syn::Block) {
        let inner = self.scope_of(block);
        let outer = std::mem::replace(&mut self.types.scope, inner);
        self.with(Vec::new(), |this| syn::visit::visit_block(this, block));
        self.types.scope = outer;
        if let Some(syn::Stmt::Expr(value, None)) = block.stmts.last() {
            self.gives(value);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.seen += 1;
                let number = self.seen;
                self.branch((number, 0), returns(otherwise), |this| {
                    this.visit_expr(otherwise)
                });
            }
        }
        self.locals.extend(names(&local.pat));
        self.types.learn(local);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let targets = self.functions(path);
        let Some(last) = path.path.segments.last().filter(|_| !targets.is_empty()) else {
            return;
        };
        self.call(Call {
            name: last.ident.to_string(),
            place: Place::Value,
            range: path.span().byte_range(),
            targets,
            is_certain: true,
            gives_handle: false,
            is_awaited: false,
        });
    }

    fn visit_expr_await(&mut self, awaited: &'ast syn::ExprAwait) {
        if let Some(block) = future_in(&awaited.base) {
            let outer = std::mem::replace(&mut self.in_async, true);
            self.visit_block(&block.block);
            self.in_async = outer;
            return;
        }
        self.is_awaited = true;
        self.visit_expr(&awaited.base);
        self.is_awaited = false;
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let inputs = closure.inputs.iter().flat_map(names).collect();
        self.with(inputs, |this| {
            this.within(Place::Closure, |this| this.visit_expr(&closure.body));
        });
        self.gives(&closure.body);
    }

    fn visit_expr_async(&mut self, block: &'ast syn::ExprAsync) {
        self.within(Place::Spawned, |this| this.visit_block(&block.block));
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_awaited = std::mem::take(&mut self.is_awaited);
        let name = call.method.to_string();
        let expr = Expr::MethodCall(call.clone());
        match self.types.handle(&call.receiver) {
            Some(Handle::Peer) if is_ask(&name) => self.ask(false, &expr),
            Some(Handle::Cx) if is_question(&name) => self.ask(true, &expr),
            Some(handle) => self.added(handle, call, is_awaited),
            None => {
                let base = base_of(call).map(|base| self.types.handle(&base.receiver));
                if base == Some(Some(Handle::Cx)) {
                    return self.of_question(call);
                }
                let (targets, is_certain) = self.methods(call);
                let gives_handle = self.gives_handle(&call.args);
                // Where a type of the workspace has such a method, too, it may be that.
                let is_open = targets.is_empty() || !(is_certain || gives_handle);
                if is_open && is_ask(&name) {
                    let range = call.method.span().byte_range();
                    self.facts.perhaps.push((name.clone(), range));
                }
                self.call(Call {
                    name,
                    place: self.place,
                    range: call.span().byte_range(),
                    targets,
                    is_certain,
                    gives_handle,
                    is_awaited,
                });
            }
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let is_awaited = std::mem::take(&mut self.is_awaited);
        let Expr::Path(path) = &*call.func else {
            self.facts.handle_escapes |= self.gives_handle(&call.args);
            return syn::visit::visit_expr_call(self, call);
        };
        let segments: Vec<_> = path
            .path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        let first_is_handle = call
            .args
            .first()
            .is_some_and(|first| self.types.handle(first).is_some());
        match &segments[..] {
            [.., _, name] if first_is_handle && is_ask(name) => {
                self.ask(false, &Expr::Call(call.clone()));
            }
            [.., owner, name]
                if self.names.index().is_runtime(owner)
                    && ["sleep", "try_sleep"].contains(&name.as_str()) =>
            {
                self.ask(true, &Expr::Call(call.clone()));
            }
            [.., name] => {
                let targets = self.functions(path);
                let gives_handle = self.gives_handle(&call.args);
                self.call(Call {
                    name: name.clone(),
                    place: self.place,
                    range: call.span().byte_range(),
                    targets,
                    is_certain: true,
                    gives_handle,
                    is_awaited,
                });
            }
            _ => {}
        }
        if let Some((items, ask)) = self.joined(call) {
            self.visit_expr(items);
            return self.visit_expr(ask);
        }
        // `Box::pin(walk(..)).await` awaits the call in it.
        self.is_awaited = is_awaited && segments.last().is_some_and(|last| last == "pin");
        call.args
            .iter()
            .for_each(|argument| self.visit_expr(argument));
        self.is_awaited = false;
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.seen += 1;
        let number = self.seen;
        let then = &branch.then_branch;
        self.with(Vec::new(), |this| {
            this.visit_expr(&branch.cond);
            this.branch((number, 0), ends(then), |this| this.visit_block(then));
        });
        if let Some((_, other)) = &branch.else_branch {
            self.branch((number, 1), returns(other), |this| this.visit_expr(other));
        }
    }

    fn visit_expr_let(&mut self, looks: &'ast syn::ExprLet) {
        self.visit_expr(&looks.expr);
        self.locals.extend(names(&looks.pat));
        self.types.bind(&looks.pat, &looks.expr);
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        self.with(Vec::new(), |this| {
            syn::visit::visit_expr_while(this, repeated)
        });
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast syn::ExprForLoop) {
        self.visit_expr(&repeated.expr);
        let items = names(&repeated.pat);
        self.with(items, |this| this.visit_block(&repeated.body));
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let bound = names(&arm.pat);
        self.with(bound, |this| syn::visit::visit_arm(this, arm));
        self.gives(&arm.body);
    }

    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        self.seen += 1;
        let number = self.seen;
        self.visit_expr(&choice.expr);
        for (arm, inner) in choice.arms.iter().enumerate() {
            self.types.bind(&inner.pat, &choice.expr);
            self.branch((number, arm), returns(&inner.body), |this| {
                this.visit_arm(inner)
            });
        }
    }

    fn visit_expr_struct(&mut self, literal: &'ast syn::ExprStruct) {
        self.facts.handle_escapes |=
            self.gives_handle(literal.fields.iter().map(|field| &field.expr));
        syn::visit::visit_expr_struct(self, literal);
    }

    fn visit_expr_tuple(&mut self, tuple: &'ast syn::ExprTuple) {
        self.facts.handle_escapes |= self.gives_handle(&tuple.elems);
        syn::visit::visit_expr_tuple(self, tuple);
    }

    fn visit_expr_array(&mut self, array: &'ast syn::ExprArray) {
        self.facts.handle_escapes |= self.gives_handle(&array.elems);
        syn::visit::visit_expr_array(self, array);
    }

    fn visit_expr_repeat(&mut self, repeated: &'ast syn::ExprRepeat) {
        self.gives(&repeated.expr);
        syn::visit::visit_expr_repeat(self, repeated);
    }

    fn visit_expr_cast(&mut self, cast: &'ast syn::ExprCast) {
        self.gives(&cast.expr);
        syn::visit::visit_expr_cast(self, cast);
    }

    fn visit_expr_return(&mut self, returned: &'ast syn::ExprReturn) {
        returned.expr.iter().for_each(|value| self.gives(value));
        syn::visit::visit_expr_return(self, returned);
    }

    fn visit_expr_break(&mut self, left: &'ast syn::ExprBreak) {
        left.expr.iter().for_each(|value| self.gives(value));
        syn::visit::visit_expr_break(self, left);
    }

    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        self.facts.handle_escapes |= self.gives_handle([&*assignment.right]);
        syn::visit::visit_expr_assign(self, assignment);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        let parser = Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        match invocation.parse_body_with(parser) {
            Ok(arguments) => arguments.iter().for_each(|argument| {
                self.gives(argument);
                self.visit_expr(argument);
            }),
            Err(_) => {
                let tokens = invocation.tokens.clone();
                self.within(Place::Macro, |this| this.scan(tokens));
            }
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

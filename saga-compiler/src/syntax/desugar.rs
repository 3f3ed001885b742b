//! Constructs that are another way to write what the lowering knows.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;
use quote::{format_ident, quote};
use syn::{
    Expr, Lifetime, Pat, Stmt,
    parse::ParseStream,
    punctuated::Punctuated,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

use super::{
    constants,
    destructure::destructured,
    gathered, guards, hoist, inner_imports,
    select::{is_changed, is_reversed, rests, tokio_sleep},
    stepped,
};

use crate::{
    ast::{
        calls::is_boxing,
        changed::changes,
        jumps::leave_by,
        macros::{arguments, is_known, scrutinee_and_pattern},
        tokens::leads_out,
        types::ends_in,
        uses::Uses,
        vocabulary::Method,
    },
    errors::Errors,
    syntax::{
        asks::{Handles, JOIN, RACE, RACE_BEHIND, TRY_JOIN, sleeps},
        hoist::Formatted,
        nested::TakenOut,
    },
};

/// Rewrites the body; gives the macros that were understood, so that the names they were imported by
/// stay used.
pub(crate) fn desugar(
    item: &mut syn::ImplItemFn,
    handles: &Handles,
    nested: &mut TakenOut,
    errors: &mut Errors,
) -> Vec<syn::Path> {
    let mut desugar = Desugar {
        handles,
        nested,
        errors,
        blocks: 0,
        matches: 0,
        mutable: mutable_names(item),
        capitals: constants::capital_variables(item),
        is_unsafe: false,
        macros: Vec::new(),
    };
    desugar.visit_block_mut(&mut item.block);
    let mut macros = desugar.macros;
    inner_imports::leave(&mut item.block, &mut macros);
    macros
}

/// ```text
/// Peer::elicit::<T>(&context.peer, question)   →   (&context.peer).elicit::<T>(question)
/// ```
fn by_path(call: &syn::ExprCall) -> Option<Expr> {
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let mut segments = path.path.segments.iter().rev();
    let last = segments.next()?;
    let of_peer = match &path.qself {
        // `<Peer<RoleServer>>::elicit`
        Some(of) => ends_in(&of.ty, "Peer"),
        None => segments.next()?.ident == "Peer",
    };
    if !of_peer {
        return None;
    }
    Method::of(&last.ident.to_string())?;
    let mut given = call.args.iter();
    let (receiver, method) = (given.next()?, &last.ident);
    let turbofish = match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) => {
            let arguments = &arguments.args;
            Some(quote::quote!(::<#arguments>))
        }
        _ => None,
    };
    Some(syn::parse_quote!((#receiver).#method #turbofish (#(#given),*)))
}

/// Whether a path can stand in a `use`.
fn is_importable(path: &syn::Path) -> bool {
    let plain = path
        .segments
        .iter()
        .all(|segment| segment.arguments.is_none());
    let ours = |segment: &syn::PathSegment| segment.ident.to_string().starts_with("__saga");
    plain
        && !path
            .segments
            .iter()
            .any(|segment| segment.ident == "Self" || ours(segment))
}

/// The names that are declared `mut` anywhere.
fn mutable_names(item: &syn::ImplItemFn) -> BTreeMap<String, Ident> {
    struct Names(BTreeMap<String, Ident>);
    impl<'ast> syn::visit::Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            if pat.mutability.is_some() {
                self.0.insert(pat.ident.to_string(), pat.ident.clone());
            }
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut names = Names(BTreeMap::new());
    syn::visit::Visit::visit_impl_item_fn(&mut names, item);
    names.0
}

struct Desugar<'a> {
    handles: &'a Handles,
    nested: &'a mut TakenOut,
    errors: &'a mut Errors,
    /// Async blocks so far, for their labels.
    blocks: usize,
    /// Those with guards that ask so far, for the names of their arms.
    matches: usize,
    mutable: BTreeMap<String, Ident>,
    capitals: BTreeSet<String>,
    /// In an `unsafe` block a name in capitals may be a `static mut`.
    is_unsafe: bool,
    macros: Vec<syn::Path>,
}

impl VisitMut for Desugar<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        // An ask in a macro's arguments is seen by now.
        stepped::rewrite(block, self.handles);
        let by = gathered::rewrite(block, self.handles, self.nested).into_iter();
        self.macros.extend(by.filter(is_importable));
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let rewritten = match expr {
            Expr::Reference(lent) if lent.mutability.is_some() && !self.is_unsafe => {
                constants::own(&mut lent.expr, &self.capitals);
                None
            }
            Expr::Macro(invocation) => self.invocation(&invocation.mac),
            Expr::Assign(assign) => destructured(assign),
            Expr::Match(matched) => self.guarded(matched),
            Expr::Call(call) => match by_path(call).or_else(|| self.handles.sleep(call)) {
                Some(ask) => Some(ask),
                None => {
                    let by = self.nested.in_call(call, self.handles);
                    self.macros.extend(by.filter(is_importable));
                    self.macros.extend(self.replaced(expr));
                    None
                }
            },
            Expr::Await(awaited) => {
                *awaited.base = self.unboxed(&awaited.base);
                match crate::ast::calls::strip_parentheses(&awaited.base) {
                    Expr::Async(block) => self.async_block(block),
                    base => gathered::of_list(base, self.handles, self.nested).map(
                        |(given, function)| {
                            self.macros
                                .extend(is_importable(&function).then_some(function));
                            given
                        },
                    ),
                }
            }
            _ => None,
        };
        if let Some(rewritten) = rewritten {
            *expr = rewritten;
        }
    }

    fn visit_expr_unsafe_mut(&mut self, block: &mut syn::ExprUnsafe) {
        let outer = std::mem::replace(&mut self.is_unsafe, true);
        visit_mut::visit_expr_unsafe_mut(self, block);
        self.is_unsafe = outer;
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        visit_mut::visit_stmt_mut(self, stmt);
        if let Stmt::Macro(invocation) = stmt
            && let Some(rewritten) = self.invocation(&invocation.mac)
        {
            *stmt = Stmt::Expr(rewritten, invocation.semi_token);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Desugar<'_> {
    /// The function that a limit or a join of asks is written with: the call becomes another.
    fn replaced(&self, expr: &Expr) -> Option<syn::Path> {
        let Expr::Call(call) = expr else { return None };
        let limits = self.handles.ask(expr).is_some() || self.handles.limited_call(expr).is_some();
        let joins = self.handles.join(expr).is_some();
        match &*call.func {
            Expr::Path(path) if (limits || joins) && is_importable(&path.path) => {
                Some(path.path.clone())
            }
            _ => None,
        }
    }

    /// ```text
    /// ask.boxed().await   →   ask.await        Box::pin(ask).await   →   ask.await
    /// ```
    fn unboxed(&self, base: &Expr) -> Expr {
        let inner = match crate::ast::calls::strip_parentheses(base) {
            Expr::MethodCall(call) if is_boxing(call) => &call.receiver,
            Expr::Call(call)
                if crate::ast::calls::is_box_pin(&call.func) && call.args.len() == 1 =>
            {
                match call.args.first() {
                    // A function that asks may need its box, for recursion.
                    Some(inner)
                        if self
                            .handles
                            .ask(crate::ast::calls::strip_parentheses(inner))
                            .is_some() =>
                    {
                        inner
                    }
                    Some(inner @ Expr::Async(_)) => inner,
                    _ => return base.clone(),
                }
            }
            _ => return base.clone(),
        };
        let inner = crate::ast::calls::strip_parentheses(inner);
        match inner {
            Expr::Async(_) => inner.clone(),
            _ if self.handles.suspends(inner) => inner.clone(),
            _ => base.clone(),
        }
    }

    fn invocation(&mut self, invocation: &syn::Macro) -> Option<Expr> {
        if hoist::is_foreign(&invocation.path) {
            return None;
        }
        let name = invocation.path.segments.last()?.ident.to_string();
        let rewritten = match name.as_str() {
            "matches" => return self.matches(invocation),
            "select" => self.select(invocation),
            "join" => self.join(invocation, JOIN),
            "try_join" => self.join(invocation, TRY_JOIN),
            "json" => {
                let mut json: hoist::Json = invocation.parse_body().ok()?;
                let mut values = Vec::new();
                json.values(&mut values);
                for given in values {
                    let value = given.expr();
                    self.nested.note(value);
                    self.visit_expr_mut(value);
                }
                return hoist::json(&invocation.path, json, self.handles, self.errors);
            }
            "write" | "writeln" => {
                let mut arguments = arguments(invocation)?;
                for argument in &mut arguments {
                    self.nested.note(&argument.value);
                    self.visit_expr_mut(&mut argument.value);
                }
                return hoist::written(&invocation.path, arguments, self.handles, self.errors);
            }
            _ => {
                let mut formatted = Formatted::parse(invocation)?;
                for value in formatted.values() {
                    self.nested.note(value);
                    self.visit_expr_mut(value);
                }
                return formatted.hoist(self.handles, self.errors);
            }
        };
        let understood = rewritten.as_ref().map(|_| invocation.path.clone());
        self.macros.extend(understood);
        rewritten
    }

    /// ```text
    /// matches!(ask, PAT)            →   match ask { PAT => true, _ => false }
    /// matches!(value, PAT if ask)   →   match value { PAT if ask => true, _ => false }
    /// ```
    fn matches(&mut self, invocation: &syn::Macro) -> Option<Expr> {
        let (mut scrutinee, pat) = invocation.parse_body_with(scrutinee_and_pattern).ok()?;
        self.nested.note(&scrutinee);
        self.visit_expr_mut(&mut scrutinee);
        let matched = quote!(match #scrutinee { #pat => true, _ => false });
        let mut matched: syn::ExprMatch = syn::parse2(matched).ok()?;
        let mut asks = self.handles.contains_suspension(&scrutinee);
        for arm in &mut matched.arms {
            if let Pat::Guard(guarded) = &mut arm.pat {
                self.visit_expr_mut(&mut guarded.guard);
                asks |= self.handles.contains_suspension(&guarded.guard);
            }
        }
        if !asks {
            return None;
        }
        let of_std = hoist::of_std(&invocation.path);
        let matched = self.guarded(&matched).unwrap_or(Expr::Match(matched));
        Some(syn::parse_quote!({ #of_std #matched }))
    }

    /// A `match` with a guard that asks.
    fn guarded(&mut self, matched: &syn::ExprMatch) -> Option<Expr> {
        let taken = guards::taken_out(matched, self.handles, self.matches)?;
        self.matches += 1;
        Some(taken)
    }

    /// ```text
    /// join!(ask, call)   →   __saga_join(ask, call).await
    /// ```
    fn join(&mut self, invocation: &syn::Macro, name: &str) -> Option<Expr> {
        let mut arms = invocation.parse_body_with(arms).ok()?;
        arms.iter().for_each(|arm| self.nested.note(arm));
        arms.iter_mut().for_each(|arm| self.visit_expr_mut(arm));
        self.nested.futures(arms.iter_mut(), self.handles);
        let mut asks = arms.iter().map(|arm| self.handles.suspends(arm));
        let name = format_ident!("{name}", span = invocation.path.span());
        asks.any(|asks| asks)
            .then(|| syn::parse_quote!(#name(#arms).await))
    }

    /// ```text
    /// select! { PAT = ask => a, _ = other => b }   →   match race(ask, other).await { Some(PAT) => a, None => b }
    /// ```
    fn select(&mut self, invocation: &syn::Macro) -> Option<Expr> {
        let [mut first, mut second] = invocation.parse_body_with(branches).ok()?;
        let mut behind = None;
        for branch in [&mut first, &mut second] {
            self.nested.note_bound(&branch.pat);
            self.nested.note(&branch.future);
            self.nested.note(&branch.handler);
            self.visit_expr_mut(&mut branch.future);
            self.visit_expr_mut(&mut branch.handler);
        }
        let both = [&mut first.future, &mut second.future];
        self.nested.futures(both, self.handles);
        for branch in [&mut first, &mut second] {
            // Beside an ask it is a time limit of another name, as `saga_runtime::sleep` is.
            let sleep = tokio_sleep(&branch.future);
            behind = sleep.map(|sleep| std::mem::replace(&mut branch.future, sleep));
        }
        let asks = |branch: &Branch| {
            self.handles.ask(&branch.future).is_some() && sleeps(&branch.future).is_none()
        };
        let calls = |branch: &Branch, other: &Branch| {
            let quiet = rests(&other.future) || !self.handles.suspends(&other.future);
            quiet && !rests(&branch.future) && self.handles.passes(&branch.future)
        };
        let in_order = asks(&first) || calls(&first, &second);
        let (ask, mut other) = match (in_order, asks(&second) || calls(&second, &first)) {
            (true, false) => (first, second),
            (false, true) => (second, first),
            _ => return None,
        };
        let sure = matches!(ask.pat, Pat::Ident(_) | Pat::Wild(_) | Pat::Type(_));
        let unit = matches!(&other.pat, Pat::Tuple(tuple) if tuple.elems.is_empty());
        let discards = unit || matches!(other.pat, Pat::Wild(_));
        let named = rests(&other.future);
        let is_ask = self.handles.ask(&ask.future).is_some();
        // Under tokio's name it is evaluated behind what a call is given.
        if let (true, false, Some(behind)) = (in_order, is_ask, behind)
            && is_reversed(&ask.future, &other.future, true)
        {
            other.future = behind;
        }
        let rests = sleeps(&other.future).is_some();
        let quiet = discards && (named || !self.handles.suspends(&other.future));
        // It is evaluated in one process, and the time of an answer is not its own.
        let quiet = quiet && !self.handles.contains_suspension(&other.future);
        if !sure || !quiet {
            return None;
        }
        // A closure is made with the call itself.
        if in_order == rests && is_reversed(&ask.future, &other.future, rests)
            || !is_ask && is_changed(&ask.future, &other.future)
        {
            self.errors.refuse(
                invocation,
                "a `select!` with an ask, in which two branches are given what a call gives, or one of them changes what the other is given",
                "of an ask and a time limit the limit is evaluated first, of an ask and another future the question",
                "the calls before the `select!`: `let label = label_of(step);`, and `label` in it",
            );
        }
        let race = match is_ask || in_order {
            true => format_ident!("{RACE}"),
            false => format_ident!("{RACE_BEHIND}"),
        };
        let (pat, question, answered) = (ask.pat, ask.future, ask.handler);
        let (future, left) = (other.future, other.handler);
        Some(syn::parse_quote! {
            match #race(#question, #future).await {
                ::core::option::Option::Some(#pat) => #answered,
                ::core::option::Option::None => #left,
            }
        })
    }

    /// ```text
    /// async { a?; return b; c }.await   →   'block: { a?; break 'block b; c }   where `?` leaves the block
    /// ```
    fn async_block(&mut self, block: &syn::ExprAsync) -> Option<Expr> {
        if !self.handles.suspends_in(&block.block) {
            return None;
        }
        let label = format!("'__saga_async_{}", self.blocks);
        let label = Lifetime::new(&label, block.async_token.span);
        self.blocks += 1;
        let mut body = block.block.clone();
        if block.capture.is_some() {
            self.take_copies(&mut body);
        }
        let mut leave = Leave {
            label: &label,
            in_macro: None,
            unknown: None,
        };
        leave.visit_block_mut(&mut body);
        if let Some(invocation) = leave.unknown {
            self.errors.refuse(
                &invocation,
                "a macro of which it is not known what it does, in an async block that asks",
                "if there is a `return` in it (as in `bail!` and `ensure!`), that leaves the block, and it cannot be seen here",
                "what it does, written out (`return Err(anyhow!(..));`), or a function that asks in place of the block",
            );
        }
        if let Some(invocation) = leave.in_macro {
            self.errors.refuse(
                &invocation,
                "`?` or `return` inside a macro's arguments in an async block that asks",
                "it leaves the block, and inside the macro it cannot be seen",
                "`let value = …?;` before the macro, and `value` in it",
            );
        }
        Some(syn::parse_quote!(#label: #body))
    }
}

impl Desugar<'_> {
    /// `async move` has variables of its own: what it changes, it changes in them.
    fn take_copies(&self, body: &mut syn::Block) {
        let uses = Uses::of_block(body);
        let mut written = changes(&syn::parse_quote!(#body));
        // What it declares itself is its own.
        written.retain(|name| uses.reads.contains_key(name));
        written.extend(uses.assigns);
        let changed = self.mutable.iter().filter(|(name, _)| {
            // A handle is lent, and never given another value.
            let lent = uses.mutates.contains(*name) && !self.handles.contains(name);
            lent || written.contains(*name)
        });
        let copies = changed.map(|(_, name)| -> Stmt { syn::parse_quote!(let mut #name = #name;) });
        let copies: Vec<_> = copies.collect();
        body.stmts.splice(0..0, copies);
    }
}

/// `return` and `?` leave an async block, not the function around it.
struct Leave<'a> {
    label: &'a Lifetime,
    /// Arguments in which there is a way out.
    in_macro: Option<syn::Macro>,
    /// A macro that may be one itself.
    unknown: Option<syn::Macro>,
}

impl VisitMut for Leave<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => visit_mut::visit_expr_mut(self, expr),
        }
        let label = self.label;
        match expr {
            Expr::Return(returned) => {
                let value = &returned.expr;
                *expr = syn::parse_quote!(break #label #value);
            }
            Expr::Try(tried) => leave_by(tried, label),
            _ => {}
        }
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        if leads_out(invocation.tokens.clone(), &["return"]) {
            self.in_macro.get_or_insert(invocation.clone());
        } else if !is_known(invocation) {
            self.unknown.get_or_insert(invocation.clone());
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

fn biased(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(syn::Ident) && input.peek2(syn::Token![;]) {
        input.parse::<syn::Ident>()?;
        input.parse::<syn::Token![;]>()?;
    }
    Ok(())
}

fn arms(input: ParseStream<'_>) -> syn::Result<Punctuated<Expr, syn::Token![,]>> {
    biased(input)?;
    Punctuated::parse_terminated(input)
}

/// `PAT = FUTURE => HANDLER`.
struct Branch {
    pat: Pat,
    future: Expr,
    handler: Expr,
}

/// Two branches without conditions.
fn branches(input: ParseStream<'_>) -> syn::Result<[Branch; 2]> {
    biased(input)?;
    let both = [branch(input)?, branch(input)?];
    if input.is_empty() {
        Ok(both)
    } else {
        Err(input.error("more than two branches"))
    }
}

fn branch(input: ParseStream<'_>) -> syn::Result<Branch> {
    let pat = Pat::parse_single(input)?;
    input.parse::<syn::Token![=]>()?;
    let future = input.parse()?;
    input.parse::<syn::Token![=>]>()?;
    let handler = if input.peek(syn::token::Brace) {
        Expr::Block(syn::ExprBlock {
            attrs: Vec::new(),
            label: None,
            block: input.parse()?,
        })
    } else {
        input.parse()?
    };
    input.parse::<Option<syn::Token![,]>>()?;
    Ok(Branch {
        pat,
        future,
        handler,
    })
}

//! Questions of a `Cx` that rustc would refuse far from the mistake, or at all only where they are put.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use syn::{
    Expr, Lit, Pat,
    visit::{self, Visit},
};

use crate::{
    ast::{calls::strip_parentheses, macros, patterns::pattern_bindings, vocabulary::Method},
    errors::Errors,
    syntax::{
        asks::{Ask, Handles, Join},
        function::Input,
    },
};

/// Refuses what cannot be asked so, whatever the types are.
pub(crate) fn check(input: &Input) -> Result<(), Errors> {
    let block = &input.item.block;
    let mut texts = Texts(HashMap::new());
    texts.visit_block(block);
    let params = input.params();
    for binding in params.flat_map(|param| pattern_bindings(&param.pat)) {
        texts.0.insert(binding.ident.to_string(), false);
    }
    let mut checker = Checker {
        handles: &input.handles,
        texts: texts.0,
        errors: Errors::default(),
    };
    checker.visit_block(block);
    checker.errors.finish()
}

struct Checker<'a> {
    handles: &'a Handles,
    /// The variables, each with whether it is nothing but literal texts.
    texts: HashMap<String, bool>,
    errors: Errors,
}

impl Checker<'_> {
    /// `let Some(answer) = cx.elicit::<T>(..).await`; whether it was refused.
    fn pattern(&mut self, pat: &Pat, value: &Expr) -> bool {
        let value = strip_parentheses(value);
        let (value, tried) = match value {
            Expr::Try(tried) => (strip_parentheses(&tried.expr), true),
            other => (other, false),
        };
        let Expr::Await(awaited) = value else {
            return false;
        };
        let Some(ask) = self.question(&awaited.base) else {
            return false;
        };
        // A limit around it has a `Result` of its own, and what has no answer is `()`.
        if ask.limit.is_some() || ask.is_pause() {
            return false;
        }
        let is_form = ask.base().method == "elicit";
        let found = option_in(pat, tried, is_form);
        match found {
            Some(at) if tried || is_ok(pat) => self.errors.refuse(
                at,
                "an `Option` is expected of an answer that is not an `Option`",
                "`cx.elicit` gives the form itself; where there is no answer, an `AskError` says why",
                if tried { "`let answer = cx.elicit(..).await?;`" } else { "`Ok(answer)`" },
            ),
            Some(at) => self.errors.refuse(
                at,
                "an `Option` is expected of an answer that is a `Result`",
                "a user who declines is an error, `AskError::Declined`, and so is all else that leaves the question without an answer",
                "`Ok(answer)` in place of `Some(answer)`, and `Err(_)` in place of `None`; or `let answer = cx.elicit(..).await?;`",
            ),
            None => {}
        }
        found.is_some()
    }

    fn question<'e>(&self, base: &'e Expr) -> Option<Ask<'e>> {
        let ask = self.handles.ask(strip_parentheses(base))?;
        (ask.method == Method::Question).then_some(ask)
    }

    /// `cx.choose("Which?", ["a", "b"])`
    fn choice(&mut self, ask: &Ask<'_>) {
        let base = ask.base();
        if !base.method.to_string().starts_with("choose") {
            return;
        }
        let options = base.args.iter().nth(1);
        if let Some(options) = options.filter(|options| self.is_texts(options)) {
            self.errors.refuse(
                options,
                "options that are borrowed texts",
                "the options are stored while the user thinks, and the answer is one of them: it must own its text",
                "texts of their own, `[\"a\", \"b\"].map(String::from)`, or `words.iter().map(ToString::to_string)` of what is there already",
            );
        }
    }

    fn is_texts(&self, expr: &Expr) -> bool {
        match strip_parentheses(expr) {
            Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string);
                name.is_some_and(|name| self.texts.get(&name) == Some(&true))
            }
            other => is_literal_texts(other),
        }
    }

    /// Keys that two arms of one `join!` share.
    fn join(&mut self, base: &Expr) {
        let Some(Join::All(arms, _)) = self.handles.join(base) else {
            return;
        };
        let mut keys: HashMap<String, &Lit> = HashMap::new();
        for arm in arms {
            let ask = self.question(arm);
            let Some((key, literal)) = ask.and_then(|ask| ask.key().zip(literal_key(&ask))) else {
                continue;
            };
            if let Some(first) = keys.get(&key) {
                self.errors.refuse(
                    literal,
                    &format!("the key `{key}` twice in one `join!`"),
                    "both questions are put at once, and the client answers by the key",
                    "another key for one of them; without `.key(..)` it is the name of the variable",
                );
                let first = *first;
                self.errors.also(
                    first,
                    &format!("the key `{key}` is here for the first time"),
                );
            } else {
                keys.insert(key, literal);
            }
        }
    }

    /// `vec![cx.elicit(..), cx.elicit(..)]`
    fn collected(&mut self, invocation: &syn::Macro) {
        let last = invocation.path.segments.last();
        if last.is_none_or(|last| last.ident != "vec") || mentions_await(&invocation.tokens) {
            return;
        }
        let items = macros::arguments(invocation).unwrap_or_default();
        if items
            .iter()
            .any(|item| self.handles.ask(strip_parentheses(&item.value)).is_some())
        {
            self.errors.refuse(
                invocation,
                "questions that are collected before they are awaited",
                "a continuation goes on at the `.await`, which must be where the question is made",
                "`join!(cx.elicit(..), cx.elicit(..))` puts them together; as many as there are items, `join_all(items.into_iter().map(|item| cx.elicit(..))).await`",
            );
        }
    }
}

fn literal_key<'e>(ask: &Ask<'e>) -> Option<&'e Lit> {
    let mut keys = ask.links().filter(|link| link.method == "key");
    match keys.next()?.args.first()? {
        Expr::Lit(literal) => Some(&literal.lit),
        _ => None,
    }
}

fn mentions_await(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == "await",
        proc_macro2::TokenTree::Group(group) => mentions_await(&group.stream()),
        _ => false,
    })
}

/// The part of a pattern that only an `Option` matches. Behind `?`, only the answer to a form is known to be none.
fn option_in(pat: &Pat, tried: bool, is_form: bool) -> Option<&Pat> {
    let is_option = |pat: &Pat| match pat {
        Pat::TupleStruct(pat) => pat.path.is_ident("Some") && pat.elems.len() == 1,
        Pat::Ident(pat) => pat.ident == "None",
        Pat::Path(pat) => pat.path.is_ident("None"),
        _ => false,
    };
    match pat {
        Pat::Or(or) => or
            .cases
            .iter()
            .find_map(|case| option_in(case, tried, is_form)),
        Pat::Paren(paren) => option_in(&paren.pat, tried, is_form),
        Pat::TupleStruct(ok) if !tried && is_form && is_ok(pat) => {
            ok.elems.first().filter(|inner| is_option(inner))
        }
        pat => (is_option(pat) && (!tried || is_form)).then_some(pat),
    }
}

fn is_ok(pat: &Pat) -> bool {
    matches!(pat, Pat::TupleStruct(pat) if pat.path.is_ident("Ok"))
}

/// `["a", "b"]`, `vec!["a", "b"]`, a reference to it or an iterator over it.
fn is_literal_texts(expr: &Expr) -> bool {
    let is_text = |expr: &Expr| matches!(strip_parentheses(expr), Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)));
    match strip_parentheses(expr) {
        Expr::Array(array) => !array.elems.is_empty() && array.elems.iter().all(is_text),
        Expr::Reference(reference) => is_literal_texts(&reference.expr),
        Expr::MethodCall(call) => {
            let same = ["iter", "into_iter", "copied", "to_vec", "clone"];
            same.iter().any(|name| call.method == name)
                && call.args.is_empty()
                && is_literal_texts(&call.receiver)
        }
        Expr::Macro(invocation) if invocation.mac.path.is_ident("vec") => {
            let items = macros::arguments(&invocation.mac).unwrap_or_default();
            !items.is_empty() && items.iter().all(|item| is_text(&item.value))
        }
        _ => false,
    }
}

/// Collects `let words = ["a", "b"];`. A name that is bound to anything else, too, is not among them.
struct Texts(HashMap<String, bool>);

impl<'ast> Visit<'ast> for Texts {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        let value = local.init.as_ref();
        if let (Pat::Ident(pat), Some(value)) = (&local.pat, value)
            && is_literal_texts(&value.expr)
        {
            let name = pat.ident.to_string();
            self.0.entry(name).or_insert(true);
            visit::visit_local_init(self, value);
            return;
        }
        visit::visit_local(self, local);
    }

    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.0.insert(pat.ident.to_string(), false);
    }
}

impl<'ast> Visit<'ast> for Checker<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Let(condition) => {
                self.pattern(&condition.pat, &condition.expr);
            }
            Expr::Match(matched) => {
                let mut arms = matched.arms.iter();
                // One of them says it for all.
                let _ = arms.any(|arm| self.pattern(&arm.pat, &matched.expr));
            }
            Expr::Await(awaited) => self.join(strip_parentheses(&awaited.base)),
            Expr::MethodCall(_) => {
                if let Some(ask) = self.question(expr) {
                    self.choice(&ask);
                    // Its links are no questions of their own.
                    for argument in ask.links().flat_map(|link| &link.args) {
                        self.visit_expr(argument);
                    }
                    return;
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.pattern(&local.pat, &init.expr);
        }
        visit::visit_local(self, local);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.collected(invocation);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

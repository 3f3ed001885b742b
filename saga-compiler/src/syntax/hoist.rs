//! Asks in the arguments of std's formatting macros and of `vec!`: what they do around an argument is
//! known, so the arguments are evaluated before them.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Expr, Ident, Stmt, Token,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use crate::{
    ast::{
        changed::may_change,
        macros::{Argument, arguments},
        uses::root_name,
    },
    errors::Errors,
    syntax::{asks::Handles, locks::refuse_lock},
};

/// Macros that borrow each argument until they return.
const BORROW: &[&str] = &[
    "anyhow", "bail", "eprint", "eprintln", "eyre", "format", "panic", "print", "println",
];

/// A call of one of the macros, its arguments read.
pub(crate) struct Formatted<'m> {
    path: &'m syn::Path,
    borrows: bool,
    /// It borrows what it compares.
    compares: bool,
    /// How many of the first arguments are evaluated whenever the macro is; the rest where it fails.
    always: usize,
    arguments: Punctuated<Argument, Token![,]>,
}

impl<'m> Formatted<'m> {
    pub(crate) fn parse(invocation: &'m syn::Macro) -> Option<Self> {
        let name = invocation.path.segments.last()?.ident.to_string();
        let arguments = arguments(invocation)?;
        let borrows = BORROW.contains(&name.as_str());
        let always = match name.as_str() {
            "vec" | "dbg" => usize::MAX,
            "assert" => 1,
            // Without a message of the author's, the macro makes one of the condition.
            "ensure" if arguments.len() > 1 => 1,
            "assert_eq" | "assert_ne" => 2,
            _ if borrows => usize::MAX,
            _ => return None,
        };
        Some(Self {
            path: &invocation.path,
            borrows,
            compares: name == "assert_eq" || name == "assert_ne",
            always,
            arguments,
        })
    }

    pub(crate) fn values(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.arguments
            .iter_mut()
            .map(|argument| &mut argument.value)
    }

    /// ```text
    /// format!("{} {}", a(), ask.await)   →   { let x = a(); let y = ask.await; format!("{} {}", x, y) }
    /// ```
    pub(crate) fn hoist(mut self, handles: &Handles, errors: &mut Errors) -> Option<Expr> {
        let asks = |argument: &Argument| handles.contains_suspension(&argument.value);
        let last = self.arguments.iter().rposition(asks)?;
        if last >= self.always {
            return None;
        }
        if self
            .path
            .segments
            .last()
            .is_some_and(|name| name.ident == "vec")
        {
            let (of_std, items) = (of_std(self.path), self.arguments.iter());
            return Some(syn::parse_quote! {
                ::saga_runtime::__private::vec_of({ #of_std }, [#(#items),*])
            });
        }
        let mut before: Vec<Stmt> = Vec::new();
        let message = self.message();
        let borrows = self.borrows || self.compares;
        let moved = changed_after(&self.arguments, last);
        for (index, argument) in self.arguments.iter_mut().enumerate().take(last + 1) {
            let value = &argument.value;
            if matches!(value, Expr::Lit(_)) || (self.borrows && is_left(value, moved.get(index))) {
                continue;
            }
            argument.value = match borrows && is_lent(value, handles) {
                true => lent(&mut before, index, value, handles, errors),
                false => kept(&mut before, index, value, handles, errors),
            };
        }
        let Self {
            path, arguments, ..
        } = self;
        let of_std = of_std(path);
        let arguments = arguments.iter();
        Some(syn::parse_quote!({ #of_std #(#before)* #path!(#(#arguments),* #message) }))
    }

    /// What `assert!` says where the author says nothing: the text of the condition as it stands.
    fn message(&self) -> Option<TokenStream> {
        let assert = self.path.is_ident("assert") && self.arguments.len() == 1;
        let condition = self.arguments.first().filter(|_| assert)?;
        let text = condition.to_token_stream().to_string().replace('\n', " ");
        Some(quote!(, "assertion failed: {}", #text))
    }
}

/// What the variables begin with that stand for a macro's arguments.
const ARGUMENT: &str = "__saga_argument_";

/// Whether a `let` is of an argument of a macro.
pub(crate) fn is_argument(pat: &syn::Pat) -> bool {
    matches!(pat, syn::Pat::Ident(name) if name.ident.to_string().starts_with(ARGUMENT))
}

/// Evaluates a value before the macro; what is left is its variable.
fn kept(
    before: &mut Vec<Stmt>,
    index: usize,
    value: &Expr,
    handles: &Handles,
    errors: &mut Errors,
) -> Expr {
    if !handles.contains_suspension(value) {
        refuse_lock(value, errors);
    }
    let kept = format_ident!("{ARGUMENT}{index}");
    before.push(syn::parse_quote!(let #kept = #value;));
    syn::parse_quote!(#kept)
}

/// A place is found before the macro, which borrows what is found.
fn lent(
    before: &mut Vec<Stmt>,
    index: usize,
    place: &Expr,
    handles: &Handles,
    errors: &mut Errors,
) -> Expr {
    let found = syn::parse_quote!(&#place);
    let kept = kept(before, index, &found, handles, errors);
    syn::parse_quote!(*#kept)
}

/// Names of macros that are std's, unless the author has others of that name.
const OF_STD: &[(&str, &str)] = &[
    ("assert", "true"),
    ("assert_eq", "0, 0"),
    ("assert_ne", "0, 1"),
    ("dbg", "()"),
    ("eprint", "\"\""),
    ("eprintln", "\"\""),
    ("format", "\"\""),
    ("matches", "0, 0"),
    ("panic", "\"\""),
    ("print", "\"\""),
    ("println", "\"\""),
    ("vec", "0"),
    ("write", "::std::string::String::new(), \"\""),
    ("writeln", "::std::string::String::new(), \"\""),
];

/// Whether a macro of a name of std's is another one by its path.
pub(crate) fn is_foreign(path: &syn::Path) -> bool {
    let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
        return false;
    };
    let of_std = ["std", "core", "alloc"]
        .iter()
        .any(|root| first.ident == root);
    let known = OF_STD.iter().any(|(known, _)| last.ident == known);
    path.segments.len() > 1 && known && !of_std
}

/// Code that is never run, and does not compile where a macro of that name is another one than std's: what
/// that does with its arguments is not known.
pub(crate) fn of_std(path: &syn::Path) -> Option<Stmt> {
    let name = path.get_ident()?;
    let (_, arguments) = OF_STD.iter().find(|(known, _)| name == known)?;
    let arguments: TokenStream = arguments.parse().ok()?;
    let span = name.span();
    Some(syn::parse_quote_spanned! {span=>
        let _ = || {
            #[allow(unused_imports)]
            use ::std::*;
            #[allow(unused_imports)]
            use self::*;
            let _ = #name!(#arguments);
        };
    })
}

/// `write!` and `writeln!` to a place.
pub(crate) fn written(
    path: &syn::Path,
    mut arguments: Punctuated<Argument, Token![,]>,
    handles: &Handles,
    errors: &mut Errors,
) -> Option<Expr> {
    let asks = |argument: &Argument| handles.contains_suspension(&argument.value);
    let last = arguments.iter().rposition(asks)?;
    let to = arguments.first()?;
    let place = match crate::ast::calls::strip_parentheses(&to.value) {
        Expr::Reference(reference) => is_place(&reference.expr),
        other => is_place(other),
    };
    if !place {
        return None;
    }
    let mut before = Vec::new();
    let moved = changed_after(&arguments, last);
    for (index, argument) in arguments.iter_mut().enumerate().take(last + 1).skip(1) {
        let value = &argument.value;
        if !matches!(value, Expr::Lit(_)) && !is_left(value, moved.get(index)) {
            argument.value = match is_lent(value, handles) {
                true => lent(&mut before, index, value, handles, errors),
                false => kept(&mut before, index, value, handles, errors),
            };
        }
    }
    let of_std = of_std(path);
    Some(syn::parse_quote!({ #of_std #(#before)* #path!(#arguments) }))
}

/// A value in `json!`.
pub(crate) enum Json {
    Object(Vec<(Expr, Json)>),
    Array(Vec<Json>),
    /// The macro's own word.
    Null(Ident),
    Value(Box<Expr>),
}

impl Parse for Json {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let inner;
        if input.peek(syn::token::Brace) {
            syn::braced!(inner in input);
            let mut fields = Vec::new();
            while !inner.is_empty() {
                let mut key = TokenStream::new();
                while !inner.peek(Token![:]) || inner.peek(Token![::]) {
                    key.extend([inner.parse::<proc_macro2::TokenTree>()?]);
                }
                inner.parse::<Token![:]>()?;
                fields.push((syn::parse2(key)?, inner.parse()?));
                inner.parse::<Option<Token![,]>>()?;
            }
            return Ok(Self::Object(fields));
        }
        if input.peek(syn::token::Bracket) {
            syn::bracketed!(inner in input);
            let items = Punctuated::<Self, Token![,]>::parse_terminated(&inner)?;
            return Ok(Self::Array(items.into_iter().collect()));
        }
        let ahead = input.fork();
        if let Ok(word) = ahead.parse::<Ident>()
            && word == "null"
            && (ahead.is_empty() || ahead.peek(Token![,]))
        {
            return input.parse().map(Self::Null);
        }
        input.parse().map(|value| Self::Value(Box::new(value)))
    }
}

impl ToTokens for Json {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| quote!(#key: #value));
                quote!({ #(#fields),* })
            }
            Self::Array(items) => quote!([#(#items),*]),
            Self::Null(word) => quote!(#word),
            Self::Value(value) => quote!(#value),
        });
    }
}

/// What a `json!` evaluates.
pub(crate) enum Given<'j> {
    Key(&'j mut Expr),
    Value(&'j mut Expr),
}

impl<'j> Given<'j> {
    pub(crate) fn expr(self) -> &'j mut Expr {
        match self {
            Self::Key(expr) | Self::Value(expr) => expr,
        }
    }
}

impl Json {
    /// All that is evaluated for it, in order.
    pub(crate) fn values<'j>(&'j mut self, all: &mut Vec<Given<'j>>) {
        match self {
            Self::Object(fields) => {
                for (key, value) in fields {
                    all.push(Given::Key(key));
                    value.values(all);
                }
            }
            Self::Array(items) => items.iter_mut().for_each(|item| item.values(all)),
            Self::Null(_) => {}
            Self::Value(value) => all.push(Given::Value(value)),
        }
    }
}

/// `json!`: its values are evaluated in order, each once.
pub(crate) fn json(
    path: &syn::Path,
    mut json: Json,
    handles: &Handles,
    errors: &mut Errors,
) -> Option<Expr> {
    let mut values = Vec::new();
    json.values(&mut values);
    let asks = |given: &Given<'_>| match given {
        Given::Key(expr) | Given::Value(expr) => handles.contains_suspension(expr),
    };
    let last = values.iter().rposition(asks)?;
    let mut before = Vec::new();
    for (index, given) in values.into_iter().enumerate().take(last + 1) {
        let (expr, taken) = match given {
            Given::Key(expr) => {
                let key = expr.clone();
                (expr, key)
            }
            // It makes a value of it there, by reference.
            Given::Value(expr) if is_looked_at(expr) && !handles.contains_suspension(expr) => {
                let made = syn::parse_quote!(#path!(#expr));
                (expr, made)
            }
            Given::Value(expr) => {
                let value = expr.clone();
                (expr, value)
            }
        };
        if !matches!(expr, Expr::Lit(_)) {
            *expr = kept(&mut before, index, &taken, handles, errors);
        }
    }
    Some(syn::parse_quote!({ #(#before)* #path!(#json) }))
}

/// A place is only borrowed, so it is the same when the others have been evaluated; but what a reference leads to is another
/// thing where they have changed the reference.
fn is_left(value: &Expr, changed: Option<&HashSet<String>>) -> bool {
    let changed =
        root_name(value).is_some_and(|root| changed.is_some_and(|all| all.contains(&root)));
    is_place(value) && !changed
}

/// What the arguments behind each may change, up to the last that asks.
fn changed_after(arguments: &Punctuated<Argument, Token![,]>, last: usize) -> Vec<HashSet<String>> {
    let mut all: Vec<HashSet<String>> = Vec::new();
    let mut behind = HashSet::new();
    for argument in arguments.iter().take(last + 1).rev() {
        all.push(behind.clone());
        behind.extend(may_change(&argument.value));
    }
    all.reverse();
    all
}

/// Whether a place is there before the ask, and is not moved out of: a part of an answer is taken out of it.
fn is_lent(value: &Expr, handles: &Handles) -> bool {
    is_looked_at(value) && (root_name(value).is_some() || !handles.contains_suspension(value))
}

fn is_looked_at(expr: &Expr) -> bool {
    match crate::ast::calls::strip_parentheses(expr) {
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => true,
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)),
        _ => false,
    }
}

fn is_place(expr: &Expr) -> bool {
    match crate::ast::calls::strip_parentheses(expr) {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        _ => false,
    }
}

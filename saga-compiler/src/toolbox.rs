//! `toolbox![deploy, ops::restart]` and `toolbox! { state: .., tools: [..], prompts: [..], resources: [..] }`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Expr, ExprPath, Token, bracketed,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
};

use crate::{around, errors::Errors};

type Paths = Punctuated<ExprPath, Token![,]>;

/// What stands in the macro.
#[derive(Default)]
struct Contents {
    state: Option<Expr>,
    functions: Vec<(Kind, ExprPath)>,
}

/// What functions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tool,
    Prompt,
    Resource,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }

    /// What stands behind the attribute's name, in short.
    fn example(self) -> &'static str {
        match self {
            Self::Tool => "(description = \"..\")",
            Self::Prompt => "(name = \"..\")",
            Self::Resource => "(\"scheme://..\")",
        }
    }
}

impl Parse for Contents {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut contents = Self::default();
        // `tools: [..]` or `tools::lend`: a word and a single colon, or a path.
        let is_sectioned =
            input.peek(syn::Ident::peek_any) && input.peek2(Token![:]) && !input.peek2(Token![::]);
        if !is_sectioned {
            let tools = paths(input)?;
            contents.add(Kind::Tool, tools);
            return Ok(contents);
        }
        let mut seen = Vec::new();
        while !input.is_empty() {
            let word = Ident::parse_any(input)?;
            if seen.contains(&word) {
                return Err(syn::Error::new(word.span(), format!("`{word}` twice")));
            }
            input.parse::<Token![:]>()?;
            match word.to_string().as_str() {
                "state" => contents.state = Some(input.parse()?),
                "tools" => contents.section(Kind::Tool, input)?,
                "prompts" => contents.section(Kind::Prompt, input)?,
                "resources" => contents.section(Kind::Resource, input)?,
                _ => {
                    let message = format!(
                        "`{word}` is nothing that a toolbox has\n  = why: it is made of functions and one state\n  = instead: `state: value`, `tools: [..]`, `prompts: [..]`, `resources: [..]`"
                    );
                    return Err(syn::Error::new(word.span(), message));
                }
            }
            seen.push(word);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(contents)
    }
}

/// The functions of a list, by their paths.
fn paths(input: ParseStream<'_>) -> syn::Result<Paths> {
    let all = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
    let all = all.into_iter().map(|function| match ungrouped(function) {
        Expr::Path(path) => Ok(path),
        other => {
            let message = "this is not the name of a function\n  = why: a toolbox calls its functions itself, for each request\n  = instead: names or paths, with nothing behind them: `toolbox![lend, ops::restart]`";
            Err(syn::Error::new_spanned(other, message))
        }
    });
    all.collect()
}

/// What a macro was given as a path, or an expression, is in a group.
fn ungrouped(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => ungrouped(*group.expr),
        expr => expr,
    }
}

impl Contents {
    fn section(&mut self, kind: Kind, input: ParseStream<'_>) -> syn::Result<()> {
        let inner;
        bracketed!(inner in input);
        let functions = paths(&inner)?;
        self.add(kind, functions);
        Ok(())
    }

    fn add(&mut self, kind: Kind, functions: Paths) {
        let functions = functions.into_iter().map(|path| (kind, path));
        self.functions.extend(functions);
    }
}

/// The functions' routes: `#[tool]` puts a `name_tool_attr` beside each, `#[prompt]` and `#[resource]` the like.
pub(crate) fn toolbox(input: TokenStream) -> Result<TokenStream, Errors> {
    let Contents { state, functions } = syn::parse2(input)?;
    let mut errors = Errors::default();
    let mut names = Vec::new();
    let mut routes = Vec::new();
    let first = Ident::new("__saga_toolbox", Span::mixed_site());
    let mut toolbox = first.clone();
    for (kind, function) in &functions {
        let mut attributes = function.clone();
        let method = is_method(function);
        let Some(last) = attributes.path.segments.last_mut() else {
            continue;
        };
        let named = (*kind, last.ident.to_string());
        let noun = kind.name();
        if method {
            refuse_method(function, noun, &mut errors);
        } else if names.contains(&named) {
            let name = &named.1;
            errors.refuse(
                function,
                &format!("two {noun}s of the name `{name}`"),
                &format!("a client calls a {noun} by its name"),
                &format!("the function once, or `#[{noun}(name = \"..\")]` and another name for the function"),
            );
        } else if around::has_without(&last.ident, noun) {
            errors.refuse(
                function,
                &format!("`{}` has no `#[{noun}]`", named.1),
                &format!("a {noun}'s name, its description and what it takes are in the attribute"),
                &format!("`#[{noun}{}]` above the function", kind.example()),
            );
        }
        last.ident = format_ident!("{}_{}_attr", last.ident, noun);
        // Where there is none, the message says that the macro has made this name.
        let span = Span::mixed_site().located_at(last.ident.span());
        last.ident.set_span(span);
        names.push(named);
        let add = Ident::new(noun, function.span());
        // Of the function's span, so that errors stand there; which may be that of a macro of the author's, where the name of the
        // one before is another.
        let one = Ident::new("__saga_toolbox", function.span());
        routes.push(quote_spanned! {function.span()=>
            let #one = #toolbox;
            let #one = #one.#add(#attributes(), #function);
        });
        toolbox = one;
    }
    errors.finish()?;
    let state = state.map_or_else(|| quote!(()), |state| quote!(#state));
    Ok(quote! {{
        let #first = ::saga_runtime::__private::ToolboxBuilder::new(#state);
        #(#routes)*
        #toolbox.build()
    }})
}

/// Whether a path goes through a type: `Self::lend`, `Desk::lend`. Modules begin with a small letter.
fn is_method(function: &ExprPath) -> bool {
    let mut segments = function.path.segments.iter().rev().skip(1);
    let through = segments.next();
    function.qself.is_some()
        || through.is_some_and(|segment| {
            let name = segment.ident.unraw().to_string();
            name.starts_with(char::is_uppercase)
        })
}

fn refuse_method(function: &ExprPath, noun: &str, errors: &mut Errors) {
    let router = match noun {
        "resource" => "`#[saga]` on the `read_resource` of a `ServerHandler`".to_owned(),
        _ => format!("`#[{noun}_router]` above the `impl`, which makes a server of the type"),
    };
    errors.refuse(
        function,
        "a method in a toolbox",
        "there is no `self` to call it on: a toolbox is a server of free functions",
        &format!("a free function with `State<T>` in place of `self`, and `toolbox! {{ state: .., {noun}s: [..] }}`; or {router}"),
    );
}

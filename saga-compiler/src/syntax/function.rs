//! From tokens to the function that `#[saga]` stands on.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::{
    FnArg, ImplItemFn, Item, PatType, ReturnType, TraitItemFn, Type, visit::Visit,
    visit_mut::VisitMut,
};

use crate::{
    ast::{
        attributes::{is_named, is_saga},
        rename::{rename_block, rename_pattern},
        types::ends_in,
        vocabulary::Method,
    },
    errors::Errors,
    syntax::{
        asks::Handles,
        attribute::{Accepts, Task, arguments},
        awaited_later,
        boxed_future::{Boxed, is_expanded_tool},
        declared_by_macros,
        desugar::desugar,
        fingerprint::fingerprint,
        given::prove,
        lasting::last_for_good,
        lift::lift,
        local_macros,
        nested::{Nested, TakenOut},
        receiver::Receiver,
    },
};

/// The annotated function.
pub(crate) struct Input {
    pub(crate) item: ImplItemFn,
    pub(crate) kind: Kind,
    pub(crate) handles: Handles,
    pub(crate) fingerprint: u64,
    /// Whether a function beside it gives its graph.
    pub(crate) shown: bool,
    /// Whether each answer to it counts once.
    pub(crate) once: bool,
    /// Whether it gives parts of its result.
    pub(crate) resume_token: bool,
    /// When a call of it becomes a task.
    pub(crate) task: Option<Task>,
    /// Set where the function is not `async` but returns a future.
    pub(crate) boxed: Option<Boxed>,
    /// Set where it takes `self` by value, and moves it.
    pub(crate) receiver: Option<Receiver>,
    /// The macros that the lowering has put in its own words.
    pub(crate) macros: Vec<syn::Path>,
    /// Where the runtime is, where not at `::saga_runtime`.
    pub(crate) runtime: Option<syn::Path>,
    /// Points of earlier code whose calls go on here.
    pub(crate) accepts: Vec<Accepts>,
    /// The function as a tool is told of it, where one asks.
    pub(crate) told: Option<crate::told::Telling>,
    /// Async blocks that ask where a call may stand.
    pub(crate) nested: Vec<Nested>,
}

/// How the function is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By rmcp's router: a tool.
    Tool,
    /// By rmcp's router: a prompt.
    Prompt,
    /// By a toolbox: a resource.
    Resource,
    /// By rmcp itself: a method of `ServerHandler`.
    Handler,
    /// By other functions.
    Helper,
}

impl Input {
    /// The parameters apart from `self`.
    pub(crate) fn params(&self) -> impl Iterator<Item = &PatType> {
        self.item.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(param) => Some(param),
            FnArg::Receiver(_) => None,
        })
    }

    /// The declared return type.
    pub(crate) fn output(&self) -> Type {
        match &self.item.sig.output {
            ReturnType::Default => syn::parse_quote!(()),
            ReturnType::Type(_, ty) => (**ty).clone(),
        }
    }
}

/// Reads the function, or says why this is none.
pub(crate) fn read(item: &TokenStream) -> Result<ImplItemFn, Errors> {
    syn::parse2(item.clone()).map_err(|error| no_function(item, error))
}

/// Takes it apart, or says why it cannot be continued.
pub(crate) fn parse(attribute: TokenStream, mut item: ImplItemFn) -> Result<Input, Errors> {
    let mut said = arguments(&attribute)?;
    let accepts = std::mem::take(&mut said.accepts);
    let (shown, once, runtime) = (said.flow, said.once, said.runtime.clone());
    let (task, resume_token) = (said.task, said.resume_token);
    // `#![allow(..)]` in the body says it of the function.
    for attribute in &mut item.attrs {
        attribute.style = syn::AttrStyle::Outer;
    }
    let mut errors = Errors::default();
    if let Some(second) = item
        .attrs
        .iter()
        .find(|attribute| is_saga(attribute.path()))
    {
        errors.refuse(
            second,
            "`#[saga]` above `#[saga]`",
            "the function would be taken apart twice",
            "one of them, with the words of both: `#[saga(flow, asks(..))]`",
        );
    }
    if is_instrumented(&item) {
        errors.refuse(
            &item.sig.ident,
            "`#[tracing::instrument]` stands above `#[saga]`",
            "it has already put the body into a future of its own, whose span would be entered in one process and left in another",
            "`#[tracing::instrument]` below `#[saga]` and `#[tool]`: its span is then that of each piece of the call",
        );
        return Err(errors);
    }
    let mut boxed = None;
    if item.sig.asyncness.is_none() {
        let by_tool = matches!(&item.sig.output, ReturnType::Type(_, ty) if is_expanded_tool(ty));
        boxed = (!by_tool)
            .then(|| Boxed::unwrap(&mut item, &mut errors))
            .flatten();
        if boxed.is_none() {
            refuse_sync(&item, by_tool, &mut errors);
        }
    }
    let kind = kind_of(&item);
    if once && kind == Kind::Helper {
        errors.refuse(
            &attribute,
            "`once` stands above a function that serves no request",
            "a token is consumed where it is presented: by the tool that was called",
            "`#[saga(once)]` above the `#[tool]`, `#[prompt]`, `#[resource]` or method of `ServerHandler` that calls it",
        );
    }
    let no_tool = match kind {
        Kind::Tool => false,
        Kind::Handler => item.sig.ident != "call_tool",
        Kind::Prompt | Kind::Resource | Kind::Helper => true,
    };
    if task.is_some() && no_tool {
        errors.refuse(
            &attribute,
            "`task` stands above a function that is no tool",
            "only a call of a tool can become a task (MCP tasks extension)",
            "`#[saga(task)]` above the `#[tool]`; in what it calls, `#[saga]`",
        );
    }
    if resume_token && kind != Kind::Tool {
        errors.refuse(
            &attribute,
            "`resume_token` stands above a function that is no tool",
            "the token is an argument of a tool's call, beside its own",
            "`#[saga(resume_token)]` above the `#[tool]`; in what it calls, `#[saga]`",
        );
    }
    let handles = Handles::of(&item.sig, &item.block, said);
    let fingerprint = fingerprint(&item.sig, &item.block);
    if item.sig.receiver().is_none() {
        last_for_good(&mut item.sig.generics);
    }
    let receiver = match kind {
        Kind::Helper => Receiver::unwrap(&mut item),
        _ => None,
    };
    lift(&mut item);
    rename_own(&mut item);
    local_macros::give_variables(&mut item, &handles);
    declared_by_macros::note(&mut item);
    awaited_later::put(&mut item.block, &handles);
    let mut taken_out = TakenOut::of(&item);
    let macros = desugar(&mut item, &handles, &mut taken_out, &mut errors);
    errors.finish()?;
    prove(&mut item.block, &item.sig, &handles);
    let nested = taken_out.inputs(&handles);
    Ok(Input {
        item,
        kind,
        handles,
        fingerprint,
        shown,
        once,
        resume_token,
        task,
        boxed,
        receiver,
        macros,
        runtime,
        accepts,
        told: None,
        nested,
    })
}

/// Gives variables of the author's whose names are the macro's others, and one name to those that have two: `r#x` is `x`.
fn rename_own(item: &mut ImplItemFn) {
    struct Own(HashMap<String, Ident>);
    impl<'ast> Visit<'ast> for Own {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            let name = pat.ident.to_string();
            let span = pat.ident.span();
            if name.starts_with("__saga") {
                let own = format_ident!("own{name}", span = span);
                self.0.insert(name, own);
            } else if let Some(plain) = name.strip_prefix("r#")
                && syn::parse_str::<Ident>(plain).is_ok()
            {
                let plain = Ident::new(plain, span);
                self.0.insert(name, plain);
            }
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut own = Own(HashMap::new());
    own.visit_impl_item_fn(item);
    RawAsks.visit_block_mut(&mut item.block);
    if own.0.is_empty() {
        return;
    }
    rename_block(&mut item.block, &own.0);
    for input in &mut item.sig.inputs {
        if let FnArg::Typed(param) = input {
            rename_pattern(&mut param.pat, &own.0);
        }
    }
}

/// `cx.r#elicit(..)` is `cx.elicit(..)`, and `Peer::r#elicit` is `Peer::elicit`.
struct RawAsks;

impl VisitMut for RawAsks {
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        let written = name.to_string();
        if let Some(plain) = written.strip_prefix("r#")
            && Method::of(plain).is_some()
        {
            *name = Ident::new(plain, name.span());
        }
    }
}

fn kind_of(item: &ImplItemFn) -> Kind {
    let has = |name| item.attrs.iter().any(|attribute| is_named(attribute, name));
    if has("tool") {
        Kind::Tool
    } else if has("prompt") {
        Kind::Prompt
    } else if has("resource") {
        Kind::Resource
    } else if is_handler(&item.sig) {
        Kind::Handler
    } else {
        Kind::Helper
    }
}

/// The methods of `ServerHandler` whose answer may be a question, each with its parameters' type, and with the type of an answer that
/// is none: a method of another trait or of the author's own gives that.
const HANDLERS: &[(&str, &str, &str)] = &[
    ("call_tool", "CallToolRequestParams", "CallToolResult"),
    ("get_prompt", "GetPromptRequestParams", "GetPromptResult"),
    (
        "read_resource",
        "ReadResourceRequestParams",
        "ReadResourceResult",
    ),
];

fn is_handler(sig: &syn::Signature) -> bool {
    let known = HANDLERS.iter().find(|(method, ..)| sig.ident == method);
    known.is_some_and(|(_, params, answer)| {
        let is_asked =
            |input: &FnArg| matches!(input, FnArg::Typed(param) if ends_in(&param.ty, params));
        sig.receiver().is_some() && sig.inputs.iter().any(is_asked) && !gives(&sig.output, answer)
    })
}

/// Whether a function returns a value of the type of this name, or a `Result` of one.
fn gives(output: &ReturnType, name: &str) -> bool {
    let ReturnType::Type(_, ty) = output else {
        return false;
    };
    let Type::Path(path) = &**ty else {
        return false;
    };
    let first = path
        .path
        .segments
        .last()
        .and_then(|last| match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => arguments.args.first(),
            _ => None,
        });
    let inner = matches!(first, Some(syn::GenericArgument::Type(inner)) if ends_in(inner, name));
    inner || ends_in(ty, name)
}

/// Whether a parameter is what a handler's method is asked for.
pub(crate) fn is_request_params(ty: &Type) -> bool {
    HANDLERS.iter().any(|(_, params, _)| ends_in(ty, params))
}

/// Why something that is not a function with a body cannot be compiled.
fn no_function(item: &TokenStream, error: syn::Error) -> Errors {
    let mut errors = Errors::default();
    let why = "a function is what is continued, and each is compiled on its own";
    let instead = "`#[saga]` above each `async fn` that asks, and above its `#[tool]`";
    let first = item.clone().into_iter().next();
    // As an item it would be one of any kind.
    if syn::parse2::<TraitItemFn>(item.clone()).is_ok() {
        errors.refuse(
            &first,
            "`#[saga]` stands on a function without a body",
            "there is nothing to continue in it",
            "`#[saga]` above the function in each `impl`, where its body is",
        );
        return errors;
    }
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Impl(block)) => errors.refuse(
            &block.impl_token,
            "`#[saga]` stands on an `impl`",
            why,
            instead,
        ),
        Ok(Item::Trait(one)) => errors.refuse(
            &one.trait_token,
            "`#[saga]` stands on a `trait`",
            why,
            "`#[saga]` above the functions with a body, there and in each `impl`",
        ),
        Ok(Item::Mod(one)) => {
            errors.refuse(&one.mod_token, "`#[saga]` stands on a `mod`", why, instead);
        }
        Ok(_) => errors.refuse(
            &first,
            "`#[saga]` stands on an item that is not a function",
            why,
            instead,
        ),
        Err(_) => return Errors::from(error),
    }
    errors
}

/// Whether `#[tracing::instrument]` was expanded before: its span goes by a name of its own.
fn is_instrumented(item: &ImplItemFn) -> bool {
    struct Spans(bool);
    impl<'ast> Visit<'ast> for Spans {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0 |= pat.ident == "__tracing_attr_span";
        }
    }
    let mut spans = Spans(false);
    spans.visit_block(&item.block);
    spans.0
}

fn refuse_sync(item: &ImplItemFn, by_tool: bool, errors: &mut Errors) {
    if by_tool {
        errors.refuse(
            &item.sig.ident,
            "`#[saga]` stands below `#[tool]`",
            "`#[tool]` has already turned the `async fn` into one that returns a boxed future",
            "`#[saga]` above `#[tool]`",
        );
    } else {
        errors.refuse(
            &item.sig.fn_token,
            "`#[saga]` stands on a function that is not `async`",
            "only an `async fn`, or one whose body is `Box::pin(async move { … })`, can await the client",
            "`async fn`, or leave `#[saga]` off",
        );
    }
}

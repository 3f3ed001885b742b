//! The function around the machine: its signature, and how it is reached.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, FnArg, GenericArgument, Meta, PathArguments, Type, spanned::Spanned};

use super::{allowed, elsewhere, forms, machine::located};

use crate::{
    ast::{attributes::is_named, types::is_handle_type},
    cfg::{Access, Flow, Param, ParamId},
    resource::FORMS,
    syntax::{
        attribute::TaskMode,
        function::{Input, Kind, is_request_params},
    },
};

/// A function that other functions call: its signature stays.
pub(super) fn helper(input: &Input, flow: &Flow, machine: &TokenStream) -> TokenStream {
    let mut item = input.item.clone();
    if let Some(boxed) = &input.boxed {
        item.sig = boxed.sig.clone();
        if let Some(receiver) = &input.receiver {
            receiver.replace(&mut item.sig);
        }
    }
    rename_params(&mut item.sig, flow);
    let bound = input.receiver.as_ref().map(|receiver| {
        receiver.restore(&mut item.sig);
        receiver.bound()
    });
    let body = match &input.boxed {
        Some(boxed) => {
            let hint = return_hint(&boxed.output);
            boxed.wrap(&quote!(#hint #bound #machine))
        }
        None => quote!(#bound #machine),
    };
    let attributes = attributes(&item.attrs);
    let (vis, sig) = (&item.vis, &item.sig);
    quote! {
        #attributes
        #vis #sig {
            #body
        }
    }
}

/// A tool, prompt or resource: takes the call in front of its own parameters and answers with rmcp's response,
/// which is a result or a question.
pub(super) fn routed(input: &Input, flow: &Flow, machine: &TokenStream) -> TokenStream {
    let mut item = input.item.clone();
    let output = input.output();
    rename_params(&mut item.sig, flow);
    let is_root = |access| matches!(access, Access::Parsed | Access::Rooted);
    let bare = !flow.params.iter().any(|param| is_root(param.access));
    let given = given_with_call(input, flow);
    let forms = forms::of(input, flow);
    match input.kind {
        Kind::Prompt => add_arguments(&mut item.attrs, input, &forms),
        Kind::Resource => add_forms(&mut item.attrs, input, &forms),
        _ => add_input_schema(&mut item.attrs, input, &forms, given.is_some()),
    }
    let (response, serve) = match input.kind {
        Kind::Prompt => (quote!(Prompted), quote!(serve_prompt)),
        Kind::Resource => (
            quote!(rmcp::model::ReadResourceResponse),
            quote!(serve_resource),
        ),
        _ => (quote!(rmcp::model::CallToolResponse), quote!(serve_tool)),
    };
    // The future that serves a tool is in a box, as `#[tool]` wants it: an `async fn` around it would be one more for rustc.
    let is_boxed = input.kind == Kind::Tool && is_tool_alone(&item.attrs);
    item.sig.output = if is_boxed {
        item.sig.asyncness = None;
        let lifetime = lifetime_of_self(&item.sig);
        syn::parse_quote!(-> ::saga_runtime::__private::Serving<#lifetime, ::saga_runtime::__private::#response>)
    } else {
        syn::parse_quote!(
            -> ::core::result::Result<
                ::saga_runtime::__private::#response,
                ::saga_runtime::__private::rmcp::ErrorData,
            >
        )
    };
    keep_output_schema(&mut item.attrs, &output);
    let call = (bare && !input.resume_token).then(|| quote!(.call()));
    let taken = match given {
        Some(id) => {
            let held = Flow::param_ident(id);
            let ty = remove_param(&mut item.sig, id);
            add_call(&mut item.sig, &quote!(CallWith<#ty>));
            Some(quote!(let (__saga_call, #held) = __saga_call.split();))
        }
        None if input.resume_token => {
            add_call(&mut item.sig, &quote!(ResumableCall));
            Some(quote!(let __saga_call = __saga_call.call();))
        }
        None => {
            let call = if bare { quote!(BareCall) } else { quote!(Call) };
            add_call(&mut item.sig, &call);
            None
        }
    };
    let once = input.once.then(|| quote!(.once()));
    let task = task(input);
    let roots = flow.params.iter().enumerate().filter_map(|(index, param)| {
        let name = Flow::param_ident(ParamId(index));
        is_root(param.access).then(|| {
            quote! {
                let mut #name = {
                    use ::saga_runtime::__private::{
                        RootChecked as _, RootShown as _, RootUnchecked as _,
                    };
                    (&&&::saga_runtime::__private::Witness::of(&#name)).saga_root(#name, &__saga_call)
                };
            }
        })
    });
    let attributes = attributes(&item.attrs);
    let (vis, sig) = (&item.vis, &item.sig);
    let hint = return_hint(&output);
    let params = fitting(input);
    // What it returns is judged where that is written.
    let at = located(output.span());
    let awaited = (!is_boxed).then(|| quote!(.await));
    let served = quote_spanned! {at=>
        ::saga_runtime::__private::#serve(__saga_call #call #once #task, async move {
            #hint
            #machine
        }) #awaited
    };
    quote! {
        #attributes
        #vis #sig {
            #params
            #taken
            #(#roots)*
            ::saga_runtime::__private::as_is! { #served }
        }
    }
}

/// Whether no other macro looks at the function, which may know what an `async fn` is and nothing of a box.
fn is_tool_alone(attributes: &[Attribute]) -> bool {
    let known = [
        "doc",
        "cfg",
        "allow",
        "warn",
        "deny",
        "expect",
        "forbid",
        "must_use",
        "deprecated",
    ];
    let is_local = |attribute: &Attribute| match &attribute.meta {
        Meta::List(list) => {
            let mut words = list.tokens.clone().into_iter();
            words.any(|word| matches!(word, TokenTree::Ident(word) if word == "local"))
        }
        _ => false,
    };
    let is_known = |attribute: &Attribute| {
        let path = attribute.path();
        known.iter().any(|name| path.is_ident(name))
            || is_named(attribute, "tool") && !is_local(attribute)
    };
    attributes.iter().all(is_known)
}

/// How long a future may live that borrows from `self`.
fn lifetime_of_self(sig: &syn::Signature) -> syn::Lifetime {
    match sig.receiver().map(|receiver| &receiver.kind) {
        Some(syn::ReceiverKind::Reference(_, Some(named), _)) => named.clone(),
        Some(syn::ReceiverKind::Reference(..)) => syn::parse_quote!('_),
        _ => syn::parse_quote!('static),
    }
}

/// Has rustc judge the parameters of a method, each where it stands; the router would tell of the method as a whole. A free
/// function is judged by its toolbox, which has a state of its own.
fn fitting(input: &Input) -> TokenStream {
    let mut inputs = input.item.sig.inputs.iter();
    if !matches!(inputs.next(), Some(FnArg::Receiver(_))) {
        return TokenStream::new();
    }
    let fits = match input.kind {
        Kind::Tool => quote!(tool_param),
        Kind::Prompt => quote!(prompt_param),
        _ => return TokenStream::new(),
    };
    // Types that only a signature may have.
    let params = input.params().map(|param| &*param.ty);
    let params = params.filter(|ty| !ty.to_token_stream().to_string().contains("impl "));
    params
        .map(|ty| {
            let at = located(ty.span());
            quote_spanned!(at=> let _ = ::saga_runtime::__private::#fits::<Self, #ty>;)
        })
        .collect()
}

/// A method of `ServerHandler`: its signature is rmcp's, and what it needs is in its parameters.
pub(super) fn handler(input: &Input, flow: &Flow, machine: &TokenStream) -> TokenStream {
    let mut item = input.item.clone();
    let output = input.output();
    let mut bound = TokenStream::new();
    let (mut request, mut context) = (None, None);
    let elsewhere = elsewhere();
    let typed = item.sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(param) => Some(param),
        FnArg::Receiver(_) => None,
    });
    for (index, (input, param)) in typed.zip(&flow.params).enumerate() {
        let name = Flow::param_ident(ParamId(index));
        let pat = &param.pat;
        if matches!(param.access, Access::Direct | Access::Local) {
            bound.extend(quote!(#elsewhere let #pat = #name;));
        }
        if is_request_params(&param.ty) {
            *input.pat = syn::parse_quote!(mut #name);
            request = Some(name);
        } else {
            *input.pat = syn::parse_quote!(#name);
            if is_handle_type(&param.ty) {
                context = Some(name);
            }
        }
    }
    let attributes = attributes(&item.attrs);
    let once = input.once.then(|| quote!(.once()));
    let task = task(input);
    let (vis, sig) = (&item.vis, &item.sig);
    let hint = return_hint(&output);
    quote! {
        #attributes
        #vis #sig {
            let __saga_call = ::saga_runtime::__private::Params::call(&mut #request, &#context)#once #task;
            ::saga_runtime::__private::serve_handler(__saga_call, async move {
                #bound
                #hint
                #machine
            })
            .await
        }
    }
}

/// When a call becomes a task.
fn task(input: &Input) -> Option<TokenStream> {
    let task = input.task?;
    let mode = match task.mode {
        TaskMode::Always => quote!(Always),
        TaskMode::Required => quote!(Required),
        TaskMode::After(millis) => quote!(After(::core::time::Duration::from_millis(#millis))),
    };
    let restarts = task.restarts.then(|| quote!(.restarting()));
    Some(quote!(.task(::saga_runtime::__private::TaskMode::#mode) #restarts))
}

/// The author's attributes, and the lints that are allowed: behind a lint level of the author's, which would
/// have the last word.
fn attributes(own: &[Attribute]) -> TokenStream {
    let allowed = allowed();
    let level = |attribute: &Attribute| {
        let path = attribute.path();
        ["warn", "deny", "expect"]
            .iter()
            .any(|level| path.is_ident(level))
    };
    match own.iter().rposition(level) {
        Some(last) => {
            let (levels, others) = own.split_at(last + 1);
            quote!(#(#levels)* #allowed #(#others)*)
        }
        None => quote!(#allowed #(#own)*),
    }
}

/// The function beside it that gives its graph.
pub(super) fn flow(input: &Input, function: &TokenStream) -> TokenStream {
    let (vis, name) = (&input.item.vis, &input.item.sig.ident);
    let doc = format!("The suspension points of `{name}`.");
    let flow = quote::format_ident!("{}_flow", name);
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #vis fn #flow() -> &'static ::saga_runtime::flow::Function {
            #function
            &__SAGA_FUNCTION
        }
    }
}

/// Tells the compiler what `return` returns; an async block has no signature.
fn return_hint(output: &Type) -> TokenStream {
    if output.to_token_stream().to_string().contains("impl ") {
        return TokenStream::new();
    }
    quote! {
        if let ::core::option::Option::Some(__saga_return) = ::core::option::Option::None::<#output> {
            return __saga_return;
        }
    }
}

pub(super) fn rename_params(sig: &mut syn::Signature, flow: &Flow) {
    let typed = sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(param) => Some(param),
        FnArg::Receiver(_) => None,
    });
    for (index, (input, param)) in typed.zip(&flow.params).enumerate() {
        match param.access {
            Access::Direct => {}
            // It may be changed in another state than the first.
            Access::Local => input.attrs.push(syn::parse_quote!(#[allow(unused_mut)])),
            _ => {
                let name = Flow::param_ident(ParamId(index));
                *input.pat = syn::parse_quote!(#name);
            }
        }
    }
}

fn add_call(sig: &mut syn::Signature, call: &TokenStream) {
    let at = first_typed(sig);
    let call = syn::parse_quote!(__saga_call: ::saga_runtime::__private::#call);
    sig.inputs.insert(at, call);
}

/// The parameter that is read of the arguments together with the call, which then need not copy them: where nobody else looks
/// at those.
fn given_with_call(input: &Input, flow: &Flow) -> Option<ParamId> {
    if input.kind != Kind::Tool || input.resume_token {
        return None;
    }
    let is_given = |param: &&Param| {
        matches!(param.access, Access::Parsed | Access::Rooted)
            && parameters_of(&param.ty).is_some()
    };
    let given = flow.params.iter().position(|param| is_given(&param))?;
    let mut others = flow.params.iter().enumerate();
    let alone = others
        .all(|(index, param)| index == given || is_handle_type(&param.ty) || is_state(&param.ty));
    alone.then_some(ParamId(given))
}

/// A toolbox's.
fn is_state(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "State")
}

/// Removes a parameter; gives its type.
fn remove_param(sig: &mut syn::Signature, id: ParamId) -> TokenStream {
    let at = first_typed(sig) + id.0;
    let inputs = std::mem::take(&mut sig.inputs);
    let mut ty = TokenStream::new();
    for (index, input) in inputs.into_iter().enumerate() {
        match input {
            FnArg::Typed(param) if index == at => ty = param.ty.into_token_stream(),
            input => sig.inputs.push(input),
        }
    }
    ty
}

fn first_typed(sig: &syn::Signature) -> usize {
    let inputs = sig.inputs.iter();
    inputs
        .take_while(|input| matches!(input, FnArg::Receiver(_)))
        .count()
}

/// Has the schema of a tool's arguments show the token, where its result comes in parts, and be there where the parameter that
/// `#[tool]` would read it off is `taken`; and has whoever makes it, which is a server that starts, look at the tool's forms.
fn add_input_schema(attributes: &mut [Attribute], input: &Input, forms: &[&Type], taken: bool) {
    if !input.resume_token && !taken && forms.is_empty() {
        return;
    }
    let own = input.params().find_map(|param| parameters_of(&param.ty));
    let private = quote!(::saga_runtime::__private);
    let schema = match (input.resume_token, own) {
        (true, Some(own)) => quote!(#private::resumable_schema::<#own>()),
        (true, None) => quote!(#private::resumable_empty_schema()),
        (false, Some(own)) => quote!(#private::input_schema::<#own>()),
        (false, None) => quote!(#private::empty_input_schema()),
    };
    let schema = match forms.is_empty() {
        true => schema,
        false => {
            let (tool, problems) = (input.item.sig.ident.to_string(), problems(forms));
            quote!(#private::with_forms(#schema, #tool, #problems))
        }
    };
    add_to(attributes, "tool", "input_schema", &schema);
}

/// Has whoever lists a prompt look at its forms.
fn add_arguments(attributes: &mut [Attribute], input: &Input, forms: &[&Type]) {
    if forms.is_empty() {
        return;
    }
    let private = quote!(::saga_runtime::__private);
    let own = input.params().find_map(|param| parameters_of(&param.ty));
    let arguments = match own {
        Some(own) => {
            quote!(#private::rmcp::handler::server::prompt::cached_arguments_from_schema::<#own>())
        }
        None => quote!(::core::option::Option::None),
    };
    let (prompt, problems) = (input.item.sig.ident.to_string(), problems(forms));
    let arguments = quote!(#private::arguments_with_forms(#arguments, #prompt, #problems));
    add_to(attributes, "prompt", "arguments", &arguments);
}

/// Has whoever lists a resource look at its forms.
fn add_forms(attributes: &mut [Attribute], input: &Input, forms: &[&Type]) {
    if forms.is_empty() {
        return;
    }
    let (resource, problems) = (input.item.sig.ident.to_string(), problems(forms));
    let found = quote!(::saga_runtime::__private::report_forms(#resource, #problems));
    add_to(attributes, "resource", FORMS, &found);
}

/// What MCP does not allow of each form.
fn problems(forms: &[&Type]) -> TokenStream {
    let private = quote!(::saga_runtime::__private);
    quote!({
        use #private::AnyForm as _;
        [#(#private::FormOf::<#forms>::new().problem()),*]
    })
}

/// Adds what the attribute of a tool, a prompt or a resource does not say itself.
fn add_to(attributes: &mut [Attribute], attribute: &str, name: &str, value: &TokenStream) {
    let own = attributes.iter_mut();
    for attribute in own.filter(|own| is_named(own, attribute)) {
        let ident = quote::format_ident!("{name}");
        let said = quote!(#ident = #value);
        match &mut attribute.meta {
            Meta::List(list) if !says(&list.tokens, name) => {
                let tokens = &list.tokens;
                list.tokens = match tokens.clone().into_iter().last() {
                    None => said,
                    Some(TokenTree::Punct(end)) if end.as_char() == ',' => quote!(#tokens #said),
                    Some(_) => quote!(#tokens, #said),
                };
            }
            Meta::Path(path) => {
                let path = path.clone();
                attribute.meta = syn::parse_quote!(#path(#said));
            }
            _ => {}
        }
    }
}

fn says(tokens: &TokenStream, name: &str) -> bool {
    let mut words = tokens.clone().into_iter();
    words.any(|word| matches!(word, TokenTree::Ident(word) if word == name))
}

/// The `T` of `Parameters<T>`.
fn parameters_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) if last.ident == "Parameters" => Some(inner),
        _ => None,
    }
}

/// `#[tool]` reads the output schema off the return type, which is another one now.
fn keep_output_schema(attributes: &mut [Attribute], output: &Type) {
    let Some(inner) = json_inner(output) else {
        return;
    };
    let schema = quote!(
        ::saga_runtime::__private::rmcp::handler::server::tool::schema_for_output::<#inner>()
    );
    add_to(attributes, "tool", "output_schema", &schema);
}

/// The `T` of `Json<T>` or `Result<Json<T>, E>`.
fn json_inner(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let Some(GenericArgument::Type(first)) = arguments.args.first() else {
        return None;
    };
    match last.ident.to_string().as_str() {
        "Json" => Some(first),
        "Result" if matches!(first, Type::Path(_)) => json_inner(first).filter(|_| {
            matches!(first, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Json"))
        }),
        _ => None,
    }
}

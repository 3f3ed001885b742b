//! What a client would refuse of a tool: its name, and arguments that are no object.

use syn::{Attribute, Expr, FnArg, GenericArgument, Lit, Meta, Pat, PatType, PathArguments, Type};

use crate::{
    ast::{attributes::is_named, types::is_handle_type},
    errors::Errors,
    syntax::function::{Input, Kind},
};

/// The longest name of a tool, in characters (SEP-986).
const MAX_NAME: usize = 128;

/// Types whose JSON is no object.
const NO_OBJECTS: &[&str] = &[
    "Vec", "VecDeque", "HashSet", "BTreeSet", "String", "str", "bool", "char", "f32", "f64", "u8",
    "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
];

/// Checks the tool that the function is.
pub(crate) fn check(input: &Input) -> Result<(), Errors> {
    let mut errors = Errors::default();
    if input.kind == Kind::Tool {
        check_name(input, &mut errors);
    }
    if matches!(input.kind, Kind::Tool | Kind::Prompt | Kind::Resource) {
        check_params(input, &mut errors);
        let roots = input
            .params()
            .filter_map(|param| Some((param, argument_root(&param.ty)?)));
        for (place, (param, root)) in roots.enumerate() {
            if place > 0 {
                errors.refuse(
                    &param.ty,
                    "a second `Parameters`",
                    "a client sends one object, and the first of them takes it: this one would find nothing",
                    "the fields of both in one struct",
                );
            }
            if is_no_object(root) {
                errors.refuse(
                    root,
                    "arguments that are not an object",
                    "a client sends them by name",
                    "`Parameters<Args>` with `struct Args { items: Vec<..> }`",
                );
            }
        }
    }
    errors.finish()
}

/// What no request has, whatever the server is: the types of std, and a reference to the handle.
fn check_params(input: &Input, errors: &mut Errors) {
    let noun = match input.kind {
        Kind::Prompt => "prompt",
        Kind::Resource => "resource",
        _ => "tool",
    };
    for (place, param) in input.item.sig.inputs.iter().enumerate() {
        let param = match param {
            FnArg::Typed(param) => param,
            FnArg::Receiver(own) if input.kind == Kind::Tool && !is_shared(own) => {
                let what = "a tool that takes or changes its server";
                let why = "calls share it, and run at the same time";
                let instead = "`&self`; what changes goes behind a lock, `Mutex<T>`, or an atomic";
                errors.refuse_param(place, own, [what, why, instead]);
                continue;
            }
            FnArg::Receiver(_) => continue,
        };
        match &*param.ty {
            Type::Reference(reference) if is_handle_type(&reference.elem) => {
                let owned = &reference.elem;
                let owned = quote::quote!(#owned).to_string().replace(' ', "");
                let what = format!("a {noun} that borrows the client's handle");
                let name = param_name(param).unwrap_or_else(|| "cx".to_owned());
                let instead =
                    format!("`{owned}`; a helper that it calls takes `&{owned}`, given `&{name}`");
                let why = "its router gives it the request's own";
                errors.refuse_param(place, &param.ty, [&what, why, &instead]);
            }
            ty if is_no_object(ty) => {
                let name = param_name(param).unwrap_or_else(|| "name".to_owned());
                let owned = match ty {
                    Type::Reference(_) => "String".to_owned(),
                    ty => quote::quote!(#ty).to_string().replace(' ', ""),
                };
                let what = format!("an argument of a {noun} that is a parameter by itself");
                let instead = format!(
                    "`Parameters(args): Parameters<Args>`, where `#[derive(Deserialize, Elicit)] struct Args {{ {name}: {owned} }}`, and `args.{name}`"
                );
                let why = "a client sends the arguments as one object, by name";
                errors.refuse_param(place, param, [&what, why, &instead]);
            }
            _ => {}
        }
    }
}

/// What the author calls it.
fn param_name(param: &PatType) -> Option<String> {
    match &*param.pat {
        Pat::Ident(pat) => Some(pat.ident.to_string()),
        _ => None,
    }
}

/// `&self`, or a receiver with a type of its own.
fn is_shared(own: &syn::Receiver) -> bool {
    match &own.kind {
        syn::ReceiverKind::Value => false,
        syn::ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        _ => true,
    }
}

fn check_name(input: &Input, errors: &mut Errors) {
    let (what, instead) = (
        "a name that the specification does not allow for a tool",
        "1 to 128 of the ASCII letters, digits, `_`, `-`, `.` and `/` (SEP-986)",
    );
    let why = "clients refuse it, or call the tool by another";
    let attributes = input.item.attrs.iter();
    let said = attributes
        .filter(|attribute| is_named(attribute, "tool"))
        .find_map(name_of);
    match said {
        Some(name) if !is_tool_name(&name.value()) => errors.refuse(&name, what, why, instead),
        Some(_) => {}
        None => {
            let ident = &input.item.sig.ident;
            let name = ident.to_string();
            if !is_tool_name(name.trim_start_matches("r#")) {
                errors.refuse(ident, what, why, instead);
            }
        }
    }
}

/// The `name = ".."` of `#[tool(..)]`.
fn name_of(attribute: &Attribute) -> Option<syn::LitStr> {
    let Meta::List(list) = &attribute.meta else {
        return None;
    };
    let parser = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
    let words = list.parse_args_with(parser).ok()?;
    words.into_iter().find_map(|word| match word {
        Meta::NameValue(pair) if pair.path.is_ident("name") => match pair.value {
            Expr::Lit(syn::ExprLit {
                lit: Lit::Str(name),
                ..
            }) => Some(name),
            _ => None,
        },
        _ => None,
    })
}

fn is_tool_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(allowed)
}

/// The `T` of `Parameters<T>`.
fn argument_root(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(root) if last.ident == "Parameters" => Some(root),
        _ => None,
    }
}

fn is_no_object(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| NO_OBJECTS.iter().any(|name| last.ident == name)),
        Type::Tuple(_) | Type::Array(_) | Type::Slice(_) => true,
        Type::Reference(reference) => is_no_object(&reference.elem),
        _ => false,
    }
}

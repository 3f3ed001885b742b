//! A saga function as tools see it.

use proc_macro2::{Span, TokenStream};

use crate::{
    Compiled,
    analysis::{accepts::method, successors},
    compiled,
    errors::Errors,
    syntax,
};

/// A function under `#[saga]`.
///
/// ```
/// let function = r#"async fn sure(peer: &Peer<RoleServer>, name: &str) -> bool {
///     let asked = name.len();
///     peer.elicit::<Confirm>(format!("{name}?")).await.is_ok_and(|_| asked > 0)
/// }"#;
/// let function = saga_compiler::describe(Default::default(), function.parse().unwrap()).unwrap();
/// assert_eq!(function.points[0].stored[0].name, "asked");
/// assert_eq!(function.points[0].next, [0]);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Changes with signature and body.
    pub fingerprint: u64,
    /// Its suspension points; point 1 is the first.
    pub points: Vec<Point>,
    /// The points that may come first; 0 where the function may return without any.
    pub first: Vec<u32>,
}

/// A suspension point.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Point {
    /// What tells it from the others for people: its key, or the function that is called; with `#2` behind where that is there
    /// twice.
    pub label: String,
    /// The base of the ask's key; empty for a call of another function.
    pub key: String,
    /// An ask's method and answer type, or the name of a function.
    pub awaits: String,
    /// The variables that are stored there.
    pub stored: Vec<Variable>,
    /// The points that may come next; 0 where the function may return.
    pub next: Vec<u32>,
    /// Changes with what can still run from here.
    pub fingerprint: u64,
    /// What `#[saga(accepts(label = ".."))]` says in later code whose calls go on from here.
    pub accepted_as: String,
    /// Where it is.
    pub span: Span,
}

/// A variable that is stored at a suspension point.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Variable {
    /// Its name, or what the compiler stores it for.
    pub name: String,
    /// Whether it is the author's.
    pub named: bool,
    /// Its type, where the author wrote it down.
    pub ty: Option<String>,
    /// Where it is declared.
    pub span: Span,
}

/// What `#[saga(attribute)]` on `item` comes to.
///
/// # Errors
/// What the macro would say, one error behind the other.
pub fn describe(attribute: TokenStream, item: TokenStream) -> Result<Function, syn::Error> {
    if syntax::conditional::resolved(&attribute, &item).is_some() {
        let span = Span::call_site();
        let message = "parts of it stand under `#[cfg(..)]`, which only rustc can judge";
        return Err(syn::Error::new(span, message));
    }
    let compiled = compiled(attribute, item).map_err(Errors::into_error)?;
    let Compiled {
        input,
        flow,
        points,
        ..
    } = compiled;
    let points = points.into_iter().map(|point| Point {
        accepted_as: format!(
            "{:016x} {}: {}",
            point.fingerprint,
            method(&point.awaits),
            point.layout.join(", ")
        ),
        stored: point
            .stored
            .iter()
            .map(|id| {
                let var = flow.var(*id);
                Variable {
                    name: flow.author_name(*id),
                    named: !var.hidden,
                    ty: var.ty.as_ref().map(|ty| quote::quote!(#ty).to_string()),
                    span: var.ident.span(),
                }
            })
            .collect(),
        label: point.label,
        key: point.key,
        awaits: point.awaits,
        next: point.next,
        fingerprint: point.fingerprint,
        span: point.span,
    });
    Ok(Function {
        name: input.item.sig.ident.to_string(),
        fingerprint: input.fingerprint,
        points: points.collect(),
        first: successors::first(&flow).into_iter().collect(),
    })
}

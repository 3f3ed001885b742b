//! A saga function as tools see it.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;

use crate::{
    Compiled,
    analysis::{accepts::method, graph::PointFacts, successors},
    cfg::{Flow, VarId},
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
/// assert!(function.points[0].accepted_as().ends_with(" elicit: asked"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Changes with signature and body.
    pub fingerprint: u64,
    /// Its signature, on one line.
    pub signature: String,
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
    /// The functions that are called there, where it is not an ask.
    pub calls: Vec<String>,
    /// The variables that are stored there.
    pub stored: Vec<Variable>,
    /// Each value of its frames in order: the stored variables, and what comes with them.
    pub frame: Vec<Variable>,
    /// The slots that what is awaited goes to, for their types.
    pub awaited: Vec<usize>,
    /// The points that may come next; 0 where the function may return.
    pub next: Vec<u32>,
    /// Changes with what can still run from here.
    pub fingerprint: u64,
    /// Fingerprints of points of earlier code whose calls go on here.
    pub accepts: Vec<u64>,
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
    /// Its slot, by which [`saga_with_types`](crate::saga_with_types) tells its type; `None` for the arguments.
    pub slot: Option<usize>,
    /// Its type, where the author wrote it down.
    pub ty: Option<String>,
    /// Where it is declared.
    pub span: Span,
}

impl Point {
    /// What `#[saga(accepts(label = ".."))]` says in later code whose calls go on from here.
    pub fn accepted_as(&self) -> String {
        let names: Vec<_> = self.frame.iter().map(|value| value.name.as_str()).collect();
        let awaits = method(&self.awaits);
        format!("{:016x} {awaits}: {}", self.fingerprint, names.join(", "))
    }
}

/// What `#[saga(attribute)]` on `item` comes to.
///
/// # Errors
/// What the macro would say, one error behind the other.
pub fn describe(attribute: TokenStream, item: TokenStream) -> Result<Function, syn::Error> {
    let item = syntax::function::read(&item).map_err(Errors::into_error)?;
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
    } = &compiled;
    Ok(Function {
        name: input.item.sig.ident.to_string(),
        fingerprint: input.fingerprint,
        signature: signature(&input.item.sig),
        points: points.iter().map(|facts| point(flow, facts)).collect(),
        first: successors::first(flow).into_iter().collect(),
    })
}

fn signature(sig: &syn::Signature) -> String {
    let mut sig = sig.clone();
    sig.inputs.pop_punct();
    one_line(&sig.to_token_stream())
}

fn point(flow: &Flow, facts: &PointFacts) -> Point {
    let named = |ids: &[VarId]| ids.iter().map(|id| variable(flow, *id)).collect::<Vec<_>>();
    let arguments = facts.layout.len().saturating_sub(facts.written.len());
    let mut frame = vec![Variable::arguments(facts.span); arguments];
    frame.extend(named(&facts.written));
    Point {
        label: facts.label.clone(),
        key: facts.key.clone(),
        awaits: facts.awaits.clone(),
        calls: facts.calls.clone(),
        stored: named(&facts.stored),
        frame,
        awaited: facts.awaited.iter().map(|id| id.0).collect(),
        next: facts.next.clone(),
        fingerprint: facts.fingerprint,
        accepts: facts.accepts.iter().map(|one| one.fingerprint).collect(),
        span: facts.span,
    }
}

fn variable(flow: &Flow, id: VarId) -> Variable {
    let var = flow.var(id);
    Variable {
        name: flow.author_name(id),
        named: !var.hidden,
        slot: Some(id.0),
        ty: var.ty.as_ref().map(|ty| one_line(&ty.to_token_stream())),
        span: var.ident.span(),
    }
}

impl Variable {
    /// What an argument was, where the call that is made again may give another one.
    fn arguments(span: Span) -> Self {
        Self {
            name: "(arguments)".to_owned(),
            named: false,
            slot: None,
            ty: None,
            span,
        }
    }
}

/// As rustc prints a type: tokens alone have a space everywhere.
fn one_line(tokens: &TokenStream) -> String {
    let mut text = String::new();
    write(tokens.clone(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '"';
    for token in tokens {
        let (open, inner, close) = match &token {
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Parenthesis => ("(", Some(group.stream()), ")"),
                Delimiter::Bracket => ("[", Some(group.stream()), "]"),
                Delimiter::Brace => (" { ", Some(group.stream()), " }"),
                Delimiter::None => ("", Some(group.stream()), ""),
            },
            _ => ("", None, ""),
        };
        if let Some(inner) = inner {
            text.push_str(open);
            write(inner, text);
            text.push_str(close);
            continue;
        }
        let word = token.to_string();
        let after = text.chars().next_back();
        let joined = after.is_some_and(|c| is_word(c) || c == '>' || c == ')' || c == ']');
        if joined && word.starts_with(is_word) && !text.ends_with("->") {
            text.push(' ');
        }
        match word.as_str() {
            "," | ":" | "=" | "+" if !text.ends_with(word.as_str()) => {
                if matches!(word.as_str(), "=" | "+") {
                    text.push(' ');
                }
                text.push_str(&word);
                text.push(' ');
            }
            // The second one of a path's.
            ":" => {
                text.truncate(text.trim_end().len());
                text.push(':');
            }
            "-" if joined => text.push_str(" -"),
            ">" if text.ends_with('-') => text.push_str("> "),
            word => text.push_str(word),
        }
    }
    text.truncate(text.trim_end().len());
}

//! What stands in the attribute itself: `#[saga(flow, asks(confirm), plain(log))]`.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use syn::{
    Ident, Token,
    ext::IdentExt as _,
    parenthesized,
    parse::{Parse, ParseStream, Parser},
    punctuated::Punctuated,
};

use crate::errors::Errors;

/// What the author says of a function.
#[derive(Default, Clone)]
pub(crate) struct Arguments {
    /// A function beside it gives its graph.
    pub(crate) flow: bool,
    /// Each answer to it counts once.
    pub(crate) once: bool,
    /// It gives parts of its result.
    pub(crate) resume_token: bool,
    /// When a call becomes a task.
    pub(crate) task: Option<Task>,
    /// Points of earlier code whose calls go on here.
    pub(crate) accepts: Vec<Accepts>,
    /// Functions that ask though they are not given the handle.
    pub(crate) asks: HashSet<String>,
    /// Where the runtime is, where not at `::saga_runtime`.
    pub(crate) runtime: Option<syn::Path>,
    /// Functions that do not ask though they are given it.
    pub(crate) plain: HashSet<String>,
}

/// `target = "9f3c2a7d11aa0042 elicit: build"`
#[derive(Clone)]
pub(crate) struct Accepts {
    /// The label of the point at which they go on.
    pub(crate) point: String,
    pub(crate) text: syn::LitStr,
}

impl Parse for Accepts {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let point = match input.peek(syn::LitStr) {
            true => input.parse::<syn::LitStr>()?.value(),
            false => input.call(Ident::parse_any)?.to_string(),
        };
        input.parse::<Token![=]>()?;
        let text = input.parse()?;
        Ok(Self { point, text })
    }
}

/// What of a call is a task.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    pub(crate) mode: TaskMode,
    /// One whose code has changed begins again.
    pub(crate) restarts: bool,
}

/// When a call becomes a task.
#[derive(Clone, Copy)]
pub(crate) enum TaskMode {
    Always,
    Required,
    /// After so many milliseconds.
    After(u64),
}

/// `task`, `task = required`, `task(after = "2s", stale = restart)`
fn task(input: ParseStream<'_>) -> syn::Result<Task> {
    let mut task = Task {
        mode: TaskMode::Always,
        restarts: false,
    };
    let known = |word: &Ident, known: &str| match word == known {
        true => Ok(()),
        false => Err(syn::Error::new(word.span(), "not known")),
    };
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        known(&input.parse()?, "required")?;
        task.mode = TaskMode::Required;
    } else if input.peek(syn::token::Paren) {
        let inner;
        parenthesized!(inner in input);
        while !inner.is_empty() {
            let word: Ident = inner.parse()?;
            match word.to_string().as_str() {
                "required" | "after" if !matches!(task.mode, TaskMode::Always) => {
                    return Err(syn::Error::new(word.span(), "there is one already"));
                }
                "required" => task.mode = TaskMode::Required,
                "after" => {
                    inner.parse::<Token![=]>()?;
                    let time: syn::LitStr = inner.parse()?;
                    let millis = milliseconds(&time.value());
                    let millis = millis.ok_or_else(|| syn::Error::new(time.span(), "no time"))?;
                    task.mode = TaskMode::After(millis);
                }
                _ => {
                    known(&word, "stale")?;
                    inner.parse::<Token![=]>()?;
                    known(&inner.parse()?, "restart")?;
                    task.restarts = true;
                }
            }
            if !inner.is_empty() {
                inner.parse::<Token![,]>()?;
            }
        }
    }
    Ok(task)
}

/// `500ms`, `2s`, `5m`
fn milliseconds(time: &str) -> Option<u64> {
    let digits = time.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = time.split_at(digits);
    let unit = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

enum Argument {
    Flow,
    Once,
    ResumeToken,
    Task(Task),
    Asks(Vec<Ident>),
    Accepts(Vec<Accepts>),
    Plain(Vec<Ident>),
    Runtime(syn::Path),
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![crate]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            return input.call(syn::Path::parse_mod_style).map(Self::Runtime);
        }
        let word: Ident = input.parse()?;
        let names = || {
            let inner;
            parenthesized!(inner in input);
            let names = Punctuated::<Ident, Token![,]>::parse_terminated(&inner)?;
            Ok(names.into_iter().collect())
        };
        match word.to_string().as_str() {
            "flow" => Ok(Self::Flow),
            "once" => Ok(Self::Once),
            "resume_token" => Ok(Self::ResumeToken),
            "task" => task(input).map(Self::Task),
            "asks" => names().map(Self::Asks),
            "accepts" => {
                let inner;
                parenthesized!(inner in input);
                let accepts = Punctuated::<Accepts, Token![,]>::parse_terminated(&inner)?;
                Ok(Self::Accepts(accepts.into_iter().collect()))
            }
            "plain" => names().map(Self::Plain),
            _ => Err(syn::Error::new(word.span(), "not known")),
        }
    }
}

/// Reads them.
pub(crate) fn arguments(attribute: &TokenStream) -> Result<Arguments, Errors> {
    let parser = Punctuated::<Argument, Token![,]>::parse_terminated;
    let (mut arguments, mut errors) = (Arguments::default(), Errors::default());
    let Ok(parsed) = parser.parse2(attribute.clone()) else {
        errors.refuse(
            attribute,
            "`#[saga]` does not take this here",
            "everything else is taken from the function itself",
            "`#[saga]`; `flow` for a function beside it that gives its graph; `once` where each answer must count once; `task`, `task = required` or `task(after = \"2s\")` for a tool whose calls become tasks, `task(stale = restart)` where one begins again once its code has changed; `resume_token` for a tool that gives parts of its result; `asks(name)` for a function that asks by `self.peer`; `plain(name)` for one that is given the handle and never asks; `accepts(point = \"..\")` where calls under way from earlier code go on; `crate = path` where the runtime goes by another name",
        );
        return errors.finish().map(|()| arguments);
    };
    for word in parsed {
        let strings = |names: Vec<Ident>| names.into_iter().map(|name| name.to_string());
        match word {
            Argument::Flow => arguments.flow = true,
            Argument::Once => arguments.once = true,
            Argument::ResumeToken => arguments.resume_token = true,
            Argument::Task(task) => arguments.task = Some(task),
            Argument::Runtime(path) => arguments.runtime = Some(path),
            Argument::Accepts(accepts) => arguments.accepts.extend(accepts),
            Argument::Asks(names) => arguments.asks.extend(strings(names)),
            Argument::Plain(names) => arguments.plain.extend(strings(names)),
        }
    }
    if let Some(both) = arguments.asks.intersection(&arguments.plain).min() {
        errors.refuse(
            attribute,
            &format!("`{both}` is said to ask, and never to ask"),
            "a call is left as it is, or it is one that may suspend",
            "`asks(..)` for a function or a method of your own that asks, also where it has the name of an ask (`desk.elicit(..)`); `plain(..)` for one that never asks",
        );
    }
    errors.finish().map(|()| arguments)
}

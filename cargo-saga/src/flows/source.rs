//! Saga functions as the text of the source shows them.

use std::{collections::BTreeMap, rc::Rc};

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::punctuated::Punctuated;

use super::{Flow, Text};
use crate::{
    report::{Finding, Severity},
    source::{CrateId, Function, Hidden, Index},
};

/// What of a crate's text is about saga functions.
pub(super) struct Seen<'a> {
    pub(super) functions: Vec<Marked<'a>>,
    /// Macros in which the attribute stands.
    hidden: Vec<&'a Hidden>,
}

/// A function below the attribute.
pub(super) struct Marked<'a> {
    index: &'a Index,
    pub(super) function: &'a Function,
    attribute: &'a syn::Attribute,
}

impl<'a> Seen<'a> {
    pub(super) fn of(index: &'a Index, id: CrateId) -> Self {
        let functions = index.functions.iter().filter_map(|function| {
            let attribute = function.attribute("saga")?;
            let is_here = index.module(function.module).of_crate == id;
            is_here.then_some(Marked {
                index,
                function,
                attribute,
            })
        });
        let hidden = index.hidden.iter().filter(|hidden| {
            index.module(hidden.module).of_crate == id && has_attribute(&hidden.tokens)
        });
        Self {
            functions: functions.collect(),
            hidden: hidden.collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.hidden.is_empty()
    }

    /// Says what only a compilation would show.
    pub(super) fn hidden(&self, problems: &mut Vec<Finding>) {
        problems.extend(self.hidden.iter().map(|hidden| {
            Finding::new(
                Severity::Warning,
                "undescribed",
                format!("saga functions in the macro `{}`", hidden.name),
            )
            .at(&hidden.file, hidden.range.clone(), "")
            .note("what a macro makes is known to rustc alone")
            .help("leave out `--no-compile`")
        }));
    }
}

impl Marked<'_> {
    /// The line of its name.
    pub(super) fn line(&self) -> usize {
        let start = self.function.name_range().start;
        self.function.file.position(start).0
    }

    /// Whether a condition leaves it to the tests of its crate, which are another build.
    pub(super) fn is_for_tests(&self) -> bool {
        let module = self.index.module(self.function.module);
        let mut conditions = module.cfg.iter().chain(&self.function.attrs);
        conditions.any(|attribute| {
            let condition = attribute.parse_args::<syn::Meta>();
            attribute.path().is_ident("cfg")
                && condition.is_ok_and(|condition| needs_test(&condition))
        })
    }

    pub(super) fn describe(&self) -> Result<saga_compiler::Function, syn::Error> {
        let words = match &self.attribute.meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        let function = self.function;
        let others = function.attrs.iter();
        let others = others.filter(|attribute| !std::ptr::eq(*attribute, self.attribute));
        let (vis, sig, block) = (&function.vis, &function.sig, &function.block);
        saga_compiler::describe(words, quote!(#(#others)* #vis #sig #block))
    }

    pub(super) fn flow(
        &self,
        package: &str,
        function: saga_compiler::Function,
        types: BTreeMap<usize, String>,
    ) -> Flow {
        let file = &self.function.file;
        let points = function.points.iter().map(|point| {
            let range = point.span.byte_range();
            // What was read elsewhere has no place in this file.
            let is_here = self.function.range.contains(&range.start) && !range.is_empty();
            match is_here {
                true => range,
                false => self.function.name_range(),
            }
        });
        Flow {
            package: package.to_owned(),
            path: self.index.path_of(self.function),
            file: file.path.clone(),
            line: self.line(),
            text: Some(Text {
                file: Rc::clone(file),
                name: self.function.name_range(),
                points: points.collect(),
            }),
            function,
            types,
        }
    }

    pub(super) fn problem(
        &self,
        severity: Severity,
        code: &'static str,
        message: &str,
        note: &str,
    ) -> Finding {
        let file = Rc::clone(&self.function.file);
        Finding::new(severity, code, message)
            .at(&file, self.function.name_range(), "")
            .note(note)
    }
}

/// `test`, or `all(test, ..)`
fn needs_test(condition: &syn::Meta) -> bool {
    match condition {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("all") => {
            let parser = Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
            let parts = list.parse_args_with(parser).unwrap_or_default();
            parts.iter().any(needs_test)
        }
        _ => false,
    }
}

/// `#[saga]`, or `#[path::saga(..)]`, anywhere in there.
fn has_attribute(tokens: &TokenStream) -> bool {
    let mut after_hash = false;
    for token in tokens.clone() {
        let group = match &token {
            TokenTree::Group(group) => group.stream(),
            _ => TokenStream::new(),
        };
        if after_hash && is_saga(&group) || has_attribute(&group) {
            return true;
        }
        after_hash = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
    }
    false
}

fn is_saga(attribute: &TokenStream) -> bool {
    let path = attribute.clone().into_iter();
    let words = path.take_while(|token| !matches!(token, TokenTree::Group(_)));
    let idents = words.filter_map(|token| match token {
        TokenTree::Ident(ident) => Some(ident),
        _ => None,
    });
    idents.last().is_some_and(|last| last == "saga")
}

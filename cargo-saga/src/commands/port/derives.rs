//! `#[derive(Serialize, Deserialize)]`, as a file would write it.

use std::collections::BTreeSet;

use super::{
    manifest::Needed,
    plan::{Derive, Edits},
};
use crate::source::{ModuleId, TypeItem, range_of};

impl Derive {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Clone => "Clone",
            Self::Serialize => "Serialize",
            Self::Deserialize => "Deserialize",
        }
    }
}

/// The attributes of a struct, an enum or a union.
pub(super) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        _ => &[],
    }
}

/// What a type derives, by the last segments.
pub(super) fn derived(item: &TypeItem) -> Vec<String> {
    let mut names = Vec::new();
    for attribute in attributes(&item.item)
        .iter()
        .filter(|attribute| attribute.path().is_ident("derive"))
    {
        // What does not parse is said by the compiler.
        let _ = attribute.parse_nested_meta(|meta| {
            names.extend(meta.path.segments.last().map(|last| last.ident.to_string()));
            Ok(())
        });
    }
    names
}

/// Adds what is lacking to the last `derive`, or one above the type.
pub(super) fn derive(edits: &mut Edits<'_>, item: &TypeItem, wanted: &BTreeSet<Derive>) {
    let known = derived(item);
    let lacking: Vec<_> = wanted
        .iter()
        .copied()
        .filter(|derive| !known.iter().any(|name| name == derive.name()))
        .collect();
    if lacking.is_empty() {
        return;
    }
    let names: Vec<_> = lacking
        .into_iter()
        .map(|derive| name(edits, item.module, derive))
        .collect();
    let names = names.join(", ");
    let attrs = attributes(&item.item);
    let last = attrs
        .iter()
        .rev()
        .find(|attribute| attribute.path().is_ident("derive"));
    if let Some(syn::Meta::List(list)) = last.map(|attribute| &attribute.meta) {
        let end = range_of(list).end - 1;
        let before = item.file.at(range_of(list));
        let open = before.trim_end_matches(')').trim_end();
        let text = match () {
            () if list.tokens.is_empty() => names,
            () if open.ends_with(',') => format!(" {names}"),
            () => format!(", {names}"),
        };
        // Behind the last name, also where the brackets are on lines of their own.
        let at = match list.tokens.is_empty() {
            true => end,
            false => range_of(&list.tokens).end,
        };
        return edits.put(&item.file, at..at, text);
    }
    let is_doc = |attribute: &&syn::Attribute| attribute.path().is_ident("doc");
    let first = attrs.iter().find(|attribute| !is_doc(attribute));
    let at = first.map_or_else(
        || after_docs(item, attrs),
        |attribute| range_of(attribute).start,
    );
    let text = format!("#[derive({names})]{}", item.file.gap(at));
    edits.put(&item.file, at..at, text);
}

/// Where the type's own first word is.
fn after_docs(item: &TypeItem, attrs: &[syn::Attribute]) -> usize {
    let start = attrs
        .last()
        .map_or(item.range.start, |last| range_of(last).end);
    let rest = item.file.at(start..item.range.end);
    let space = rest.len() - rest.trim_start().len();
    start + space
}

/// `Serialize` where the module knows serde's names, else `serde::Serialize`.
fn name(edits: &mut Edits<'_>, module: ModuleId, derive: Derive) -> String {
    let name = derive.name();
    if derive == Derive::Clone {
        return name.to_owned();
    }
    let serde = edits.dependency(module, "serde", Needed::Serde);
    let is_serde = |path: Option<&[String]>| path.is_some_and(|path| path.first() == Some(&serde));
    let names = &edits.graph.names;
    let (own, other) = match derive {
        Derive::Serialize => (
            names.import(module, name),
            names.import(module, "Deserialize"),
        ),
        _ => (
            names.import(module, name),
            names.import(module, "Serialize"),
        ),
    };
    match () {
        () if is_serde(own) => name.to_owned(),
        () if own.is_none() && is_serde(other) && import_beside(edits, module, &serde, derive) => {
            name.to_owned()
        }
        () => format!("{serde}::{name}"),
    }
}

/// `use serde::Deserialize;` becomes `use serde::{Deserialize, Serialize};`.
fn import_beside(edits: &mut Edits<'_>, module: ModuleId, serde: &str, derive: Derive) -> bool {
    let other = match derive {
        Derive::Serialize => "Deserialize",
        _ => "Serialize",
    };
    let module = edits.graph.index.module(module);
    let Some(file) = &module.file else {
        return false;
    };
    for item in &module.uses {
        let syn::UseTree::Path(path) = &item.tree else {
            continue;
        };
        if path.ident != serde || !item.attrs.is_empty() {
            continue;
        }
        let found = match &*path.tree {
            syn::UseTree::Name(name) if name.ident == other => Some((name, false)),
            syn::UseTree::Group(group) => group.items.iter().find_map(|tree| match tree {
                syn::UseTree::Name(name) if name.ident == other => Some((name, true)),
                _ => None,
            }),
            _ => None,
        };
        if let Some((name, in_group)) = found {
            let both = match in_group {
                true => "Deserialize, Serialize",
                false => "{Deserialize, Serialize}",
            };
            edits.put(file, range_of(name), both.to_owned());
            return true;
        }
    }
    false
}

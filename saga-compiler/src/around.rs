//! What stands around a macro in its file, which no macro is given: for mistakes that rustc tells of from afar, in its own words.
//!
//! Only a message may depend on it, never what is made: a file cannot always be read, and what is read is text, whose names are not
//! resolved. So each of these says that there is a mistake only where rustc would refuse the text as well.

extern crate proc_macro;

use proc_macro2::Span;
use syn::{Attribute, File, ItemFn, ItemMacro, UseName, UseRename, ext::IdentExt, visit::Visit};

/// The text of a token's file.
fn file(span: Span) -> Option<String> {
    let path = proc_macro::is_available().then(|| span.unwrap().local_file())?;
    std::fs::read_to_string(path?).ok()
}

/// Whether the item of this name also derives `trait_`.
pub(crate) fn derives(name: &proc_macro2::Ident, trait_: &str) -> bool {
    let before = file(name.span()).and_then(|mut text| {
        let span = name.span().unwrap();
        let lines = text.split_inclusive('\n').take(span.line().checked_sub(1)?);
        let line: usize = lines.map(str::len).sum();
        let column = span.column().checked_sub(1)?;
        text.get(..line + column)?;
        text.truncate(line + column);
        Some(text)
    });
    before.is_some_and(|before| derived_before(&before, trait_))
}

/// Whether the attributes at the end of a text derive `trait_`.
fn derived_before(text: &str, trait_: &str) -> bool {
    if !text.contains(trait_) {
        return false;
    }
    let from = text.rfind(['}', ';']).map_or(0, |end| end + 1);
    let attributes: String = text[from..]
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let mut derives = attributes.split("#[derive(").skip(1);
    derives.any(|derived| {
        let names = derived.split(')').next().unwrap_or_default().split(',');
        names
            .filter_map(|path| path.rsplit("::").next())
            .any(|name| name.trim() == trait_)
    })
}

/// Whether the file of a name has a function of this name, and none with an attribute that may be `#[attribute]`, nor anything
/// else that may be meant by the name.
pub(crate) fn has_without(name: &proc_macro2::Ident, attribute: &str) -> bool {
    let named = name.unraw().to_string();
    file(name.span())
        // To parse a whole file takes its time, and almost every function has its attribute.
        .filter(|text| !seems_marked(text, &named, attribute))
        .and_then(|text| syn::parse_file(&text).ok())
        .is_some_and(|file| stands_without(&file, &named, attribute))
}

/// Whether the attribute's name stands before a function of this name.
fn seems_marked(text: &str, name: &str, attribute: &str) -> bool {
    let declared = format!("fn {name}");
    text.match_indices(&declared).any(|(at, _)| {
        let before = &text[..at];
        let from = before.rfind(['}', ';']).map_or(0, |end| end + 1);
        before[from..].contains(attribute)
    })
}

fn stands_without(file: &File, name: &str, attribute: &str) -> bool {
    let mut found = Found {
        name,
        attribute,
        functions: 0,
        unclear: false,
    };
    found.visit_file(file);
    found.functions > 0 && !found.unclear
}

/// What a file has of a name.
struct Found<'n> {
    name: &'n str,
    attribute: &'n str,
    functions: usize,
    unclear: bool,
}

impl Visit<'_> for Found<'_> {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        if function.sig.ident.unraw() == self.name {
            self.functions += 1;
            self.unclear |= function
                .attrs
                .iter()
                .any(|attribute| may_be(attribute, self.attribute));
        }
        syn::visit::visit_item_fn(self, function);
    }

    fn visit_use_name(&mut self, name: &UseName) {
        self.unclear |= name.ident.unraw() == self.name;
    }

    fn visit_use_rename(&mut self, name: &UseRename) {
        self.unclear |= name.rename.unraw() == self.name;
    }

    fn visit_item_macro(&mut self, item: &ItemMacro) {
        // It may declare the function that is meant, and its name need not be told.
        let mut declares_none = ["macro_rules", "thread_local"].iter();
        self.unclear |= !declares_none.any(|name| item.mac.path.is_ident(name));
    }
}

/// Whether an attribute is, or may become, the one of this name: those of the language and of Saga do not.
fn may_be(attribute: &Attribute, name: &str) -> bool {
    const OTHERS: &[&str] = &[
        "saga",
        "doc",
        "allow",
        "expect",
        "warn",
        "deny",
        "forbid",
        "deprecated",
        "must_use",
        "inline",
        "cold",
        "tool",
        "prompt",
        "resource",
    ];
    let path = attribute.path().segments.last();
    path.is_some_and(|last| last.ident == name || !OTHERS.iter().any(|other| last.ident == other))
}

#[cfg(test)]
mod tests {
    use super::{derived_before, stands_without};

    #[test]
    fn a_derive_is_seen_where_it_is_one_of_the_item() {
        let derived = |text| derived_before(text, "JsonSchema");
        assert!(derived("#[derive(Elicit, JsonSchema)]\nstruct "));
        assert!(derived(
            "}\n#[derive(Elicit)]\n/// A form.\n#[derive(\n    schemars::JsonSchema,\n)]\npub struct "
        ));
        assert!(!derived(
            "#[derive(JsonSchema)]\nstruct Other;\n#[derive(Elicit)]\nstruct "
        ));
        assert!(!derived("#[derive(JsonSchema)]\nstruct Other {}\nstruct "));
        assert!(!derived(
            "/// No JsonSchema.\n// #[derive(JsonSchema)]\n#[derive(Elicit)]\nstruct "
        ));
        assert!(!derived("#[derive(MyJsonSchema)]\nstruct "));
    }

    #[test]
    fn a_function_without_its_attribute_is_seen_where_nothing_else_can_be_meant() {
        let without = |text: &str| {
            let file = syn::parse_file(text).unwrap_or_else(|error| unreachable!("{error}"));
            stands_without(&file, "lend", "tool")
        };
        assert!(without("#[saga]\n/// Lends.\nasync fn lend() {}"));
        assert!(without("#[prompt]\nasync fn lend() {}"));
        assert!(!without("#[rmcp::tool]\nasync fn lend() {}"));
        assert!(!without("#[my::tool_like]\nasync fn lend() {}"));
        assert!(!without(
            "fn lend() {}\nmod ops { #[tool] async fn lend() {} }"
        ));
        assert!(!without(
            "fn lend() {}\nfn main() { #[tool] async fn lend() {} }"
        ));
        assert!(!without("fn lend() {}\nmod ops { use other::lend; }"));
        assert!(!without(
            "fn lend() {}\nmod ops { use other::{give as lend}; }"
        ));
        assert!(!without("fn lend() {}\nmod ops { tools!(); }"));
        assert!(without("macro_rules! tools { () => {} }\nfn lend() {}"));
        assert!(super::seems_marked(
            "fn a() {}\n#[tool(description = \"b\")]\nasync fn lend() {}",
            "lend",
            "tool"
        ));
        assert!(!super::seems_marked(
            "#[tool]\nfn a() {}\nasync fn lend() {}",
            "lend",
            "tool"
        ));
        assert!(!without("impl Desk { fn lend() {} }"));
    }
}

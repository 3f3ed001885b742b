//! What the attributes of a form say: our own, serde's and schemars'.

use quote::ToTokens;
use syn::{
    Attribute, Expr, Lit, LitStr, Meta, Token, meta::ParseNestedMeta, parse::ParseStream,
    spanned::Spanned,
};

use super::case::Case;

/// What is said of a struct, an enum, a field or a variant.
#[derive(Default)]
pub(super) struct Words {
    pub(super) doc: Option<String>,
    pub(super) title: Option<LitStr>,
    pub(super) description: Option<LitStr>,
    pub(super) default: Option<Expr>,
    pub(super) min: Option<Expr>,
    pub(super) max: Option<Expr>,
    pub(super) min_length: Option<Expr>,
    pub(super) max_length: Option<Expr>,
    pub(super) min_items: Option<Expr>,
    pub(super) max_items: Option<Expr>,
    pub(super) format: Option<LitStr>,
    pub(super) pattern: Option<LitStr>,
    pub(super) rename: Option<LitStr>,
    pub(super) rename_all: Option<LitStr>,
    /// serde has a value where the field is missing.
    pub(super) may_be_missing: bool,
    pub(super) skip: bool,
    /// `min_length` and `max_length` are of `#[schemars(length(..))]`, which lists have too.
    pub(super) size: bool,
    /// Words of schemars that a form's schema cannot say.
    pub(super) unsayable: Vec<syn::Path>,
    /// Words of serde that change the shape.
    pub(super) reshaped: Vec<syn::Path>,
    /// Words of serde by which there is another name beside the one in the schema.
    pub(super) other_names: Vec<syn::Path>,
}

impl Words {
    pub(super) fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut words = Self::default();
        for attribute in attributes {
            let path = attribute.path();
            if path.is_ident("doc") {
                words.doc_line(&attribute.meta);
            } else if path.is_ident("elicit") {
                attribute.parse_nested_meta(|meta| words.own(&meta))?;
            } else if path.is_ident("serde") {
                attribute.parse_nested_meta(|meta| words.of_serde(&meta))?;
            } else if path.is_ident("schemars") {
                attribute.parse_nested_meta(|meta| words.of_schemars(&meta))?;
            }
        }
        Ok(words)
    }

    /// The rule for the names in it.
    pub(super) fn case(&self) -> syn::Result<Option<Case>> {
        let Some(rule) = &self.rename_all else {
            return Ok(None);
        };
        let unknown = || {
            let why = "a case that serde does not have\n  = why: the names in the form are those that serde reads\n  = instead: `camelCase`, `snake_case`, `kebab-case`, …, as in serde's documentation";
            syn::Error::new(rule.span(), why)
        };
        Case::of(&rule.value()).ok_or_else(unknown).map(Some)
    }

    /// The name of what has these words: what was said, or its own by the rule of the whole.
    pub(super) fn name_of(
        &self,
        ident: Option<&syn::Ident>,
        by_rule: impl FnOnce(&str) -> String,
    ) -> String {
        let own = ident.map(ToString::to_string).unwrap_or_default();
        let own = own.trim_start_matches("r#");
        let said = self.rename.as_ref();
        said.map_or_else(|| by_rule(own), LitStr::value)
    }

    /// The description: what was said, or the doc comment.
    pub(super) fn text(&self) -> Option<String> {
        let said = self.description.as_ref().map(LitStr::value);
        said.or_else(|| self.doc.clone())
    }

    /// What is said here and means something on a field only.
    pub(super) fn of_a_field(&self) -> Vec<&dyn ToTokens> {
        let values = [
            &self.default,
            &self.min,
            &self.max,
            &self.min_length,
            &self.max_length,
            &self.min_items,
            &self.max_items,
        ];
        let values = values.into_iter().flatten();
        let texts = [&self.format, &self.pattern].into_iter().flatten();
        let texts = texts.map(|text| text as &dyn ToTokens);
        values
            .map(|value| value as &dyn ToTokens)
            .chain(texts)
            .collect()
    }

    fn doc_line(&mut self, meta: &Meta) {
        let Meta::NameValue(pair) = meta else { return };
        let Expr::Lit(literal) = &pair.value else {
            return;
        };
        let Lit::Str(line) = &literal.lit else { return };
        let line = line.value();
        let line = line.trim();
        match &mut self.doc {
            None => self.doc = Some(line.to_owned()),
            // A paragraph is one line for a client.
            Some(doc) if line.is_empty() => doc.push('\n'),
            Some(doc) => {
                let glue = if doc.ends_with('\n') { "" } else { " " };
                doc.push_str(glue);
                doc.push_str(line);
            }
        }
    }

    fn own(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string);
        match name.as_deref() {
            Some("title") => self.title = Some(meta.value()?.parse()?),
            Some("description") => self.description = Some(meta.value()?.parse()?),
            Some("format") => self.format = Some(meta.value()?.parse()?),
            Some("pattern") => self.pattern = Some(meta.value()?.parse()?),
            Some("default") => self.default = Some(meta.value()?.parse()?),
            Some("min") => self.min = Some(meta.value()?.parse()?),
            Some("max") => self.max = Some(meta.value()?.parse()?),
            Some("min_length") => self.min_length = Some(meta.value()?.parse()?),
            Some("max_length") => self.max_length = Some(meta.value()?.parse()?),
            Some("min_items") => self.min_items = Some(meta.value()?.parse()?),
            Some("max_items") => self.max_items = Some(meta.value()?.parse()?),
            _ => {
                return Err(meta.error(
                    "`#[elicit(..)]` does not know this word\n  = why: it says what is asked for in a field\n  = instead: `title`, `description`, `default`, `min`, `max`, `min_length`, `max_length`, `format`, `pattern`, `min_items`, `max_items`",
                ));
            }
        }
        Ok(())
    }

    fn of_serde(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string);
        match name.as_deref() {
            Some("rename") => {
                for name in for_reading(meta)? {
                    if self.rename.replace(name).is_some() {
                        self.other_names.push(meta.path.clone());
                    }
                }
            }
            Some("rename_all") => {
                self.rename_all = for_reading(meta)?.pop().or(self.rename_all.take());
            }
            Some("alias") => {
                self.other_names.push(meta.path.clone());
                rest(meta)?;
            }
            Some("default") => {
                self.may_be_missing = true;
                rest(meta)?;
            }
            Some("skip" | "skip_deserializing") => self.skip = true,
            // Of what is written, of the text of an error, of bounds: not of what is read.
            Some(
                "bound"
                | "borrow"
                | "crate"
                | "deny_unknown_fields"
                | "expecting"
                | "getter"
                | "into"
                | "rename_all_fields"
                | "serialize_with"
                | "skip_serializing"
                | "skip_serializing_if",
            ) => rest(meta)?,
            _ => {
                self.reshaped.push(meta.path.clone());
                rest(meta)?;
            }
        }
        Ok(())
    }

    fn of_schemars(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string);
        let named = |format: &str| Some(LitStr::new(format, meta.path.span()));
        match name.as_deref() {
            Some("title") => self.title = text(meta)?.or(self.title.take()),
            Some("description") => self.description = text(meta)?.or(self.description.take()),
            Some("email") => self.format = named("email"),
            Some("url") => self.format = named("uri"),
            Some("range") => {
                let (min, max) = bounds(meta)?;
                self.min = min.or(self.min.take());
                self.max = max.or(self.max.take());
            }
            Some("length") => {
                let (min, max) = bounds(meta)?;
                self.size = true;
                self.min_length = min.or(self.min_length.take());
                self.max_length = max.or(self.max_length.take());
            }
            Some("regex" | "pattern" | "contains" | "inner" | "schema_with" | "with") => {
                self.unsayable.push(meta.path.clone());
                rest(meta)?;
            }
            _ => rest(meta)?,
        }
        Ok(())
    }
}

/// `rename = ".."`, or the `deserialize` of `rename(serialize = "..", deserialize = "..")`.
fn for_reading(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<LitStr>> {
    if meta.input.peek(Token![=]) {
        return Ok(vec![meta.value()?.parse()?]);
    }
    let mut names = Vec::new();
    meta.parse_nested_meta(|inner| {
        let value: LitStr = inner.value()?.parse()?;
        if inner.path.is_ident("deserialize") {
            names.push(value);
        }
        Ok(())
    })?;
    Ok(names)
}

/// A literal; schemars takes any expression, and what is none cannot be looked at here.
fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<LitStr>> {
    let value: Expr = meta.value()?.parse()?;
    Ok(match value {
        Expr::Lit(syn::ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text),
        _ => None,
    })
}

/// `(min = .., max = ..)`, `(equal = ..)`.
fn bounds(meta: &ParseNestedMeta<'_>) -> syn::Result<(Option<Expr>, Option<Expr>)> {
    let (mut min, mut max) = (None, None);
    meta.parse_nested_meta(|inner| {
        let value: Expr = inner.value()?.parse()?;
        if inner.path.is_ident("min") {
            min = Some(value);
        } else if inner.path.is_ident("max") {
            max = Some(value);
        } else if inner.path.is_ident("equal") {
            min = Some(value.clone());
            max = Some(value);
        }
        Ok(())
    })?;
    Ok((min, max))
}

/// What follows a word that does not matter here.
fn rest(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inner;
        syn::parenthesized!(inner in meta.input);
        let all: ParseStream<'_> = &inner;
        all.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}

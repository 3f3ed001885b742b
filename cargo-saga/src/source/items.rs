//! Functions, types and macros of a module.

use std::{ops::Range, rc::Rc};

use syn::{spanned::Spanned, visit::Visit};

use super::{File, Index, ModuleId, file::range_of};

/// A function that has a body, or one of a trait that has none.
pub(crate) struct Function {
    pub(crate) module: ModuleId,
    /// The block that it stands in, or else the module: where its names are looked up.
    pub(crate) scope: ModuleId,
    pub(crate) file: Rc<File>,
    /// The `impl` or `trait` that it is in.
    pub(crate) owner: Option<Rc<Owner>>,
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) sig: syn::Signature,
    pub(crate) block: Option<syn::Block>,
    /// From its first attribute, doc comments included, to its end.
    pub(crate) range: Range<usize>,
}

/// An `impl` or a `trait` with functions in it.
pub(crate) struct Owner {
    /// Of a trait its own name.
    pub(crate) self_type: syn::Type,
    /// The trait that is implemented, or that this is.
    pub(crate) of_trait: Option<syn::Path>,
    pub(crate) is_trait: bool,
    /// The type parameters of the `impl`.
    pub(crate) params: Vec<syn::Ident>,
}

/// An `impl`.
pub(crate) struct Impl {
    /// The block that it stands in, or else the module.
    pub(crate) scope: ModuleId,
    pub(crate) owner: Rc<Owner>,
}

/// A struct, an enum or a union.
pub(crate) struct TypeItem {
    pub(crate) module: ModuleId,
    /// The block that it stands in, or else the module.
    pub(crate) scope: ModuleId,
    pub(crate) file: Rc<File>,
    pub(crate) item: syn::Item,
    pub(crate) name: syn::Ident,
    /// From its first attribute, doc comments included, to its end.
    pub(crate) range: Range<usize>,
}

/// `type NAME<PARAMS> = TYPE;`
pub(crate) struct Alias {
    /// The block that it stands in, or else the module.
    pub(crate) scope: ModuleId,
    pub(crate) name: String,
    pub(crate) params: Vec<syn::TypeParam>,
    pub(crate) of: syn::Type,
}

/// Text in which functions cannot be seen: the arguments of a macro that stands for items, or a macro's definition.
pub(crate) struct Hidden {
    pub(crate) module: ModuleId,
    pub(crate) file: Rc<File>,
    /// The macro that is called, or defined.
    pub(crate) name: String,
    pub(crate) tokens: proc_macro2::TokenStream,
    pub(crate) range: Range<usize>,
}

impl Function {
    /// The attribute whose path ends in `name`.
    pub(crate) fn attribute(&self, name: &str) -> Option<&syn::Attribute> {
        let is_named = |attribute: &&syn::Attribute| ends_in(attribute.path(), name);
        self.attrs.iter().find(is_named)
    }

    /// Whether a word of its `#[saga]` names `function`.
    pub(crate) fn says(&self, function: &str) -> bool {
        let said = self
            .attribute("saga")
            .map(|saga| quote::quote!(#saga).to_string());
        let said = said.unwrap_or_default();
        said.split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| word == function)
    }

    /// From its first word (`pub`, `async`, `fn`, …) to the end: what attributes are put before.
    pub(crate) fn code(&self) -> Range<usize> {
        let vis = range_of(&self.vis);
        let start = match vis.is_empty() {
            true => range_of(&self.sig).start,
            false => vis.start,
        };
        start..self.range.end
    }

    /// Where its name is.
    pub(crate) fn name_range(&self) -> Range<usize> {
        self.sig.ident.span().byte_range()
    }

    /// What the compiler makes of it, where it has `#[saga]`; `None` where that is refused or stands under a condition.
    pub(crate) fn described(&self) -> Option<saga_compiler::Function> {
        let saga = self.attribute("saga")?;
        let words = match &saga.meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => proc_macro2::TokenStream::new(),
        };
        let others = self
            .attrs
            .iter()
            .filter(|attribute| !ends_in(attribute.path(), "saga"));
        let (vis, sig, block) = (&self.vis, &self.sig, self.block.as_ref()?);
        saga_compiler::describe(words, quote::quote!(#(#others)* #vis #sig #block)).ok()
    }
}

impl Owner {
    /// The name of its type: `Storage` of `impl Handler for Storage<T>`.
    pub(crate) fn name(&self) -> String {
        let mut ty = &self.self_type;
        loop {
            ty = match ty {
                syn::Type::Reference(reference) => &reference.elem,
                syn::Type::Paren(paren) => &paren.elem,
                syn::Type::Group(group) => &group.elem,
                syn::Type::Path(path) => {
                    let last = path.path.segments.last();
                    return last.map_or_else(String::new, |last| last.ident.to_string());
                }
                other => return quote::quote!(#other).to_string(),
            }
        }
    }
}

/// Whether the last segment of `path` is `name`.
pub(crate) fn ends_in(path: &syn::Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}

/// Reads the items of a module into an index; modules in it are left to who follows them.
pub(super) struct Collector<'a> {
    index: &'a mut Index,
    module: ModuleId,
    /// The block around, or the module.
    scope: ModuleId,
    file: &'a Rc<File>,
    owner: Option<Rc<Owner>>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(index: &'a mut Index, module: ModuleId, file: &'a Rc<File>) -> Self {
        Self {
            index,
            module,
            scope: module,
            file,
            owner: None,
        }
    }

    fn function(
        &mut self,
        (attrs, vis, sig): (&[syn::Attribute], &syn::Visibility, &syn::Signature),
        block: Option<&syn::Block>,
        range: Range<usize>,
    ) {
        self.index.functions.push(Function {
            module: self.module,
            scope: self.scope,
            file: Rc::clone(self.file),
            owner: self.owner.clone(),
            attrs: attrs.to_vec(),
            vis: vis.clone(),
            sig: sig.clone(),
            block: block.cloned(),
            range,
        });
        if let Some(block) = block {
            let owner = self.owner.take();
            self.visit_block(block);
            self.owner = owner;
        }
    }

    fn type_item(&mut self, item: syn::Item, name: &syn::Ident, range: Range<usize>) {
        self.declare(name);
        self.index.types.push(TypeItem {
            module: self.module,
            scope: self.scope,
            file: Rc::clone(self.file),
            item,
            name: name.clone(),
            range,
        });
    }

    fn declare(&mut self, name: &syn::Ident) {
        let name = name.to_string();
        self.index.declared.insert((self.scope, name));
    }

    fn hidden(&mut self, name: String, invocation: &syn::Macro, range: Range<usize>) {
        self.index.hidden.push(Hidden {
            module: self.module,
            file: Rc::clone(self.file),
            name,
            tokens: invocation.tokens.clone(),
            range,
        });
    }

    fn owned(&mut self, owner: Rc<Owner>, visit: impl FnOnce(&mut Self)) {
        let outer = self.owner.replace(owner);
        visit(self);
        self.owner = outer;
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let head = (&item.attrs[..], &item.vis, &item.sig);
        self.function(head, Some(&item.block), range_of(item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let head = (&item.attrs[..], &item.vis, &item.sig);
        self.function(head, Some(&item.block), range_of(item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        let head = (&item.attrs[..], &syn::Visibility::Inherited, &item.sig);
        self.function(head, item.default.as_ref(), range_of(item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let params = item.generics.type_params();
        let owner = Rc::new(Owner {
            self_type: (*item.self_ty).clone(),
            of_trait: item.trait_.as_ref().map(|(of, _)| of.clone()),
            is_trait: false,
            params: params.map(|param| param.ident.clone()).collect(),
        });
        self.index.impls.push(Impl {
            scope: self.scope,
            owner: Rc::clone(&owner),
        });
        self.owned(owner, |this| syn::visit::visit_item_impl(this, item));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let name = &item.ident;
        self.declare(name);
        let owner = Rc::new(Owner {
            self_type: syn::parse_quote!(#name),
            of_trait: Some(syn::Path::from(name.clone())),
            is_trait: true,
            params: Vec::new(),
        });
        self.owned(owner, |this| syn::visit::visit_item_trait(this, item));
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.type_item(syn::Item::Struct(item.clone()), &item.ident, range_of(item));
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.type_item(syn::Item::Enum(item.clone()), &item.ident, range_of(item));
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.type_item(syn::Item::Union(item.clone()), &item.ident, range_of(item));
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        let params = item.generics.type_params();
        self.index.aliases.push(Alias {
            scope: self.scope,
            name: item.ident.to_string(),
            params: params.cloned().collect(),
            of: (*item.ty).clone(),
        });
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        let called = item.mac.path.segments.last();
        let name = item.ident.as_ref().or(called.map(|last| &last.ident));
        let name = name.map_or_else(String::new, ToString::to_string);
        self.hidden(name, &item.mac, range_of(item));
    }

    fn visit_impl_item_macro(&mut self, item: &'ast syn::ImplItemMacro) {
        let name = item.mac.path.segments.last();
        let name = name.map_or_else(String::new, |last| last.ident.to_string());
        self.hidden(name, &item.mac, item.span().byte_range());
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.index
            .read_in_body(self.module, self.scope, self.file, item);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let block_scope = self.index.push_block(self.module, self.scope, block);
        let outer = std::mem::replace(&mut self.scope, block_scope);
        syn::visit::visit_block(self, block);
        self.scope = outer;
    }
}

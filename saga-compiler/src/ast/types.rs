//! Types, as they are written.

use syn::Type;

/// Whether something in a type is there for good: `Vec<(&'static str, u32)>`.
pub(crate) fn is_static(ty: &Type) -> bool {
    struct Static(bool);
    impl<'ast> syn::visit::Visit<'ast> for Static {
        fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
            self.0 |= lifetime.ident == "static";
        }
    }
    let mut found = Static(false);
    syn::visit::Visit::visit_type(&mut found, ty);
    found.0 && !matches!(ty, Type::Reference(_))
}

/// The same where all of it is of std: `Vec<&'static str>`. What it is made of has serde.
pub(crate) fn is_static_of_std(ty: &Type) -> bool {
    const OF_STD: &[&str] = &[
        "Vec", "VecDeque", "Option", "Box", "BTreeMap", "BTreeSet", "HashMap", "HashSet", "String",
        "str", "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32",
        "i64", "i128", "isize", "f32", "f64",
    ];
    struct OfStd(bool);
    impl<'ast> syn::visit::Visit<'ast> for OfStd {
        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            self.0 &= OF_STD.iter().any(|name| segment.ident == name);
            syn::visit::visit_path_segment(self, segment);
        }
    }
    let mut all = OfStd(true);
    syn::visit::Visit::visit_type(&mut all, ty);
    all.0 && is_static(ty)
}

/// Whether a type says a lifetime that ends, or leaves one out.
pub(crate) fn is_lent(ty: &Type) -> bool {
    struct Lifetimes(bool);
    impl<'ast> syn::visit::Visit<'ast> for Lifetimes {
        fn visit_type_reference(&mut self, lent: &'ast syn::TypeReference) {
            self.0 |= lent.lifetime.is_none();
            syn::visit::visit_type_reference(self, lent);
        }

        fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
    }
    let mut found = Lifetimes(false);
    syn::visit::Visit::visit_type(&mut found, ty);
    found.0
}

/// Whether a function returns texts that are there for good, and nothing that is lent.
pub(crate) fn gives_for_good(output: &syn::ReturnType) -> bool {
    matches!(output, syn::ReturnType::Type(_, ty) if says_for_good(ty)) && !returns_lent(output)
}

/// Whether a type has something in it that is there for good: `Option<&'static str>`. Bytes are read in another way than texts.
pub(crate) fn says_for_good(ty: &Type) -> bool {
    #[derive(Default)]
    struct ForGood {
        lasts: bool,
        bytes: bool,
    }
    impl<'ast> syn::visit::Visit<'ast> for ForGood {
        fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
            self.lasts |= lifetime.ident == "static";
        }

        fn visit_type_slice(&mut self, slice: &'ast syn::TypeSlice) {
            self.bytes |= ends_in(&slice.elem, "u8");
            syn::visit::visit_type_slice(self, slice);
        }
    }
    let mut found = ForGood::default();
    syn::visit::Visit::visit_type(&mut found, ty);
    found.lasts && !found.bytes
}

/// A `&mut` to what references of a caller's may be put in: `&mut Vec<&'a str>`.
pub(crate) fn takes_references(ty: &Type) -> bool {
    matches!(ty, Type::Reference(lent) if lent.mutability.is_some() && is_lent(&lent.elem))
}

/// Whether a function returns a reference, or what has one in it.
pub(crate) fn returns_lent(output: &syn::ReturnType) -> bool {
    matches!(output, syn::ReturnType::Type(_, ty) if is_lent(ty))
}

/// `RequestContext<RoleServer>`, `Peer<RoleServer>`, a reference to or an `Option` of either.
pub(crate) fn is_handle_type(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_handle_type(&reference.elem),
        Type::Paren(paren) => is_handle_type(&paren.elem),
        Type::Group(group) => is_handle_type(&group.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            if last.ident == "ClientSink" || (last.ident == "Cx" && last.arguments.is_empty()) {
                return true;
            }
            let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return false;
            };
            let mut types = arguments.args.iter().filter_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            match last.ident.to_string().as_str() {
                "RequestContext" | "Peer" => types.any(|ty| {
                    matches!(ty, Type::Path(role) if role.path.segments.last().is_some_and(|role| role.ident == "RoleServer"))
                }),
                "Option" | "Arc" => types.any(is_handle_type),
                _ => false,
            }
        }),
        _ => false,
    }
}

/// Whether a type may be the handle's by another name.
pub(crate) fn may_be_handle_type(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => may_be_handle_type(&reference.elem),
        Type::Paren(paren) => may_be_handle_type(&paren.elem),
        Type::Group(group) => may_be_handle_type(&group.elem),
        Type::Path(_) => may_be_unique(ty) && !is_argument_type(ty) && !ends_in(ty, "str"),
        _ => false,
    }
}

pub(crate) fn ends_in(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// What an `Option` is of.
pub(crate) fn option_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(ty) if last.ident == "Option" => Some(ty),
        _ => None,
    }
}

/// Whether a type is a reference, or an `Option` of one: it can be handed out again and again.
pub(crate) fn is_shared_reference(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Paren(paren) => is_shared_reference(&paren.elem),
        Type::Group(group) => is_shared_reference(&group.elem),
        Type::Path(_) => option_of(ty).is_some_and(is_shared_reference),
        _ => false,
    }
}

/// `&mut T`.
pub(crate) fn is_unique_reference(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if reference.mutability.is_some())
}

/// Types that nobody gives to something else as another name.
const OWNED: &[&str] = &[
    "bool",
    "char",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "String",
    "Vec",
    "Parameters",
];

/// `&mut T`, and what may be one by another name or for a type parameter.
pub(crate) fn may_be_unique(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => {
            let last = path.path.segments.last();
            !last.is_some_and(|last| OWNED.iter().any(|name| last.ident == name))
        }
        // What a block captures may have any type.
        Type::Macro(_) | Type::Infer(_) => true,
        ty => is_unique_reference(ty),
    }
}

/// Whether there may be a `&mut` in a value, by way of which something else is changed: `(&mut Vec<i64>, usize)`, `Desk<'_>`.
pub(crate) fn may_lend_to_change(ty: &Type) -> bool {
    match ty {
        Type::Infer(_) => true,
        Type::Reference(reference) => reference.mutability.is_some(),
        Type::Paren(paren) => may_lend_to_change(&paren.elem),
        Type::Group(group) => may_lend_to_change(&group.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(may_lend_to_change),
        Type::Array(array) => may_lend_to_change(&array.elem),
        // What it stands for is written at the `impl`.
        Type::Path(path) if path.path.is_ident("Self") => true,
        // What it lends, it lends to be looked at.
        Type::Path(path) if ends_in(ty, "Cow") && has_types(path) => false,
        Type::Path(path) => {
            let last = path.path.segments.last().map(|last| &last.arguments);
            let Some(syn::PathArguments::AngleBracketed(arguments)) = last else {
                return false;
            };
            arguments.args.iter().any(|argument| match argument {
                syn::GenericArgument::Lifetime(lifetime) => lifetime.ident != "static",
                syn::GenericArgument::Type(ty) => may_lend_to_change(ty),
                _ => false,
            })
        }
        _ => false,
    }
}

/// Whether a type is given others, as std's `Cow` is.
fn has_types(path: &syn::TypePath) -> bool {
    let last = path.path.segments.last().map(|last| &last.arguments);
    let Some(syn::PathArguments::AngleBracketed(arguments)) = last else {
        return false;
    };
    let mut arguments = arguments.args.iter();
    arguments.any(|argument| matches!(argument, syn::GenericArgument::Type(_)))
}

/// `Parameters<T>` or `JsonObject`: what rmcp makes from the call's arguments.
pub(crate) fn is_argument_type(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| {
        last.ident == "Parameters" || last.ident == "JsonObject"
    }))
}

/// The handle by value.
pub(crate) fn is_owned_handle(ty: &Type) -> bool {
    is_handle_type(ty) && matches!(ty, Type::Path(_))
}

/// `Cx`, or a reference to it.
pub(crate) fn is_cx_type(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(reference) => is_cx_type(&reference.elem),
        syn::Type::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == "Cx" && last.arguments.is_empty())
        }
        _ => false,
    }
}

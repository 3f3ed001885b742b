//! Names that stand for something else inside of a piece of code, by what is declared there in other ways than by a pattern.

use std::collections::HashSet;

use syn::{Expr, Item, Macro, UseTree, visit::Visit};

use super::{macros::is_known, tokens::token_names};

/// Names that items and imports declare in blocks of `expr`, and those that a macro of somebody's own may: as a statement, and in
/// a pattern. An import of everything may declare any name.
pub(crate) struct Declared {
    names: HashSet<String>,
    any: bool,
}

impl Declared {
    pub(crate) fn in_expr(expr: &Expr) -> Self {
        let mut declared = Self {
            names: HashSet::new(),
            any: false,
        };
        declared.visit_expr(expr);
        declared
    }

    /// What an import declares.
    pub(crate) fn by_import(tree: &UseTree) -> Self {
        let mut declared = Self {
            names: HashSet::new(),
            any: false,
        };
        declared.import(tree);
        declared
    }

    /// Whether a name that `is_variable` is among them.
    pub(crate) fn hides(&self, is_variable: impl Fn(&str) -> bool) -> bool {
        self.any || self.names.iter().any(|name| is_variable(name))
    }

    fn import(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.import(&path.tree),
            UseTree::Name(name) => {
                self.names.insert(name.ident.to_string());
            }
            UseTree::Rename(renamed) => {
                self.names.insert(renamed.rename.to_string());
            }
            UseTree::Glob(_) => self.any = true,
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree)),
        }
    }

    fn mentioned_by(&mut self, invocation: &Macro) {
        token_names(invocation.tokens.clone(), &mut |name| {
            self.names.insert(name.to_owned());
        });
    }
}

impl<'ast> Visit<'ast> for Declared {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Use(item) => return self.import(&item.tree),
            Item::Macro(item) if item.ident.is_none() => return self.mentioned_by(&item.mac),
            _ => return,
        };
        self.names.insert(name.to_string());
    }

    fn visit_stmt_macro(&mut self, stmt: &'ast syn::StmtMacro) {
        if !is_known(&stmt.mac) {
            self.mentioned_by(&stmt.mac);
        }
    }

    fn visit_pat(&mut self, pat: &'ast syn::Pat) {
        if let syn::Pat::Macro(invocation) = pat {
            self.mentioned_by(&invocation.mac);
        }
        syn::visit::visit_pat(self, pat);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}
}

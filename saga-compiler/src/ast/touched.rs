//! What a piece of code gives names, and what of them it may change in part.

use std::collections::{BTreeMap, HashMap, HashSet};

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, Stmt, visit::Visit};

use super::{
    calls::strip_parentheses,
    macros::{arguments, is_known, scrutinee_and_pattern, writes},
    patterns::names_bound_in,
    tokens::token_names,
    uses::{binary_assigns, root, root_name},
};

/// A piece of code.
#[derive(Clone, Copy)]
pub(crate) enum Code<'f> {
    Stmt(&'f Stmt),
    Value(&'f Expr),
}

impl<'f> Code<'f> {
    pub(crate) fn walk(self, visit: &mut impl Visit<'f>) {
        match self {
            Self::Stmt(stmt) => visit.visit_stmt(stmt),
            Self::Value(value) => visit.visit_expr(value),
        }
    }

    /// The names that patterns in it bind, but for a `let` that is all of it.
    pub(crate) fn bound(self) -> HashSet<String> {
        self.exprs().into_iter().flat_map(names_bound_in).collect()
    }

    /// The expressions in it.
    pub(crate) fn exprs(self) -> Vec<&'f Expr> {
        match self {
            Self::Value(value) | Self::Stmt(Stmt::Expr(value, _)) => vec![value],
            Self::Stmt(Stmt::Local(local)) => {
                let init = local.init.iter();
                init.flat_map(|init| {
                    let otherwise = init.diverge.iter().map(|(_, otherwise)| &**otherwise);
                    otherwise.chain([&*init.expr])
                })
                .collect()
            }
            Self::Stmt(Stmt::Item(_) | Stmt::Macro(_)) => Vec::new(),
        }
    }

    /// What is assigned in it.
    pub(crate) fn assigned(self) -> Assignments<'f> {
        let mut assignments = Assignments::default();
        self.walk(&mut assignments);
        assignments
    }
}

/// Values that names are given.
#[derive(Default)]
pub(crate) struct Assignments<'f> {
    /// `x = …`
    pub(crate) values: Vec<(&'f Ident, &'f Expr)>,
    /// `x.push(…)`
    pub(crate) items: Vec<(&'f Ident, &'f Expr)>,
    /// The same of fields.
    pub(crate) fields: Vec<FieldGiven<'f>>,
}

/// `x.f = …` or `x.f.push(…)`
pub(crate) struct FieldGiven<'f> {
    pub(crate) of: &'f Ident,
    pub(crate) field: String,
    pub(crate) value: &'f Expr,
    /// It is put in the list that is there.
    pub(crate) is_item: bool,
}

impl<'f> Visit<'f> for Assignments<'f> {
    fn visit_expr_assign(&mut self, assign: &'f syn::ExprAssign) {
        if let Expr::Path(path) = strip_parentheses(&assign.left)
            && let Some(name) = path.path.get_ident()
        {
            self.values.push((name, &assign.right));
        } else if let Some((of, field)) = own_field(&assign.left) {
            self.fields.push(FieldGiven {
                of,
                field,
                value: &assign.right,
                is_item: false,
            });
        }
        syn::visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_method_call(&mut self, call: &'f syn::ExprMethodCall) {
        if let Some(item) = call.args.first()
            && pushes(&call.method)
        {
            match strip_parentheses(&call.receiver) {
                Expr::Path(path) => {
                    let name = path.path.get_ident();
                    self.items.extend(name.map(|name| (name, item)));
                }
                receiver => self
                    .fields
                    .extend(own_field(receiver).map(|(of, field)| FieldGiven {
                        of,
                        field,
                        value: item,
                        is_item: true,
                    })),
            }
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}

fn pushes(method: &Ident) -> bool {
    method == "push" || method == "push_back"
}

/// A field of a variable, and no part of one.
fn own_field(place: &Expr) -> Option<(&Ident, String)> {
    let Expr::Field(field) = strip_parentheses(place) else {
        return None;
    };
    match strip_parentheses(&field.base) {
        Expr::Path(path) => {
            let name = path.path.get_ident()?;
            Some((name, field.member.to_token_stream().to_string()))
        }
        _ => None,
    }
}

/// Methods of lists that leave each item what it is.
const OF_LISTS: &[&str] = &[
    "clear",
    "clone",
    "drain",
    "first",
    "get",
    "into_iter",
    "is_empty",
    "iter",
    "last",
    "len",
    "next",
    "pop",
    "pop_back",
    "pop_front",
    "push",
    "push_back",
    "remove",
    "reserve",
    "retain",
    "reverse",
    "sort_by",
    "sort_by_key",
    "swap",
    "swap_remove",
    "truncate",
];

/// The same of an `Option`.
const OF_OPTIONS: &[&str] = &[
    "as_deref",
    "as_ref",
    "clone",
    "cloned",
    "copied",
    "expect",
    "is_none",
    "is_none_or",
    "is_some",
    "is_some_and",
    "iter",
    "map",
    "map_or",
    "ok_or",
    "ok_or_else",
    "take",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// Fields that may be changed, each with how far that is seen.
pub(crate) type ChangedFields = BTreeMap<String, Seen>;

/// What is seen of the changes to a field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Seen {
    /// Each value that it is given.
    Assigned,
    /// The same, and what a list is given. Methods of std's leave what is in it what it is, where it is a list or an `Option`.
    Std,
    /// Not all.
    Nothing,
}

/// How a value may be changed in part.
pub(crate) enum Change<'t> {
    Nowhere,
    /// In these fields.
    In(&'t ChangedFields),
    /// Whatever it is.
    Anywhere,
}

/// Names of what may be changed in part.
#[derive(Default)]
pub(crate) struct Touched {
    /// Lent to change, or assigned in part.
    names: HashSet<String>,
    /// The same of fields of theirs.
    fields: HashMap<String, ChangedFields>,
    /// By a method, and by one that may change items where it is that of a list.
    receivers: HashSet<String>,
    lists: HashSet<String>,
    /// Functions, and no values.
    called: HashSet<String>,
    /// By a pattern: whose part it is, is not to be seen there.
    by_pattern: bool,
}

impl Touched {
    /// How a value of this name may be changed in part.
    pub(crate) fn change(&self, name: &Ident) -> Change<'_> {
        let fields = self.fields.get(&name.to_string());
        match self.by_pattern || self.is_in(name, &self.receivers) {
            true => Change::Anywhere,
            false => fields.map_or(Change::Nowhere, Change::In),
        }
    }

    /// Whether an item of such a list may be.
    pub(crate) fn has_item(&self, name: &Ident) -> bool {
        self.by_pattern || self.is_in(name, &self.lists)
    }

    /// Whether what has this name is called: a variant that is a function is no value.
    pub(crate) fn is_called(&self, name: &Ident) -> bool {
        self.called.contains(&name.to_string())
    }

    fn is_in(&self, name: &Ident, others: &HashSet<String>) -> bool {
        let name = name.to_string();
        self.names.contains(&name) || others.contains(&name)
    }

    fn place(&mut self, place: &Expr) {
        self.place_of(place, Seen::Nothing);
    }

    fn place_of(&mut self, place: &Expr, seen: Seen) {
        match field_of_variable(place) {
            Some((name, field)) => {
                let fields = self.fields.entry(name).or_default();
                let known = fields.entry(field).or_insert(seen);
                *known = seen.max(*known);
            }
            None => self.names.extend(root_name(place)),
        }
    }

    /// In the arguments of a macro nobody looks for what is assigned.
    fn unseen(&mut self, argument: &Expr) {
        self.visit_expr(argument);
        let assigned = Code::Value(argument).assigned();
        let names = |given: &[(&Ident, &Expr)]| -> Vec<String> {
            given.iter().map(|(name, _)| name.to_string()).collect()
        };
        self.names.extend(names(&assigned.values));
        self.lists.extend(names(&assigned.items));
        for given in assigned.fields {
            let fields = self.fields.entry(given.of.to_string()).or_default();
            fields.insert(given.field, Seen::Nothing);
        }
    }

    fn tokens(&mut self, tokens: impl ToTokens) {
        token_names(tokens.to_token_stream(), &mut |name| {
            self.names.insert(name.to_owned());
        });
    }
}

/// The variable of whose field a place is a part, and the field.
fn field_of_variable(place: &Expr) -> Option<(String, String)> {
    match place {
        Expr::Field(field) => match strip_parentheses(&field.base) {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                Some((name, field.member.to_token_stream().to_string()))
            }
            base => field_of_variable(base),
        },
        Expr::Index(index) => field_of_variable(&index.expr),
        Expr::Paren(paren) => field_of_variable(&paren.expr),
        Expr::Group(group) => field_of_variable(&group.expr),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
            field_of_variable(&unary.expr)
        }
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Touched {
    fn visit_expr_reference(&mut self, lent: &'ast syn::ExprReference) {
        if lent.mutability.is_some() {
            self.place(&lent.expr);
        }
        syn::visit::visit_expr_reference(self, lent);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if matches!(strip_parentheses(&call.func), Expr::Path(_)) {
            self.called.extend(root_name(&call.func));
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_expr_raw_addr(&mut self, lent: &'ast syn::ExprRawAddr) {
        self.place(&lent.expr);
        syn::visit::visit_expr_raw_addr(self, lent);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let of_lists = OF_LISTS.iter().any(|method| call.method == method);
        if !matches!(strip_parentheses(&call.receiver), Expr::Path(_)) {
            let of_std = of_lists || OF_OPTIONS.iter().any(|method| call.method == method);
            let seen = match own_field(&call.receiver).filter(|_| of_std) {
                Some(_) => Seen::Std,
                None => Seen::Nothing,
            };
            self.place_of(&call.receiver, seen);
        } else if let Some(name) = root_name(&call.receiver) {
            self.lists.extend((!of_lists).then(|| name.clone()));
            self.receivers.insert(name);
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        match root(&assign.left) {
            // `(a.x, b) = …`
            left if !matches!(left, Expr::Path(_)) => self.tokens(left),
            _ if matches!(strip_parentheses(&assign.left), Expr::Path(_)) => {}
            _ if own_field(&assign.left).is_some() => self.place_of(&assign.left, Seen::Assigned),
            _ => self.place(&assign.left),
        }
        syn::visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if binary_assigns(&binary.op) {
            self.place(&binary.left);
        }
        syn::visit::visit_expr_binary(self, binary);
    }

    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        self.by_pattern |= name.by_ref.is_some() && name.mutability.is_some();
        syn::visit::visit_pat_ident(self, name);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        if is_known(invocation)
            && !writes(invocation)
            && let Some(arguments) = arguments(invocation)
        {
            for argument in &arguments {
                self.unseen(&argument.value);
            }
        } else if is_known(invocation)
            && let Ok((scrutinee, pat)) = invocation.parse_body_with(scrutinee_and_pattern)
        {
            self.unseen(&scrutinee);
            self.tokens(&pat);
        } else {
            self.tokens(&invocation.tokens);
        }
    }
}

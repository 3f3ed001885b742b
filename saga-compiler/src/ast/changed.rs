//! What a piece of code may change or move, on some path.

use std::collections::HashSet;

use syn::Expr;

use crate::ast::{
    calls::{given_places, listed_under, strip_parentheses},
    macros::{arguments, is_known, writes},
    patterns::pattern_bindings,
    tokens::token_names,
    uses::{binary_assigns, is_by_reference, root_name},
};

/// What is changed: a variable, and the fields that lead to a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    root: String,
    fields: Vec<String>,
}

impl Part {
    /// A variable, or a field of one.
    fn of(place: &Expr) -> Option<Self> {
        match strip_parentheses(place) {
            Expr::Path(path) => Some(Self::whole(path.path.get_ident()?.to_string())),
            Expr::Field(field) => {
                let mut part = Self::of(&field.base)?;
                let member = &field.member;
                part.fields.push(quote::quote!(#member).to_string());
                Some(part)
            }
            _ => None,
        }
    }

    /// The same of any place: of an item, and of what is behind a pointer, that which it is in.
    fn around(place: &Expr) -> Option<Self> {
        Self::of(place).or_else(|| match strip_parentheses(place) {
            Expr::Index(index) => Self::around(&index.expr),
            Expr::Field(field) => Self::around(&field.base),
            Expr::Unary(unary) => Self::around(&unary.expr),
            Expr::Reference(lent) => Self::around(&lent.expr),
            other => root_name(other).map(Self::whole),
        })
    }

    fn whole(root: String) -> Self {
        Self {
            root,
            fields: Vec::new(),
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let mut both = self.fields.iter().zip(&other.fields);
        self.root == other.root && both.all(|(one, other)| one == other)
    }
}

/// What a piece of code changes.
pub(crate) struct Changes(HashSet<Part>);

impl Changes {
    /// Whether a variable is changed, or a part of it.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|part| part.root == name)
    }

    /// Whether what an expression gives may be another after it: of a field, whether that is changed, or what it is in.
    pub(crate) fn concern(&self, expr: &Expr, names: impl IntoIterator<Item = String>) -> bool {
        let place = match strip_parentheses(expr) {
            Expr::Reference(lent) => &lent.expr,
            other => other,
        };
        match Part::of(place) {
            Some(place) => self.0.iter().any(|part| part.overlaps(&place)),
            None => names.into_iter().any(|name| self.contains(&name)),
        }
    }

    fn names(self) -> HashSet<String> {
        self.0.into_iter().map(|part| part.root).collect()
    }
}

/// What is changed with a place: what that is in, or, where that is made there, what it is made of.
///
/// ```text
/// (tally, 1).0.n += 5
/// ```
fn in_place(place: &Expr) -> Vec<Part> {
    fn base(place: &Expr) -> &Expr {
        match strip_parentheses(place) {
            Expr::Field(field) => base(&field.base),
            Expr::Index(index) => base(&index.expr),
            Expr::Unary(unary) => base(&unary.expr),
            Expr::Reference(lent) => base(&lent.expr),
            other => other,
        }
    }
    if let Some(part) = Part::around(place) {
        return vec![part];
    }
    let mut parts = Vec::new();
    given_places(base(place), &mut |given| parts.extend(Part::around(given)));
    parts
}

/// The names that an expression assigns, in whole or in part, or borrows mutably.
pub(crate) fn changes(expr: &Expr) -> HashSet<String> {
    changed_in(expr).names()
}

/// The parts that an expression assigns, or borrows mutably.
pub(crate) fn changed_in(expr: &Expr) -> Changes {
    struct Visitor(HashSet<Part>);
    impl<'ast> syn::visit::Visit<'ast> for Visitor {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            let place = match expr {
                Expr::Assign(assign) => Some(&assign.left),
                Expr::Binary(binary) if binary_assigns(&binary.op) => Some(&binary.left),
                Expr::Reference(reference) if reference.mutability.is_some() => {
                    Some(&reference.expr)
                }
                _ => None,
            };
            self.0
                .extend(place.into_iter().flat_map(|place| in_place(place)));
            match expr {
                Expr::Let(binding) => self.lent_by([&*binding.pat], &binding.expr),
                Expr::Match(matched) => {
                    self.lent_by(matched.arms.iter().map(|arm| &arm.pat), &matched.expr);
                }
                _ => {}
            }
            syn::visit::visit_expr(self, expr);
        }

        fn visit_local(&mut self, local: &'ast syn::Local) {
            if let Some(init) = &local.init {
                self.lent_by([&local.pat], &init.expr);
            }
            syn::visit::visit_local(self, local);
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            let known = is_known(invocation)
                .then(|| arguments(invocation))
                .flatten();
            let known = known.into_iter().flatten();
            for (at, argument) in known.enumerate() {
                if at == 0 && writes(invocation) {
                    self.0.extend(in_place(&argument.value));
                }
                self.0.extend(changed_in(&argument.value).0);
            }
        }
    }
    impl Visitor {
        /// `ref mut`
        fn lent_by<'p>(&mut self, pats: impl IntoIterator<Item = &'p syn::Pat>, of: &Expr) {
            let lends = |pat| pattern_bindings(pat).any(|binding| binding.lends_to_change());
            if pats.into_iter().any(lends) {
                match strip_parentheses(of) {
                    Expr::Tuple(tuple) => {
                        self.0.extend(tuple.elems.iter().filter_map(Part::around));
                    }
                    of => self.0.extend(Part::around(of)),
                }
            }
        }
    }
    let mut changes = Visitor(HashSet::new());
    syn::visit::Visit::visit_expr(&mut changes, expr);
    Changes(changes.0)
}

/// The names that an expression may give another value, or a part of one: those too on which it calls methods, which it gives to
/// calls as they are, and all that a macro mentions which is not known to look at its arguments only.
pub(crate) fn may_change(expr: &Expr) -> HashSet<String> {
    touched_in(expr).names()
}

/// The same by their parts.
pub(crate) fn touched_in(expr: &Expr) -> Changes {
    struct Touched(HashSet<Part>);
    impl<'ast> syn::visit::Visit<'ast> for Touched {
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            self.0.extend(Part::around(&call.receiver));
            // And on what is in a list: `[tally, spare].into_iter().for_each(..)`
            if let Some(list) = listed_under(&call.receiver) {
                self.given(list);
            }
            call.args.iter().for_each(|argument| self.given(argument));
            syn::visit::visit_expr_method_call(self, call);
        }

        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            call.args.iter().for_each(|argument| self.given(argument));
            syn::visit::visit_expr_call(self, call);
        }

        fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
            // By another name.
            self.given(&assign.right);
            syn::visit::visit_expr_assign(self, assign);
        }

        fn visit_expr_for_loop(&mut self, looped: &'ast syn::ExprForLoop) {
            self.given(&looped.expr);
            syn::visit::visit_expr_for_loop(self, looped);
        }

        fn visit_expr_let(&mut self, binding: &'ast syn::ExprLet) {
            self.taken_apart([&*binding.pat], &binding.expr);
            syn::visit::visit_expr_let(self, binding);
        }

        fn visit_expr_match(&mut self, matched: &'ast syn::ExprMatch) {
            self.taken_apart(matched.arms.iter().map(|arm| &arm.pat), &matched.expr);
            syn::visit::visit_expr_match(self, matched);
        }

        fn visit_local(&mut self, local: &'ast syn::Local) {
            if let Some(init) = &local.init {
                self.taken_apart([&local.pat], &init.expr);
                // By another name.
                self.given(&init.expr);
            }
            syn::visit::visit_local(self, local);
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            let known = is_known(invocation)
                .then(|| arguments(invocation))
                .flatten();
            let Some(known) = known else {
                token_names(invocation.tokens.clone(), &mut |name| {
                    self.0.insert(Part::whole(name.to_owned()));
                });
                return;
            };
            if writes(invocation) {
                let first = known.first();
                self.0
                    .extend(first.and_then(|first| Part::around(&first.value)));
            }
            for argument in known {
                // Not given as it is: the macro borrows it, or takes it for good.
                self.0.extend(touched_in(&argument.value).0);
            }
        }
    }
    impl Touched {
        /// A `&mut` may be given as it is, or in what it is a part of.
        fn given(&mut self, argument: &Expr) {
            given_places(argument, &mut |place| self.0.extend(Part::of(place)));
        }

        /// A pattern that takes something apart may bind a `&mut`: `let Tally { count, .. } = tally; *count += 1;`
        fn taken_apart<'p>(&mut self, pats: impl IntoIterator<Item = &'p syn::Pat>, of: &Expr) {
            let binds = |pat: &syn::Pat| pattern_bindings(pat).next().is_some();
            if pats.into_iter().any(binds) {
                self.given(of);
            }
        }
    }
    let mut touched = Touched(changed_in(expr).0);
    syn::visit::Visit::visit_expr(&mut touched, expr);
    Changes(touched.0)
}

/// The names whose values a body may move, as a whole.
pub(crate) fn perhaps_moved(body: &syn::Block) -> HashSet<String> {
    struct Moved(HashSet<String>);
    impl Moved {
        /// What is only looked at, where it is a name.
        fn looked_at(&mut self, expr: &Expr) {
            if !matches!(strip_parentheses(expr), Expr::Path(_)) {
                syn::visit::Visit::visit_expr(self, expr);
            }
        }
    }
    impl<'ast> syn::visit::Visit<'ast> for Moved {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Path(path) => {
                    let name = path.path.get_ident();
                    self.0.extend(name.map(ToString::to_string));
                }
                Expr::Reference(reference) => self.looked_at(&reference.expr),
                Expr::Field(field) => self.looked_at(&field.base),
                Expr::Index(index) => {
                    self.looked_at(&index.expr);
                    self.visit_expr(&index.index);
                }
                Expr::Assign(assign) => {
                    self.looked_at(&assign.left);
                    self.visit_expr(&assign.right);
                }
                Expr::Binary(binary) => {
                    self.looked_at(&binary.left);
                    self.looked_at(&binary.right);
                }
                Expr::MethodCall(call) if is_by_reference(&call.method) => {
                    self.looked_at(&call.receiver);
                    call.args
                        .iter()
                        .for_each(|argument| self.visit_expr(argument));
                }
                other => syn::visit::visit_expr(self, other),
            }
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            if !is_known(invocation) || invocation.path.is_ident("vec") {
                token_names(invocation.tokens.clone(), &mut |name| {
                    self.0.insert(name.to_owned());
                });
            }
        }
    }
    let mut moved = Moved(HashSet::new());
    syn::visit::Visit::visit_block(&mut moved, body);
    moved.0
}

//! Values that refer to a variable of a block, as far as the text shows: the variable moves on, so that the value has to be put
//! together again.
//!
//! ```text
//! let title = title(); let dialog = Dialog { title: &title };
//! ```

use std::collections::BTreeSet;

use syn::{
    Expr, ExprMethodCall,
    visit::{self, Visit},
};

use super::{Given, Values};
use crate::{
    ast::{
        calls::{is_constructor, strip_parentheses},
        macros::arguments,
        touched::{Change, Code, Touched},
        uses::root,
    },
    cfg::{Facts, VarId, persistence::Persistence},
};

impl<'f> Values<'f> {
    /// Notes what may be put in the variables that a piece of code may change.
    ///
    /// ```text
    /// fill(&mut dialog, &title); dialog.add(&title); for one in &mut all { one.title = &title; }
    /// ```
    pub(super) fn changed_in(&mut self, code: Code<'f>, facts: &'f Facts) {
        let owners = |var: VarId| {
            let mut owners = BTreeSet::new();
            self.flow.closure(var, &mut owners);
            owners.retain(|var| self.flow.var(*var).mutable);
            owners
        };
        let read = facts.reads.iter().map(|var| (*var, owners(*var)));
        let read: Vec<_> = read.filter(|(_, owners)| !owners.is_empty()).collect();
        if read.is_empty() {
            return;
        }
        let mut touched = Touched::default();
        code.walk(&mut touched);
        let changed = read.into_iter().filter(|(var, _)| {
            let name = &self.flow.var(*var).ident;
            touched.has_item(name) || !matches!(touched.change(name), Change::Nowhere)
        });
        let changed: BTreeSet<_> = changed.flat_map(|(_, owners)| owners).collect();
        for var in changed {
            let all = code.exprs().into_iter().map(|value| Given {
                value,
                bound: None,
                facts,
                code,
                imports: self.imports,
            });
            self.beside.entry(var).or_default().extend(all);
        }
    }

    /// Whether something that a variable is given, or that is put in it, refers to one that is in a frame.
    pub(super) fn is_lending(&self, var: VarId) -> bool {
        self.lends(var, &mut BTreeSet::new())
    }

    /// Whether a literal that a variable is given has a reference to one in it, as it is written there.
    pub(super) fn lends_in_a_literal(&self, var: VarId) -> bool {
        let given = self.given.get(&var).into_iter().flatten();
        let mut given = given.filter(|given| given.bound.is_none());
        given.any(|given| self.is_literal_that_lends(given.value, given))
    }

    fn is_literal_that_lends(&self, value: &Expr, given: &Given<'_>) -> bool {
        let lends = |part: &Expr| match strip_parentheses(part) {
            Expr::Reference(lent) if lent.mutability.is_none() => {
                self.is_in_block(&lent.expr, given)
            }
            part => self.is_literal_that_lends(part, given),
        };
        match strip_parentheses(value) {
            Expr::Struct(literal) => literal.fields.iter().any(|field| lends(&field.expr)),
            Expr::Call(call) if is_constructor(&call.func) => call.args.iter().any(lends),
            Expr::Block(block) => self.is_tail_that_lends(&block.block, given),
            Expr::If(chosen) => {
                let otherwise = chosen.else_branch.as_ref();
                self.is_tail_that_lends(&chosen.then_branch, given)
                    || otherwise.is_some_and(|(_, other)| self.is_literal_that_lends(other, given))
            }
            Expr::Match(matched) => {
                let mut arms = matched.arms.iter();
                arms.any(|arm| self.is_literal_that_lends(&arm.body, given))
            }
            Expr::Path(path) => {
                let var = path.path.get_ident();
                let var = var.and_then(|name| self.variable(name, given));
                var.is_some_and(|var| {
                    let hidden = self.flow.var(var).hidden;
                    hidden && self.lends_in_a_literal(var)
                })
            }
            _ => false,
        }
    }

    fn is_tail_that_lends(&self, block: &syn::Block, given: &Given<'_>) -> bool {
        let tail = block.stmts.last();
        matches!(tail, Some(syn::Stmt::Expr(tail, None)) if self.is_literal_that_lends(tail, given))
    }

    /// Whether a field of that name, of whatever it is one, is given such a value: it may be one of these, by another name.
    pub(super) fn lends_to_a_field(&self, names: &BTreeSet<String>) -> bool {
        let given = self
            .fields
            .iter()
            .filter(|((_, name), _)| names.contains(name));
        let mut given = given.flat_map(|(_, all)| all.iter().map(|(given, _)| given));
        given.any(|given| self.refers(given.value, given, &mut BTreeSet::new()))
    }

    fn lends(&self, var: VarId, seen: &mut BTreeSet<VarId>) -> bool {
        if !seen.insert(var) {
            return false;
        }
        if let Persistence::Reborrowed(id) = self.flow.var(var).persistence {
            let deps = self.flow.reborrows.get(id.0).map(|of| of.deps.as_slice());
            let mut deps = deps.unwrap_or_default().iter();
            return deps.any(|dep| self.is_of_block(*dep) || self.lends(*dep, seen));
        }
        let whole = self
            .given
            .get(&var)
            .into_iter()
            .chain(self.pushed.get(&var));
        let fields = self.fields.iter().filter(|((of, _), _)| *of == var);
        let fields = fields.flat_map(|(_, all)| all.iter().map(|(given, _)| given));
        let mut all = whole.flatten().chain(fields);
        all.any(|given| self.refers(given.value, given, seen))
    }

    /// Whether what stands beside a variable where it is changed does.
    pub(super) fn is_changed_with_lent(&self, var: VarId) -> bool {
        let mut all = self.beside.get(&var).into_iter().flatten();
        all.any(|given| {
            let mut seen = BTreeSet::from([var]);
            let mut refers = Refers {
                changed: Some(var),
                ..Refers::of(self, given, &mut seen)
            };
            refers.visit_expr(given.value);
            refers.found
        })
    }

    fn refers(&self, value: &Expr, given: &Given<'_>, seen: &mut BTreeSet<VarId>) -> bool {
        let mut refers = Refers::of(self, given, seen);
        refers.visit_expr(value);
        refers.found
    }

    /// Whether a place is in a variable that moves on.
    fn is_in_block(&self, place: &Expr, given: &Given<'_>) -> bool {
        let var = match root(place) {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        if var.is_some_and(|name| name == "self") {
            return self.flow.changes_self;
        }
        let var = var.and_then(|name| self.variable(name, given));
        var.is_some_and(|var| self.is_of_block(var))
    }

    /// Whether it moves on with its block, or what is behind it changes.
    fn is_of_block(&self, var: VarId) -> bool {
        match self.flow.var(var).persistence {
            Persistence::Spilled(_) => true,
            Persistence::Param(id) => self.flow.param(id).changes,
            Persistence::Reborrowed(_) => false,
        }
    }
}

struct Refers<'r, 'f> {
    values: &'r Values<'f>,
    given: &'r Given<'r>,
    seen: &'r mut BTreeSet<VarId>,
    found: bool,
    /// Whose own references are none: what is lent to be changed is it.
    changed: Option<VarId>,
}

impl<'r, 'f> Refers<'r, 'f> {
    fn of(values: &'r Values<'f>, given: &'r Given<'r>, seen: &'r mut BTreeSet<VarId>) -> Self {
        Self {
            values,
            given,
            seen,
            found: false,
            changed: None,
        }
    }

    fn is_changed(&self, place: &Expr) -> bool {
        let name = match root(place) {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        let var = name.and_then(|name| self.values.variable(name, self.given));
        var.is_some_and(|var| self.is_of_changed(var))
    }

    /// Whether a variable is the one that is changed, or leads to it.
    fn is_of_changed(&self, var: VarId) -> bool {
        self.changed.is_some_and(|changed| {
            let mut owners = BTreeSet::new();
            self.values.flow.closure(var, &mut owners);
            owners.contains(&changed)
        })
    }
}

impl<'ast> Visit<'ast> for Refers<'_, '_> {
    fn visit_expr_reference(&mut self, lent: &'ast syn::ExprReference) {
        if !self.is_changed(&lent.expr) {
            self.found |= self.values.is_in_block(&lent.expr, self.given);
        }
        visit::visit_expr_reference(self, lent);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let Some(name) = path.path.get_ident() else {
            return;
        };
        self.found |= match self.values.variable(name, self.given) {
            Some(var) if self.is_of_changed(var) => false,
            Some(var) => self.values.lends(var, self.seen),
            // A variable of a block in it.
            None => name.to_string().starts_with(char::is_lowercase) && name != "self",
        };
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        call.args
            .iter()
            .for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        match gives(call) {
            Gives::Owned => {}
            Gives::Lent => {
                self.found |= self.values.is_in_block(&call.receiver, self.given);
                self.visit_expr(&call.receiver);
            }
            Gives::Any => visit::visit_expr_method_call(self, call),
        }
    }

    fn visit_expr_macro(&mut self, invocation: &'ast syn::ExprMacro) {
        if invocation.mac.path.is_ident("vec") {
            let items = arguments(&invocation.mac);
            for item in items.iter().flatten() {
                let found = self.values.refers(&item.value, self.given, self.seen);
                self.found |= found;
            }
        }
    }

    /// An item of a list: what refers to something refers to what the list does.
    fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
        self.visit_expr(&index.expr);
    }

    /// What lends the client's handle has it in the arena.
    fn visit_expr_block(&mut self, block: &'ast syn::ExprBlock) {
        let lends_handle = |stmt: &syn::Stmt| matches!(stmt, syn::Stmt::Expr(Expr::MethodCall(call), None) if call.method == "saga_lent_handle");
        if !block.block.stmts.iter().any(lends_handle) {
            visit::visit_expr_block(self, block);
        }
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

/// What a method gives.
enum Gives {
    Owned,
    Lent,
    Any,
}

/// By its name: one too few is an error of the borrow checker, and one too many puts together again what could have moved.
fn gives(call: &ExprMethodCall) -> Gives {
    let name = call.method.to_string();
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match name.as_str() {
        "to_string" | "to_owned" | "into_owned" | "len" | "count" | "sum" | "join" | "concat" => {
            Gives::Owned
        }
        "get" | "first" | "last" | "keys" | "values" | "lines" => Gives::Lent,
        _ if starts(&["as_", "trim", "iter", "chars", "split", "strip_", "chunks"]) => Gives::Lent,
        _ => Gives::Any,
    }
}

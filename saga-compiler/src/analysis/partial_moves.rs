//! Fields that are moved out of a variable whose rest is used in a later state: only a whole value can
//! be stored, so the field is copied and the variable stays whole.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::Span;
use syn::{
    BinOp, Expr, ExprMethodCall, Pat, Stmt, UnOp,
    visit_mut::{self, VisitMut},
};

use crate::{
    analysis::{
        copied_parts::{self, can_be_looked_at, passes_over},
        states::Plan,
    },
    ast::{
        calls::{conjuncts, strip_parentheses},
        exits::block_diverges,
        macros::change_arguments,
        patterns::{Binding, names_bound_in, pattern_bindings},
        uses::{binary_assigns, root_name},
    },
    cfg::{BlockId, Facts, Flow, Step, Terminator, VarId, alias, copies},
};

/// Copies the fields.
pub(crate) fn clone_instead(flow: &mut Flow, plan: &Plan) {
    for at in 0..flow.blocks.len() {
        let block = &flow.blocks[at];
        let mut carried = carried_after(flow, plan, &block.terminator);
        let facts = block.terminator.facts().cloned().unwrap_or_default();
        let mut parts = Parts::of(flow, &carried, &facts);
        parts.condition(&mut flow.blocks[at].terminator);
        parts.terminator(&mut flow.blocks[at].terminator);
        for step in (0..flow.blocks[at].steps.len()).rev() {
            let facts = flow.blocks[at].steps[step].facts().clone();
            carried.extend(jumps(flow, plan, &facts));
            let mut parts = Parts::of(flow, &carried, &facts);
            match &mut flow.blocks[at].steps[step] {
                Step::Code(stmt, _) => parts.stmt(stmt),
                Step::Define(_, expr, _) => parts.root(expr, true),
            }
        }
    }
}

/// What the states that come next carry.
fn carried_after(flow: &Flow, plan: &Plan, terminator: &Terminator) -> BTreeSet<VarId> {
    let next = terminator.successors();
    let mut all: BTreeSet<_> = next
        .into_iter()
        .flat_map(|block| carried_to(flow, plan, block))
        .collect();
    all.extend(
        terminator
            .facts()
            .into_iter()
            .flat_map(|facts| jumps(flow, plan, facts)),
    );
    all
}

fn carried_to(flow: &Flow, plan: &Plan, block: BlockId) -> BTreeSet<VarId> {
    if let Some((_, state)) = plan.state(block) {
        return state.carried.iter().copied().collect();
    }
    let block = flow.block(block);
    let mut all = carried_after(flow, plan, &block.terminator);
    for step in &block.steps {
        all.extend(jumps(flow, plan, step.facts()));
    }
    all
}

fn jumps(flow: &Flow, plan: &Plan, facts: &Facts) -> BTreeSet<VarId> {
    let targets = facts.jumps.iter();
    targets
        .flat_map(|target| carried_to(flow, plan, target.block))
        .collect()
}

/// Methods of `Option` and `Result` that take `self`.
const BY_VALUE: &[&str] = &[
    "and_then",
    "is_none_or",
    "is_ok_and",
    "is_some_and",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "ok_or",
    "ok_or_else",
    "or_else",
];

/// Methods that take what they are called on.
fn consumes(method: &syn::Ident) -> bool {
    let name = method.to_string();
    let starts = |word: &str| {
        name.strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    starts("into") || unwraps(method)
}

/// Those that a type of the author's own may have with `&mut self`; `into_iter` and `into` it has from a trait.
fn takes_if_of_std(method: &syn::Ident) -> bool {
    unwraps(method) || (method.to_string().starts_with("into_") && method != "into_iter")
}

/// Those of `Option` and `Result`.
fn unwraps(method: &syn::Ident) -> bool {
    let name = method.to_string();
    name == "unwrap" || name.starts_with("unwrap_") || name == "expect"
}

fn is_of_option(method: &syn::Ident) -> bool {
    BY_VALUE.contains(&method.to_string().as_str())
}

/// More of them, whose names types of the author's own have for methods that only look.
const BY_VALUE_OR_LENT: &[&str] = &[
    "context",
    "err",
    "filter",
    "flatten",
    "inspect",
    "inspect_err",
    "is_err_and",
    "ok",
    "or",
    "transpose",
    "unzip",
    "with_context",
    "xor",
    "zip",
];

fn is_of_option_or_looks(method: &syn::Ident) -> bool {
    BY_VALUE_OR_LENT.contains(&method.to_string().as_str())
}

/// Finds the fields of some variables where their values are taken.
struct Parts {
    names: HashSet<String>,
    /// Those of them that may be changed.
    changeable: HashSet<String>,
}

impl Parts {
    fn of(flow: &Flow, carried: &BTreeSet<VarId>, facts: &Facts) -> Self {
        let vars = facts.reads.intersection(carried);
        let stored = vars.filter(|id| {
            let var = flow.var(**id);
            var.persistence.is_spilled() && !var.hidden
        });
        let names = |id: &VarId| {
            let ident = &flow.var(*id).ident;
            [ident.to_string(), alias(ident, *id).to_string()]
        };
        let changeable = stored.clone().filter(|id| flow.var(**id).mutable);
        Self {
            changeable: changeable.flat_map(names).collect(),
            names: stored.flat_map(names).collect(),
        }
    }

    /// An `if let` on a field is a `match`.
    fn condition(&self, terminator: &mut Terminator) {
        let Terminator::If {
            cond,
            facts,
            then,
            otherwise,
        } = terminator
        else {
            return;
        };
        let Expr::Let(binding) = strip_parentheses(cond) else {
            return;
        };
        if !self.is_part(&binding.expr) || !take([&*binding.pat]) {
            return;
        }
        let bound = Facts {
            defs: std::mem::take(&mut facts.defs),
            ..Facts::default()
        };
        let other = (syn::parse_quote!(_), Facts::default(), *otherwise);
        *terminator = Terminator::Match {
            scrutinee: binding.expr.clone(),
            arms: vec![((*binding.pat).clone(), bound, *then), other],
            facts: std::mem::take(facts),
            lets: false,
            copies: false,
        };
    }

    fn terminator(&mut self, terminator: &mut Terminator) {
        match terminator {
            Terminator::If { cond, .. } => {
                self.chain(cond);
                self.root(cond, false);
            }
            Terminator::Match {
                scrutinee,
                arms,
                copies,
                ..
            } => {
                let pats = || arms.iter().map(|(pat, ..)| pat);
                let taken = take(pats());
                *copies = taken && self.is_part(scrutinee) && can_be_looked_at(pats());
                self.root(scrutinee, taken && !*copies);
            }
            Terminator::Ask { ask, .. } => {
                for argument in &mut ask.arguments {
                    self.root(argument, true);
                }
                if let Some(limit) = &mut ask.limit {
                    self.root(limit.expr_mut(), true);
                }
            }
            // A call's arguments are kept already.
            Terminator::Call { .. } | Terminator::Goto(_) | Terminator::End => {}
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        if self.names.is_empty() {
            return;
        }
        match stmt {
            Stmt::Local(local) => {
                if self.is_copied(local) || self.takes_some(local) {
                    copied_parts::declaration(local);
                } else if let Some(init) = &mut local.init {
                    self.root(&mut init.expr, take([&local.pat]));
                    if let Some((_, otherwise)) = &mut init.diverge {
                        self.root(otherwise, false);
                    }
                }
            }
            Stmt::Expr(expr, _) => self.root(expr, false),
            _ => {}
        }
    }

    /// An expression that no code around it binds names for.
    fn root(&mut self, expr: &mut Expr, taken: bool) {
        if self.names.is_empty() {
            return;
        }
        let bound = names_bound_in(expr);
        self.names.retain(|name| !bound.contains(name));
        if taken {
            self.value(expr);
        } else {
            self.visit_expr_mut(expr);
        }
    }

    /// An expression whose value is taken.
    fn value(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Field(_) if self.is_part(expr) => {
                *expr = copies::part(expr);
            }
            Expr::Paren(paren) => self.value(&mut paren.expr),
            Expr::Group(group) => self.value(&mut group.expr),
            Expr::Block(block) => self.tail(&mut block.block),
            Expr::If(conditional) => {
                self.binding(&mut conditional.cond, &mut conditional.then_branch);
                self.visit_expr_mut(&mut conditional.cond);
                self.tail(&mut conditional.then_branch);
                if let Some((_, otherwise)) = &mut conditional.else_branch {
                    self.value(otherwise);
                }
            }
            Expr::Match(matched) => {
                self.scrutinee(matched);
                for arm in &mut matched.arms {
                    self.value(&mut arm.body);
                }
            }
            other => self.visit_expr_mut(other),
        }
    }

    fn scrutinee(&mut self, matched: &mut syn::ExprMatch) {
        let pats = || matched.arms.iter().map(|arm| &arm.pat);
        let taken = take(pats());
        if taken && self.is_part(&matched.expr) && can_be_looked_at(pats()) {
            *matched.expr = copied_parts::looked_at(&matched.expr, pats());
            for arm in &mut matched.arms {
                let bindings = copied_parts::bindings(&arm.pat);
                let body = &arm.body;
                *arm.body = syn::parse_quote!({ #(#bindings)* #body });
                arm.pat = copied_parts::pattern(&arm.pat);
            }
        } else if taken {
            self.value(&mut matched.expr);
        } else {
            self.visit_expr_mut(&mut matched.expr);
        }
    }

    /// What `..` takes the rest of is a copy as a whole.
    fn rest(&mut self, rest: &mut Expr) {
        match self.is_variable(rest) || self.is_part(rest) {
            true => *rest = copies::part(rest),
            false => self.visit_expr_mut(rest),
        }
    }

    /// Whether it takes a field apart.
    fn is_copied(&self, local: &syn::Local) -> bool {
        let is_name = matches!(local.pat, Pat::Ident(_) | Pat::Type(_));
        let mut init = local.init.iter();
        !is_name && takes_all(&local.pat) && init.any(|init| self.is_part(&init.expr))
    }

    /// Whether it takes some fields out of a variable. Inside of other code it may be on the way out of a loop, where nobody uses
    /// the rest.
    fn takes_some(&self, local: &syn::Local) -> bool {
        let mut init = local.init.iter();
        takes_all(&local.pat)
            && passes_over(&local.pat)
            && init.any(|init| init.diverge.is_none() && self.is_variable(&init.expr))
    }

    /// `let`s on a field among several conditions.
    fn chain(&self, cond: &mut Expr) {
        let parts = conjuncts(cond);
        let looks = |part: &Expr| match part {
            Expr::Let(binding) => self.is_part(&binding.expr) && takes_all(&binding.pat),
            _ => false,
        };
        if parts.len() < 2 || !parts.iter().any(|part| looks(part)) {
            return;
        }
        let parts = parts.into_iter().flat_map(|part| match part {
            Expr::Let(binding) if looks(part) => copied_parts::condition(binding).to_vec(),
            other => vec![other.clone()],
        });
        let chained = parts.reduce(|all, next| {
            Expr::Binary(syn::ExprBinary {
                attrs: Vec::new(),
                left: Box::new(all),
                op: syn::BinOp::And(<syn::Token![&&]>::default()),
                right: Box::new(next),
            })
        });
        if let Some(chained) = chained {
            *cond = chained;
        }
    }

    /// `if let` and `while let` on a field.
    fn binding(&self, cond: &mut Expr, then: &mut syn::Block) {
        self.chain(cond);
        let Expr::Let(binding) = cond else { return };
        if self.is_part(&binding.expr) && take([&*binding.pat]) {
            let bindings = copied_parts::bindings(&binding.pat);
            then.stmts.splice(0..0, bindings);
            *binding.expr = copied_parts::looked_at(&binding.expr, [&*binding.pat]);
            *binding.pat = copied_parts::pattern(&binding.pat);
        }
    }

    fn tail(&mut self, block: &mut syn::Block) {
        if returns(block) {
            return;
        }
        let Some((last, before)) = block.stmts.split_last_mut() else {
            return;
        };
        before.iter_mut().for_each(|stmt| self.visit_stmt_mut(stmt));
        match last {
            Stmt::Expr(expr, None) => self.value(expr),
            other => self.visit_stmt_mut(other),
        }
    }

    /// Whether the receiver may be a copy now.
    fn receiver(&mut self, call: &mut ExprMethodCall) -> bool {
        let receiver = &call.receiver;
        let looks = is_of_option_or_looks(&call.method);
        let copied = if looks && self.is_part(receiver) && !self.is_part_of_changeable(receiver) {
            copies::lendable_part(receiver)
        } else if (looks || takes_if_of_std(&call.method)) && self.is_part_of_changeable(receiver) {
            // One of the author's own may change what it is called on.
            copies::changeable_part(receiver)
        } else if !consumes(&call.method) && is_of_option(&call.method) && self.is_part(receiver) {
            // A type of the author's own may have such a method that changes it.
            copies::optional_part(receiver)
        } else if consumes(&call.method) {
            let copied = self.is_part(receiver);
            self.value(&mut call.receiver);
            return copied;
        } else {
            self.visit_expr_mut(&mut call.receiver);
            return false;
        };
        *call.receiver = copied;
        true
    }

    fn is_part_of_changeable(&self, expr: &Expr) -> bool {
        self.is_part(expr) && root_name(expr).is_some_and(|name| self.changeable.contains(&name))
    }

    fn is_variable(&self, expr: &Expr) -> bool {
        matches!(strip_parentheses(expr), Expr::Path(_))
            && root_name(expr).is_some_and(|name| self.names.contains(&name))
    }

    fn is_part(&self, expr: &Expr) -> bool {
        match strip_parentheses(expr) {
            Expr::Field(field) => match strip_parentheses(&field.base) {
                base @ Expr::Path(_) => {
                    root_name(base).is_some_and(|name| self.names.contains(&name))
                }
                base => self.is_part(base),
            },
            _ => false,
        }
    }
}

impl VisitMut for Parts {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            // After a `return` nobody uses the rest.
            Expr::Closure(_) | Expr::Async(_) | Expr::Return(_) => {}
            Expr::Block(block) if returns(&block.block) => {}
            Expr::Call(call) => {
                self.visit_expr_mut(&mut call.func);
                call.args
                    .iter_mut()
                    .for_each(|argument| self.value(argument));
            }
            Expr::MethodCall(call) => {
                let copied = self.receiver(call);
                call.args
                    .iter_mut()
                    .for_each(|argument| self.value(argument));
                if copied {
                    *expr = of_a_copy(call);
                }
            }
            // Those known macros that take their arguments' values; one of the author's, of such a name, gets copies, too.
            Expr::Macro(invocation)
                if ["dbg", "vec"]
                    .iter()
                    .any(|name| invocation.mac.path.is_ident(name)) =>
            {
                change_arguments(&mut invocation.mac, |item| self.value(item));
            }
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|part| self.value(part)),
            Expr::Array(array) => array.elems.iter_mut().for_each(|part| self.value(part)),
            Expr::Struct(literal) => {
                let fields = literal.fields.iter_mut();
                fields.for_each(|field| self.value(&mut field.expr));
                if let Some(rest) = &mut literal.rest {
                    self.rest(rest);
                }
            }
            Expr::Break(syn::ExprBreak {
                expr: Some(value), ..
            }) => self.value(value),
            Expr::If(conditional) => {
                self.binding(&mut conditional.cond, &mut conditional.then_branch);
                visit_mut::visit_expr_if_mut(self, conditional);
            }
            Expr::While(looped) => {
                self.binding(&mut looped.cond, &mut looped.body);
                visit_mut::visit_expr_while_mut(self, looped);
            }
            Expr::Match(matched) => {
                self.scrutinee(matched);
                let bodies = matched.arms.iter_mut().map(|arm| &mut *arm.body);
                bodies.for_each(|body| self.visit_expr_mut(body));
            }
            Expr::Let(binding) if take([&*binding.pat]) => self.value(&mut binding.expr),
            Expr::Try(tried) => self.value(&mut tried.expr),
            Expr::Assign(assign) => self.value(&mut assign.right),
            Expr::Binary(binary) if binary_assigns(&binary.op) => {
                self.visit_expr_mut(&mut binary.left);
                self.value(&mut binary.right);
            }
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => {
                self.value(&mut unary.expr);
            }
            // Comparisons look at both.
            Expr::Binary(binary) if !compares(&binary.op) => {
                self.value(&mut binary.left);
                self.value(&mut binary.right);
            }
            Expr::ForLoop(looped) => {
                self.value(&mut looped.expr);
                self.visit_block_mut(&mut looped.body);
            }
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        if !returns(block) {
            visit_mut::visit_block_mut(self, block);
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if self.is_copied(local) {
            copied_parts::declaration(local);
        } else if let Some(init) = &mut local.init {
            if take([&local.pat]) {
                self.value(&mut init.expr);
            } else {
                self.visit_expr_mut(&mut init.expr);
            }
            if let Some((_, otherwise)) = &mut init.diverge {
                self.visit_expr_mut(otherwise);
            }
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

fn compares(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

/// The same of a name that is not `mut`: a method of a trait of the author's, of the name of one of std's, may be there for a type of
/// std's, and change it. Of a copy that would be lost.
fn of_a_copy(call: &ExprMethodCall) -> Expr {
    let mut of_name = call.clone();
    let span = call.method.span().resolved_at(Span::mixed_site());
    let name = syn::Ident::new("taken_out_of_its_variable", span);
    *of_name.receiver = syn::parse_quote!(#name);
    let receiver = &call.receiver;
    syn::parse_quote!(({
        let #name = #receiver;
        #of_name
    }))
}

/// Whether a block ends the function, and nothing in it goes on elsewhere.
fn returns(block: &syn::Block) -> bool {
    struct Jumps(bool);
    impl<'ast> syn::visit::Visit<'ast> for Jumps {
        fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
            self.0 = true;
        }

        fn visit_expr_continue(&mut self, _: &'ast syn::ExprContinue) {
            self.0 = true;
        }
    }
    let mut jumps = Jumps(false);
    syn::visit::Visit::visit_block(&mut jumps, block);
    block_diverges(block) && !jumps.0
}

/// Whether patterns take out some of what they bind, if it is not `Copy`, and change nothing there.
fn take<'p>(pats: impl IntoIterator<Item = &'p Pat>) -> bool {
    let bindings: Vec<_> = pats.into_iter().flat_map(pattern_bindings).collect();
    let changes = |binding: &Binding| binding.by_ref && binding.is_mutable();
    bindings.iter().any(|binding| !binding.by_ref) && !bindings.iter().any(changes)
}

/// Whether a pattern takes out all that it binds.
fn takes_all(pat: &Pat) -> bool {
    take([pat]) && pattern_bindings(pat).all(|binding| !binding.by_ref)
}

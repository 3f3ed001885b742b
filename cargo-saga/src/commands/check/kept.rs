//! A peer that is kept from `initialize`: on 2026-07-28 there is no session whose peer could be asked later.

use std::ops::Range;

use syn::{Expr, spanned::Spanned, visit::Visit};

use crate::{
    graph::{Graph, handle_type, names},
    report::{Finding, Severity},
    source::{Function, ends_in},
};

/// The methods of `ServerHandler` that belong to a session.
const OF_SESSION: &[&str] = &["initialize", "on_initialized", "on_roots_list_changed"];

pub(super) fn find(graph: &Graph<'_>) -> Vec<Finding> {
    graph
        .ids()
        .filter_map(|id| kept(graph.function(id)))
        .collect()
}

fn kept(function: &Function) -> Option<Finding> {
    let owner = function.owner.as_ref().filter(|owner| !owner.is_trait)?;
    let is_handler = owner
        .of_trait
        .as_ref()
        .is_some_and(|of| ends_in(of, "ServerHandler"));
    if !is_handler || !OF_SESSION.iter().any(|name| function.sig.ident == name) {
        return None;
    }
    let contexts = function.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(param) if is_context(&param.ty) => Some(names(&param.pat)),
        _ => None,
    });
    let mut finder = Finder {
        handles: contexts.flatten().collect(),
        found: None,
    };
    finder.visit_block(function.block.as_ref()?);
    let range = finder.found?;
    let finding = Finding::new(Severity::Warning, "kept-peer", format!("a peer is kept from `{}`", function.sig.ident))
        .at(&function.file, range, "kept here")
        .note("a client of 2026-07-28 has no session: this is never called for it, and the peer of another request cannot be asked")
        .help("the handle that each request brings: `context: RequestContext<RoleServer>`, `peer: Peer<RoleServer>` or `cx: Cx` as a parameter of the tool");
    Some(finding)
}

fn is_context(ty: &syn::Type) -> bool {
    handle_type(ty).is_some()
        || crate::graph::name_of(ty).is_some_and(|name| name == "NotificationContext")
}

struct Finder {
    handles: Vec<String>,
    found: Option<Range<usize>>,
}

impl Finder {
    /// Whether the peer, or the context with it, is given away whole.
    fn is_handle(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|name| self.handles.iter().any(|handle| name == handle)),
            Expr::Field(field) => {
                matches!(&field.member, syn::Member::Named(name) if name == "peer")
                    && self.is_handle(&field.base)
            }
            Expr::MethodCall(call) => call.method == "clone" && self.is_handle(&call.receiver),
            Expr::Reference(inner) => self.is_handle(&inner.expr),
            // `Some(peer)`, `Arc::new(peer)`
            Expr::Call(call) => call.args.iter().any(|argument| self.is_handle(argument)),
            _ => false,
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init
            && self.is_handle(&init.expr)
        {
            self.handles.extend(names(&local.pat));
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        if is_of_self(&assignment.left) && self.is_handle(&assignment.right) {
            self.found.get_or_insert(assignment.span().byte_range());
        }
        syn::visit::visit_expr_assign(self, assignment);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let keeps = [
            "set",
            "insert",
            "push",
            "replace",
            "store",
            "swap",
            "send",
            "get_or_init",
            "get_or_insert",
        ];
        let is_kept = keeps.iter().any(|name| call.method == name)
            && is_of_self(&call.receiver)
            && call.args.iter().any(|argument| self.is_handle(argument));
        if is_kept {
            self.found.get_or_insert(call.span().byte_range());
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}

/// `self.peer`, `*self.peer.lock().await`
fn is_of_self(expr: &Expr) -> bool {
    match expr {
        Expr::Path(path) => path.path.is_ident("self"),
        Expr::Field(field) => is_of_self(&field.base),
        Expr::Index(index) => is_of_self(&index.expr),
        Expr::MethodCall(call) => is_of_self(&call.receiver),
        Expr::Await(awaited) => is_of_self(&awaited.base),
        Expr::Try(tried) => is_of_self(&tried.expr),
        Expr::Unary(unary) => is_of_self(&unary.expr),
        Expr::Paren(paren) => is_of_self(&paren.expr),
        _ => false,
    }
}

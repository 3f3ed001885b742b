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
        places: Vec::new(),
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
    /// What leads to a place of `self`: a guard, a reference.
    places: Vec<String>,
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
            Expr::Call(call) if makes(&call.func) => {
                call.args.iter().any(|argument| self.is_handle(argument))
            }
            Expr::Struct(made) => made.fields.iter().any(|field| self.is_handle(&field.expr)),
            Expr::Tuple(all) => all.elems.iter().any(|one| self.is_handle(one)),
            Expr::Closure(closure) => self.is_handle(&closure.body),
            Expr::Async(block) => self.gives_handle(&block.block),
            Expr::Block(block) => self.gives_handle(&block.block),
            Expr::Paren(paren) => self.is_handle(&paren.expr),
            _ => false,
        }
    }

    fn gives_handle(&self, block: &syn::Block) -> bool {
        matches!(block.stmts.last(), Some(syn::Stmt::Expr(last, None)) if self.is_handle(last))
    }

    /// What a pattern binds of a value.
    fn bind(&mut self, pat: &syn::Pat, of: &Expr) {
        if self.is_handle(of) {
            self.handles.extend(names(pat));
        } else if self.stays(of) {
            self.places.extend(names(pat));
        }
    }

    /// `self.peer`, `*self.peer.lock().await`, `PEER`: what lives longer than the call.
    fn stays(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path.path.segments.last().is_some_and(|last| {
                let name = last.ident.to_string();
                let is_static = name.chars().all(|c| !c.is_lowercase());
                name == "self" || is_static || self.places.contains(&name)
            }),
            Expr::Field(field) => self.stays(&field.base),
            Expr::Index(index) => self.stays(&index.expr),
            Expr::MethodCall(call) => self.stays(&call.receiver),
            Expr::Reference(inner) => self.stays(&inner.expr),
            Expr::Await(awaited) => self.stays(&awaited.base),
            Expr::Try(tried) => self.stays(&tried.expr),
            Expr::Unary(unary) => self.stays(&unary.expr),
            Expr::Paren(paren) => self.stays(&paren.expr),
            _ => false,
        }
    }
}

/// `Some`, `Session`, `Arc::new`: what is made of a value, and has it.
fn makes(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    path.path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.starts_with(char::is_uppercase) || name == "new" || name == "from"
    })
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.bind(&local.pat, &init.expr);
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, looks: &'ast syn::ExprLet) {
        self.bind(&looks.pat, &looks.expr);
        syn::visit::visit_expr_let(self, looks);
    }

    fn visit_expr_match(&mut self, matched: &'ast syn::ExprMatch) {
        for arm in &matched.arms {
            self.bind(&arm.pat, &matched.expr);
        }
        syn::visit::visit_expr_match(self, matched);
    }

    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        if self.stays(&assignment.left) && self.is_handle(&assignment.right) {
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
            "get_or_insert_with",
            "or_insert",
            "or_insert_with",
            "insert_entry",
            "push_back",
            "extend",
            "send_replace",
        ];
        let is_kept = keeps.iter().any(|name| call.method == name)
            && self.stays(&call.receiver)
            && call.args.iter().any(|argument| self.is_handle(argument));
        if is_kept {
            self.found.get_or_insert(call.span().byte_range());
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}

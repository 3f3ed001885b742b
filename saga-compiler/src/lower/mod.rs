//! From the author's text to basic blocks.
//!
//! Only constructs that contain a suspension point are taken apart; everything else stays whole
//! inside its block, as it was written.

mod adapters;
mod apart;
mod arms;
mod captures;
mod chosen;
mod control;
mod expr;
mod found;
mod handles;
mod held;
mod indices;
mod join;
mod lent;
mod let_attribute;
mod limits;
mod literals;
mod lookups;
mod loops;
mod picked;
mod remade;
mod replaced;
mod shadows;
mod statements;
mod structs;
mod suspend;
mod taking;
mod temporaries;
mod variables;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use self::{
    literals::Literals,
    shadows::{Later, last_mentions},
};
use proc_macro2::{Ident, TokenStream};
use syn::{Block as SynBlock, Expr, Stmt, Type};

use crate::{
    ast::{
        assigned::{definitely_moved, reads_before_assigning},
        assigned_places::Assigned,
        changed::perhaps_moved,
        declared::Declared,
        definitely_assigned::definitely_assigned,
        exits::diverges,
        jumps::{assigned_before_jumps, is_way_out},
        patterns::names_bound_in,
        tokens::never,
        types::{is_unique_reference, returns_lent, takes_references},
        uses::Uses,
    },
    cfg::{
        Block, BlockId, Facts, Flow, ImportId, Param, Point, Step, Target, Terminator, Var, VarId,
        persistence::Reborrow,
    },
    errors::Errors,
    syntax::{asks::Handles, function::Input},
};

/// Lowers the function.
pub(crate) fn lower(input: &Input) -> Result<Flow, Errors> {
    let mut lower = Lower::new(&input.handles, Literals::of(&input.item.block));
    lower.reassigned = Assigned::in_block(&input.item.block);
    lower.taken = perhaps_moved(&input.item.block);
    lower.bound = names_bound_in(&control::block_of(&input.item.block));
    let mut params = input.item.sig.inputs.iter();
    lower.lends_out = returns_lent(&input.item.sig.output)
        || params
            .any(|param| matches!(param, syn::FnArg::Typed(param) if takes_references(&param.ty)));
    if let Some(own) = input.item.sig.receiver() {
        lower.lends_self = match &own.kind {
            syn::ReceiverKind::Reference(_, _, mutable) => mutable.is_some(),
            syn::ReceiverKind::Typed(_, ty) => is_unique_reference(ty),
            _ => false,
        };
        lower.shares_self =
            matches!(&own.kind, syn::ReceiverKind::Reference(_, _, mutable) if mutable.is_none());
        // `impl Desk for &mut Store`
        let value = matches!(own.kind, syn::ReceiverKind::Value);
        lower.changes_self = own.mutability.is_some() || lower.lends_self || value;
    }
    lower.declare_params(input);
    lower.start();
    lower.block(&input.item.block, &Destination::Return);
    lower.finish()
}

/// What becomes of an expression's value.
#[derive(Clone)]
enum Destination {
    /// It is dropped at the end of the statement.
    Discard,
    /// It goes to a variable, of this type where the author said one.
    Variable(VarId, Option<Box<Type>>),
    /// The function returns it.
    Return,
}

/// A loop or labelled block that is taken apart.
struct Enclosing {
    label: Option<syn::Lifetime>,
    is_loop: bool,
    on_break: BlockId,
    on_continue: Option<BlockId>,
    result: Destination,
}

/// The function being lowered.
struct Lower<'a> {
    handles: &'a Handles,
    errors: Errors,
    texts: Literals,
    picked: HashMap<VarId, picked::Given>,
    vars: Vec<Var>,
    reborrows: Vec<Reborrow>,
    params: Vec<Param>,
    blocks: Vec<Block>,
    points: Vec<Point>,
    items: Vec<syn::Item>,
    imports: Vec<syn::ItemUse>,
    /// Those of the blocks that are open.
    importing: Vec<ImportId>,
    moved: BTreeSet<VarId>,
    /// Names that are given another value somewhere, or lent for it.
    reassigned: Assigned,
    /// Names whose values may be moved somewhere.
    taken: HashSet<String>,
    /// Names of variables, wherever they are declared.
    bound: HashSet<String>,
    /// Whether `self` may be changed.
    changes_self: bool,
    /// `self` is a `&mut`.
    lends_self: bool,
    /// It is a `&self`.
    shares_self: bool,
    /// A reference may outlive the call.
    lends_out: bool,
    /// What is given to awaited calls that are not taken for ones that may suspend.
    given: Vec<(VarId, proc_macro2::Span)>,
    put_aside: Vec<(VarId, proc_macro2::Span)>,
    scopes: Vec<HashMap<String, VarId>>,
    /// For each scope, all that is declared in it.
    declared: Vec<Vec<VarId>>,
    /// For each scope, whether it hides names that are needed after it.
    shadowed: Vec<bool>,
    /// For each scope, the variables that are held only to be dropped at its end.
    guards: Vec<Vec<VarId>>,
    enclosing: Vec<Enclosing>,
    /// For each open statement list, the names that later statements mention.
    later: Vec<Later>,
    current: BlockId,
    /// Control does not reach the current place.
    dead: bool,
    /// The name for the next ask's key, from the `let` it is in.
    key: Option<String>,
    /// The same for each arm of a join, from the pattern of its `let`.
    arm_keys: Option<Vec<Option<String>>>,
}

impl<'a> Lower<'a> {
    fn new(handles: &'a Handles, texts: Literals) -> Self {
        Self {
            handles,
            texts,
            picked: HashMap::new(),
            errors: Errors::default(),
            vars: Vec::new(),
            reborrows: Vec::new(),
            params: Vec::new(),
            blocks: Vec::new(),
            points: Vec::new(),
            items: Vec::new(),
            imports: Vec::new(),
            importing: Vec::new(),
            moved: BTreeSet::new(),
            reassigned: Assigned::default(),
            taken: HashSet::new(),
            bound: HashSet::new(),
            changes_self: false,
            lends_self: false,
            shares_self: false,
            lends_out: false,
            given: Vec::new(),
            put_aside: Vec::new(),
            scopes: vec![HashMap::new()],
            declared: vec![Vec::new()],
            shadowed: vec![false],
            guards: vec![Vec::new()],
            enclosing: Vec::new(),
            later: Vec::new(),
            current: Flow::ENTRY,
            dead: false,
            key: None,
            arm_keys: None,
        }
    }

    fn start(&mut self) {
        self.current = self.new_block();
    }

    fn finish(self) -> Result<Flow, Errors> {
        self.errors.finish()?;
        Ok(Flow {
            vars: self.vars,
            reborrows: self.reborrows,
            params: self.params,
            changes_self: self.lends_self && self.reassigned.may_write("self"),
            shares_self: self.shares_self,
            blocks: self.blocks,
            points: self.points,
            items: self.items,
            imports: self.imports,
            moved: self.moved,
            given: self.given,
            put_aside: self.put_aside,
            steady: Default::default(),
            reassigned: self.reassigned,
        })
    }

    // ---- blocks

    /// A block that begins with the names of here and now.
    fn new_block(&mut self) -> BlockId {
        let mut scope = HashMap::new();
        for level in &self.scopes {
            scope.extend(level.iter().map(|(name, id)| (name.clone(), *id)));
        }
        self.blocks.push(Block {
            scope,
            visible: self.declared.iter().flatten().copied().collect(),
            imports: self.importing.clone(),
            steps: Vec::new(),
            terminator: Terminator::End,
            renamed: false,
        });
        BlockId(self.blocks.len() - 1)
    }

    /// Ends the current block, unless control does not get here.
    fn terminate(&mut self, terminator: Terminator) {
        if !self.dead {
            self.blocks[self.current.0].terminator = terminator;
        }
        self.dead = true;
    }

    /// Goes on in `block`.
    fn enter(&mut self, block: BlockId) {
        self.current = block;
        self.dead = false;
    }

    /// Goes on in a new block whose names are those of here and now, `hidden` ones apart: their
    /// variables go by an alias there.
    fn boundary(&mut self, hidden: &HashMap<String, Ident>) {
        if self.dead {
            return;
        }
        let next = self.new_block();
        let block = &mut self.blocks[next.0];
        block.renamed = true;
        block.scope.retain(|name, _| !hidden.contains_key(name));
        self.terminate(Terminator::Goto(next));
        self.enter(next);
    }

    /// Makes way for patterns that hide variables which later code still means: from here on those
    /// go by the returned aliases.
    fn alpha_rename(&mut self, hidden: HashMap<String, Ident>) -> HashMap<String, Ident> {
        if !hidden.is_empty() {
            self.boundary(&hidden);
            if let Some(shadowed) = self.shadowed.last_mut() {
                *shadowed = true;
            }
        }
        hidden
    }

    fn open_scope(&mut self) {
        self.scopes.push(HashMap::new());
        self.declared.push(Vec::new());
        self.shadowed.push(false);
        self.guards.push(Vec::new());
    }

    /// Ends a scope; what it hid is visible again.
    fn close_scope(&mut self) {
        let held = self.guards.last().cloned().unwrap_or_default();
        if !held.is_empty() {
            let facts = Facts {
                reads: held.into_iter().collect(),
                ..Facts::default()
            };
            self.step(Step::Code(Box::new(syn::parse_quote!({})), facts));
        }
        if self.abandon_scope() {
            self.boundary(&HashMap::new());
        }
    }

    /// Ends a scope that is left by other ways than its end; whether it hid names.
    fn abandon_scope(&mut self) -> bool {
        self.scopes.pop();
        self.declared.pop();
        self.guards.pop();
        self.shadowed.pop() == Some(true)
    }

    fn step(&mut self, step: Step) {
        if !self.dead {
            self.blocks[self.current.0].steps.push(step);
        }
    }

    // ---- statements

    /// The statements of a block, its value to `destination`.
    fn block(&mut self, block: &SynBlock, destination: &Destination) {
        self.open_scope();
        let importing = self.importing.len();
        self.import(block);
        let last = Rc::new(last_mentions(&block.stmts));
        let mut ended = false;
        for (index, stmt) in block.stmts.iter().enumerate() {
            // An item is there wherever it stands.
            if self.dead && !matches!(stmt, Stmt::Item(_)) {
                continue;
            }
            let rest = &block.stmts[index + 1..];
            self.later.push(Later {
                last: Rc::clone(&last),
                index,
                depth: self.scopes.len() - 1,
            });
            match tail_of(stmt).filter(|_| rest.is_empty()) {
                Some(tail) => {
                    self.value(&tail, destination);
                    ended = true;
                }
                None if rest.is_empty() && self.may_diverge(stmt, destination) => {
                    self.give(syn::parse_quote!({ #stmt }), destination);
                    ended = true;
                }
                None => {
                    if let Some(stmts) = self.without_move(stmt, rest) {
                        stmts.iter().for_each(|stmt| self.statement(stmt));
                    } else {
                        let living = self.with_entry(stmt, rest);
                        self.statement(living.as_ref().unwrap_or(stmt));
                    }
                }
            }
            self.later.pop();
        }
        if !ended {
            self.give(syn::parse_quote!(()), destination);
        }
        if self.importing.len() > importing {
            self.importing.truncate(importing);
            if let Some(shadowed) = self.shadowed.last_mut() {
                *shadowed = true;
            }
        }
        self.close_scope();
    }

    /// Names that are imported in a block mean something in that block alone.
    fn import(&mut self, block: &SynBlock) {
        // Those of the body go to the top of the function.
        if self.scopes.len() <= 2 {
            return;
        }
        for stmt in &block.stmts {
            if let Stmt::Item(syn::Item::Use(item)) = stmt {
                self.importing.push(ImportId(self.imports.len()));
                self.imports.push(item.clone());
            }
        }
        if block.stmts.iter().any(is_import) {
            self.boundary(&HashMap::new());
        }
    }

    /// Whether a block may have no value because its last statement does not end, which only its type says:
    /// `exit(1);`.
    fn may_diverge(&self, stmt: &Stmt, destination: &Destination) -> bool {
        let called = match stmt {
            Stmt::Macro(_) => true,
            Stmt::Expr(expr, _) => {
                matches!(expr, Expr::Call(_) | Expr::MethodCall(_) | Expr::Macro(_))
            }
            _ => false,
        };
        let unasked = match stmt {
            Stmt::Expr(expr, _) => !self.is_cut(expr),
            _ => true,
        };
        called && unasked && !matches!(destination, Destination::Discard)
    }

    /// Gives a value that is already free of suspension points to its destination.
    fn give(&mut self, expr: Expr, destination: &Destination) {
        if self.dead {
            return;
        }
        match destination {
            _ if diverges(&expr) => self.opaque(Stmt::Expr(expr, Some(Default::default()))),
            Destination::Discard if is_unit(&expr) => {}
            Destination::Discard => self.opaque(Stmt::Expr(expr, Some(Default::default()))),
            Destination::Return => {
                self.opaque(syn::parse_quote!(return #expr;));
            }
            Destination::Variable(var, ty) => {
                if let (Some(ty), None) = (ty, &self.vars[var.0].ty) {
                    self.vars[var.0].ty = Some((**ty).clone());
                }
                self.given(*var, Some(&expr));
                self.picked(*var, Some(&expr));
                self.define(*var, expr);
            }
        }
    }

    /// Gives a variable the value of an expression that stays whole.
    fn define(&mut self, var: VarId, value: Expr) {
        let called = self.handles.called_in(&value);
        self.put_aside.extend(called.map(|span| (var, span)));
        let stmt = Stmt::Expr(value.clone(), None);
        let mut facts = self.piece(&stmt);
        facts.defs.insert(var);
        self.step(Step::Define(var, Box::new(value), facts));
    }

    /// What a statement that stays whole does.
    fn piece(&mut self, stmt: &Stmt) -> Facts {
        for name in self.handles.given_in(stmt) {
            if let Some(var) = self.lookup(&name.to_string()) {
                self.given.push((var, name.span()));
            }
        }
        let uses = Uses::of_stmt(stmt);
        let both = uses.assigns.iter().cloned();
        let both: Vec<_> = both.filter(|name| uses.reads.contains_key(name)).collect();
        let mut facts = self.facts(uses);
        for name in both {
            if !reads_before_assigning(stmt, &name)
                && let Some(var) = self.resolve(&name)
            {
                facts.reads.remove(&var);
            }
        }
        facts.jumps = self.jumps_of(stmt);
        for (result, value) in self.given_by_jumps(stmt) {
            self.given(result, None);
            self.picked(result, value.as_ref());
        }
        facts.kills = self.resolve_all(definitely_assigned(stmt));
        facts.moves = self.resolve_all(definitely_moved(stmt));
        facts
    }

    /// Code that is only type-checked: nothing is moved or given another value in it.
    fn prove(&mut self, proof: &TokenStream) {
        if self.dead {
            return;
        }
        let proof = never(proof);
        let proof: Stmt = syn::parse_quote!(#proof);
        let names = Uses::of_stmt(&proof).reads.into_keys();
        let facts = Facts {
            reads: self.resolve_all(names).into_iter().collect(),
            ..Facts::default()
        };
        self.step(Step::Code(Box::new(proof), facts));
    }

    /// The same, of an expression.
    fn piece_of(&mut self, expr: &Expr) -> Facts {
        self.piece(&Stmt::Expr(expr.clone(), None))
    }

    /// Where the jumps that leave `stmt` go, in order of the text.
    pub(super) fn jumps_of(&self, stmt: &Stmt) -> Vec<Target> {
        let mut targets = Vec::new();
        let mut copy = stmt.clone();
        crate::ast::jumps::rewrite(&mut copy, &mut |jump| {
            targets.extend(self.target(jump.label, jump.is_break));
            None
        });
        targets
    }

    fn target(&self, label: Option<&syn::Lifetime>, is_break: bool) -> Option<Target> {
        let enclosing = self.enclosing.iter().rev().find(|enclosing| match label {
            Some(label) => enclosing.label.as_ref() == Some(label),
            None => enclosing.is_loop,
        })?;
        let result = match &enclosing.result {
            Destination::Variable(var, _) => Some(*var),
            _ => None,
        };
        if is_break {
            Some(Target {
                block: enclosing.on_break,
                result,
            })
        } else {
            enclosing.on_continue.map(|block| Target {
                block,
                result: None,
            })
        }
    }

    /// Whether an expression has to be taken apart: it suspends, or it jumps out of a scope in which
    /// a name means something else, or with a new value for what may have been moved.
    fn is_cut(&self, expr: &Expr) -> bool {
        self.handles.contains_suspension(expr) || self.jumps_with_names(expr)
    }

    fn jumps_with_names(&self, expr: &Expr) -> bool {
        if self.enclosing.is_empty() {
            return false;
        }
        let stmt = Stmt::Expr(expr.clone(), None);
        if self.jumps_of(&stmt).is_empty() {
            return false;
        }
        let mut hidden = names_bound_in(expr).into_iter();
        let mut assigned = assigned_before_jumps(expr).into_iter();
        hidden.any(|name| self.lookup(&name).is_some())
            || Declared::in_expr(expr).hides(|name| self.lookup(name).is_some())
            || assigned.any(|name| self.taken.contains(&name) && self.lookup(&name).is_some())
    }
}

/// The patterns of a tuple, each for its own value.
fn is_import(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Item(syn::Item::Use(_)))
}

fn parts_of(pat: &syn::Pat) -> Option<Vec<syn::Pat>> {
    let syn::Pat::Tuple(tuple) = pat else {
        return None;
    };
    let rest = tuple
        .elems
        .iter()
        .any(|part| matches!(part, syn::Pat::Rest(_)));
    (!rest).then(|| tuple.elems.iter().cloned().collect())
}

fn is_unit(expr: &Expr) -> bool {
    matches!(expr, Expr::Tuple(tuple) if tuple.elems.is_empty())
}

/// The value of a block, where this is its last statement.
fn tail_of(stmt: &Stmt) -> Option<Expr> {
    match stmt {
        Stmt::Expr(expr, None) => {
            // `#[async_trait]` puts one on its last expression, authors put lints there; elsewhere they are
            // not stable.
            let mut expr = expr.clone();
            if let Some(attributes) = crate::syntax::conditional::attributes(&mut expr) {
                // Without the mark, `{ f(ask)? }` in an async block would leave the function.
                attributes.retain(is_way_out);
            }
            Some(expr)
        }
        Stmt::Macro(stmt) if stmt.semi_token.is_none() => Some(Expr::Macro(syn::ExprMacro {
            attrs: Vec::new(),
            mac: stmt.mac.clone(),
        })),
        _ => None,
    }
}

//! A hash per suspension point over what can still run from there: an edit of what comes before, or of another branch, leaves
//! it as it is.
//!
//! Blocks and variables are numbered in the order in which they are met from the point on. What a variable's *type* is only
//! rustc knows; the runtime writes that into the frame.

use std::collections::{BTreeSet, HashMap, VecDeque};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::{
    analysis::states::Plan,
    ast::hash::Hash,
    cfg::{
        Access, Arm, AskCall, BlockId, Callee, Facts, Flow, Point, Step, Terminator, VarId,
        persistence::{Form, Persistence},
    },
};

/// Of which release the meaning of blocks and frames is: it changes with either.
const LAYOUT: &str = concat!(
    env!("CARGO_PKG_VERSION_MAJOR"),
    ".",
    env!("CARGO_PKG_VERSION_MINOR"),
    " layout 2"
);

/// The fingerprints of all points, in order. Two that are alike are told apart by which comes first.
pub(crate) fn points(signature: &syn::Signature, flow: &Flow, plan: &Plan) -> Vec<u64> {
    let mut alike: HashMap<u64, usize> = HashMap::new();
    flow.points
        .iter()
        .map(|point| {
            let print = of_point(signature, flow, plan, point);
            let before = alike.entry(print).or_default();
            let mut hash = Hash::of(print);
            hash.number(*before);
            *before += 1;
            // Zero is the beginning of a call.
            hash.finish().max(1)
        })
        .collect()
}

/// The fingerprint of an arm of a join that is one ask: the rest of it is in the function's own.
pub(crate) fn arm(function: &str, index: usize, key: &str) -> u64 {
    let mut hash = Hash::new();
    hash.text(LAYOUT);
    hash.text(function);
    hash.number(index);
    hash.text(key);
    hash.finish().max(1)
}

fn of_point(signature: &syn::Signature, flow: &Flow, plan: &Plan, point: &Point) -> u64 {
    let mut walk = Walk {
        flow,
        hash: Hash::new(),
        vars: HashMap::new(),
        blocks: HashMap::new(),
        open: VecDeque::new(),
        typed: BTreeSet::new(),
    };
    walk.hash.text(LAYOUT);
    walk.hash.verbatim(signature.to_token_stream());
    for item in &flow.items {
        walk.hash.verbatim(item.to_token_stream());
    }
    for param in &flow.params {
        let is_root = matches!(param.access, Access::Parsed | Access::Rooted);
        walk.hash.number(usize::from(is_root));
    }
    walk.hash.text(&point.key);
    if let Some((_, state)) = plan.state(point.block) {
        walk.entering(&state.entering);
        walk.hash.text("stored");
        for var in flow.in_frame_order(state.carried.iter().copied()) {
            walk.var(var);
        }
    }
    walk.block(point.block);
    walk.run();
    walk.hash.finish()
}

struct Walk<'a> {
    flow: &'a Flow,
    hash: Hash,
    vars: HashMap<VarId, usize>,
    blocks: HashMap<BlockId, usize>,
    open: VecDeque<BlockId>,
    /// Variables whose types follow from the frame, or from what was hashed.
    typed: BTreeSet<VarId>,
}

impl Walk<'_> {
    fn run(&mut self) {
        let flow = self.flow;
        while let Some(id) = self.open.pop_front() {
            let block = flow.block(id);
            self.hash.text("block");
            for import in &block.imports {
                let import = flow.imports.get(import.0);
                self.code(import.to_token_stream());
            }
            for step in &block.steps {
                self.step(step);
            }
            self.terminator(&block.terminator);
        }
        self.declarations();
    }

    /// Where a variable is declared that is not there at the point, and gets its value after it: its type is that of its declaration.
    fn declarations(&mut self) {
        loop {
            let open = self.vars.keys().copied();
            let open = open
                .filter(|var| !self.typed.contains(var))
                .collect::<Vec<_>>();
            if open.is_empty() {
                return;
            }
            for var in self.flow.in_frame_order(open) {
                self.typed.insert(var);
                self.hash.text("declared");
                self.var(var);
                self.code(self.flow.var(var).ty.to_token_stream());
                for block in &self.flow.blocks {
                    let steps = block.steps.iter();
                    for step in steps.filter(|step| step.facts().defs.contains(&var)) {
                        self.step(step);
                    }
                    self.bound(&block.terminator, var);
                }
            }
        }
    }

    /// What a block's end gives a variable.
    fn bound(&mut self, terminator: &Terminator, var: VarId) {
        match terminator {
            Terminator::If { cond, facts, .. } if facts.defs.contains(&var) => {
                self.code(cond.to_token_stream());
            }
            Terminator::Match {
                scrutinee, arms, ..
            } => {
                for (pat, _, _) in arms
                    .iter()
                    .filter(|(_, bound, _)| bound.defs.contains(&var))
                {
                    self.code(scrutinee.to_token_stream());
                    self.code(pat.to_token_stream());
                }
            }
            Terminator::Call {
                callee, results, ..
            } if results.contains(&var) => self.callee(callee),
            _ => {}
        }
    }

    /// What is there already, and how it comes back.
    fn entering(&mut self, vars: &BTreeSet<VarId>) {
        let vars = self.flow.in_frame_order(vars.iter().copied());
        for var in &vars {
            self.var(*var);
        }
        self.typed.extend(vars.iter().copied());
        for var in vars {
            let declared = self.flow.var(var);
            self.var(var);
            self.code(declared.ty.to_token_stream());
            self.persistence(&declared.persistence);
        }
    }

    fn persistence(&mut self, persistence: &Persistence) {
        match persistence {
            Persistence::Param(id) => {
                self.hash.text("parameter");
                self.hash.number(id.0);
            }
            Persistence::Reborrowed(id) => {
                let reborrow = self.flow.reborrow(*id);
                self.hash.text("place");
                self.code(reborrow.pat.to_token_stream());
                self.code(reborrow.init.to_token_stream());
                for dep in &reborrow.deps {
                    self.var(*dep);
                }
            }
            Persistence::Spilled(form) => self.form(form),
        }
    }

    fn form(&mut self, form: &Form) {
        match form {
            Form::ByType(hints) => {
                self.hash.text("by type");
                self.hash.number(usize::from(hints.borrows));
                self.hash.number(usize::from(hints.given));
                let again = hints.rematerialized.iter().flat_map(|again| &again.lets);
                for (var, value) in again {
                    self.var(*var);
                    self.code(value.to_token_stream());
                }
            }
            Form::Record => self.hash.text("record"),
            Form::Number => self.hash.text("number"),
            Form::Untouched => self.hash.text("untouched"),
            Form::Static => self.hash.text("static"),
            Form::With(module) => {
                self.hash.text("with");
                self.code(module.to_token_stream());
            }
            Form::Skip => self.hash.text("skip"),
            Form::Reevaluated(init) => {
                self.hash.text("remake");
                self.code(init.to_token_stream());
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Code(stmt, facts) => {
                self.hash.text("code");
                self.code(stmt.to_token_stream());
                self.facts(facts);
            }
            Step::Define(var, value, facts) => {
                self.hash.text("define");
                self.code(value.to_token_stream());
                self.facts(facts);
                self.typed.insert(*var);
                self.var(*var);
                self.code(self.flow.var(*var).ty.to_token_stream());
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        if let Some(facts) = terminator.facts() {
            self.facts(facts);
        }
        match terminator {
            Terminator::Goto(next) => {
                self.hash.text("goto");
                self.block(*next);
            }
            Terminator::If {
                cond,
                then,
                otherwise,
                ..
            } => {
                self.hash.text("if");
                self.code(cond.to_token_stream());
                self.block(*then);
                self.block(*otherwise);
            }
            Terminator::Match {
                scrutinee, arms, ..
            } => {
                self.hash.text("match");
                self.code(scrutinee.to_token_stream());
                for (pat, bound, next) in arms {
                    self.code(pat.to_token_stream());
                    self.facts(bound);
                    self.block(*next);
                }
            }
            Terminator::Ask {
                point,
                ask,
                answer,
                resume,
                ..
            } => {
                self.hash.text("ask");
                self.key_of(point.0);
                self.ask(ask);
                self.typed.insert(*answer);
                self.var(*answer);
                self.block(*resume);
            }
            Terminator::Call {
                point,
                callee,
                results,
                next,
                ..
            } => {
                self.hash.text("call");
                self.key_of(point.0);
                self.callee(callee);
                self.typed.extend(results);
                results.iter().for_each(|var| self.var(*var));
                self.block(*next);
            }
            Terminator::End => self.hash.text("end"),
        }
    }

    fn key_of(&mut self, point: u32) {
        let point = (point as usize).checked_sub(1);
        if let Some(point) = point.and_then(|index| self.flow.points.get(index)) {
            self.hash.text(&point.key);
        }
    }

    fn ask(&mut self, ask: &AskCall) {
        self.hash.text(&format!("{:?}", ask.method));
        self.code(ask.handle.to_token_stream());
        self.code(ask.turbofish.to_token_stream());
        for argument in &ask.arguments {
            self.code(argument.to_token_stream());
        }
        self.hash.text(ask.key.as_deref().unwrap_or_default());
        if let Some(limit) = &ask.limit {
            self.hash.text(limit.name());
            self.code(limit.expr().to_token_stream());
        }
    }

    fn callee(&mut self, callee: &Callee) {
        match callee {
            Callee::One(call) => self.code(call.to_token_stream()),
            Callee::Join { arms, tries } => {
                self.hash.text(if *tries { "try join" } else { "join" });
                arms.iter().for_each(|arm| self.arm(arm));
            }
            Callee::Each { items, pat, arm } => {
                self.hash.text("each");
                self.code(items.to_token_stream());
                self.code(pat.to_token_stream());
                self.arm(arm);
            }
        }
    }

    fn arm(&mut self, arm: &Arm) {
        match arm {
            Arm::Ask(ask, key) => {
                self.hash.text("asks");
                self.hash.text(key);
                self.ask(ask);
            }
            Arm::Other(future) => {
                self.hash.text("awaits");
                self.code(future.to_token_stream());
            }
        }
    }

    fn facts(&mut self, facts: &Facts) {
        let roles = [
            ("reads", &facts.reads),
            ("assigns", &facts.assigns),
            ("declares", &facts.defs),
        ];
        for (role, vars) in roles {
            self.hash.text(role);
            let mut vars: Vec<_> = vars.iter().copied().collect();
            vars.sort_by_cached_key(|var| {
                let number = self.vars.get(var).copied().unwrap_or(usize::MAX);
                (number, self.flow.author_name(*var), *var)
            });
            vars.into_iter().for_each(|var| self.var(var));
        }
        self.typed.extend(&facts.defs);
        for jump in &facts.jumps {
            self.hash.text("jump");
            self.block(jump.block);
            if let Some(result) = jump.result {
                self.var(result);
            }
        }
    }

    fn block(&mut self, id: BlockId) {
        let next = self.blocks.len();
        let number = *self.blocks.entry(id).or_insert_with(|| {
            self.open.push_back(id);
            next
        });
        self.hash.number(number);
    }

    fn var(&mut self, id: VarId) {
        number(self.flow, &mut self.vars, &mut self.hash, id);
    }

    fn code(&mut self, tokens: TokenStream) {
        let (flow, vars) = (self.flow, &mut self.vars);
        self.hash.stream(tokens, &mut |hash, token| match token {
            TokenTree::Ident(ident) => match flow.named_by_number(ident) {
                Some(var) => number(flow, vars, hash, var),
                None => hash.text(&ident.to_string()),
            },
            other => hash.text(&other.to_string()),
        });
    }
}

/// The number of a variable, with its name where it is met first.
fn number(flow: &Flow, vars: &mut HashMap<VarId, usize>, hash: &mut Hash, id: VarId) {
    let next = vars.len();
    let known = vars.get(&id).copied();
    hash.text("variable");
    hash.number(known.unwrap_or(next));
    if known.is_none() {
        vars.insert(id, next);
        hash.text(&flow.author_name(id));
        hash.number(usize::from(flow.var(id).mutable));
        if let Persistence::Param(param) = flow.var(id).persistence {
            hash.number(param.0);
        }
    }
}

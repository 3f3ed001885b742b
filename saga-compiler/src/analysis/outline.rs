//! A function as its points' fingerprints read it: each piece of code is read once, and hashed but for what is numbered from the
//! point on.

use std::{collections::HashMap, rc::Rc};

use proc_macro2::TokenTree;
use quote::ToTokens;

use crate::{
    ast::hash::{Hash, Piece, each},
    cfg::{
        Access, Arm, AskCall, Block, BlockId, CallLimit, Callee, Facts, Flow, Step, Terminator,
        VarId,
        persistence::{Form, Persistence},
    },
};

/// Of which release the meaning of blocks and frames is: it changes with either.
pub(super) const LAYOUT: &str = concat!(
    env!("CARGO_PKG_VERSION_MAJOR"),
    ".",
    env!("CARGO_PKG_VERSION_MINOR"),
    " layout 5"
);

/// A piece of what is hashed.
pub(super) enum Part {
    /// The same from every point.
    Text(u64),
    /// A variable.
    Var(VarId),
    /// Variables whose order in the text says nothing.
    Vars(Vec<VarId>),
    /// Where control goes.
    Block(BlockId),
    /// The variable's type follows from what was hashed.
    Typed(VarId),
}

/// A piece of a function.
pub(super) type Parts = Rc<[Part]>;

/// The whole function.
pub(super) struct Outline {
    /// What every point has: the function's signature, its items, what its parameters are.
    pub(super) head: u64,
    /// Each variable as it is met first.
    pub(super) names: Vec<u64>,
    /// How each variable comes back.
    pub(super) persistence: Vec<Parts>,
    /// The declared type of each variable.
    pub(super) types: Vec<Parts>,
    /// What runs in each block.
    pub(super) blocks: Vec<Vec<Parts>>,
    /// What declares each variable.
    pub(super) declarations: HashMap<VarId, Vec<Parts>>,
}

impl Outline {
    pub(super) fn of(signature: &syn::Signature, flow: &Flow) -> Self {
        let vars = || (0..flow.vars.len()).map(VarId);
        let parts = |write: &dyn Fn(&mut Writer<'_>)| {
            let mut writer = Writer::new(flow);
            write(&mut writer);
            writer.finish()
        };
        let mut outline = Self {
            head: head(signature, flow),
            names: vars().map(|var| name(flow, var)).collect(),
            persistence: vars()
                .map(|var| {
                    parts(&|writer| {
                        writer.code(&flow.var(var).ty);
                        writer.persistence(&flow.var(var).persistence);
                    })
                })
                .collect(),
            types: vars()
                .map(|var| parts(&|writer| writer.code(&flow.var(var).ty)))
                .collect(),
            blocks: Vec::new(),
            declarations: HashMap::new(),
        };
        for block in &flow.blocks {
            let of_block = outline.block(flow, block);
            outline.blocks.push(of_block);
        }
        outline
    }

    fn block(&mut self, flow: &Flow, block: &Block) -> Vec<Parts> {
        let mut pieces = Vec::new();
        let mut writer = Writer::new(flow);
        writer.text("block");
        for import in &block.imports {
            writer.code(&flow.imports.get(import.0));
        }
        pieces.push(writer.finish());
        for step in &block.steps {
            let mut writer = Writer::new(flow);
            writer.step(step);
            let step_parts = writer.finish();
            for var in &step.facts().defs {
                let declarations = self.declarations.entry(*var).or_default();
                declarations.push(Rc::clone(&step_parts));
            }
            pieces.push(step_parts);
        }
        self.bound(flow, &block.terminator);
        let mut writer = Writer::new(flow);
        writer.terminator(&block.terminator);
        pieces.push(writer.finish());
        pieces
    }

    /// What a block's end gives variables.
    fn bound(&mut self, flow: &Flow, terminator: &Terminator) {
        let mut declare = |vars: &mut dyn Iterator<Item = &VarId>, parts: &Parts| {
            for var in vars {
                let declarations = self.declarations.entry(*var).or_default();
                declarations.push(Rc::clone(parts));
            }
        };
        let mut writer = Writer::new(flow);
        match terminator {
            Terminator::If { cond, facts, .. } if !facts.defs.is_empty() => {
                writer.code(cond);
                declare(&mut facts.defs.iter(), &writer.finish());
            }
            Terminator::Match {
                scrutinee, arms, ..
            } => {
                for (pat, bound, _) in arms.iter().filter(|(_, bound, _)| !bound.defs.is_empty()) {
                    let mut writer = Writer::new(flow);
                    writer.code(scrutinee);
                    writer.code(pat);
                    declare(&mut bound.defs.iter(), &writer.finish());
                }
            }
            Terminator::Call {
                callee,
                limit,
                results,
                ..
            } => {
                writer.limit(limit.as_ref());
                writer.callee(callee);
                declare(&mut results.iter(), &writer.finish());
            }
            _ => {}
        }
    }
}

fn head(signature: &syn::Signature, flow: &Flow) -> u64 {
    let mut hash = Hash::new();
    hash.text(LAYOUT);
    hash.verbatim(signature.to_token_stream());
    for item in &flow.items {
        hash.verbatim(item.to_token_stream());
    }
    for param in &flow.params {
        let is_root = matches!(param.access, Access::Parsed | Access::Rooted);
        hash.number(usize::from(is_root));
    }
    hash.finish()
}

fn name(flow: &Flow, var: VarId) -> u64 {
    let mut hash = Hash::new();
    hash.text(&flow.author_name(var));
    if let Persistence::Param(param) = flow.var(var).persistence {
        hash.number(param.0);
    }
    hash.finish()
}

struct Writer<'a> {
    flow: &'a Flow,
    parts: Vec<Part>,
    /// What was hashed since the last part.
    text: Option<Hash>,
}

impl<'a> Writer<'a> {
    fn new(flow: &'a Flow) -> Self {
        Self {
            flow,
            parts: Vec::new(),
            text: None,
        }
    }

    fn finish(mut self) -> Parts {
        self.end_text();
        self.parts.into()
    }

    fn end_text(&mut self) {
        let text = self.text.take();
        self.parts
            .extend(text.map(|hash| Part::Text(hash.finish())));
    }

    fn push(&mut self, part: Part) {
        self.end_text();
        self.parts.push(part);
    }

    fn text(&mut self, text: &str) {
        self.text.get_or_insert_with(Hash::new).text(text);
    }

    fn number(&mut self, number: usize) {
        self.text.get_or_insert_with(Hash::new).number(number);
    }

    fn var(&mut self, var: VarId) {
        self.push(Part::Var(var));
    }

    fn typed(&mut self, var: VarId) {
        self.push(Part::Typed(var));
    }

    fn block(&mut self, block: BlockId) {
        self.push(Part::Block(block));
    }

    fn code(&mut self, code: &(impl ToTokens + ?Sized)) {
        each(code.to_token_stream(), &mut |piece| match piece {
            Piece::Open(delimiter) => self.text(&format!("{delimiter:?}")),
            Piece::Leaf(TokenTree::Ident(ident)) => match self.flow.named_by_number(ident) {
                Some(var) => self.var(var),
                None => self.text(&ident.to_string()),
            },
            Piece::Leaf(token) => self.text(&token.to_string()),
            Piece::Close => self.text("end"),
        });
    }

    fn persistence(&mut self, persistence: &Persistence) {
        match persistence {
            Persistence::Param(id) => {
                self.text("parameter");
                self.number(id.0);
            }
            Persistence::Reborrowed(id) => {
                let reborrow = self.flow.reborrow(*id);
                self.text("place");
                self.code(&reborrow.pat);
                self.code(&reborrow.init);
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
                self.text("by type");
                self.number(usize::from(hints.borrows));
                self.number(usize::from(hints.given));
                let again = hints.rematerialized.iter().flat_map(|again| &again.lets);
                for (var, value) in again {
                    self.var(*var);
                    if let Some((pat, _)) = &value.bound {
                        self.code(pat);
                    }
                    self.code(&value.init);
                }
            }
            Form::Record => self.text("record"),
            Form::Spot => self.text("spot"),
            Form::Number => self.text("number"),
            Form::Untouched => self.text("untouched"),
            Form::Static => self.text("static"),
            Form::With(module) => {
                self.text("with");
                self.code(module);
            }
            Form::Skip => self.text("skip"),
            Form::Reevaluated(init) => {
                self.text("remake");
                self.code(init);
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Code(stmt, facts) => {
                self.text("code");
                self.code(stmt);
                self.facts(facts);
            }
            Step::Define(var, value, facts) => {
                self.text("define");
                self.code(value);
                self.facts(facts);
                self.typed(*var);
                self.var(*var);
                self.code(&self.flow.var(*var).ty);
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        if let Some(facts) = terminator.facts() {
            self.facts(facts);
        }
        match terminator {
            Terminator::Goto(next) => {
                self.text("goto");
                self.block(*next);
            }
            Terminator::If {
                cond,
                then,
                otherwise,
                ..
            } => {
                self.text("if");
                self.code(cond);
                self.block(*then);
                self.block(*otherwise);
            }
            Terminator::Match {
                scrutinee, arms, ..
            } => {
                self.text("match");
                self.code(scrutinee);
                for (pat, bound, next) in arms {
                    self.code(pat);
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
                self.text("ask");
                self.key_of(point.0);
                self.ask(ask);
                self.typed(*answer);
                self.var(*answer);
                self.block(*resume);
            }
            Terminator::Call {
                point,
                callee,
                limit,
                results,
                next,
                ..
            } => {
                self.text("call");
                self.key_of(point.0);
                self.limit(limit.as_ref());
                self.callee(callee);
                for var in results {
                    self.typed(*var);
                    self.var(*var);
                }
                self.block(*next);
            }
            Terminator::End => self.text("end"),
        }
    }

    fn key_of(&mut self, point: u32) {
        let point = (point as usize).checked_sub(1);
        if let Some(point) = point.and_then(|index| self.flow.points.get(index)) {
            self.text(&point.key);
        }
    }

    fn ask(&mut self, ask: &AskCall) {
        self.text(&format!("{:?}", ask.method));
        self.code(&ask.handle);
        self.code(&ask.turbofish);
        for argument in &ask.arguments {
            self.code(argument);
        }
        self.text(ask.key.as_deref().unwrap_or_default());
        if let Some(limit) = &ask.limit {
            self.text(limit.name());
            self.code(limit.expr());
        }
    }

    fn limit(&mut self, limit: Option<&CallLimit>) {
        match limit {
            None => {}
            Some(CallLimit::Within(when)) => {
                self.text("within");
                self.var(*when);
            }
            Some(CallLimit::Beside(when, _)) => {
                self.text("beside");
                self.var(*when);
            }
            Some(CallLimit::Unless(other, _)) => {
                self.text("unless");
                self.code(other);
            }
        }
    }

    fn callee(&mut self, callee: &Callee) {
        match callee {
            Callee::One(call) => self.code(call),
            Callee::Join { arms, tries } => {
                self.text(if *tries { "try join" } else { "join" });
                arms.iter().for_each(|arm| self.arm(arm));
            }
            Callee::Each {
                items,
                pat,
                arm,
                tries,
            } => {
                self.text(if *tries { "try each" } else { "each" });
                self.code(items);
                self.code(pat);
                self.arm(arm);
            }
        }
    }

    fn arm(&mut self, arm: &Arm) {
        match arm {
            Arm::Ask(ask, key) => {
                self.text("asks");
                self.text(key);
                self.ask(ask);
            }
            Arm::Other(future) | Arm::Plain(future) => {
                self.text("awaits");
                self.code(future);
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
            self.text(role);
            if !vars.is_empty() {
                self.push(Part::Vars(vars.iter().copied().collect()));
            }
        }
        facts.defs.iter().for_each(|var| self.typed(*var));
        for jump in &facts.jumps {
            self.text("jump");
            self.block(jump.block);
            if let Some(result) = jump.result {
                self.var(result);
            }
        }
    }
}

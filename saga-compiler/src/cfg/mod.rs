//! The control-flow graph of one function, between its text and the generated code.

pub(crate) mod aggregate;
pub(crate) mod copies;
mod doubtful;
mod evaluation;
pub(crate) mod found;
pub(crate) mod item_copies;
pub(crate) mod iterated;
pub(crate) mod lookup;
pub(crate) mod persistence;
pub(crate) mod place;
pub(crate) mod proof;
pub(crate) mod rematerialize;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::persistence::{Persistence, Reborrow, ReborrowId};
use proc_macro2::Ident;
use syn::{Expr, Pat, Stmt, Type};

use crate::ast::{
    assigned_places::Assigned, calls::is_hidden_name, patterns::guard, touched::Code,
    vocabulary::Method,
};

/// A binding of the function, by declaration: two variables of one name are two of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct VarId(pub(crate) usize);

/// A basic block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BlockId(pub(crate) usize);

/// A `use` item in a block of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImportId(pub(crate) usize);

/// A suspension point, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PointId(pub(crate) u32);

/// A parameter of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ParamId(pub(crate) usize);

/// A variable.
#[derive(Clone)]
pub(crate) struct Var {
    pub(crate) ident: Ident,
    pub(crate) mutable: bool,
    pub(crate) persistence: Persistence,
    pub(crate) ty: Option<Type>,
    /// Made by the macro: its name is its own, whatever the scope.
    pub(crate) hidden: bool,
    /// Of a `let x;`: it gets its first value later.
    pub(crate) late: bool,
    pub(crate) stands_for: StandsFor,
}

/// What a variable of the macro's own has in the author's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StandsFor {
    /// Nothing that could be dropped at another time.
    Nothing,
    /// A value in the middle of a statement, which is used once: it is gone with the statement.
    Value,
    /// The same, evaluated before the rest of its statement: temporaries of it are held to the end of that.
    Operand,
    /// The same of a place, of which it has a copy: what would change it there must not change the copy.
    Place,
    /// What a loop goes over: temporaries of it are held to the loop's end.
    Items,
}

/// How a parameter is reached from the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// By its own name: it is never moved.
    Direct,
    /// A copy of a shared reference.
    Copied,
    /// A reborrow of a unique reference.
    Reborrowed,
    /// A clone: the handle, or an extension of the request.
    Cloned,
    /// Made again from the call's arguments in each block: it is moved away.
    Parsed,
    /// By its own name, once the arguments are known to be those of the first request.
    Rooted,
    /// A local like any other.
    Local,
}

/// A parameter of the function.
#[derive(Clone)]
pub(crate) struct Param {
    pub(crate) pat: Pat,
    pub(crate) ty: Type,
    pub(crate) access: Access,
    /// It is a `&mut`, and what is behind it may be changed.
    pub(crate) changes: bool,
    pub(crate) vars: Vec<VarId>,
}

/// What a piece of code does to variables.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    pub(crate) reads: BTreeSet<VarId>,
    /// It mentions `self`.
    pub(crate) of_self: bool,
    /// Assigned as a whole, perhaps not on every path.
    pub(crate) assigns: BTreeSet<VarId>,
    /// Moved away on every path that goes on.
    pub(crate) moves: BTreeSet<VarId>,
    /// Assigned as a whole on every path.
    pub(crate) kills: BTreeSet<VarId>,
    /// Declared here.
    pub(crate) defs: BTreeSet<VarId>,
    /// Where its jumps go, in order of the text.
    pub(crate) jumps: Vec<Target>,
    /// What it must not hide from the code behind it: a macro may declare what nothing shows.
    pub(crate) keeps: BTreeSet<VarId>,
}

impl Facts {
    /// What is declared, assigned, or given by a jump.
    pub(crate) fn made(&self) -> BTreeSet<VarId> {
        let results = self.jumps.iter().filter_map(|jump| jump.result);
        let made = self.defs.iter().chain(&self.assigns).copied();
        made.chain(results).collect()
    }
}

/// Where a jump goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) block: BlockId,
    /// The variable that takes the value of a `break`.
    pub(crate) result: Option<VarId>,
}

/// A step within a block.
#[derive(Clone)]
pub(crate) enum Step {
    /// As the author wrote it, jumps apart.
    Code(Box<Stmt>, Facts),
    /// Gives a variable of the macro its value.
    Define(VarId, Box<Expr>, Facts),
}

impl Step {
    pub(crate) fn facts(&self) -> &Facts {
        match self {
            Self::Code(_, facts) | Self::Define(_, _, facts) => facts,
        }
    }

    /// What is done.
    pub(crate) fn code(&self) -> Code<'_> {
        match self {
            Self::Code(stmt, _) => Code::Stmt(stmt),
            Self::Define(_, value, _) => Code::Value(value),
        }
    }
}

/// An ask as it is put.
#[derive(Clone)]
pub(crate) struct AskCall {
    pub(crate) method: Method,
    pub(crate) handle: Expr,
    pub(crate) turbofish: Option<syn::AngleBracketedGenericArguments>,
    /// Of a question, the whole of it.
    pub(crate) arguments: Vec<Expr>,
    /// What is asked, for people.
    pub(crate) shown: String,
    /// The author's key, where the text shows it.
    pub(crate) key: Option<String>,
    pub(crate) limit: Option<AskLimit>,
}

impl AskCall {
    fn exprs(&self) -> Vec<&Expr> {
        let limit = self.limit.iter().map(AskLimit::expr);
        let mut exprs: Vec<_> = self.arguments.iter().chain(limit).collect();
        exprs.push(&self.handle);
        exprs
    }
}

/// What may end an ask before its answer.
#[derive(Clone)]
pub(crate) enum AskLimit {
    /// So much time.
    Timeout(Expr),
    /// An instant of tokio's.
    TimeoutAt(Expr),
    /// A future that is ready first.
    Race(Expr),
}

impl AskLimit {
    pub(crate) fn expr(&self) -> &Expr {
        match self {
            Self::Timeout(expr) | Self::TimeoutAt(expr) | Self::Race(expr) => expr,
        }
    }

    pub(crate) fn expr_mut(&mut self) -> &mut Expr {
        match self {
            Self::Timeout(expr) | Self::TimeoutAt(expr) | Self::Race(expr) => expr,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Timeout(_) => "timeout",
            Self::TimeoutAt(_) => "timeout_at",
            Self::Race(_) => "race",
        }
    }
}

/// What may end a call before it is done.
#[derive(Clone)]
pub(crate) enum CallLimit {
    /// `timeout`: the variable says when.
    Within(VarId),
    /// The other branch of a `select!`, which sleeps until then, and whether it stands first.
    Beside(VarId, bool),
    /// The other branch of a `select!`, which is a cancellation.
    Unless(Box<Expr>, bool),
}

/// What is awaited.
#[derive(Clone)]
pub(crate) enum Callee {
    /// A function that is given the handle.
    One(Box<Expr>),
    /// `join!` and `try_join!`: several at once.
    Join { arms: Vec<Arm>, tries: bool },
    /// `join_all(items.map(|pat| arm))`, and `try_join_all`.
    Each {
        items: Box<Expr>,
        pat: Box<Pat>,
        arm: Box<Arm>,
        tries: bool,
    },
}

/// One of several futures that are awaited together.
#[derive(Clone)]
pub(crate) enum Arm {
    /// An ask, with the base of its key.
    Ask(Box<AskCall>, String),
    /// Any other future that may ask.
    Other(Box<Expr>),
    /// One that asks nobody: it is made once.
    Plain(Box<Expr>),
}

impl Arm {
    fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::Ask(ask, _) => ask.exprs(),
            Self::Other(future) | Self::Plain(future) => vec![future],
        }
    }
}

/// How a block ends.
#[derive(Clone)]
pub(crate) enum Terminator {
    /// Goes on elsewhere.
    Goto(BlockId),
    /// `if cond`; the condition may bind variables for `then`.
    If {
        cond: Box<Expr>,
        facts: Facts,
        then: BlockId,
        otherwise: BlockId,
    },
    /// `match scrutinee`.
    Match {
        scrutinee: Box<Expr>,
        facts: Facts,
        arms: Vec<(Pat, Facts, BlockId)>,
        /// It is a `let … else`: behind the first pattern, temporaries of the scrutinee are gone.
        lets: bool,
        /// The scrutinee is a field of a variable that stays whole: patterns bind copies.
        copies: bool,
    },
    /// Puts an ask; `answer` is set in `resume`.
    Ask {
        point: PointId,
        ask: Box<AskCall>,
        facts: Facts,
        answer: VarId,
        resume: BlockId,
    },
    /// Awaits a function that may suspend; on resumption this block is run again.
    Call {
        point: PointId,
        callee: Callee,
        limit: Option<CallLimit>,
        /// Which of its operands are copies of what: of one call alone.
        copies: Vec<(usize, VarId)>,
        facts: Facts,
        results: Vec<VarId>,
        next: BlockId,
    },
    /// Control does not get here.
    End,
}

/// Straight-line code.
#[derive(Clone)]
pub(crate) struct Block {
    /// What each name means where the block begins.
    pub(crate) scope: HashMap<String, VarId>,
    /// The variables of all open scopes, also where another has their name.
    pub(crate) visible: BTreeSet<VarId>,
    /// The `use` items of the author's block that it is in, and of those around that.
    pub(crate) imports: Vec<ImportId>,
    pub(crate) steps: Vec<Step>,
    pub(crate) terminator: Terminator,
    /// Must not be merged into its predecessor: names mean other variables here, or something declared before it is dropped.
    pub(crate) renamed: bool,
}

/// A suspension point.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    /// Base of the ask's key; empty for a call.
    pub(crate) key: String,
    /// What is awaited, for people.
    pub(crate) awaits: String,
    /// The block that goes on from here: after an ask, at a call.
    pub(crate) block: BlockId,
}

/// Closures, and the variables that may have another value while they are used, by a method or a macro: only types can say
/// whether they are references, or these parts of them.
pub(crate) type Steady = BTreeMap<VarId, BTreeMap<VarId, BTreeSet<Vec<String>>>>;

/// The whole function.
pub(crate) struct Flow {
    pub(crate) vars: Vec<Var>,
    pub(crate) reborrows: Vec<Reborrow>,
    pub(crate) params: Vec<Param>,
    /// `self` is a `&mut`, and what is behind it may be changed.
    pub(crate) changes_self: bool,
    /// It is a `&self`.
    pub(crate) shares_self: bool,
    pub(crate) blocks: Vec<Block>,
    pub(crate) points: Vec<Point>,
    /// Items declared in the body.
    pub(crate) items: Vec<syn::Item>,
    pub(crate) imports: Vec<syn::ItemUse>,
    /// Variables that some use may move away.
    pub(crate) moved: BTreeSet<VarId>,
    /// Variables that are given to an awaited call that is not taken for one that may suspend, each with
    /// where.
    pub(crate) given: Vec<(VarId, proc_macro2::Span)>,
    /// Variables whose values calls made that are given the handle and not awaited there.
    pub(crate) put_aside: Vec<(VarId, proc_macro2::Span)>,
    /// Closures, and the variables that must not be references: those could have another value while the closure is used.
    pub(crate) steady: Steady,
    /// What all of the body gives other values.
    pub(crate) reassigned: Assigned,
}

impl Flow {
    pub(crate) const ENTRY: BlockId = BlockId(0);

    pub(crate) fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0]
    }

    pub(crate) fn reborrow(&self, id: ReborrowId) -> &Reborrow {
        &self.reborrows[id.0]
    }

    /// Whether a variable may be of a type with a `Drop`: what is borrowed again is one only where it is put together.
    pub(crate) fn may_be_dropped(&self, id: VarId) -> bool {
        match self.var(id).persistence {
            Persistence::Spilled(_) => true,
            Persistence::Reborrowed(id) => proof::has_struct(&self.reborrow(id).init),
            Persistence::Param(_) => false,
        }
    }

    pub(crate) fn param(&self, id: ParamId) -> &Param {
        &self.params[id.0]
    }

    pub(crate) fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0]
    }

    /// A variable's name as the author knows it, or what the macro has it for.
    pub(crate) fn author_name(&self, id: VarId) -> String {
        let ident = self.var(id).ident.to_string();
        let own = ident.strip_prefix("__saga_");
        let own = own.and_then(|own| own.rsplit_once('_'));
        match own {
            // The number is that of the variable, or of a part of its expression: an edit elsewhere may change it.
            Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                name.to_owned()
            }
            _ => ident,
        }
    }

    /// Variables in the order in which a frame has them: by name, so that an edit elsewhere does not change it.
    pub(crate) fn in_frame_order(&self, vars: impl IntoIterator<Item = VarId>) -> Vec<VarId> {
        let mut vars: Vec<_> = vars.into_iter().collect();
        vars.sort_by_cached_key(|var| (self.author_name(*var), *var));
        vars
    }

    /// Whether code that reads or writes a variable means it by this name.
    pub(crate) fn goes_by(&self, var: VarId, name: impl AsRef<str>) -> bool {
        let (ident, name) = (&self.var(var).ident, name.as_ref());
        ident == name || (is_hidden_name(name) && alias(ident, var) == name)
    }

    /// The variable whose number an identifier of the macro's own bears.
    pub(crate) fn named_by_number(&self, ident: &Ident) -> Option<VarId> {
        let text = ident.to_string();
        let (_, number) = text.strip_prefix("__saga_")?.rsplit_once('_')?;
        let id = VarId(number.parse().ok()?);
        let var = self.vars.get(id.0)?;
        (var.ident == text || alias(&var.ident, id) == text).then_some(id)
    }

    /// The records of answers, by the block that goes on with each.
    pub(crate) fn answers(&self) -> BTreeMap<BlockId, VarId> {
        let asks = self
            .blocks
            .iter()
            .filter_map(|block| match block.terminator {
                Terminator::Ask { answer, resume, .. } => Some((resume, answer)),
                _ => None,
            });
        asks.collect()
    }
}

impl Terminator {
    pub(crate) fn facts(&self) -> Option<&Facts> {
        match self {
            Self::If { facts, .. }
            | Self::Match { facts, .. }
            | Self::Ask { facts, .. }
            | Self::Call { facts, .. } => Some(facts),
            Self::Goto(_) | Self::End => None,
        }
    }

    /// The variables that it declares or gives a value.
    pub(crate) fn made(&self) -> BTreeSet<VarId> {
        let mut made = self.facts().map(Facts::made).unwrap_or_default();
        match self {
            Self::Match { arms, .. } => {
                made.extend(arms.iter().flat_map(|(_, bound, _)| &bound.defs));
            }
            Self::Call { results, .. } => made.extend(results),
            _ => {}
        }
        made
    }

    /// The code of a block's end.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::Goto(_) | Self::End => Vec::new(),
            Self::If { cond, .. } => vec![cond],
            Self::Match { scrutinee, .. } => vec![scrutinee],
            Self::Ask { ask, .. } => ask.exprs(),
            Self::Call { callee, limit, .. } => match callee {
                Callee::One(call) => match limit {
                    Some(CallLimit::Unless(other, _)) => vec![other, call],
                    _ => vec![call],
                },
                Callee::Each { items, arm, .. } => {
                    let mut exprs = arm.exprs();
                    exprs.push(items);
                    exprs
                }
                Callee::Join { arms, .. } => arms.iter().flat_map(Arm::exprs).collect(),
            },
        }
    }

    /// That, and the guards that run before the next block.
    pub(crate) fn exprs_and_guards(&self) -> impl Iterator<Item = &Expr> {
        let guards = self.arms().iter().filter_map(|(pat, ..)| guard(pat));
        self.exprs().into_iter().chain(guards)
    }

    /// What a `match` goes on by.
    pub(crate) fn arms(&self) -> &[(Pat, Facts, BlockId)] {
        match self {
            Self::Match { arms, .. } => arms,
            _ => &[],
        }
    }

    /// Successors in order of the text.
    pub(crate) fn successors(&self) -> Vec<BlockId> {
        match self {
            Self::Goto(block) => vec![*block],
            Self::If {
                then, otherwise, ..
            } => vec![*then, *otherwise],
            Self::Match { arms, .. } => arms.iter().map(|(_, _, block)| *block).collect(),
            Self::Ask { resume, .. } => vec![*resume],
            Self::Call { next, .. } => vec![*next],
            Self::End => Vec::new(),
        }
    }
}

impl Block {
    /// The blocks that jumps within the code go to.
    pub(crate) fn jump_targets(&self) -> impl Iterator<Item = BlockId> + '_ {
        let facts = self
            .steps
            .iter()
            .map(Step::facts)
            .chain(self.terminator.facts());
        facts.flat_map(|facts| facts.jumps.iter().map(|target| target.block))
    }
}

/// What a variable goes by where its own name means another one.
pub(crate) fn alias(ident: &Ident, id: VarId) -> Ident {
    quote::format_ident!("__saga_{}_{}", ident, id.0)
}

//! A hash per suspension point over what can still run from there: an edit of what comes before, or of another branch, leaves
//! it as it is.
//!
//! Blocks and variables are numbered in the order in which they are met from the point on. What a variable's *type* is only
//! rustc knows; the runtime writes that into the frame.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    rc::Rc,
};

use crate::{
    analysis::{
        outline::{LAYOUT, Outline, Part},
        states::Plan,
    },
    ast::hash::Hash,
    cfg::{BlockId, Flow, Point, VarId},
};

/// The fingerprints of all points, in order. Two that are alike are told apart by which comes first.
pub(crate) fn points(signature: &syn::Signature, flow: &Flow, plan: &Plan) -> Vec<u64> {
    let outline = Outline::of(signature, flow);
    let mut alike: HashMap<u64, usize> = HashMap::new();
    flow.points
        .iter()
        .map(|point| {
            let print = of_point(&outline, flow, plan, point);
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

fn of_point(outline: &Outline, flow: &Flow, plan: &Plan, point: &Point) -> u64 {
    let mut walk = Walk {
        outline,
        flow,
        hash: Hash::of(outline.head),
        vars: HashMap::new(),
        blocks: HashMap::new(),
        open: VecDeque::new(),
        typed: BTreeSet::new(),
    };
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
    outline: &'a Outline,
    flow: &'a Flow,
    hash: Hash,
    vars: HashMap<VarId, usize>,
    blocks: HashMap<BlockId, usize>,
    open: VecDeque<BlockId>,
    /// Variables whose types follow from the frame, or from what was hashed.
    typed: BTreeSet<VarId>,
}

impl<'a> Walk<'a> {
    fn run(&mut self) {
        let outline = self.outline;
        while let Some(id) = self.open.pop_front() {
            let pieces = outline.blocks.get(id.0).into_iter().flatten();
            pieces.for_each(|parts| self.parts(parts));
        }
        self.declarations();
    }

    /// Where a variable is declared that is not there at the point, and gets its value after it: its type is that of its declaration.
    fn declarations(&mut self) {
        let outline = self.outline;
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
                self.of_var(&outline.types, var);
                let declarations = outline.declarations.get(&var).into_iter().flatten();
                declarations.for_each(|parts| self.parts(parts));
            }
        }
    }

    /// What is there already, and how it comes back.
    fn entering(&mut self, vars: &BTreeSet<VarId>) {
        let outline = self.outline;
        let vars = self.flow.in_frame_order(vars.iter().copied());
        for var in &vars {
            self.var(*var);
        }
        self.typed.extend(vars.iter().copied());
        for var in vars {
            self.var(var);
            self.of_var(&outline.persistence, var);
        }
    }

    fn of_var(&mut self, parts: &'a [Rc<[Part]>], var: VarId) {
        if let Some(parts) = parts.get(var.0) {
            self.parts(parts);
        }
    }

    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Text(text) => self.hash.bytes(&text.to_le_bytes()),
                Part::Var(var) => self.var(*var),
                Part::Vars(vars) => self.set(vars),
                Part::Block(block) => self.block(*block),
                Part::Typed(var) => {
                    self.typed.insert(*var);
                }
            }
        }
    }

    /// Variables in an order that does not depend on what is before the point.
    fn set(&mut self, vars: &[VarId]) {
        let mut vars = vars.to_vec();
        vars.sort_by_cached_key(|var| {
            let number = self.vars.get(var).copied().unwrap_or(usize::MAX);
            (number, self.flow.author_name(*var), *var)
        });
        vars.into_iter().for_each(|var| self.var(var));
    }

    fn block(&mut self, id: BlockId) {
        let next = self.blocks.len();
        let number = *self.blocks.entry(id).or_insert_with(|| {
            self.open.push_back(id);
            next
        });
        self.hash.number(number);
    }

    /// The number of a variable, with its name where it is met first.
    fn var(&mut self, id: VarId) {
        let next = self.vars.len();
        let known = self.vars.get(&id).copied();
        self.hash.text("variable");
        self.hash.number(known.unwrap_or(next));
        if known.is_none() {
            self.vars.insert(id, next);
            let name = self.outline.names.get(id.0).copied().unwrap_or_default();
            self.hash.bytes(&name.to_le_bytes());
        }
    }
}

//! What is in scope, and what the borrow checker would say of it.

use super::Gen;
use crate::program::{Node, Type};

/// A variable of the function that is being made.
#[derive(Debug, Clone)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) mutable: bool,
    /// Not moved.
    pub(super) alive: bool,
    /// How many live borrows of it there are.
    pub(super) frozen: usize,
    /// What it borrows from.
    pub(super) roots: Vec<usize>,
    /// The loop that it is declared in.
    level: usize,
    block: usize,
    /// Moved since it was declared, even if it was assigned again.
    was_moved: bool,
}

/// An index into the scope; stays good while the variable's scope lasts.
pub(super) type VarId = usize;

const NAMES: [&str; 9] = ["a", "b", "x", "y", "n", "name", "item", "_kept", "list"];

impl Gen {
    pub(super) fn declare(&mut self, name: &str, ty: Type, mutable: bool) -> VarId {
        self.vars.push(Var {
            name: name.to_owned(),
            ty,
            mutable,
            alive: true,
            frozen: 0,
            roots: Vec::new(),
            level: self.level,
            block: self.block,
            was_moved: false,
        });
        self.vars.len() - 1
    }

    /// A borrow of what `from` stands for; that is frozen until the borrow's scope ends.
    pub(super) fn declare_borrow(&mut self, name: &str, ty: Type, from: VarId) -> VarId {
        let mut roots = self.vars[from].roots.clone();
        roots.push(from);
        let id = self.declare(name, ty, false);
        for root in &roots {
            self.vars[*root].frozen += 1;
        }
        self.vars[id].roots = roots;
        id
    }

    /// A name, often one that is taken, so that it shadows.
    pub(super) fn name(&mut self) -> String {
        let at = self.rng.usize(..NAMES.len());
        let name = NAMES[at];
        name.to_owned()
    }

    /// A name that nothing shadows.
    pub(super) fn unique(&mut self, stem: &str) -> String {
        self.uniques += 1;
        format!("{stem}{}", self.uniques)
    }

    pub(super) fn scope<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let (before, block) = (self.vars.len(), self.block);
        self.blocks += 1;
        self.block = self.blocks;
        let result = inside(self);
        self.block = block;
        while self.vars.len() > before {
            self.forget();
        }
        result
    }

    fn forget(&mut self) {
        for root in self.vars.pop().map(|var| var.roots).unwrap_or_default() {
            self.vars[root].frozen -= 1;
        }
    }

    /// Ends some borrows early, so that what they borrow from can change again.
    pub(super) fn retire_borrows(&mut self) {
        for id in 0..self.vars.len() {
            let var = &self.vars[id];
            if var.block == self.block && var.ty.is_reference() && var.alive && var.frozen == 0 {
                self.vars[id].alive = false;
                for root in std::mem::take(&mut self.vars[id].roots) {
                    self.vars[root].frozen -= 1;
                }
            }
        }
    }

    /// Makes `count` branches from one state; what one moves is moved after all.
    pub(super) fn branches<R>(
        &mut self,
        count: usize,
        mut branch: impl FnMut(&mut Self, usize) -> R,
    ) -> Vec<R> {
        let before: Vec<bool> = self.vars.iter().map(|var| var.alive).collect();
        let mut after = vec![true; before.len()];
        let mut results = Vec::new();
        for at in 0..count {
            for (var, alive) in self.vars.iter_mut().zip(&before) {
                var.alive = *alive;
            }
            results.push(self.scope(|this| branch(this, at)));
            for (after, var) in after.iter_mut().zip(&self.vars) {
                *after &= var.alive;
            }
        }
        for (var, alive) in self.vars.iter_mut().zip(after) {
            var.alive = alive;
        }
        results
    }

    /// Parts that all run at once: each may move and change some variables, which the others then do
    /// not have, and only read the rest.
    pub(super) fn apart<R>(
        &mut self,
        count: usize,
        mut part: impl FnMut(&mut Self, usize) -> R,
    ) -> Vec<R> {
        let owners: Vec<usize> = (0..self.vars.len())
            .map(|_| self.below(count * 3))
            .collect();
        let mut results = Vec::new();
        for at in 0..count {
            let before: Vec<bool> = self.vars.iter().map(|var| var.alive).collect();
            for (var, owner) in self.vars.iter_mut().zip(&owners) {
                var.frozen += usize::from(*owner != at);
                var.alive &= *owner == at || *owner >= count;
            }
            results.push(part(self, at));
            for ((var, owner), alive) in self.vars.iter_mut().zip(&owners).zip(before) {
                var.frozen -= usize::from(*owner != at);
                if *owner != at {
                    var.alive = alive;
                }
            }
        }
        results
    }

    /// The body of an `async` block, which has variables of around it; what it moves is moved even if
    /// it is assigned again. With `move` it takes all that it mentions.
    pub(super) fn captured<R>(
        &mut self,
        moves: bool,
        inside: impl FnOnce(&mut Self) -> R,
        text: impl FnOnce(&R) -> String,
    ) -> R {
        let before: Vec<bool> = self.vars.iter().map(|var| var.alive).collect();
        let count = before.len();
        let around = std::mem::replace(&mut self.around, count);
        let open: Vec<bool> = (0..count)
            .map(|id| !moves || self.vars[id].ty.is_copy() || self.can_move(id))
            .collect();
        for (var, open) in self.vars.iter_mut().zip(&open) {
            var.alive &= open;
            var.frozen += usize::from(!open);
        }
        let result = self.left_early(inside);
        self.around = around;
        for ((var, open), alive) in self.vars.iter_mut().zip(&open).zip(before) {
            var.frozen -= usize::from(!open);
            if !open {
                var.alive = alive;
            }
        }
        if moves {
            let text = text(&result);
            let words: Vec<&str> = text
                .split(|c: char| c != '_' && !c.is_alphanumeric())
                .collect();
            for (id, open) in open.iter().enumerate() {
                let var = &self.vars[id];
                if *open && !var.ty.is_copy() && words.contains(&var.name.as_str()) {
                    self.moved(id);
                }
            }
        }
        result
    }

    /// A part that may not run, such as the right of `&&`.
    pub(super) fn maybe<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let before: Vec<bool> = self.vars.iter().map(|var| var.alive).collect();
        let result = self.scope(inside);
        for (var, alive) in self.vars.iter_mut().zip(before) {
            var.alive &= alive;
        }
        result
    }

    /// The body of a loop that goes round at most `times`.
    pub(super) fn looping<R>(&mut self, times: usize, inside: impl FnOnce(&mut Self) -> R) -> R {
        let (level, weight) = (self.level, self.weight);
        self.loops += 1;
        self.level = self.loops;
        self.weight *= times.max(1);
        let result = self.maybe(inside);
        (self.level, self.weight) = (level, weight);
        result
    }

    /// A block that can be left in the middle: what was moved in it may be so even if it was
    /// assigned again.
    pub(super) fn left_early<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let moved: Vec<bool> = self
            .vars
            .iter_mut()
            .map(|var| std::mem::take(&mut var.was_moved))
            .collect();
        let result = self.maybe(inside);
        for (var, before) in self.vars.iter_mut().zip(moved) {
            var.alive &= !var.was_moved;
            var.was_moved |= before;
        }
        result
    }

    pub(super) fn frozen<R>(&mut self, id: VarId, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.vars[id].frozen += 1;
        let result = inside(self);
        self.vars[id].frozen -= 1;
        result
    }

    fn visible(&self, id: VarId) -> bool {
        let name = &self.vars[id].name;
        self.vars[id + 1..].iter().all(|later| &later.name != name)
    }

    /// A variable that can be read.
    pub(super) fn find(&mut self, wanted: impl Fn(&Var) -> bool) -> Option<VarId> {
        let found: Vec<VarId> = (0..self.vars.len())
            .filter(|id| self.vars[*id].alive && wanted(&self.vars[*id]) && self.visible(*id))
            .collect();
        (!found.is_empty()).then(|| found[self.rng.usize(..found.len())])
    }

    pub(super) fn find_type(&mut self, ty: Type) -> Option<VarId> {
        self.find(|var| var.ty == ty)
    }

    /// A variable that can be changed in place.
    pub(super) fn find_mutable(&mut self, ty: Type) -> Option<VarId> {
        self.find(|var| {
            var.frozen == 0 && (var.ty == ty && var.mutable || is_mut(var.ty) && ty == Type::List)
        })
    }

    /// A variable of the type that can be assigned, moved or not.
    pub(super) fn find_assignable(&mut self) -> Option<VarId> {
        let found: Vec<VarId> = (0..self.vars.len())
            .filter(|id| {
                let var = &self.vars[*id];
                // An `async` block cannot assign what is not there when it is made.
                var.mutable
                    && (var.alive || *id >= self.around)
                    && var.frozen == 0
                    && Type::VALUES.contains(&var.ty)
                    && self.visible(*id)
            })
            .collect();
        (!found.is_empty()).then(|| found[self.rng.usize(..found.len())])
    }

    pub(super) fn can_move(&self, id: VarId) -> bool {
        let var = &self.vars[id];
        var.alive && var.frozen == 0 && var.level == self.level && !self.within.closure
    }

    pub(super) fn find_movable(&mut self, ty: Type) -> Option<VarId> {
        let level = self.level;
        if self.within.closure {
            return None;
        }
        self.find(|var| var.ty == ty && var.frozen == 0 && var.level == level)
    }

    pub(super) fn moved(&mut self, id: VarId) {
        self.vars[id].alive = false;
        self.vars[id].was_moved = true;
    }

    pub(super) fn var(&self, id: VarId) -> String {
        self.vars[id].name.clone()
    }

    pub(super) fn leaf_of(&self, id: VarId, ty: Type, template: &str) -> Node {
        Node::leaf(ty, template.replace('@', &self.vars[id].name))
    }
}

fn is_mut(ty: Type) -> bool {
    ty == Type::MutList
}

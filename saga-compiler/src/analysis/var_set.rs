//! Sets of variables as bits: what is live is computed of many of them, many times.

use crate::cfg::VarId;

/// A set of variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct VarSet(Vec<u64>);

impl VarSet {
    /// Without any, of a function of so many variables.
    pub(super) fn of(vars: usize) -> Self {
        Self(vec![0; vars.div_ceil(64)])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(super) fn insert(&mut self, var: VarId) {
        if let Some(word) = self.0.get_mut(var.0 / 64) {
            *word |= 1 << (var.0 % 64);
        }
    }

    pub(super) fn remove(&mut self, var: VarId) {
        if let Some(word) = self.0.get_mut(var.0 / 64) {
            *word &= !(1 << (var.0 % 64));
        }
    }

    /// Adds all of `other`; says whether there was any to add.
    pub(super) fn unite(&mut self, other: &Self) -> bool {
        let mut grown = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grown |= more & !*word != 0;
            *word |= more;
        }
        grown
    }

    pub(super) fn extend<'v>(&mut self, vars: impl IntoIterator<Item = &'v VarId>) {
        vars.into_iter().for_each(|var| self.insert(*var));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        let words = self.0.iter().enumerate();
        words.flat_map(|(index, word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| VarId(index * 64 + bit))
        })
    }
}

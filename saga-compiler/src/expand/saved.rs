//! Which variables are saved at which suspension points.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    analysis::states::Plan,
    cfg::{BlockId, Flow, VarId},
};

/// Points that follow each other, first and last of each row.
pub(super) type Ranges = Vec<(u32, u32)>;

pub(super) fn ranges(points: impl IntoIterator<Item = u32>) -> Ranges {
    let mut ranges = Ranges::new();
    for point in points {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == point => *last = point,
            _ => ranges.push((point, point)),
        }
    }
    ranges
}

/// As a pattern.
pub(super) fn pattern(ranges: &Ranges) -> Option<TokenStream> {
    let patterns = ranges.iter().map(|(first, last)| match first == last {
        true => quote!(#first),
        false => quote!(#first..=#last),
    });
    (!ranges.is_empty()).then(|| quote!(#(#patterns)|*))
}

/// Which variables are saved where.
pub(super) struct Saved {
    /// The points of each.
    ranges: BTreeMap<VarId, Ranges>,
    /// The records of answers, by the block that goes on with each.
    answers: BTreeMap<BlockId, VarId>,
}

impl Saved {
    pub(super) fn of(flow: &Flow, plan: &Plan) -> Self {
        let answers = flow.answers();
        let mut points: BTreeMap<VarId, BTreeSet<u32>> = BTreeMap::new();
        for (index, point) in flow.points.iter().enumerate() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            for var in kept_at(plan, point.block, answers.get(&point.block).copied()) {
                points.entry(var).or_default().insert(number);
            }
        }
        let points = points.into_iter();
        let ranges = points.map(|(var, points)| (var, ranges(points))).collect();
        Self { ranges, answers }
    }

    /// The points at which a variable is saved, as a pattern.
    pub(super) fn pattern(&self, var: VarId) -> Option<TokenStream> {
        pattern(self.ranges.get(&var)?)
    }

    /// The variable that is the record of the answer with which a block goes on.
    pub(super) fn answer_of(&self, resume: BlockId) -> Option<VarId> {
        self.answers.get(&resume).copied()
    }

    pub(super) fn points(&self, var: VarId) -> BTreeSet<u32> {
        let ranges = self.ranges.get(&var).into_iter().flatten();
        ranges.flat_map(|(first, last)| *first..=*last).collect()
    }
}

fn kept_at(plan: &Plan, block: BlockId, answer: Option<VarId>) -> impl Iterator<Item = VarId> {
    let carried = plan.state(block).map(|(_, state)| &state.carried);
    let carried = carried.into_iter().flatten().copied();
    carried.filter(move |var| Some(*var) != answer)
}

//! Which of the doubtful ways count: those on which something may have another value while what is found by them is still used.

use std::collections::BTreeSet;

use super::{liveness::Liveness, replaced::each_piece, states::Plan};

use crate::{
    ast::{assigned_places::Assigned, uses::root_name},
    cfg::{Facts, Flow, VarId},
};

/// Leaves the others out.
pub(crate) fn settle(flow: &mut Flow, live: &Liveness, plan: &Plan) {
    if flow.reborrows.iter().all(|again| again.doubtful.is_empty()) {
        return;
    }
    let mut changed: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut look = |assigned: &Assigned, facts: &Facts, live: &dyn Fn() -> BTreeSet<VarId>| {
        for (id, again) in flow.reborrows.iter().enumerate() {
            for (index, doubtful) in again.doubtful.iter().enumerate() {
                if changed.contains(&(id, index)) {
                    continue;
                }
                let root = root_name(&doubtful.way).unwrap_or_default();
                // Another variable may have that name.
                let meant = || {
                    let mut deps = again.deps.iter();
                    root == "self"
                        || deps.any(|var| {
                            flow.goes_by(*var, &root)
                                && (facts.assigns.contains(var) || facts.reads.contains(var))
                        })
                };
                let direct = || assigned.may_perhaps_change(&doubtful.way) && meant();
                let by_others = || {
                    flow.reassigned
                        .changes_by_other_names(assigned, &doubtful.way)
                };
                if (direct() || by_others()) && again.vars.iter().any(|var| live().contains(var)) {
                    changed.insert((id, index));
                }
            }
        }
    };
    each_piece(flow, live, plan, &mut look);
    for (id, again) in flow.reborrows.iter_mut().enumerate() {
        let mut index = 0..;
        again.doubtful.retain(|_| {
            index
                .next()
                .is_some_and(|index| changed.contains(&(id, index)))
        });
    }
}
